"""Parse ARFF, the format of Weka, OpenML and KEEL: one line per attribute, then one line per row."""

import csv

from ecoc.tool.tables.names import Table, columns_of
from ecoc.utils.exceptions import DataError


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
        raise DataError(f"{where} is not a dense ARFF file: it needs @attribute lines, @data, and one line a row.")
    quote = "'" if any("'" in row for row in rows) else '"'
    reader = csv.reader(rows, quotechar=quote, skipinitialspace=True)
    return columns_of(names, [[cell.strip() for cell in row] for row in reader], where)


def _name(attribute: str) -> str:
    """The name at the start of an attribute, which may be quoted."""
    if attribute[:1] in ("'", '"'):
        return attribute[1:].split(attribute[0])[0]
    words = attribute.replace("{", " {").split()
    return words[0] if words else ""
