"""How is a code fitted to data? A proxy says what would be confused under a code; a bound on that is made small."""

from ecoc.codes.refinement.bound import ErrorBound
from ecoc.codes.refinement.moments import Moments
from ecoc.codes.refinement.proxy import HeldOut, proxy_outputs
from ecoc.codes.refinement.refiner import Refiner
from ecoc.codes.refinement.selection import held_out_hits, shortest_of_the_best

__all__ = ["ErrorBound", "HeldOut", "Moments", "Refiner", "held_out_hits", "proxy_outputs", "shortest_of_the_best"]
