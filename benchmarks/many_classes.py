"""Can ecoc classify a hundred thousand classes? Time and memory of refinement, of whole classifiers and of decoding.

Times are those of the processor, summed over threads, so that other work on the computer does not count.
"""

import time
from importlib.util import find_spec
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Ridge, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._many import load
from benchmarks._measure import in_fresh_process, peak_megabytes
from benchmarks._report import Goal, Results, Table
from benchmarks._texts import tfidf
from benchmarks.clusters import dask
from ecoc import ECF, DataError, DenseRandom, ECOCClassifier, allocate, class_distances
from ecoc.codes.design.projection import project

ON_REQUEST = True
_CODINGS = {"dense random": DenseRandom, "ECF": ECF}
_TEXT_CODINGS = (("Grouped", "grouped", "hinge"), ("one-vs-all", "ova", "linear"), ("dense", "dense", "discriminant"))
_TESTED = 2000
_CONFUSABLE = (
    0.8  # deviation of the samples from the means of their classes, which lie 1 from the means of their groups
)
_NOISES = (0.2, 0.5, 0.6, 0.8, 1.0, 1.5)  # deviations of outputs from ±1
_LIMITS = {200: 3, 1000: 20, 5000: 120}  # seconds that refining so many classes may take
_PROJECTED = 3  # seconds that projecting 2,000 classes may take


def run(quick: bool) -> Results:
    """Measure refinement, projection, growth with classes and columns, texts, decoding, and a cluster."""
    yield from refining(quick)
    yield from projecting(quick)
    yield from growth(quick)
    yield from groups(quick)
    yield from decoding(quick)
    yield from cluster(quick)


def refining(quick: bool) -> Results:
    """Measure the time from data to a refined code, proxy and starts included."""
    rows = []
    in_fresh_process(refine, n_classes=80, n_columns=14)  # compiles
    for k in (200,) if quick else _LIMITS:
        for l in (2 * (k - 1).bit_length(), 6 * (k - 1).bit_length()):
            found = in_fresh_process(refine, n_classes=k, n_columns=l)
            rows.append((k, l, *found.values()))
            yield Goal(
                f"refine {k:,} classes, {l} columns, in {_LIMITS[k]} s", f"{found['s']} s", found["s"] <= _LIMITS[k]
            )
    yield Table("Refinement of ECF", ("classes", "columns", "s", "peak MB", "smallest distance"), rows)


def projecting(quick: bool) -> Results:
    """Measure the nearest correlation matrix of designs from data and of a random design."""
    k, rows = 200 if quick else 2000, []
    for design in ("balanced", "hard", "easy", "random"):
        found = in_fresh_process(project_once, n_classes=k, design=design)
        rows.append((k, design, *found.values()))
        yield Goal(f"project {k:,} classes, {design}, in {_PROJECTED} s", f"{found['s']} s", found["s"] <= _PROJECTED)
    yield Table("Projection of a design", ("classes", "design", "s", "rank", "steps", "bound on the error"), rows)


def project_once(n_classes: int, design: str) -> dict[str, Any]:
    """Project a design of classes that lie in groups, or a random one."""
    if design == "random":
        D = np.random.default_rng(0).uniform(-1, 1, (n_classes, n_classes))
        D = (D + D.T) / 2
    else:
        X, y, _, _ = samples(n_classes, 4, 0.4)
        D = allocate(class_distances(X, y), design)
    project(D[:100, :100])  # loads LAPACK
    start = time.process_time()
    found = project(D)
    seconds = round(time.process_time() - start, 1)
    return {"s": seconds, "rank": found.rank, "steps": found.n_iter, "error": f"{found.max_error:.0e}"}


