"""Fit a code to data: minimise a bound on the errors that a cheap proxy predicts for the code."""

from ecoc.codes.refinement.bound import ErrorBound
from ecoc.codes.refinement.moments import Moments
from ecoc.codes.refinement.proxy import HeldOut, proxy_outputs
from ecoc.codes.refinement.refiner import Refiner
from ecoc.codes.refinement.selection import held_out_hits, shortest_of_the_best

__all__ = ["ErrorBound", "HeldOut", "Moments", "Refiner", "held_out_hits", "proxy_outputs", "shortest_of_the_best"]
