"""Read named columns from CSV, TSV, ARFF, Parquet, NPZ and Excel files."""

import csv
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from ecoc.tool.tables.archives import read_excel, read_npz, read_parquet
from ecoc.tool.tables.cells import Table, check_names, check_widths, text_array
from ecoc.tool.tables.delimited import read_delimited
from ecoc.tool.tables.opening import Options, check_packed, open_bytes
from ecoc.utils.exceptions import DataError
from ecoc.utils.messages import printable


def parse_arff(text: str, where: str) -> Table:
    """Read the columns of a dense ARFF file.

    Parameters
    ----------
    text : str
        All of the file.
    where : str
        Where it comes from, for errors.

    Returns
    -------
    dict of str to ndarray
        Columns of text by name.

    Raises
    ------
    DataError
        If the file is not ARFF, or is sparse.

    Examples
    --------
    >>> from ecoc.tool.tables import parse_arff
    >>> lines = ["@attribute length real", "@attribute species {cat, dog}", "@data", "46, cat", "60, dog"]
    >>> parse_arff("\\n".join(lines), "pets.arff")["species"].tolist()
    ['cat', 'dog']
    """
    names: list[str] = []
    rows: list[str] | None = None
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("%"):
            continue
        if rows is not None:
            rows.append(line)
        elif line.lower().startswith("@attribute"):
            names.append(_name(line[len("@attribute") :].strip()))
        elif line.lower().startswith("@data"):
            rows = []
    if rows is None or any(row.startswith("{") for row in rows):
        raise DataError(f"{where} is not a dense ARFF file, with @attribute lines, @data, and one line for each row.")
    quote = "'" if any("'" in row for row in rows) else '"'
    cells = [row for row in csv.reader(rows, quotechar=quote, skipinitialspace=True) if row]
    names = check_names(names, where)
    check_widths(cells, len(names), where)
    if not names or not cells:
        raise DataError(f"{where} has {len(names)} columns and no rows.")
    return {name: text_array([cell.strip() for cell in column]) for name, column in zip(names, zip(*cells))}


def _name(attribute: str) -> str:
    """The name at the start of an attribute, which may be quoted."""
    if attribute[:1] in ("'", '"'):
        return attribute[1:].split(attribute[0])[0]
    words = attribute.replace("{", " {").split()
    return words[0] if words else ""


def _read_arff(path: Path, options: Options) -> Table:
    with open_bytes(path, options.limit) as file:
        return parse_arff(file.read().decode(options.encoding or "utf-8-sig"), path.name)


_DELIMITED = {".csv": partial(read_delimited, usual=","), ".tsv": partial(read_delimited, usual="\t")}
_READERS: dict[str, Callable[[Path, Options], Table]] = {
    **_DELIMITED,
    ".arff": _read_arff,
    ".parquet": read_parquet,
    ".npz": read_npz,
    ".xlsx": read_excel,
}
ENDINGS = (*_READERS, ".csv.gz", ".tsv.gz", ".arff.gz")


def read_table(
    path: Path,
    index: str | None = None,
    *,
    labels: Collection[str] = (),
    as_text: Collection[str] = (),
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
) -> Table:
    """Read the columns of a table by name, or the arrays of an NPZ file.

    Parameters
    ----------
    path : Path
        A file whose name ends in one of `ENDINGS`.
    index : str, default=None
        Name for a first column without one, such as an index that pandas wrote. None: such a column is an error.
    labels : collection of str, default=()
        Names that the column of labels may have. The first that there is stays text.
    as_text : collection of str, default=()
        Other columns that stay text, as they stand in the file. In CSV, TSV and Excel files, all other columns become
        numbers if each of their cells is a number or missing.
    sep : str, default=None
        Delimiter of a CSV or TSV file: one character, or ``"tab"``. None: guessed from comma, semicolon, tab and ``|``.
    decimal : str, default=None
        Decimal mark of a CSV or TSV file, ``"."`` or ``","``. None: guessed.
    encoding : str, default=None
        Encoding of a CSV, TSV or ARFF file, such as ``"cp1252"``. None: UTF-8, or UTF-16 if the file begins with its
        byte order mark.
    max_bytes : int, default=None
        Largest size of a packed file when it is unpacked. None: ``ECOC_MAX_BYTES``, else 4 GiB.

    Returns
    -------
    dict of str to ndarray
        Columns by name.

    Raises
    ------
    DataError
        If the file cannot be read, or is too large.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ecoc.tool.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("length,species\\n46,cat\\n60,dog\\n")
    ...     table = read_table(path)
    >>> table["length"].tolist(), table["species"].tolist()
    ([46.0, 60.0], ['cat', 'dog'])
    """
    if not path.is_file():
        raise DataError(f"{path} is {'a folder' if path.is_dir() else 'not there'}; give the path of a table.")
    ending = max((ending for ending in ENDINGS if path.name.lower().endswith(ending)), key=len, default="")
    if not ending:
        raise DataError(f"{path.name} has an unknown format; a table is one of {', '.join(ENDINGS)}.")
    ending = ending.removesuffix(".gz")
    if ending not in _DELIMITED and (sep is not None or decimal is not None):
        raise DataError(f"{path.name} has no delimiter and no decimal mark; leave out sep and decimal.")
    options = Options(index, labels, as_text, sep, decimal, encoding, max_bytes)
    try:
        check_packed(path, options.limit)
        return _READERS[ending](path, options)
    except (DataError, MemoryError):
        raise
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name} cannot be read as {ending[1:]}: it is not {error.encoding} text; if it is text, say how it "
            "is encoded with encoding= (--encoding on the command line), such as cp1252 or latin-1."
        ) from error
    except Exception as error:  # zip, zlib, csv and Parquet each have errors of their own
        raise DataError(f"{path.name} cannot be read as {ending[1:]}: {printable(error)[:200]}") from error