def growth(quick: bool) -> Results:
    """Measure whole classifiers: ridge regression up to 100,000 classes, and trees, for which the code matters."""
    sizes = (501,) if quick else (1000, 10_000, 100_000)
    cells = [(k, name, 64) for k in sizes for name in _CODINGS]
    cells += [] if quick else [(10_000, "ECF", 32), (10_000, "ECF", 128)]
    rows = []
    for k, name, l in cells:
        found = in_fresh_process(measure, n_classes=k, coding=name, n_columns=l, learner="ridge")
        rows.append((k, name, l, *found.values()))
        if k == 100_000:
            seconds, peak = found["fit"] + found["predict"], found["peak"]
            yield Goal(f"100,000 classes, {name}: fit and predict in 10 min", f"{seconds:.0f} s", seconds <= 600)
            yield Goal(f"100,000 classes, {name}: peak of 4 GB", f"{peak / 1000:.1f} GB", peak <= 4000)
    found = in_fresh_process(
        measure, n_classes=sizes[-1], coding="ECF", n_columns=64, learner="ridge", noise=_CONFUSABLE
    )
    rows.append((sizes[-1], "ECF, overlapping classes", 64, *found.values()))
    columns = ("classes", "coding", "columns", "fit s", "predict 2,000 s", "peak MB", "accuracy")
    yield Table("Ridge regression, 32 features, 4 samples per class, default decoding", columns, rows)
    rows = [
        (
            l,
            name,
            *in_fresh_process(
                measure, n_classes=501 if quick else 2001, coding=name, n_columns=l, learner="tree"
            ).values(),
        )
        for l in ((24,) if quick else (24, 48, 96))
        for name in _CODINGS
    ]
    columns = ("columns", "coding", *columns[3:])
    yield Table("Trees of depth 8, 2,001 classes in 30 groups, 4 samples per class", columns, rows)


def groups(quick: bool) -> Results:
    """Measure linear classifiers of texts: one-vs-all, random codes, and groups of classes."""
    try:
        load("icd10")
    except DataError as error:
        yield f"diseases: {error}"
        return
    rows = []
    for name, coding, chosen in _TEXT_CODINGS[:1] if quick else _TEXT_CODINGS:
        found = in_fresh_process(texts, coding=coding, decoding=chosen, n_columns=256)
        rows.append((name, *found.values()))
    yield Table("LinearSVC, descriptions of diseases", ("coding", "columns", "fit s", "predict s", "MB", "%"), rows)


def texts(coding: str, decoding: str, n_columns: int) -> dict[str, Any]:
    """Measure one coding on all categories of diseases; a quarter of the texts are for tests."""
    data = load("icd10")
    y = np.unique(data.y, return_inverse=True)[1]
    A, B, u, v = train_test_split(np.asarray(data.X), y, test_size=0.25, random_state=0, stratify=y)
    X, X_test = tfidf(A, B)
    maker: Any = DenseRandom(n_columns=n_columns) if coding == "dense" else coding
    model = ECOCClassifier(LinearSVC(), coding=maker, decoding=decoding, probability=False, random_state=0)
    ECOCClassifier(LinearSVC(), coding=maker, decoding=decoding, probability=False).fit(X[:3000], u[:3000])  # compiles
    times = [time.process_time()]
    model.fit(X, u)
    times.append(time.process_time())
    accuracy = 100 * float(np.mean(model.predict(X_test) == v))
    times.append(time.process_time())
    fit, predict = np.diff(times).round(1).tolist()
    return {"l": model.n_columns_, "fit": fit, "predict": predict, "peak": round(peak_megabytes()), "%": accuracy}


def cluster(quick: bool) -> Results:
    """Train 10,000 classes on a local Dask cluster of two workers, and compare the model with a local one."""
    if find_spec("distributed") is None:
        yield "Dask is not installed: pip install 'ecoc[dask]'"
        return
    k = 500 if quick else 10_000
    X, y, X_test, _ = samples(k, 4, 0.4)
    learner = SGDClassifier(max_iter=5, tol=None, random_state=0)
    model = ECOCClassifier(learner, coding=DenseRandom(n_columns=32), decoding="linear", random_state=0)
    here = clone(model).fit(X, y)
    with dask() as (_, config), joblib.parallel_config(**config):
        there = clone(model).fit(X, y)
    weights = [np.vstack([each.coef_ for each in fitted.estimators_]) for fitted in (here, there)]
    same = bool(np.array_equal(*weights) and (here.predict(X_test) == there.predict(X_test)).all())
    yield Goal(f"Dask, {k:,} classes, two workers: the identical model", str(same), same)


