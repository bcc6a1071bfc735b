"""What do the codings achieve, by the paper's experiments? A benchmark that others can join."""

from ecoc.experiments.backend import Backend
from ecoc.experiments.methods import Method, method_names, register_method
from ecoc.experiments.protocol import PRESETS, Protocol
from ecoc.experiments.runner import reproduce, run
from ecoc.experiments.store import Store

__all__ = ["PRESETS", "Backend", "Method", "Protocol", "Store", "method_names", "register_method", "reproduce", "run"]
