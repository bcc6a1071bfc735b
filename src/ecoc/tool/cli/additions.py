"""Add classes to a saved model from a table: the command ``ecoc add``."""

from pathlib import Path
from typing import Any

import numpy as np

from ecoc.tool.cli.models import column_layout, columns_in_order
from ecoc.tool.cli.printing import say
from ecoc.tool.tables.cells import USUAL_TARGETS, find_target, labels_in
from ecoc.tool.tables.preparation import features_like
from ecoc.tool.tables.reading import drop_unlabelled, open_table
from ecoc.utils.estimators import last_step


def labelled_rows(model: Any, data: Path, target: str | None, format: dict[str, Any]) -> tuple[Any, Any]:
    """Return the features that a model takes from a table, and the labels, with the type of the model's classes."""
    target = target or getattr(model, "target_name_", None)
    names, text, n_features = column_layout(model)
    as_text = [names[place] for place in sorted(text) if names is not None]
    table = open_table(data, USUAL_TARGETS if target is None else (target,), as_text=as_text, **format)
    target = find_target(table, target, data.name)
    table, _ = drop_unlabelled(table, target, data.name)
    X, classes = features_like(table, data.name, names, text, n_features), np.asarray(model.classes_)
    known = {str(label): label for label in classes.tolist()}
    labels = labels_in(table[target], target, data.name).tolist()
    found = [known.get(str(label), _like(classes, label)) for label in labels]
    return X, np.array(found)


def _like(classes: Any, label: Any) -> Any:
    """Return a label of a table as the model has its labels: as text, or as a number if it is one."""
    if classes.dtype.kind in "US":
        return str(label)
    try:
        number = float(label) if classes.dtype.kind in "iuf" else label
    except ValueError:
        return label
    return int(number) if classes.dtype.kind in "iu" and number.is_integer() else number


def add_rows(model: Any, X: Any, y: Any, priors: str) -> dict[str, int]:
    """Add the classes of rows to a model; return the number of rows of each new class."""
    classifier = last_step(model)
    if not hasattr(classifier, "add_classes"):
        raise ValueError(
            f"classes can be added to a model that ecoc fit made with a code, and this one is "
            f"{type(classifier).__name__}."
        )
    before = set(np.asarray(classifier.classes_).tolist())
    with columns_in_order():
        classifier.add_classes(model[:-1].transform(X) if classifier is not model else X, y, priors=priors)
    labels, counts = np.unique(y, return_counts=True)
    return {str(label): int(n) for label, n in zip(labels.tolist(), counts) if label not in before}


def show_added(out: Path, model: Any, new: dict[str, int], n_rows: int) -> None:
    """Print what was added, and how well new classes are told apart."""
    named = ", ".join(f"{label} ({n})" for label, n in list(new.items())[:10]) or "none"
    refined = n_rows - sum(new.values())
    say(f"{out}: {len(model.classes_)} classes. New, with their rows: {named}{', …' * (len(new) > 10)}.")
    if refined:
        say(f"{refined:,} rows of known classes refined these.")
    say(str(last_step(model).novelty_report()))
