"""Is an Excel sheet read like a CSV file with the same cells?"""

from datetime import datetime

import numpy as np
import pytest

from ecoc.tool.tables import read_table
from ecoc.tool.tables.reading import read_samples
from ecoc.utils.exceptions import DataError


@pytest.fixture
def write(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")

    def write(*sheets):
        book = openpyxl.Workbook()
        for number, rows in enumerate(sheets):
            sheet = book.active if number == 0 else book.create_sheet(f"more {number}")
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    return write


def test_types(write):
    day = datetime(2024, 12, 31)
    path = write([["size", "n", "coat", "day", "label"], [1.5, 2, "long", day, 1], [None, 3, None, day, 2]])
    table = read_table(path, labels=["label"])
    assert np.array_equal(table["size"], [1.5, np.nan], equal_nan=True)
    assert table["n"].tolist() == [2.0, 3.0]
    assert table["coat"].tolist() == ["long", ""]
    assert table["day"].tolist() == ["2024-12-31", "2024-12-31"]
    assert table["label"].tolist() == ["1", "2"]


def test_samples(write):
    path = write([["size", "coat", "label"], *([i % 7, ["long", None][i % 2], "xyz"[i % 3]] for i in range(30))])
    samples = read_samples(path)
    assert samples.is_text.tolist() == [False, True]
    assert set(samples.y.tolist()) == {"x", "y", "z"}


def test_empty_rows_and_columns_are_left_out(write):
    path = write([[None], ["a", "b", None], [None, None, None], [1, 2, None], [3], []])
    table = read_table(path)
    assert table["a"].tolist() == [1.0, 3.0]
    assert np.array_equal(table["b"], [2.0, np.nan], equal_nan=True)


def test_the_first_of_several_sheets_is_read(write):
    with pytest.warns(UserWarning, match="t.xlsx has 2 sheets; the first, 'Sheet', is read"):
        assert list(read_table(write([["a"], [1]], [["b"], [2]]))) == ["a"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "0 columns and no rows"),
        ([["a", "b"]], "2 columns and no rows"),
        ([["a", "a"], [1, 2]], "columns 1 and 2 are both called 'a'"),
        ([["a", None, "b"], [1, 2, 3]], "column 2 of 3 has none"),
        ([["a"], [1], [2, 3]], "1 names in its first row and more cells in row 2"),
    ],
)
def test_broken_sheets(write, rows, message):
    with pytest.raises(DataError, match=message):
        read_table(write(rows))


def test_packed_sizes_and_damaged_files(write):
    path = write([["a"], [1]])
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(path, max_bytes=100)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(DataError, match=r"t\.xlsx cannot be read as xlsx"):
        read_table(path)


def test_the_error_says_what_to_install(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("ecoc.tool.tables.archives.import_module", missing)
    (tmp_path / "t.xlsx").write_bytes(b"")
    with pytest.raises(DataError, match=r"pip install openpyxl, or 'ecoc\[excel\]'"):
        read_table(tmp_path / "t.xlsx")
