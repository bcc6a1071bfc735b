"""How to get the correction a design asks for: relax, round, search, and a result that certifies itself."""

from ecoc.factorization.decomposition import ErrorDecomposition, decompose_error, relaxed_code
from ecoc.factorization.factorize import factorize
from ecoc.factorization.result import Certificate, Factorization

__all__ = ["Certificate", "ErrorDecomposition", "Factorization", "decompose_error", "factorize", "relaxed_code"]
