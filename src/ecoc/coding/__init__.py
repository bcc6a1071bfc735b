"""Makers of code books: one small file a family, all with ``build(n_classes, X, y, random_state)``."""

from typing import Any

from ecoc.coding.base import Coding
from ecoc.coding.context import Context
from ecoc.coding.crammer_singer import CrammerSinger
from ecoc.coding.discriminant_tree import DiscriminantTree
from ecoc.coding.ecf import ECF
from ecoc.coding.exhaustive import Exhaustive
from ecoc.coding.fixed import Fixed
from ecoc.coding.fixed_distance import FixedDistanceRandom
from ecoc.coding.gao_koller import GaoKoller
from ecoc.coding.grouped import Grouped
from ecoc.coding.hadamard import Hadamard
from ecoc.coding.minimal import Minimal
from ecoc.coding.minimal_search import MinimalSearch
from ecoc.coding.one_vs import OneVsAll, OneVsOne
from ecoc.coding.ordinal import Ordinal
from ecoc.coding.random import DenseRandom, SparseRandom
from ecoc.coding.registry import CODINGS, get_coding
from ecoc.coding.spectral import Spectral
from ecoc.coding.zhao_xing import ZhaoXing
from ecoc.utils.deprecation import deprecated_name

__all__ = [
    "CODINGS",
    "ECF",
    "Coding",
    "Context",
    "CrammerSinger",
    "DenseRandom",
    "DiscriminantTree",
    "Exhaustive",
    "Fixed",
    "FixedDistanceRandom",
    "GaoKoller",
    "Grouped",
    "Hadamard",
    "Minimal",
    "MinimalSearch",
    "OneVsAll",
    "OneVsOne",
    "Ordinal",
    "SparseRandom",
    "Spectral",
    "ZhaoXing",
    "get_coding",
]


def __getattr__(name: str) -> Any:
    if name == "Discriminant":
        return deprecated_name("ecoc.coding.Discriminant", "ecoc.coding.DiscriminantTree", DiscriminantTree)
    raise AttributeError(f"module 'ecoc.coding' has no attribute {name!r}")
