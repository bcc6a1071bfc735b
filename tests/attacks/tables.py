"""Tables, code books, matrices and costs that are damaged: each is read, or refused in one line."""

import csv
import gzip
import io
import tempfile
import warnings
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ecoc import CodeBook
from ecoc.tool.tables.matrices import read_costs, read_matrix
from ecoc.tool.tables.reading import read_samples
from tests.attacks.mutations import mutate
from tests.attacks.watching import one_line, silent, watched

CELLS = (
    *("", " ", "nan", "NaN", "?", "inf", "-inf", "1e400", "1e-400", "0x10", "1,5", "1_000", "٣", "−1", "True", "None"),
    *('"', "'", "=1+1", "@x", "x" * 3000, "\x00", "\x1b[31m", "\u202e", "a\nb", "a\tb", "[/]", "</script>", "é", "1;2"),
    *("label", "2020-01-01", "1e5", "-0", "9" * 40),
)


@cache
def rows():
    rng = np.random.default_rng(0)
    cells = [[f"{a:.3f}", f"{b:.2g}", str(c), "xyz"[i % 3]] for i, (a, b, c) in enumerate(rng.normal(size=(24, 3)))]
    return [["a", "b", "c", "label"], *cells]


def as_text(table, mark=","):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=mark, lineterminator="\n").writerows(table)
    return buffer.getvalue().encode("utf-8", "surrogatepass")


def as_arff(table):
    header = "".join(f"@attribute {name} numeric\n" for name in table[0][:-1])
    return f"@relation r\n{header}@attribute label {{x,y,z}}\n@data\n".encode() + as_text(table[1:])


def as_npz(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


@cache
def frame_files():
    """The table as Parquet and Excel files, where the packages that write them are installed."""
    files = {}
    if find_spec("polars"):
        import polars

        buffer = io.BytesIO()
        columns = [[float(cell) for cell in column] for column in list(zip(*rows()[1:]))[:3]]
        polars.DataFrame({**dict(zip("abc", columns)), "label": [row[3] for row in rows()[1:]]}).write_parquet(buffer)
        files["t.parquet"] = buffer.getvalue()
    if find_spec("openpyxl"):
        from openpyxl import Workbook

        book, buffer = Workbook(), io.BytesIO()
        for row in rows():
            book.active.append(row)
        book.save(buffer)
        files["t.xlsx"] = buffer.getvalue()
    return files


def damaged_cells(rng, table):
    """Other cells, and rows and columns that are missing, repeated or empty."""
    table = [list(row) for row in table]
    for _ in range(rng.integers(0, 6)):
        row = table[rng.integers(len(table))]
        if row:
            row[rng.integers(len(row))] = CELLS[rng.integers(len(CELLS))]
    kind = rng.integers(8)
    place = int(rng.integers(len(table)))
    if kind == 0:
        del table[place:]
    elif kind == 1:
        table[place] = table[place][:-1]
    elif kind == 2:
        table.insert(place, table[place])
    elif kind == 3:
        table.insert(place, [])
    elif kind == 4:
        column = int(rng.integers(len(table[0] or [0])))
        cell = CELLS[rng.integers(len(CELLS))]
        table = [[*row[:column], cell, *row[column + 1 :]] for row in table]
    return table or [[]]


def bomb(rng):
    """An NPZ file that claims, or unpacks to, much more than its size."""
    buffer = io.BytesIO()
    shape = tuple(10 ** rng.integers(2, 7, size=2))
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({shape[0]}, {shape[1]}), }}".ljust(117) + "\n"
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("X", "y", "matrix", "code"):
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + bytes(2**20))
    return buffer.getvalue()


def draw_file(rng):
    """Name, content and reader of a file."""
    if rng.random() < 0.5:
        table = damaged_cells(rng, rows())
        kind = rng.integers(5)
        named = {0: "t.csv", 1: "t.tsv", 2: "t.csv.gz", 3: "t.arff", 4: "t.csv"}[int(kind)]
        content = as_arff(table) if kind == 3 else as_text(table, "\t" if kind == 1 else ";" if kind == 4 else ",")
    else:
        named, content = _whole_files()[rng.integers(len(_whole_files()))]
        content = bomb(rng) if named.endswith(".npz") and rng.random() < 0.1 else mutate(rng, content)
    if named.endswith(".gz"):
        content = gzip.compress(content, 1)
        content = mutate(rng, content) if rng.random() < 0.3 else content
    return named, content


@cache
def _whole_files():
    with tempfile.TemporaryDirectory() as folder:
        books = []
        for ending in ("csv", "npz"):
            path = Path(folder, f"book.{ending}")
            CodeBook([[1, 1, 0], [-1, 1, 1], [1, -1, -1], [-1, -1, 1]], labels=["a", "b", "c", "d"]).save(path)
            books.append((path.name, path.read_bytes()))
    X = np.array([[float(cell) for cell in row[:3]] for row in rows()[1:]])
    return [
        *books,
        *frame_files().items(),
        ("t.csv", as_text(rows())),
        ("t.tsv", as_text(rows(), "\t")),
        ("t.arff", as_arff(rows())),
        ("t.csv.gz", as_text(rows())),
        ("t.npz", as_npz(X=X, y=np.array([row[3] for row in rows()[1:]]))),
        ("matrix.csv", b",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n"),
        ("costs.csv", b"true,predicted,cost\na,b,2\nb,a,0.5\n"),
    ]


def read(path):
    reader = path.name.partition(".")[0]
    if reader == "book":
        CodeBook.load(path)
    elif reader == "matrix":
        read_matrix(path)
    elif reader == "costs":
        read_costs(path, ["a", "b", "c"])
    else:
        samples = read_samples(path)
        assert len(samples.X) == len(samples.y) > 0
        assert samples.X.shape[1] == len(samples.names) == len(set(samples.names))
        assert len(set(samples.y.tolist())) > 1


def attack(seed):
    rng = np.random.default_rng(seed)
    named, content = draw_file(rng)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        path = Path(folder, named)
        path.write_bytes(content)
        try:
            with watched(), silent():
                read(path)
            outcome = "read"
        except ValueError as error:  # DataError and CodeBookError are such
            one_line(error)
            outcome = "refused"
    for warning in told:
        one_line(warning.message)
    return f"{'table' if named.startswith('t.') else named.partition('.')[0]}, {outcome}"
