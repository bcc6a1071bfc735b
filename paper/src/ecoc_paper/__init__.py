"""The experiments of the paper on Error-Correcting Factorization, and the methods that only they compare.

Importing the package gives its codings a name: ``ECOCClassifier(coding="gao_koller")`` then works.
"""

from ecoc.codes.coding import register_coding
from ecoc_paper.codings import CrammerSinger, GaoKoller, MinimalSearch, ZhaoXing
from ecoc_paper.experiments import reproduce
from ecoc_paper.hierarchy import HierarchyDisplay, RelaxedHierarchyClassifier
from ecoc_paper.subclass import SubclassClassifier

__all__ = [
    "CrammerSinger",
    "GaoKoller",
    "HierarchyDisplay",
    "MinimalSearch",
    "RelaxedHierarchyClassifier",
    "SubclassClassifier",
    "ZhaoXing",
    "reproduce",
]

register_coding("gao_koller", GaoKoller)
register_coding("zhao_xing", ZhaoXing)
register_coding("crammer_singer", CrammerSinger)
register_coding("minimal_search", MinimalSearch)
