"""How do time and memory of a factorization grow with k and l? Each run has its own process."""

import math
from typing import Any

from benchmarks._instances import random_factor
from benchmarks._measure import in_fresh_process, peak_megabytes, timed
from benchmarks._report import Goal, Results, Table

_RANK = 64
COLUMNS = ("k", "l", "given as", "seconds", "relative error", "rounds", "min distance", "verify s", "valid")
COLUMNS += ("MB at start", "MB peak")


def run(quick: bool) -> Results:
    """Measure the sizes that have a goal, then the growth."""
    large = 1000 if quick else 10_000
    sizes = [(300 if quick else 1000, 128, False), (300 if quick else 1000, 128, True), (large, 128, True)]
    repeats = 1 if quick else 3
    measured = [measure(*size, repeats=repeats) for size in sizes]
    yield Table(f"Sizes with a goal, default effort; median of {repeats}", COLUMNS, [row(m) for m in measured])
    for m in measured[:2]:
        yield _seconds_goal(m, 1)
    biggest = measured[2]
    yield _seconds_goal(biggest, 30)
    yield Goal(f"k = {biggest['k']:,}: ≤ 2 GB", f"{biggest['peak']:,.0f} MB", biggest["peak"] <= 2000)
    apart = [m["min_distance"] for m in measured]
    yield Goal("minimum distance ≥ 1 over all pairs", f"{min(apart)}", all(m["valid"] for m in measured))

    by_k = [100, 300] if quick else [100, 300, 1000, 3000, 10_000, 20_000]
    rows = [row(biggest if (k, 128) == (biggest["k"], biggest["l"]) else measure(k, 128, True)) for k in by_k]
    yield Table("Growth with the number of classes, one run each", COLUMNS, rows)
    by_l = [16, 32] if quick else [16, 32, 64, 128, 256]
    yield Table(
        "Growth with the number of columns, one run each", COLUMNS, [row(measure(large // 10, l, True)) for l in by_l]
    )


def measure(k: int, l: int, factor: bool, repeats: int = 1) -> dict[str, Any]:
    """Factorize in a new process, `repeats` times; return the run with the median time."""
    found = [in_fresh_process(factorize_once, k=k, l=l, factor=factor) for _ in range(repeats)]
    return sorted(found, key=lambda measured: measured["seconds"])[repeats // 2]


def row(measured: dict[str, Any]) -> tuple[Any, ...]:
    """Turn a measurement into a row of the table."""
    return tuple(measured.values())


def factorize_once(k: int, l: int, factor: bool) -> dict[str, Any]:
    """Factorize a random design of rank 64 and verify the result; kernels are loaded before the clock starts."""
    import numpy as np

    from ecoc import factorize

    factorize(np.eye(4), 3, random_state=0)
    start = peak_megabytes()
    given = random_factor(k, _RANK)
    if not factor:
        given = given @ given.T
        np.fill_diagonal(given, 1)
    result, seconds = timed(factorize, given, l, random_state=0, factor=factor, progress=False)
    certificate, verify_seconds = timed(result.verify)
    return {
        "k": k,
        "l": l,
        "given": f"factor of rank {_RANK}" if factor else "dense D",
        "seconds": seconds,
        "relative_error": result.relative_error,
        "rounds": result.n_cycles,
        "min_distance": certificate.min_distance,
        "verify": verify_seconds,
        "valid": bool(certificate),
        "start": math.ceil(start),
        "peak": math.ceil(peak_megabytes()),
    }


def _seconds_goal(m: dict[str, Any], most: float) -> Goal:
    goal = f"k = {m['k']:,}, l = {m['l']}, {m['given']}: ≤ {most:g} s"
    return Goal(goal, f"{m['seconds']:.2f} s", m["seconds"] <= most)
