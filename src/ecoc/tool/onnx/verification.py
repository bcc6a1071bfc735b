"""Compare what a graph gives with what the model gives."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from ecoc.tool.onnx.answers import label_tensor
from ecoc.tool.onnx.graph import Graph
from ecoc.tool.onnx.preparation import MISSING, input_columns, is_text_column

_MOST_ROWS = 10_000  # that are run at once


class Mismatch(Exception):
    """An output of the graph differs from that of the model."""

    def __init__(self, output: str, message: str) -> None:
        super().__init__(message)
        self.output = output


@dataclass(frozen=True)
class Expected:
    """What the model gives for a sample: arrays by the names of outputs, and how much it prefers each label.

    `steady` says for which samples the model itself gives the same after a rounding error; no others are compared.
    """

    arrays: dict[str, NDArray[Any]]
    labels: NDArray[Any]
    preference: NDArray[np.float64]
    steady: NDArray[np.bool_]

    def __str__(self) -> str:
        n, left = int(self.steady.sum()), int((~self.steady).sum())
        return f"{n} rows" + (f" ({left} more whose probabilities did not converge in the model)" if left else "")

    @classmethod
    def of(cls, source: Any, X: Any, wanted: Any) -> "Expected":
        """Ask the model."""
        fitted = source.classifier.fitted_
        samples = source.prepare(X)
        outputs = fitted.outputs_to_decode(samples)
        scores = fitted.decision.scores(outputs)
        arrays = {"columns": outputs, "scores": scores}
        preference = scores
        if source.has_probabilities():
            arrays["probabilities"] = fitted.decision.probabilities(outputs)
        best = arrays.get("probabilities", scores)
        if wanted.costs is not None:
            preference = -(arrays["probabilities"] @ wanted.costs.matrix)
            if wanted.costs.reject_cost is not None:
                preference = np.column_stack([preference, np.full(len(scores), -wanted.costs.reject_cost)])
        if "top" in wanted.outputs:
            arrays["top_values"] = -np.sort(-best, axis=1)[:, : wanted.n_best]
        if "sets" in wanted.outputs:
            arrays["sets"] = 1.0 - arrays["probabilities"] - wanted.thresholds
        labels = label_tensor(source.classifier.classes_, wanted.costs)
        return cls(arrays, labels, preference, steady_rows(fitted.decision.decoding, outputs, scores, wanted.dtype))


def steady_rows(decoding: Any, outputs: NDArray[Any], scores: NDArray[Any], dtype: Any) -> NDArray[np.bool_]:
    """Tell for which samples the order of the columns, or more iterations, hardly change the probabilities.

    Iterations that end before they converge may differ by 0.003 after a rounding error.
    """
    steady = np.ones(len(scores), dtype=bool)
    if not hasattr(decoding, "max_iter"):
        return steady
    most = 1e-6 if np.dtype(dtype) == np.float32 else 1e-13
    matrix, order = decoding.codebook_.matrix, np.arange(outputs.shape[1])
    for turned, rounds in ((order, 2), (order[::-1], 1), (np.roll(order, 1), 1), (np.roll(order, len(order) // 2), 1)):
        other = clone(decoding).set_params(max_iter=rounds * decoding.max_iter).fit(matrix[:, turned])
        change = np.exp(other.scores(outputs[:, turned])) - np.exp(scores)
        steady &= np.abs(change).max(axis=1) < most
    return steady


def compare(content: bytes, feeds: dict[str, Any], expected: Expected, wanted: Any, tolerance: float) -> None:
    """Run the graph, and raise a Mismatch for the first output that differs by more than the tolerance."""
    for name, array in run(content, feeds).items():
        if name == "label":
            _compare_labels(array, expected, tolerance)
        elif name == "sets":
            beyond = expected.arrays["sets"]
            wrong = (array != (beyond <= 0)) & (np.abs(beyond) > tolerance) & expected.steady[:, None]
            if wrong.any():
                raise Mismatch(name, f"{int(wrong.sum())} members of sets differ, the first in row {_row(wrong)}.")
        elif name != "top_labels":
            model = expected.arrays[name]
            _compare_numbers(name, np.where(expected.steady[:, None], array, model), model, tolerance)


def _compare_numbers(name: str, found: NDArray[Any], expected: NDArray[Any], tolerance: float) -> None:
    """Compare numbers; scores and outputs of columns are compared in relation to the largest in their row."""
    scale = 1.0
    if name in ("scores", "columns") or (name == "top_values" and expected.max(initial=0) > 1):
        scale = np.maximum(1.0, np.abs(expected).max(axis=1, keepdims=True, initial=0.0))
    difference = np.abs(found.astype(np.float64) - expected) / scale
    difference[np.isnan(difference)] = np.inf
    difference[found == expected] = 0.0
    # Scores and outputs have no limit of their own unless labels or probabilities depend on them visibly.
    if difference.max(initial=0.0) > tolerance * (100 if name in ("scores", "columns") else 1):
        i, j = np.unravel_index(int(difference.argmax()), difference.shape)
        raise Mismatch(
            name,
            f"{name} of the graph differ from those of the model by up to {difference.max():.2g}, in row {i}, column "
            f"{j}; {tolerance:g} is allowed.",
        )


def _compare_labels(found: NDArray[Any], expected: Expected, tolerance: float) -> None:
    place = {label: i for i, label in enumerate(expected.labels.tolist())}
    graph = np.array([place[label] for label in found.tolist()])
    best = expected.preference.max(axis=1)
    scale = np.abs(np.where(np.isfinite(expected.preference), expected.preference, 0)).max(axis=1, initial=0)
    behind = (best - expected.preference[np.arange(len(graph)), graph]) / np.maximum(scale, 1e-300)
    wrong = (behind > tolerance) & expected.steady
    if wrong.any():
        raise Mismatch(
            "label",
            f"{int(wrong.sum())} of {len(wrong)} labels are not the model's, the first in row {_row(wrong)}; "
            f"the label there is behind the model's by {behind.max():.2g} of the scores.",
        )


def _row(wrong: NDArray[np.bool_]) -> int:
    return int(np.argwhere(wrong)[0][0])


def run(content: bytes, feeds: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Run a graph on one thread, some rows at a time, and return its outputs by name."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    n = len(next(iter(feeds.values())))
    parts = []
    for start in range(0, max(n, 1), _MOST_ROWS):
        rows = slice(start, start + _MOST_ROWS)
        parts.append(session.run(names, {name: values[rows] for name, values in feeds.items()}))
    return {name: np.concatenate([part[i] for part in parts]) for i, name in enumerate(names)}


def rounded(X: Any, dtype: Any) -> Any:
    """Return samples whose numbers are those of the graph's inputs, in the form in which the model takes them."""
    if np.dtype(dtype) == np.float64:
        return X
    if hasattr(X, "columns"):
        X = X.copy()
        for name in X.columns:
            if np.asarray(X[name]).dtype.kind == "f":
                X[name] = np.asarray(X[name]).astype(np.float32).astype(np.float64)
        return X
    if not issparse(X):
        X = np.asarray(X)
    if X.dtype.kind == "O":
        columns = [values if is_text_column(values) else _round(values.astype(np.float64)) for values in X.T]
        return (
            np.array(columns, dtype=object).T.reshape(X.shape)
            if any(c.dtype == object for c in columns)
            else (np.column_stack(columns))
        )
    return _round(X) if X.dtype.kind == "f" else X


def _round(values: Any) -> Any:
    return values.astype(np.float32).astype(np.float64)


def feeds_of(graph: Graph, X: Any) -> dict[str, NDArray[Any]]:
    """Return samples as the graph takes them; missing text is an empty string."""
    columns = input_columns(X) if not issparse(X) else None
    if columns is None:
        dense = X.toarray() if issparse(X) else np.asarray(X)
        return {graph.inputs[0].name: np.ascontiguousarray(dense.astype(graph.inputs[0].dtype))}
    feeds = {}
    for value, column in zip(graph.inputs, columns):
        if value.dtype is str:
            texts = [text if isinstance(text, str) else MISSING for text in column.tolist()]
            feeds[value.name] = np.array(texts, dtype=object)[:, None]
        else:
            feeds[value.name] = column.astype(value.dtype)[:, None]
    return feeds
