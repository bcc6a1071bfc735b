"""Evaluate a method on a fold: correct test rows for every tuning and decoding, and its complexity."""

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc import CodeBook, CodeBookError
from ecoc.codes.coding import Coding
from ecoc.decoding import decide, get_decoding
from ecoc_paper.experiments.fold import Array, Indices
from ecoc_paper.experiments.hierarchies import grow, walk
from ecoc_paper.experiments.tuning import Outputs, Tuner
from ecoc_paper.hierarchy import RelaxedHierarchyClassifier

OWN = "own"  # the decoding of a method that needs none
Predicted = dict[str, dict[str, Indices]]  # classes of the test rows, by tuning and decoding


def evaluate(tuner: Tuner, method: Any, seed: int) -> tuple[dict[str, Any], Predicted]:
    """Train a coding or classifier on a fold; return the numbers of its cell, and the predicted classes."""
    if isinstance(method, Coding):
        predicted, result = _coded(tuner, method, seed)
    elif isinstance(method, RelaxedHierarchyClassifier):
        predicted, result = _hierarchical(tuner, method, seed)
    else:
        predicted, result = _classified(tuner, method, seed)
    fold = tuner.fold
    result |= {"n_train": len(fold.y), "n_test": fold.n_test, "n_classes": fold.n_classes}
    if predicted:
        result["correct"] = _each(predicted, lambda classes: int((classes == fold.y_test).sum()))
        result["predictions"] = _each(predicted, lambda classes: _digest(classes[: fold.n_test]))
    return result, predicted


def _coded(tuner: Tuner, coding: Any, seed: int) -> tuple[Predicted, dict[str, Any]]:
    fold, protocol = tuner.fold, tuner.protocol
    if "effort" in coding.get_params() and coding.effort is None:
        coding.set_params(effort=protocol.effort)
    try:
        book = coding.build(fold.n_classes, fold.X, fold.y, seed)
    except CodeBookError:
        if hasattr(coding, "details_"):  # it says itself that there is no valid code, and how hard it tried
            return {}, {"details": coding.details_}
        raise
    code = book.matrix.astype(np.float64)
    n_used = np.abs(code).sum(axis=1)

    def by_products(margins: Array) -> Indices:
        return np.asarray((margins @ code.T / n_used).argmax(axis=1))

    def decoded(outputs: Outputs) -> dict[str, Indices]:
        return {name: _decode(name, book, outputs, fold.y) for name in protocol.decodings}

    predicted, taken = _tuned(tuner, book, by_products, decoded)
    return predicted, {**taken, **_shape(book, fold.distances), "details": getattr(coding, "details_", {})}


def _hierarchical(tuner: Tuner, model: Any, seed: int) -> tuple[Predicted, dict[str, Any]]:
    tree = grow(tuner, model, seed)
    book = tree.codebook()
    predicted, taken = _tuned(
        tuner, book, lambda margins: walk(tree, margins), lambda outputs: {OWN: walk(tree, outputs.test)}
    )
    ignored = float(np.mean([len(node.ignored) / len(node.classes) for node in tree.inner]))
    return predicted, {**taken, "n_columns": book.n_columns, "details": {"ignored": round(ignored, 4)}}


def _tuned(
    tuner: Tuner,
    book: CodeBook,
    by_code: Callable[[Array], Indices],
    decoded: Callable[[Outputs], dict[str, Indices]],
) -> tuple[Predicted, dict[str, Any]]:
    """Train the columns of a code in every way of tuning, and decode their outputs."""
    predicted: Predicted = {}
    n_support: dict[str, int] = {}
    pairs: dict[str, dict[str, int]] = {}
    n_stopped: dict[str, int] = {}
    for tuning in tuner.protocol.tunings:
        outputs = tuner.outputs(book.matrix, tuning, by_code)
        predicted[tuning] = decoded(outputs)
        n_support[tuning] = len(outputs.support)
        n_stopped[tuning] = outputs.n_stopped
        pairs[tuning] = {f"{C:g} {gamma:g}": count for (C, gamma), count in Counter(outputs.pairs).items()}
    return predicted, {"n_support": n_support, "pairs": pairs, "n_stopped": n_stopped}


def _decode(name: str, book: CodeBook, outputs: Outputs, y: Indices) -> Indices:
    decoding = get_decoding(name)
    seen = {"training": outputs.train, "out_of_fold": outputs.held_out, None: None}[decoding.fit_on]
    decoding.fit(book, None if seen is None else _as_needed(seen, decoding.needs), y)
    return np.asarray(decide(decoding.scores(_as_needed(outputs.test, decoding.needs))))


def _as_needed(margins: Array, needs: str) -> Array:
    return np.where(margins > 0, 1.0, -1.0) if needs == "signs" else margins


def _shape(book: CodeBook, class_distances: Array) -> dict[str, Any]:
    """Describe a code: its size, its distances, and how they follow the distances of the classes."""
    pairs = np.triu_indices(book.n_classes, 1)
    apart = book.distances()[pairs].astype(np.float64)
    correlation = None
    if apart.std() > 0 and class_distances[pairs].std() > 0:
        correlation = round(float(np.corrcoef(apart, class_distances[pairs])[0, 1]), 6)
    return {
        "n_columns": book.n_columns,
        "min_distance": book.min_distance,
        "mean_distance": round(float(apart.mean()), 6),
        "spread": round(float(apart.std() / book.n_columns), 6),
        "correlation": correlation,
    }


def _classified(tuner: Tuner, model: Any, seed: int) -> tuple[Predicted, dict[str, Any]]:
    """Train any other classifier on the features. If it searches for parameters, it does so on the two inner folds."""
    fold, params = tuner.fold, model.get_params()
    rows = [np.arange(len(fold.y))[half] for half in fold.halves]
    wanted = {"random_state": seed, "estimator__random_state": seed, "cv": [(rows[0], rows[1]), (rows[1], rows[0])]}
    model.set_params(**{name: value for name, value in wanted.items() if name in params})
    classes = np.asarray(model.fit(fold.X, fold.y).predict(fold.X_test))
    predicted: Predicted = {tuning: {OWN: classes} for tuning in tuner.protocol.tunings}
    return predicted, {"n_columns": None, "n_support": dict.fromkeys(tuner.protocol.tunings)}


def _each(predicted: Predicted, measure: Callable[[Indices], Any]) -> dict[str, dict[str, Any]]:
    return {tuning: {name: measure(c) for name, c in each.items()} for tuning, each in predicted.items()}


def _digest(classes: NDArray[Any]) -> str:
    return hashlib.sha256(classes.astype("<i4").tobytes()).hexdigest()[:12]
