"""Options that several commands share, and the next command to type."""

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

# Names for --help; a test keeps them equal to the registries, which are imported only when a command runs.
LEARNER_NAMES = "svc, linear_svc, logistic, ridge, knn, tree, forest, boosting, xgboost, lightgbm, catboost"
CODING_NAMES = (
    "ecf, ova, ovo, dense, sparse, rand, spectral, discriminant, exhaustive, ordinal, hadamard, grouped, minimal, plain"
)
MODEL_NAMES = "majority, lda, logistic, linear_svc, native, one-vs-rest, one-vs-one, forest, extra_trees"
_PLAIN = re.compile(r"[\w@%+=:,./\-]+")  # needs no quotes in any shell
_EXPANDED = set('"$`\\!')  # sh reads these inside double quotes, too


def split(text: str) -> list[str]:
    """Split a comma-separated list."""
    return [word.strip() for word in text.split(",") if word.strip()]


def _names(module: str, table: str) -> Callable[[str], list[str]]:
    """Complete a word from the names of a registry, which is only imported here."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in getattr(import_module(module), table) if name.startswith(incomplete)]

    return complete


def _check_jobs(jobs: int) -> int:
    if jobs == 0:
        raise typer.BadParameter("give 1 or more, or -1 for one per core")
    return jobs


complete_coding = _names("ecoc.codes.coding.registry", "CODINGS")
complete_decoding = _names("ecoc.decoding.choice", "DECODINGS")
complete_learner = _names("ecoc.tool.comparison.learners", "LEARNERS")
complete_model = _names("ecoc.tool.comparison.learners", "BASELINES")

_TABLE = "Format of the table"

Data = Annotated[
    Path, typer.Argument(help="Table: CSV, TSV, ARFF (each also .gz), Excel, Parquet, NPZ; or sklearn:digits.")
]
Model = Annotated[Path, typer.Argument(help="Model that ecoc fit or ecoc.save wrote.")]
Target = Annotated[str | None, typer.Option(help="Column of the classes. Default: label, class, target or y.")]
Drop = Annotated[list[str] | None, typer.Option(help="Column to leave out, such as an identifier; repeatable.")]
DropLikeId = Annotated[
    bool | None,
    typer.Option(
        "--drop-like-id/--no-drop-like-id",
        help="Leave out all columns that look like identifiers or dates, or none. Default: certain identifiers.",
    ),
]
Sep = Annotated[
    str | None, typer.Option(help="Delimiter, such as ';' or tab. Default: guessed.", rich_help_panel=_TABLE)
]
Decimal = Annotated[
    str | None, typer.Option(help="Decimal mark, . or a comma. Default: guessed.", rich_help_panel=_TABLE)
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding, such as utf-8 or cp1252. Default: guessed.", rich_help_panel=_TABLE)
]
Learner = Annotated[
    str,
    typer.Option(
        help=f"Learner: {LEARNER_NAMES}. With parameters: svc:C=10,gamma=0.1", autocompletion=complete_learner
    ),
]
Learners = Annotated[
    list[str] | None,
    typer.Option(
        help=f"Learner; repeatable: {LEARNER_NAMES}. With parameters: svc:C=10,gamma=0.1. Default: svc, logistic, and "
        "xgboost and lightgbm if they are installed, else boosting.",
        autocompletion=complete_learner,
    ),
]
Protect = Annotated[
    list[str] | None,
    typer.Option(
        help="Classes that must not be confused: cat:dog (a column of their own, if it helps), cat:dog=5 (columns "
        "between their codewords), cat; repeatable."
    ),
]
Costs = Annotated[
    Path | None,
    typer.Option(help="Table of what errors cost: rows true, columns predicted; or columns true, predicted, cost."),
]
Allocation = Annotated[str | None, typer.Option(help="For ECF: balanced, hard, easy, equidistant, auto or a number.")]
MinDistance = Annotated[int | None, typer.Option(min=1, help="Smallest distance between any two codewords.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed; the same one gives the same result.")]
Jobs = Annotated[
    int, typer.Option(help="Classifiers to train at once; results do not depend on it.", callback=_check_jobs)
]
Trust = Annotated[list[str] | None, typer.Option(help="Type in the model file to trust; repeatable.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Report = Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")]


def command_line(words: Iterable[str]) -> str:
    """Join words into one line that sh and cmd.exe both take, with double quotes where needed."""
    return " ".join(map(_quoted, words))


def typed(context: typer.Context, only: Collection[str] | None = None, without: Collection[str] = ()) -> list[str]:
    """Return the arguments and options that were typed, or a selection of them."""
    words = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE" or name in without or (only is not None and name not in only):
            continue
        value = context.params[name]
        option = [] if parameter.param_type_name == "argument" else [max(parameter.opts, key=len)]
        if value is False:
            option = [max(parameter.secondary_opts, key=len)]
        for item in value if isinstance(value, list | tuple) else [value]:
            text = f"{item:g}" if isinstance(item, float) else str(item)
            words += [*option, *([] if isinstance(item, bool) else [text])]
    return words


def repeated(context: typer.Context, *more: str, without: Collection[str] = ()) -> str:
    """Return the typed command, with added options and without others."""
    return command_line([*context.command_path.split(), *typed(context, without=without), *more])


def _quoted(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    if os.name == "nt":
        return subprocess.list2cmdline([word])
    return shlex.quote(word) if _EXPANDED & set(word) else f'"{word}"'
