"""Code books as text and HTML."""

import numpy as np

from ecoc import CodeBook
from tests.codebooks import SMALL, random_code


def test_small_book():
    assert repr(CodeBook(SMALL, labels=["cat", "sheepdog", "a\nb"])) == (
        "CodeBook 3 × 3 (classes × columns), 33% zeros, min distance 1, correction 0\n"
        "  cat       ++·\n"
        "  sheepdog  -·+\n"
        "  a b       ·--"
    )


def test_large_book_shows_its_ends():
    matrix = random_code(30, 70)
    lines = repr(CodeBook(matrix)).splitlines()
    assert lines[0].startswith("CodeBook 30 × 70 (classes × columns), min distance ")
    assert [line.split()[0] for line in lines[1:]] == [
        *map(str, range(10)),
        "⋮",
        *map(str, range(20, 30)),
    ]
    symbols = np.where(matrix[29] > 0, "+", "-")
    assert lines[-1] == f"  29  {''.join(symbols[:30])}…{''.join(symbols[40:])}"


def test_long_labels_are_cut():
    assert f"  {'x' * 23}…  +" in repr(CodeBook([[1], [-1]], labels=["x" * 25, "y"])).splitlines()


def test_distances_too_long_to_wait_for_are_left_out():
    book = CodeBook(random_code(4000, 1300))
    assert repr(book).splitlines()[0] == "CodeBook 4000 × 1300 (classes × columns)"


def test_html_escapes_labels_and_has_a_cell_for_each_entry():
    page = CodeBook(SMALL, labels=["<script>", "a&b", '"'])._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "a&amp;b" in page
    assert [page.count(f">{symbol}</td>") for symbol in "+-·"] == [3, 3, 3]


def test_html_of_a_large_book_is_cut():
    page = CodeBook(random_code(500, 300))._repr_html_()
    assert page.count("<tr>") == 21
    assert page.count("<td") == 20 * 61
