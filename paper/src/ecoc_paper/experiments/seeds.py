"""Which seed does a part of an experiment have? One that follows from the protocol's and from what the part is."""

import hashlib
from typing import Any

from ecoc_paper.experiments.protocol import Protocol


def seed_of(protocol: Protocol, *scope: Any) -> int:
    """A seed for a data set, fold, method or whatever the scope names; the same in every process."""
    text = "/".join(map(str, (protocol.seed, *scope)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
