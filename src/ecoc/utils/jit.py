"""Compile kernels by Numba. Import this module only from modules of kernels: Numba is slow to import."""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from numba import config, njit, types
from numba.core.event import Event, Listener, register
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

_MESSAGE = "ecoc: compiling numerical code for this machine, which happens once and takes some seconds."


def kernel(function: F, fastmath: Any = False) -> F:
    """Compile a function at its first call, and cache the result on disk if a cache folder can be written."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    compiled: Any = njit(**options)(function)
    if hasattr(compiled, "enable_caching"):  # a plain function if compilation is switched off
        template = compiled.get_call_template
        # Without this, a kernel that another one calls with 2, with 3 and with a number would be compiled three times.
        compiled.get_call_template = lambda args, kws: template(
            tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
        )
        with suppress(RuntimeError):  # Numba can write neither to the package folder nor to the user's cache
            compiled.enable_caching()
            compiled._cache = RepairedCache(compiled._cache)
    result: F = compiled
    return result


class RepairedCache:
    """Numba's cache on disk, except that it forgets what it cannot read instead of raising the damaged file's error."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code, or None if there is none or its file is damaged."""
        try:
            return self._cache.load_overload(sig, target_context)
        except Exception:  # unpickling damaged bytes may raise anything
            try:
                self._cache.flush()
            except OSError:
                self._cache.disable()
            return None


class Announcement(Listener):
    """Write one line to standard error if compiling our kernels takes more than a second in all."""

    patience = 1.0  # seconds of compilation after which the line explains the wait

    def __init__(self) -> None:
        self._depth = 0  # kernels call kernels
        self._spent = self._start = 0.0
        self._told = False
        self._timer: threading.Timer | None = None

    def on_start(self, event: Event) -> None:
        """Let a timer write the line, unless compilation ends before."""
        if self._is_ours(event):
            self._depth += 1
            if self._depth == 1 and not self._told:
                self._start = time.perf_counter()
                self._timer = threading.Timer(max(self.patience - self._spent, 0.0), self._announce)
                self._timer.daemon = True
                self._timer.start()

    def on_end(self, event: Event) -> None:
        """Stop the timer, and remember the time."""
        if self._is_ours(event):
            self._depth -= 1
            if self._depth == 0 and self._timer is not None:
                self._timer.cancel()
                self._spent += time.perf_counter() - self._start

    def _announce(self) -> None:
        self._told = True
        if sys.stderr is not None:
            print(_MESSAGE, file=sys.stderr, flush=True)

    @staticmethod
    def _is_ours(event: Event) -> bool:
        return str(event.data["dispatcher"].py_func.__module__).startswith("ecoc.")


ANNOUNCEMENT = Announcement()
register("numba:compile", ANNOUNCEMENT)


def _popcount(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


def _in_python(word: Any) -> int:
    return int(word).bit_count()


popcount: Any = _in_python if config.DISABLE_JIT else intrinsic(_popcount)  # type: ignore[attr-defined]
