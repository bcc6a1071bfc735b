"""``ecoc evaluate``: score a model on a table with known classes."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.tool.cli.errors import one_line
from ecoc.tool.cli.options import Costs, Data, Decimal, Encoding, Json, Model, Report, Sep, Trust
from ecoc.tool.cli.saying import say

_MOST_CLASSES = 20  # whose confusions are shown as a table
_PAIRS = 10  # of classes that are confused most


@one_line()
def evaluate(
    model: Model,
    data: Data,
    target: Annotated[str | None, typer.Option(help="Column of the classes. Default: as in training.")] = None,
    costs: Costs = None,
    trust: Trust = None,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Tell how good a model is on a table with known classes: accuracies, each class, and which classes it confuses."""
    from ecoc import confusion_report, cost_report
    from ecoc.tool.cli import models, parsing, printing, reports
    from ecoc.tool.cli.reading import format_options

    reports.check_report(report)
    fitted = models.load_model(model, trust)
    format = format_options(sep, decimal, encoding)
    X, y = _samples(fitted, data, target, format)
    given = parsing.cost_options(costs, None, "", fitted.classes_.tolist(), format)
    by_columns = by_cost = None
    with models.columns_in_order():
        predicted = fitted.predict(X)
        probabilities = fitted.predict_proba(X) if hasattr(fitted, "predict_proba") else None
        if hasattr(models.final_step(fitted), "code_book_"):
            by_columns = confusion_report(fitted, X, y)
        if given or getattr(models.final_step(fitted), "cost_matrix_", None) is not None:
            by_cost = cost_report(fitted, X, y, **given)
    if report is not None:
        title = f"{model.name} on {data.name}"
        reports.write_report(report, reports.model_page(title, fitted, X, y, model.stat().st_size))
    found = {**_scores(y, predicted, probabilities, fitted.classes_), **_costs(by_cost)}
    if json:
        pairs = [] if by_columns is None else [pair._asdict() for pair in by_columns.pairs(_PAIRS)]
        printing.show_json({**found, "worst_pairs": pairs, "report": None if report is None else str(report)})
        return
    _show(data, found, by_columns)
    if report is not None:
        say(f"Report: {report}")


def _samples(model: Any, data: Path, target: str | None, format: dict[str, Any]) -> tuple[Any, Any]:
    """Return the features that a model takes from a table, and the labels."""
    import numpy as np

    from ecoc.tool.cli.models import column_layout
    from ecoc.tool.tables import USUAL_TARGETS, drop_unlabelled, features_like, labels_like, open_table

    target = target or getattr(model, "target_name_", None)
    names, text, n_features = column_layout(model)
    as_text = [names[place] for place in sorted(text) if names is not None]
    table = open_table(data, USUAL_TARGETS if target is None else (target,), as_text=as_text, **format)
    if target in table:
        table, _ = drop_unlabelled(table, target, data.name)
    y = labels_like(table, data.name, target, np.asarray(model.classes_))
    return features_like(table, data.name, names, text, n_features), y


def _scores(y: Any, predicted: Any, probabilities: Any, classes: Any) -> dict[str, Any]:
    """Return accuracies, the scores of each class, and the confusion matrix."""
    import numpy as np
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    scores = precision_recall_fscore_support(y, predicted, labels=classes, zero_division=0)
    per_class = [
        dict(zip(("class", "precision", "recall", "f1", "rows"), row))
        for row in zip(classes.tolist(), *(np.asarray(score).tolist() for score in scores))
    ]
    present = [row for row in per_class if row["rows"]]
    log_loss = None
    if probabilities is not None:
        places = {label: place for place, label in enumerate(classes.tolist())}
        true = probabilities[np.arange(len(y)), [places[label] for label in y.tolist()]]
        log_loss = float(-np.log(np.maximum(true, 1e-15)).mean())
    return {
        "rows": len(y),
        "accuracy": float(np.mean(y == predicted)),
        "balanced_accuracy": float(np.mean([row["recall"] for row in present])),
        "macro_f1": float(np.mean([row["f1"] for row in present])),
        "log_loss": log_loss,
        "per_class": per_class,
        "confusion": {
            "classes": classes.tolist(),
            "matrix": confusion_matrix(y, predicted, labels=classes).tolist(),
        },
    }


