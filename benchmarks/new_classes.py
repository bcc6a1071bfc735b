"""Can classes be added from a few samples without training, as well as by training anew and by LDA?

A share of the classes is new, with a few samples of each. Models know the others from half of the samples, and are
tested on the other half, of old and new classes alike. Everything is prepared (scaled, principal components) by the
samples of old classes alone. Signs of one track are either for training or for the test. What was measured is kept, so
that an interrupted run goes on.

Then a stream in which 100 classes appear one after another. ``python -m benchmarks.new_classes FILE.png`` draws it from
the saved results.
"""

import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
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
from benchmarks._report import Figure, Goal, Results, Table
from benchmarks._results import Kept
from benchmarks._results import load as saved
from ecoc import DataError, ECOCClassifier

ON_REQUEST = True

COMPONENTS = {"orl40": 120, "traffic36": 100, "characters": 80}
SETS = ("orl40", "letter", "traffic36", "leaves100", "characters")
SHARES, COUNTS, DRAWS = (0.2, 0.5), (1, 2, 5, 20), 1
ANEW = 5  # number of samples with which models are also trained anew
MOST_ROWS = 2000
COLUMNS = ("old before", "old after", "new", "added", "code anew", "learner anew")
PEERS = ("LDA", "nearest mean", "1-NN on features", "1-NN on outputs")


def learners() -> dict[str, Any]:
    """Return the learners; boosters only if they are installed."""
    found = {
        "SVC": SVC(C=10),
        "logistic": LogisticRegression(max_iter=300),
        "forest": RandomForestClassifier(30, random_state=0),
    }
    try:
        from lightgbm import LGBMClassifier
        from xgboost import XGBClassifier
    except ImportError:
        return found
    boosters = {
        "XGBoost": XGBClassifier(n_estimators=20, max_depth=4, n_jobs=1),
        "LightGBM": LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1),
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
    for error in (missing(name) for name in SETS):
        if error:
            yield error
    sets, draws, shares = (("orl40", "letter"), 1, (0.2,)) if quick else (SETS, DRAWS, SHARES)
    used = dict(list(learners().items())[:2]) if quick else learners()
    kept, aucs = Kept("new_classes"), []
    for draw, share, name, (learner, estimator) in product(range(draws), shares, available(sets), used.items()):
        kept.measure(
            (name, learner, str(share), str(draw)), lambda *args: list(compared(*args)), name, estimator, share, draw
        )
    for share in shares:
        cells: dict[int, list[tuple[Any, ...]]] = {n: [] for n in COUNTS}
        for name in available(sets):
            for learner in used:
                mean = np.mean([kept.found[name, learner, str(share), str(draw)] for draw in range(draws)], axis=0)
                for n, row in zip(COUNTS, mean.tolist()):
                    cells[n].append((name, learner, *row[:-2]))
                aucs.append(mean[0, -2:])
        for n, rows in cells.items():
            shown = [(*row[:5], *row[5 : 8 if n == ANEW else 6], *row[8:]) for row in rows]
            columns = COLUMNS if n == ANEW else COLUMNS[:4]
            yield Table(f"{share:.0%} new, {n} samples", ("data", "learner", *columns, *PEERS), shown)
        yield from _goals(share, {n: np.array([row[2:] for row in rows]) for n, rows in cells.items()})
        means = [np.array([row[2:] for row in cells[n]]).mean(axis=0) for n in COUNTS]
        shown = [
            (n, *mean[:4], *(mean[4:6] if n == ANEW else (None, None)), *mean[6:]) for n, mean in zip(COUNTS, means)
        ]
        yield Table(f"{share:.0%} new, means", ("samples", *COLUMNS, *PEERS), shown)
    novelty, unsure = np.mean(aucs, axis=0)
    yield Figure("auc_novelty", float(novelty))
    yield Figure("auc_probability", float(unsure))
    yield Goal(
        "novelty_score: area under the curve in %, above that of the largest probability",
        f"{novelty:.1f} against {unsure:.1f}",
        bool(novelty > unsure),
    )


def _goals(share: float, cells: dict[int, Any]) -> Results:
    before, old, _, added, code, itself = cells[ANEW][:, :6].T
    gap, lead, loss = added - code, added - itself, before - old
    what = f"{share:.0%} new, {ANEW} samples"
    measured = f"{gap.mean():+.1f} points, worst {gap.min():+.1f}"
    if share == 0.2:
        yield Goal(
            f"{what}: below the code trained anew by at most 0.5 points, never by more than 3",
            measured,
            bool(gap.mean() >= -0.5 and gap.min() >= -3),
        )
        yield Goal("… above the learner trained anew by 5 points", f"{lead.mean():+.1f}", bool(lead.mean() >= 5))
        measured = f"{loss.mean():.1f}, worst {loss.max():.1f}"
        yield Goal("… old classes lose at most 1.5 points", measured, bool(loss.mean() <= 1.5))
        for place, peer in enumerate(PEERS[2:], start=8):
            ahead = float((cells[1][:, 3] - cells[1][:, place]).mean())
            yield Goal(f"1 sample: above {peer}", f"{ahead:+.1f} points", ahead > 0)
    else:
        yield Goal(f"{what}: within 2 points of the code trained anew", measured, bool(gap.mean() >= -2))


def missing(name: str) -> str:
    """Say why a set is left out; "" if it is there."""
    try:
        samples(name)
    except DataError as error:
        return f"{name} is left out: {error}"
    return ""


def available(sets: Iterable[str]) -> list[str]:
    """Return the sets that are there."""
    return [name for name in sets if not missing(name)]


@cache
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


