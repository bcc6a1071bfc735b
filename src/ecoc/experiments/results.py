"""What comes out of an experiment? Every table and figure of what the store has, in the order of the page."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ecoc.experiments import figures, summary
from ecoc.experiments.cells import Cell
from ecoc.experiments.methods import get_method
from ecoc.experiments.page import Page, csv_text, write
from ecoc.experiments.protocol import Protocol
from ecoc.experiments.store import Row, Store
from ecoc.experiments.summary import DECODINGS, Point

_PAPER_TOY = {"ECF-H": 77.12, "DENSE": 66.45, "OVA": 49.53}
_SCATTERED = ("ECF-H", "ECF-E", "OVA", "ECF-balanced", "ECF-auto")


def write_all(protocol: Protocol, store: Store, cells: Iterable[Cell], folder: Path, draw: bool = True) -> Path:
    """Write every table and, if wanted, figure of what the store has of these cells, and the page."""
    place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}  # rows come as planned, not as they are spelled

    def finished(experiment: str) -> list[Row]:
        rows = [row for row in store.rows(protocol.key, experiment) if row.cell in place]
        return sorted(rows, key=lambda row: place[row.cell])

    rows = finished("accuracy")
    write(folder / "results.csv", csv_text(_result_rows(rows)))
    write(folder / "timings.csv", csv_text(_timing_rows(rows)))
    failures = [{**c._asdict(), "error": error} for c, error in store.failures(protocol.key) if c in place]
    write(folder / "failures.csv", csv_text(failures))
    points = summary.points(rows)
    page = Page(folder, protocol.describe(), draw)
    sections: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
        (_wins, (points,)),
        (_accuracies, (points,)),
        (_ranks, (points,)),
        (_toy, (finished("boundaries"),)),
        (_designs, (finished("design"),)),
        (_convergences, (finished("convergence"),)),
        (_planted, (finished("planted"),)),
        (_failures, (failures,)),
    ]
    sources = {row.facts["source"] for row in rows}
    if len(sources) > 1:
        page.warn(f"The code changed while this was run: cells come from {len(sources)} versions, see timings.csv.")
    for section, content in sections:
        if content[0]:
            section(page, *content)
    facts = sorted({", ".join(f"{name} {value}" for name, value in row.facts.items()) for row in rows})
    seconds = sum(row.seconds for row in rows)
    return page.finish(
        "The paper's experiments", f"{len(rows):,} cells, {seconds:,.0f} s of computing. " + "; ".join(facts)
    )


def _result_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """A line for every cell and decoding, without anything that depends on the clock."""
    return [
        {
            **row.cell._asdict(),
            "decoding": decoding,
            "correct": correct,
            **{name: value for name, value in row.result.items() if name != "correct"},
        }
        for row in rows
        for decoding, correct in row.result["correct"].items()
    ]


def _timing_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [{**row.cell._asdict(), "seconds": round(row.seconds, 4), **row.facts} for row in rows]


def _wins(page: Page, points: list[Point]) -> None:
    page.heading(
        "Wins at equal complexity",
        "Share of a method's operating points (data set × decoding × setting) that are strictly better than every "
        "other method within ±5 % of its complexity; where there is none, than the nearest. The paper's Table 2 is "
        "beside it.",
    )
    paper = {name for name in {point.method for point in points} if not get_method(name).ours}
    theirs = [p for p in points if p.method in paper and p.decoding in ("hamming", "loss_weighted")]
    best = ("wins by support vectors", "wins by classifiers")
    page.table("wins_paper", summary.win_table(theirs), "The paper's methods and decodings (HD and LWD), %.", best)
    if len(theirs) < len(points):
        ours = [{k: v for k, v in row.items() if "paper" not in k} for row in summary.win_table(points)]
        page.table("wins_all", ours, "All methods and decodings, %.", best)
    found = {measure: summary.wins(points, measure) for measure in ("support", "columns")}
    shown = [name for name in _SCATTERED if any(point.method == name for point in points)]
    shown = shown or list(dict.fromkeys(point.method for point in points))[:4]
    caption = "Points of a method against the best rival; above the line it wins."
    page.figure("summary", caption, figures.summary, found, shown)


def _accuracies(page: Page, points: list[Point]) -> None:
    page.heading("Accuracy and complexity")
    write(page.folder / "points.csv", csv_text([_point_row(point) for point in points]))
    for decoding in dict.fromkeys(point.decoding for point in points):
        name = DECODINGS.get(decoding, decoding)
        datasets, methods, table = summary.accuracy_table(points, decoding)
        rows = [
            {"data set": dataset, **{m: _with_interval(cell) for m, cell in zip(methods, line)}}
            for dataset, line in zip(datasets, table)
        ]
        caption = (
            f"Accuracy in %, {name}: mean over a method's settings, with the 95 % interval of the test rows (Wilson)."
        )
        page.table(f"accuracy_{decoding}", rows, caption)
        for measure, what in figures.MEASURES.items():
            caption = f"Accuracy against {what}, {name}."
            page.figure(f"accuracy_{measure}_{decoding}", caption, figures.accuracy, points, decoding, measure)


def _ranks(page: Page, points: list[Point]) -> None:
    page.heading("Ranks", "Friedman's test over the data sets, and the critical difference of Nemenyi's at 5 %.")
    for decoding in dict.fromkeys(point.decoding for point in points):
        found = summary.ranking(points, decoding)
        if found is None:
            continue
        name = DECODINGS.get(decoding, decoding)
        caption = f"Average ranks over {found.n_datasets} data sets, {name}; Friedman's p = {found.p_value:.2g}."
        page.figure(f"ranks_{decoding}", caption, figures.critical_difference, found)


def _toy(page: Page, rows: list[Row]) -> None:
    from ecoc.datasets import load

    page.heading("Toy problem", "What is learned all over the plane. The paper's own points are not known.")
    data = load("toy")
    panels, table = [], []
    for row in rows:
        shares = {name: 100 * n / row.result["n_test"] for name, n in row.result["correct"].items()}
        title = f"{row.cell.method}, {row.result['n_columns']} dichotomizers: {shares[row.result['decoding']]:.1f} %"
        panels.append((title, np.array(row.result["regions"])))
        table.append(
            {
                "method": row.cell.method,
                "dichotomizers": row.result["n_columns"],
                **{DECODINGS.get(name, name): round(share, 2) for name, share in shares.items()},
                "paper": _PAPER_TOY.get(row.cell.method),
            }
        )
    page.table("toy", table, "Accuracy on the Toy problem, first fold, %.")
    page.figure("toy", "Boundaries with loss-weighted decoding.", figures.boundaries, *_canonical(data), panels)


def _canonical(data: Any) -> tuple[Any, Any]:
    from ecoc.datasets import canonical_order

    order, classes = canonical_order(data.X, data.y)
    return data.X[order], classes


def _designs(page: Page, rows: list[Row]) -> None:
    page.heading("Design and code")
    panels = [
        (
            f"{row.cell.dataset}, {row.cell.method}",
            np.array(row.result["design"]),
            np.array(row.result["code"], dtype=float),
        )
        for row in rows
    ]
    page.figure("design", "What was asked for, what came of it, and the code.", figures.design, panels)


def _convergences(page: Page, real: list[Row]) -> None:
    page.heading("Convergence", "The relaxation of the paper, by cycles over all rows.")
    runs = summary.histories(real)
    write(page.folder / "convergence.csv", csv_text(_curve_rows(runs)))
    caption = "Cyclic against random order, hard design: mean ± standard deviation."
    page.figure("convergence", caption, figures.convergence, runs)


def _planted(page: Page, rows: list[Row]) -> None:
    lead = "D = XXᵀ/l of random codewords: the optimum is 0. The paper reports a mean below 1e-10 after 15 cycles."
    page.heading("Planted designs", lead)
    runs = summary.histories(rows)
    write(page.folder / "planted.csv", csv_text(_curve_rows(runs)))
    table = []
    for (name, _), each in sorted(runs.items(), key=lambda item: int(item[0][0].split("×")[0])):
        cycles = summary.cycles_to(each, 1e-10)
        reached = cycles[np.isfinite(cycles)]
        at = min(15, each.shape[1] - 1)
        table.append(
            {
                "classes × columns": name,
                "runs": len(each),
                "reach 1e-10, %": round(100 * len(reached) / len(each), 1),
                "cycles to 1e-10, median": float(np.median(reached)) if len(reached) else None,
                "most": float(reached.max()) if len(reached) else None,
                "mean objective after 15 cycles": f"{each[:, at].mean():.2g}",
                "median": f"{np.median(each[:, at]):.2g}",
            }
        )
    page.table("planted_cycles", table, "Cycles of the relaxation on planted designs.")
    page.figure("planted", "Objective on planted designs; each line a run.", figures.planted, runs)


def _failures(page: Page, rows: list[dict[str, Any]]) -> None:
    page.heading("Failed cells", "They count in no table; --retry-failed tries them again.")
    page.table("failures", rows, "Errors.")


def _curve_rows(runs: dict[tuple[str, str], Any]) -> list[dict[str, Any]]:
    return [
        {
            "dataset": name,
            "order": order,
            "cycle": i,
            "runs": len(each),
            "mean": each[:, i].mean(),
            "std": each[:, i].std(),
        }
        for (name, order), each in runs.items()
        for i in range(each.shape[1])
    ]


def _point_row(point: Point) -> dict[str, Any]:
    row = {name: value for name, value in vars(point).items() if name != "complexity"}
    return {
        **{name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()},
        **{f"relative_{name}": round(value, 6) for name, value in point.complexity.items()},
    }


def _with_interval(cell: Any) -> str | None:
    return None if np.isnan(cell[0]) else f"{100 * cell[0]:.1f} ({100 * cell[1]:.0f}–{100 * cell[2]:.0f})"
