"""Is it the same on a cluster? Real Dask and Ray workers: equal models, X moved once to each, deaths survived."""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECOCClassifier
from ecoc.training.parallel import Shared

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),  # in Dask and Ray
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
X, y = load_digits(return_X_y=True)
X, y = X[:400] / 16, y[:400]
LEARNERS = {
    "logistic": (LogisticRegression(C=0.01), X),
    "logistic, CSR": (LogisticRegression(C=0.01), sparse.csr_array(X)),
    "tree": (DecisionTreeClassifier(max_features=8), X),
    "shared kernel": (SVC(), X),
    "regressor": (SVR(), X),
}


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Any]:
    distributed = pytest.importorskip("dask.distributed")
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        distributed.LocalCluster(**workers, dashboard_address=None, silence_logs=logging.CRITICAL) as cluster,
        distributed.Client(cluster, direct_to_workers=True) as client,
    ):
        yield client


@pytest.fixture
def dask_workers(dask_client: Any) -> Any:
    dask_client.wait_for_workers(2)
    with joblib.parallel_config(backend="dask"):
        yield dask_client


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="critical", object_store_memory=2**27
    )
    register_ray()
    yield ray
    ray.shutdown()


@pytest.fixture
def ray_workers(ray_cluster: Any) -> Any:
    with joblib.parallel_config(backend="ray", n_jobs=-1):
        yield ray_cluster


@pytest.fixture
def written(dask_workers: Any) -> Callable[[], int]:
    """Bytes that client, scheduler and workers have together written to Dask's connections, whatever they were."""

    def count() -> int:
        from distributed.comm.tcp import TCP

        if not hasattr(TCP, "written"):
            write, TCP.written = TCP.write, 0

            async def counting(*args: Any, **kwargs: Any) -> int:
                n_bytes: int = await write(*args, **kwargs)
                TCP.written += n_bytes
                return n_bytes

            TCP.write = counting
        return TCP.written

    count(), dask_workers.run(count)
    return lambda: count() + sum(dask_workers.run(count).values())


def classifier(estimator: Any, l: int = 12, k: int = 10, **options: Any) -> ECOCClassifier:
    code = np.vstack([np.ones(l), -np.ones(l), np.random.default_rng(0).choice([-1, 1], size=(k - 2, l))])
    return ECOCClassifier(estimator, coding=code, **{"decoding": "linear", "probability": False, **options})


def assert_same(estimator: Any, samples: Any, **options: Any) -> None:
    chosen = classifier(estimator, random_state=0, **options).fit(samples, y)
    with joblib.parallel_config(backend="sequential"):
        local = classifier(estimator, random_state=0, **options).fit(samples, y)
    np.testing.assert_array_equal(chosen.decision_function(samples), local.decision_function(samples))
    for here, there in zip(local.estimators_, chosen.estimators_):
        if hasattr(here, "coef_"):
            np.testing.assert_array_equal(here.coef_, there.coef_)


@pytest.mark.parametrize("name", LEARNERS)
def test_dask_trains_the_same_models(name, dask_workers):
    assert_same(*LEARNERS[name])


def test_dask_gives_the_same_out_of_fold_outputs(dask_workers):
    assert_same(LogisticRegression(C=0.01), X, decoding="discriminant", probability=True, cv=2)


@pytest.mark.parametrize("name", ["logistic, CSR", "shared kernel"])
def test_ray_trains_the_same_models(name, ray_workers):
    assert_same(*LEARNERS[name])


def test_what_is_shared_in_memory_is_not_sent_to_processes():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert_same(SVC(), X)


def test_workers_train_all_but_machines_with_a_shared_kernel(dask_workers):
    from dask.distributed import get_task_stream

    for estimator, on_workers in ((LogisticRegression(), True), (DecisionTreeClassifier(), True), (SVC(), False)):
        with get_task_stream() as stream:
            classifier(estimator).fit(X, y)
        assert any("fit_one" in str(task["key"]) for task in stream.data) is on_workers


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_dask_moves_the_samples_once_to_each_worker(kind, written):
    samples, labels = many_samples(kind)
    moved = {}
    for l in (20, 200):
        before = written()
        classifier(MultinomialNB(), l, 30).fit(samples, labels)
        moved[l] = (written() - before) / (2 * size(samples))
    assert min(moved.values()) >= 0.5  # where the models are trained is Dask's choice: it may be one of the two
    assert max(moved.values()) <= 1.2


