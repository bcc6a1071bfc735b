"""How do the methods compare? Tables and figures of wins, accuracies, lengths, solvers, hierarchies and pairs."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from ecoc_paper.experiments import equal_lengths as equal
from ecoc_paper.experiments import figures
from ecoc_paper.experiments.exchange import EXCHANGED, complexity_order, exchange_table
from ecoc_paper.experiments.methods import get_method
from ecoc_paper.experiments.page import Page, csv_text, write
from ecoc_paper.experiments.points import DECODINGS, MEASURES, Point, merged, pooled
from ecoc_paper.experiments.protocol import TUNINGS, in_order
from ecoc_paper.experiments.ranks import accuracy_table, ranking
from ecoc_paper.experiments.store import Row
from ecoc_paper.experiments.wins import CLOSEST, PAPER, as_results, duels, paper_table

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
        "other method within ±5 % of their complexity; R-H meets the closest complexity of each other method, as in "
        "the paper. Points without such a rival are left out and counted. Settings that predict the same are one "
        "point. Shares are means over the seeds, with the lowest and the highest seed, and the 95 % interval when data "
        "sets and seeds are drawn again. The paper's Table 2 is beside it.",
    )
    points = merged(points)
    best = [f"wins by {what}" for what in MEASURES.values()]
    for tuning in _tunings(points):
        here = [point for point in points if point.tuning == tuning]
        theirs = [p for p in here if _origin(p) == "paper" and p.decoding in ("hamming", "loss_weighted")]
        how = f"C and γ for {TUNINGS[tuning]}"
        page.table(f"wins_paper_{tuning}", paper_table(theirs), f"The paper's methods and decodings, {how}, %.", best)
        if len(theirs) < len(here):
            ours = [{k: v for k, v in row.items() if "paper" not in k} for row in paper_table(here)]
            page.table(f"wins_all_{tuning}", ours, f"All methods and decodings, {how}, %.", best)
        found = {measure: duels(as_results(theirs or here, measure), closest=CLOSEST) for measure in MEASURES}
        shown = [name for name in _SCATTERED if any(point.method == name for point in theirs)]
        caption = f"Points of a method against the best rival, {how}; above the line it wins."
        page.figure(
            f"wins_{tuning}", caption, figures.wins, found, shown or list(dict.fromkeys(p.method for p in here))[:4]
        )


def exchange(page: Page, points: list[Point]) -> None:
    """Write what the wins are like if ECF-H and ECF-E have exchanged their names in the paper."""
    theirs = [p for p in merged(points) if p.method in PAPER]
    if not EXCHANGED.keys() <= {point.method for point in theirs}:
        return
    page.heading(
        "Exchanged labels",
        "Section 3.3 of the paper orders D like the Hamming distances, and the factorization fits inner products to D. "
        "Who does both builds the opposite code. Correlation of our wins with Table 2 over its methods, as they are "
        "named and with ECF-H and ECF-E exchanged; means over the seeds, with the lowest and the highest.",
    )
    page.table("exchanged", exchange_table(theirs), "Wins in %, and their correlation with Table 2.")
    page.table("complexities", complexity_order(theirs), "Mean relative number of support vectors.")
    tuning = _tunings(theirs)[0]
    table = paper_table([p for p in theirs if p.tuning == tuning and p.decoding in ("hamming", "loss_weighted")])
    caption = f"Wins beside the paper's, as named and exchanged, C and γ for {TUNINGS[tuning]}."
    page.figure("exchanged", caption, figures.exchanged, table)


def variants(page: Page, points: list[Point]) -> None:
    """Write what becomes of ECF-H and ECF-E under each reading of the paper: each reading takes their place."""
    names = [name for name in _readings(points) if any(p.method == f"ECF-H {name}" for p in points)]
    if not names:
        return
    page.heading(
        "Readings of the paper",
        "ECF-H and ECF-E as the paper can be read, in place of our solver with l = max(rank, what c needs). Literal: "
        "Algorithm 1 with rounding in every cycle and the diagonal in its objective, Algorithm 2, P = l − c. P caps "
        "products: P = c, l is the rank. Cells without a valid code have no accuracy.",
    )
    table = []
    for tuning in _tunings(points):
        here = [p for p in points if p.tuning == tuning and p.decoding in ("hamming", "loss_weighted")]
        for name in ("", *names):
            ecf = {f"{base} {name}".strip(): base for base in EXCHANGED}
            rest = [p for p in here if _origin(p) == "paper" and p.method not in EXCHANGED]
            rest += [replace(p, method=ecf[p.method]) for p in here if p.method in ecf]
            wins_of = {row["method"]: row for row in paper_table(merged(rest))}
            row: dict[str, Any] = {"C and γ for": TUNINGS[tuning], "ECF": name or "our solver"}
            for base in EXCHANGED:
                own = [p for p in rest if p.method == base]
                row[f"{base}: points"] = len(own)
                row[f"{base}: accuracy, %"] = _accuracy_over_datasets(own)
                for what in MEASURES.values():
                    found = wins_of.get(base, {})
                    seeds = found.get(f"seeds by {what}")
                    share = found.get(f"wins by {what}")
                    row[f"{base}: wins by {what}"] = None if share is None else f"{share} ({seeds})" if seeds else share
            table.append(row)
    page.table("variants", table, "Wins in %, and accuracy over data sets and settings, LWD and HD.")


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
                {"data set": dataset, **{m: _with_range(cell) for m, cell in zip(methods, line)}}
                for dataset, line in zip(datasets, table)
            ]
            caption = f"Accuracy in %, {name}: mean over settings and seeds (lowest–highest seed)."
            page.table(f"accuracy_{tuning}_{decoding}", rows, caption)
            if (found := ranking(methods, table[:, :, 0])) is not None:
                caption = (
                    f"Average ranks over {found.n_datasets} data sets, {name}; Friedman's p = {found.p_value:.2g}."
                )
                page.figure(f"ranks_{tuning}_{decoding}", caption, figures.critical_difference, found)
            theirs = pooled([point for point in here if _origin(point) in ("paper", "ours")])
            if tuning == _tunings(points)[0]:
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
    shown = "loss_weighted" if "loss_weighted" in decodings else decodings[0]
    first = [p for p in points if (p.tuning, p.decoding) == (_tunings(points)[0], shown)]
    name = f"{DECODINGS.get(shown, shown)}, C and γ for {TUNINGS[_tunings(points)[0]]}"
    page.figure("lengths", f"Accuracy at equal lengths, {name}.", figures.lengths, pooled(first), lengths)
    rows = equal.correlation_table(first, lengths, "l / k")
    page.table("correlations", rows, "Correlation of codeword distances with class distances, mean over data sets.")


def solvers(page: Page, rows: list[Row]) -> None:
    """Write what Algorithm 1 takes to find a valid code, beside the search that ECF uses here."""
    mine = [row for row in rows if row.result.get("details", {}).get("starts") and _origin(row.cell) == "solver"]
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
            table.append(
                {
                    "data set": dataset,
                    "method": method,
                    "cells": len(own),
                    "with a valid code": sum(d["valid"] > 0 for d in own),
                    "mean starts": round(float(np.mean([d["starts"] for d in own])), 1) if own else None,
                    "starts with repeated columns, %": round(
                        100 * sum(d["repeated"] for d in own) / sum(d["starts"] for d in own), 1
                    )
                    if own
                    else None,
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


def _tunings(points: list[Point]) -> list[str]:
    return list(dict.fromkeys(point.tuning for point in points))


def _origin(named: Any) -> str:
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


def _with_range(cell: Any) -> str | None:
    mean, low, high = 100 * cell
    return None if np.isnan(mean) else f"{mean:.1f} ({low:.1f}–{high:.1f})" if low < high else f"{mean:.1f}"


def _readings(points: list[Point]) -> list[str]:
    return list(
        dict.fromkeys(
            p.method.removeprefix("ECF-H ") for p in points if _origin(p) == "solver" and "ECF-H " in p.method
        )
    )


def _accuracy_over_datasets(points: list[Point]) -> str | None:
    """Return the mean over settings and data sets, and its range over seeds."""
    seeds: dict[int, dict[str, list[float]]] = {}
    for point in points:
        seeds.setdefault(point.seed, {}).setdefault(point.dataset, []).append(100 * point.accuracy)
    means = [float(np.mean([np.mean(each) for each in datasets.values()])) for datasets in seeds.values()]
    return _with_range(np.array([np.mean(means), min(means), max(means)]) / 100) if means else None
