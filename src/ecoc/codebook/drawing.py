"""How does a code book look? As text and as HTML, the middle of a large one left out."""

import html
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ecoc.codebook import CodeBook

_DRAWN_WORK = 2e10  # k²l, a second or two, above which a drawing leaves the distances out
_DRAWN_ROWS, _DRAWN_COLUMNS, _DRAWN_LABEL = 20, 60, 24


def as_text(book: "CodeBook") -> str:
    """A line about the book, and one a class."""
    rows = _drawn(book)
    width = max(len(name) for name, _ in rows)
    lines = [f"  {name:<{width}}  {codeword}".rstrip() for name, codeword in rows]
    return "\n".join([_summary(book), *lines])


def as_html(book: "CodeBook") -> str:
    """A table with a coloured cell an entry."""
    # Okabe and Ito's blue and orange, which every eye tells apart; the rest suits a light or dark page.
    style = {"+": "background:#0072b2;color:#fff", "-": "background:#e69f00;color:#000"}
    cell = "padding:0 .4em;text-align:center"
    body = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th>'
        + "".join(f'<td style="{cell};{style.get(symbol, "")}">{symbol}</td>' for symbol in codeword)
        + "</tr>"
        for name, codeword in _drawn(book)
    )
    caption = f'<caption style="text-align:left">{_summary(book)}</caption>'
    return f'<table style="border-collapse:collapse;font-family:monospace">{caption}{body}</table>'


def _summary(book: "CodeBook") -> str:
    text = f"CodeBook {book.n_classes} × {book.n_columns} (classes × columns)"
    if book.is_ternary:
        text += f", {np.mean(book.matrix == 0):.0%} zeros"
    if book.n_classes**2 * book.n_columns <= _DRAWN_WORK:
        text += f", min distance {book.min_distance}, correction {book.correction}"
    return text


def _drawn(book: "CodeBook") -> list[tuple[str, str]]:
    """Name and codeword of each class as short texts."""
    labels, columns = book.labels, _ends(book.n_columns, _DRAWN_COLUMNS)
    rows = []
    for i in _ends(book.n_classes, _DRAWN_ROWS):
        if i is None:
            rows.append(("⋮", ""))
            continue
        name = " ".join(str(labels[i]).split())
        if len(name) > _DRAWN_LABEL:
            name = name[: _DRAWN_LABEL - 1] + "…"
        rows.append((name, "".join("…" if j is None else "·+-"[book.matrix[i, j]] for j in columns)))
    return rows


def _ends(n: int, limit: int) -> list[int | None]:
    """All of 0, ..., n-1, or both ends of it around a None."""
    half = limit // 2
    return list(range(n)) if n <= limit else [*range(half), None, *range(n - half, n)]
