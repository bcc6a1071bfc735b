"""Is the same table read from every format, and does a broken file say what is wrong with it?"""

import gzip

import numpy as np
import pytest

from ecoc.tool.tables import ENDINGS, parse_arff, read_table
from ecoc.utils.exceptions import DataError

NAMES = ["length", "coat", "kind"]
ROWS = [["46", "long", "cat"], ["60.5", "", "dog"], ["30", "short", "cat"]]


def text(delimiter=","):
    return "".join(delimiter.join(row) + "\n" for row in (NAMES, *ROWS))


def arff():
    head = ["% pets", "@RELATION it", "@ATTRIBUTE length REAL", "@attribute 'coat' STRING", "@ATTRIBUTE kind{cat,dog}"]
    return "\n".join([*head, "@DATA", *(", ".join(cell or "?" for cell in row) for row in ROWS)])


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_table_from_every_format(tmp_path, ending):
    path = tmp_path / f"pets{ending}"
    columns = dict(zip(NAMES, map(list, zip(*ROWS))))
    if ending == ".npz":
        np.savez(path, **columns)
    elif ending == ".parquet":
        pytest.importorskip("polars").DataFrame(columns).write_parquet(path)
    elif ending == ".xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        for row in (NAMES, *([float(size), coat or None, kind] for size, coat, kind in ROWS)):
            book.active.append(row)
        book.save(path)
    else:
        content = (arff() if ".arff" in ending else text("\t" if ".tsv" in ending else ",")).encode()
        path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
    table = read_table(path)
    assert list(table) == NAMES
    assert table["length"].astype(float).tolist() == [46, 60.5, 30]
    assert table["kind"].tolist() == ["cat", "dog", "cat"]
    assert table["coat"].tolist() == ["long", "?" if ".arff" in ending else "", "short"]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_line_ends_and_byte_order_marks(tmp_path, ends, mark):
    (tmp_path / "pets.csv").write_bytes(mark + text().replace("\n", ends).encode())
    assert read_table(tmp_path / "pets.csv")["kind"].tolist() == ["cat", "dog", "cat"]


def test_quoted_cells_may_hold_anything(tmp_path):
    (tmp_path / "it.csv").write_text('a,"b, b"\n"1\n2","say ""x"""\n')
    table = read_table(tmp_path / "it.csv")
    assert {name: column.tolist() for name, column in table.items()} == {"a": ["1\n2"], "b, b": ['say "x"']}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "0 columns and no rows"),
        ("a,label\n", "2 columns and no rows"),
        ("a,a,label\n1,2,x\n", "different name for each column, but columns 1 and 2 are both called 'a'"),
        ("a, a,label\n1,2,x\n", "columns 1 and 2 are both called 'a'"),
        ("a,,label\n1,2,x\n", "column 2 of 3 has none"),
        (",a,label\n1,2,x\n", r"column 1 of 3 has none; pandas leaves an index out with to_csv\(index=False\)"),
        ("a,b,label\n1,2\n", "3 columns and 2 values in row 1"),
    ],
)
def test_broken_tables(tmp_path, content, message):
    (tmp_path / "it.csv").write_text(content)
    with pytest.raises(DataError, match=f"it.csv .*{message}"):
        read_table(tmp_path / "it.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("it.npz", b"no archive", r"it\.npz cannot be read as npz"),
        ("it.csv", b"\xff\xfe,label\n", r"it\.csv cannot be read as csv"),
        ("it.csv.gz", b"\x1f\x8b\x08\x00", r"it\.csv\.gz cannot be read as csv"),
        ("it.parquet", b"PAR1", r"it\.parquet cannot be read as parquet"),
        ("it.doc", b"", r"unknown format; a table is one of \.csv, "),
        ("it.gz", b"", "unknown format"),
        ("it.arff", b"a,b\n1,2\n", "not a dense ARFF file"),
        ("it.arff", b"@attribute\n@data\n1\n", "column 1 of 1 has none"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    if name.endswith(".parquet"):
        pytest.importorskip("polars")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_table(tmp_path / name)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(DataError, match=r"it\.csv is not there"):
        read_table(tmp_path / "it.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)


def test_sparse_arff_is_refused():
    with pytest.raises(DataError, match="not a dense ARFF"):
        parse_arff("@attribute a real\n@data\n{0 1}", "it.arff")


def test_arff_quotes():
    table = parse_arff("@attribute 'a b' real\n@attribute k {'x, y',z}\n@data\n1, 'x, y'\n2, z\n", "it.arff")
    assert list(table) == ["a b", "k"]
    assert table["k"].tolist() == ["x, y", "z"]
