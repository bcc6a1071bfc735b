"""Fit, save, load, describe and apply models of tables."""

import csv
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

import ecoc
from ecoc.inspection.fitted import find_codebook
from ecoc.tool.cli.options import command_line
from ecoc.tool.cli.printing import say
from ecoc.tool.tables import ENDINGS
from ecoc.tool.tables.preparation import make_preparation, named
from ecoc.tool.tables.reading import Samples
from ecoc.tool.tables.writing import check_output
from ecoc.utils.estimators import last_step
from ecoc.utils.messages import some, unknown_name
from ecoc.utils.persistence.archive import find_skops
from ecoc.utils.persistence.loading import untrusted_types


def make_pipeline(samples: Samples, classifier: Any) -> Any:
    """Make a pipeline that prepares the table's columns for a classifier."""
    return Pipeline([("columns", make_preparation(samples.is_text)), ("classifier", classifier)])


def fit_pipeline(samples: Samples, classifier: Any) -> Any:
    """Fit a pipeline that takes the table's columns by name, and knows the name of its target."""
    model = make_pipeline(samples, classifier)
    model.fit(samples.X, samples.y)
    named(model.steps[0][1], samples.names)
    model.target_name_ = samples.target
    return model


def fit_out_of_core(data: Path, target: str | None, classifier: Any) -> Any:
    """Fit a classifier to a Parquet or CSV file that is read batch by batch; it knows the name of its target."""
    model = classifier.fit(_batches(data, target))
    model.target_name_ = target
    return model


def predict_out_of_core(model: Any, data: Path, out: Path) -> int:
    """Write the predicted labels of a file that is read batch by batch, as CSV; return their number."""
    if out.suffix != ".csv":
        raise ValueError(f"--out-of-core writes labels to a .csv file; give one with --out, not {out}.")
    n_rows = 0
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["prediction"])
        for X, _ in _batches(data, getattr(model, "target_name_", None)):
            labels = model.predict(X).tolist()
            writer.writerows([label] for label in labels)
            n_rows += len(labels)
    return n_rows


def _batches(data: Path, target: str | None) -> ecoc.Batches:
    """Return the batches of a file whose columns have names."""
    if target is None or data.suffix not in (".parquet", ".csv"):
        raise ValueError(
            "--out-of-core reads .parquet and .csv files, and needs --target; in Python, see ecoc.Batches."
        )
    return ecoc.Batches(data, target)


def load_model(path: Path, trust: Sequence[str] | None = None) -> Any:
    """Read a model; an error names unknown types and the option that trusts them."""
    try:
        model = ecoc.load(path, trusted=list(trust or ()))
    except ecoc.PersistenceError as error:
        if not error.untrusted:
            raise
        raise ValueError(
            f"cannot load a model from {path}: it holds types that are not known, {some(error.untrusted, show=str)}; "
            f"if you trust them, and whoever made the file, add {trust_options(untrusted_types(path))}"
        ) from None
    if not hasattr(last_step(model), "classes_"):
        raise ValueError(
            f"{path} holds {type(model).__name__}, but no classifier that was fitted; fit it, then save it."
        )
    return model


def trust_options(types: Iterable[str]) -> str:
    """Return the options of ``ecoc predict`` that open a file with these types."""
    return " ".join(f"--trust {name}" for name in types)


def save_model(model: Any, path: Path) -> None:
    """Write a model; a disk error names the file that could not be written."""
    try:
        ecoc.save(model, path)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}.") from error


def column_layout(model: Any) -> tuple[list[str] | None, set[int], int]:
    """Return the names of a model's columns, if it knows them; the places of text columns; and their number."""
    names = getattr(model, "feature_names_in_", None)
    steps = getattr(model, "steps", [("", model)])
    text = {i for name, _, columns in getattr(steps[0][1], "transformers_", ()) if name == "text" for i in columns}
    return None if names is None else list(names), text, int(model.n_features_in_)


@contextmanager
def columns_in_order() -> Iterator[None]:
    """Silence the warning about missing names, for arrays whose columns are in the model's order already."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names", category=UserWarning)
        yield


def columns_to_keep(table: dict[str, Any], names: list[str], where: str) -> dict[str, Any]:
    """Return columns of a table by name; the error for an unknown name suggests the nearest."""
    for name in names:
        if name not in table:
            raise ValueError(f"{where} has no such column to keep. {unknown_name('column', name, table)}")
    return {name: table[name] for name in names}


def predicted(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the labels, and the probabilities if the model has any."""
    with columns_in_order():
        if not hasattr(model, "predict_proba"):
            return model.predict(X), None
        probabilities = model.predict_proba(X)
        if getattr(last_step(model), "cost_matrix_", None) is not None:
            return model.predict(X), probabilities
    return np.asarray(model.classes_)[probabilities.argmax(axis=1)], probabilities


