"""Distances and directions between classes from data, with one function per metric."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from ecoc.codes.design.checks import Matrix, check_between_classes
from ecoc.utils.folds import Folds, is_number_of_folds, make_folds
from ecoc.utils.threads import one_blas_thread

Index = NDArray[np.intp]


def class_distances(
    X: Any = None,
    y: ArrayLike | None = None,
    metric: str | Callable[[Any, NDArray[Any]], ArrayLike] = "mahalanobis",
    *,
    confusion: ArrayLike | None = None,
    random_state: Any = 0,
    **options: Any,
) -> Matrix:
    """Compute the distance between each pair of classes, from data or from a confusion matrix.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
        Training data.
    y : array-like of shape (n_samples,), default=None
        Labels of at least two classes.
    metric : str or callable, default="mahalanobis"
        ``"mahalanobis"``
            Mahalanobis distance between the class means of standardised features, with the pooled within-class
            covariance. Option ``shrinkage``: ``"ledoit_wolf"`` (the default), or the share of the identity in the
            covariance, a number in [0, 1]. If the features do not vary within any class, e.g. with one sample per
            class, this is the Euclidean distance. X must be dense.
        ``"euclidean"``
            Euclidean distance between the class means.
        ``"cosine"``
            One minus the cosine of the angle between the class means.
        ``"margin"``
            Margin of a linear SVM for each pair of classes on standardised features, reduced by the mean slack:
            2(1 − ξ̄)/‖w‖. For separable classes this is the margin. It goes to 0 for classes that overlap completely,
            whereas 2/‖w‖ would go to infinity. Option ``C`` (default 1.0): the penalty of slack. This metric trains
            k(k−1)/2 models.
        ``"confusion"``
            ``1 − sqrt((r_ij + r_ji)/2)``, where r_ij is the share of the samples of class i that cross-validated
            models predict as class j. Options: ``estimator`` (by default a ridge classifier on standardised features)
            and ``cv`` (a number of stratified folds, by default 5, a splitter, or pairs of rows). A class may have
            fewer samples than there are folds; a model that was trained without the class then confuses it.
        callable
            ``metric(X, y)`` returns the matrix of distances, with classes in the order of ``np.unique(y)``.
    confusion : array-like or DataFrame of shape (n_classes, n_classes), default=None
        A confusion matrix in place of X and y: counts or rates, a row for each true class. Classes that are confused
        often are close, by the formula of ``"confusion"``.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds of ``"confusion"``. The other metrics are not random.
    **options
        Options of the metric, as above.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Symmetric, non-negative, zero on the diagonal, with classes in the order of ``np.unique(y)``.

    See Also
    --------
    ecoc.allocate : Make a design matrix from distances.

    Examples
    --------
    >>> from ecoc import class_distances
    >>> X, y = [[0, 0], [0, 2], [3, 0], [3, 2], [9, 1]], ["a", "a", "b", "b", "c"]
    >>> class_distances(X, y, "euclidean")
    array([[0., 3., 9.],
           [3., 0., 6.],
           [9., 6., 0.]])

    The two digits that a linear classifier confuses most:

    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> distances = class_distances(X, y, "confusion")
    >>> divmod(int(np.argmin(distances + np.eye(10))), 10)
    (8, 9)

    From a confusion matrix that you have:

    >>> class_distances(confusion=[[8, 2, 0], [2, 8, 0], [0, 0, 10]]).round(2)
    array([[0.  , 0.55, 1.  ],
           [0.55, 0.  , 1.  ],
           [1.  , 1.  , 0.  ]])
    """
    if confusion is not None:
        if X is not None or y is not None or options:
            raise TypeError("class_distances takes either X and y, with a metric and its options, or confusion.")
        return _confused(confusion)
    if X is None or y is None:
        raise TypeError("class_distances needs X and y, or confusion=... with a confusion matrix.")
    X, target = check_X_y(X, y, accept_sparse="csr", dtype=np.float64, order="C")
    check_classification_targets(target)
    classes, index = np.unique(target, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes; all its labels are {classes.tolist()[0]!r}.")
    if callable(metric):
        return _check_result(metric(X, target, **options), len(classes))
    known = METRICS.get(metric) if isinstance(metric, str) else None
    if known is None:
        raise ValueError(f"metric must be {', '.join(map(repr, METRICS))} or a callable; got {metric!r}.")
    accepted = set(signature(known).parameters) - {"X", "index"}
    if unknown := set(options) - accepted:
        takes = ", ".join(sorted(accepted - {"random_state"})) or "no options"
        raise TypeError(f"metric={metric!r} has no option {min(unknown)!r}; it takes {takes}.")
    if "random_state" in accepted:
        options["random_state"] = random_state
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        distances = known(X, index, **options)
    if not np.isfinite(distances).all():
        raise ValueError(
            f"the distances between classes are not finite, because features are as large as {abs(X).max():.3g}; scale "
            "them, e.g. with StandardScaler."
        )
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    return distances


def _check_result(result: ArrayLike, k: int) -> Matrix:
    distances = check_between_classes(result, "metric(X, y)")
    if len(distances) != k:
        raise ValueError(f"metric(X, y) must have a row for each of {k} classes; got {len(distances)} rows.")
    if np.diag(distances).any() or distances.min() < 0:
        raise ValueError("metric(X, y) must return distances: zero on the diagonal and nowhere negative.")
    return distances


def class_means(X: Any, index: Index, n_classes: int | None = None) -> Any:
    """Return the class means, as a sparse matrix if X is sparse; zero for a class without samples."""
    size = np.bincount(index, minlength=n_classes or 0)
    average = csr_matrix((1 / size[index], (index, np.arange(len(index)))), shape=(len(size), len(index)))
    return average @ X


def _mahalanobis(X: Any, index: Index, shrinkage: str | float = "ledoit_wolf") -> Matrix:
    distances: Matrix = squareform(pdist(whitened_means(X, index, shrinkage)))
    return distances


def whitened_means(X: Any, index: Index, shrinkage: str | float = "ledoit_wolf") -> Matrix:
    """Return the class means in coordinates in which the Mahalanobis distance is the Euclidean distance."""
    no_spread = 1e-24  # a within-class variance of standardised features up to this is rounding
    min_shrinkage = 1e-9  # makes the covariance invertible if features are constant within every class
    if issparse(X):
        raise ValueError(
            "metric='mahalanobis' needs a dense X, because centring makes a sparse X dense. Pass X.toarray(), or use "
            "metric='cosine', 'euclidean', 'margin' or 'confusion', which work with sparse X."
        )
    if not (shrinkage == "ledoit_wolf" or (not isinstance(shrinkage, str) and 0 <= shrinkage <= 1)):
        raise ValueError(f"shrinkage must be 'ledoit_wolf' or a number in [0, 1]; got {shrinkage!r}.")
    X = StandardScaler().fit_transform(X)  # shrinking towards the identity needs features of one scale
    means = class_means(X, index)
    within = X - means[index]
    spread = np.mean(within**2)
    whitened = means
    if spread > no_spread:
        automatic = isinstance(shrinkage, str)
        share = ledoit_wolf_shrinkage(within, assume_centered=True) if automatic else shrinkage
        share = max(float(share), min_shrinkage)
        # The covariance is (1 − share)·V s² Vᵀ/n + share·spread·I. Outside the span of V, which has at most n
        # dimensions, it is a multiple of the identity. So no d × d matrix is needed if d > n.
        _, s, Vt = np.linalg.svd(np.linalg.qr(within, mode="r"), full_matrices=False)
        along = means @ Vt.T
        beyond = means - along @ Vt if len(Vt) < X.shape[1] else np.zeros((len(means), 0))
        variances = (1 - share) * s**2 / len(X) + share * spread
        whitened = np.hstack([along / np.sqrt(variances), beyond / np.sqrt(share * spread)])
    return np.asarray(whitened)


def _euclidean(X: Any, index: Index) -> Matrix:
    means = class_means(X, index)
    distances: Matrix = euclidean_distances(means) if issparse(means) else squareform(pdist(means))
    return distances


def _cosine(X: Any, index: Index) -> Matrix:
    distances: Matrix = cosine_distances(class_means(X, index))
    return distances


def _margin(X: Any, index: Index, C: float = 1.0) -> Matrix:
    X = StandardScaler(with_mean=not issparse(X)).fit_transform(X)
    members = [np.flatnonzero(index == i) for i in range(index.max() + 1)]
    distances = np.zeros((len(members), len(members)))
    for i, j in zip(*np.triu_indices(len(members), 1)):
        rows = np.concatenate([members[i], members[j]])
        side = np.where(index[rows] == j, 1, -1)
        svm = SVC(kernel="linear", C=C, class_weight="balanced").fit(X[rows], side)
        slack = np.maximum(0, 1 - side * svm.decision_function(X[rows]))
        gain = 1 - (slack[side == 1].mean() + slack[side == -1].mean()) / 2  # both classes have the same weight
        w = svm.coef_.data if issparse(svm.coef_) else svm.coef_
        norm = np.linalg.norm(w)
        distances[i, j] = distances[j, i] = max(0.0, 2 * gain / norm) if norm > 0 else 0.0
    return distances


def _confusion(X: Any, index: Index, estimator: Any = None, cv: Any = 5, random_state: Any = 0) -> Matrix:
    k = int(index.max()) + 1
    if estimator is None:
        estimator = _cheap_classifier(X)
    if isinstance(cv, str) or not (
        hasattr(cv, "split") or isinstance(cv, list | tuple) or (is_number_of_folds(cv) and cv >= 2)
    ):
        raise ValueError(f"cv must be a number of folds, at least 2, a scikit-learn splitter or pairs; got {cv!r}.")
    counts = np.zeros((k, k))
    for train, test in make_folds(cv, index, random_state):
        seen = np.unique(index[train])
        if len(seen) > 1:
            predicted = clone(estimator).fit(X[train], index[train]).predict(X[test])
        else:  # many estimators cannot be fitted to one class; the prediction is known anyway
            predicted = np.full(len(test), seen[0])
        np.add.at(counts, (index[test], predicted), 1)
    return _from_counts(counts)


def _confused(confusion: ArrayLike) -> Matrix:
    """Return the distances of a confusion matrix that a user gives."""
    counts = np.asarray(confusion, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise ValueError(f"confusion must be square, with a row for each of two or more classes; got {counts.shape}.")
    if not np.isfinite(counts).all() or counts.min() < 0:
        raise ValueError("confusion must hold counts or rates: finite numbers that are zero or more.")
    distances = _from_counts(counts)
    np.fill_diagonal(distances, 0)
    return distances


def _from_counts(counts: Matrix) -> Matrix:
    totals = counts.sum(axis=1, keepdims=True)
    rates = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    distances: Matrix = 1 - np.sqrt((rates + rates.T) / 2)
    return distances


def _cheap_classifier(X: Any) -> Any:
    return make_pipeline(StandardScaler(with_mean=not issparse(X)), RidgeClassifier())


METRICS: dict[str, Callable[..., Matrix]] = {
    "mahalanobis": _mahalanobis,
    "euclidean": _euclidean,
    "cosine": _cosine,
    "margin": _margin,
    "confusion": _confusion,
}


Metric = str | Callable[[Any, NDArray[Any]], ArrayLike]


def data_distances(X: Any, y: NDArray[Any] | None, metric: Metric, folds: Folds | None = None) -> NDArray[np.float64]:
    """Return :func:`ecoc.class_distances`; "mahalanobis" also takes a sparse X, and "confusion" the user's folds."""
    name = metric if isinstance(metric, str) else ""
    options = {"cv": folds} if name == "confusion" and folds is not None else {}
    return class_distances(dense_features(X) if name == "mahalanobis" else X, y, metric, **options)


