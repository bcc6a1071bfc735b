"""Codings, which make code books: one module per family, all with ``build(n_classes, X, y, random_state)``."""

from typing import Any

from ecoc.codes.coding.coding import Coding, Context
from ecoc.codes.coding.discriminant_tree import DiscriminantTree
from ecoc.codes.coding.ecf import ECF
from ecoc.codes.coding.grouped import Grouped
from ecoc.codes.coding.random import DenseRandom, FixedDistanceRandom, SparseRandom, distinct_columns
from ecoc.codes.coding.registry import CODINGS, get_coding, register_coding
from ecoc.codes.coding.spectral import Spectral
from ecoc.codes.coding.standard import Exhaustive, Fixed, Hadamard, Minimal, OneVsAll, OneVsOne, Ordinal, Plain
from ecoc.codes.design.length import resolve_length
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
    "Plain",
    "SparseRandom",
    "Spectral",
    "distinct_columns",
    "get_coding",
    "register_coding",
    "resolve_length",
]


def __getattr__(name: str) -> Any:
    if name == "Discriminant":
        return deprecated_name("ecoc.codes.coding.Discriminant", "ecoc.codes.coding.DiscriminantTree", DiscriminantTree)
    raise missing_name("ecoc.codes.coding", name)
