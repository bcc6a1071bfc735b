"""The code book: a validated matrix with a codeword for each class."""

from ecoc.codes.codebook.book import CodeBook

__all__ = ["CodeBook"]
