"""The commands of ``ecoc``, from ``compare`` to ``show``, with their options.

Libraries such as scikit-learn are imported when a command runs, so that ``--help`` and completion are fast.
"""

import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

import ecoc
from ecoc.tool.cli import one_line
from ecoc.tool.cli import options as opts
from ecoc.tool.cli.code_books import design, show
from ecoc.tool.cli.options import CODING_NAMES, MODEL_NAMES, split
from ecoc.tool.cli.printing import print_content, say, show_json, status
from ecoc.tool.cli.studio_options import studio
from ecoc.utils.estimators import last_step

_FROM_TABLES, _CODE_BOOKS = "From a table to a model", "Code books"  # panels of the help
_LENGTHS = "Lengths, comma-separated: numbers, shares of the number of classes, auto, rank."
_METRICS = "Columns to add, comma-separated: macro_f1, log_loss."
_CODE = "code"  # the --model that has a code
_MODEL = f"code (with the options below), or plain scikit-learn: {MODEL_NAMES}."
_CODING = f"Coding: auto (chosen by the data), {CODING_NAMES}; or file of a code book (.csv, .npz)."
_COLUMNS = "Columns: auto (the fewest that lose no accuracy), rank, 12, or 0.5 of the classes."
_REJECT = 'Cost of the answer "don\'t know". Default: the model always names a class.'
_ANSWER = 'The answer "don\'t know"; a number if the classes are numbers.'
_OUTPUTS = "Outputs of the file, comma-separated: label, probabilities, scores, columns, top, sets."
_SETS = "Also write the set of plausible classes, which holds the true class with this probability, such as 0.9."

_OUT_OF_CORE = "Read the file batch by batch; fit then needs --learner xgboost and numeric columns."
_KEEP = "Also save the outputs for the training rows, which a report needs to show shorter codes."

app = typer.Typer(
    help="Multi-class classification with error-correcting output codes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ecoc {ecoc.__version__}")
        raise typer.Exit


