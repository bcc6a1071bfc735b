"""Does your own coding or decoding work with all classifiers? Checks for both, like scikit-learn's check_estimator."""

from ecoc.testing._coding import check_coding
from ecoc.testing._decoding import check_decoding

__all__ = ["check_coding", "check_decoding"]
