"""Count wins at equal complexity, as the paper's Table 2 does, for the experiments and for results of your own."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ecoc_paper.experiments.points import MEASURES, Point

RANGE = 0.05  # points are compared within ±5 % of their complexity
N_BOOTSTRAP = 1000
CLOSEST = ("R-H",)  # the paper compares it with the closest complexity of each other method, as it is far less complex
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
_NEEDED = ("method", "dataset", "accuracy", "complexity")


@dataclass(frozen=True)
class Duel:
    """A result beside the best result of all other methods of about the same complexity.

    Attributes
    ----------
    point, rival : mapping
        The two results.
    """

    point: Mapping[str, Any]
    rival: Mapping[str, Any]

    @property
    def margin(self) -> float:
        """Accuracy of the point minus that of its rival."""
        return float(self.point["accuracy"] - self.rival["accuracy"])


def duels(results: Any, *, within: float = RANGE, closest: Collection[str] = ()) -> list[Duel]:
    """Compare each result with the best other method at equal complexity; results without such a rival are left out.

    Parameters
    ----------
    results : DataFrame or iterable of mappings
        A row for each operating point, with ``method``, ``dataset``, ``accuracy`` and ``complexity``. Points meet if
        their data set is the same, and whatever they have of ``decoding``, ``tuning`` and ``seed``. Points whose
        complexity is missing or not a number are left out.
    within : float, default=0.05
        Largest difference of a rival's complexity, as a share of the point's.
    closest : collection of str, default=()
        Methods whose points meet the point of closest complexity of each other method instead, however far away it is:
        the footnote of the paper's Table 2 for relaxed hierarchies.

    Returns
    -------
    list of Duel
        The duels, in the order of the results.

    See Also
    --------
    ecoc_paper.win_table : Count them.

    Examples
    --------
    >>> from ecoc_paper import duels
    >>> results = [{"method": "mine", "dataset": "d", "accuracy": 0.9, "complexity": 100},
    ...            {"method": "theirs", "dataset": "d", "accuracy": 0.8, "complexity": 103}]
    >>> [(duel.point["method"], round(duel.margin, 2)) for duel in duels(results)]
    [('mine', 0.1), ('theirs', -0.1)]
    """
    rows = _rows(results)
    places: dict[Any, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        places[tuple(row.get(key) for key in ("dataset", "tuning", "decoding", "seed"))].append(i)
    found: dict[int, Duel] = {}
    for here in places.values():
        complexity = np.array([float(rows[i]["complexity"]) for i in here])
        for i, own in zip(here, complexity):
            away = {j: abs(other - own) for j, other in zip(here, complexity) if rows[j]["method"] != rows[i]["method"]}
            if rows[i]["method"] in closest:
                least = {
                    m: min(away[j] for j in away if rows[j]["method"] == m) for m in {rows[j]["method"] for j in away}
                }
                rivals = [j for j in away if away[j] == least[rows[j]["method"]]]
            else:
                rivals = [j for j in away if away[j] <= within * own + 1e-12]
            if rivals:
                found[i] = Duel(rows[i], rows[max(rivals, key=lambda j: rows[j]["accuracy"])])
    return [found[i] for i in sorted(found)]


def win_table(results: Any, *, within: float = RANGE, closest: Collection[str] = ()) -> list[dict[str, Any]]:
    """Count the wins of each method at equal complexity.

    Parameters
    ----------
    results : DataFrame or iterable of mappings
        As for :func:`ecoc_paper.duels`.
    within : float, default=0.05
        Largest difference of a rival's complexity, as a share of the point's.
    closest : collection of str, default=()
        Methods that meet the point of closest complexity of each other method instead.

    Returns
    -------
    list of dict
        For each method: its points, the share of those with a rival that are strictly better than it, the range of
        this share over seeds, the 95 % interval when seeds and data sets are drawn again, the share of ties, and the
        points without a rival. Shares are in percent, and means over the seeds.

    See Also
    --------
    ecoc_paper.duels : The duels themselves.

    Examples
    --------
    >>> from ecoc_paper import win_table
    >>> results = [{"method": m, "dataset": d, "accuracy": a, "complexity": 10}
    ...            for m, d, a in [("mine", "x", 0.9), ("mine", "y", 0.7), ("theirs", "x", 0.8), ("theirs", "y", 0.7)]]
    >>> win_table(results)[0]["wins"], win_table(results)[0]["ties"]
    (50.0, 50.0)
    """
    rows = _rows(results)
    each = duels(rows, within=within, closest=closest)
    table = []
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [duel for duel in each if duel.point["method"] == method]
        n_points = sum(row["method"] == method for row in rows)
        shares = by_seed(mine)
        table.append(
            {
                "method": method,
                "points": n_points,
                "wins": round(float(np.mean(shares)), 1) if shares else None,
                "seeds": f"{min(shares):.0f}–{max(shares):.0f}" if len(shares) > 1 else None,
                "interval": _interval(mine),
                "ties": round(100 * float(np.mean([duel.margin == 0 for duel in mine])), 1) if mine else None,
                "no rival": n_points - len(mine),
            }
        )
    return table


def by_seed(mine: Iterable[Duel]) -> list[float]:
    """Return the percentage of wins for each seed that has duels."""
    seeds: dict[Any, list[bool]] = defaultdict(list)
    for duel in mine:
        seeds[duel.point.get("seed")].append(duel.margin > 0)
    return [100 * float(np.mean(wins)) for wins in seeds.values()]


def as_results(points: Iterable[Point], measure: str) -> list[dict[str, Any]]:
    """Return operating points as results, with one of the two measures of complexity."""
    names = ("method", "dataset", "tuning", "decoding", "seed", "accuracy")
    return [
        {**{name: getattr(point, name) for name in names}, "complexity": point.complexity[measure]} for point in points
    ]


def paper_table(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return Table 2: wins by both measures, beside the paper's; the methods of least complexity come first."""
    found = {
        measure: {row["method"]: row for row in win_table(as_results(points, measure), closest=CLOSEST)}
        for measure in MEASURES
    }
    table = []
    for method in dict.fromkeys(point.method for point in points):
        mean = [p.complexity["support"] for p in points if p.method == method and np.isfinite(p.complexity["support"])]
        if not mean:
            continue
        row: dict[str, Any] = {"method": method, "points": sum(point.method == method for point in points)}
        for (measure, what), paper in zip(MEASURES.items(), PAPER.get(method, (None, None))):
            own = found[measure].get(method, {})
            row |= {f"{name} by {what}": own.get(name) for name in ("wins", "seeds", "interval", "ties", "no rival")}
            row[f"paper: wins by {what}"] = paper
        row |= {
            "average complexity": round(float(np.mean(mean)), 3),
            "paper: average complexity": PAPER.get(method, (None,) * 3)[2],
        }
        table.append(row)
    return sorted(table, key=lambda row: (row["average complexity"], row["method"]))


