"""Learning curves: fit how accuracy grows with the number of rows, and extrapolate to all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.policy.trials import GROWTH, GrowthRules
from ecoc.tool.comparison.candidates import Candidate
from ecoc.tool.comparison.selection import standard_error


@dataclass(frozen=True, eq=False)
class Point:
    """One size on a curve: the merits of predictions for the same samples at all sizes, and the seconds of the fit."""

    rows: int
    merits: NDArray[np.float64]
    seconds: float = 0.0

    @property
    def merit(self) -> float:
        """The mean merit."""
        return float(self.merits.mean())


@dataclass(frozen=True, eq=False)
class Growth:
    """Learning curves of the best candidates of a comparison."""

    curves: dict[Candidate, list[Point]]  # smallest size first
    chosen: Candidate  # recommended for all rows


def gain(points: Sequence[Point], n: int, top: float, rules: GrowthRules = GROWTH) -> tuple[float, float]:
    """Return the gain in merit from the largest size of a curve to n rows, with its standard error.

    Merit is linear in rows ** -exponent through the two largest sizes, never falls, and rises by at most half of the
    distance to `top`, the merit of a model without errors. A third size chooses the exponent, from half to double the
    usual one.
    """
    if len(points) < 2 or n <= points[-1].rows:
        return 0.0, 0.0
    small, large = points[-2:]
    if large.rows < rules.least_ratio * small.rows:
        return 0.0, 0.0
    step = max(large.merit - small.merit, 0.0)
    usual = rules.exponent
    if len(points) > 2 and step > 0:
        earlier, before = small.merit - points[-3].merit, points[-3].rows
        tried = usual * np.geomspace(0.5, 2, 25)
        usual = min(tried, key=lambda each: abs(step - earlier * _factor(before, small.rows, large.rows, each)))
    factors = [_factor(small.rows, large.rows, n, each) for each in (usual, rules.exponent / 2, rules.exponent * 2)]
    sampling = factors[0] * float(standard_error(large.merits - small.merits))
    return min(factors[0] * step, rules.most * (top - large.merit)), hypot(
        sampling, step * (factors[1] - factors[2]) / 4
    )


def seconds_at(points: Sequence[Point], n: int, growth: float) -> float:
    """Return the seconds of a fit to n rows, extrapolated from the two largest sizes."""
    last = points[-1]
    if len(points) > 1 and min(points[-2].seconds, last.seconds) > 0:
        measured = log(last.seconds / points[-2].seconds) / log(last.rows / points[-2].rows)
        growth = min(max(measured, 0.5), 3.0)
    return float(last.seconds * (n / last.rows) ** growth)


def _factor(small: int, large: int, n: int, exponent: float) -> Any:
    """Return the gain from `large` to n rows as a multiple of that from `small` to `large`."""
    a, b, c = (float(rows) ** -exponent for rows in (small, large, n))
    return (b - c) / (a - b)
