"""How is a design matrix turned into a code? Search, the paper's relaxation, and a result that can verify itself."""

from ecoc.factorization.factorize import factorize
from ecoc.factorization.result import Certificate, Factorization

__all__ = ["Certificate", "Factorization", "factorize"]
