"""Which data sets are known by name? Where to find each, and whether its content is the expected one."""

from ecoc.datasets.ar_faces import read_ar_faces
from ecoc.datasets.cards import Card, card, names, register
from ecoc.datasets.content import canonical_order, digest
from ecoc.datasets.loading import Data, load
from ecoc.datasets.texts import tfidf
from ecoc.exceptions import DataError

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
    "tfidf",
]
