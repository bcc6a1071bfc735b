"""Samples and folds that all candidates share, with the prepared data and the tuned learner of each fold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

from ecoc.classifier import ECOCClassifier, LeastCostClassifier
from ecoc.policy.trials import TUNED_PLAIN, Trials
from ecoc.tool.comparison.candidates import BaselineCandidate, Candidate, CodeCandidate
from ecoc.tool.comparison.learners import make_baseline, with_seed
from ecoc.tool.comparison.protected_classes import Protection
from ecoc.tool.comparison.results import Judge
from ecoc.tool.comparison.tuning import Tuning, tune
from ecoc.training import TrainingCache
from ecoc.training.cache import content_key
from ecoc.utils.estimators import last_step
from ecoc.utils.folds import Folds
from ecoc.utils.scikit import safe_indexing


@dataclass(frozen=True, eq=False)
class Contender:
    """A learner in a comparison, its trials, and how it was tuned."""

    learner: Any
    trials: Trials
    tuned: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def can_share(self) -> bool:
        """Whether trained columns can be cached, which takes a learner that can be pickled."""
        try:
            content_key(self.learner)
        except Exception:  # whatever the learner raises
            return False
        return True

    def one_vs_all(self) -> Callable[[Any], Any]:
        """Return a function that makes multi-class classifiers from the learner, which share their columns."""
        shared = TrainingCache() if self.can_share else False
        return partial(ECOCClassifier, coding="ova", decoding="linear", probability=False, warm_start=shared)


@dataclass(frozen=True, eq=False)
class Setting:
    """Samples, folds and preparation that all candidates have in common."""

    X: Any
    y: NDArray[Any]
    folds: Folds
    contenders: Mapping[str, Contender]  # by name; the name is empty if there is only one
    preparation: Any = None
    protection: Protection = field(default_factory=Protection)
    tune: bool = True
    log_loss: bool = False
    costs: Mapping[tuple[Any, Any], float] | None = None
    n_jobs: int | None = None
    seed: int = 0

    @cached_property
    def judge(self) -> Judge:
        """The labels and costs that evaluate candidates."""
        return Judge(self.y, self.costs)

    @property
    def tunes(self) -> dict[str, float]:
        """The learners and baselines that are tuned, and their shares of the time; boosters only if they are alone."""
        if not self.tune:
            return {}
        alone = len(self.contenders) == 1
        names = [n for n, one in self.contenders.items() if alone or one.trials.learner.kind != "booster"]
        plain = set.intersection(*(set(one.trials.plain) for one in self.contenders.values()))
        shares = dict.fromkeys(names, 0.8 / max(len(names), 1))
        tuned = [name for name in TUNED_PLAIN if name in plain]
        return shares | dict.fromkeys(tuned, 0.2 / max(len(tuned), 1))

    def estimator(self, candidate: Candidate, tunings: dict[str, Tuning], X: Any) -> Any:
        """Make the whole model of a candidate, with the preparation in front of it, unfitted.

        X, the prepared samples of some fold, is what multiples of ``gamma="scale"`` refer to.
        """
        one = self.contenders.get(candidate.learner)  # of several learners, some baselines use none
        learner = None if one is None else tunings.get(candidate.learner, Tuning({})).apply(one.learner, X)
        model = self.make(candidate, learner, tunings, X, self.costs)
        if self.preparation is None:
            return model
        return Pipeline([("preparation", clone(self.preparation)), ("classifier", model)])

    def make(
        self, candidate: Candidate, learner: Any, tunings: dict[str, Tuning], X: Any, costs: Any, **options: Any
    ) -> Any:
        """Make the model of a candidate for prepared samples, unfitted; it decides by cost if it has probabilities."""
        if costs is not None and isinstance(candidate, CodeCandidate):
            options |= {"costs": costs, "probability": True}
        model = candidate.make(learner, self.protection, seed=self.seed, n_jobs=self.n_jobs, **options)
        if isinstance(candidate, BaselineCandidate) and candidate.baseline in tunings:
            last_step(model).set_params(**tunings[candidate.baseline].numbers(X))
        model = self.scaler_for(model, X)
        if costs is not None and isinstance(candidate, BaselineCandidate) and hasattr(model, "predict_proba"):
            model = LeastCostClassifier(model, costs)
        return model

    @staticmethod
    def tuning_of(candidate: Candidate, tunings: dict[str, Tuning]) -> Tuning:
        """Return the tuning that a candidate uses: the learner's, its own, or none."""
        return tunings.get(candidate.tuned_part, Tuning({}))

    def parts(self, candidate: Candidate, X: Any) -> tuple[Any, Callable[[Any], Any]]:
        """Return the part of a candidate that is tuned, and a function that makes the whole model from it."""
        if isinstance(candidate, CodeCandidate) or candidate.uses_learner:
            fast = {"probability": False} if isinstance(candidate, CodeCandidate) else {}
            learner = self.contenders[candidate.learner].learner
            return learner, lambda one: self.make(candidate, one, {}, X, None, **fast)
        model = self.scaler_for(candidate.make(None, self.protection, seed=self.seed, n_jobs=self.n_jobs), X)
        *front, learner = model.named_steps.values() if isinstance(model, Pipeline) else [model]
        return learner, partial(_behind, front)

    @staticmethod
    def scaler_for(model: Any, X: Any) -> Any:
        """Make the scaler of logistic regression keep the zeros of sparse samples."""
        if issparse(X) and "standardscaler" in getattr(model, "named_steps", ()):
            model.set_params(standardscaler__with_mean=False)
        return model

    def open(self, number: int, seconds: float = inf) -> "Fold":
        """Prepare a fold; tuning may take so many seconds."""
        train, test = self.folds[number]
        X_train, X_test = safe_indexing(self.X, train), safe_indexing(self.X, test)
        if self.preparation is not None:
            preparation = clone(self.preparation)
            X_train, X_test = preparation.fit_transform(X_train, self.y[train]), preparation.transform(X_test)
        return Fold(self, number, train, test, X_train, X_test).tuned(seconds)


