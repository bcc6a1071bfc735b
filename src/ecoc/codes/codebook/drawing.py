"""Show a code book as text or HTML, without the middle rows and columns of a large one."""

import html
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ecoc.codes.codebook import CodeBook

_MAX_WORK = 2e10  # k²l above which the distances are left out, because they take longer than a second or two


def as_text(book: "CodeBook") -> str:
    """Return a summary line, and a line with the codeword of each class."""
    rows = _rows(book)
    width = max(len(name) for name, _ in rows)
    lines = [f"  {name:<{width}}  {codeword}".rstrip() for name, codeword in rows]
    return "\n".join([_summary(book), *lines])


def as_html(book: "CodeBook") -> str:
    """Return a table with a coloured cell for each entry."""
    # The blue and orange of Okabe and Ito, which colour-blind readers can tell apart. Other text has the page's colour.
    style = {"+": "background:#0072b2;color:#fff", "-": "background:#e69f00;color:#000"}
    cell = "padding:0 .4em;text-align:center"
    body = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th>'
        + "".join(f'<td style="{cell};{style.get(symbol, "")}">{symbol}</td>' for symbol in codeword)
        + "</tr>"
        for name, codeword in _rows(book)
    )
    caption = f'<caption style="text-align:left">{_summary(book)}</caption>'
    return f'<table style="border-collapse:collapse;font-family:monospace">{caption}{body}</table>'


def _summary(book: "CodeBook") -> str:
    text = f"CodeBook {book.n_classes} × {book.n_columns} (classes × columns)"
    if book.is_ternary:
        text += f", {np.mean(book.matrix == 0):.0%} zeros"
    if book.n_classes**2 * book.n_columns <= _MAX_WORK:
        text += f", min distance {book.min_distance}, correction {book.correction}"
    return text


def _rows(book: "CodeBook") -> list[tuple[str, str]]:
    """Return the name and the codeword of each class that is shown, as short texts."""
    max_rows, max_columns, max_label = 20, 60, 24
    labels, columns = book.labels, _ends(book.n_columns, max_columns)
    rows = []
    for i in _ends(book.n_classes, max_rows):
        if i is None:
            rows.append(("⋮", ""))
            continue
        name = " ".join(str(labels[i]).split())
        if len(name) > max_label:
            name = name[: max_label - 1] + "…"
        rows.append((name, "".join("…" if j is None else "·+-"[book.matrix[i, j]] for j in columns)))
    return rows


def _ends(n: int, limit: int) -> list[int | None]:
    """Return 0, ..., n-1, or the first and last of these with None between them."""
    half = limit // 2
    return list(range(n)) if n <= limit else [*range(half), None, *range(n - half, n)]
