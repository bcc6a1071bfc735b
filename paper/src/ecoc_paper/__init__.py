"""The experiments of the paper on Error-Correcting Factorization, and the methods that only they compare.

Importing the package gives its codings a name: ``ECOCClassifier(coding="hinge_loss_code")`` then works.
"""

from ecoc.codes.coding import register_coding
from ecoc_paper.codings import CrammerSinger, HingeLossCode, MinimalSearch, PaperECF, SparseSimilarity
from ecoc_paper.experiments import duels, reproduce, win_table
from ecoc_paper.hierarchy import HierarchyDisplay, RelaxedHierarchyClassifier
from ecoc_paper.splitting import SplitClassesClassifier

__all__ = [
    "CrammerSinger",
    "HierarchyDisplay",
    "HingeLossCode",
    "MinimalSearch",
    "PaperECF",
    "RelaxedHierarchyClassifier",
    "SparseSimilarity",
    "SplitClassesClassifier",
    "duels",
    "reproduce",
    "win_table",
]

register_coding("hinge_loss_code", HingeLossCode)
register_coding("sparse_similarity", SparseSimilarity)
register_coding("crammer_singer", CrammerSinger)
register_coding("minimal_search", MinimalSearch)
register_coding("paper_ecf", PaperECF)
