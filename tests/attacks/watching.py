"""What must never happen while a file is read: code that runs, and memory without bound."""

import os
import resource
import sys
import tempfile
from contextlib import contextmanager

# What code that came with a file would do: start a program, open a connection, or delete.
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect", "shutil.rmtree")
MOST_MEMORY = 1 << 30  # bytes by which an attack may raise the peak of the process

_seen: list[str] | None = None
_is_hooked = False


def _hook(event, _arguments):
    if _seen is not None and (event in FORBIDDEN or event == "attack.payload"):
        _seen.append(event)


@contextmanager
def watched():
    """Raise an AssertionError if code ran or much memory was taken in this context."""
    global _seen, _is_hooked
    if not _is_hooked:  # a hook cannot be removed
        sys.addaudithook(_hook)
        _is_hooked = True
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _seen = []
    try:
        yield
    finally:
        events, _seen = _seen, None
        grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        assert not events, f"code ran: {events}"
        assert grown < MOST_MEMORY, f"took {grown / 1e9:.1f} GB"


@contextmanager
def silent():
    """Raise an AssertionError if anything, compiled code included, writes to standard error in this context."""
    with tempfile.TemporaryFile() as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            written = file.read()
            assert not written, f"standard error has {written[:300]!r}"


def payload():
    """Tell the watch that code ran; forged files name this function."""
    sys.audit("attack.payload")


def one_line(error):
    """Assert that a message is one line that says something."""
    assert len(str(error).strip().splitlines()) == 1, f"{type(error).__name__} with {str(error)!r}"
