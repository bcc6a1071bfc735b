"""Tables and figures of designs: ranks, readings, errors and convergence."""

from typing import Any

import numpy as np

from ecoc_paper.datasets import canonical_order, load
from ecoc_paper.experiments import pictures as drawn
from ecoc_paper.experiments.histories import curve_rows, histories, planted_rows
from ecoc_paper.experiments.page import Page, csv_text, write
from ecoc_paper.experiments.points import DECODINGS
from ecoc_paper.experiments.protocol import in_order
from ecoc_paper.experiments.store import Row

_PAPER_TOY = {"ECF-H": 77.12, "DENSE": 66.45, "OVA": 49.53}
_PAPER_RANKS = {"traffic36": 6, "faces": 8}  # of Traffic and ARFace


def toy(page: Page, rows: list[Row]) -> None:
    """Write the Toy problem: accuracies at the paper's lengths, and regions."""
    page.heading("Toy problem", "Regions of the classes at the paper's lengths. The paper's own points are not known.")
    data = load("toy")
    order, classes = canonical_order(data.X, data.y)
    panels, table = [], []
    for row in rows:
        result, tuning = row.result, in_order(row.result["correct"])[0]
        shares = {name: 100 * n / result["n_test"] for name, n in result["correct"][tuning].items()}
        title = f"{row.cell.method}, {result['n_columns']} columns: {shares[result['decoding']]:.1f} %"
        panels.append((title, np.array(result["regions"]), np.array(result["code"])))
        table.append(
            {
                "method": row.cell.method,
                "columns": result["n_columns"],
                **{DECODINGS.get(name, name): round(share, 2) for name, share in shares.items()},
                "paper": _PAPER_TOY.get(row.cell.method),
            }
        )
    page.table("toy", table, "Accuracy on the Toy problem, first fold, %.")
    caption = "Regions with loss-weighted decoding, C and γ for each column, and the codes: a row for each class."
    page.figure("toy", caption, drawn.boundaries, data.X[order], classes, panels)


def ranks(page: Page, rows: list[Row]) -> None:
    """Write the rank of each design, and what else could be called so."""
    page.heading(
        "Rank and length",
        "The paper takes the rank of the design as the length, and reports 6 for Traffic and 8 for ARFace. Here are "
        "the rank of the nearest correlation matrix and of Algorithm 2's, which clips entries or, after 4,000 rounds, "
        "scales them linearly; the last with a covariance that is not shrunk; the positive eigenvalues of the design "
        "before it is projected, and the leading eigenvalues that have a share of the trace.",
    )
    table = [
        {
            "data set": row.cell.dataset,
            "allocation": row.cell.method,
            "classes": row.result["n_classes"],
            "rank": row.result["rank"],
            "Algorithm 2": row.result["printed"],
            "linear scaling": row.result["linear"],
            "linear, unshrunk covariance": row.result["unshrunk"],
            "positive before": row.result["positive"],
            **{f"{share} % of the trace": row.result[f"energy {share}"] for share in (80, 90, 95, 99)},
            "paper": _PAPER_RANKS.get(row.cell.dataset),
        }
        for row in rows
    ]
    page.table("ranks", table, "Ranks of the designs, first fold.")


def pictures(page: Page, rows: list[Row]) -> None:
    """Draw designs and codes."""
    page.heading("Design and code")
    panels = [
        (f"{row.cell.dataset}, {row.cell.method}", np.array(row.result["design"]), np.array(row.result["code"], float))
        for row in rows
    ]
    page.figure("design", "The design, the products of codewords, and the code.", drawn.design, panels)


