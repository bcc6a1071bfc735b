"""Is one-vs-one's accuracy possible with 2k columns? ECF of k, 2k and 3k columns beside one-vs-rest and one-vs-one.

Five folds of each set (grouped where samples come in groups), no tuning. The alphabet and the decoding are chosen by
`"auto"`. `linear` is the same code with the decoding that goes by codewords.
"""

import time
import warnings
from collections import defaultdict
from math import ceil
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from threadpoolctl import threadpool_limits

from benchmarks._measure import in_turn, timed
from benchmarks._parts import FOLDS, LEARNERS, ROWS, Part, parts
from benchmarks._report import Goal, Results, Table
from ecoc import ECF, ECOCClassifier, TrainingCache

ON_REQUEST = True
LENGTHS = {"ECF k": 1.0, "ECF 2k": 2.0, "ECF 3k": 3.0}
Means = dict[str, dict[str, float]]


def run(quick: bool) -> Results:
    """Measure accuracies of all learners, and times of the largest sets."""
    sets = ("vowel", "pendigits") if quick else tuple(ROWS)
    n_parts = 1 if quick else FOLDS
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for learner in LEARNERS:
            hits: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
            for name in sets:
                for part in parts(name, n_parts):
                    for method, accuracy in accuracies(learner, part).items():
                        hits[method][name].append(100 * accuracy)
            means = {method: {name: float(np.mean(a)) for name, a in by.items()} for method, by in hits.items()}
            names = list(next(iter(means.values())))
            rows = [(m, *(by[n] for n in names), float(np.mean(list(by.values())))) for m, by in means.items()]
            rounded = [tuple(round(v, 1) if isinstance(v, float) else v for v in row) for row in rows]
            yield Table(f"{learner}: accuracy in percent, {n_parts} folds", ("method", *names, "mean"), rounded)
            yield from kernel_goals(means) if learner == "RBF SVC" else goals(learner, means)
        yield from times(sets[-2:] if quick else ("letter", "traffic36", "pendigits"), 1 if quick else 3)


def accuracies(learner: str, part: Part) -> dict[str, float]:
    """Return the accuracy of every method on one fold."""
    estimator, cache, k = LEARNERS[learner], TrainingCache(), len(np.unique(part.y))

    def fitted(coding: Any, decoding: str = "auto") -> Any:
        model = ECOCClassifier(clone(estimator), coding=coding, decoding=decoding, cv=part.cv, random_state=0)
        return model.set_params(warm_start=cache).fit(part.X, part.y)

    found = {}
    if learner == "RBF SVC":
        half = ECF(n_columns=ceil(k / 2))
        models = {"one-vs-all, linear": ("ova", "linear"), "ECF k/2": (half, "auto")}
        models["ECF k/2, discriminant"] = (half, "discriminant")
        return {name: fitted(*how).score(part.X_test, part.y_test) for name, how in models.items()}
    for name, peer in (("one-vs-rest", OneVsRestClassifier), ("one-vs-one", OneVsOneClassifier)):
        found[name] = peer(clone(estimator)).fit(part.X, part.y).score(part.X_test, part.y_test)
    for name, length in LENGTHS.items():
        model = fitted(ECF(n_columns=length))
        found[name] = model.score(part.X_test, part.y_test)
        if length == 2.0:
            found["ECF 2k, linear"] = fitted(model.code_book_, "linear").score(part.X_test, part.y_test)
    return found


def goals(learner: str, means: Means) -> list[Goal]:
    """Compare with one-vs-rest, one-vs-one and the linear decoding."""

    def gain(mine: str, other: str) -> float:
        return float(np.mean([means[mine][name] - means[other][name] for name in means[mine]]))

    wanted = (("ECF k", "one-vs-rest", 3.0), ("ECF 2k", "one-vs-one", -0.3), ("ECF 3k", "one-vs-one", 0.0))
    made = [
        Goal(
            f"{learner}: {mine} at least {least:+g} to {other}", f"{gain(mine, other):+.1f}", gain(mine, other) >= least
        )
        for mine, other, least in wanted
    ]
    better = {n: max(means["one-vs-rest"][n], means["ECF 2k, linear"][n]) for n in means["ECF 2k"]}
    loss = {n: means["ECF 2k"][n] - better[n] for n in better}
    worst = min(loss, key=loss.__getitem__)
    text = f"{loss[worst]:+.1f} ({worst})"
    goal = f"{learner}: ECF 2k on no set 1 below the better of one-vs-rest and linear decoding"
    return [*made, Goal(goal, text, loss[worst] >= -1)]


def kernel_goals(means: Means) -> list[Goal]:
    """Compare half a code with one-vs-all."""
    half, plain = means["ECF k/2"], means["one-vs-all, linear"]
    value = float(np.mean([half[name] - plain[name] for name in half]))
    return [Goal("RBF SVC: ECF k/2 at least +0.3 to one-vs-all", f"{value:+.2f}", value >= 0.3)]


def times(sets: tuple[str, ...], repeats: int) -> Results:
    """Time fit and prediction of 2k columns, in turn with scikit-learn's one-vs-one."""
    rows, ratios = [], []
    for name in sets:
        for part in parts(name, 1):
            for learner in list(LEARNERS)[:3]:
                row = _times_of(learner, part, repeats)
                rows.append((name, learner, *row))
                ratios.append((row[0] / row[1], row[2] / row[3]))
    columns = ("data", "learner", "fit 2k, s", "fit one-vs-one, s", "predict 2k, ms", "predict one-vs-one, ms")
    yield Table("Times, median", columns, rows)
    fit, predict = np.exp(np.mean(np.log(ratios), axis=0)).tolist()
    yield Goal(
        "fit of 2k columns takes at most as long as OneVsOneClassifier (geometric mean)", f"{fit:.2f} ×", fit <= 1
    )
    yield Goal("prediction takes at most 1/3 (geometric mean)", f"{predict:.2f} ×", predict <= 1 / 3)


def _times_of(learner: str, part: Part, repeats: int) -> tuple[float, float, float, float]:
    estimator = LEARNERS[learner]
    models = {
        "ecf": ECOCClassifier(clone(estimator), coding=ECF(n_columns=2.0), cv=part.cv, random_state=0),
        "ovo": OneVsOneClassifier(clone(estimator)),
    }

    def prediction(model: Any) -> float:
        start = time.perf_counter()
        model.predict(part.X_test)
        return 1000 * (time.perf_counter() - start)

    fits = in_turn({n: lambda m=m: timed(m.fit, part.X, part.y)[1] for n, m in models.items()}, repeats)
    predictions = in_turn({n: lambda m=m: prediction(m) for n, m in models.items()}, max(repeats, 5))
    seconds = [float(np.median(taken[n])) for taken in (fits, predictions) for n in models]
    return seconds[0], seconds[1], seconds[2], seconds[3]
