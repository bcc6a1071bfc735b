"""Parse option values, and read the table that they describe."""

import sys
import warnings
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

import ecoc
from ecoc.codes.coding import get_coding
from ecoc.decoding import get_decoding
from ecoc.tool.cli.options import command_line, split, typed
from ecoc.tool.comparison.learners import parse_value
from ecoc.tool.comparison.protected_classes import Protection
from ecoc.tool.tables.doubts import DoubtfulColumnsWarning
from ecoc.tool.tables.matrices import read_costs
from ecoc.tool.tables.reading import Samples, read_samples
from ecoc.tool.tables.writing import check_output
from ecoc.utils.messages import nearest

BOOK_ENDINGS = (".csv", ".npz")
_OF_A_CODE = ("coding", "columns", "allocation", "min_distance", "decoding", "protect")  # options
_OUT_OF_CORE = ("data", "out", "target", "coding", "decoding", "learner", "seed", "jobs", "out_of_core")


def check_report(path: Path | None) -> None:
    """Raise an error before the work begins if the report cannot be written."""
    if path is not None:
        check_output(path, (".html",))


def parse_columns(text: str | None) -> str | int | float | None:
    """Return a length: ``auto``, ``rank``, a number, or a share of the number of classes such as 0.5."""
    if text is None or text in ("auto", "rank"):
        return text
    value = parse_value(text)
    if not isinstance(value, int | float) or not value > 0:
        raise ValueError(
            f"--columns is auto, rank, a number such as 12, or a share of the classes such as 0.5; got {text!r}."
        )
    return value


def parse_protection(texts: Sequence[str] | None, labels: Iterable[Any]) -> Protection:
    """Parse ``cat:dog``, ``cat:dog=5`` or ``cat``; labels may contain colons."""
    known = {str(label): label for label in labels}
    protected: dict[Any, int | None] = {}
    for text in texts or ():
        pair, equals, number = text, "", ""
        found = _pairs_in(text, known)
        if not found and text not in known and "=" in text:
            pair, equals, number = text.rpartition("=")
            if not number.strip().isdigit():
                raise ValueError(f"--protect {text}: write a number of columns after =, e.g. cat:dog=5.")
            found = _pairs_in(pair, known)
        if not found and pair not in known:
            wrong = next((part for part in pair.split(":", 1) if part not in known), pair)
            close = nearest(wrong, known, n=3) or list(known)[:8]
            raise ValueError(f"--protect {text}: there is no class {wrong!r}; the closest are {', '.join(close)}.")
        if found and found[0][0] == found[0][1]:
            raise ValueError(f"--protect {text}: a class cannot be protected from itself; name two classes.")
        key = (known[found[0][0]], known[found[0][1]]) if found else known[pair]
        protected[key] = int(number) if equals else None
    return Protection(tuple(protected), {key: n for key, n in protected.items() if n is not None})


def cost_options(
    costs: Path | None, reject_cost: float | None, reject_label: str, labels: Sequence[Any], format: dict[str, Any]
) -> dict[str, Any]:
    """Return the parameters of a classifier that decides by cost."""
    options: dict[str, Any] = {}
    if costs is not None:
        options["costs"] = read_costs(costs, labels, **format)
    if reject_cost is not None:
        numbers = not any(isinstance(label, str) for label in labels)
        answer = parse_value(reject_label) if numbers else reject_label
        if (numbers and isinstance(answer, str)) or answer in labels:
            kind = "a number that is no class" if numbers else "a word that is no class"
            raise ValueError(f'--reject-label {reject_label} cannot mean "don\'t know" here; give {kind}.')
        options |= {"reject_cost": reject_cost, "reject_label": answer}
    return options


def make_coding(
    name: str,
    labels: Sequence[Any],
    columns: str | None = None,
    allocation: str | None = None,
    min_distance: int | None = None,
    protection: Protection | None = None,
    *,
    as_wishes: bool = False,
) -> Any:
    """Return the coding with a name and the given parameters, or the code book of a file."""
    given = {
        "n_columns": parse_columns(columns),
        "allocation": None if allocation is None else parse_value(allocation),
        **(protection or Protection()).options(min_distance, as_wishes=as_wishes),
    }
    given = {key: value for key, value in given.items() if value is not None}
    options = {
        "n_columns": f"--columns {columns}",
        "allocation": "--allocation",
        "min_distance": "--min-distance",
        "wishes": "--protect",
        "protect": "--protect",
    }
    if name.lower().endswith(BOOK_ENDINGS):
        if given:
            raise ValueError(f"a code book from a file is taken as it is; leave out {options[next(iter(given))]}.")
        return _load_book(Path(name), labels)
    if name == "auto":
        return name
    coding = get_coding(name)
    for key in given:
        if key not in coding.get_params() or (given[key] in ("auto", "rank") and name != "ecf"):
            raise ValueError(f"coding {name!r} does not take {options[key]}; leave it out, or use --coding ecf.")
    return coding.set_params(**given)


