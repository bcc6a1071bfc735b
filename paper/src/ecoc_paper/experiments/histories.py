"""Runs of the relaxation as arrays."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc_paper.experiments.store import Row

Runs = dict[tuple[str, str], NDArray[np.float64]]


def histories(rows: Iterable[Row]) -> Runs:
    """Return the objective per run and cycle, by data set and order of updates. A run that ended keeps its value."""
    groups: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    for row in rows:
        groups[row.cell.dataset, row.cell.method] += row.result["histories"]
    longest: dict[str, int] = defaultdict(int)
    for (dataset, _), runs in groups.items():
        longest[dataset] = max(longest[dataset], *map(len, runs))
    return {
        key: np.array([run + run[-1:] * (longest[key[0]] - len(run)) for run in runs]) for key, runs in groups.items()
    }


def cycles_to(runs: NDArray[np.float64], objective: float) -> NDArray[np.float64]:
    """Return after how many cycles each run is below an objective; infinite if it never is."""
    below = runs < objective
    return np.where(below.any(axis=1), below.argmax(axis=1), np.inf)


def curve_rows(runs: Mapping[tuple[str, str], NDArray[np.float64]]) -> list[dict[str, Any]]:
    """Return mean and standard deviation of the objective for each cycle."""
    return [
        {
            "dataset": name,
            "order": order,
            "cycle": i,
            "runs": len(each),
            "mean": float(f"{each[:, i].mean():.4g}"),
            "std": float(f"{each[:, i].std():.4g}"),
        }
        for (name, order), each in runs.items()
        for i in range(each.shape[1])
    ]


def planted_rows(runs: Mapping[tuple[str, str], NDArray[np.float64]]) -> list[dict[str, Any]]:
    """Return for each size how many runs reach the optimum 0, and how fast."""
    table = []
    for (name, _), each in sorted(runs.items(), key=lambda item: [int(part) for part in item[0][0].split("×")]):
        cycles = cycles_to(each, 1e-10)
        reached = cycles[np.isfinite(cycles)]
        at = min(15, each.shape[1] - 1)
        table.append(
            {
                "classes × columns": name,
                "runs": len(each),
                "reach 1e-10, %": round(100 * len(reached) / len(each), 1),
                "median cycles": float(np.median(reached)) if len(reached) else None,
                "most cycles": float(reached.max()) if len(reached) else None,
                "mean after 15 cycles": f"{each[:, at].mean():.2g}",
                "median after 15 cycles": f"{np.median(each[:, at]):.2g}",
                "mean at the end": f"{each[:, -1].mean():.2g}",
            }
        )
    return table
