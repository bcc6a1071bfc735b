"""How is a file written? In one step, so that a failure does not damage an existing file."""

import os
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a temporary file next to the target and rename it, so that a failure leaves the target unchanged."""
    # tempfile is not used, because only the owner may read its files.
    scratch = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        scratch.write_bytes(content)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