def _costs(report: Any) -> dict[str, Any]:
    """Return what errors cost; nothing if all cost the same and every row got an answer."""
    if report is None:
        return {}
    worst = [dict(zip(("true", "predicted", "rows", "cost"), error)) for error in report.errors[:_PAIRS]]
    facts = {"cost": report.total, "cost_a_row": report.mean, "coverage": report.coverage}
    return {**facts, "accuracy_of_answers": report.accuracy, "most_expensive": worst}


def _show(data: Path, found: dict[str, Any], by_columns: Any) -> None:
    from ecoc.tool.cli.printing import show_table

    loss = "" if found["log_loss"] is None else f", log-loss {found['log_loss']:.3f}"
    say(
        f"{data.name}: {found['rows']:,} rows, accuracy {found['accuracy']:.1%}, balanced accuracy "
        f"{found['balanced_accuracy']:.1%}, macro F1 {found['macro_f1']:.1%}{loss}"
    )
    if "cost" in found:
        _show_costs(found)
    rows = [
        (str(row["class"]), f"{row['rows']:,}", *(f"{row[name]:.1%}" for name in ("precision", "recall", "f1")))
        for row in found["per_class"]
    ]
    show_table(("class", "rows", "precision", "recall", "F1"), rows)
    _show_confusion(**found["confusion"])
    if by_columns is not None:
        _show_pairs(by_columns)


def _show_costs(found: dict[str, Any]) -> None:
    say(f"The errors cost {found['cost']:,.6g}, which is {found['cost_a_row']:.4g} a row.")
    if found["coverage"] < 1:
        say(
            f"{found['coverage']:.1%} of the rows got an answer; {found['accuracy_of_answers']:.1%} of the answers are "
            'right. The accuracies here count "don\'t know" as wrong.'
        )
    errors = [f"{e['true']} as {e['predicted']} ({e['cost']:g})" for e in found["most_expensive"][:5]]
    say(f"Most expensive: {', '.join(errors) or 'nothing'}.")


def _show_confusion(classes: list[Any], matrix: list[list[int]]) -> None:
    """Print the confusion matrix; of many classes, the pairs that are confused most."""
    from ecoc.tool.cli.printing import show_table

    if len(classes) <= _MOST_CLASSES:
        say("True classes in rows, predicted classes in columns:")
        rows = [(str(label), *(f"{n:,}" if n else "·" for n in row)) for label, row in zip(classes, matrix)]
        show_table(("", *map(str, classes)), rows)
        return
    pairs = [(n, i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) if n and i != j]
    told = [f"{classes[i]} as {classes[j]} ({n:,})" for n, i, j in sorted(pairs, key=lambda p: -p[0])[:_PAIRS]]
    say(f"Taken for another class most often: {', '.join(told) or 'none'}. --json has the whole matrix.")


def _show_pairs(report: Any) -> None:
    """Print what the code promised the pairs that were confused most, and what happened."""
    from ecoc.tool.cli.printing import show_table

    rows = [
        (
            f"{p.first} | {p.second}",
            *(f"{n:,}" for n in (p.n_samples, p.distance, p.promised, p.errors, p.corrected, p.made)),
        )
        for p in report.pairs(_PAIRS)
        if p.made
    ]
    if rows:
        say("The pairs of classes that were confused most, and what the code does for them:")
        headers = ("rows", "columns between", "corrects", "rows with errors", "corrected", "confused")
        show_table(("classes", *headers), rows)
    text = f"On average, {report.bit_errors:.2f} of {len(report.column_error_rate)} classifiers are wrong"
    if report.n_faulty:
        text += f"; {report.share_corrected:.1%} of the {report.n_faulty:,} rows with a wrong one are still right"
    say(f"{text}.")