@app.callback()
def _ecoc(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command(rich_help_panel=_FROM_TABLES)
@one_line()
def compare(
    context: typer.Context,
    data: opts.Data,
    target: opts.Target = None,
    learner: opts.Learners = None,
    tune: Annotated[bool, typer.Option(help="Tune C, gamma, depth and so on, on the training rows.")] = True,
    budget: Annotated[float, typer.Option(min=1, help="Time limit of the comparison in seconds.")] = 60.0,
    baselines: Annotated[bool, typer.Option(help="Also compare plain scikit-learn models.")] = True,
    codings: Annotated[str | None, typer.Option(help=f"Codings, comma-separated: {CODING_NAMES}.")] = None,
    columns: Annotated[str | None, typer.Option(help=_LENGTHS)] = None,
    decodings: Annotated[str | None, typer.Option(help="Decodings, comma-separated.")] = None,
    metrics: Annotated[str, typer.Option(help=_METRICS)] = "",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 3,
    max_rows: Annotated[int, typer.Option(min=10, help="Maximum rows to cross-validate.")] = 3000,
    costs: opts.Costs = None,
    protect: opts.Protect = None,
    drop: opts.Drop = None,
    drop_like_id: opts.DropLikeId = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    seed: opts.Seed = 0,
    jobs: opts.Jobs = 1,
    report: opts.Report = None,
    json: opts.Json = False,
) -> None:
    """Find out which model a table needs: which learner, in which code, or whether plain scikit-learn is enough."""
    from ecoc.tool.cli import comparisons, parsing, reports

    start = time.perf_counter()  # not before: the first import on a machine may take as long as a budget
    parsing.check_report(report)
    learners = comparisons.check_learners(learner)
    options: dict[str, Any] = {"learner": learners, "tune": tune, "baselines": baselines, "max_rows": max_rows}
    options |= {"metrics": split(metrics), "cv": folds, "n_jobs": jobs, "random_state": seed}
    options |= parsing.code_options(codings, columns, decodings)
    format = parsing.format_options(sep, decimal, encoding)
    samples, dropped = parsing.read_rows(data, target, drop, drop_like_id, format)
    labels = parsing.classes_of(samples.y)
    options["protect"] = parsing.parse_protection(protect, labels)
    options |= parsing.cost_options(costs, None, "", labels, format)
    comparisons.check_folds(folds, samples.y)
    if not json:
        comparisons.announce(data, samples, max_rows, folds, learners, tune)
    result, stopped = comparisons.run(samples, budget - (time.perf_counter() - start), options)
    command = comparisons.fit_command(context, result, learners, protect, dropped, seed)
    plan = comparisons.plan_of(result, samples)
    if not json:
        comparisons.show_recommendation(result, command, plan, costs)
        comparisons.show(context, result, split(metrics))
    missing = ""
    if report is not None and not stopped:
        missing = reports.write_comparison(report, data.name, result, command, samples)
    if json:
        comparisons.show_as_json(context, result, data, command, plan, report, missing, stopped)
    elif report is not None and not stopped:
        say(f"Report to open in a browser:  {report}{missing and f'; {missing}'}")
    if stopped:
        raise typer.Exit(130)


@app.command(rich_help_panel=_FROM_TABLES)
@one_line()
def fit(
    context: typer.Context,
    data: opts.Data,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to save the model, e.g. model.skops.")],
    target: opts.Target = None,
    model: Annotated[str, typer.Option(help=_MODEL, autocompletion=opts.complete_model)] = _CODE,
    coding: Annotated[str, typer.Option(help=_CODING, autocompletion=opts.complete_coding)] = "auto",
    columns: Annotated[str | None, typer.Option(help=_COLUMNS)] = None,
    allocation: opts.Allocation = None,
    min_distance: opts.MinDistance = None,
    decoding: Annotated[str, typer.Option(help="Decoding.", autocompletion=opts.complete_decoding)] = "auto",
    learner: opts.Learner = "svc",
    protect: opts.Protect = None,
    costs: opts.Costs = None,
    reject_cost: Annotated[float | None, typer.Option(min=0, help=_REJECT)] = None,
    reject_label: Annotated[str, typer.Option(help=_ANSWER)] = "unknown",
    keep_outputs: Annotated[bool, typer.Option("--keep-outputs", help=_KEEP)] = False,
    out_of_core: Annotated[bool, typer.Option("--out-of-core", help=_OUT_OF_CORE)] = False,
    drop: opts.Drop = None,
    drop_like_id: opts.DropLikeId = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    seed: opts.Seed = 0,
    jobs: opts.Jobs = 1,
    json: opts.Json = False,
) -> None:
    """Fit a model to a table and save it, together with the preparation of its columns."""
    from ecoc.tool.cli import models, parsing
    from ecoc.tool.comparison.learners import make_baseline, make_learner

    models.check_model_file(out, data)
    parsing.check_decodings([decoding])
    estimator = make_learner(learner)
    if out_of_core:
        parsing.check_out_of_core(context)
        big = ecoc.ECOCClassifier(estimator, coding=coding, decoding=decoding, n_jobs=jobs, random_state=seed)
        with status("training"):
            models.save_model(models.fit_out_of_core(data, target, big), out)
        return say(f"{out}: {len(big.classes_)} classes, {big.n_columns_} columns")
    format = parsing.format_options(sep, decimal, encoding)
    samples, _ = parsing.read_rows(data, target, drop, drop_like_id, format)
    labels = parsing.classes_of(samples.y)
    by_cost = parsing.cost_options(costs, reject_cost, reject_label, labels, format)
    if model == _CODE:
        coding, code = parsing.name_and_coding(coding, labels, columns, allocation, min_distance, protect)
    else:
        parsing.check_plain(context, model)
        estimator, code = make_baseline(model, estimator, seed, jobs), "plain"
    classifier = ecoc.ECOCClassifier(estimator, coding=code, decoding=decoding, n_jobs=jobs, random_state=seed)
    classifier.set_params(keep_outputs=keep_outputs, **by_cost)
    with status("training"):
        models.save_model(models.fit_pipeline(samples, classifier), out)
    if json:
        show_json(models.fitted_facts(out, classifier, len(samples.y), labels))
    else:
        what = f"{coding}, {learner}" if model == _CODE else f"model {model}"
        models.show_fitted(out, classifier, what, len(samples.y), bool(protect))


@app.command(rich_help_panel=_FROM_TABLES)
@one_line()
def predict(
    model: opts.Model,
    data: opts.Data,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Output: .csv, .csv.gz, .tsv, .jsonl, .parquet, .npz; - is stdout.")
    ] = Path("-"),
    keep: Annotated[str, typer.Option(help="Columns to copy to the output, comma-separated: id,name.")] = "",
    sets: Annotated[float | None, typer.Option(help=_SETS)] = None,
    spreadsheet_safe: Annotated[
        bool, typer.Option("--spreadsheet-safe", help="Quote text that a spreadsheet would run as a formula.")
    ] = False,
    out_of_core: Annotated[bool, typer.Option("--out-of-core", help=_OUT_OF_CORE)] = False,
    trust: opts.Trust = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines; with -o, a summary.")] = False,
) -> None:
    """Predict the class of each row of a table, with probabilities."""
    from ecoc.tool.cli import models, parsing
    from ecoc.tool.tables import preparation, reading, writing

    to_stdout = str(out) == "-"
    if not to_stdout:
        writing.check_output(out, writing.PREDICTION_ENDINGS, (model, data))
    fitted = models.load_model(model, trust)
    if out_of_core:
        return say(f"{out}: {models.predict_out_of_core(fitted, data, out):,} predictions")
    names, text, n_features = models.column_layout(fitted)
    kept = split(keep)
    as_text = [*kept, *(names[place] for place in sorted(text) if names is not None)]
    table = reading.open_table(data, as_text=as_text, **parsing.format_options(sep, decimal, encoding))
    copied = models.columns_to_keep(table, kept, data.name)
    X = preparation.features_like(table, data.name, names, text, n_features)
    labels, probabilities = models.predicted(fitted, X)
    plausible = None if sets is None else models.plausible_sets(fitted, X, sets)
    ending = ".jsonl" if json else ".csv"
    if not to_stdout:
        ending = max((e for e in writing.PREDICTION_ENDINGS if out.name.lower().endswith(e)), key=len)
    answers = (labels, probabilities, fitted.classes_)
    content = writing.predictions_as(ending, *answers, keep=copied, sets=plausible, spreadsheet_safe=spreadsheet_safe)
    if to_stdout:
        print_content(content.decode())
        return
    writing.write_output(out, content)
    if json:
        show_json({"predictions": str(out), "rows": len(labels), "predicted": Counter(sorted(labels.tolist()))})
    else:
        say(f"{out}: {len(labels):,} predictions")


