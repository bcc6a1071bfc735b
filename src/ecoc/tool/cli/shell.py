"""Write the command that the user may type next, as text that sh and cmd.exe both take."""

import os
import re
import shlex
import subprocess
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

_PLAIN = re.compile(r"[\w@%+=:,./\-]+")  # needs no quotes in any shell
_EXPANDED = set('"$`\\!')  # sh reads these inside double quotes, too


def command_line(words: Iterable[str]) -> str:
    """Return words as one line for a shell, in double quotes where quotes are needed."""
    return " ".join(map(_quoted, words))


def typed(context: "typer.Context", only: Collection[str] | None = None, without: Collection[str] = ()) -> list[str]:
    """Return the arguments and options that were typed: only some of them, or all without some."""
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


def repeated(context: "typer.Context", *more: str, without: Collection[str] = ()) -> str:
    """Return the command that was typed, with more options and without some."""
    return command_line([*context.command_path.split(), *typed(context, without=without), *more])


def _quoted(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    if os.name == "nt":
        return subprocess.list2cmdline([word])
    return shlex.quote(word) if _EXPANDED & set(word) else f'"{word}"'
