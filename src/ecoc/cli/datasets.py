"""``ecoc datasets``: which data sets are known by name, and where is one found?"""

from typing import Annotated, Any

import typer

from ecoc.cli.errors import one_line
from ecoc.cli.options import DataDir, Json
from ecoc.cli.saying import say


@one_line()
def datasets(
    name: Annotated[str | None, typer.Argument(help="One of them, to be found and checked.")] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List the data sets by name, or tell where one is found and whether its content is the expected one."""
    from ecoc import datasets as known
    from ecoc.cli.printing import show_json, show_table

    if name is not None:
        _show_one(known.load(name, data_dir=data_dir), json)
        return
    cards = [known.card(name) for name in known.names()]
    columns = ("name", "source", "licence", "samples", "features", "classes")
    rows = [(c.name, c.source, c.licence, c.n_samples, c.n_features, c.n_classes) for c in cards]
    if json:
        show_json([dict(zip(columns, row)) for row in rows])
        return
    texts = [(*row[:3], *("" if size is None else f"{size:,}" for size in row[3:])) for row in rows]
    show_table(columns, texts, left=3)


def _show_one(found: Any, json: bool) -> None:
    from ecoc.cli.printing import show_json

    about, n, d, k = found.card, len(found.X), found.n_features, len(set(found.y.tolist()))
    if json:
        facts = {"name": about.name, "title": about.title, "samples": n, "features": d, "classes": k}
        show_json({**facts, "found": found.source, "sha256": found.digest})
        return
    say(f"{about.name}: {about.title}\nsource: {about.source}\nlicence: {about.licence}")
    say(f"{n:,} {'texts' if d is None else f'samples, {d:,} features'}, {k} classes")
    say(f"found: {found.source}\nSHA-256: {found.digest}" + (f"\nnote: {about.note}" if about.note else ""))
