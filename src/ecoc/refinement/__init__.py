"""How to fit a code to data: what a cheap proxy confuses under it, bounded, searched over, and measured."""

from ecoc.refinement.bound import ErrorBound
from ecoc.refinement.proxy import HeldOut, proxy_outputs
from ecoc.refinement.refiner import Refiner
from ecoc.refinement.selection import held_out_hits, shortest_of_the_best

__all__ = ["ErrorBound", "HeldOut", "Refiner", "held_out_hits", "proxy_outputs", "shortest_of_the_best"]
