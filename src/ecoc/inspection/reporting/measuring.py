"""Measure a model on some samples: predictions at every length, signs of the columns, and probabilities."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from ecoc.classifier import ECOCClassifier
from ecoc.codes.codebook import CodeBook
from ecoc.inspection.curves import by_coverage
from ecoc.inspection.fitted import blocks, find_codebook, possible_lengths, predictions_at
from ecoc.utils.estimators import unwrap
from ecoc.utils.labels import class_indices, known_indices
from ecoc.utils.scikit import safe_indexing

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Measured:
    """A model, some samples with known classes, and what the model outputs for them."""

    model: Any
    classes: NDArray[Any]
    codebook: CodeBook | None  # None: the model has no code
    X: Any
    y: Indices
    lengths: list[int]
    predicted: Indices  # (n_lengths, n_samples); −1: no answer
    signs: NDArray[np.int8] | None  # (n_samples, n_columns); None: not an ECOCClassifier
    whole: str = ""  # the reason for which the model is measured only as a whole

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which samples the whole model classifies correctly."""
        right: NDArray[np.bool_] = self.predicted[-1] == self.y
        return right

    @cached_property
    def wrong_signs(self) -> NDArray[np.bool_] | None:
        """Which signs differ from the codeword of the sample's class, an array (n_samples, n_columns)."""
        if self.signs is None or self.codebook is None:
            return None
        return np.asarray(self.signs * self.codebook.matrix[self.y] < 0)

    @cached_property
    def confidence(self) -> tuple[Array, Array, NDArray[np.bool_]] | None:
        """Probabilities of the most probable class and of the true class, and whether they are the same class.

        Costs and rejection do not count: a prediction by them need not be the most probable class. None without
        probabilities.
        """
        if not hasattr(self.model, "predict_proba"):
            return None
        n = len(self.y)
        confidence, of_true_class, right = np.empty(n), np.empty(n), np.empty(n, dtype=bool)
        for rows in blocks(n, len(self.classes)):
            p = self.model.predict_proba(safe_indexing(self.X, rows))
            confidence[rows], of_true_class[rows] = p.max(axis=1), p[np.arange(len(p)), self.y[rows]]
            right[rows] = p.argmax(axis=1) == self.y[rows]
        return confidence, of_true_class, right

    @cached_property
    def coverage(self) -> dict[str, list[float]] | None:
        """Accuracy of the most confident answers against their share; None without probabilities."""
        if self.confidence is None:
            return None
        names = ("coverage", "accuracy", "threshold")
        confidence, _, right = self.confidence
        curve = by_coverage(confidence, right, most=40)
        return {name: values.tolist() for name, values in zip(names, curve)}

    @cached_property
    def calibration(self) -> dict[str, Any] | None:
        """Confidence and accuracy in ten bins, calibration error and log-loss; None without probabilities."""
        if self.confidence is None:
            return None
        n, (confidence, of_true_class, right) = len(self.y), self.confidence
        bins = np.minimum((10 * confidence).astype(int), 9)
        count = np.bincount(bins, minlength=10)
        used = count > 0
        means = [np.bincount(bins, values, minlength=10)[used] / count[used] for values in (confidence, right)]
        return {
            "confidence": means[0].tolist(),
            "accuracy": means[1].tolist(),
            "count": count[used].tolist(),
            "error": float(np.abs(means[0] - means[1]) @ count[used] / n),
            "loss": float(-np.log(np.maximum(of_true_class, 1e-15)).mean()),
        }


def measure(model: Any, X: Any, y: ArrayLike, *, cut: bool) -> Measured:
    """Measure a model on samples, and with `cut` also the model cut to fewer columns."""
    codebook = find_codebook(model)
    model, X = unwrap(model, X)
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    classes = np.asarray(model.classes_)
    indices = class_indices(labels, classes)
    if codebook is None or not isinstance(model, ECOCClassifier):
        predicted = known_indices(np.ravel(model.predict(X)), classes)[None]
        lengths, whole = ([1], "") if codebook is None else ([codebook.n_columns], "Only an ECOCClassifier can be cut.")
        return Measured(model, classes, codebook, X, indices, lengths, predicted, None, whole)
    checked = model.validate(X)
    # Cutting a large model takes about a second, so few lengths are tried: at most 2e7 classes × samples × lengths.
    most = int(np.clip(2e7 / (codebook.n_classes * len(indices)), 9, 33))
    lengths, whole = [codebook.n_columns], "The code book is too large to cut the model here."
    if cut:
        lengths, whole = possible_lengths(codebook, most), "All columns are needed to separate the classes."
    if len(lengths) > 1:
        try:
            model.truncate(lengths[0])
        except (AttributeError, ValueError) as error:  # for example a saved model without its held-out outputs
            lengths, whole = [codebook.n_columns], str(error)
    predicted = predictions_at(model, checked, lengths)
    signs = np.where(model.fitted_.outputs(checked, "margins") > 0, np.int8(1), np.int8(-1))
    return Measured(model, classes, codebook, X, indices, lengths, predicted, signs, whole if len(lengths) == 1 else "")
