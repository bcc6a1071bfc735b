"""Plan the designs to choose from: projected designs, minimum distances and lengths, from data and wishes."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.design.allocation import allocate, check_design
from ecoc.codes.design.bounds import Demands, shortest_length
from ecoc.codes.design.checks import Matrix, check_min_distance, labels_of
from ecoc.codes.design.distances import Metric, data_distances
from ecoc.codes.design.length import FEW, length_of_many, projected_length, resolve_length
from ecoc.codes.design.projection import Projection, project_checked
from ecoc.utils.folds import Folds
from ecoc.utils.suggest import some


@dataclass(frozen=True)
class Plan:
    """Designs for the same classes, one for each allocation.

    Parameters
    ----------
    labels : list
        The classes.
    demands : int or ndarray
        Smallest distances of codewords.
    distances : ndarray or None
        Distances of the classes in the data, if the designs come from data.
    allocations : tuple
        The allocations.
    projections : list of Projection
        The projected design of each allocation.
    """

    labels: list[Any]
    demands: int | Demands
    distances: Matrix | None
    allocations: tuple[Any, ...]
    projections: list[Projection]

    def lengths(self, n_columns: str | int | float | None, max_columns: int | None) -> list[int]:
        """Return the number of columns of each design, as :class:`ecoc.ECF` defines it."""
        return [self._length(projection, n_columns, max_columns) for projection in self.projections]

    def _length(self, projection: Projection, n_columns: str | int | float | None, max_columns: int | None) -> int:
        k = len(self.labels)
        if isinstance(n_columns, Integral):
            if np.max(self.demands) == 1:
                resolve_length(int(n_columns), k, k)  # an error if it is impossible
            return int(n_columns)
        least = shortest_length(k, self.demands)[0]
        if not isinstance(n_columns, str | None):
            return max(resolve_length(n_columns, k, k), least)
        if n_columns == "auto":
            usual = k - 1 if k <= FEW else length_of_many(k, most=True)
        elif n_columns is None and k > FEW:
            usual = length_of_many(k)
        else:
            usual = int(projected_length(projection, self.demands))
        return int(max(usual if max_columns is None else min(usual, max_columns), least))


def make_plan(
    n_classes: int,
    X: Any = None,
    y: NDArray[Any] | None = None,
    *,
    allocations: Sequence[Any],
    metric: Metric | None = "mahalanobis",
    design: ArrayLike | None = None,
    wishes: Mapping[Any, str | float] | None = None,
    min_distance: Any = 1,
    folds: Folds | None = None,
) -> Plan:
    """Make and project a design for each allocation; `metric` None means that the data have no say."""
    labels = (np.arange(n_classes) if y is None else np.unique(y)).tolist()
    demands = check_min_distance(min_distance, labels)
    distances = None if metric is None or design is not None else data_distances(X, y, metric, folds)
    given = None if design is None else _check_order(design, None if y is None else labels, n_classes)
    between = 1 - np.eye(n_classes) if distances is None else distances
    projections = []
    for allocation in allocations:
        wanted = allocation if given is None else _always(given)
        projections.append(project_checked(allocate(between, wanted, labels=labels, wishes=wishes)))
    return Plan(labels, demands, distances, tuple(allocations), projections)


def _always(design: Matrix) -> Any:
    return lambda distances: design


def _check_order(design: ArrayLike, labels: list[Any] | None, n_classes: int) -> Matrix:
    """Return the design as a matrix, in the order of the labels if both have names."""
    D = check_design(design, n_classes, "design")
    names = labels_of(design)
    if labels is not None and names != list(range(n_classes)):
        order = row_order(names, labels, "design")
        D = D[np.ix_(order, order)]
    return D


def row_order(names: Iterable[Hashable], labels: Sequence[Any], what: str) -> list[int]:
    """Return the row of each label; raise an error if the names are not those of the classes."""
    rows = {name: i for i, name in enumerate(names)}
    wanted = list(labels)
    if set(rows) != set(wanted):
        missing, foreign = [x for x in wanted if x not in rows], [x for x in rows if x not in set(wanted)]
        raise ValueError(
            f"{what} must name the classes of y; it lacks {some(missing) or 'none'} and has {some(foreign) or 'none'}"
            f" besides. The classes are {some(wanted)}; without labels the rows are taken in this order."
        )
    return [rows[label] for label in wanted]
