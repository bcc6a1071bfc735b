"""From a table to a model: compare, fit, predict, evaluate."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.cli.errors import one_line
from ecoc.cli.options import (
    Allocation,
    Data,
    Drop,
    Jobs,
    Json,
    Learner,
    MinDistance,
    Model,
    Protect,
    Report,
    Seed,
    Target,
    Trust,
    again,
    complete_coding,
    complete_decoding,
    source_of,
    split,
)


@one_line()
def compare(
    context: typer.Context,
    data: Data,
    target: Target = None,
    learner: Learner = "svc",
    codings: Annotated[str, typer.Option(help="Codings, with commas.")] = "ecf,ova,ovo,dense",
    columns: Annotated[str, typer.Option(help="Lengths, with commas: numbers, shares of the classes, auto, rank.")] = (
        "auto,0.25,0.5,1.0"
    ),
    decodings: Annotated[str, typer.Option(help="Decodings, with commas.")] = "discriminant,loss_weighted",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 3,
    max_rows: Annotated[int, typer.Option(min=10, help="Of a larger table, compare on so many rows.")] = 3000,
    protect: Protect = None,
    drop: Drop = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    report: Report = None,
    json: Json = False,
) -> None:
    """Find out how few classifiers a table needs: codings, lengths and decodings by cross-validation."""
    from ecoc.cli import comparison, models, output
    from ecoc.tables import read_samples
    from ecoc.utils.progress import Progress

    _check_report(report)
    estimator = models.make_learner(learner)
    everything = read_samples(data, target, drop or ())
    samples = comparison.sample_rows(everything, max_rows, seed)
    labels = models.classes_of(samples.y)
    wishes = models.parse_wishes(protect, labels)
    asked = source_of(context, "codings") == "COMMANDLINE"
    _check_decodings(split(decodings))
    candidates, left_out = comparison.make_candidates(
        len(labels), split(codings), split(columns), split(decodings), protects=bool(wishes.apart), asked=asked
    )
    if protect and not any(candidate.protects for candidate in candidates):
        raise ValueError(
            "--protect is a matter of ecf and three classes at least; add ecf to --codings, or leave it out."
        )
    if not candidates:
        raise ValueError("there is nothing to compare; give --codings, --columns and --decodings, or leave them out.")
    if not json:
        of = f" of {len(everything.y):,}" if len(samples.y) < len(everything.y) else ""
        typer.echo(
            f"{data.name}: {len(samples.y):,}{of} rows, {len(samples.names)} columns, {len(labels)} classes. "
            f"{len(candidates)} candidates, {folds} folds, learner {learner}."
        )
        sys.stdout.flush()
    with Progress("comparing") as bar:
        result = comparison.compare(
            samples,
            candidates,
            estimator,
            n_folds=folds,
            wishes=wishes,
            left_out=left_out,
            seed=seed,
            n_jobs=jobs,
            tell=bar.update,
        )
    chosen = result.recommended
    command = _fit_command(data, target, learner, chosen.candidate, protect, drop, seed)
    if report is not None:
        from ecoc.cli.pages import comparison_page

        train, test = result.folds[0]
        with _status("writing the report"):
            model = models.make_model(
                samples.rows(train), _classifier_of(chosen.candidate, estimator, labels, wishes, seed)
            )
            title = f"{data.name}: how few classifiers?"
            text = comparison_page(title, result, command, model, samples.X[test], samples.y[test])
            _write_report(report, text)
    confused = result.confused(chosen)
    protecting = None
    if confused and len(labels) > 2 and not protect:
        pair = "{}:{}".format(*confused[0])
        protecting = again(context, "--protect", pair, without=("report", "json"))
    if json:
        output.show_json(
            {
                "data": str(data),
                "rows": len(samples.y),
                "classes": labels,
                "candidates": [outcome.to_dict() for outcome in result.outcomes],
                "left_out": [
                    {"coding": c.coding, "columns": c.columns, "decoding": c.decoding, "reason": reason}
                    for c, reason in result.failures.items()
                ],
                "best": result.best.to_dict(),
                "recommended": chosen.to_dict(),
                "confused": [{"first": a, "second": b, "errors": n} for a, b, n in confused],
                "protection": output.protection(result) or None,
                "command": command,
                "command_to_protect": protecting,
                "report": None if report is None else str(report),
            }
        )
        return
    output.show_comparison(result)
    if protecting is not None:
        typer.echo(f"What would it cost to protect the first pair?\n  {protecting}")
    typer.echo(f"\nFit it to all rows with:\n  {command}")
    if report is not None:
        typer.echo(f"Report, to open in a browser:  {report}")


@one_line()
def fit(
    data: Data,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to save the model, e.g. model.skops.")],
    target: Target = None,
    coding: Annotated[
        str, typer.Option(help="Coding, or file of a code book (.csv, .npz).", autocompletion=complete_coding)
    ] = "ecf",
    columns: Annotated[
        str | None, typer.Option(help="Classifiers: auto (as few as do no harm), rank, 12, or 0.5 of the classes.")
    ] = None,
    allocation: Allocation = None,
    min_distance: MinDistance = None,
    decoding: Annotated[str, typer.Option(help="Decoding.", autocompletion=complete_decoding)] = "auto",
    learner: Learner = "svc",
    protect: Protect = None,
    drop: Drop = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = False,
) -> None:
    """Fit a model to a table and save it, with all that it does to the columns."""
    from ecoc import ECOCClassifier
    from ecoc.cli import models, output
    from ecoc.persistence import find_skops, untrusted_types
    from ecoc.tables import ENDINGS, check_output, read_samples

    check_output(out, sources=(data,))
    if out.name.lower().endswith(ENDINGS):
        raise ValueError(f"cannot write {out}: the model is no table; let its name end in .skops.")
    find_skops()  # an error now if it is not installed, not after the training
    _check_decodings([decoding])
    estimator = models.make_learner(learner)
    samples = read_samples(data, target, drop or ())
    labels = models.classes_of(samples.y)
    wishes = models.parse_wishes(protect, labels)
    columns = "auto" if columns is None and coding == "ecf" else columns
    code = models.make_coding(coding, labels, columns, allocation, min_distance, wishes)
    classifier = ECOCClassifier(estimator, coding=code, decoding=decoding, n_jobs=jobs, random_state=seed)
    with _status("training"):
        model = models.make_model(samples, classifier)
        models.save_model(model, out)
    book = classifier.code_book_
    unknown = untrusted_types(out)
    if json:
        facts = {
            "model": str(out),
            "bytes": out.stat().st_size,
            "rows": len(samples.y),
            "classes": labels,
            "classifiers": book.n_columns,
            "support_vectors": getattr(classifier, "n_support_", None),
            "min_distance": book.min_distance,
            "correction": book.correction,
            "types_to_trust": unknown,
        }
        output.show_json(facts)
        return
    typer.echo(
        f"{out}: {len(labels)} classes, {book.n_columns} classifiers ({coding}, {learner}), trained on "
        f"{len(samples.y):,} rows; {out.stat().st_size:,} bytes"
    )
    if protect and not classifier.decoding_.keeps_correction:
        typer.echo(
            "This decoding does not go by the codewords alone, and so may not protect as they do; --decoding linear "
            "does. ecoc compare --protect tells which is better."
        )
    words = [shlex.join(["ecoc", "predict", str(out), "NEW.csv", "-o", "predicted.csv"]), models.trust_options(unknown)]
    typer.echo(f"Predict with:\n  {' '.join(filter(None, words))}")


@one_line()
def predict(
    model: Model,
    data: Data,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Where to: .csv, .csv.gz, .tsv, .jsonl, .parquet, .npz; - is stdout.")
    ] = Path("-"),
    trust: Trust = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines; with -o, a summary.")] = False,
) -> None:
    """Predict the class of each row of a table, with probabilities."""
    import numpy as np

    from ecoc.cli import models, output
    from ecoc.tables import PREDICTION_ENDINGS, check_output, features_like, open_table, predictions_as, write_output

    to_stdout = str(out) == "-"
    if not to_stdout:
        check_output(out, PREDICTION_ENDINGS, (model, data))
    fitted = models.load_model(model, trust)
    X = features_like(open_table(data), data.name, *models.layout(fitted))
    classes = np.asarray(fitted.classes_)
    if hasattr(fitted, "predict_proba"):
        probabilities = models.quietly(fitted.predict_proba, X)
        labels = classes[probabilities.argmax(axis=1)]
    else:
        probabilities, labels = None, models.quietly(fitted.predict, X)
    ending = ".jsonl" if json else ".csv"
    if not to_stdout:
        ending = max((e for e in PREDICTION_ENDINGS if out.name.lower().endswith(e)), key=len)
    content = predictions_as(ending, labels, probabilities, classes)
    if to_stdout:
        sys.stdout.write(content.decode())
        sys.stdout.flush()
        return
    write_output(out, content)
    if json:
        names, counts = np.unique(labels, return_counts=True)
        output.show_json(
            {"predictions": str(out), "rows": len(labels), "predicted": dict(zip(names.tolist(), counts.tolist()))}
        )
    else:
        typer.echo(f"{out}: {len(labels):,} predictions")


@one_line()
def evaluate(
    model: Model,
    data: Data,
    target: Annotated[str | None, typer.Option(help="Column of the classes. Default: as in training.")] = None,
    trust: Trust = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Tell how good a model is on a table with known classes: accuracy, each class, and the pairs it confuses."""
    import numpy as np
    from sklearn.metrics import precision_recall_fscore_support

    from ecoc import confusion_report
    from ecoc.cli import models, output
    from ecoc.tables import USUAL_TARGETS, features_like, labels_like, open_table

    _check_report(report)
    fitted = models.load_model(model, trust)
    target = target or getattr(fitted, "target_name_", None)
    table = open_table(data, USUAL_TARGETS if target is None else (target,))
    classes = np.asarray(fitted.classes_)
    y = labels_like(table, data.name, target, classes)
    X = features_like(table, data.name, *models.layout(fitted))
    predicted = models.quietly(fitted.predict, X)
    scores = precision_recall_fscore_support(y, predicted, labels=classes, zero_division=0)
    by_class = list(zip(classes.tolist(), *(np.asarray(score).tolist() for score in scores)))
    accuracy = float(np.mean(y == predicted))
    confusion = None
    if hasattr(models.final(fitted), "code_book_"):
        confusion = models.quietly(lambda X: confusion_report(fitted, X, y), X)
    if report is not None:
        from ecoc.cli.pages import model_page

        _write_report(report, model_page(f"{model.name} on {data.name}", fitted, X, y, model.stat().st_size))
    if json:
        keys = ("class", "precision", "recall", "f1", "rows")
        pairs = [] if confusion is None else [pair._asdict() for pair in confusion.pairs(10)]
        output.show_json(
            {
                "rows": len(y),
                "accuracy": accuracy,
                "per_class": [dict(zip(keys, row)) for row in by_class],
                "worst_pairs": pairs,
                "report": None if report is None else str(report),
            }
        )
        return
    typer.echo(f"{data.name}: {len(y):,} rows, accuracy {accuracy:.1%}")
    rows = [(str(c), f"{n:,}", f"{p:.1%}", f"{r:.1%}", f"{f:.1%}") for c, p, r, f, n in by_class]
    output.show_table(("class", "rows", "precision", "recall", "F1"), rows)
    if confusion is not None:
        output.show_confusion(confusion)
    if report is not None:
        typer.echo(f"Report: {report}")