def compared(name: str, learner: Any, share: float, draw: int) -> Iterator[list[float]]:
    """Return accuracies in percent, and areas under the curve of novelty, for each number of samples."""
    p = problem(name, share, max(COUNTS), draw)
    model = ECOCClassifier(clone(learner), new_classes="add", random_state=0).fit(p.X, p.y)
    old = p.is_old
    before = np.mean(model.predict(p.test[old]) == p.test_y[old])
    novelty = roc_auc_score(~old, model.novelty_score(p.test))
    unsure = roc_auc_score(~old, -model.predict_proba(p.test).max(axis=1))
    for n in COUNTS:
        few = np.concatenate([np.flatnonzero(p.few_y == c)[:n] for c in np.unique(p.few_y)])
        both, labels = np.vstack([p.X, p.few[few]]), np.concatenate([p.y, p.few_y[few]])
        hits = model.with_classes(p.few[few], p.few_y[few]).predict(p.test) == p.test_y
        code = itself = np.nan
        if n == ANEW:
            code = ECOCClassifier(clone(learner), random_state=0).fit(both, labels).score(p.test, p.test_y)
            classes, numbers = np.unique(labels, return_inverse=True)
            itself = np.mean(classes[clone(learner).fit(both, numbers).predict(p.test)] == p.test_y)
        peers = [
            LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(both, labels).predict(p.test),
            NearestCentroid().fit(both, labels).predict(p.test),
            KNeighborsClassifier(1).fit(both, labels).predict(p.test),
            KNeighborsClassifier(1).fit(model.outputs(both), labels).predict(model.outputs(p.test)),
        ]
        accuracies = [hits.mean(), code, itself, *(np.mean(each == p.test_y) for each in peers)]
        yield [
            100 * float(each) for each in (before, hits[old].mean(), hits[~old].mean(), *accuracies, novelty, unsure)
        ]


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
        begin = time.process_time()
        grown = model.with_classes(X[rows], y[rows])
        added = time.process_time()
        grown.predict(X[rows[:1]])
        seconds.append((added - begin, time.process_time() - added))
    milliseconds, first = 1000 * np.median(seconds, axis=0)
    measured = f"{milliseconds:.0f} ms of CPU time, the first prediction {first:.0f}"
    yield Goal(f"20 classes added to {k:,} in less than 50 ms", measured, bool(milliseconds < 50))
    at_once = model.with_classes(X[few.ravel()], y[few.ravel()])
    for rows in few[rng.permutation(more)]:
        model.add_classes(X[rows], y[rows])
    test = np.flatnonzero(~old)[7::8]
    difference = float(np.abs(model.predict_proba(X[test]) - at_once.predict_proba(X[test])).max())
    yield Goal(f"{more:,} classes one by one as all at once", f"largest difference {difference:.1e}", difference < 1e-6)


def _stream(quick: bool) -> Results:
    """Let classes appear one after another, and follow the accuracy over the classes so far."""
    X, y, _ = samples("letter" if quick else "leaves100")
    train, test = next(StratifiedShuffleSplit(1, test_size=0.4, random_state=0).split(X, y))
    scaled = StandardScaler().fit(X[train]).transform(X)
    short = scaled / np.sqrt(X.shape[1])  # SGDClassifier learns better from samples of length 1; models of river do not
    k, all_at_once = int(y.max()) + 1, SGDClassifier(random_state=0)
    code = ECOCClassifier(SGDClassifier(random_state=0), new_classes="add", random_state=0)
    models: dict[str, tuple[Any, Any]] = {
        "code": (code, short),
        "code, decoding='linear'": (clone(code).set_params(decoding="linear"), short),
        "SGDClassifier, told all classes": (all_at_once, short),
        **{each: (model, scaled) for each, model in river_models().items()},
    }
    if len(models) == 3:
        yield "river is left out: pip install river, in an environment of its own."
    curves: dict[str, list[float]] = {each: [] for each in models}
    seconds = dict.fromkeys(models, 0.0)
    rng = np.random.default_rng(0)
    points = [n for n in range(2, k + 1) if n % 10 == 0 or n == k]
    for n_seen in range(2, k + 1):
        seen = train[y[train] < n_seen]
        rows = np.concatenate([train[y[train] == n_seen - 1][:6], rng.choice(seen, 50)])
        rows = rows if n_seen > 2 else np.concatenate([seen, rows])
        judged = test[y[test] < n_seen]
        for each, (model, Z) in models.items():
            begin = time.process_time()
            model.partial_fit(Z[rows], y[rows], **({"classes": np.arange(k)} if model is all_at_once else {}))
            seconds[each] += time.process_time() - begin
            if n_seen in points:
                curves[each].append(100 * float(np.mean(model.predict(Z[judged]) == y[judged])))
    columns = ("model", *map(str, points), "mean", "seconds")
    shown = [(each, *curve, float(np.mean(curve)), seconds[each]) for each, curve in curves.items()]
    yield Table("stream", columns, shown)


def draw_stream(path: Path) -> None:
    """Draw the accuracies of the stream from the saved results."""
    from matplotlib.figure import Figure as Picture

    found = saved("new_classes")["tables"]["stream"]
    picture = Picture(figsize=(7, 4), layout="constrained")
    axes = picture.subplots()
    axes.set(xlabel="classes so far", ylabel="accuracy on all of them, %")
    for (model, *accuracies, _, _), line in zip(found["rows"], ("-", "--", ":", "-.", (0, (1, 2)))):
        axes.plot([int(n) for n in found["columns"][1:-2]], accuracies, label=model, linestyle=line, linewidth=2)
    axes.legend(fontsize=8)
    picture.savefig(path, dpi=110)


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


if __name__ == "__main__":
    draw_stream(Path(sys.argv[1]))
