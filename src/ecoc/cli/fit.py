"""``ecoc fit``: train a model on a table and save it."""

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
    Protect,
    Seed,
    Target,
    complete_coding,
    complete_decoding,
)


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
    from ecoc.cli import models, parsing, printing
    from ecoc.comparison import make_learner
    from ecoc.persistence import find_skops
    from ecoc.tables import read_samples

    _check_out(out, data)
    find_skops()  # an error now if it is not installed, not after the training
    parsing.check_decodings([decoding])
    estimator = make_learner(learner)
    samples = read_samples(data, target, drop or ())
    labels = parsing.classes_of(samples.y)
    protection = parsing.parse_protection(protect, labels)
    columns = "auto" if columns is None and coding == "ecf" else columns
    code = parsing.make_coding(coding, labels, columns, allocation, min_distance, protection)
    classifier = ECOCClassifier(estimator, coding=code, decoding=decoding, n_jobs=jobs, random_state=seed)
    with printing.status("training"):
        models.save_model(models.fit_pipeline(samples, classifier), out)
    if json:
        printing.show_json(_facts(out, classifier, len(samples.y), labels))
        return
    typer.echo(
        f"{out}: {len(labels)} classes, {classifier.n_columns_} classifiers ({coding}, {learner}), trained on "
        f"{len(samples.y):,} rows; {out.stat().st_size:,} bytes"
    )
    if protect and not classifier.decoding_.keeps_correction:
        typer.echo(
            "The decoding was learned from the data, so the distance between codewords may not protect these classes. "
            "ecoc compare --protect measures whether it does."
        )
    typer.echo(f"Predict with:\n  {_predict_command(out)}")


def _check_out(out: Path, data: Path) -> None:
    """Refuse a file that cannot be written, or that has the name of a table."""
    from ecoc.tables import PREDICTION_ENDINGS, check_output

    check_output(out, sources=(data,))
    if out.name.lower().endswith((*PREDICTION_ENDINGS, ".arff")):
        raise ValueError(f"cannot write {out}: a model is not a table; let its name end in .skops.")


def _facts(out: Path, classifier: Any, n_rows: int, labels: list[Any]) -> dict[str, Any]:
    from ecoc.persistence import untrusted_types

    book = classifier.code_book_
    return {
        "model": str(out),
        "bytes": out.stat().st_size,
        "rows": n_rows,
        "classes": labels,
        "classifiers": book.n_columns,
        "support_vectors": getattr(classifier, "n_support_", None),
        "min_distance": book.min_distance,
        "correction": book.correction,
        "types_to_trust": untrusted_types(out),
    }


def _predict_command(out: Path) -> str:
    from ecoc.cli.commands import command_line
    from ecoc.cli.models import trust_options
    from ecoc.persistence import untrusted_types

    command = command_line(["ecoc", "predict", str(out), "NEW.csv", "-o", "predicted.csv"])
    return " ".join(filter(None, (command, trust_options(untrusted_types(out)))))