@dataclass(eq=False)
class Fold:
    """The prepared samples of a fold, the learner tuned on its training part, and what candidates share."""

    setting: Setting
    number: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    X_train: Any
    X_test: Any
    tunings: dict[str, Tuning] = field(default_factory=dict)
    learners: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.y_train = self.setting.y[self.train]
        self.y_test = self.setting.y[self.test]
        self.caches = {name: one.can_share and TrainingCache() for name, one in self.setting.contenders.items()}
        self.books: dict[Any, Any] = {}

    def tuned(self, seconds: float) -> "Fold":
        """Tune the learners, and linear baselines beside them, on the training samples."""
        setting = self.setting
        for name, share in setting.tunes.items():
            if name in setting.contenders:
                one = setting.contenders[name]
                whole, learner = clone if one.trials.tuned_alone else one.one_vs_all(), one.learner
            else:
                pipeline = setting.scaler_for(make_baseline(name, None, setting.seed), self.X_train)
                learner, whole = pipeline.steps.pop()[1], partial(_behind, list(pipeline.named_steps.values()))
            self.tunings[name] = tune(
                learner, self.X_train, self.y_train, whole, seed=setting.seed, seconds=share * seconds
            )
        for name, one in setting.contenders.items():
            tuned = self.tunings.get(name, Tuning({})).apply(one.learner, self.X_train)
            self.learners[name] = with_seed(tuned, setting.seed)
        return self

    def make(self, candidate: Candidate, shared: bool) -> Any:
        """Make a candidate's model; if shared, with the code book and the columns that others have trained."""
        options: dict[str, Any] = {}
        if isinstance(candidate, CodeCandidate) and shared:
            # Probabilities do not change predictions, and calibrating them takes time.
            options = {"warm_start": self.caches[candidate.learner], "probability": self.setting.log_loss}
            if candidate.code in self.books:
                options["coding"] = self.books[candidate.code]
        costs = self.setting.costs
        if costs is not None:  # a fold may lack rare classes
            known = set(self.y_train.tolist())
            costs = {pair: cost for pair, cost in costs.items() if set(pair) <= known}
        learner = self.learners.get(candidate.learner)
        return self.setting.make(candidate, learner, self.tunings, self.X_train, costs, **options)

    def keep_code(self, candidate: Candidate, model: Any) -> None:
        """Let other decodings of the same code use its code book."""
        if isinstance(candidate, CodeCandidate):
            self.books[candidate.code] = model.code_book_


def _behind(transformers: list[Any], model: Any) -> Any:
    """Put a model behind unfitted transformers."""
    return make_pipeline(*map(clone, transformers), model)
