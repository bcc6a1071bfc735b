"""Score a model on a table with known classes, and print the scores."""

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from ecoc.inspection.confusion import ConfusionReport
from ecoc.tool.cli.models import column_layout
from ecoc.tool.cli.printing import say, show_table
from ecoc.tool.tables import USUAL_TARGETS
from ecoc.tool.tables.preparation import features_like, labels_like
from ecoc.tool.tables.reading import drop_unlabelled, open_table

_PAIRS = 10  # of classes that are confused most


class Labelled(NamedTuple):
    """Rows of a table: those whose class a model knows, and the others."""

    X: Any
    y: Any
    unknown: dict[str, int]  # classes that the model does not know, with their rows
    unknown_X: Any


def labelled_samples(model: Any, data: Path, target: str | None, format: dict[str, Any]) -> Labelled:
    """Return the features that a model takes from a table, and the labels."""
    target = target or getattr(model, "target_name_", None)
    names, text, n_features = column_layout(model)
    as_text = [names[place] for place in sorted(text) if names is not None]
    table = open_table(data, USUAL_TARGETS if target is None else (target,), as_text=as_text, **format)
    if target in table:
        table, _ = drop_unlabelled(table, target, data.name)
    y, unknown = labels_like(table, data.name, target, np.asarray(model.classes_))
    X = features_like(table, data.name, names, text, n_features)
    known = np.array([label is not None for label in y])
    return Labelled(X[known], np.array([label for label in y if label is not None]), unknown, X[~known])


def scores(
    y: Any, predicted: Any, probabilities: Any, classes: Any, unknown: dict[str, int], taken_for: Any = ()
) -> dict[str, Any]:
    """Return accuracies, the scores of each class, and the confusion matrix.

    Rows of unknown classes, which a model took for the classes `taken_for`, are errors: their classes have a recall of
    0, and they lower the precision of others. The log-loss and the matrix leave them out.
    """
    place = {label: i for i, label in enumerate(classes.tolist())}
    true, guessed = (  # −1: an unknown class, or no answer
        [place.get(label, -1) for label in labels] for labels in (y.tolist(), [*predicted.tolist(), *taken_for])
    )
    true += [-1] * len(taken_for)
    per_score = precision_recall_fscore_support(true, guessed, labels=range(len(classes)), zero_division=0)
    per_class = [
        dict(zip(("class", "precision", "recall", "f1", "rows"), row))
        for row in zip(place, *(np.asarray(score).tolist() for score in per_score))
    ]
    per_class += [{"class": c, "precision": 0.0, "recall": 0.0, "f1": 0.0, "rows": n} for c, n in unknown.items()]
    present = [row for row in per_class if row["rows"]]
    rows = len(y) + sum(unknown.values())
    log_loss = None
    if probabilities is not None:
        of_true = probabilities[np.arange(len(y)), true[: len(y)]]
        log_loss = float(-np.log(np.maximum(of_true, 1e-15)).mean())
    return {
        "rows": rows,
        "accuracy": float(np.sum(y == predicted)) / rows,
        "unknown_classes": unknown,
        "unknown_taken_for": {str(label): n for label, n in Counter(taken_for).most_common()},
        "balanced_accuracy": float(np.mean([row["recall"] for row in present])),
        "macro_f1": float(np.mean([row["f1"] for row in present])),
        "log_loss": log_loss,
        "per_class": per_class,
        "confusion": {
            "classes": classes.tolist(),
            "matrix": confusion_matrix(y, predicted, labels=classes).tolist(),
        },
    }


def costs(report: Any) -> dict[str, Any]:
    """Return the costs of errors; nothing if all cost the same and every row got an answer."""
    if report is None:
        return {}
    worst = [dict(zip(("true", "predicted", "rows", "cost"), error)) for error in report.errors[:_PAIRS]]
    facts = {"cost": report.total, "cost_a_row": report.mean, "coverage": report.coverage}
    return {**facts, "accuracy_of_answers": report.accuracy, "most_expensive": worst}


def worst_pairs(report: ConfusionReport) -> list[dict[str, Any]]:
    """Return the pairs of classes that are confused most."""
    return [pair._asdict() for pair in report.pairs(_PAIRS)]


