"""Data sets by name: find them, and check their content."""

from ecoc import DataError
from ecoc_paper.datasets.ar_faces import read_ar_faces
from ecoc_paper.datasets.cards import Card, card, names, register
from ecoc_paper.datasets.content import canonical_order, digest
from ecoc_paper.datasets.loading import Data, load

__all__ = [
    "Card",
    "Data",
    "DataError",
    "canonical_order",
    "card",
    "digest",
    "load",
    "names",
    "read_ar_faces",
    "register",
]
