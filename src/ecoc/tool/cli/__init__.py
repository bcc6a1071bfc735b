"""The command line ``ecoc``, whose errors and warnings are one line that says what to do, without a traceback."""

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar

from ecoc.utils.deprecation import moved_name
from ecoc.utils.interrupts import interruptible
from ecoc.utils.messages import printable

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST = 600  # characters of a message
MENDABLE = (ValueError, TypeError, ImportError, OSError, MemoryError)


def main() -> None:
    """Run the command line; an error is one line, and the exit code is 2."""
    _write_utf8()
    try:
        from ecoc.tool.cli.app import app

        sys.exit(app(prog_name="ecoc", standalone_mode=False))
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        fail("the command line needs typer and rich: pip install 'ecoc[cli]'")
    except KeyboardInterrupt:
        fail("stopped", 130)
    except Exception as error:
        if not hasattr(error, "format_message"):  # only typer's errors about wrong arguments have it
            raise
        context = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(0)
        if sys.argv[1:2] in (["reproduce"], ["datasets"]):
            fail(f"{moved_name(sys.argv[1])} The command is ecoc-paper {sys.argv[1]}.")
        help_ = f"see {context.command_path} --help" if context is not None else "see ecoc --help"
        fail(f"{error.format_message().rstrip('.')}; {help_}")


def _write_utf8() -> None:
    """Write UTF-8 whatever the console's encoding, which may lack characters of tables and labels."""
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("_", "-")
        if encoding not in ("utf-8", "utf8") and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def fail(message: object, code: int = 2) -> NoReturn:
    """End with one line on stderr."""
    text = printable(" ".join(str(message).split()))
    print(f"ecoc: {text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}", file=sys.stderr)
    sys.exit(code)


def one_line(stopped: str = "nothing was written") -> Callable[[F], F]:
    """Decorate a command: a user error ends with code 2, Ctrl-C with 130; a warning is one line."""

    def decorate(command: F) -> F:
        @wraps(command)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            try:
                with interruptible(), warnings.catch_warnings():
                    warnings.showwarning = _tell
                    return command(*args, **kwargs)
            except BrokenPipeError:  # the reader of the pipe is gone
                sys.stdout = None
                sys.exit(0)
            except MENDABLE as error:
                fail(error if str(error) else f"not enough memory ({type(error).__name__}); try fewer rows")
            except KeyboardInterrupt:
                fail(f"stopped; {stopped}", 130)

        return wrapped  # type: ignore[return-value]

    return decorate


def _tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    print(f"ecoc: warning: {printable(' '.join(str(message).split()))[:_LONGEST]}", file=sys.stderr)
