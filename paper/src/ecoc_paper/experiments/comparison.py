"""How do the methods compare? Tables and figures of wins, accuracies, lengths, solvers, hierarchies and pairs."""

from collections import Counter
from typing import Any

import numpy as np

from ecoc_paper.experiments import equal_lengths as equal
from ecoc_paper.experiments import figures
from ecoc_paper.experiments.methods import get_method
from ecoc_paper.experiments.page import Page, csv_text, write
from ecoc_paper.experiments.points import DECODINGS, MEASURES, Point
from ecoc_paper.experiments.protocol import TUNINGS
from ecoc_paper.experiments.ranks import accuracy_table, ranking
from ecoc_paper.experiments.store import Row
from ecoc_paper.experiments.wins import duels, win_table

_SCATTERED = ("ECF-H", "ECF-E", "OVA", "ECF-balanced", "ECF-auto")
_PAIRS = (
    ("ECF-H", "ECF-E"),
    ("ECF-H", "DENSE"),
    ("ECF-E", "DENSE"),
    ("ECF-balanced", "DENSE"),
    ("ECF-balanced", "ECF-E"),
)


def wins(page: Page, points: list[Point]) -> None:
    """Write the win tables: the paper's methods and decodings, and all, for each way of tuning."""
    page.heading(
        "Wins at equal complexity",
        "Share of a method's operating points (data set × decoding × setting) that are strictly better than every "
        "other method within ±5 % of their complexity. Points without such a rival are left out and counted. "
        "Settings that predict the same are one point. Intervals come from drawing folds and data sets again. The "
        "paper's Table 2 is beside it.",
    )
    best = [f"wins by {what}" for what in MEASURES.values()]
    for tuning in _tunings(points):
        here = [point for point in points if point.tuning == tuning]
        theirs = [p for p in here if _origin(p) == "paper" and p.decoding in ("hamming", "loss_weighted")]
        how = f"C and γ for {TUNINGS[tuning]}"
        page.table(f"wins_paper_{tuning}", win_table(theirs), f"The paper's methods and decodings, {how}, %.", best)
        if len(theirs) < len(here):
            ours = [{k: v for k, v in row.items() if "paper" not in k} for row in win_table(here)]
            page.table(f"wins_all_{tuning}", ours, f"All methods and decodings, {how}, %.", best)
        found = {measure: duels(theirs or here, measure) for measure in MEASURES}
        shown = [name for name in _SCATTERED if any(point.method == name for point in theirs)]
        caption = f"Points of a method against the best rival, {how}; above the line it wins."
        page.figure(
            f"wins_{tuning}", caption, figures.wins, found, shown or list(dict.fromkeys(p.method for p in here))[:4]
        )


def accuracies(page: Page, points: list[Point]) -> None:
    """Write accuracies, average ranks and the paper's figures, for each tuning and decoding."""
    page.heading("Accuracy and complexity")
    write(page.folder / "points.csv", csv_text([_point_row(point) for point in points]))
    for tuning in _tunings(points):
        for decoding in dict.fromkeys(point.decoding for point in points):
            here = [point for point in points if (point.tuning, point.decoding) == (tuning, decoding)]
            name = f"{DECODINGS.get(decoding, decoding)}, C and γ for {TUNINGS[tuning]}"
            datasets, methods, table = accuracy_table(here)
            rows = [
                {"data set": dataset, **{m: _with_interval(cell) for m, cell in zip(methods, line)}}
                for dataset, line in zip(datasets, table)
            ]
            caption = f"Accuracy in %, {name}: mean over a method's settings, with the 95 % interval of the test rows."
            page.table(f"accuracy_{tuning}_{decoding}", rows, caption)
            if (found := ranking(methods, table[:, :, 0])) is not None:
                caption = (
                    f"Average ranks over {found.n_datasets} data sets, {name}; Friedman's p = {found.p_value:.2g}."
                )
                page.figure(f"ranks_{tuning}_{decoding}", caption, figures.critical_difference, found)
            theirs = [point for point in here if _origin(point) in ("paper", "ours")]
            if tuning == _tunings(points)[0]:
                for measure, what in MEASURES.items():
                    caption = f"Accuracy against {what}, {name}."
                    page.figure(f"accuracy_{measure}_{decoding}", caption, figures.accuracy, theirs, measure)


def equal_lengths(page: Page, points: list[Point]) -> None:
    """Write the comparison at equal lengths: accuracies, ranks, differences and correlations."""
    page.heading(
        "Equal lengths",
        "All methods with a free length, at the same number of columns. Accuracy is the mean over the data sets "
        "that have the length; in brackets is the mean rank.",
    )
    lengths = [label for label in ("log2", "1/4", "1/2", "3/4", "1", "3/2", "2") if equal.at_length(points, label)]
    decodings = list(dict.fromkeys(point.decoding for point in points))
    for tuning in _tunings(points):
        by_decoding = {d: [p for p in points if (p.tuning, p.decoding) == (tuning, d)] for d in decodings}
        how = f"C and γ for {TUNINGS[tuning]}"
        for decoding, here in by_decoding.items():
            name = f"{DECODINGS.get(decoding, decoding)}, {how}"
            rows = equal.length_table(here, lengths)
            page.table(f"lengths_{tuning}_{decoding}", rows, f"Accuracy in % and mean rank at equal length, {name}.")
            rows = equal.difference_table(here, lengths, _PAIRS)
            page.table(f"differences_{tuning}_{decoding}", rows, f"Differences at equal length, {name}.")
        if any(
            (found := equal.at_length(here, label)) and len({m for _, m in found}) > 1
            for label in lengths
            for here in by_decoding.values()
        ):
            caption = f"Which allocation at which length? Mean over data sets, {how}; bands are 95 % intervals."
            page.figure(f"allocations_{tuning}", caption, figures.allocations, by_decoding, lengths)
    first = [p for p in points if (p.tuning, p.decoding) == (points[0].tuning, decodings[min(1, len(decodings) - 1)])]
    page.figure("lengths", "Accuracy at equal lengths, LWD.", figures.lengths, first, lengths)
    rows = equal.correlation_table(first, lengths, "l / k")
    page.table("correlations", rows, "Correlation of codeword distances with class distances, mean over data sets.")