def test_dask_moves_each_fold_once_to_each_worker(written):
    samples, labels = many_samples(np.asarray)
    before = written()
    classifier(MultinomialNB(), 20, 30, decoding="discriminant", cv=2).fit(samples, labels)
    assert written() - before <= 1.2 * 2 * (1 + 2 * 0.5) * size(samples)  # all of X, and each of two halves of it


def test_ray_puts_the_samples_once_into_the_object_store(ray_workers, monkeypatch):
    from ray.util.multiprocessing.pool import Pool

    samples, labels = many_samples(np.asarray)
    moved = []
    put, run_batch = ray_workers.put, Pool._run_batch

    def counting_put(value: Any, **options: Any) -> Any:
        moved.append(pickled_bytes(value))
        return put(value, **options)

    def counting_run(self: Any, actor: int, *task: Any) -> Any:
        moved.append(pickled_bytes(task))
        return run_batch(self, actor, *task)

    def pickled_bytes(value: Any) -> int:
        buffers: list[Any] = []
        pickled = ray_workers.cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        return len(pickled) + sum(buffer.raw().nbytes for buffer in buffers)

    monkeypatch.setattr(ray_workers, "put", counting_put)
    monkeypatch.setattr(Pool, "_run_batch", counting_run)
    classifier(MultinomialNB(), 200, 30).fit(samples, labels)
    assert size(samples) <= sum(moved) <= 1.2 * size(samples)


@pytest.mark.parametrize("holders", [1, 2])
def test_the_death_of_a_dask_worker_is_survived(holders, dask_workers):
    """One of two workers is killed: when it alone has the samples, and when both have them."""
    scheduler, pids, killed = dask_workers.cluster.scheduler, dask_workers.run(os.getpid), threading.Event()

    def kill() -> None:
        while not killed.wait(0.001):
            for task in list(scheduler.tasks.values()):
                if str(task.key).startswith("Shared") and len(task.who_has or ()) >= holders:
                    os.kill(pids[next(iter(task.who_has)).address], signal.SIGKILL)
                    killed.set()
                    return

    samples, labels = np.tile(X, (10, 1)), np.tile(y, 10)
    killer = threading.Thread(target=kill)
    killer.start()
    model = classifier(LogisticRegression(max_iter=30, tol=0), 24).fit(samples, labels)
    died = killed.is_set()
    killed.set()
    killer.join()
    assert died
    with joblib.parallel_config(backend="sequential"):
        local = classifier(LogisticRegression(max_iter=30, tol=0), 24).fit(samples, labels)
    np.testing.assert_array_equal(model.decision_function(X), local.decision_function(X))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_what_arrives_is_aligned(kind):
    """Arrays received at an odd address are copied, once; products of unaligned arrays would copy at every call."""
    import pickle

    buffers: list[Any] = []
    pickled = pickle.dumps(Shared(kind(X), {"a": y}, None), protocol=5, buffer_callback=buffers.append)
    shifted = [memoryview(bytearray(b"?" + buffer.raw()))[1:] for buffer in buffers]
    samples, params, nothing = pickle.loads(pickled, buffers=shifted).values
    arrays = [samples] if isinstance(samples, np.ndarray) else [samples.data, samples.indices, samples.indptr]
    assert all(array.flags.aligned for array in [*arrays, params["a"]])
    assert nothing is None
    np.testing.assert_array_equal(samples if kind is np.asarray else samples.toarray(), X)


def many_samples(kind: Callable[[Any], Any]) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return kind(rng.integers(1, 9, (8000, 100)).astype(float)), np.arange(8000) % 30


def size(samples: Any) -> int:
    return (
        samples.nbytes
        if isinstance(samples, np.ndarray)
        else sum(array.nbytes for array in (samples.data, samples.indices, samples.indptr))
    )