def show(data: Path, found: dict[str, Any], by_columns: ConfusionReport | None) -> None:
    """Print all scores."""
    loss = "" if found["log_loss"] is None else f", log-loss {found['log_loss']:.3f}"
    say(
        f"{data.name}: {found['rows']:,} rows, accuracy {found['accuracy']:.1%}, balanced accuracy "
        f"{found['balanced_accuracy']:.1%}, macro F1 {found['macro_f1']:.1%}{loss}"
    )
    if unknown := found["unknown_classes"]:
        say(unknown_in_words(unknown, found["rows"]))
        taken_for = [f"{label} ({n:,})" for label, n in list(found["unknown_taken_for"].items())[:_PAIRS]]
        say(f"The model took them for {', '.join(taken_for)}. The matrix below and costs are about the other rows.")
    if "cost" in found:
        _show_costs(found)
    rows = [
        (str(row["class"]), f"{row['rows']:,}", *(f"{row[name]:.1%}" for name in ("precision", "recall", "f1")))
        for row in found["per_class"]
    ]
    show_table(("class", "rows", "precision", "recall", "F1"), rows)
    _show_confusion(**found["confusion"], rows=[row["rows"] for row in found["per_class"]])
    if by_columns is not None:
        _show_pairs(by_columns)


def unknown_in_words(unknown: dict[str, int], rows: int) -> str:
    """Say how many rows have classes that the model does not know, and which."""
    named = ", ".join(f"{label} ({n:,})" for label, n in list(unknown.items())[:_PAIRS])
    more = f" and {len(unknown) - _PAIRS:,} more" if len(unknown) > _PAIRS else ""
    return (
        f"{sum(unknown.values()):,} of the {rows:,} rows have classes that the model was not trained on, and count as "
        f"errors: {named}{more}."
    )


def _show_costs(found: dict[str, Any]) -> None:
    say(f"The errors cost {found['cost']:,.6g}, which is {found['cost_a_row']:.4g} a row.")
    if found["coverage"] < 1:
        say(
            f"{found['coverage']:.1%} of the rows got an answer; {found['accuracy_of_answers']:.1%} of the answers are "
            'right. The accuracies here count "don\'t know" as wrong.'
        )
    errors = [f"{e['true']} as {e['predicted']} ({e['cost']:g})" for e in found["most_expensive"][:5]]
    say(f"Most expensive: {', '.join(errors) or 'nothing'}.")


def _show_confusion(classes: list[Any], matrix: list[list[int]], rows: list[int]) -> None:
    """Print the confusion matrix or, with many classes, the pairs confused most."""
    if len(classes) <= 20:  # a wider matrix is hard to read in a terminal
        say("True classes in rows, predicted classes in columns:")
        unanswered = [n - sum(row) for n, row in zip(rows, matrix)]
        names = [*map(str, classes), *(["don't know"] if any(unanswered) else [])]
        cells = [[*row, n][: len(names)] for row, n in zip(matrix, unanswered)]
        show_table(("", *names), [(name, *(f"{n:,}" if n else "·" for n in row)) for name, row in zip(names, cells)])
        return
    pairs = [(n, i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) if n and i != j]
    told = [f"{classes[i]} as {classes[j]} ({n:,})" for n, i, j in sorted(pairs, key=lambda p: -p[0])[:_PAIRS]]
    say(f"Taken for another class most often: {', '.join(told) or 'none'}. --json has the whole matrix.")


def _show_pairs(report: ConfusionReport) -> None:
    """Compare the code's promise with the errors, for the pairs confused most."""
    rejects = bool(report.rejected.any())
    rows = [
        (
            f"{p.first} | {p.second}",
            *(f"{n:,}" for n in (p.n_samples, p.distance, p.promised, p.errors, p.corrected, p.made)),
            *([f"{p.rejected:,}"] if rejects else []),
        )
        for p in report.pairs(_PAIRS)
        if p.made
    ]
    if rows:
        say("The pairs confused most, and how the code corrects them:")
        headers = ("rows", "columns between", "corrects", "rows with errors", "corrected", "confused")
        show_table(("classes", *headers, *(["don't know"] if rejects else [])), rows)
    text = f"On average, {report.bit_errors:.2f} of {len(report.column_error_rate)} classifiers are wrong"
    if report.n_faulty:
        text += f"; {report.share_corrected:.1%} of the {report.n_faulty:,} rows with a wrong one are still right"
    say(f"{text}.")
