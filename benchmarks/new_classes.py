"""Can classes be added from a few samples without training, as well as by training anew and by LDA?

A share of the classes is new, with a few samples of each. Models know the others from half of the samples, and are
tested on the other half, of old and new classes alike. Everything is prepared (scaled, principal components) by the
samples of old classes alone. Samples that DESIGN groups stay together.
"""

import sys
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks._characters import characters
from benchmarks._datasets import groups, load
from benchmarks._report import Goal, Results, Table
from ecoc import DataError, ECOCClassifier

ON_REQUEST = True

COMPONENTS = {"orl40": 120, "traffic36": 100, "characters": 80}
SETS = ("leaves100", "orl40", "traffic36", "letter", "characters")
SHARES, COUNTS, DRAWS = (0.1, 0.2, 0.5), (1, 2, 5, 20), 5
MOST_ROWS = 3000
PEERS = ("LDA", "nearest mean", "1-NN on features", "1-NN on outputs")


def learners() -> dict[str, Any]:
    """Return the learners; boosters only if they are installed."""
    found = {
        "SVC": SVC(C=10),
        "logistic": LogisticRegression(max_iter=300),
        "forest": RandomForestClassifier(100, random_state=0),
    }
    try:
        from lightgbm import LGBMClassifier
        from xgboost import XGBClassifier
    except ImportError:
        return found
    boosters = {
        "XGBoost": XGBClassifier(n_estimators=40, max_depth=4, n_jobs=1),
        "LightGBM": LGBMClassifier(n_estimators=40, n_jobs=1, verbose=-1),
    }
    return {**found, **boosters}


class Problem(NamedTuple):
    """Prepared samples: of old classes, a few of new classes, and of all classes for the test."""

    X: Any
    y: Any
    few: Any
    few_y: Any
    test: Any
    test_y: Any

    @property
    def is_old(self) -> Any:
        """Tell which test samples have old classes."""
        return np.isin(self.test_y, self.y)


