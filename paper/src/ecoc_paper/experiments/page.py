"""Write tables as CSV, figures as PNG and SVG, and one HTML page that needs nothing else."""

import base64
import csv
import html
import io
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from ecoc.utils.files import replace_file


class Page:
    """Parts of the page, in order; tables and figures are also written as files of their own."""

    def __init__(self, folder: Path, note: str, draw: bool = True) -> None:
        self.draw = draw
        self.parts: list[str] = []
        self.folder = folder
        self.note = note
        (folder / "figures").mkdir(parents=True, exist_ok=True)

    def heading(self, text: str, lead: str = "") -> None:
        """Begin a section."""
        self.parts.append(f"<h2>{html.escape(text)}</h2>" + (f"<p>{html.escape(lead)}</p>" if lead else ""))

    def warn(self, text: str) -> None:
        """Say what a reader must know first."""
        self.parts.append(f'<p class="warning">{html.escape(text)}</p>')

    def table(self, name: str, rows: Sequence[dict[str, Any]], caption: str, best: Iterable[str] = ()) -> None:
        """Add a table, largest of the columns `best` in bold. What was run stands once, above all tables."""
        write(self.folder / f"{name}.csv", csv_text(rows))
        if not rows:
            return
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        cells = [_column(name, values, name in best) for name, values in columns.items()]
        head, *body = ("<tr>" + "".join(line) + "</tr>" for line in zip(*cells))
        caption = html.escape(caption)
        self.parts.append(
            f'<div class="table"><table><caption>{caption}</caption><thead>{head}</thead>'
            f"<tbody>{''.join(body)}</tbody></table></div>"
        )

    def figure(self, name: str, caption: str, make: Callable[..., Any], *content: Any) -> None:
        """Add a figure, made from its content."""
        if not self.draw:
            return
        from matplotlib import rc_context

        drawn = make(*content)
        for ending in ("png", "svg"):
            with rc_context({"svg.hashsalt": "ecoc"}):
                buffer = io.BytesIO()
                drawn.savefig(buffer, format=ending, dpi=150, metadata={"Date": None} if ending == "svg" else None)
            write(self.folder / "figures" / f"{name}.{ending}", buffer.getvalue())
        source = base64.b64encode((self.folder / "figures" / f"{name}.svg").read_bytes()).decode()
        self.parts.append(
            f'<figure id="{name}"><img alt="{html.escape(caption)}" src="data:image/svg+xml;base64,{source}">'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        )

    def finish(self, title: str, facts: str) -> Path:
        """Write the page."""
        template = Template(files("ecoc_paper.experiments").joinpath("page.html").read_text(encoding="utf-8"))
        words = {"title": title, "note": self.note, "facts": facts}
        text = template.substitute({k: html.escape(v) for k, v in words.items()}, body="\n".join(self.parts))
        path = self.folder / "index.html"
        write(path, text)
        return path


def write(path: Path, content: str | bytes) -> None:
    """Write a file in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content.encode() if isinstance(content, str) else content)


def csv_text(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV; columns in the order in which they first come."""
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def _column(name: str, values: Sequence[Any], bold: bool) -> list[str]:
    """Cells of a column, its head first; numbers stand right, with as many digits each, the largest in bold."""
    numbers = [value for value in values if isinstance(value, int | float)]
    kind = " class=n" if numbers else ""
    digits = max((len(f"{value:g}".partition(".")[2]) for value in numbers), default=0)
    cells = [f"<th{kind}>{html.escape(name)}</th>"]
    for value in values:
        text = f"{value:.{digits}f}" if isinstance(value, float) else "–" if value is None else html.escape(str(value))
        cells.append(f"<td{kind}>{f'<b>{text}</b>' if bold and numbers and value == max(numbers) else text}</td>")
    return cells
