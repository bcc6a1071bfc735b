"""What is in a file? Tables as CSV, TSV, ARFF, Parquet or NPZ, plain or gzipped, to named columns."""

import csv
import gzip
import io
from importlib import import_module
from pathlib import Path

import numpy as np

from ecoc.exceptions import DataError
from ecoc.tables.arff import parse_arff
from ecoc.tables.columns import Table, columns_of

FORMATS = (".csv", ".tsv", ".arff", ".parquet", ".npz")
ENDINGS = (*FORMATS, ".csv.gz", ".tsv.gz", ".arff.gz")


def read_table(path: Path, index: str | None = None) -> Table:
    """Read the columns of a table by name, or the arrays of an NPZ file.

    Parameters
    ----------
    path : Path
        A file whose name ends in one of `ENDINGS`.
    index : str, default=None
        Name for a first column without one, such as an index that pandas wrote. None: such a column is an error.

    Returns
    -------
    dict of str to ndarray
        Columns by name. Text is as it stands in the file.

    Raises
    ------
    DataError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ecoc.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("length,species\\n46,cat\\n60,dog\\n")
    ...     read_table(path)["species"].tolist()
    ['cat', 'dog']
    """
    if not path.is_file():
        raise DataError(f"{path} is {'a folder' if path.is_dir() else 'not there'}; give the path of a table.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    ending = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    if ending not in FORMATS:
        raise DataError(f"{path.name} has an unknown format; a table is one of {', '.join(ENDINGS)}.")
    try:
        if ending == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return {name: file[name] for name in file}
        if ending == ".parquet":
            return _parquet(path)
        content = gzip.decompress(path.read_bytes()) if suffixes[-1] == ".gz" else path.read_bytes()
        text = content.decode("utf-8-sig")
        if ending == ".arff":
            return parse_arff(text, path.name)
        rows = list(csv.reader(io.StringIO(text, newline=None), delimiter="\t" if ending == ".tsv" else ","))
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zip, zlib, csv and Parquet each have errors of their own
        raise DataError(f"{path.name} cannot be read as {ending[1:]}: {error}") from error
    names = rows[0] if rows else []
    if index is not None and names and not names[0].strip():
        names = [index, *names[1:]]
    return columns_of(names, rows[1:], path.name)


def _parquet(path: Path) -> Table:
    for module in ("polars", "pandas"):
        try:
            frame = import_module(module).read_parquet(path)
        except ImportError:
            continue
        return {str(name): frame[name].to_numpy() for name in frame.columns}
    raise DataError("Parquet is read with polars, or pandas with pyarrow: pip install polars")
