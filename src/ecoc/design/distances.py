"""How far apart are two classes? Distances from data, one function a metric."""

from collections.abc import Callable
from inspect import signature
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.design.checks import Matrix, check_between_classes
from ecoc.utils.threads import one_blas_thread

Index = NDArray[np.intp]

_NO_SPREAD = 1e-24  # within-class variance of standardised features at or below this is rounding
_LEAST_SHRINKAGE = 1e-9  # keeps the covariance invertible when features are constant within every class


def class_distances(
    X: Any,
    y: ArrayLike,
    metric: str | Callable[[Any, NDArray[Any]], ArrayLike] = "mahalanobis",
    *,
    random_state: Any = 0,
    **options: Any,
) -> Matrix:
    """Measure the distance between every two classes of a data set.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Labels; two classes at least.
    metric : str or callable, default="mahalanobis"
        ``"mahalanobis"``
            Between the class means, under the within-class covariance of all classes pooled, of standardised
            features. Option ``shrinkage``: ``"ledoit_wolf"`` (the default) or a number in [0, 1], the share
            of a multiple of the identity in the covariance. Without any spread within the classes, as with
            one sample each, it is the Euclidean distance of standardised features. Dense X only.
        ``"euclidean"``
            Between the class means.
        ``"cosine"``
            One minus the cosine of the angle between the class means.
        ``"margin"``
            Margin of a linear soft-margin SVM for each pair of classes on standardised features, less its
            mean slack: 2(1 − ξ̄)/‖w‖. This is the margin if the classes are separable, and goes to 0 as they
            merge, whereas 2/‖w‖ alone would go to infinity. Option ``C`` (default 1.0): the price of slack.
            It trains k(k−1)/2 models.
        ``"confusion"``
            ``1 − sqrt((r_ij + r_ji)/2)``, where r_ij is the share of class i that a model not trained on it
            takes for class j. Options ``estimator`` (default: ridge classifier on standardised features) and
            ``cv`` (default 5: that many stratified folds, or a scikit-learn splitter). A class may have fewer
            members than there are folds; a fold without it is then bound to confuse it.
        callable
            ``metric(X, y)`` returns the matrix of distances, classes in the order of ``np.unique(y)``.
    random_state : int, RandomState instance or None, default=0
        How ``"confusion"`` draws its folds; the other metrics draw nothing.
    **options
        Options of the metric, as above.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Symmetric, non-negative, zero on the diagonal; classes in the order of ``np.unique(y)``.

    See Also
    --------
    ecoc.allocate : Make a design matrix of them.

    Examples
    --------
    >>> from ecoc import class_distances
    >>> X, y = [[0, 0], [0, 2], [3, 0], [3, 2], [9, 1]], ["a", "a", "b", "b", "c"]
    >>> class_distances(X, y, "euclidean")
    array([[0., 3., 9.],
           [3., 0., 6.],
           [9., 6., 0.]])

    Which two digits does a linear classifier confuse most?

    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> distances = class_distances(X, y, "confusion")
    >>> divmod(int(np.argmin(distances + np.eye(10))), 10)
    (8, 9)
    """
    from sklearn.utils import check_X_y
    from sklearn.utils.multiclass import check_classification_targets

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
    with one_blas_thread():
        distances = known(X, index, **options)
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    return distances


def _check_result(result: ArrayLike, k: int) -> Matrix:
    distances = check_between_classes(result, "metric(X, y)")
    if len(distances) != k:
        raise ValueError(f"metric(X, y) must have a row for each of {k} classes; got {len(distances)} rows.")
    if np.diag(distances).any() or distances.min() < 0:
        raise ValueError("metric(X, y) must be distances: zero on the diagonal and nowhere negative.")
    return distances


def _means(X: Any, index: Index) -> Any:
    """Class means; sparse if X is, as there may be many classes of many features."""
    from scipy.sparse import csr_matrix

    weights = 1 / np.bincount(index)[index]
    return csr_matrix((weights, (index, np.arange(len(index))))) @ X


def _mahalanobis(X: Any, index: Index, shrinkage: str | float = "ledoit_wolf") -> Matrix:
    from scipy.spatial.distance import pdist, squareform

    distances: Matrix = squareform(pdist(whitened_means(X, index, shrinkage)))
    return distances


