"""Design matrices: class distances, allocation, projection and code length."""

from ecoc.codes.design.allocation import allocate
from ecoc.codes.design.bounds import shortest_length, violated_bound
from ecoc.codes.design.checks import check_min_distance
from ecoc.codes.design.distances import class_directions, class_distances
from ecoc.codes.design.length import CodeLength, code_length
from ecoc.codes.design.projection import alternating_projections, nearest_correlation

__all__ = [
    "CodeLength",
    "allocate",
    "alternating_projections",
    "check_min_distance",
    "class_directions",
    "class_distances",
    "code_length",
    "nearest_correlation",
    "shortest_length",
    "violated_bound",
]