def dense_features(X: Any, most_entries: int = 2**25) -> Any:
    """Return X, made dense if it is sparse; one of more than `most_entries` by its leading singular directions."""
    if not issparse(X):
        return X
    if X.shape[0] * X.shape[1] <= most_entries:
        return X.toarray()
    return TruncatedSVD(min(100, *X.shape), random_state=0).fit_transform(X)


def class_directions(X: Any, y: ArrayLike) -> Matrix:
    """Compute the direction from the centre of all classes to each class, as a unit vector.

    The inner product of two directions is a cosine: 1 for classes on the same side of the centre, −1 for classes on
    opposite sides.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Labels of at least two classes.

    Returns
    -------
    ndarray of shape (n_classes, n_dimensions)
        One row for each class, in the order of ``np.unique(y)``. The coordinates are whitened, so that Euclidean
        distances between class means are Mahalanobis distances.

    Examples
    --------
    Classes in the north, the east, the south and the west:

    >>> import numpy as np
    >>> from ecoc.codes.design import class_directions
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2, 3], 500)
    >>> X = np.array([[0, 5], [5, 0], [0, -5], [-5, 0]])[y] + rng.normal(size=(2000, 2))
    >>> F = class_directions(X, y)
    >>> np.abs((F @ F.T)[0].round(1))
    array([1., 0., 1., 0.])
    >>> (F @ F.T)[0, 2].round(1)
    np.float64(-1.0)
    """
    index = np.unique(y, return_inverse=True)[1]
    with one_blas_thread():
        means = whitened_means(np.asarray(X, dtype=np.float64), index)
        means -= means.mean(axis=0)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    means[:, 0] += lengths[:, 0] == 0  # a class at the centre has no direction: use the first axis
    return np.asarray(means / np.where(lengths > 0, lengths, 1))


def mixed_factor(directions: Matrix, share: float, n_free: int, rng: np.random.Generator) -> Matrix:
    """Make a factor F of a design FFᵀ whose off-diagonal entries are about `share` times the cosines of directions.

    Each row of F is a direction, scaled by √share, followed by a random vector of `n_free` dimensions. Two random
    vectors are nearly orthogonal, so they contribute almost nothing off the diagonal.
    """
    if share == 1:
        return directions
    free = rng.normal(size=(len(directions), n_free))
    free /= np.linalg.norm(free, axis=1, keepdims=True)
    return np.hstack([np.sqrt(share) * directions, np.sqrt(1 - share) * free])
