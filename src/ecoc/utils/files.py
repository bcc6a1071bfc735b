"""How is a file written? In one step, so that a failure leaves an earlier file as it was."""

import os
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside its target and rename it; whatever fails, an earlier file stays as it was."""
    # A name of our own, not tempfile's: its files are readable by their owner only.
    scratch = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        scratch.write_bytes(content)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