def _classifier_of(candidate: Any, estimator: Any, labels: list[Any], wishes: Any, seed: int) -> Any:
    from ecoc import ECOCClassifier
    from ecoc.cli.models import make_coding

    columns = None if candidate.columns is None else str(candidate.columns)
    coding = make_coding(candidate.coding, labels, columns, wishes=wishes if candidate.protects else None)
    return ECOCClassifier(estimator, coding=coding, decoding=candidate.decoding, random_state=seed)


def _fit_command(
    data: Path,
    target: str | None,
    learner: str,
    candidate: Any,
    protect: list[str] | None,
    drop: list[str] | None,
    seed: int,
) -> str:
    """The command that fits a candidate to all rows."""
    words = ["ecoc", "fit", str(data)]
    words += [] if target is None else ["--target", target]
    words += [*candidate.options(), "--learner", learner]
    words += [word for pair in (protect or []) if candidate.protects for word in ("--protect", pair)]
    words += [word for name in drop or [] for word in ("--drop", name)]
    words += [] if seed == 0 else ["--seed", str(seed)]
    return shlex.join([*words, "-o", "model.skops"])


def _check_decodings(names: list[str]) -> None:
    from ecoc.decoding import get_decoding

    for name in names:
        if name != "auto":
            get_decoding(name)


def _check_report(path: Path | None, *sources: Path) -> None:
    """Refuse a report that cannot be written, before the work begins."""
    from ecoc.tables import check_output

    if path is not None:
        check_output(path, (".html",), sources)


def _write_report(path: Path, text: str) -> None:
    from ecoc.tables import write_output

    write_output(path, text.encode("utf-8", "replace"))


def _status(text: str) -> Any:
    """A note that goes away, where somebody looks."""
    from rich.console import Console

    return Console(stderr=True).status(text)
