"""Report errors and warnings in one line that says what to do, without a traceback."""

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar

from ecoc.utils.interrupts import interruptible
from ecoc.utils.messages import printable

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST = 600  # characters of a message
MENDABLE = (ValueError, TypeError, ImportError, OSError, MemoryError)


def fail(message: object, code: int = 2) -> NoReturn:
    """End with one line on stderr."""
    text = printable(" ".join(str(message).split()))
    print(f"ecoc: {text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}", file=sys.stderr)
    sys.exit(code)


def one_line(stopped: str = "nothing was written") -> Callable[[F], F]:
    """Decorate a command: an error that the user can mend ends with code 2, Ctrl-C with 130; a warning is one line."""

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
