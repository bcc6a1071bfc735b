"""Tables and figures of accuracies, lengths, solvers, hierarchies, and chosen C and γ."""

from collections import Counter
from typing import Any

import numpy as np

from ecoc_paper.experiments import equal_lengths as equal
from ecoc_paper.experiments import figures
from ecoc_paper.experiments.methods import get_method
from ecoc_paper.experiments.page import Page, csv_text, write
from ecoc_paper.experiments.points import DECODINGS, MEASURES, Point, pooled
from ecoc_paper.experiments.protocol import TUNINGS, in_order
from ecoc_paper.experiments.ranks import accuracy_table, ranking
from ecoc_paper.experiments.store import Row

_PAIRS = (
    ("ECF-H", "ECF-E"),
    ("ECF-H", "DENSE"),
    ("ECF-E", "DENSE"),
    ("ECF-balanced", "DENSE"),
    ("ECF-balanced", "ECF-E"),
)


def accuracies(page: Page, points: list[Point]) -> None:
    """Write accuracies, average ranks and the paper's figures, for each tuning and decoding."""
    page.heading("Accuracy and complexity")
    write(page.folder / "points.csv", csv_text([_point_row(point) for point in points]))
    for tuning in tunings_of(points):
        for decoding in dict.fromkeys(point.decoding for point in points):
            here = [point for point in points if (point.tuning, point.decoding) == (tuning, decoding)]
            name = f"{DECODINGS.get(decoding, decoding)}, C and γ for {TUNINGS[tuning]}"
            datasets, methods, table = accuracy_table(here)
            seeds = Counter(dataset for dataset, _ in {(point.dataset, point.seed) for point in here})
            rows = [
                {"data set": dataset, "seeds": seeds[dataset], **{m: with_range(c) for m, c in zip(methods, line)}}
                for dataset, line in zip(datasets, table)
            ]
            caption = f"Accuracy in %, {name}: mean over settings and seeds (lowest–highest seed)."
            page.table(f"accuracy_{tuning}_{decoding}", rows, caption)
            if (found := ranking(methods, table[:, :, 0])) is not None:
                caption = (
                    f"Average ranks over {found.n_datasets} data sets of the methods that have them all, {name}; "
                    f"Friedman's p = {found.p_value:.2g}."
                )
                page.figure(f"ranks_{tuning}_{decoding}", caption, figures.critical_difference, found)
            theirs = pooled([point for point in here if origin_of(point) in ("paper", "ours")])
            if tuning == tunings_of(points)[0]:
                for measure, what in MEASURES.items():
                    caption = f"Accuracy against {what}, {name}."
                    page.figure(f"accuracy_{measure}_{decoding}", caption, figures.accuracy, theirs, measure)


def equal_lengths(page: Page, points: list[Point]) -> None:
    """Write the comparison at equal lengths: accuracies, ranks, differences and correlations."""
    page.heading(
        "Equal lengths",
        "All methods with a free length, at the same number of columns. Accuracy is the mean over the data sets "
        "that have the length; in brackets is the mean rank, and then the lowest and the highest mean of a seed. "
        "Intervals of differences come from drawing data sets and seeds again.",
    )
    lengths = [label for label in ("log2", "1/4", "1/2", "3/4", "1", "3/2", "2") if equal.at_length(points, label)]
    decodings = list(dict.fromkeys(point.decoding for point in points))
    for tuning in tunings_of(points):
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
    shown = "loss_weighted" if "loss_weighted" in decodings else decodings[0]
    first = [p for p in points if (p.tuning, p.decoding) == (tunings_of(points)[0], shown)]
    name = f"{DECODINGS.get(shown, shown)}, C and γ for {TUNINGS[tunings_of(points)[0]]}"
    over_seeds = pooled(first)
    page.figure("lengths", f"Accuracy at equal lengths, {name}.", figures.lengths, over_seeds, lengths)
    rows = equal.correlation_table(over_seeds, lengths, "l / k")
    page.table("correlations", rows, "Correlation of codeword distances with class distances, mean over data sets.")


