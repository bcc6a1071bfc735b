"""Plain scikit-learn models to compare with: the learner itself, one-vs-rest, one-vs-one, and models for any table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ecoc.policy import is_a
from ecoc.tool.comparison.learners import with_settings
from ecoc.utils.estimators import last_step
from ecoc.utils.messages import unknown_name

MOST_ONE_VS_ONE = 50  # classes; beyond, thousands of models would be trained


@dataclass(frozen=True)
class Baseline:
    """A model without a code.

    Attributes
    ----------
    title : str
        What tables call it; None for a model that is called as its estimator.
    make : callable
        Makes the estimator from the learner.
    count : callable
        Number of models in it, from the learner and the number of classes.
    uses_learner : bool
        Whether the learner is a part of it.
    """

    title: str
    make: Callable[[Any], Any]
    count: Callable[[Any, int], int]
    uses_learner: bool = False


def _native_count(learner: Any, k: int) -> int:
    """Return how many binary models a multi-class fit of the learner consists of; most learners need one model."""
    if k == 2:
        return 1
    if is_one_vs_one(learner):
        return _pairs(learner, k)
    return k if is_a(learner, "sklearn.svm:LinearSVC") else 1


def _pairs(learner: Any, k: int) -> int:
    return k * (k - 1) // 2


def is_one_vs_one(learner: Any) -> bool:
    """Tell whether the learner trains a model for each pair of classes by itself, as support vector machines do."""
    return is_a(learner, "sklearn.svm:SVC", "sklearn.svm:NuSVC")


class NumberedClasses(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is trained on the numbers of the classes.

    XGBoost takes no other labels, and CatBoost predicts labels in a column.

    Parameters
    ----------
    estimator : estimator
        The classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimator_ : estimator
        The fitted classifier.

    Examples
    --------
    >>> from ecoc.tool.comparison.baselines import NumberedClasses
    >>> from sklearn.linear_model import LogisticRegression
    >>> NumberedClasses(LogisticRegression()).fit([[0], [1]], ["no", "yes"]).predict([[2]])
    array(['yes'], dtype='<U3')
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Train on the numbers of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
            The fitted classifier.
        """
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, numbers)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        labels: NDArray[Any] = self.classes_[np.ravel(self.estimator_.predict(X)).astype(np.intp)]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one.
        """
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)


def native_classifier(learner: Any) -> Any:
    """Return an unfitted copy of a learner that takes any labels."""
    model = clone(learner)
    return NumberedClasses(model) if type(model).__module__.partition(".")[0] in ("xgboost", "catboost") else model


def _logistic(learner: Any) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


BASELINES: Mapping[str, Baseline] = MappingProxyType(
    {
        "majority": Baseline(
            "majority class", lambda learner: DummyClassifier(strategy="most_frequent"), lambda learner, k: 0
        ),
        "lda": Baseline("LDA", lambda learner: LinearDiscriminantAnalysis(), lambda learner, k: 1),
        "logistic": Baseline("logistic regression", _logistic, lambda learner, k: 1),
        "native": Baseline("", native_classifier, _native_count, uses_learner=True),
        "one-vs-rest": Baseline(
            "one-vs-rest", lambda learner: OneVsRestClassifier(clone(learner)), lambda learner, k: k, uses_learner=True
        ),
        "one-vs-one": Baseline(
            "one-vs-one", lambda learner: OneVsOneClassifier(clone(learner)), _pairs, uses_learner=True
        ),
        "forest": Baseline(
            "random forest", lambda learner: RandomForestClassifier(n_estimators=100), lambda learner, k: 100
        ),
    }
)
_SAME = {
    "logistic": "sklearn.linear_model:LogisticRegression",
    "lda": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
    "forest": "sklearn.ensemble:RandomForestClassifier",
}


def baseline_names(learner: Any, k: int) -> tuple[list[str], dict[str, str]]:
    """Choose the baselines for a learner.

    Parameters
    ----------
    learner : estimator
        The learner, without the transformers in front of it.
    k : int
        Number of classes.

    Returns
    -------
    names : list of str
        Keys of `BASELINES`, cheap ones first.
    left_out : dict of str to str
        Others, and why they are left out.
    """
    names, left_out = list(BASELINES), {}
    for name, kind in _SAME.items():
        if is_a(learner, kind):
            names.remove(name)  # the learner itself is the same model
    if k == 2:
        names = [name for name in names if name not in ("one-vs-rest", "one-vs-one")]
    elif is_one_vs_one(learner):
        names.remove("one-vs-one")  # the learner itself is it
    elif k > MOST_ONE_VS_ONE:
        names.remove("one-vs-one")
        left_out["one-vs-one"] = f"{_pairs(learner, k):,} models; at most {MOST_ONE_VS_ONE} classes are compared so"
    if not is_classifier(learner):
        names.remove("native")
    return names, left_out


def make_baseline(name: str, learner: Any, seed: int | None = None, n_jobs: int | None = None) -> BaseEstimator:
    """Make a baseline, unfitted.

    Parameters
    ----------
    name : str
        A key of `BASELINES`; after a colon, parameters with commas between them, for those without a learner.
    learner : estimator
        The learner; plain models do not use it.
    seed : int, default=None
        Random state of all parts that have none.
    n_jobs : int, default=None
        Models trained at once, where the baseline can.

    Returns
    -------
    estimator
        Unfitted.

    Raises
    ------
    ValueError
        If there is no such baseline.

    Examples
    --------
    >>> from ecoc.tool.comparison import make_baseline, make_learner
    >>> make_baseline("one-vs-rest", make_learner("svc:C=10"))
    OneVsRestClassifier(estimator=SVC(C=10))
    >>> make_baseline("logistic:C=10", None)["logisticregression"]
    LogisticRegression(C=10, max_iter=1000)
    """
    name, _, settings = name.partition(":")
    if name not in BASELINES:
        raise ValueError(unknown_name("model", name, BASELINES))
    if settings and BASELINES[name].uses_learner:
        raise ValueError(f"model {name!r} takes its parameters from the learner, e.g. svc:{settings}.")
    model = with_seed(BASELINES[name].make(learner), seed)
    with_settings(last_step(model), settings, f"model {name!r}")
    if n_jobs is not None and name in ("one-vs-rest", "one-vs-one", "forest"):
        model.set_params(n_jobs=n_jobs)
    return model


def with_seed(model: Any, seed: int | None) -> Any:
    """Set every random state of a model, or of its parts, that is None."""
    unset = {
        name: seed
        for name, value in model.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    }
    return model.set_params(**unset)
