"""Can ecoc classify a hundred thousand classes? Time and memory of refinement, of whole classifiers and of decoding.

Times are those of the processor, summed over threads, so that other work on the computer does not count.
"""

import time
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from benchmarks._measure import in_fresh_process, peak_megabytes
from benchmarks._report import Goal, Results, Table
from ecoc import ECF, DenseRandom, ECOCClassifier

ON_REQUEST = True
_CODINGS = {"dense random": DenseRandom, "ECF": ECF}
_TESTED = 2000
_LIMITS = {200: 3, 1000: 20, 5000: 120}  # seconds that refining so many classes may take


def run(quick: bool) -> Results:
    """Measure refinement, growth with classes and columns, and decoding."""
    yield from refining(quick)
    yield from growth(quick)
    yield from decoding(quick)


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


def decoding(quick: bool) -> Results:
    """Measure how many samples are decoded in a second."""
    rows = []
    for k in (5000,) if quick else (10_000, 100_000):
        for name, goal in (("hamming", 50_000), ("linear", 4000)):
            rate = in_fresh_process(decode, n_classes=k, n_columns=128, name=name)
            rows.append((k, name, round(rate)))
            if k == 100_000:
                yield Goal(f"{name}: {goal:,} samples a second, two cores", f"{rate:,.0f}", rate >= goal)
    yield Table(
        "Decoding, 128 columns: samples a second on two cores", ("classes", "decoding", "samples a second"), rows
    )


def refine(n_classes: int, n_columns: int) -> dict[str, Any]:
    """Build a refined code."""
    X, y, _, _ = samples(n_classes, 8, 0.8)
    coding = ECF(n_columns=n_columns)
    start = time.process_time()
    book = coding.build(n_classes, X, y, random_state=0)
    seconds = time.process_time() - start
    assert coding.is_refined_
    return {"s": round(seconds, 1), "peak": round(peak_megabytes()), "distance": int(book.min_distance)}


def measure(n_classes: int, coding: str, n_columns: int, learner: str) -> dict[str, Any]:
    """Measure seconds, memory and accuracy of one classifier on classes that lie in groups."""
    X, y, X_test, tested = samples(n_classes, 4, 0.4)
    estimator = Ridge() if learner == "ridge" else DecisionTreeClassifier(max_depth=8, random_state=0)
    model = ECOCClassifier(estimator, coding=_CODINGS[coding](n_columns=n_columns), cv=2, random_state=0)
    times = [time.process_time()]
    model.fit(X, y)
    times.append(time.process_time())
    hits = model.predict(X_test) == tested
    times.append(time.process_time())
    fit, predict = np.diff(times).round(2).tolist()
    return {"fit": fit, "predict": predict, "peak": round(peak_megabytes()), "accuracy": float(hits.mean().round(3))}


def decode(n_classes: int, n_columns: int, name: str) -> float:
    """Return samples a second of one decoding, at two seconds of processor time for each second."""
    from ecoc.decoding import get_decoding
    from ecoc.decoding.top import best_classes

    rng = np.random.default_rng(0)
    code = rng.choice([-1, 1], size=(n_classes, n_columns)).astype(np.int8)
    outputs = code[rng.integers(n_classes, size=4096)] + rng.normal(size=(4096, n_columns))
    decoding = get_decoding(name).fit(code)
    if decoding.needs == "signs":
        outputs = np.where(outputs > 0, 1.0, -1.0)
    best_classes(decoding, outputs[:10])  # compiles
    start = time.process_time()
    best_classes(decoding, outputs)
    return 2 * len(outputs) / (time.process_time() - start)


def samples(k: int, n: int, noise: float) -> tuple[Any, ...]:
    """Draw training and test samples of classes that lie in 30 groups."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(30, 32))[rng.integers(30, size=k)] + rng.normal(size=(k, 32))
    y, tested = np.repeat(np.arange(k), n), rng.integers(k, size=_TESTED)
    X, X_test = (centres[labels] + noise * rng.normal(size=(len(labels), 32)) for labels in (y, tested))
    return X, y, X_test, tested