def solvers(page: Page, rows: list[Row]) -> None:
    """Write what Algorithm 1 takes to find a valid code, beside the search that ECF uses here."""
    mine = [row for row in rows if row.result.get("details", {}).get("starts") and origin_of(row.cell) == "solver"]
    if not mine:
        return
    page.heading(
        "Algorithm 1",
        "Starts until a valid code is found, and starts with a column that was equal to another, which is dropped.",
    )
    table = []
    for dataset in dict.fromkeys(row.cell.dataset for row in mine):
        for method in dict.fromkeys(row.cell.method for row in mine):
            own = [r.result["details"] for r in mine if (r.cell.dataset, r.cell.method) == (dataset, method)]
            if not own:
                continue
            starts = sum(details["starts"] for details in own)
            table.append(
                {
                    "data set": dataset,
                    "method": method,
                    "cells": len(own),
                    "with a valid code": sum(details["valid"] > 0 for details in own),
                    "mean starts": round(starts / len(own), 1),
                    "starts with repeated columns, %": round(100 * sum(d["repeated"] for d in own) / starts, 1),
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
            first = [r for r in own if r.seed == own[0].seed]
            codes = {rho: tuple(str(r.result["predictions"]) for r in first if r.cell.setting == rho) for rho in by_rho}
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
    """Write how often each pair of C and γ was chosen for a column, and how many machines did not converge."""
    counts: Counter[str] = Counter()
    stopped: Counter[str] = Counter()
    for row in rows:
        counts.update(row.result.get("pairs", {}).get("column", {}))
        stopped.update(row.result.get("n_stopped", {}))
    if not counts:
        return
    Cs = sorted({float(pair.split()[0]) for pair in counts})
    gammas = sorted({float(pair.split()[1]) for pair in counts})
    total = sum(counts.values())
    table = [
        {"C": f"{C:g}", **{f"γ = {g:g}": round(100 * counts[f"{C:g} {g:g}"] / total, 1) for g in gammas}} for C in Cs
    ]
    page.heading(
        "Chosen C and γ",
        "Machines are stopped after the protocol's `max_iter` steps. With C = 10⁴ and more, that is often before they "
        "converge, and their outputs then differ from LIBSVM's.",
    )
    page.table("pairs", table, f"How often a pair is chosen for a column, % of {total:,}.")
    columns = {t: sum(sum(r.result.get("pairs", {}).get(t, {}).values()) for r in rows) for t in in_order(stopped)}
    unfinished = [
        {"C and γ for": TUNINGS[t], "columns": n, "stopped before convergence, %": round(100 * stopped[t] / n, 2)}
        for t, n in columns.items()
    ]
    page.table("stopped", unfinished, "Machines that were stopped, among those that were chosen.")


def raw_images(page: Page, rows: list[Row]) -> None:
    """Write accuracies with and without the filter of the images."""
    page.heading("Images as they are, and filtered", "Filtered, masked and equalised as the paper did with Traffic.")
    raw = {(r.cell.dataset, r.cell.method, r.cell.setting) for r in rows if r.cell.experiment == "raw"}
    table = []
    for dataset, method, setting in sorted(raw):
        row: dict[str, Any] = {"data set": dataset, "method": method}
        for experiment, what in (("raw", "as they are"), ("accuracy", "filtered")):
            seed = next(r.seed for r in rows if r.cell.experiment == "raw")
            here = [r for r in rows if r.seed == seed and r.cell[:2] == (experiment, dataset)]
            own = [r.result for r in here if r.cell[3:] == (method, setting)]
            n = sum(result["n_test"] for result in own)
            for decoding in DECODINGS:
                right = [result["correct"][in_order(result["correct"])[0]].get(decoding) for result in own]
                row[f"{what}, {DECODINGS[decoding]}"] = (
                    round(100 * sum(right) / n, 1) if n and None not in right else None
                )
        table.append(row)
    tuning = in_order(next(row.result["correct"] for row in rows if row.cell.experiment == "raw"))[0]
    page.table("raw_images", table, f"Accuracy in %, C and γ for {TUNINGS[tuning]}.")


def tunings_of(points: list[Point]) -> list[str]:
    """List the ways of tuning, in the order of the points."""
    return list(dict.fromkeys(point.tuning for point in points))


def origin_of(named: Any) -> str:
    """Tell where the method of a point or cell comes from."""
    return get_method(named.method).origin


def _point_row(point: Point) -> dict[str, Any]:
    low, high = point.interval
    row = {name: getattr(point, name) for name in ("seed", "dataset", "tuning", "decoding", "method", "setting")}
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


def with_range(cell: Any) -> str | None:
    """Show a mean share in percent, with its lowest and highest seed if these differ."""
    mean, low, high = 100 * cell
    return None if np.isnan(mean) else f"{mean:.1f} ({low:.1f}–{high:.1f})" if low < high else f"{mean:.1f}"
