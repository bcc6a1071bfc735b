"""Factorize a design matrix into a code: search, the paper's relaxation, and a result that verifies itself."""

from ecoc.codes.factorization.factorize import factorize
from ecoc.codes.factorization.paper import factorize_paper, read_distance, relaxed_code
from ecoc.codes.factorization.result import Certificate, Factorization

__all__ = ["Certificate", "Factorization", "factorize", "factorize_paper", "read_distance", "relaxed_code"]
