"""``ecoc show``: print the contents of a model or a code book."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.tool.cli.errors import one_line
from ecoc.tool.cli.options import Json, Trust
from ecoc.tool.cli.saying import say

_LONGEST = 100  # characters of a fact


@one_line()
def show(
    file: Annotated[Path, typer.Argument(help="A model, or a code book (.csv, .npz).")],
    trust: Trust = None,
    json: Json = False,
) -> None:
    """Show what is in a model or a code book."""
    from ecoc import CodeBook
    from ecoc.tool.cli.books import book_as_dict, show_book
    from ecoc.tool.cli.models import load_model
    from ecoc.tool.cli.parsing import BOOK_ENDINGS
    from ecoc.tool.cli.printing import show_json

    if not file.is_file():
        raise ValueError(f"{file} is {'a folder' if file.is_dir() else 'not there'}; give a model or a code book.")
    if file.suffix.lower() in BOOK_ENDINGS:
        loaded = CodeBook.load(file)
        show_json(book_as_dict(loaded)) if json else show_book(loaded)
        return
    facts, book = _facts(load_model(file, trust), file)
    if json:
        show_json({**facts, "codebook": None if book is None else book_as_dict(book)})
        return
    for name, value in facts.items():
        if name != "classes" and value is not None:
            text = " ".join(str(value).split()) if not isinstance(value, list) else ", ".join(map(str, value))
            say(f"{name + ':':<17}{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}")
    if book is not None:
        say()
        show_book(book)


def _facts(model: Any, file: Path) -> tuple[dict[str, Any], Any]:
    """Return what is known of a model, and its code book if it has one."""
    import numpy as np

    from ecoc.tool.cli.models import column_layout, final_step

    classifier = final_step(model)
    support = getattr(classifier, "n_support_", None)  # an SVC by itself has a number for each class
    names, _, n_features = column_layout(model)
    facts = {
        "model": type(classifier).__name__,
        "classes": getattr(model, "classes_", None),
        "target": getattr(model, "target_name_", None),
        "features": n_features,
        "columns": names,
        "learner": _text(getattr(classifier, "estimator", None)),
        "coding": _text(getattr(classifier, "coding_", None)),
        "decoding": _text(getattr(classifier, "decoding_", None)),
        "support_vectors": None if support is None else int(np.sum(support)),
        "bytes": file.stat().st_size,
    }
    return facts, getattr(classifier, "code_book_", None)


def _text(part: Any) -> str | None:
    return None if part is None else str(part)
