"""Is this matrix a usable code, and how far apart does it keep the classes?"""

from ecoc.codebook.book import CodeBook

__all__ = ["CodeBook"]
