"""Compare the paper's wins with ours, and with ours after ECF-H and ECF-E have exchanged their names.

Section 3.3 orders D like the Hamming distances, and the factorization then fits inner products to D. Who does both
builds the opposite code of the one that is asked for: what is called ECF-H is then the easy design.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ecoc_paper.experiments.points import DECODINGS, MEASURES, Point
from ecoc_paper.experiments.protocol import TUNINGS
from ecoc_paper.experiments.wins import CLOSEST, PAPER, as_results, by_seed, duels

EXCHANGED = {"ECF-H": "ECF-E", "ECF-E": "ECF-H"}


def exchange_table(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return wins of ECF-H and ECF-E and the correlation with Table 2, under both names, each a mean over seeds."""
    table = []
    for tuning in dict.fromkeys(point.tuning for point in points):
        for measure, what in MEASURES.items():
            for names in (("hamming", "loss_weighted"), ("hamming",), ("loss_weighted",)):
                here = [p for p in points if p.tuning == tuning and p.decoding in names and p.method in PAPER]
                table.append(
                    {
                        "C and γ for": TUNINGS.get(tuning, tuning),
                        "complexity": what,
                        "decoding": " and ".join(DECODINGS[name] for name in names),
                        **exchange_row(here, measure),
                    }
                )
    return table


def exchange_row(points: Sequence[Point], measure: str) -> dict[str, Any]:
    """Return wins of ECF-H and ECF-E and the correlations by one measure of complexity, each a mean over seeds."""
    column = list(MEASURES).index(measure)
    seeds = [_wins([p for p in points if p.seed == s], measure) for s in dict.fromkeys(p.seed for p in points)]
    plain = [_correlation(wins, column) for wins in seeds]
    other = [_correlation(exchanged(wins), column) for wins in seeds]
    return {
        **{name: _spread([wins[name] for wins in seeds if name in wins], 0) for name in EXCHANGED},
        "paper: H": PAPER["ECF-H"][column],
        "paper: E": PAPER["ECF-E"][column],
        "correlation": _spread(plain, 2),
        "correlation, exchanged": _spread(other, 2),
        "without H and E": _spread([_correlation(_others(wins), column) for wins in seeds], 2),
        "seeds nearer when exchanged": f"{sum(b > a for a, b in zip(plain, other))} of {len(seeds)}",
    }


def exchange_by_dataset(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return wins of ECF-H and ECF-E on each data set, HD and LWD, means over seeds."""
    here = [p for p in points if p.decoding in ("hamming", "loss_weighted") and p.method in PAPER]
    table = []
    for tuning, dataset in dict.fromkeys((p.tuning, p.dataset) for p in here):
        own = [p for p in here if (p.tuning, p.dataset) == (tuning, dataset)]
        repeated = dict.fromkeys(p.seed for p in own)
        row: dict[str, Any] = {"C and γ for": TUNINGS.get(tuning, tuning), "data set": dataset, "seeds": len(repeated)}
        for measure, what in MEASURES.items():
            seeds = [_wins([p for p in own if p.seed == seed], measure) for seed in repeated]
            for method in EXCHANGED:
                row[f"{method} by {what}"] = _spread([wins[method] for wins in seeds if method in wins], 0)
        table.append(row)
    return table


def complexity_order(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return the mean relative number of support vectors of each method and tuning, beside the paper's."""
    return [
        {
            "method": method,
            **{
                TUNINGS.get(tuning, tuning): round(
                    float(
                        np.nanmean(
                            [p.complexity["support"] for p in points if (p.method, p.tuning) == (method, tuning)]
                        )
                    ),
                    3,
                )
                for tuning in dict.fromkeys(point.tuning for point in points)
            },
            "paper": PAPER[method][2],
            "paper, exchanged": PAPER[EXCHANGED.get(method, method)][2],
        }
        for method in PAPER
        if any(point.method == method for point in points)
    ]


def exchanged(wins: dict[str, float]) -> dict[str, float]:
    """Return the wins with the names of ECF-H and ECF-E exchanged."""
    return {EXCHANGED.get(method, method): share for method, share in wins.items()}


def _others(wins: dict[str, float]) -> dict[str, float]:
    return {method: share for method, share in wins.items() if method not in EXCHANGED}


def _wins(points: Iterable[Point], measure: str) -> dict[str, float]:
    """Return the percentage of wins of each method that has a rival."""
    each = duels(as_results(points, measure), closest=CLOSEST)
    methods = dict.fromkeys(duel.point["method"] for duel in each)
    return {m: by_seed([duel for duel in each if duel.point["method"] == m])[0] for m in methods}


def _correlation(wins: dict[str, float], column: int) -> float:
    """Return the correlation with Table 2 over the methods that have wins in both."""
    ours = list(wins.values())
    theirs = [PAPER[method][column] for method in wins]
    if len(ours) < 3 or np.std(ours) == 0 or np.std(theirs) == 0:
        return np.nan
    return float(np.corrcoef(ours, theirs)[0, 1])


def _spread(values: Sequence[float], digits: int) -> str | None:
    known = [value for value in values if np.isfinite(value)]
    if not known:
        return None
    mean = f"{np.mean(known):.{digits}f}"
    return mean if len(known) == 1 else f"{mean} ({min(known):.{digits}f} to {max(known):.{digits}f})"