def plausible_sets(model: Any, X: Any, confidence: float) -> Any:
    """Return the members of each row's set of classes."""
    classifier = last_step(model)
    if not hasattr(classifier, "predict_sets"):
        raise ValueError(
            f"--sets needs a model that ecoc fit made, and this one is {type(classifier).__name__}; in Python, "
            'ecoc.ECOCClassifier(estimator, coding="plain") gives sets to any classifier.'
        )
    with columns_in_order():
        prepared = model[:-1].transform(X) if classifier is not model else X
        return classifier.predict_sets(prepared, confidence)


def check_model_file(out: Path, data: Path) -> None:
    """Raise an error if skops is missing, the file cannot be written, or its name is that of a table."""
    check_output(out, sources=(data,))
    if out.name.lower().endswith(ENDINGS):
        raise ValueError(f"cannot write {out}: a model is not a table; let its name end in .skops.")
    find_skops()


def show_fitted(out: Path, classifier: Any, what: str, n_rows: int, protects: bool) -> None:
    """Print what was fitted, and the command that predicts with it."""
    if find_codebook(classifier) is not None:
        what = f"{classifier.n_columns_} classifiers ({what})"
    say(f"{out}: {len(classifier.classes_)} classes, {what}, trained on {n_rows:,} rows; {out.stat().st_size:,} bytes")
    if not (isinstance(classifier.coding, str) and classifier.coding == "plain"):
        say(str(classifier.plan_))
    bought = getattr(classifier, "protection_", None)
    if bought is not None:
        say(f"Effect of --protect, measured on held-out rows:\n{bought}")
    elif protects and not classifier.decoding_.keeps_correction:
        say(
            "The decoding was learned from the data, so the distance between codewords may not protect these classes. "
            "ecoc compare --protect measures whether it does."
        )
    say(f"Predict with:\n  {_predict_command(out)}")


def fitted_facts(out: Path, classifier: Any, n_rows: int, labels: list[Any]) -> dict[str, Any]:
    """Return the facts of a new model, for JSON."""
    book = find_codebook(classifier)
    support = getattr(classifier, "n_support_", None)
    return {
        "model": str(out),
        "bytes": out.stat().st_size,
        "rows": n_rows,
        "classes": labels,
        "reasons": getattr(getattr(classifier, "plan_", None), "reasons", None),
        "classifiers": None if book is None else book.n_columns,
        "support_vectors": support if book is not None else None,
        "min_distance": None if book is None else book.min_distance,
        "correction": None if book is None else book.correction,
        "types_to_trust": untrusted_types(out),
    }


def _predict_command(out: Path) -> str:
    command = command_line(["ecoc", "predict", str(out), "NEW.csv", "-o", "predicted.csv"])
    return " ".join(filter(None, (command, trust_options(untrusted_types(out)))))


def saved_facts(model: Any, file: Path) -> tuple[dict[str, Any], Any]:
    """Return the facts of a model, and its code book if it has one."""
    classifier = last_step(model)
    support = getattr(classifier, "n_support_", None)  # an SVC by itself has a number for each class
    names, _, n_features = column_layout(model)
    facts = {
        "model": type(classifier).__name__,
        "classes": getattr(model, "classes_", None),
        "added": _text(getattr(classifier, "added_classes_", None) or None),
        "target": getattr(model, "target_name_", None),
        "features": n_features,
        "columns": names,
        "learner": _text(getattr(classifier, "estimator", None)),
        "coding": _text(getattr(classifier, "coding_", None)),
        "decoding": _text(getattr(classifier, "decoding_", None)),
        "support_vectors": None if support is None else int(np.sum(support)),
        "bytes": file.stat().st_size,
    }
    return facts, find_codebook(model)


def show_facts(facts: dict[str, Any]) -> None:
    """Print the facts of a model, one per line."""
    for name, value in facts.items():
        if name != "classes" and value is not None:
            text = " ".join(str(value).split()) if not isinstance(value, list) else ", ".join(map(str, value))
            say(f"{name + ':':<17}{text if len(text) <= 100 else text[:99] + '…'}")


def _text(part: Any) -> str | None:
    return None if part is None else str(part)
