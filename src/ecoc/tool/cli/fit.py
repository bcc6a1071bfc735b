"""``ecoc fit``: train a model on a table and save it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.tool.cli.errors import one_line
from ecoc.tool.cli.options import (
    CODING_NAMES,
    MODEL_NAMES,
    Allocation,
    Costs,
    Data,
    Decimal,
    Drop,
    DropLikeId,
    Encoding,
    Jobs,
    Json,
    Learner,
    MinDistance,
    Protect,
    Seed,
    Sep,
    Target,
    complete_coding,
    complete_decoding,
    complete_model,
)
from ecoc.tool.cli.saying import say

_CODE = "code"  # the --model that has a code
_MODEL = f"code (with the options below), or plain scikit-learn: {MODEL_NAMES}."
_CODING = f"Coding: auto (by learner and classes), {CODING_NAMES}; or file of a code book (.csv, .npz)."
_COLUMNS = "Classifiers: auto (as few as do no harm), rank, 12, or 0.5 of the classes."
_REJECT = 'Cost of the answer "don\'t know". Default: the model always names a class.'
_ANSWER = 'The answer "don\'t know"; a number if the classes are numbers.'
_OF_A_CODE = ("coding", "columns", "allocation", "min_distance", "decoding", "protect")  # options


@one_line()
def fit(
    context: typer.Context,
    data: Data,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to save the model, e.g. model.skops.")],
    target: Target = None,
    model: Annotated[str, typer.Option(help=_MODEL, autocompletion=complete_model)] = _CODE,
    coding: Annotated[str, typer.Option(help=_CODING, autocompletion=complete_coding)] = "auto",
    columns: Annotated[str | None, typer.Option(help=_COLUMNS)] = None,
    allocation: Allocation = None,
    min_distance: MinDistance = None,
    decoding: Annotated[str, typer.Option(help="Decoding.", autocompletion=complete_decoding)] = "auto",
    learner: Learner = "svc",
    protect: Protect = None,
    costs: Costs = None,
    reject_cost: Annotated[float | None, typer.Option(min=0, help=_REJECT)] = None,
    reject_label: Annotated[str, typer.Option(help=_ANSWER)] = "unknown",
    drop: Drop = None,
    drop_like_id: DropLikeId = False,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = False,
) -> None:
    """Fit a model to a table and save it, with all that it does to the columns."""
    from ecoc import ECOCClassifier, LeastCostClassifier
    from ecoc.tool.cli import models, parsing, printing
    from ecoc.tool.cli.reading import format_options, read_rows
    from ecoc.tool.comparison import make_baseline, make_learner
    from ecoc.utils.persistence import find_skops

    _check_out(out, data)
    find_skops()  # an error now, not after the training
    parsing.check_decodings([decoding])
    estimator = make_learner(learner)
    format = format_options(sep, decimal, encoding)
    samples, _ = read_rows(data, target, drop, drop_like_id, format)
    labels = parsing.classes_of(samples.y)
    by_cost = parsing.cost_options(costs, reject_cost, reject_label, labels, format)
    if model == _CODE:
        coding, code = _code(coding, labels, columns, allocation, min_distance, protect)
        classifier = ECOCClassifier(estimator, coding=code, decoding=decoding, n_jobs=jobs, random_state=seed)
        classifier.set_params(**by_cost)
    else:
        _check_plain(context, model)
        classifier = make_baseline(model, estimator, seed, jobs)
        classifier = LeastCostClassifier(classifier, **by_cost) if by_cost else classifier
    with printing.status("training"):
        models.save_model(models.fit_pipeline(samples, classifier), out)
    if json:
        printing.show_json(_facts(out, classifier, len(samples.y), labels))
    else:
        what = f"{coding}, {learner}" if model == _CODE else f"model {model}"
        _show(out, classifier, what, len(samples.y), bool(protect))


def _code(coding: str, labels: list[Any], columns: Any, allocation: Any, min_distance: Any, protect: Any) -> Any:
    """Return the name of the coding, and the coding; "auto" with options of ECF is ECF."""
    from ecoc.tool.cli import parsing

    if coding == "auto" and (columns or allocation or min_distance or protect):
        coding = "ecf"
    protection = parsing.parse_protection(protect, labels)
    columns = "auto" if columns is None and coding == "ecf" else columns
    return coding, parsing.make_coding(coding, labels, columns, allocation, min_distance, protection)


def _check_plain(context: typer.Context, model: str) -> None:
    """Refuse options of a code beside a model that has none."""
    from ecoc.tool.cli.commands import typed

    if words := typed(context, only=_OF_A_CODE):
        raise ValueError(f"--model {model} has no code; leave out {words[0]}, or leave out --model.")


def _check_out(out: Path, data: Path) -> None:
    """Refuse a file that cannot be written, or that has the name of a table."""
    from ecoc.tool.tables import ENDINGS, check_output

    check_output(out, sources=(data,))
    if out.name.lower().endswith(ENDINGS):
        raise ValueError(f"cannot write {out}: a model is not a table; let its name end in .skops.")


def _show(out: Path, classifier: Any, what: str, n_rows: int, protects: bool) -> None:
    """Print what was fitted, and the command that predicts with it."""
    if hasattr(classifier, "n_columns_"):
        what = f"{classifier.n_columns_} classifiers ({what})"
    say(f"{out}: {len(classifier.classes_)} classes, {what}, trained on {n_rows:,} rows; {out.stat().st_size:,} bytes")
    bought = getattr(classifier, "protection_", None)
    if bought is not None:
        say(f"What --protect brought, measured on held-out rows:\n{bought}")
    elif protects and not classifier.decoding_.keeps_correction:
        say(
            "The decoding was learned from the data, so the distance between codewords may not protect these classes. "
            "ecoc compare --protect measures whether it does."
        )
    say(f"Predict with:\n  {_predict_command(out)}")


def _facts(out: Path, classifier: Any, n_rows: int, labels: list[Any]) -> dict[str, Any]:
    from ecoc.utils.persistence import untrusted_types

    book = getattr(classifier, "code_book_", None)
    support = getattr(classifier, "n_support_", None)
    return {
        "model": str(out),
        "bytes": out.stat().st_size,
        "rows": n_rows,
        "classes": labels,
        "classifiers": None if book is None else book.n_columns,
        "support_vectors": support if book is not None else None,
        "min_distance": None if book is None else book.min_distance,
        "correction": None if book is None else book.correction,
        "types_to_trust": untrusted_types(out),
    }


def _predict_command(out: Path) -> str:
    from ecoc.tool.cli.commands import command_line
    from ecoc.tool.cli.models import trust_options
    from ecoc.utils.persistence import untrusted_types

    command = command_line(["ecoc", "predict", str(out), "NEW.csv", "-o", "predicted.csv"])
    return " ".join(filter(None, (command, trust_options(untrusted_types(out)))))
