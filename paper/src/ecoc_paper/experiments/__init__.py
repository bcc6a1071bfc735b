"""The paper's experiments, a benchmark that others can join."""

from ecoc_paper.experiments.backend import Backend
from ecoc_paper.experiments.methods import Method, method_names, register_method
from ecoc_paper.experiments.protocol import PRESETS, Protocol
from ecoc_paper.experiments.runner import reproduce, run
from ecoc_paper.experiments.store import Store
from ecoc_paper.experiments.wins import duels, win_table

__all__ = [
    "PRESETS",
    "Backend",
    "Method",
    "Protocol",
    "Store",
    "duels",
    "method_names",
    "register_method",
    "reproduce",
    "run",
    "win_table",
]
