"""Plain scikit-learn models to compare with: the learner itself, one-vs-rest, one-vs-one, and models for any table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import make_pipeline

from ecoc.tool.comparison.learners import with_settings
from ecoc.tool.comparison.native import native_classifier
from ecoc.utils.models import last_step
from ecoc.utils.suggest import unknown_name

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
    return k if type(learner).__name__ == "LinearSVC" else 1


def _pairs(learner: Any, k: int) -> int:
    return k * (k - 1) // 2


def is_one_vs_one(learner: Any) -> bool:
    """Tell whether the learner trains a model for each pair of classes by itself, as support vector machines do."""
    return type(learner).__name__ in ("SVC", "NuSVC")


def _logistic(learner: Any) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _lda(learner: Any) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def _forest(learner: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100)


def _majority(learner: Any) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="most_frequent")


def _one_vs_rest(learner: Any) -> Any:
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(clone(learner))


def _one_vs_one(learner: Any) -> Any:
    from sklearn.multiclass import OneVsOneClassifier

    return OneVsOneClassifier(clone(learner))


BASELINES: Mapping[str, Baseline] = MappingProxyType(
    {
        "majority": Baseline("majority class", _majority, lambda learner, k: 0),
        "lda": Baseline("LDA", _lda, lambda learner, k: 1),
        "logistic": Baseline("logistic regression", _logistic, lambda learner, k: 1),
        "native": Baseline("", native_classifier, _native_count, uses_learner=True),
        "one-vs-rest": Baseline("one-vs-rest", _one_vs_rest, lambda learner, k: k, uses_learner=True),
        "one-vs-one": Baseline("one-vs-one", _one_vs_one, _pairs, uses_learner=True),
        "forest": Baseline("random forest", _forest, lambda learner, k: 100),
    }
)
_SAME = {"logistic": "LogisticRegression", "lda": "LinearDiscriminantAnalysis", "forest": "RandomForestClassifier"}


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
        if type(learner).__name__ == kind:
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
