"""How good are the objectives? Comparison with the best known ones on designs of real data."""

import numpy as np
from numpy.typing import NDArray

from benchmarks._instances import HOW_TO_GET_THE_REFERENCE, Instance, reference
from benchmarks._measure import timed
from benchmarks._report import Goal, Results, Table
from ecoc import Factorization, factorize


def run(quick: bool) -> Results:
    """Factorize every instance with a time limit, and with the default effort."""
    instances = reference()
    if not instances:
        yield HOW_TO_GET_THE_REFERENCE
        return
    time_limit = 0.1 if quick else 2.0
    factorize(np.eye(4), 3, random_state=0)  # compile or load the kernels before the clock runs
    rows, ratios, valid, tiny, seconds = [], [], [], [], []
    for instance in instances:
        result, took = timed(_factorize, instance, time_limit=time_limit)
        default, default_took = timed(_factorize, instance)
        objective = _objective(instance, result.code)
        ratio, default_ratio = objective / instance.best, _objective(instance, default.code) / instance.best
        seconds.append(took)
        ratios.append((ratio, default_ratio))
        valid.append(bool(result.verify()) and bool(default.verify()))
        if len(instance.design) <= 8 and instance.n_columns <= 6:
            tiny.append(result.optimal)
        name = (instance.name, len(instance.design), instance.best, objective)
        bound = (result.lower_bound, result.bound_from, result.optimal)
        rows.append((*name, f"{ratio:.5f}", took, *bound, f"{default_ratio:.5f}", default_took, valid[-1]))
    columns = ("instance", "k", "f", "objective", "ratio", "seconds", "bound", "from", "optimal")
    columns += ("default: ratio", "seconds", "valid")
    yield Table(f"method='auto', {time_limit:g} s, against f; then with the default effort", columns, rows)
    for (name, most), column in zip([(f"{time_limit:g} s", 1.01), ("default effort", 1.01)], np.array(ratios).T):
        yield Goal(f"{name}: never above {most} × f", f"at most {column.max():.5f} × f", bool(column.max() <= most))
        below = int((column < 1 - 1e-6).sum())
        least = f"{below} of {len(column)} below, least {column.min():.5f} × f"
        yield Goal(f"{name}: below f somewhere", least, below > 0)
    yield Goal("k ≤ 8, l ≤ 6: proven optimal", f"{sum(tiny)} of {len(tiny)}", all(tiny))
    longest = f"at most {max(seconds):.2f} s"
    yield Goal(f"time limit of {time_limit:g} s exceeded by at most 0.1 s", longest, max(seconds) <= time_limit + 0.1)
    yield Goal("every code valid", f"{sum(valid)} of {len(valid)}", all(valid))


def _objective(instance: Instance, code: NDArray[np.int8]) -> float:
    """Compute ‖l·D − XXᵀ‖² from the D in the file, independently of the library."""
    x = code.astype(float)
    return float(((instance.n_columns * instance.design - x @ x.T) ** 2).sum())


def _factorize(instance: Instance, **budget: float) -> Factorization:
    return factorize(
        instance.design,
        instance.n_columns,
        min_distance=instance.min_distance,
        random_state=0,
        progress=False,
        **budget,
    )