def whitened_means(X: Any, index: Index, shrinkage: str | float = "ledoit_wolf") -> Matrix:
    """Class means in coordinates in which Mahalanobis' distance is Euclid's."""
    from scipy.sparse import issparse
    from sklearn.covariance import ledoit_wolf_shrinkage
    from sklearn.preprocessing import StandardScaler

    if issparse(X):
        raise ValueError(
            "metric='mahalanobis' needs a dense X, as centring would fill it. metric='cosine', 'euclidean', "
            "'margin' and 'confusion' work on sparse X, and X.toarray() is dense."
        )
    if not (shrinkage == "ledoit_wolf" or (not isinstance(shrinkage, str) and 0 <= shrinkage <= 1)):
        raise ValueError(f"shrinkage must be 'ledoit_wolf' or a number in [0, 1]; got {shrinkage!r}.")
    X = StandardScaler().fit_transform(X)  # shrinking towards the identity needs features of one scale
    means = _means(X, index)
    within = X - means[index]
    spread = np.mean(within**2)
    whitened = means
    if spread > _NO_SPREAD:
        automatic = isinstance(shrinkage, str)
        share = ledoit_wolf_shrinkage(within, assume_centered=True) if automatic else shrinkage
        share = max(float(share), _LEAST_SHRINKAGE)
        # The covariance (1 − share)·V s² Vᵀ/n + share·spread·I is a multiple of the identity beyond the span
        # of V, which has n dimensions at most: for d > n no d × d matrix is needed.
        _, s, Vt = np.linalg.svd(np.linalg.qr(within, mode="r"), full_matrices=False)
        along = means @ Vt.T
        beyond = means - along @ Vt if len(Vt) < X.shape[1] else np.zeros((len(means), 0))
        variances = (1 - share) * s**2 / len(X) + share * spread
        whitened = np.hstack([along / np.sqrt(variances), beyond / np.sqrt(share * spread)])
    return np.asarray(whitened)


def _euclidean(X: Any, index: Index) -> Matrix:
    from scipy.sparse import issparse
    from scipy.spatial.distance import pdist, squareform
    from sklearn.metrics.pairwise import euclidean_distances

    means = _means(X, index)
    distances: Matrix = euclidean_distances(means) if issparse(means) else squareform(pdist(means))
    return distances


def _cosine(X: Any, index: Index) -> Matrix:
    from sklearn.metrics.pairwise import cosine_distances

    distances: Matrix = cosine_distances(_means(X, index))
    return distances


def _margin(X: Any, index: Index, C: float = 1.0) -> Matrix:
    from scipy.sparse import issparse
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X = StandardScaler(with_mean=not issparse(X)).fit_transform(X)
    members = [np.flatnonzero(index == i) for i in range(index.max() + 1)]
    distances = np.zeros((len(members), len(members)))
    for i, j in zip(*np.triu_indices(len(members), 1)):
        rows = np.concatenate([members[i], members[j]])
        side = np.where(index[rows] == j, 1, -1)
        svm = SVC(kernel="linear", C=C, class_weight="balanced").fit(X[rows], side)
        slack = np.maximum(0, 1 - side * svm.decision_function(X[rows]))
        gain = 1 - (slack[side == 1].mean() + slack[side == -1].mean()) / 2  # both classes count alike
        w = svm.coef_.data if issparse(svm.coef_) else svm.coef_
        norm = np.linalg.norm(w)
        distances[i, j] = distances[j, i] = max(0.0, 2 * gain / norm) if norm > 0 else 0.0
    return distances


def _confusion(X: Any, index: Index, estimator: Any = None, cv: Any = 5, random_state: Any = 0) -> Matrix:
    from sklearn.base import clone

    k = int(index.max()) + 1
    if estimator is None:
        estimator = _cheap_classifier(X)
    counts = np.zeros((k, k))
    for train, test in _folds(cv, X, index, random_state):
        seen = np.unique(index[train])
        if len(seen) > 1:
            predicted = clone(estimator).fit(X[train], index[train]).predict(X[test])
        else:  # a model of one class knows one answer, and many an estimator refuses to learn it
            predicted = np.full(len(test), seen[0])
        np.add.at(counts, (index[test], predicted), 1)
    rates = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    distances: Matrix = 1 - np.sqrt((rates + rates.T) / 2)
    return distances


def _cheap_classifier(X: Any) -> Any:
    from scipy.sparse import issparse
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(with_mean=not issparse(X)), RidgeClassifier())


def _folds(cv: Any, X: Any, index: Index, random_state: Any) -> list[tuple[Index, Index]]:
    from sklearn.model_selection import KFold, StratifiedKFold

    if hasattr(cv, "get_n_splits"):
        return list(cv.split(X, index))
    if isinstance(cv, bool) or not isinstance(cv, int) or cv < 2:
        raise ValueError(f"cv must be a number of folds, at least 2, or a scikit-learn splitter; got {cv!r}.")
    largest = int(np.bincount(index).max())
    splitter = StratifiedKFold if largest > 1 else KFold
    with catch_warnings():
        filterwarnings("ignore", "The least populated class", UserWarning)  # it does the right thing with it
        folds = splitter(min(cv, max(2, largest)), shuffle=True, random_state=random_state)
        return list(folds.split(X, index))


METRICS: dict[str, Callable[..., Matrix]] = {
    "mahalanobis": _mahalanobis,
    "euclidean": _euclidean,
    "cosine": _cosine,
    "margin": _margin,
    "confusion": _confusion,
}
