"""Tune the learner: try a few settings on the training samples alone."""

import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.policy.trials import TUNING, TuningRules, parameters_to_try
from ecoc.utils.folds import make_folds
from ecoc.utils.scikit import safe_indexing

NO_TIME = "there was no time to tune"


@dataclass(frozen=True)
class Tuning:
    """The setting that was chosen for a training set."""

    setting: dict[str, Any]  # parameters of the learner; empty if its own are kept
    note: str = ""  # why nothing was tuned; empty if it was

    def numbers(self, X: Any) -> dict[str, Any]:
        """Return the setting for samples X, whose variance multiples of ``gamma="scale"`` refer to."""
        return {name: _number(value, X) for name, value in self.setting.items()}

    def apply(self, learner: Any, X: Any) -> Any:
        """Return a clone of the learner with the setting for samples X."""
        return clone(learner).set_params(**self.numbers(X))


def tune(
    learner: Any,
    X: Any,
    y: NDArray[Any],
    make: Callable[[Any], Any] = clone,
    *,
    seed: int = 0,
    seconds: float = inf,
    start: Mapping[str, Any] = MappingProxyType({}),
    rules: TuningRules = TUNING,
) -> Tuning:
    """Choose parameters one after the other, by the cross-validated accuracy of `make(learner)`.

    Half of the values go on from each fold to the next. The value at the start, which is the learner's own unless
    `start` has another, stays unless another is better by more than one standard error. If time is short, there is only
    one fold; then fewer rows; then no tuning.
    """
    grid = parameters_to_try(learner)
    if not grid:
        return Tuning({}, "there is nothing to tune")
    n_settings = 1 + sum(len(values) - 1 for values in grid.values())
    n_folds, share = rules.n_folds, 1.0
    setting = dict(start)
    trial = _Trial(learner, X, y, make, seed, rules, share)
    if seconds < inf:
        few, began = min(1.0, rules.fewest_rows / len(y)), time.perf_counter()
        once = _Trial(learner, X, y, make, seed, rules, few).seconds(setting) * few**-rules.growth
        if once * rules.n_folds < seconds:  # a fit to few rows has mostly other costs, so that this is too much
            once = trial.seconds(setting)
        n_folds, share = _affordable(once * n_settings, seconds - (time.perf_counter() - began), rules)
        if share < few:
            return Tuning({}, NO_TIME)
        if share < 1:
            trial = _Trial(learner, X, y, make, seed, rules, share)
    n_folds = min(n_folds, len(trial.folds))
    for name, (own, *others) in grid.items():
        rivals = [value for value in (own, *others) if value != setting.get(name, own)]
        settings = [setting, *({**setting, name: value} for value in rivals)]
        setting = settings[_race(trial, settings, n_folds, rules)]
    return Tuning({name: value for name, value in setting.items() if name not in grid or value != grid[name][0]})


def _affordable(once: float, left: float, rules: TuningRules) -> tuple[int, float]:
    """Return how many folds and which share of the rows there is time for, if all settings take `once` in one fold."""
    if 2 * once <= left:  # halving makes three folds about as dear as two
        return rules.n_folds, 1.0
    return 1, min(1.0, (max(left, 0.0) / once) ** (1 / rules.growth))


def most_frequent(tunings: Sequence[Tuning]) -> Tuning:
    """Return the setting that was chosen most often; of several, the first."""
    counts = Counter(repr(tuning.setting) for tuning in tunings)
    best = max(counts, key=lambda text: counts[text])
    return next(tuning for tuning in tunings if repr(tuning.setting) == best)


class _Trial:
    """Training samples in folds, on which settings are tried."""

    def __init__(
        self,
        learner: Any,
        X: Any,
        y: NDArray[Any],
        make: Callable[[Any], Any],
        seed: int,
        rules: TuningRules,
        share: float,
    ) -> None:
        rows = np.arange(len(y))
        if share < 1:
            rows = np.sort(np.random.default_rng(seed).permutation(len(y))[: int(share * len(y))])
        self.learner, self.make = learner, make
        self._known: dict[Any, NDArray[np.bool_]] = {}
        self.X, self.y = safe_indexing(X, rows), y[rows]
        self.folds = make_folds(rules.n_folds, self.y, seed)

    def seconds(self, setting: dict[str, Any]) -> float:
        """Return the time for a setting in the first fold."""
        start = time.perf_counter()
        self.hits(0, setting)
        return time.perf_counter() - start

    def hits(self, fold: int, setting: dict[str, Any]) -> NDArray[np.bool_]:
        """Tell which test samples of a fold are predicted right; none if the setting cannot be fitted."""
        key = fold, repr(setting)
        if key not in self._known:
            self._known[key] = self._hits(fold, setting)
        return self._known[key]

    def _hits(self, fold: int, setting: dict[str, Any]) -> NDArray[np.bool_]:
        train, test = self.folds[fold]
        X = safe_indexing(self.X, train)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                model = self.make(Tuning(setting).apply(self.learner, X)).fit(X, self.y[train])
                right: NDArray[np.bool_] = model.predict(safe_indexing(self.X, test)) == self.y[test]
            except ValueError:
                return np.zeros(len(test), dtype=bool)
        return right


def _race(trial: _Trial, settings: list[dict[str, Any]], n_folds: int, rules: TuningRules) -> int:
    """Return the place of the best setting; the first, if none is better by more than one standard error."""
    hits: list[NDArray[np.bool_]] = [np.zeros(0, dtype=bool)] * len(settings)
    places = list(range(len(settings)))
    for fold in range(n_folds):
        for place in places:
            hits[place] = np.concatenate([hits[place], trial.hits(fold, settings[place])])
        ranked = sorted(places, key=lambda place: (-hits[place].mean(), place))
        places = sorted({0, *ranked[: (len(places) + 1) // 2]}) if fold < n_folds - 1 else places
    best = max(places, key=lambda place: (hits[place].mean(), -place))
    gain = hits[best].astype(float) - hits[0]
    return best if gain.mean() > rules.clearly * gain.std() / sqrt(len(gain)) else 0


def _number(value: Any, X: Any) -> Any:
    """Return the number that ``scale*4`` stands for, a multiple of 1 / (features · variance), to three digits."""
    if not (isinstance(value, str) and value.startswith("scale*")):
        return value
    variance = float(X.multiply(X).mean() - X.mean() ** 2) if hasattr(X, "multiply") else float(np.var(np.asarray(X)))
    number = float(value.removeprefix("scale*")) / (X.shape[1] * (variance or 1.0))
    return float(f"{number:.3g}")
