"""Conformance suites: does a coding or a decoding of your own keep the promises that classifiers rely on?"""

from ecoc.testing._coding import check_coding
from ecoc.testing._decoding import check_decoding

__all__ = ["check_coding", "check_decoding"]
