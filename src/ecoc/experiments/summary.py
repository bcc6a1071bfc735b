"""What do the numbers say? Operating points, wins at equal complexity, ranks, and how sure one can be."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.experiments.store import Row

RANGE = 0.05  # methods are compared within ±5 % of their complexity
OWN = "own"  # decoding of a method that needs none
DECODINGS = {"hamming": "HD", "loss_weighted": "LWD", "discriminant": "discriminant"}
PAPER_WINS = {  # Table 2: by support vectors, by number of classifiers, average relative complexity
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
class Point:
    """An operating point: a method with a setting on a data set with a decoding, over all folds.

    `support` and `columns` are means over the folds; `complexity` has both relative to the largest of any method there.
    """

    dataset: str
    decoding: str
    method: str
    setting: str
    n_folds: int
    n_test: int
    accuracy: float
    low: float
    high: float
    columns: float
    support: float
    complexity: dict[str, float]


@dataclass(frozen=True)
class Win:
    """A point beside the best of all other methods at its complexity; `near` if none is within the range."""

    point: Point
    rival: Point
    near: bool

    @property
    def won(self) -> bool:
        """Whether it is strictly better."""
        return self.point.accuracy > self.rival.accuracy


def points(rows: Iterable[Row]) -> list[Point]:
    """Operating points of finished cells; a method without decoding has a point for every decoding there is."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row.cell.dataset, row.cell.method, row.cell.setting].append(row.result)
    most: dict[tuple[str, str], float] = defaultdict(float)
    for (dataset, _, _), results in groups.items():
        for name in ("n_columns", "n_support"):
            most[dataset, name] = max(most[dataset, name], _mean(results, name))
    names = {name for results in groups.values() for name in results[0]["correct"]} - {OWN}
    decodings = [name for name in DECODINGS if name in names] + sorted(names - DECODINGS.keys()) or [OWN]
    found = []
    for (dataset, method, setting), results in groups.items():
        columns, support = _mean(results, "n_columns"), _mean(results, "n_support")
        complexity = {
            "support": support / most[dataset, "n_support"] if most[dataset, "n_support"] else np.nan,
            "columns": columns / most[dataset, "n_columns"],
        }
        n = sum(result["n_test"] for result in results)
        for decoding in decodings:
            right = sum(result["correct"].get(decoding, result["correct"].get(OWN, 0)) for result in results)
            low, high = interval(right, n)
            found.append(
                Point(
                    *(dataset, decoding, method, setting, len(results), n, right / n, low, high, columns, support),
                    complexity,
                )
            )
    return found


def wins(points: Sequence[Point], complexity: str) -> list[Win]:
    """Each point against the best other method within ±5 % of its complexity, same data set and decoding.

    Where there is none, against the other method nearest in complexity, as the paper does for R-H.
    """
    found = []
    for point in points:
        rivals = [
            other
            for other in points
            if (other.dataset, other.decoding) == (point.dataset, point.decoding) and other.method != point.method
        ]
        if not rivals or not np.isfinite(point.complexity[complexity]):
            continue
        apart = np.array([abs(rival.complexity[complexity] - point.complexity[complexity]) for rival in rivals])
        within = apart <= RANGE * point.complexity[complexity] + 1e-12
        pool = np.flatnonzero(within if within.any() else apart == np.nanmin(apart))
        rival = max((rivals[i] for i in pool), key=lambda other: other.accuracy)
        found.append(Win(point, rival, not within.any()))
    return found


def win_table(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Share of wins of each method by both measures of complexity, with the paper's own; simplest methods first."""
    table = []
    each = {measure: wins(points, measure) for measure in ("support", "columns")}
    for method in dict.fromkeys(point.method for point in points):
        own = {measure: [win for win in found if win.point.method == method] for measure, found in each.items()}
        paper = PAPER_WINS.get(method, (None, None, None))
        table.append(
            {
                "method": method,
                "wins by support vectors": _percent(own["support"]),
                "paper: by support vectors": paper[0],
                "wins by classifiers": _percent(own["columns"]),
                "paper: by classifiers": paper[1],
                "average complexity": round(_average([p for p in points if p.method == method]), 3),
                "paper: average complexity": paper[2],
                "points": len(own["support"]),
                "without rival in range": sum(win.near for win in own["support"]),
            }
        )
    return sorted(table, key=lambda row: (row["average complexity"], row["method"]))


def accuracy_table(points: Sequence[Point], decoding: str) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Data sets, methods, and accuracy, lower and upper end of its interval: means over a method's settings."""
    mine = [point for point in points if point.decoding == decoding]
    datasets = list(dict.fromkeys(point.dataset for point in mine))
    methods = list(dict.fromkeys(point.method for point in mine))
    table = np.full((len(datasets), len(methods), 3), np.nan)
    for i, dataset in enumerate(datasets):
        for j, method in enumerate(methods):
            own = [point for point in mine if (point.dataset, point.method) == (dataset, method)]
            if own:
                table[i, j] = np.mean([(point.accuracy, point.low, point.high) for point in own], axis=0)
    return datasets, methods, table


@dataclass(frozen=True)
class Ranking:
    """Average ranks over data sets, 1 the best, with Friedman's p-value and Nemenyi's critical difference."""

    methods: list[str]
    ranks: NDArray[np.float64]
    n_datasets: int
    p_value: float
    critical_difference: float


def ranking(points: Sequence[Point], decoding: str, alpha: float = 0.05) -> Ranking | None:
    """Friedman's test over the data sets where all methods have results; None if there is nothing to compare."""
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    _, methods, table = accuracy_table(points, decoding)
    scores = table[np.isfinite(table[:, :, 0]).all(axis=1), :, 0]
    n, k = scores.shape
    if n < 2 or k < 3:
        return None
    ranks = rankdata(-scores.round(12), axis=1).mean(axis=0)
    p_value = float(friedmanchisquare(*scores.T).pvalue)
    q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2)
    return Ranking(methods, ranks, n, p_value, float(q * np.sqrt(k * (k + 1) / (6 * n))))


def interval(right: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    share = right / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return float(centre - half), float(centre + half)


def histories(rows: Iterable[Row]) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Objective per run and cycle, by data set and order of updates; a run that converged stays where it is."""
    groups: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    for row in rows:
        groups[row.cell.dataset, row.cell.method].append(row.result["history"])
    longest = {key: max(map(len, runs)) for key, runs in groups.items()}
    for dataset, _ in groups:
        same = [key for key in groups if key[0] == dataset]
        longest |= dict.fromkeys(same, max(longest[key] for key in same))
    return {key: np.array([run + run[-1:] * (longest[key] - len(run)) for run in runs]) for key, runs in groups.items()}


def cycles_to(runs: NDArray[np.float64], objective: float) -> NDArray[np.float64]:
    """After how many cycles each run is below an objective; infinite if it never is."""
    below = runs < objective
    return np.where(below.any(axis=1), below.argmax(axis=1), np.inf)


def _mean(results: list[dict[str, Any]], name: str) -> float:
    values = [result[name] for result in results if result[name] is not None]
    return float(np.mean(values)) if values else 0.0


def _average(points: list[Point]) -> float:
    return float(np.mean([point.complexity["support"] for point in points]))


def _percent(found: list[Win]) -> float | None:
    return round(100 * float(np.mean([win.won for win in found])), 1) if found else None
