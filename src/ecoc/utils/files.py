"""Write files atomically, so that a failure leaves an earlier file as it was."""

import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside its target and rename it. If anything fails, an earlier file stays as it was.

    The file keeps the permissions of an earlier one, and links to it stay links. The content is on the disk before the
    file is renamed, so a power failure leaves the earlier file or the new one. Scratch files that killed processes left
    are removed. Devices and pipes cannot be replaced and are written to.
    """
    path = Path(os.path.realpath(path))
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        with path.open("wb") as file:
            file.write(content)
        return
    _remove_stale(path)
    # Not a file of tempfile: only its owner could read it.
    scratch = path.with_name(f"{_scratch_start(path)}{os.urandom(4).hex()}.tmp")
    try:
        scratch.write_bytes(content)
        _flush(scratch, os.O_RDWR)
        if mode is not None:
            scratch.chmod(stat.S_IMODE(mode))
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
    with suppress(OSError):  # not every system can flush a folder
        _flush(path.parent, os.O_RDONLY)


def _scratch_start(path: Path) -> str:
    return f".{path.name[:60]}."  # a file name has at most 255 bytes


def _remove_stale(path: Path) -> None:
    stale_seconds = 3600  # a scratch file that nobody has written to for so long was left by a process that was killed
    name = re.compile(re.escape(_scratch_start(path)) + r"[0-9a-f]{8}\.tmp")
    with suppress(OSError):  # a folder that cannot be listed
        for entry in os.scandir(path.parent):
            if name.fullmatch(entry.name):
                with suppress(OSError):  # another process may have removed it
                    if time.time() - entry.stat().st_mtime > stale_seconds:
                        os.unlink(entry)


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
