"""The subject of a studio: classes with their distances and, optionally, samples and a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from ecoc.classifier import ECOCClassifier
from ecoc.classifier.features import design_features
from ecoc.codes.codebook import CodeBook
from ecoc.codes.design.allocation import allocate
from ecoc.codes.design.distances import data_distances
from ecoc.inspection.fitted import class_order, find_codebook
from ecoc.utils.estimators import last_step, unwrap
from ecoc.utils.labels import distinct_names, known_indices
from ecoc.utils.threads import one_blas_thread

Matrix = NDArray[np.float64]

FEWEST, MOST = 3, 300  # classes of a studio


class Samples(NamedTuple):
    """Samples as a model takes them, the row of the class of each, and numbers to design with."""

    X: Any
    y: NDArray[np.intp]
    features: Any


@dataclass(frozen=True, eq=False)
class Subject:
    """Classes and their distances and, optionally, samples, a learner and a model.

    Parameters
    ----------
    labels : list
        Labels of the classes.
    distances : ndarray of shape (n_classes, n_classes)
        Distances between the classes.
    distances_from : str
        Description of the distances.
    distances_code : str
        The Python expression for them; "" if they are in no variable of the user.
    samples : Samples or None
        Samples of all classes.
    template : estimator or None
        The unfitted model to train: an ECOCClassifier, or a pipeline that ends in one.
    codebook : CodeBook or None
        The code of the model that the studio was opened with.
    model : estimator or None
        That model.
    command : list of str
        Words of the ``ecoc fit`` that trains with a code book, up to the options of the code.
    source : str
        Description of what the studio was opened with.
    """

    labels: list[Any]
    distances: Matrix
    distances_from: str
    distances_code: str = ""
    samples: Samples | None = None
    template: Any = None
    codebook: CodeBook | None = None
    model: Any = None
    command: Sequence[str] = ("ecoc", "fit", "DATA.csv")
    source: str = ""

    def __post_init__(self) -> None:
        k = len(self.labels)
        if not FEWEST <= k <= MOST:
            raise ValueError(
                f"the studio shows {FEWEST} to {MOST} classes; these are {k}. With more classes, ecoc.ECF designs "
                "without a page."
            )

    @classmethod
    def from_samples(cls, X: Any, y: ArrayLike, learner: Any = None, **more: Any) -> "Subject":
        """Make the subject of samples; `learner` is a binary classifier, or the whole model to train."""
        labels = column_or_1d(y)
        check_consistent_length(X, labels)
        template = _template(learner)
        classes, rows = np.unique(labels, return_inverse=True)
        features = _features(X, labels, template)
        distances = data_distances(features, labels, "mahalanobis")
        text = f"{len(labels):,} samples of {len(classes)} classes"
        more = {"source": text, "distances_code": "class_distances(X, y)"} | more
        samples = Samples(X, rows, features)
        return cls(classes.tolist(), distances, "Mahalanobis distances", samples=samples, template=template, **more)

    @classmethod
    def from_model(cls, model: Any, X: Any = None, y: Any = None, **more: Any) -> "Subject":
        """Make the subject of a fitted model with a code; samples are needed to measure and to train."""
        inner, codebook = unwrap(model)[0], find_codebook(model)
        if codebook is None:
            raise ValueError(
                f"this {type(inner).__name__} has no code book, so there is no code to look at; give samples instead: "
                "ecoc.studio(X, y)."
            )
        labels = inner.classes_.tolist()
        template = clone(getattr(model, "best_estimator_", model)) if isinstance(inner, ECOCClassifier) else None
        distances, text, code = _model_distances(inner, codebook)
        samples = None
        if X is not None:
            rows = known_indices(column_or_1d(y), inner.classes_)
            check_consistent_length(X, rows)
            if (rows < 0).any():
                strange = column_or_1d(y)[rows < 0][:1].tolist()
                raise ValueError(f"y has the class {strange[0]!r}, which the model was not trained on; leave it out.")
            samples = Samples(X, rows, _features(X, inner.classes_[rows], template))
        name = f"{type(inner).__name__} with {codebook.n_columns} columns for {len(labels)} classes"
        more = {"source": name, "distances_code": code, "samples": samples, "template": template} | more
        return cls(labels, distances, text, codebook=codebook.with_labels(labels), model=model, **more)

    @classmethod
    def from_distances(cls, distances: ArrayLike, labels: Sequence[Any] | None = None, **more: Any) -> "Subject":
        """Make the subject of a matrix of distances; the index of a DataFrame has the labels."""
        allocate(distances)  # checks them
        frame: Any = distances
        own = frame.index if hasattr(frame, "columns") else range(np.shape(distances)[0])
        found = list(own if labels is None else labels)
        more = {"source": f"distances between {len(found)} classes", "distances_code": "distances"} | more
        return cls(found, np.asarray(distances, dtype=np.float64), "given distances", **more)

    @cached_property
    def names(self) -> list[str]:
        """A short text for each class; no two are equal."""
        return distinct_names(self.labels, 22)

    @cached_property
    def order(self) -> list[int]:
        """Rows of the classes, near ones side by side."""
        return [int(row) for row in class_order("clustered", self.distances)]

    @cached_property
    def places(self) -> list[list[float]]:
        """Two coordinates for each class, from 0 to 1: the classical scaling of the distances."""
        with one_blas_thread():
            squares = self.distances**2
            centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
            values, vectors = np.linalg.eigh(-centred / 2)
        axes = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
        axes = axes[:, ::-1] * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)[::-1]
        span = max(float(np.ptp(axes, axis=0).max()), 1e-300)
        centre = (axes.max(axis=0) + axes.min(axis=0)) / 2
        return np.round(0.5 + (axes - centre) / span, 4).tolist()  # type: ignore[no-any-return]

    @property
    def first_view(self) -> dict[str, float]:
        """The centre and zoom of the map at first: a few classes that are far from all others need not be seen."""
        ordered = np.sort(np.array(self.places), axis=0)
        few = len(ordered) // 20
        low, high = ordered[few], ordered[-1 - few]
        extent = max(float((high - low).max()), 0.05)
        (x, y), zoom = ((low + high) / 2, 0.8 / extent) if extent < 0.5 else ((0.5, 0.5), 1.0)
        return {"x": float(x), "y": float(y), "zoom": zoom}

    @property
    def learner(self) -> str:
        """Description of the model to train."""
        return "" if self.template is None else " ".join(repr(last_step(self.template).estimator).split())

    @property
    def cannot_train(self) -> str:
        """Why training is not possible here, in a sentence; "" if it is possible."""
        if self.samples is None:
            return "There are no samples to train with: open the studio with samples, too."
        return (
            "" if self.template is not None else "Only an ECOCClassifier, or a pipeline that ends in one, is trained."
        )

    def with_code(self, code: Any) -> Any:
        """Return the model to train with a code."""
        model = clone(self.template)
        last_step(model).set_params(coding=code)
        return model


def _template(learner: Any) -> Any:
    """Return the model to train: an ECOCClassifier of the learner, unless it ends in one already."""
    learner = SVC() if learner is None else learner
    if isinstance(last_step(learner), ECOCClassifier):
        return clone(learner)
    return ECOCClassifier(clone(learner), random_state=0)


def _features(X: Any, labels: Any, template: Any) -> Any:
    """Return numbers: what the steps before the classifier, and before its learner, make of X."""
    steps = getattr(template, "steps", [])
    if len(steps) > 1:
        X = clone(template[:-1]).fit_transform(X, labels)
    first = getattr(last_step(template), "estimator", None) if template is not None else None
    return design_features(X, labels, first[0] if isinstance(first, list | tuple) else first).X


def _model_distances(inner: Any, codebook: CodeBook) -> tuple[Matrix, str, str]:
    """Return distances between the classes of a model, what they are, and the expression for them."""
    found = getattr(getattr(inner, "coding_", None), "distances_", None)
    if found is not None:
        return np.asarray(found), "distances that the model was designed with", "model.coding_.distances_"
    distances = codebook.distances().astype(np.float64)
    return distances, "distances between the codewords of the model", "model.code_book_.distances()"
