"""Codings that the paper cites."""

from ecoc_paper.codings.crammer_singer import CrammerSinger
from ecoc_paper.codings.hinge_loss_code import HingeLossCode
from ecoc_paper.codings.minimal_search import MinimalSearch
from ecoc_paper.codings.paper_ecf import PaperECF
from ecoc_paper.codings.sparse_similarity import SparseSimilarity

__all__ = ["CrammerSinger", "HingeLossCode", "MinimalSearch", "PaperECF", "SparseSimilarity"]