@app.command(rich_help_panel=_FROM_TABLES)
@one_line()
def evaluate(
    model: opts.Model,
    data: opts.Data,
    target: Annotated[str | None, typer.Option(help="Column of the classes. Default: as in training.")] = None,
    costs: opts.Costs = None,
    trust: opts.Trust = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    report: opts.Report = None,
    json: opts.Json = False,
) -> None:
    """Evaluate a model on a table with known classes: accuracies, scores of each class, and confused classes."""
    from ecoc.inspection.fitted import find_codebook
    from ecoc.tool.cli import models, parsing, reports, scores

    parsing.check_report(report)
    fitted = models.load_model(model, trust)
    format = parsing.format_options(sep, decimal, encoding)
    X, y, unknown, unknown_X = scores.labelled_samples(fitted, data, target, format)
    given = parsing.cost_options(costs, None, "", fitted.classes_.tolist(), format)
    by_columns = by_cost = None
    with models.columns_in_order():
        predicted = fitted.predict(X)
        taken_for = fitted.predict(unknown_X).tolist() if unknown else ()
        probabilities = fitted.predict_proba(X) if hasattr(fitted, "predict_proba") else None
        if find_codebook(fitted) is not None:
            by_columns = ecoc.confusion_report(fitted, X, y)
        if given or getattr(last_step(fitted), "cost_matrix_", None) is not None:
            by_cost = ecoc.cost_report(fitted, X, y, **given)
    if report is not None:
        title = f"{model.name} on {data.name}"
        reports.write_report(report, reports.model_page(title, fitted, X, y, model.stat().st_size, unknown))
    found = scores.scores(y, predicted, probabilities, fitted.classes_, unknown, taken_for)
    found |= scores.costs(by_cost)
    if json:
        pairs = [] if by_columns is None else scores.worst_pairs(by_columns)
        show_json({**found, "worst_pairs": pairs, "report": None if report is None else str(report)})
        return
    scores.show(data, found, by_columns)
    if report is not None:
        say(f"Report: {report}")