def run(quick: bool) -> Results:
    """Compare on all sets; ``--quick`` takes one draw of two sets."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from _accuracies(quick)
        yield from _many(quick)
        yield from _stream(quick)


def _accuracies(quick: bool) -> Results:
    sets, draws = (("orl40", "letter"), 1) if quick else (SETS, DRAWS)
    cells = [(0.2, 5)] if quick else [(share, n) for share in SHARES for n in COUNTS]
    used = dict(list(learners().items())[:2]) if quick else learners()
    rows: dict[tuple[float, int], list[list[float]]] = {}
    aucs = []
    for share, n in cells:
        table = []
        for name in sets:
            for learner, estimator in used.items():
                found = [compared(name, estimator, share, n, draw) for draw in range(draws)]
                mean = np.nanmean(found, axis=0).tolist()
                table.append((name, learner, *mean))
                rows.setdefault((share, n), []).append(mean)
                aucs.append(mean[-2:])
        columns = ("data", "learner", "old before", "old after", "new", "added", "code anew", "learner anew")
        last = ("AUC of novelty", "AUC of 1 − p")
        yield Table(f"{share:.0%} new, {n} samples: accuracy, %", (*columns, *PEERS, *last), table)
    yield from _goals(rows)
    mean = np.mean(aucs, axis=0)
    yield Goal(
        "novelty: area under the curve above that of the largest probability",
        f"{mean[0]:.1f}, {mean[1]:.1f}",
        bool(mean[0] > mean[1]),
    )


def _goals(rows: dict[tuple[float, int], list[list[float]]]) -> Results:
    if (0.2, 5) in rows:
        cells = np.array(rows[0.2, 5])
        gap, lead, loss = cells[:, 3] - cells[:, 4], cells[:, 3] - cells[:, 5], cells[:, 0] - cells[:, 1]
        yield Goal(
            "20 % new, 5 samples: not below the code trained anew by more than 0.5 points, never by more than 3",
            f"{gap.mean():+.1f} points, worst {gap.min():+.1f}",
            bool(gap.mean() >= -0.5 and gap.min() >= -3),
        )
        yield Goal("… above the learner trained anew by 5 points", f"{lead.mean():+.1f}", bool(lead.mean() >= 5))
        yield Goal(
            "… old classes lose at most 1.5 points",
            f"{loss.mean():.1f}, worst {loss.max():.1f}",
            bool(loss.mean() <= 1.5),
        )
    if (0.5, 5) in rows:
        gap = np.array([row[3] - row[4] for row in rows[0.5, 5]])
        yield Goal("50 % new: within 2 points of the code trained anew", f"{gap.mean():+.1f} points", gap.mean() >= -2)
    if (0.2, 1) in rows:
        cells = np.array(rows[0.2, 1])
        for place, what in ((8, "features"), (9, "outputs")):
            lead = cells[:, 3] - cells[:, place]
            yield Goal(f"1 sample: above 1-NN on {what}", f"{lead.mean():+.1f} points", bool(lead.mean() > 0))


def samples(name: str) -> tuple[Any, Any, Any]:
    """Return samples, classes and groups."""
    if name == "characters":
        X, names, _ = characters(100, n_samples=4)
        return X.astype(float), np.unique(names, return_inverse=True)[1], None
    data = load(name)
    if data is None:
        raise DataError(f"{name} is needed; set ECOC_DATA to a folder that has it.")
    X, y = data
    group = groups(name)
    if len(y) > MOST_ROWS and group is None:
        kept = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y = X[kept], y[kept]
    return X, y, group


def problem(name: str, share: float, n: int, draw: int) -> Problem:
    """Draw the new classes and the split, and prepare the samples."""
    X, y, group = samples(name)
    if group is None:
        train, test = next(StratifiedShuffleSplit(1, test_size=0.5, random_state=draw).split(X, y))
    else:
        train, test = next(StratifiedGroupKFold(2, shuffle=True, random_state=draw).split(X, y, group))
    rng = np.random.default_rng(100 + draw)
    k = int(y.max()) + 1
    new = rng.permutation(k)[: max(1, round(share * k))]
    old = train[~np.isin(y[train], new)]
    few = np.concatenate([rng.permutation(train[y[train] == c])[:n] for c in new])
    if name in COMPONENTS:
        prepare: Any = PCA(min(COMPONENTS[name], len(old) - 1), random_state=0)
    else:
        prepare = StandardScaler()
    Z = prepare.fit(X[old]).transform(X)
    Z /= Z[old].std()
    return Problem(Z[old], y[old], Z[few], y[few], Z[test], y[test])


def compared(name: str, learner: Any, share: float, n: int, draw: int) -> list[float]:
    """Return all accuracies in percent, and areas under the curve of novelty."""
    p = problem(name, share, n, draw)
    both, labels = np.vstack([p.X, p.few]), np.concatenate([p.y, p.few_y])
    model = ECOCClassifier(clone(learner), new_classes="add", random_state=0).fit(p.X, p.y)
    old = p.is_old
    before = np.mean(model.predict(p.test[old]) == p.test_y[old])
    novelty = roc_auc_score(~old, model.novelty_score(p.test))
    unsure = roc_auc_score(~old, -model.predict_proba(p.test).max(axis=1))
    hits = model.with_classes(p.few, p.few_y).predict(p.test) == p.test_y
    code = ECOCClassifier(clone(learner), random_state=0).fit(both, labels)
    classes, numbers = np.unique(labels, return_inverse=True)
    itself = classes[clone(learner).fit(both, numbers).predict(p.test)]
    peers = [
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(both, labels).predict(p.test),
        NearestCentroid().fit(both, labels).predict(p.test),
        KNeighborsClassifier(1).fit(both, labels).predict(p.test),
        KNeighborsClassifier(1).fit(model.outputs(both), labels).predict(model.outputs(p.test)),
    ]
    accuracies = [hits.mean(), code.score(p.test, p.test_y), np.mean(itself == p.test_y)]
    accuracies += [np.mean(each == p.test_y) for each in peers]
    return [100 * float(each) for each in (before, hits[old].mean(), hits[~old].mean(), *accuracies, novelty, unsure)]


def _many(quick: bool) -> Results:
    """Add 20 classes to 1,000, and 1,000 classes one by one."""
    k, more = (200, 20) if quick else (1000, 1000)
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(k + more, 40)) * 2
    y = np.repeat(np.arange(k + more), 8)
    X = centres[y] + rng.normal(size=(len(y), 40))
    old = y < k
    model = ECOCClassifier(LogisticRegression(), coding="dense", decoding="discriminant", random_state=0)
    model.fit(X[old], y[old]).novelty_score(X[:1])  # statistics of held-out outputs, as saved models have them
    few = np.flatnonzero(~old).reshape(more, 8)[:, :5]
    seconds = []
    for start in range(0, 100 if more > 100 else 20, 20):
        rows = few[start : start + 20].ravel()
        begin = time.perf_counter()
        model.with_classes(X[rows], y[rows])
        seconds.append(time.perf_counter() - begin)
    milliseconds = 1000 * float(np.median(seconds))
    yield Goal(f"20 classes added to {k:,} in less than 50 ms", f"{milliseconds:.0f} ms", milliseconds < 50)
    at_once = model.with_classes(X[few.ravel()], y[few.ravel()])
    for rows in few[rng.permutation(more)]:
        model.add_classes(X[rows], y[rows])
    test = np.flatnonzero(~old)[7::8]
    difference = float(np.abs(model.predict_proba(X[test]) - at_once.predict_proba(X[test])).max())
    yield Goal(f"{more:,} classes one by one as all at once", f"largest difference {difference:.1e}", difference < 1e-6)


def _stream(quick: bool) -> Results:
    """Let classes appear one after another, and follow the accuracy over the classes so far."""
    name, start = ("letter", 5) if quick else ("leaves100", 10)
    X, y, _ = samples(name)
    train, test = next(StratifiedShuffleSplit(1, test_size=0.4, random_state=0).split(X, y))
    scaler = StandardScaler().fit(X[train])
    X = scaler.transform(X) / np.sqrt(X.shape[1])
    k = int(y.max()) + 1
    models: dict[str, Any] = {
        "code": ECOCClassifier(SGDClassifier(random_state=0), decoding="linear", new_classes="add", random_state=0),
        "SGDClassifier, told all classes": SGDClassifier(random_state=0),
        **river_models(),
    }
    if len(models) == 2:
        yield "river is not installed (pip install river, in an environment of its own), so its models are left out."
    curves: dict[str, list[float]] = {each: [] for each in models}
    seconds = dict.fromkeys(models, 0.0)
    rng = np.random.default_rng(0)
    for n_seen in range(start, k + 1):
        seen = train[y[train] < n_seen]
        batch = np.concatenate([train[y[train] == n_seen - 1][:6], rng.choice(seen, 50)])
        judged = test[y[test] < n_seen]
        for each, model in models.items():
            begin = time.perf_counter()
            rows = batch if n_seen > start else np.concatenate([seen, batch])
            if isinstance(model, SGDClassifier):
                model.partial_fit(X[rows], y[rows], classes=np.arange(k))
            else:
                model.partial_fit(X[rows], y[rows])
            seconds[each] += time.perf_counter() - begin
            if n_seen % 10 == 0 or n_seen == k:
                curves[each].append(100 * float(np.mean(model.predict(X[judged]) == y[judged])))
    points = [str(n) for n in range(start, k + 1) if n % 10 == 0 or n == k]
    rows = [(each, *curve, seconds[each]) for each, curve in curves.items()]
    yield Table(
        f"{name}: accuracy in % after so many classes; seconds of training", ("model", *points, "seconds"), rows
    )


class _OneByOne:
    """A model of river behind `partial_fit` and `predict`."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def partial_fit(self, X: Any, y: Any) -> None:
        """Learn samples one after another."""
        for x, label in zip(X, y.tolist()):
            self.model.learn_one(dict(enumerate(x.tolist())), label)

    def predict(self, X: Any) -> Any:
        """Predict samples one after another."""
        return np.array([self.model.predict_one(dict(enumerate(x.tolist()))) for x in X])


def river_models() -> dict[str, Any]:
    """Return models of river, if it is installed."""
    try:
        from river import linear_model, multiclass
    except ImportError:
        return {}
    learner = linear_model.LogisticRegression()
    return {
        "river, output codes": _OneByOne(multiclass.OutputCodeClassifier(learner.clone(), code_size=34, seed=0)),
        "river, one-vs-rest": _OneByOne(multiclass.OneVsRestClassifier(learner.clone())),
    }


if __name__ == "__main__":  # one cell: python -m benchmarks.new_classes leaves100 SVC 0.2 5 0
    data, which, share, n, draw = sys.argv[1:]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(np.round(compared(data, learners()[which], float(share), int(n), int(draw)), 1).tolist())
