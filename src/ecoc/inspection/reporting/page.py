"""Make one HTML page from sections: their text, their data as JSON, and the scripts that draw the data."""

import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from string import Template
from typing import Any

from sklearn import __version__ as sklearn_version

from ecoc import __version__
from ecoc.inspection.embedding import as_json, file_text


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Parameters
    ----------
    name : str
        Identifier of the section: its anchor, and the key of its data.
    title : str, default=""
        Heading, as plain text.
    lead : str, default=""
        Introduction, as plain text.
    body : str, default=""
        HTML. Escape everything that is not yours.
    data : Any, default=None
        Data that JSON can hold. NaN becomes null.
    draw : str, default=""
        Name of the JavaScript function ``draw[name](root, data, all)`` that fills the section. "" if there is none.
    script : str, default=""
        JavaScript that defines this function, if page.js does not. The page has each script once.
    module : str, default=""
        An ES module in full, for what the functions use. The page has each module once.
    style : str, default=""
        Style sheet. The page has each once.

    Examples
    --------
    >>> from ecoc.inspection.reporting import Section, page
    >>> "<p>Cats &amp; dogs.</p>" in page("Pets", [Section("about", "About", "Cats & dogs.")])
    True
    """

    name: str
    title: str = ""
    lead: str = ""
    body: str = ""
    data: Any = None
    draw: str = ""
    script: str = ""
    module: str = ""
    style: str = ""


def page(title: str, sections: Sequence[Section], note: str = "", facts: str | None = None) -> str:
    """Make the text of a page: a title, a note, sections, and a footer.

    Parameters
    ----------
    title : str
        Heading, as plain text.
    sections : sequence of Section
        Sections from top to bottom. :func:`ecoc.inspection.reporting.model_sections` makes those of a model.
    note : str, default=""
        Text below the heading, as plain text.
    facts : str, default=None
        Footer, as plain text. None writes the versions of ecoc and scikit-learn.

    Returns
    -------
    str
        HTML that needs no other file.

    Examples
    --------
    >>> from ecoc.inspection.reporting import page, table
    >>> rows = [{"coding": "ova", "accuracy": 0.98}, {"coding": "ecf", "accuracy": 0.97}]
    >>> text = page("Digits", [table("tried", "What was tried", rows, percent=["accuracy"])])
    >>> text.startswith("<!doctype html>")
    True
    """
    content = {
        "title": html.escape(title),
        "note": html.escape(note),
        "facts": html.escape(f"ecoc {__version__}, scikit-learn {sklearn_version}." if facts is None else facts),
        "body": "\n".join(map(_section, sections)),
        "data": as_json({section.name: section.data for section in sections if section.data is not None}),
        "calls": as_json([[section.name, section.draw] for section in sections if section.draw]),
        "scripts": "\n".join([source("page.js"), *dict.fromkeys(s.script for s in sections if s.script)]),
        "modules": "\n".join(
            f'<script type="module">\n{text}</script>' for text in dict.fromkeys(s.module for s in sections if s.module)
        ),
        "styles": "\n".join(dict.fromkeys(s.style for s in sections if s.style)),
    }
    return Template(source("page.html")).substitute(content)


def table(
    name: str,
    title: str,
    rows: Sequence[Mapping[str, Any]],
    lead: str = "",
    percent: Collection[str] = (),
    marked: Collection[int] = (),
) -> Section:
    """Make a section with one table, which the reader can sort and filter.

    Parameters
    ----------
    name, title : str
        As for :class:`ecoc.inspection.reporting.Section`.
    rows : sequence of mapping
        Rows, as mappings from column names to cells. The first row has the names of all columns.
    lead : str, default=""
        As for :class:`ecoc.inspection.reporting.Section`.
    percent : collection of str, default=()
        Columns with shares that are shown in percent.
    marked : collection of int, default=()
        Positions of rows that stand out, with an arrow and a colour.

    Returns
    -------
    Section
        The section.

    See Also
    --------
    ecoc.inspection.reporting.page : Make a page of sections.

    Examples
    --------
    >>> from ecoc.inspection.reporting import table
    >>> table("pets", "Pets", [{"kind": "cat", "legs": 4}, {"kind": "hen", "legs": 2}]).data["rows"]
    [['cat', 4], ['hen', 2]]
    """
    return Section(name, title, lead, data={**_cells(rows, percent), "marked": sorted(marked)}, draw="table")


def scatter(
    name: str,
    title: str,
    rows: Sequence[Mapping[str, Any]],
    x: str,
    y: str,
    *,
    group: str,
    error: str,
    line: Collection[int] = (),
    marks: Mapping[int, str] | None = None,
    band: tuple[float, float] | None = None,
    notes: Mapping[str, str] | None = None,
    lead: str = "",
    percent: Collection[str] = (),
) -> Section:
    """Make a section with one point per row. Pointing at a point shows its row.

    Parameters
    ----------
    name, title : str
        As for :class:`ecoc.inspection.reporting.Section`.
    rows : sequence of mapping
        As for :func:`ecoc.inspection.reporting.table`.
    x, y : str
        Columns to draw. x has positive numbers; its axis is logarithmic if they vary much. y has shares.
    group : str
        Column whose values have different colours and shapes.
    error : str
        Column with the standard error of y.
    line : collection of int, default=()
        Positions of the rows that are joined by a staircase, such as a Pareto front.
    marks : mapping of int to str, default=None
        Names of some rows by their position. Details of the first one are shown at the beginning.
    band : tuple of float, default=None
        Lower and upper end of a band of y.
    notes : mapping of str to str, default=None
        Meaning of ``line`` and ``band``, for the legend.
    lead : str, default=""
        As for :class:`ecoc.inspection.reporting.Section`.
    percent : collection of str, default=()
        Columns with shares that are shown in percent.

    Returns
    -------
    Section
        The section.

    Examples
    --------
    >>> from ecoc.inspection.reporting import page, scatter
    >>> rows = [
    ...     {"coding": "ecf", "classifiers": 5, "accuracy": 0.97, "standard error": 0.004},
    ...     {"coding": "ova", "classifiers": 10, "accuracy": 0.98, "standard error": 0.003},
    ... ]
    >>> points = scatter(
    ...     "tried", "Tried", rows, "classifiers", "accuracy", group="coding", error="standard error", marks={1: "best"}
    ... )
    >>> text = page("Digits", [points])
    """
    data = _cells(rows, percent)
    keys = [column["name"] for column in data["columns"]]
    columns = {"x": keys.index(x), "y": keys.index(y), "group": keys.index(group), "error": keys.index(error)}
    named = [[position, text] for position, text in (marks or {}).items()]
    drawn = {"line": sorted(line, key=lambda i: rows[i][x]), "marks": named, "band": band, "notes": dict(notes or {})}
    return Section(name, title, lead, data={**data, **columns, **drawn}, draw="scatter")


def _cells(rows: Sequence[Mapping[str, Any]], percent: Collection[str]) -> dict[str, Any]:
    keys = list(rows[0]) if rows else []
    cells = [[_cell(row[key]) for key in keys] for row in rows]
    columns = [
        {
            "name": str(key),
            "number": not any(isinstance(value, str) for value in values),
            **({"percent": True} if key in percent else {}),
        }
        for key, values in zip(keys, zip(*cells))
    ]
    return {"columns": columns, "rows": cells}


def source(name: str) -> str:
    """Return the text of a file in this package."""
    return file_text("ecoc.inspection.reporting", name)


def _section(section: Section) -> str:
    heading = f"<h2>{html.escape(section.title)}</h2>" if section.title else ""
    lead = f"<p>{html.escape(section.lead)}</p>" if section.lead else ""
    return f'<section id="{html.escape(section.name)}">{heading}{lead}{section.body}<div class="drawn"></div></section>'


def _cell(value: Any) -> Any:
    """Return None, a Python number, or a text."""
    if isinstance(value, Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, Integral) else float(value)
    return None if value is None else str(value)
