"""How do sections become a page? HTML, data as JSON and the scripts that draw it, in one text."""

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from numbers import Integral, Real
from string import Template
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Attributes
    ----------
    name : str
        An identifier: the section's anchor, and the key of its data.
    title, lead : str
        Heading and first words, plain text.
    body : str
        HTML, escaped where need be.
    data : Any
        What JSON can hold; NaN becomes null.
    draw : str
        Name of the JavaScript function ``draw[name](root, data, all)`` that fills the section; "" if none does.
    script : str
        JavaScript that defines it, if page.js does not; of several sections with the same, one is taken.
    """

    name: str
    title: str = ""
    lead: str = ""
    body: str = ""
    data: Any = None
    draw: str = ""
    script: str = ""


def page(title: str, sections: Sequence[Section], note: str = "", facts: str = "") -> str:
    """The text of a page: a title with a note, sections, and facts at the foot; all of it plain text but the bodies."""
    content = {
        "title": html.escape(title),
        "note": html.escape(note),
        "facts": html.escape(facts),
        "body": "\n".join(map(_section, sections)),
        "data": _json({section.name: section.data for section in sections if section.data is not None}),
        "calls": _json([[section.name, section.draw] for section in sections if section.draw]),
        "scripts": "\n".join([source("page.js"), *dict.fromkeys(s.script for s in sections if s.script)]),
    }
    return Template(source("page.html")).substitute(content)


def table(name: str, title: str, rows: Sequence[Mapping[str, Any]], lead: str = "") -> Section:
    """A section of one table, to be sorted and filtered; columns are the keys of the first row."""
    keys = list(rows[0]) if rows else []
    cells = [[_cell(row[key]) for key in keys] for row in rows]
    columns = [
        {"name": str(key), "number": not any(isinstance(value, str) for value in values)}
        for key, values in zip(keys, zip(*cells))
    ]
    return Section(name, title, lead, data={"columns": columns, "rows": cells}, draw="table")


def source(name: str) -> str:
    """A file that lies beside this one."""
    return files("ecoc.report").joinpath(name).read_text(encoding="utf-8")


def _section(section: Section) -> str:
    heading = f"<h2>{html.escape(section.title)}</h2>" if section.title else ""
    lead = f"<p>{html.escape(section.lead)}</p>" if section.lead else ""
    return f'<section id="{html.escape(section.name)}">{heading}{lead}{section.body}<div class="drawn"></div></section>'


def _json(value: Any) -> str:
    """JSON that no label can break out of: without a "<", a script element cannot end, nor a comment begin."""
    return json.dumps(_plain(value), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _plain(value: Any) -> Any:
    """NaN and infinities made null, which JSON has no words for."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def _cell(value: Any) -> Any:
    """None, a number of Python's own, or a text."""
    if value is None or isinstance(value, bool | np.bool):
        return None if value is None else str(value)
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    return str(value)