def _rows(results: Any) -> list[Mapping[str, Any]]:
    """Return results as mappings, those with a complexity only."""
    rows = results.to_dict("records") if hasattr(results, "to_dict") else list(results)
    for i, row in enumerate(rows):
        if missing := [name for name in _NEEDED if name not in row]:
            raise ValueError(f"results must have {', '.join(_NEEDED)}; row {i} has no {missing[0]!r}.")
    return [row for row in rows if row["complexity"] is not None and np.isfinite(row["complexity"])]


def _interval(mine: Sequence[Duel], seed: int = 0) -> str | None:
    """Return the 95 % interval of the share of wins when data sets and their seeds are drawn again."""
    if not mine:
        return None
    groups: dict[Any, dict[Any, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for duel in mine:
        groups[duel.point["dataset"]][duel.point.get("seed")].append(duel.margin > 0)
    rng = np.random.default_rng(seed)
    wins, counts = np.zeros((2, N_BOOTSTRAP, len(groups)))
    for i, seeds in enumerate(groups.values()):
        each = [(sum(hits), len(hits)) for hits in seeds.values()]
        wins[:, i], counts[:, i] = np.array(each)[rng.integers(len(each), size=N_BOOTSTRAP)].T
    times = rng.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), N_BOOTSTRAP)
    low, high = np.percentile(100 * (times * wins).sum(axis=1) / (times * counts).sum(axis=1), [2.5, 97.5])
    return f"{low:.0f}–{high:.0f}"
