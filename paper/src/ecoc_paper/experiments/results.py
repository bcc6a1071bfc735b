"""Write every table and figure of the cells in the store, in the order of the page."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ecoc_paper.experiments import comparison, designs, win_tables
from ecoc_paper.experiments.cells import Cell
from ecoc_paper.experiments.page import Page, csv_text, write
from ecoc_paper.experiments.plan import plan
from ecoc_paper.experiments.points import points
from ecoc_paper.experiments.protocol import Protocol
from ecoc_paper.experiments.store import Row, Store


def write_all(
    protocol: Protocol, store: Store, folder: Path, methods: Sequence[str] | None = None, draw: bool = True
) -> Path:
    """Write every table and, if wanted, every figure of the finished cells of a protocol, and the page."""
    places = {each: {cell: i for i, cell in enumerate(plan(each, methods))} for each in protocol.repetitions}

    def finished(experiment: str) -> list[Row]:
        """Rows of all repetitions, each in the order of its plan."""
        return [
            row._replace(seed=each.seed)
            for each, place in places.items()
            for row in sorted(
                (row for row in store.rows(each.key, experiment) if row.cell in place), key=lambda row: place[row.cell]
            )
        ]

    accuracy, lengths, raw = (finished(name) for name in ("accuracy", "length", "raw"))
    write(folder / "results.csv", csv_text(_result_rows([*accuracy, *lengths, *raw])))
    failures = _failed(store, places)
    write(folder / "failures.csv", csv_text(failures))
    every = [
        row for name in sorted({c.experiment for place in places.values() for c in place}) for row in finished(name)
    ]
    write(folder / "timings.csv", csv_text(_timing_rows(every)))
    page = Page(folder, protocol.describe(), draw)
    sources = {row.facts["source"] for row in every}
    if len(sources) > 1:
        page.warn(f"The code changed during this run: cells come from {len(sources)} versions, see timings.csv.")
    at_own_settings, at_lengths = points(accuracy), points(lengths)
    sections: list[tuple[Callable[..., None], Any]] = [
        (win_tables.wins, at_own_settings),
        (win_tables.exchange, at_own_settings),
        (win_tables.variants, at_own_settings),
        (comparison.accuracies, at_own_settings),
        (comparison.equal_lengths, at_lengths),
        (comparison.solvers, accuracy),
        (comparison.hierarchies, accuracy),
        (comparison.pairs, [*accuracy, *lengths]),
        (
            comparison.raw_images,
            [row for row in [*accuracy, *raw] if any(r.cell.dataset == row.cell.dataset for r in raw)],
        ),
        (designs.toy, finished("boundaries")),
        (designs.ranks, finished("rank")),
        (designs.pictures, finished("design")),
        (designs.readings, finished("reading")),
        (designs.decompositions, finished("decomposition")),
        (designs.convergences, finished("convergence")),
        (designs.planted, finished("planted")),
        (_failures, failures),
    ]
    for section, content in sections:
        if content:
            section(page, content)
    facts = sorted({", ".join(f"{name} {value}" for name, value in row.facts.items()) for row in every})
    seconds = sum(row.seconds for row in every)
    page.table("run", [{"cells": len(every), "failed": len(failures), "hours": round(seconds / 3600, 2)}], "The run.")
    return page.finish(
        "The paper's experiments", f"{len(every):,} cells, {seconds:,.0f} s of computing. " + "; ".join(facts)
    )


def _failed(store: Store, places: dict[Protocol, dict[Cell, int]]) -> list[dict[str, Any]]:
    return [
        {"seed": each.seed, **cell._asdict(), "error": error}
        for each, place in places.items()
        for cell, error in store.failures(each.key)
        if cell in place
    ]


def _result_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return a line for every cell, tuning and decoding, without anything that depends on the clock."""
    numbers = ("n_test", "n_train", "n_classes", "n_columns", "min_distance", "mean_distance", "spread", "correlation")
    return [
        {
            "seed": row.seed,
            **row.cell._asdict(),
            "tuning": tuning,
            "decoding": decoding,
            "correct": correct,
            "n_support": row.result["n_support"][tuning],
            **{name: row.result.get(name) for name in numbers},
        }
        for row in rows
        for tuning, each in row.result.get("correct", {}).items()
        for decoding, correct in each.items()
    ]


def _timing_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [{"seed": row.seed, **row.cell._asdict(), "seconds": round(row.seconds, 4), **row.facts} for row in rows]


def _failures(page: Page, rows: list[dict[str, Any]]) -> None:
    page.heading("Failed cells", "They count in no table; --retry-failed tries them again.")
    page.table("failures", rows, "Errors.")
