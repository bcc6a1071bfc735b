"""What does a cluster cost? Bytes moved and time of Dask and Ray with two workers, against two local jobs."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import joblib
import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import in_turn, timed
from benchmarks._report import Goal, Results, Table, percent
from ecoc import ECOCClassifier

WORKERS = 2


def run(quick: bool) -> Results:
    """Train 200 logistic regressions on each cluster and compare the models with local ones."""
    n, d, k, columns, repeats = (2000, 50, 30, (20, 40), 1) if quick else (10_000, 100, 30, (20, 200), 3)
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    X = rng.standard_normal((k, d))[y] + 3 * rng.standard_normal((n, d))
    code = np.vstack([np.ones(columns[-1]), -np.ones(columns[-1]), rng.choice([-1, 1], size=(k - 2, columns[-1]))])

    def fit(l: int = columns[-1], jobs: int | None = None) -> Any:
        model = ECOCClassifier(LogisticRegression(), coding=code[:, :l], decoding="linear", probability=False)
        return model.set_params(n_jobs=jobs).fit(X, y)

    for name, package, cluster in (("Dask", "distributed", dask), ("Ray", "ray", ray)):
        if find_spec(package) is None:
            yield f"{name} is not installed: pip install 'ecoc[{name.lower()}]'"
            continue
        with cluster() as (written, config):
            yield from compare(name, fit, written, config, columns, repeats, X)


def compare(
    name: str,
    fit: Callable[..., Any],
    written: Callable[[], int],
    config: dict[str, Any],
    columns: tuple[int, ...],
    repeats: int,
    X: Any,
) -> Results:
    """Measure the bytes for few and for many columns, and the seconds in turn with local jobs."""

    def there(l: int) -> Any:
        with joblib.parallel_config(**config):
            return fit(l)

    there(columns[0]), fit(columns[0], WORKERS)  # starts the workers
    rows = []
    for l in columns:
        before = written()
        there(l)
        moved = written() - before
        rows.append((l, moved / 1e6, moved / (X.nbytes * WORKERS)))
    yield Table(
        f"{name}, {WORKERS} workers, X {X.shape[0]:,} × {X.shape[1]}, {X.nbytes / 1e6:.1f} MB",
        ("columns", "MB moved", "÷ |X| × workers"),
        rows,
    )
    yield Goal(
        f"{name} moves ≤ 1.2 × |X| × workers", f"{max(r[-1] for r in rows):.2f}", max(r[-1] for r in rows) <= 1.2
    )
    taken = in_turn(
        {"local": lambda: timed(fit, columns[-1], WORKERS)[1], name: lambda: timed(there, columns[-1])[1]}, repeats
    )
    local, remote = (float(np.median(taken[each])) for each in ("local", name))
    same = bool(np.array_equal(fit(columns[0]).decision_function(X), there(columns[0]).decision_function(X)))
    yield Table(
        f"{columns[-1]} logistic regressions, median of {repeats}",
        ("", "seconds", "least", "most"),
        [(each, float(np.median(t)), min(t), max(t)) for each, t in taken.items()],
    )
    yield Goal(
        f"{name} takes ≤ 10 % more than {WORKERS} local jobs", percent(remote / local - 1), remote <= 1.1 * local
    )
    yield Goal(f"{name} trains identical models", str(same), same)


@contextmanager
def dask() -> Iterator[tuple[Callable[[], int], dict[str, Any]]]:
    """Start a local cluster, and count the bytes that it and its client write to their connections."""
    from dask.distributed import Client, LocalCluster

    def count() -> int:
        from distributed.comm.tcp import TCP

        if not hasattr(TCP, "written"):
            write, TCP.written = TCP.write, 0

            async def counting(*args: Any, **kwargs: Any) -> int:
                n_bytes: int = await write(*args, **kwargs)
                TCP.written += n_bytes
                return n_bytes

            TCP.write = counting
        return int(TCP.written)

    workers = {"n_workers": WORKERS, "threads_per_worker": 1, "processes": True}
    with (
        LocalCluster(**workers, dashboard_address=None, silence_logs=logging.CRITICAL) as cluster,
        Client(cluster, direct_to_workers=True) as client,
    ):
        yield lambda: count() + sum(client.run(count).values()), {"backend": "dask"}


@contextmanager
def ray() -> Iterator[tuple[Callable[[], int], dict[str, Any]]]:
    """Start a local Ray, and count the bytes handed to it as objects or with tasks."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray
    from ray.util.joblib import register_ray
    from ray.util.multiprocessing.pool import Pool

    put, run_batch, moved = ray.put, Pool._run_batch, [0]

    def count(value: Any) -> None:
        buffers: list[Any] = []
        moved[0] += len(ray.cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append))
        moved[0] += sum(buffer.raw().nbytes for buffer in buffers)

    def counting_put(value: Any, **options: Any) -> Any:
        count(value)
        return put(value, **options)

    def counting_run(self: Any, actor: int, *task: Any) -> Any:
        count(task)
        return run_batch(self, actor, *task)

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="critical")
    register_ray()
    ray.put, Pool._run_batch = counting_put, counting_run
    try:
        yield lambda: moved[0], {"backend": "ray", "n_jobs": WORKERS}
    finally:
        ray.put, Pool._run_batch = put, run_batch
        ray.shutdown()
