"""``ecoc evaluate``: how good is a model on a table with known classes?"""

from typing import Annotated, Any

import typer

from ecoc.cli.errors import one_line
from ecoc.cli.options import Data, Json, Model, Report, Trust


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
    from ecoc.cli import models, printing, reports
    from ecoc.tables import USUAL_TARGETS, features_like, labels_like, open_table

    reports.check_report(report)
    fitted = models.load_model(model, trust)
    target = target or getattr(fitted, "target_name_", None)
    table = open_table(data, USUAL_TARGETS if target is None else (target,))
    classes = np.asarray(fitted.classes_)
    y = labels_like(table, data.name, target, classes)
    X = features_like(table, data.name, *models.column_layout(fitted))
    confusion = None
    with models.columns_in_order():
        predicted = fitted.predict(X)
        if hasattr(models.final_step(fitted), "code_book_"):
            confusion = confusion_report(fitted, X, y)
    scores = precision_recall_fscore_support(y, predicted, labels=classes, zero_division=0)
    by_class = list(zip(classes.tolist(), *(np.asarray(score).tolist() for score in scores)))
    accuracy = float(np.mean(y == predicted))
    if report is not None:
        title = f"{model.name} on {data.name}"
        reports.write_report(report, reports.model_page(title, fitted, X, y, model.stat().st_size))
    if json:
        keys = ("class", "precision", "recall", "f1", "rows")
        found = {
            "rows": len(y),
            "accuracy": accuracy,
            "per_class": [dict(zip(keys, row)) for row in by_class],
            "worst_pairs": [] if confusion is None else [pair._asdict() for pair in confusion.pairs(10)],
            "report": None if report is None else str(report),
        }
        printing.show_json(found)
        return
    typer.echo(f"{data.name}: {len(y):,} rows, accuracy {accuracy:.1%}")
    rows = [(str(c), f"{n:,}", f"{p:.1%}", f"{r:.1%}", f"{f:.1%}") for c, p, r, f, n in by_class]
    printing.show_table(("class", "rows", "precision", "recall", "F1"), rows)
    if confusion is not None:
        _show_confusion(confusion)
    if report is not None:
        typer.echo(f"Report: {report}")


def _show_confusion(report: Any) -> None:
    """Print what the code promised the pairs that were confused most, and what happened."""
    from ecoc.cli.printing import show_table

    rows = [
        (
            f"{p.first} | {p.second}",
            *(f"{n:,}" for n in (p.n_samples, p.distance, p.promised, p.errors, p.corrected, p.made)),
        )
        for p in report.pairs(10)
        if p.made
    ]
    if rows:
        typer.echo("The pairs of classes that were confused most, and what the code does for them:")
        headers = ("rows", "columns between", "corrects", "rows with errors", "corrected", "confused")
        show_table(("classes", *headers), rows)
    text = f"On average, {report.bit_errors:.2f} of {len(report.column_error_rate)} classifiers are wrong"
    if report.n_faulty:
        text += f"; {report.share_corrected:.1%} of the {report.n_faulty:,} rows with a wrong one are still right"
    typer.echo(f"{text}.")
