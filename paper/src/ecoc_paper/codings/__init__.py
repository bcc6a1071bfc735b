"""Codings that the paper cites."""

from ecoc_paper.codings.crammer_singer import CrammerSinger
from ecoc_paper.codings.gao_koller import GaoKoller
from ecoc_paper.codings.minimal_search import MinimalSearch
from ecoc_paper.codings.zhao_xing import ZhaoXing

__all__ = ["CrammerSinger", "GaoKoller", "MinimalSearch", "ZhaoXing"]
