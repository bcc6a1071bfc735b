"""Split classes that lie in several places, and let a classifier tell the parts apart."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ecoc.utils.folds import make_folds
from ecoc.utils.threads import one_blas_thread
from ecoc_paper._scikit import HasMethods, Interval, fit_context

Indices = NDArray[np.intp]

_FOLDS = 3  # for the errors that decide about a split


def _inner_has(method: str) -> Any:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), method)


class SplitClassesClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Classes in which a linear discriminant fails are split, and the code has a row for each part.

    It stands for the binary classifiers. The class that takes part in most held-out errors is split
    by 2-means. The split is kept if the discriminant of all sub-classes then makes fewer errors about the classes. This
    is repeated until no split helps. The estimator, for instance an :class:`~ecoc.ECOCClassifier`, is trained on the
    sub-classes; a prediction is the class of the predicted sub-class. The code has more rows than there are classes,
    which is why this is a classifier and not a coding.

    This is not sub-class ECOC of Escalera and others, who split within the binary problem of a node of the tree that
    fails there; here one discriminant of all classes decides, and it splits nothing where all classes are compact.

    Parameters
    ----------
    estimator : estimator object
        Classifier of the sub-classes.
    min_gain : float, default=0.01
        Least share of all samples that a split has to put right.
    min_samples : int, default=5
        Least number of samples of a sub-class.
    max_splits : int, default=20
        Most splits.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of 2-means.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    parents_ : ndarray of shape (n_subclasses,)
        The class of each sub-class, as an index into `classes_`.
    estimator_ : estimator
        The classifier of the sub-classes.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    ecoc.ECOCClassifier : The usual estimator.
    ecoc.DiscriminantTree : The authors' coding of the sub-classes.

    References
    ----------
    S. Escalera, D. M. J. Tax, O. Pujol, P. Radeva and R. P. W. Duin, "Subclass problem-dependent design for
    error-correcting output codes", IEEE TPAMI 30(6), 2008.

    Examples
    --------
    The class "out" lies on both sides of "in":

    >>> import numpy as np
    >>> from ecoc_paper import SplitClassesClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.arange(90.0)[:, None] / 10
    >>> y = np.where(np.abs(X[:, 0] - 4.5) < 1.5, "in", "out")
    >>> LogisticRegression().fit(X, y).score(X, y) < 0.7
    True
    >>> model = SplitClassesClassifier(LogisticRegression(), random_state=0).fit(X, y)
    >>> len(model.parents_) > 2, model.score(X, y) > 0.9
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "min_gain": [Interval(Real, 0, 1, closed="left")],
        "min_samples": [Interval(Integral, 1, None, closed="left")],
        "max_splits": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        min_gain: float = 0.01,
        min_samples: int = 5,
        max_splits: int = 20,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.min_gain = min_gain
        self.min_samples = min_samples
        self.max_splits = max_splits
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the sub-classes, and train the estimator on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self
            The fitted classifier.
        """
        X, labels = validate_data(self, X, y)
        check_classification_targets(labels)
        self.classes_, target = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"SplitClassesClassifier needs at least 2 classes; y has 1 class, {self.classes_.tolist()[0]!r}."
            )
        sub, self.parents_ = self._split(X, target)
        self.estimator_ = clone(self.estimator).fit(X, sub)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        labels: NDArray[Any] = self.classes_[self.parents_[self.estimator_.predict(X)]]
        return labels

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: sums over the sub-classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return np.asarray(self.estimator_.predict_proba(X) @ np.eye(len(self.classes_))[self.parents_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.classifier_tags.poor_score = get_tags(self.estimator).classifier_tags.poor_score
        return tags

    def _split(self, X: NDArray[np.float64], y: Indices) -> tuple[Indices, Indices]:
        """Return the sub-class of each sample, and the class of each sub-class."""
        from sklearn.cluster import KMeans
        from sklearn.utils import check_random_state

        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        sub, parents = y.copy(), np.arange(len(self.classes_))
        predicted = _predicted(X, sub, seed)
        wrong = parents[predicted] != y
        hopeless: set[int] = set()
        for _ in range(self.max_splits):
            involved = np.concatenate([sub[wrong], predicted[wrong]])
            errors = np.bincount(involved, minlength=len(parents)).astype(float)
            errors[[c for c in range(len(parents)) if c in hopeless or np.sum(sub == c) < 2 * self.min_samples]] = 0
            if not errors.any():
                break
            worst = int(errors.argmax())
            members = np.flatnonzero(sub == worst)
            with one_blas_thread():
                part = KMeans(2, n_init=3, random_state=seed).fit_predict(X[members])
            tried = sub.copy()
            tried[members[part == 1]] = len(parents)
            after, more = _predicted(X, tried, seed), np.append(parents, parents[worst])
            gain = (wrong.sum() - (more[after] != y).sum()) / len(y)
            if min(np.bincount(part, minlength=2)) < self.min_samples or gain < self.min_gain or gain <= 0:
                hopeless.add(worst)
                continue
            sub, parents, predicted, wrong = tried, more, after, more[after] != y
        return sub, parents


def _predicted(X: NDArray[np.float64], sub: Indices, seed: int) -> Indices:
    """Return the sub-class that a linear discriminant of the other folds predicts for each sample."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    predicted = sub.copy()
    for train, test in make_folds(_FOLDS, sub, seed):
        if len(np.unique(sub[train])) < 2:
            continue
        with one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X[train], sub[train])
            predicted[test] = model.predict(X[test])
    return predicted
