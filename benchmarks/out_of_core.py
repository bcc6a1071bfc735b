"""Does a table of four times the allowed memory train, predict, and stay below the limit? XGBoost in external memory.

A generated table of 200 classes (each two clusters in 20 of 500 features, the others noise) is written to `.npy` files
and trained by ``fit(Batches(…))`` in a process of its own, whose peak memory is measured. A smaller table is trained in
batches and in memory, with the same learner and code, for the accuracy.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks._measure import in_fresh_process, peak_megabytes
from benchmarks._report import Goal, Results, Table
from benchmarks.price import ONE_THREAD

ON_REQUEST = True
CLASSES, FEATURES, TELLING = 200, 500, 20
FULL, QUICK = 2_000_000_000, 64_000_000  # bytes of the limit; the table has four times as many
ROUNDS, LENGTH = 3, 10  # the fit of 4 million rows takes minutes of one core
COLUMNS = ("table, GB", "limit, GB", "packages, GB", "peak, GB", "fit, s", "predict, s", "accuracy, %")


def run(quick: bool) -> Results:
    """Measure a table of four times the limit, then accuracy on a part."""
    limit = QUICK if quick else FULL
    yield from _of_size(limit, QUICK if quick else FULL // 16)


def _of_size(limit: int, part: int) -> Results:
    with tempfile.TemporaryDirectory() as folder:
        in_fresh_process(write, folder=folder, n_bytes=4 * limit)
        found = in_fresh_process(fit, environment=ONE_THREAD, folder=folder, limit=limit)
        row = (
            4 * limit / 1e9,
            limit / 1e9,
            found["before"] / 1e9,
            found["peak"] / 1e9,
            found["fit"],
            found["predict"],
            100 * found["accuracy"],
        )
        yield Table(f"{CLASSES} classes, {FEATURES} features, {LENGTH} columns", COLUMNS, [row])
        peak = found["peak"]
        yield Goal(f"peak memory below {limit / 1e9:g} GB, packages included", f"{peak / 1e9:.2f} GB", peak <= limit)
    with tempfile.TemporaryDirectory() as folder:
        in_fresh_process(write, folder=folder, n_bytes=part)
        ways = {
            way: in_fresh_process(fit, environment=ONE_THREAD, folder=folder, limit=limit, in_memory=way)
            for way in (0, 1)
        }
        loss = 100 * (ways[1]["accuracy"] - ways[0]["accuracy"])
        yield Goal("accuracy at most 0.3 points below that in memory, on a part", f"{-loss:+.2f} points", loss <= 0.3)


def samples(seed: int, rows: int) -> tuple[Any, Any]:
    """Generate samples of the table."""
    centres = np.random.default_rng(0).normal(size=(2 * CLASSES, TELLING)) * 1.6
    rng = np.random.default_rng([1, seed])
    cluster = rng.integers(0, len(centres), rows)
    X = rng.normal(size=(rows, FEATURES)).astype(np.float32)
    X[:, :TELLING] += centres[cluster]
    return X, (cluster % CLASSES).astype(np.int32)


def write(folder: str, n_bytes: int, rows: int = 20_000) -> None:
    """Write the table, in files of some rows."""
    rows = min(rows, n_bytes // (8 * FEATURES * 4))
    for i in range(-(-n_bytes // (rows * FEATURES * 4))):
        X, y = samples(i, rows)
        np.save(Path(folder) / f"x{i}.npy", X)
        np.save(Path(folder) / f"y{i}.npy", y)


class Files:
    """The files as batches."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for i in range(len(list(self.folder.glob("x*.npy")))):
            yield np.load(self.folder / f"x{i}.npy"), np.load(self.folder / f"y{i}.npy")


def fit(folder: str, limit: int, in_memory: int = 0) -> dict[str, float]:
    """Fit and predict, from batches or in memory."""
    from xgboost import XGBClassifier

    from ecoc import ECF, Batches, ECOCClassifier

    model = ECOCClassifier(
        XGBClassifier(n_estimators=ROUNDS, n_jobs=1, max_bin=64, learning_rate=0.5),
        coding=ECF(n_columns=LENGTH),
        decoding="centroid",
        random_state=0,
    )
    before = peak_megabytes()
    new, truth = samples(10**6, 4000)
    start = process_time()
    if in_memory:
        X, y = (np.concatenate(each) for each in zip(*Files(folder)))
        model.fit(X, y)
    else:
        model.fit(Batches(Files(folder), max_memory=limit / 2, folder=folder))
    fitted = process_time()
    predicted = model.predict(Batches([new[:2000], new[2000:]]))
    done = process_time()
    return {
        "fit": fitted - start,
        "predict": done - fitted,
        "accuracy": float(np.mean(predicted == truth)),
        "before": 1e6 * before,
        "peak": 1e6 * peak_megabytes(),
    }
