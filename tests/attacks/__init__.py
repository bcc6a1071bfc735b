"""Attacks on the package: what goes in is random and often wrong, what comes out must hold.

Each module has one function ``attack(seed)``. It returns what happened in a few words, such as "valid" or "refused". It
raises an AssertionError, or any other exception, if something happened that must not. The same seed makes the same
attack. ``python -m tests.attacks`` runs many, see docs/reliability.md; test_attacks.py runs a few of each kind.
"""

import importlib
from collections.abc import Callable

# Kind of attack, and how many `make attack` runs.
COUNTS = {
    "designs": 100_000,
    "model_files": 100_000,
    "tables": 100_000,
    "command_line": 5_000,
    "decodings": 20_000,
    "promises": 2_000,
    "kills": 1_000,
    "pages": 200,
}

# The parts of src/ecoc that each kind attacks. What was tried on a commit still holds if later commits left them alone.
PARTS = {
    "designs": ("codes/codebook", "codes/design", "codes/factorization"),
    "model_files": ("classifier", "codes", "decoding", "training", "utils/persistence"),
    "tables": ("codes/codebook/book.py", "codes/codebook/serialization.py", "tool/tables"),
    "command_line": ("inspection", "tool", "utils/persistence"),
    "decodings": ("classifier", "codes/codebook", "codes/coding", "decoding", "training"),
    "promises": ("classifier", "codes", "decoding", "training"),
    "kills": (
        "training/parallel.py",
        "../../paper/src/ecoc_paper/experiments",
        "utils/persistence",
        "utils/workers.py",
    ),
    "pages": ("inspection",),
}


def get_attack(kind: str) -> Callable[[int], str]:
    return importlib.import_module(f"tests.attacks.{kind}").attack
