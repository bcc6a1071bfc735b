"""How are many trainings run at once? joblib's way: threads where they help, else processes."""

from collections.abc import Iterable
from typing import Any

from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR
from sklearn.tree import BaseDecisionTree
from sklearn.utils.parallel import Parallel

from ecoc._progress import Progress
from ecoc.dichotomies.base import Options

_COMPILED = (SVC, NuSVC, SVR, NuSVR, LinearSVC, LinearSVR, SGDClassifier, SGDRegressor, BaseDecisionTree)


def releases_interpreter(estimator: Any) -> bool:
    """Whether training lets other threads run: it happens in compiled code that does not hold the interpreter."""
    return isinstance(estimator, _COMPILED) and not callable(getattr(estimator, "kernel", None))


def run_parallel(tasks: Iterable[Any], options: Options, *, threads: bool, total: int) -> list[Any]:
    """Run joblib tasks in order of results; a progress bar if `verbose`.

    Threads are a hint only: a backend chosen by ``joblib.parallel_config`` has precedence. Process workers read large
    arrays from one memory map.
    """
    parallel = Parallel(n_jobs=options.n_jobs, prefer="threads" if threads else None, return_as="generator")
    results = []
    with Progress("training", options.verbose > 0) as bar:
        for result in parallel(tasks):
            results.append(result)
            bar.update(len(results) / total, f"{len(results)} of {total} dichotomizers")
    return results
