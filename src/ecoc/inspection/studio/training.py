"""Train with the code of the page in a separate process, which reports progress and can be stopped."""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.estimators import last_step
from ecoc.utils.folds import make_folds
from ecoc.utils.scikit import n_samples, safe_indexing

try:  # classes that a notebook defines need it; joblib brings it, inside of itself up to version 1.5
    import cloudpickle
except ImportError:
    from joblib.externals import cloudpickle

Tell = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Job:
    """A training job: the original model, one with the new code, samples, and pairs of classes to watch.

    Parameters
    ----------
    before, after : estimator
        Unfitted models.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    y : ndarray of shape (n_samples,)
        Row of the class of each sample.
    labels : list
        Labels of the classes.
    pairs : list of (int, int)
        Pairs whose confusions are counted.
    n_folds : int
        Folds of the comparison.
    most_rows : int
        Rows that the comparison uses. The final model is fitted to all rows.
    """

    before: Any
    after: Any
    X: Any
    y: NDArray[np.intp]
    labels: list[Any]
    pairs: Sequence[tuple[int, int]] = ()
    n_folds: int = 3
    most_rows: int = 3000


class Measured(NamedTuple):
    """Predictions of one model for held-out samples, its number of columns, and its seconds of prediction."""

    said: NDArray[np.intp]
    n_columns: int
    seconds: float


def run(job: Job, tell: Tell) -> tuple[Any, dict[str, Any]]:
    """Compare both models on folds, fit the new one to all samples, and return it with the comparison."""
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(job.y))[: job.most_rows])
    X, y = safe_indexing(job.X, rows), job.y[rows]
    folds = make_folds(job.n_folds, y, 0)
    folds = [(train, test[np.isin(y[test], y[train])]) for train, test in folds]
    done, steps = 0, 2 * len(folds) + 1

    def step(text: str) -> None:
        nonlocal done
        tell({"share": done / steps, "text": text})
        done += 1

    found: dict[str, Measured] = {}
    for name, model in (("before", job.before), ("after", job.after)):
        said, seconds, columns = np.full(len(y), -1), 0.0, 0
        for number, (train, test) in enumerate(folds):
            step(f"{'with' if name == 'after' else 'without'} your design, fold {number + 1} of {len(folds)}")
            fitted = _fit(model, safe_indexing(X, train), y[train], job.labels)
            part = safe_indexing(X, test)
            start = time.perf_counter()
            answers = fitted.predict(part)
            seconds += time.perf_counter() - start
            said[test] = _rows(answers, job.labels)
            columns = int(last_step(fitted).n_columns_)
        found[name] = Measured(said, columns, seconds)
    step(f"fitting to all {n_samples(job.X):,} samples")
    model = _fit(job.after, job.X, job.y, job.labels)
    return model, compare(found["before"], found["after"], y, job.labels, job.pairs)


def compare(
    before: Measured, after: Measured, y: NDArray[np.intp], labels: list[Any], pairs: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    """Return accuracies, confusions of the pairs, and the standard errors of both and of the differences."""
    hits = [(each.said == y).astype(float) for each in (before, after)]
    table: dict[str, Any] = {
        "samples": len(y),
        "accuracy": [float(hit.mean()) for hit in hits],
        "accuracy_errors": [_error(hit) / len(y) for hit in hits],
        "gain": float((hits[1] - hits[0]).mean()),
        "gain_error": _error(hits[1] - hits[0]) / len(y),
        "n_columns": [before.n_columns, after.n_columns],
        "seconds_per_1000": [1000 * each.seconds / len(y) for each in (before, after)],
        "pairs": [],
    }
    for i, j in pairs:
        wrong = [
            (((y == i) & (each.said == j)) | ((y == j) & (each.said == i))).astype(float) for each in (before, after)
        ]
        counts = [int(each.sum()) for each in wrong]
        table["pairs"].append([i, j, *counts, _error(wrong[1] - wrong[0])])
    return table


def _error(values: NDArray[np.float64]) -> float:
    """Return the standard error of a sum of independent values."""
    return float(np.sqrt(len(values)) * values.std())


def _fit(model: Any, X: Any, y: NDArray[np.intp], labels: list[Any]) -> Any:
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, np.array(labels)[y])


def _rows(answers: Any, labels: list[Any]) -> NDArray[np.intp]:
    place = {label: i for i, label in enumerate(labels)}
    return np.array([place.get(label, -1) for label in np.ravel(answers).tolist()], dtype=np.intp)


class Training:
    """A job in a process of its own.

    Parameters
    ----------
    job : Job
        What to train.
    """

    def __init__(self, job: Job) -> None:
        self.messages: list[dict[str, Any]] = []
        self.model: Any = None
        self.is_over = False
        self._changed = threading.Condition()
        self._stopped = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the process
        program = "from ecoc.inspection.studio.training import main; main()"
        folders = os.pathsep.join(filter(None, sys.path))  # so that the process finds what this one has found
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONPATH": folders},
        )
        threading.Thread(target=self._follow, args=(cloudpickle.dumps(job),), daemon=True).start()

    def stop(self) -> None:
        """End the process."""
        self._stopped = True
        self._process.kill()

    def follow(self, is_cancelled: Callable[[], bool]) -> Any:
        """Yield all messages from the first one on, until the last, or until cancelled."""
        seconds = 0.2  # between two looks at the caller
        place = 0
        while not is_cancelled():
            with self._changed:
                if place == len(self.messages) and not self.is_over:
                    self._changed.wait(seconds)
                news, over = self.messages[place:], self.is_over
            yield from news
            place += len(news)
            if over and place == len(self.messages):
                return

    def _follow(self, job: bytes) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        result: dict[str, Any] | None = None
        try:
            self._process.stdin.write(job)
            self._process.stdin.flush()
            while result is None:
                kind, content = pickle.load(self._process.stdout)
                if kind == "progress":
                    self._add({"stage": "progress", **content})
                elif kind == "failed":
                    result = {"stage": "error", "error": content}
                else:
                    self.model, table = pickle.loads(content)
                    result = {"stage": "done", **table}
        except (EOFError, OSError, pickle.UnpicklingError):
            result = {"stage": "error", "error": self._end()}
        finally:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
        self._add(result, last=True)

    def _end(self) -> str:
        if self._stopped:
            return "Training was stopped; nothing has changed."
        code = self._process.wait()
        self._errors.seek(0)
        told = self._errors.read().decode(errors="replace").strip().splitlines()
        last = f": {told[-1][:300]}" if told else ", perhaps for lack of memory; try fewer samples"
        return f"The training process ended with code {code}{last}."

    def _add(self, message: dict[str, Any], last: bool = False) -> None:
        with self._changed:
            self.messages.append(message)
            self.is_over = last
            self._changed.notify_all()


def main() -> None:
    """Train the job that comes through standard input; end if the parent does."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what learners print must not be mixed with our messages

    def send(kind: str, content: Any) -> None:
        pickle.dump((kind, content), out)
        out.flush()

    job = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_watch, daemon=True).start()
    try:
        send("done", cloudpickle.dumps(run(job, lambda message: send("progress", message))))
    except Exception as error:
        send("failed", f"Training failed: {' '.join(str(error).split()) or type(error).__name__}")


def _watch() -> None:
    sys.stdin.buffer.read(1)  # returns when the parent has closed its end, or is gone
    os._exit(1)