def solvers(page: Page, rows: list[Row]) -> None:
    """Write what Algorithm 1 takes to find a valid code, beside the search that ECF uses here."""
    mine = [row for row in rows if _origin(row.cell) == "solver"]
    if not mine:
        return
    page.heading("Solvers", "ECF-H and ECF-E by the paper's Algorithm 1 alone: starts until a valid code is found.")
    table = []
    for dataset in dict.fromkeys(row.cell.dataset for row in mine):
        for method in dict.fromkeys(row.cell.method for row in mine):
            own = [r.result["details"] for r in mine if (r.cell.dataset, r.cell.method) == (dataset, method)]
            table.append(
                {
                    "data set": dataset,
                    "method": method,
                    "cells": len(own),
                    "with a valid code": sum(d["valid"] > 0 for d in own),
                    "mean starts": round(float(np.mean([d["starts"] for d in own])), 1) if own else None,
                }
            )
    page.table("solvers", table, "Cells of Algorithm 1. A cell without a valid code counts in no other table.")


def hierarchies(page: Page, rows: list[Row]) -> None:
    """Write how ρ changes the relaxed hierarchy, with slacks of training rows and of held-out rows."""
    mine = [row for row in rows if row.cell.method.startswith("R-H")]
    if not mine:
        return
    page.heading("Relaxed hierarchies", "Share of classes that a node ignores, and number of nodes, by ρ.")
    table = []
    for dataset in dict.fromkeys(row.cell.dataset for row in mine):
        for method in dict.fromkeys(row.cell.method for row in mine):
            own = [r for r in mine if (r.cell.dataset, r.cell.method) == (dataset, method)]
            by_rho = {
                rho: [r.result for r in own if r.cell.setting == rho]
                for rho in dict.fromkeys(r.cell.setting for r in own)
            }
            codes = {rho: tuple(str(r["predictions"]) for r in results) for rho, results in by_rho.items()}
            table.append(
                {
                    "data set": dataset,
                    "method": method,
                    **{
                        f"ρ = {rho}": f"{100 * np.mean([r['details']['ignored'] for r in results]):.0f} %, "
                        f"{np.mean([r['n_columns'] for r in results]):.0f}"
                        for rho, results in by_rho.items()
                    },
                    "different models": len(set(codes.values())),
                }
            )
    page.table("hierarchies", table, "Ignored classes and nodes.")


def pairs(page: Page, rows: list[Row]) -> None:
    """Write how often each pair of C and γ was chosen for a column."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(row.result.get("pairs", {}).get("column", {}))
    if not counts:
        return
    Cs = sorted({float(pair.split()[0]) for pair in counts})
    gammas = sorted({float(pair.split()[1]) for pair in counts})
    total = sum(counts.values())
    table = [
        {"C": f"{C:g}", **{f"γ = {g:g}": round(100 * counts[f"{C:g} {g:g}"] / total, 1) for g in gammas}} for C in Cs
    ]
    page.heading("Chosen C and γ")
    page.table("pairs", table, f"How often a pair is chosen for a column, % of {total:,}.")


def raw_images(page: Page, rows: list[Row]) -> None:
    """Write accuracies with and without the filter of the images."""
    page.heading("Images as they are, and filtered", "Filtered, masked and equalised as the paper did with Traffic.")
    raw = {(r.cell.dataset, r.cell.method, r.cell.setting) for r in rows if r.cell.experiment == "raw"}
    table = []
    for dataset, method, setting in sorted(raw):
        row: dict[str, Any] = {"data set": dataset, "method": method}
        for experiment, what in (("raw", "as they are"), ("accuracy", "filtered")):
            own = [r.result for r in rows if r.cell[:2] == (experiment, dataset) and r.cell[3:] == (method, setting)]
            n = sum(result["n_test"] for result in own)
            for decoding in DECODINGS:
                right = [result["correct"][next(iter(result["correct"]))].get(decoding) for result in own]
                row[f"{what}, {DECODINGS[decoding]}"] = (
                    round(100 * sum(right) / n, 1) if n and None not in right else None
                )
        table.append(row)
    page.table("raw_images", table, "Accuracy in %, C and γ for each column.")


def _tunings(points: list[Point]) -> list[str]:
    return list(dict.fromkeys(point.tuning for point in points))


def _origin(named: Any) -> str:
    return get_method(named.method).origin


def _point_row(point: Point) -> dict[str, Any]:
    low, high = point.interval
    row = {name: getattr(point, name) for name in ("dataset", "tuning", "decoding", "method", "setting")}
    numbers = {
        "accuracy": point.accuracy,
        "low": low,
        "high": high,
        "columns": point.columns,
        "support": point.support,
        "correlation": point.correlation,
        **{f"relative_{name}": value for name, value in point.complexity.items()},
    }
    return {**row, **{name: None if np.isnan(value) else round(value, 6) for name, value in numbers.items()}}


def _with_interval(cell: Any) -> str | None:
    return None if np.isnan(cell[0]) else f"{100 * cell[0]:.1f} ({100 * cell[1]:.0f}–{100 * cell[2]:.0f})"
