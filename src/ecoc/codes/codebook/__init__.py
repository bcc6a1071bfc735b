"""What is a code book? A validated matrix with a codeword for each class."""

from ecoc.codes.codebook.book import CodeBook

__all__ = ["CodeBook"]