@app.command(rich_help_panel=_FROM_TABLES)
@one_line()
def add(
    model: opts.Model,
    data: opts.Data,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to save. Default: replace the model.")] = None,
    target: Annotated[str | None, typer.Option(help="Column of the classes. Default: as in training.")] = None,
    priors: Annotated[str, typer.Option(help="Prior of new classes: equal, or training (by rows).")] = "equal",
    trust: opts.Trust = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    json: opts.Json = False,
) -> None:
    """Add the new classes of a table to a model, from a few rows of each, without training."""
    from ecoc.tool.cli import additions, models, parsing

    if out is not None:
        models.check_model_file(out, data)
    fitted = models.load_model(model, trust)
    X, y = additions.labelled_rows(fitted, data, target, parsing.format_options(sep, decimal, encoding))
    new = additions.add_rows(fitted, X, y, priors)
    models.save_model(fitted, out or model)
    if json:
        show_json({"model": str(out or model), "classes": fitted.classes_, "added": new, "rows": len(y)})
        return
    additions.show_added(out or model, fitted, new, len(y))


@app.command(rich_help_panel=_FROM_TABLES)
@one_line()
def export(
    model: opts.Model,
    out: Annotated[Path, typer.Argument(help="ONNX file to write, e.g. model.onnx.")],
    data: Annotated[Path | None, typer.Option(help="Table to verify the file with. Default: random rows.")] = None,
    outputs: Annotated[str, typer.Option(help=_OUTPUTS)] = "label,probabilities",
    dtype: Annotated[str, typer.Option(help="Precision of inputs and outputs: float32 or float64.")] = "float32",
    best: Annotated[int, typer.Option(min=1, help="Number of classes of the output top.")] = 5,
    confidence: Annotated[float, typer.Option(help="Promised coverage of the output sets.")] = 0.9,
    trust: opts.Trust = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    json: opts.Json = False,
) -> None:
    """Export a model to ONNX, so that it predicts without Python; the file is verified before it is written."""
    from ecoc.tool.cli import exports, models, parsing
    from ecoc.tool.tables.writing import check_output

    check_output(out, exports.ONNX_ENDINGS, filter(None, (model, data)))
    fitted = models.load_model(model, trust)
    X = exports.samples_for(fitted, data, parsing.format_options(sep, decimal, encoding))
    options = {"outputs": split(outputs), "dtype": dtype, "n_best": best, "confidence": confidence}
    facts = exports.export_model(fitted, out, X, options)
    if json:
        show_json({"onnx": str(out), **facts})
        return
    say(f"{out}: {', '.join(facts['outputs'])}; {facts['nodes']} nodes, {facts['bytes']:,} bytes")
    say(f"Verified on {facts['verified']}.")


app.command(rich_help_panel=_CODE_BOOKS)(studio)
for command in (design, show):
    app.command(rich_help_panel=_CODE_BOOKS)(one_line()(command))
