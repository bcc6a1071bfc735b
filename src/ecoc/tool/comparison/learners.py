"""Make learners, and plain models to compare codes with, from names such as ``svc:C=10``."""

from collections.abc import Callable, Mapping
from inspect import signature
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from ecoc.policy import is_a
from ecoc.policy.trials import FORESTS, NUMBERED
from ecoc.utils.estimators import last_step
from ecoc.utils.messages import unknown_name
from ecoc.utils.optional import optional
from ecoc.utils.scikit import check_parameters

LEARNERS: Mapping[str, tuple[str, str, dict[str, Any]]] = MappingProxyType(
    {
        "svc": ("sklearn.svm", "SVC", {}),
        "linear_svc": ("sklearn.svm", "LinearSVC", {}),
        "logistic": ("sklearn.linear_model", "LogisticRegression", {"max_iter": 1000}),
        "ridge": ("sklearn.linear_model", "RidgeClassifier", {}),
        "knn": ("sklearn.neighbors", "KNeighborsClassifier", {"algorithm": "brute"}),
        "tree": ("sklearn.tree", "DecisionTreeClassifier", {}),
        "forest": ("sklearn.ensemble", "RandomForestClassifier", {}),
        "boosting": ("sklearn.ensemble", "HistGradientBoostingClassifier", {}),
        "xgboost": ("xgboost", "XGBClassifier", {"n_jobs": 1}),
        "lightgbm": ("lightgbm", "LGBMClassifier", {"n_jobs": 1, "verbose": -1}),
        "catboost": ("catboost", "CatBoostClassifier", {"thread_count": 1, "verbose": 0, "allow_writing_files": False}),
    }
)


class Baseline(NamedTuple):
    """A model without a code: its name in tables, a function that makes it, and whether it uses the learner."""

    title: str
    make: Callable[[Any], Any]
    uses_learner: bool = False


class NumberedClasses(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is trained on the numbers of the classes.

    XGBoost takes no other labels, and CatBoost predicts labels in a column.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Train on the numbers of the classes."""
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, numbers)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels."""
        labels: NDArray[Any] = self.classes_[np.ravel(self.estimator_.predict(X)).astype(np.intp)]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class."""
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)


def native_classifier(learner: Any) -> Any:
    """Return an unfitted copy of a learner that takes any labels."""
    model = clone(learner)
    return NumberedClasses(model) if is_a(model, *NUMBERED) else model


BASELINES: Mapping[str, Baseline] = MappingProxyType(
    {
        "majority": Baseline("majority class", lambda learner: DummyClassifier(strategy="most_frequent")),
        "lda": Baseline("LDA", lambda learner: LinearDiscriminantAnalysis()),
        "logistic": Baseline(
            "logistic regression", lambda learner: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        ),
        "linear_svc": Baseline("linear SVC", lambda learner: make_pipeline(StandardScaler(), LinearSVC())),
        "native": Baseline("", native_classifier, uses_learner=True),
        "one-vs-rest": Baseline("one-vs-rest", lambda learner: OneVsRestClassifier(clone(learner)), uses_learner=True),
        "one-vs-one": Baseline("one-vs-one", lambda learner: OneVsOneClassifier(clone(learner)), uses_learner=True),
        "forest": Baseline("random forest", lambda learner: RandomForestClassifier(n_estimators=100)),
        "extra_trees": Baseline("extra trees", lambda learner: ExtraTreesClassifier(n_estimators=100)),
    }
)


def make_learner(text: str) -> Any:
    """Make a learner from its name, with parameters after a colon: ``svc:C=10,gamma=0.1``."""
    name, _, rest = text.partition(":")
    if name not in LEARNERS:
        raise ValueError(unknown_name("learner", name, LEARNERS))
    module, kind, parameters = LEARNERS[name]
    learner = getattr(optional(module, f"learner {name!r} needs the package {module}", "'ecoc[boosting]'"), kind)
    return with_settings(learner(**parameters), rest, f"learner {name!r}")


def make_baseline(name: str, learner: Any, seed: int | None = None, n_jobs: int | None = None) -> BaseEstimator:
    """Make an unfitted baseline from its name; one without a learner may have parameters after a colon.

    Random states that are None get the seed. `n_jobs` models are trained at once, where the baseline can.
    """
    name, _, settings = name.partition(":")
    if name in LEARNERS and name not in BASELINES:
        raise ValueError(
            f"{name!r} is a learner; a learner by itself is model 'native': --model native --learner {name}."
        )
    if name not in BASELINES:
        raise ValueError(unknown_name("model", name, BASELINES))
    if settings and BASELINES[name].uses_learner:
        raise ValueError(f"model {name!r} takes its parameters from the learner, e.g. svc:{settings}.")
    model = with_seed(BASELINES[name].make(learner), seed)
    with_settings(last_step(model), settings, f"model {name!r}")
    if n_jobs is not None and name in ("one-vs-rest", "one-vs-one", *FORESTS):
        model.set_params(n_jobs=n_jobs)
    return model


def with_settings(estimator: Any, text: str, what: str) -> Any:
    """Set parameters that are written as ``C=10,gamma=0.1``; errors call the estimator `what`."""
    names = {**estimator.get_params(), **signature(type(estimator)).parameters}  # CatBoost gets only what is set
    for setting in filter(None, text.split(",")):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or key not in names:
            known = ", ".join(names)
            raise ValueError(f"{what} has no parameter {setting!r}; write e.g. svc:C=10, with one of {known}.")
        estimator.set_params(**{key: parse_value(value)})
    if hasattr(estimator, "_parameter_constraints"):  # boosters of other packages check theirs in fit
        check_parameters(estimator)
    return estimator


def parse_value(text: str) -> Any:
    """Return a number, true, false or none if the text reads like one, else the text."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def with_seed(model: Any, seed: int | None) -> Any:
    """Set every random state of a model, or of its parts, that is None."""
    unset = {
        name: seed
        for name, value in model.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    }
    return model.set_params(**unset)
