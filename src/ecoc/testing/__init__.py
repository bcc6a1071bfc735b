"""Check your own coding or decoding, as scikit-learn's ``check_estimator`` checks an estimator."""

from ecoc.testing._coding import check_coding
from ecoc.testing._decoding import check_decoding

__all__ = ["check_coding", "check_decoding"]
