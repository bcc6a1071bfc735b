"""Seeds that follow from the protocol's seed and from what they are for."""

import hashlib
from typing import Any

from ecoc_paper.experiments.protocol import Protocol


def seed_of(protocol: Protocol, *scope: Any) -> int:
    """A seed for a data set, fold, method or whatever the scope names; the same in every process."""
    text = "/".join(map(str, (protocol.seed, *scope)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
