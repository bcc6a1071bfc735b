"""Which command should the user type next? Text that sh and cmd.exe both take."""

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


def source_of(context: "typer.Context", name: str) -> str:
    """Return where a parameter comes from: COMMANDLINE, DEFAULT, ENVIRONMENT and so on."""
    source = context.get_parameter_source(name)
    return "DEFAULT" if source is None else source.name


def repeated(context: "typer.Context", *more: str, without: Collection[str] = ()) -> str:
    """Return the command that was typed, with more options and without some."""
    words = context.command_path.split()
    for parameter in context.command.params:
        name = parameter.name or ""
        if source_of(context, name) != "COMMANDLINE" or name in without:
            continue
        value = context.params[name]
        option = [] if parameter.param_type_name == "argument" else [max(parameter.opts, key=len)]
        for item in value if isinstance(value, list | tuple) else [value]:
            words += [*option, *([] if item is True else [str(item)])]
    return command_line([*words, *more])


def _quoted(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    if os.name == "nt":
        return subprocess.list2cmdline([word])
    return shlex.quote(word) if _EXPANDED & set(word) else f'"{word}"'
