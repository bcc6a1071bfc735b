"""Makers of code books: one small file a family, all with ``build(n_classes, X, y, random_state)``."""

from typing import Any

from ecoc.coding.base import Coding
from ecoc.coding.context import Context
from ecoc.coding.discriminant_tree import DiscriminantTree
from ecoc.coding.ecf import ECF
from ecoc.coding.exhaustive import Exhaustive
from ecoc.coding.fixed import Fixed
from ecoc.coding.fixed_distance import FixedDistanceRandom
from ecoc.coding.grouped import Grouped
from ecoc.coding.hadamard import Hadamard
from ecoc.coding.minimal import Minimal
from ecoc.coding.one_vs import OneVsAll, OneVsOne
from ecoc.coding.ordinal import Ordinal
from ecoc.coding.random import DenseRandom, SparseRandom, distinct_columns
from ecoc.coding.registry import CODINGS, get_coding, register_coding
from ecoc.coding.spectral import Spectral
from ecoc.design.length import resolve_length
from ecoc.utils.deprecation import deprecated_name, missing_name

__all__ = [
    "CODINGS",
    "ECF",
    "Coding",
    "Context",
    "DenseRandom",
    "DiscriminantTree",
    "Exhaustive",
    "Fixed",
    "FixedDistanceRandom",
    "Grouped",
    "Hadamard",
    "Minimal",
    "OneVsAll",
    "OneVsOne",
    "Ordinal",
    "SparseRandom",
    "Spectral",
    "distinct_columns",
    "get_coding",
    "register_coding",
    "resolve_length",
]


def __getattr__(name: str) -> Any:
    if name == "Discriminant":
        return deprecated_name("ecoc.coding.Discriminant", "ecoc.coding.DiscriminantTree", DiscriminantTree)
    raise missing_name("ecoc.coding", name)
