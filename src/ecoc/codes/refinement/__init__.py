"""Fit a code to data: minimise a bound on the errors that a cheap proxy predicts for the code."""

from ecoc.codes.refinement.proxy import HeldOut, proxy_outputs

__all__ = ["HeldOut", "proxy_outputs"]
