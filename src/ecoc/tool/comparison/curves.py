"""Learning curves: fit how accuracy grows with the number of rows, and extrapolate to all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, log

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

    Errors, the distance to `top`, which is the merit of a model without errors, are a power of the rows through the two
    largest sizes. They never rise, and at most half of those that remain are saved.
    """
    if len(points) < 2 or n <= points[-1].rows:
        return 0.0, 0.0
    small, large = points[-2:]
    few, many = top - large.merit, top - small.merit
    if large.rows < rules.least_ratio * small.rows or few <= 0:
        return 0.0, 0.0
    ratio, steps = few / max(few, many), log(n / large.rows) / log(large.rows / small.rows)
    saved = min(1 - ratio**steps, rules.most) * few
    sampling = steps * ratio ** (steps + 1) * float(standard_error(large.merits - small.merits))
    return saved, hypot(sampling, rules.doubt * saved)


def seconds_at(points: Sequence[Point], n: int, growth: float) -> float:
    """Return the seconds of a fit to n rows, extrapolated from the two largest sizes."""
    last = points[-1]
    if len(points) > 1 and min(points[-2].seconds, last.seconds) > 0:
        measured = log(last.seconds / points[-2].seconds) / log(last.rows / points[-2].rows)
        growth = min(max(measured, 0.5), 3.0)
    return float(last.seconds * (n / last.rows) ** growth)
