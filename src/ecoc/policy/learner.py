"""Describe a learner, what it offers, and the problem that it has to solve."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ecoc.utils.estimators import last_step
from ecoc.utils.scikit import LinearClassifierMixin, LinearModel, get_tags

# Kinds of learners, in the order in which they are tried. A class of a library that may not be installed is named by
# its module and name, and is looked up only once that module has been imported.
KINDS: dict[str, list[type | str]] = {
    "booster": [
        "xgboost:XGBClassifier",
        "lightgbm:LGBMClassifier",
        "catboost:CatBoostClassifier",
        "sklearn.ensemble:HistGradientBoostingClassifier",
        "sklearn.ensemble:GradientBoostingClassifier",
    ],
    "tree": ["sklearn.tree:BaseDecisionTree"],
    "bagged": ["sklearn.ensemble._forest:ForestClassifier", "sklearn.ensemble:BaggingClassifier"],
    "ridge": ["sklearn.linear_model:Ridge", "sklearn.linear_model:RidgeClassifier", "sklearn.kernel_ridge:KernelRidge"],
    "linear model": [LinearClassifierMixin, LinearModel],
    "kernel machine": ["sklearn.svm._base:BaseLibSVM", "sklearn.gaussian_process:GaussianProcessClassifier"],
    "neighbours": ["sklearn.neighbors._base:NeighborsBase"],
    "naive Bayes": ["sklearn.naive_bayes:_BaseNB"],
    "network": ["sklearn.neural_network._multilayer_perceptron:BaseMultilayerPerceptron"],
}

# Learners whose training runs in compiled code that releases the interpreter lock, so that threads help.
COMPILED = (
    *("sklearn.svm._base:BaseLibSVM", "sklearn.svm:LinearSVC", "sklearn.svm:LinearSVR"),
    *("sklearn.linear_model:SGDClassifier", "sklearn.linear_model:SGDRegressor", "sklearn.tree:BaseDecisionTree"),
)
# Boosters of scikit-learn's own that read data frames with categories themselves.
READS_FRAMES = ("sklearn.ensemble:HistGradientBoostingClassifier", "sklearn.ensemble:HistGradientBoostingRegressor")


class Offers(NamedTuple):
    """Capabilities of a learner.

    Attributes
    ----------
    margins : bool
        Whether it has margins, not only labels.
    probabilities : bool
        Whether it has class probabilities.
    several_targets : bool
        Whether one call trains all columns.
    sparse, missing : bool
        Whether it takes sparse matrices, and missing values.
    several_classes : bool
        Whether it takes several classes itself.
    threads : bool
        Whether several can be trained in threads at the same time; for a sequence of estimators, whether all can.
    """

    margins: bool
    probabilities: bool
    several_targets: bool
    sparse: bool
    missing: bool
    several_classes: bool
    threads: bool


@dataclass(frozen=True)
class Learner:
    """Description of an estimator for the rules.

    A pipeline is described by its last step, and a subclass like its parent class.

    Parameters
    ----------
    name : str
        Name of the class.
    kind : str
        A key of `KINDS`, or "other".
    is_linear : bool
        Whether it decides by a scalar product of the features.
    members : int or None
        Number of members that see bootstrap samples, from which out-of-bag outputs can be computed.
    offers : Offers
        Its capabilities.

    Examples
    --------
    >>> from ecoc.policy import describe
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> learner = describe(make_pipeline(StandardScaler(), LogisticRegression()))
    >>> learner.kind, learner.is_linear, learner.offers.probabilities
    ('linear model', True, True)
    """

    name: str
    kind: str
    is_linear: bool
    members: int | None
    offers: Offers


@dataclass(frozen=True)
class Problem:
    """Description of a classification problem for the rules.

    Parameters
    ----------
    learner : Learner
        The binary classifier.
    counts : ndarray of shape (n_classes,)
        Number of samples of each class.
    sparse : bool, default=False
        Whether the samples are a sparse matrix.
    streams : bool, default=False
        Whether the samples come in batches.
    own_folds : bool, default=False
        Whether the user gave folds of their own.
    code : int8 ndarray of shape (n_classes, n_columns), default=None
        The code, once it is known.
    usual_decoding : str, default=None
        The decoding that the coding asks for.
    n_held_out : int, default=None
        Number of samples with held-out outputs, if only a part of the samples has them.
    grows : bool, default=False
        Whether classes are to be added after the fit.
    """

    learner: Learner
    counts: NDArray[np.intp]
    sparse: bool = False
    streams: bool = False
    own_folds: bool = False
    code: NDArray[np.int8] | None = None
    usual_decoding: str | None = None
    n_held_out: int | None = None
    grows: bool = False

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.counts)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.counts.sum())

    @property
    def per_class(self) -> float:
        """Mean number of samples of a class."""
        return self.n_samples / self.n_classes

    @property
    def is_ternary(self) -> bool:
        """Whether columns of the code leave classes out."""
        return self.code is not None and not self.code.all()

    @property
    def has_one_class_on_a_side(self) -> bool:
        """Whether every column has one class on its +1 side, as in one-vs-all and one-vs-one."""
        return self.code is not None and bool(np.all((self.code > 0).sum(axis=0) == 1))


def describe(estimator: Any) -> Learner:
    """Describe an estimator.

    Parameters
    ----------
    estimator : estimator, or sequence of estimators, one for each column
        The binary classifier. Of a sequence, the first is described.

    Returns
    -------
    Learner
        Its kind, and what it offers.
    """
    estimators = estimator if isinstance(estimator, Sequence) else [estimator]
    whole = estimators[0]
    last = last_step(whole)
    kind = next((kind for kind, classes in KINDS.items() if is_a(last, *classes)), "other")
    tags = get_tags(whole)
    weighs_sides = isinstance(getattr(last, "class_weight", None), Mapping)  # of columns: 0 and 1
    takes_several = tags.classifier_tags is not None and bool(tags.classifier_tags.multi_class)
    offers = Offers(
        is_regressor(whole) or hasattr(whole, "decision_function") or hasattr(whole, "predict_proba"),
        offers_probabilities(whole),
        is_regressor(whole) and bool(tags.target_tags.multi_output),
        bool(tags.input_tags.sparse),
        bool(tags.input_tags.allow_nan),
        len(estimators) == 1 and takes_several and not weighs_sides,
        all(is_a(each, *COMPILED) and not callable(getattr(each, "kernel", None)) for each in estimators),
    )
    linear = kind in ("linear model", "ridge") and not hasattr(last, "kernel")
    members = int(last.n_estimators) if kind == "bagged" and whole is last and last.bootstrap else None
    return Learner(type(last).__name__, kind, linear or getattr(last, "kernel", None) == "linear", members, offers)


def offers_probabilities(estimator: Any) -> bool:
    """Tell whether an estimator has class probabilities."""
    return not is_regressor(estimator) and hasattr(estimator, "predict_proba")


def takes_raw_input(estimator: Any) -> bool:
    """Tell whether an estimator may want X as the user gave it: a pipeline, a booster, or an estimator of others."""
    own = type(estimator).__module__.partition(".")[0] == "sklearn"
    return not own or hasattr(estimator, "steps") or hasattr(estimator, "estimator") or is_a(estimator, *READS_FRAMES)


def register_learner(kind: str, learner: type | str) -> None:
    """Assign the estimators of a class to a kind, so that the rules for this kind apply to them.

    Parameters
    ----------
    kind : str
        A key of `KINDS`, or a new kind, which is tried before the others.
    learner : type or str
        The class; or ``"module:Class"``, which does not import the module.

    Examples
    --------
    >>> from ecoc.policy import describe, register_learner
    >>> from sklearn.base import BaseEstimator, ClassifierMixin
    >>> class Stump(ClassifierMixin, BaseEstimator):
    ...     def fit(self, X, y):
    ...         return self
    >>> register_learner("tree", Stump)
    >>> describe(Stump()).kind
    'tree'
    """
    if kind not in KINDS:
        others = dict(KINDS)
        KINDS.clear()
        KINDS.update({kind: [], **others})
    KINDS[kind].append(learner)


def is_a(estimator: Any, *classes: type | str) -> bool:
    """Tell whether an estimator is of one of these classes, or of a class derived from them.

    Parameters
    ----------
    estimator : object
        The estimator.
    *classes : type or str
        Classes; ``"module:Class"`` does not import the module.

    Returns
    -------
    bool
        False for classes of modules that have not been imported.

    Examples
    --------
    >>> from ecoc.policy import is_a
    >>> from sklearn.svm import SVC
    >>> is_a(SVC(), "sklearn.svm:SVC", "xgboost:XGBClassifier")
    True
    """
    found = (each if isinstance(each, type) else _class(each) for each in classes)
    return any(isinstance(estimator, each) for each in found if each is not None)


def _class(name: str) -> type | None:
    """Return a class by module and name; None if the module has not been imported, so that it has no objects."""
    module, _, attribute = name.partition(":")
    found = getattr(sys.modules.get(module), attribute, None)
    return found if isinstance(found, type) else None
