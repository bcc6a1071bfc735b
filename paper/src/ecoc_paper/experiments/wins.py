"""Which method wins at equal complexity? The paper's Table 2, with ties and intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc_paper.experiments.points import MEASURES, Point

RANGE = 0.05  # points are compared within ±5 % of their complexity
N_BOOTSTRAP = 1000
PAPER = {  # Table 2: wins by support vectors, wins by number of classifiers, average relative complexity
    "R-H": (0.0, 0.0, 0.58),
    "S-ECOC": (22.5, 48.5, 0.87),
    "ECF-H": (62.1, 70.0, 0.88),
    "ECF-E": (10.3, 17.5, 0.89),
    "DENSE": (50.0, 25.0, 0.91),
    "RAND": (5.7, 6.9, 0.92),
    "OVA": (14.2, 12.5, 0.99),
    "OVO": (25.0, 16.6, 0.99),
}


@dataclass(frozen=True)
class Duel:
    """A point beside the best point of all other methods in its range of complexity.

    Attributes
    ----------
    point, rival : Point
        The two points.
    draws : ndarray of shape (n_bootstrap,)
        Accuracy of the point minus that of its best rival, for each draw of folds.
    """

    point: Point
    rival: Point
    draws: NDArray[np.float64]

    @property
    def margin(self) -> float:
        """Accuracy of the point minus that of its rival."""
        return self.point.accuracy - self.rival.accuracy


def duels(points: Sequence[Point], measure: str, seed: int = 0) -> list[Duel]:
    """Compare each point with the best other method in its range; points that have no rival there are left out.

    Points meet on the same data set with the same tuning and decoding.
    """
    found = []
    for place in dict.fromkeys((p.dataset, p.tuning, p.decoding) for p in points):
        here = [p for p in points if (p.dataset, p.tuning, p.decoding) == place and np.isfinite(p.complexity[measure])]
        if not here:
            continue
        correct, n = np.array([p.correct for p in here], float), np.array(here[0].n_test, float)
        folds = np.random.default_rng(seed).multinomial(len(n), np.full(len(n), 1 / len(n)), N_BOOTSTRAP)
        drawn = correct @ folds.T / (n @ folds.T)
        complexity = np.array([p.complexity[measure] for p in here])
        for i, point in enumerate(here):
            near = np.abs(complexity - complexity[i]) <= RANGE * complexity[i] + 1e-12
            rivals = [j for j in np.flatnonzero(near) if here[j].method != point.method]
            if rivals:
                best = max(rivals, key=lambda j: here[j].accuracy)
                found.append(Duel(point, here[best], drawn[i] - drawn[rivals].max(axis=0)))
    return found


def win_table(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return wins, ties and points without a rival for each method; the methods of least complexity come first."""
    each = {measure: duels(points, measure) for measure in MEASURES}
    table = []
    for method in dict.fromkeys(point.method for point in points):
        own = [point for point in points if point.method == method]
        complexity = _mean([point.complexity["support"] for point in own])
        if np.isnan(complexity):
            continue
        row: dict[str, Any] = {"method": method, "points": len(own)}
        for (measure, found), paper in zip(each.items(), PAPER.get(method, (None, None))):
            mine = [duel for duel in found if duel.point.method == method]
            row |= {
                f"wins by {MEASURES[measure]}": _percent([duel.margin > 0 for duel in mine]),
                f"95 % interval by {MEASURES[measure]}": _interval(mine),
                f"ties by {MEASURES[measure]}": _percent([duel.margin == 0 for duel in mine]),
                f"no rival by {MEASURES[measure]}": len(own) - len(mine),
                f"paper: wins by {MEASURES[measure]}": paper,
            }
        row |= {
            "average complexity": round(complexity, 3),
            "paper: average complexity": PAPER.get(method, (None,) * 3)[2],
        }
        table.append(row)
    return sorted(table, key=lambda row: (row["average complexity"], row["method"]))


def _interval(mine: Sequence[Duel], seed: int = 0) -> str | None:
    """Return the interval of the share of wins when data sets and folds are drawn again."""
    if not mine:
        return None
    datasets = list(dict.fromkeys(duel.point.dataset for duel in mine))
    wins = np.array([sum((d.draws > 0).astype(float) for d in mine if d.point.dataset == name) for name in datasets])
    counts = np.array([sum(d.point.dataset == name for d in mine) for name in datasets])
    m = len(datasets)
    drawn = np.random.default_rng(seed).multinomial(m, np.full(m, 1 / m), N_BOOTSTRAP)
    shares = (drawn * wins.T).sum(axis=1) / (drawn @ counts)
    low, high = np.percentile(100 * shares, [2.5, 97.5])
    return f"{low:.0f}–{high:.0f}"


def _percent(hits: Sequence[bool]) -> float | None:
    return round(100 * float(np.mean(hits)), 1) if hits else None


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else np.nan