def check_decodings(names: Iterable[str]) -> None:
    """Raise an error for unknown names of decodings."""
    for name in names:
        if name != "auto":
            get_decoding(name)


def code_options(codings: str | None, columns: str | None, decodings: str | None) -> dict[str, Any]:
    """Return the given parameters of a comparison that are about codes, each as a list of words."""
    options: dict[str, Any] = {}
    if codings is not None:
        options["codings"] = split(codings)
    if columns is not None:
        options["columns"] = [parse_columns(length) for length in split(columns)]
    if decodings is not None:
        check_decodings(split(decodings))
        options["decodings"] = split(decodings)
    return options


def classes_of(y: NDArray[Any]) -> list[Any]:
    """Return the classes as plain values, in order."""
    return list(np.unique(y).tolist())


def name_and_coding(
    coding: str, labels: list[Any], columns: Any, allocation: Any, min_distance: Any, protect: Any
) -> tuple[str, Any]:
    """Return the name of the coding, and the coding; "auto" with options of ECF is ECF, or protects what it chooses."""
    protection = parse_protection(protect, labels)
    if coding == "auto" and (columns or allocation or min_distance or protection.distances):
        coding = "ecf"
    if coding == "auto" and protection:
        return coding, ecoc.ECF(**protection.options())
    columns = "auto" if columns is None and coding == "ecf" else columns
    return coding, make_coding(coding, labels, columns, allocation, min_distance, protection)


def check_plain(context: typer.Context, model: str) -> None:
    """Raise an error for options of a code if the model has none."""
    if words := typed(context, only=_OF_A_CODE):
        raise ValueError(f"--model {model} has no code; leave out {words[0]}, or leave out --model.")


def check_out_of_core(context: typer.Context) -> None:
    """Raise an error for options that need the table in memory."""
    if words := typed(context, without=_OUT_OF_CORE):
        raise ValueError(f"--out-of-core does not support {words[0]}; leave it out, or leave out --out-of-core.")


def _pairs_in(text: str, known: Container[str]) -> list[tuple[str, str]]:
    """Return all ways to split a text at a colon into two known labels."""
    splits = ((text[:i], text[i + 1 :]) for i, mark in enumerate(text) if mark == ":")
    return [(a, b) for a, b in splits if a in known and b in known]


def _load_book(path: Path, labels: Sequence[Any]) -> Any:
    if not path.is_file():
        raise ValueError(f"there is no code book {path}; ecoc design makes one.")
    book = ecoc.CodeBook.load(path)
    known = {str(label): label for label in labels}
    if book.is_labelled and {str(label) for label in book.labels.tolist()} == set(known):
        return book.with_labels([known[str(label)] for label in book.labels.tolist()])
    return book


def format_options(sep: str | None, decimal: str | None, encoding: str | None) -> dict[str, Any]:
    """Return the given options about the format of a table."""
    given = {"sep": sep, "decimal": decimal, "encoding": encoding}
    return {name: value for name, value in given.items() if value is not None}


def read_rows(
    data: Path, target: str | None, drop: Sequence[str] | None, drop_like_id: bool | None, format: dict[str, Any]
) -> tuple[Samples, list[str]]:
    """Read a table to learn from; also return the columns that were left out.

    Columns that look like identifiers or dates are left out if `drop_like_id`; None: those that are certain.
    """
    dropped = list(drop or ())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulColumnsWarning)  # the advice below is a command
        samples = read_samples(data, target, dropped, **format)
    wanted = samples.certain if drop_like_id is None else samples.doubtful if drop_like_id else ()
    if leave_out := [name for name in samples.doubtful if name in wanted]:
        look = "look like identifiers or dates" if drop_like_id else "differ in every row and say nothing about others"
        keep = "" if drop_like_id else "; --no-drop-like-id keeps them"
        _tell(f"these columns {look}, and are left out: {', '.join(leave_out)}{keep}")
        samples = samples.without(leave_out, data.name)
    if samples.doubtful:
        options = command_line([word for name in samples.doubtful for word in ("--drop", name)])
        looks = ", ".join(f"{name} ({kind})" for name, kind in samples.doubtful.items())
        _tell(f"warning: some columns may say nothing about new rows: {looks}; leave them out with {options}")
    return samples, dropped + leave_out


def _tell(text: str) -> None:
    print(f"ecoc: {text}", file=sys.stderr)
