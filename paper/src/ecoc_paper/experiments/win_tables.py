"""Tables and figures of duels, of exchanged names, and of readings of the paper."""

from dataclasses import replace
from typing import Any

import numpy as np

from ecoc_paper.experiments import figures
from ecoc_paper.experiments.comparison import origin_of, tunings_of, with_range
from ecoc_paper.experiments.exchange import (
    EXCHANGED,
    complexity_order,
    exchange_by_dataset,
    exchange_row,
    exchange_table,
)
from ecoc_paper.experiments.page import Page
from ecoc_paper.experiments.points import MEASURES, Point, merged
from ecoc_paper.experiments.protocol import TUNINGS
from ecoc_paper.experiments.wins import CLOSEST, PAPER, as_results, duels, paper_table

_SCATTERED = ("ECF-H", "ECF-E", "OVA", "ECF-balanced", "ECF-auto")


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
    for tuning in tunings_of(points):
        here = [point for point in points if point.tuning == tuning]
        theirs = [p for p in here if origin_of(p) == "paper" and p.decoding in ("hamming", "loss_weighted")]
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
    page.table("exchanged_datasets", exchange_by_dataset(theirs), "Wins on each data set in %, LWD and HD.")
    page.table("complexities", complexity_order(theirs), "Mean relative number of support vectors.")
    tuning = tunings_of(theirs)[0]
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
        "products: P = c, l is the rank. A reading is compared with our solver on the data sets, seeds and settings "
        "where all folds of both have a valid code.",
    )
    table: list[dict[str, Any]] = []
    names_exchanged: list[dict[str, Any]] = []
    for tuning in tunings_of(points):
        here = [p for p in points if p.tuning == tuning and p.decoding in ("hamming", "loss_weighted")]
        for name in names:
            read = {_case(p): p for p in here if p.method in [f"{base} {name}" for base in EXCHANGED]}
            runs = {(p.dataset, p.seed) for p in read.values()}
            rivals = [p for p in here if (p.dataset, p.seed) in runs and p.method in PAPER]
            ours = {_case(p): p for p in rivals if p.method in EXCHANGED}
            others = [p for p in rivals if p.method not in EXCHANGED]
            named = [replace(p, method=_case(p)[0]) for p in read.values()]
            both_ways = [merged([*others, *whose]) for whose in (named, ours.values())]
            won_by = [{line["method"]: line for line in paper_table(each)} for each in both_ways]
            for whose, each in zip((name, "our solver"), both_ways):
                for measure, what in MEASURES.items():
                    how = {"C and γ for": TUNINGS[tuning], "reading": whose, "data sets and seeds": len(runs)}
                    row = {**how, "complexity": what, **exchange_row(each, measure)}
                    if row not in names_exchanged:  # our solver is the same beside all readings of the same runs
                        names_exchanged.append(row)
            for base in EXCHANGED:
                both = [case for case in read if case in ours and case[0] == base]
                row = {
                    "C and γ for": TUNINGS[tuning],
                    "ECF": f"{base} {name}",
                    "data sets": len({dataset for dataset, _ in runs}),
                    "seeds": len({seed for _, seed in runs}),
                    "points": f"{len(both)} of {sum(case[0] == base for case in ours)}",
                    "accuracy, %": _accuracy_over_datasets([read[case] for case in both]),
                    "accuracy of our solver, %": _accuracy_over_datasets([ours[case] for case in both]),
                }
                for what in MEASURES.values():
                    for whose, lines in zip(("", " of our solver"), won_by):
                        row[f"wins{whose} by {what}"] = _with_seeds(lines.get(base, {}), what)
                table.append(row)
    caption = "Accuracy over data sets and settings where both have a point, and wins, in %; LWD and HD."
    page.table("variants", table, caption)
    caption = (
        "Wins of ECF-H and ECF-E in these readings in %, and their correlation with Table 2, as named and exchanged."
    )
    page.table("variants_exchanged", names_exchanged, caption)


def _case(point: Point) -> tuple[str, str, str, str, int]:
    """Return what a point of a reading shares with that of our solver."""
    return point.method[: len("ECF-H")], point.dataset, point.decoding, point.setting, point.seed


def _with_seeds(line: dict[str, Any], what: str) -> str | None:
    """Return the wins of a line of Table 2, with their range over seeds."""
    share, seeds = (line.get(f"{name} by {what}") for name in ("wins", "seeds"))
    return None if share is None else f"{share} ({seeds})" if seeds else str(share)


def _readings(points: list[Point]) -> list[str]:
    return list(
        dict.fromkeys(
            p.method.removeprefix("ECF-H ")
            for p in points
            if origin_of(p) in ("solver", "reading") and "ECF-H " in p.method
        )
    )


def _accuracy_over_datasets(points: list[Point]) -> str | None:
    """Return the mean over settings and data sets, and its range over seeds."""
    seeds: dict[int, dict[str, list[float]]] = {}
    for point in points:
        seeds.setdefault(point.seed, {}).setdefault(point.dataset, []).append(100 * point.accuracy)
    means = [float(np.mean([np.mean(each) for each in datasets.values()])) for datasets in seeds.values()]
    return with_range(np.array([np.mean(means), min(means), max(means)]) / 100) if means else None
