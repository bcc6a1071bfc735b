"""How good is a method on a fold? Correct test rows by every decoding, and what the method takes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.coding import Coding
from ecoc.decoding import decide, get_decoding
from ecoc.experiments.fold import Array
from ecoc.experiments.tuning import Tuning

Predicted = dict[str, NDArray[np.intp]]  # classes of the test rows, by decoding


def evaluate(tuning: Tuning, method: Any, seed: int) -> tuple[dict[str, Any], Predicted]:
    """Train a coding or classifier on a fold; return the numbers of its cell, and the predicted classes."""
    fold = tuning.fold
    predicted, result = (_coded if isinstance(method, Coding) else _classified)(tuning, method, seed)
    correct = {name: int((classes == fold.y_test).sum()) for name, classes in predicted.items()}
    sizes = {"n_train": len(fold.y), "n_test": fold.n_test, "n_classes": fold.n_classes}
    return {"correct": correct, **result, **sizes}, predicted


def _coded(tuning: Tuning, coding: Any, seed: int) -> tuple[Predicted, dict[str, Any]]:
    fold, protocol = tuning.fold, tuning.protocol
    if "effort" in coding.get_params() and coding.effort is None:
        coding.set_params(effort=protocol.effort)
    book = coding.build(fold.n_classes, fold.X, fold.y, seed)
    outputs = tuning.outputs(book.matrix)
    predicted = {}
    for name in protocol.decodings:
        decoding = get_decoding(name)
        seen = {"training": outputs.train, "out_of_fold": outputs.held_out, None: None}[decoding.fit_on]
        decoding.fit(book, None if seen is None else _as_needed(seen, decoding.needs), fold.y)
        predicted[name] = decide(decoding.scores(_as_needed(outputs.test, decoding.needs)))
    return predicted, {
        "n_columns": book.n_columns,
        "n_support": len(outputs.support),
        "min_distance": book.min_distance,
    }


def _as_needed(margins: Array, needs: str) -> Array:
    return np.where(margins > 0, 1.0, -1.0) if needs == "signs" else margins


def _classified(tuning: Tuning, model: Any, seed: int) -> tuple[Predicted, dict[str, Any]]:
    """Train a classifier with a decision rule of its own. It has one C and γ for all its binary classifiers."""
    fold, params = tuning.fold, model.get_params()
    C, gamma = tuning.best_pair
    wanted = {
        "random_state": seed,
        "estimator__C": C,
        "estimator__gamma": gamma,
        "estimator__max_iter": tuning.protocol.max_iter,
    }
    model.set_params(**{name: value for name, value in wanted.items() if name in params})
    predicted = np.asarray(model.fit(fold.X, fold.y).predict(fold.X_test))
    columns = getattr(model, "n_dichotomizers_", None) or len(getattr(model, "estimators_", [model]))
    return {"own": predicted}, {
        "n_columns": int(columns),
        "n_support": int(np.sum(model.n_support_)) if hasattr(model, "n_support_") else None,
        "min_distance": None,
    }
