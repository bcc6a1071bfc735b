"""Decodings, which turn the outputs of the binary classifiers into class scores."""

from ecoc.decoding.choice import DECODINGS, get_decoding
from ecoc.decoding.discriminant import Discriminant
from ecoc.decoding.euclidean import AttenuatedEuclidean, Centroid, Euclidean
from ecoc.decoding.interface import Decoding, decide
from ecoc.decoding.loss import LossBased, LossWeighted
from ecoc.decoding.probabilistic import Probabilistic
from ecoc.decoding.signs import BetaDensity, Hamming, InverseHamming, Laplacian
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