def decoding(quick: bool) -> Results:
    """Measure how many samples are decoded in a second, from few wrong signs to many."""
    rows = []
    for k in (5000,) if quick else (10_000, 100_000):
        for name, goal in (("hamming", 50_000), ("linear", 4000)):
            for noise in (1.0,) if quick else _NOISES:
                found = in_fresh_process(decode, n_classes=k, n_columns=128, name=name, noise=noise)
                rows.append((k, name, *found.values()))
                if k == 100_000 and noise == 1:
                    rate = found["rate"]
                    yield Goal(f"{name}: {goal:,} samples a second, two cores", f"{rate:,.0f}", rate >= goal)
    columns = ("classes", "decoding", "wrong signs, %", "samples a second")
    yield Table("Decoding, 128 columns: samples a second on two cores", columns, rows)


def refine(n_classes: int, n_columns: int) -> dict[str, Any]:
    """Build a refined code."""
    X, y, _, _ = samples(n_classes, 8, 0.8)
    coding = ECF(n_columns=n_columns)
    start = time.process_time()
    book = coding.build(n_classes, X, y, random_state=0)
    seconds = time.process_time() - start
    assert coding.is_refined_
    return {"s": round(seconds, 1), "peak": round(peak_megabytes()), "distance": int(book.min_distance)}


def measure(n_classes: int, coding: str, n_columns: int, learner: str, noise: float = 0.4) -> dict[str, Any]:
    """Measure seconds, memory and accuracy of one classifier on classes that lie in groups."""
    X, y, X_test, tested = samples(n_classes, 4, noise)
    estimator = Ridge() if learner == "ridge" else DecisionTreeClassifier(max_depth=8, random_state=0)
    model = ECOCClassifier(estimator, coding=_CODINGS[coding](n_columns=n_columns), cv=2, random_state=0)
    times = [time.process_time()]
    model.fit(X, y)
    times.append(time.process_time())
    hits = model.predict(X_test) == tested
    times.append(time.process_time())
    fit, predict = np.diff(times).round(2).tolist()
    return {"fit": fit, "predict": predict, "peak": round(peak_megabytes()), "accuracy": float(hits.mean().round(3))}


def decode(n_classes: int, n_columns: int, name: str, noise: float) -> dict[str, Any]:
    """Measure samples a second of one decoding, at two seconds of processor time for each second."""
    from ecoc.decoding import get_decoding
    from ecoc.decoding.top import best_classes

    rng = np.random.default_rng(0)
    code = rng.choice([-1, 1], size=(n_classes, n_columns)).astype(np.int8)
    right = code[rng.integers(n_classes, size=4096)]
    outputs = right + noise * rng.normal(size=(4096, n_columns))
    decoding = get_decoding(name).fit(code)
    if decoding.needs == "signs":
        outputs = np.where(outputs > 0, 1.0, -1.0)
    best_classes(decoding, outputs)  # compiles
    times = [time.process_time()]
    for _ in range(5):
        best_classes(decoding, outputs)
        times.append(time.process_time())
    rate = 2 * len(outputs) / float(np.median(np.diff(times)))
    return {"wrong": round(100 * float(np.mean(outputs * right <= 0)), 1), "rate": round(rate)}


def samples(k: int, n: int, noise: float) -> tuple[Any, ...]:
    """Draw training and test samples of classes that lie in 30 groups."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(30, 32))[rng.integers(30, size=k)] + rng.normal(size=(k, 32))
    y, tested = np.repeat(np.arange(k), n), rng.integers(k, size=_TESTED)
    X, X_test = (centres[labels] + noise * rng.normal(size=(len(labels), 32)) for labels in (y, tested))
    return X, y, X_test, tested
