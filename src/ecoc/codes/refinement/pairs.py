"""Find pairs of classes that are likely to be confused, by the distances of their representative points."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from ecoc.codes.refinement.refinement_limits import LIMITS, Limits
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Pairs(NamedTuple):
    """Pairs of classes. A pair is stored twice, once for each of its classes; entries are sorted by class."""

    start: Ints  # the partners of class c are other[start[c]:start[c + 1]]
    other: Ints
    twin: Ints  # where the same pair is stored for its other class

    @property
    def own(self) -> Ints:
        """The class that each entry is stored for."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @property
    def is_complete(self) -> bool:
        """Whether all pairs are there."""
        k = len(self.start) - 1
        return len(self.other) == k * (k - 1)


def near_pairs(points: Array, limits: Limits = LIMITS) -> Pairs:
    """Return every class with the classes whose points are nearest; all pairs if there are few classes."""
    k = len(points)
    if k <= limits.all_pairs:
        rows, columns = np.nonzero(~np.eye(k, dtype=bool))
    else:
        columns = _nearest(points, min(limits.n_partners, k - 1), limits.block_distances).ravel()
        rows = np.repeat(np.arange(k), len(columns) // k)
    both = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    joined = coo_array((np.ones(len(both[0])), both), shape=(k, k)).tocsr()
    joined.data = np.arange(joined.nnz, dtype=np.int64)
    twin = joined.T.tocsr()
    twin.sort_indices()
    return Pairs(joined.indptr.astype(np.int64), joined.indices.astype(np.int64), twin.data)


def _nearest(points: Array, n: int, block: int) -> Ints:
    """Return the n nearest other points of each point, in no particular order."""
    k = len(points)
    squares = np.einsum("ij,ij->i", points, points)
    found = np.empty((k, n), dtype=np.int64)
    step = max(1, block // k)
    for first in range(0, k, step):
        rows = np.arange(first, min(first + step, k))
        with one_blas_thread():
            distances = squares - 2 * points[rows] @ points.T
        distances[np.arange(len(rows)), rows] = np.inf
        found[rows] = np.argpartition(distances, n - 1, axis=1)[:, :n]
    return found
