"""Decodings, which turn the outputs of the binary classifiers into scores of all classes."""

from ecoc.decoding.base import Decoding, decide
from ecoc.decoding.centroid import Centroid
from ecoc.decoding.counting import BetaDensity, Laplacian
from ecoc.decoding.discriminant import Discriminant
from ecoc.decoding.euclidean import AttenuatedEuclidean, Euclidean
from ecoc.decoding.hamming import Hamming, InverseHamming
from ecoc.decoding.loss import LossBased
from ecoc.decoding.loss_weighted import LossWeighted
from ecoc.decoding.probabilistic import Probabilistic
from ecoc.decoding.registry import DECODINGS, get_decoding
from ecoc.decoding.structured import Structured

__all__ = [
    "DECODINGS",
    "AttenuatedEuclidean",
    "BetaDensity",
    "Centroid",
    "Decoding",
    "Discriminant",
    "Euclidean",
    "Hamming",
    "InverseHamming",
    "Laplacian",
    "LossBased",
    "LossWeighted",
    "Probabilistic",
    "Structured",
    "decide",
    "get_decoding",
]