def readings(page: Page, rows: list[Row]) -> None:
    """Write how many codes of Algorithm 1 are valid under each reading of the paper."""
    page.heading(
        "Algorithm 1 as printed",
        "Valid codes among all starts, and starts with a repeated column, counted directly. Readings of P: mended "
        "(x·x' ≤ l − 2c keeps the distance c), printed (x·x' ≤ l − c), products (x·x' ≤ c). Projections: the nearest "
        "correlation matrix, or the paper's Algorithm 2. Rounding: at the end, or in every cycle with the diagonal in "
        "the objective, as the listing has it.",
    )
    table = []
    for row in rows:
        allocation, reading, projection, rounding = row.cell.method.split(", ")
        result: dict[str, Any] = row.result
        correlation = result.get("correlation")
        table.append(
            {
                "data set": row.cell.dataset,
                "allocation": allocation,
                "reading": reading,
                "projection": projection,
                "rounding": rounding,
                "c": int(row.cell.setting),
                "columns": result.get("length"),
                "valid, %": round(100 * result["valid"] / result["starts"], 1) if "starts" in result else None,
                "repeated columns, %": round(100 * result["repeated"] / result["starts"], 1)
                if "starts" in result
                else None,
                "relative error": result.get("relative_error"),
                "min. distance": result.get("min_distance"),
                "correlation": None if correlation is None else round(correlation, 2),
                "note": "no such code" if "infeasible" in result else "",
            }
        )
    write(page.folder / "readings_all.csv", csv_text(table))
    page.table("readings", _reading_means(table), "Valid codes of Algorithm 1, mean over the data sets.")


def _reading_means(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    means = []
    names = ("allocation", "reading", "projection", "rounding", "c")
    for key in dict.fromkeys(tuple(r[name] for name in names) for r in table):
        own = [r for r in table if tuple(r[name] for name in names) == key]
        repeated = [r["repeated columns, %"] for r in own if r["repeated columns, %"] is not None]
        errors = [r["relative error"] for r in own if r["relative error"] is not None]
        tried = [r["valid, %"] for r in own if r["valid, %"] is not None]
        kept = [r["min. distance"] for r in own if r["min. distance"] is not None]
        means.append(
            {
                **dict(zip(names, key)),
                "data sets": len(own),
                "no such code": len(own) - len(tried),
                "valid, %": round(float(np.mean(tried)), 1) if tried else None,
                "repeated columns, %": round(float(np.mean(repeated)), 1) if repeated else None,
                "relative error": round(float(np.mean(errors)), 3) if errors else None,
                "data sets without a valid code": sum(share == 0 for share in tried),
                "smallest distance": min(kept) if kept else None,
            }
        )
    return means


def decompositions(page: Page, rows: list[Row]) -> None:
    """Write and draw the parts of the error of the relaxation."""
    page.heading(
        "Parts of the error",
        "The paper splits the error of the relaxation into optimisation and discretisation, and a trace term. The "
        "nearest product of discrete vectors is the best code that is known; where it is proven to be the best, the "
        "parts are exact.",
    )
    parts = ("total", "optimisation", "discretisation", "trace")
    table = [
        {
            "data set": row.cell.dataset,
            "allocation": row.cell.method,
            "columns": row.result["length"],
            **{f"{part}, %": round(100 * row.result[part], 1) for part in parts},
            "exact": "yes" if row.result["is_exact"] else "no",
        }
        for row in rows
    ]
    page.table("decomposition", table, "Parts of the error, % of ‖l·D‖².")
    bars = [(f"{row.cell.dataset}, {row.cell.method}", row.result) for row in rows]
    page.figure("decomposition", "Parts of the error.", drawn.decomposition, bars)


def convergences(page: Page, rows: list[Row]) -> None:
    """Write and draw the convergence of the relaxation."""
    page.heading("Convergence", "The paper's relaxation, by cycles over all rows.")
    runs = histories(rows)
    table = curve_rows(runs)
    write(page.folder / "convergence.csv", csv_text(table))
    last = {(row["dataset"], row["order"]): row for row in table}
    page.table("convergence_end", list(last.values()), "Objective of the relaxation at the end.")
    caption = "Cyclic against random order, hard design: mean ± standard deviation."
    page.figure("convergence", caption, drawn.convergence, runs)


def planted(page: Page, rows: list[Row]) -> None:
    """Write and draw the relaxation on designs whose factor is known."""
    lead = "D = XXᵀ/l of random codewords: the optimum is 0. The paper reports a mean below 1e-10 after 15 cycles."
    page.heading("Planted designs", lead)
    runs = histories(rows)
    write(page.folder / "planted.csv", csv_text(curve_rows(runs)))
    page.table("planted_cycles", planted_rows(runs), "Cycles of the relaxation on planted designs.")
    page.figure("planted", "Objective on planted designs; each line a run.", drawn.planted, runs)
