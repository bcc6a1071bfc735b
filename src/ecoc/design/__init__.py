"""How far apart should which codewords be? Class distances, allocation, projection and code length."""

from ecoc.design.allocation import allocate
from ecoc.design.alternating import alternating_projections
from ecoc.design.bounds import shortest_length, violated_bound
from ecoc.design.demands import check_min_distance
from ecoc.design.distances import class_distances
from ecoc.design.factor import class_directions, mixed_factor
from ecoc.design.length import CodeLength, code_length
from ecoc.design.projection import Projection, nearest_correlation, project

__all__ = [
    "CodeLength",
    "Projection",
    "allocate",
    "alternating_projections",
    "check_min_distance",
    "class_directions",
    "class_distances",
    "code_length",
    "mixed_factor",
    "nearest_correlation",
    "project",
    "shortest_length",
    "violated_bound",
]
