"""Start codes for the refinement: signs of the directions in which the class means differ most."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eigh
from scipy.sparse import csr_array, dia_array
from scipy.sparse.linalg import eigsh

from ecoc.codes.refinement.limits import LIMITS
from ecoc.codes.refinement.moments import Moments
from ecoc.codes.refinement.search import near_pairs
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Code = NDArray[np.int8]


def discriminant_code(moments: Moments, n_columns: int, rng: np.random.Generator) -> Code | None:
    """Make a code of the signs of the leading discriminants of the class means.

    The discriminants are rotated so that their values are near ±1 (iterative quantization). Then codewords that are
    equal are changed in the entries whose values are nearest to zero.
    """
    with one_blas_thread():
        points = _discriminants(moments, n_columns, rng)
        if points is None:
            return None
        values = points @ _rotation(points, rng)
    return _different_codewords(values)


def spectral_code(moments: Moments, n_columns: int, rng: np.random.Generator) -> Code | None:
    """Make a code of the signs of the smoothest functions on the graph of near classes (spectral clustering)."""
    with one_blas_thread():
        points = _discriminants(moments, n_columns, rng)
        if points is None:
            return None
        pairs = near_pairs(points)
        squares = np.einsum(
            "ij,ij->i", points[pairs.own] - points[pairs.other], points[pairs.own] - points[pairs.other]
        )
        weights = np.exp(-squares / (2 * max(squares.mean(), 1e-300)))
        k = len(points)
        graph = csr_array((weights, pairs.other, pairs.start), shape=(k, k))
        scale = dia_array((1 / np.sqrt(np.asarray(graph.sum(axis=1)) + 1e-12), 0), shape=(k, k))
        vectors = eigsh(scale @ graph @ scale, n_columns + 1, which="LA", v0=rng.normal(size=k))[1][:, :-1]
    return _different_codewords(vectors - np.median(vectors, axis=0))


def _discriminants(moments: Moments, n: int, rng: np.random.Generator) -> Array | None:
    """Return the coordinates of the class means along the n leading discriminants, each with the median zero."""
    k = moments.n_classes
    probes = np.eye(k) if k <= LIMITS.n_probes else rng.choice([-1.0, 1.0], size=(k, max(LIMITS.n_probes, 2 * n)))
    means = moments.means(probes)
    means -= means.mean(axis=0)
    within = probes.T @ moments.covariance(probes)
    m = len(within)
    if n > min(m, k - 1):
        return None
    between = means.T @ means
    energy = max(np.trace(within), 1e-6 * np.trace(between), 1e-300) / m
    for share in LIMITS.ridge_shares:
        try:
            _, directions = eigh(between, within + share * energy * np.eye(m), subset_by_index=[m - n, m - 1])
        except LinAlgError:  # rounding made the covariance indefinite
            continue
        points: Array = means @ directions
        return points - np.median(points, axis=0)
    return None


def _rotation(points: Array, rng: np.random.Generator) -> Array:
    """Find a rotation after which the coordinates are nearest to the corners of a cube."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points = points / np.where(lengths > 0, lengths, 1)
    rotation = np.linalg.qr(rng.normal(size=(points.shape[1], points.shape[1])))[0]
    for _ in range(LIMITS.n_rotations):
        left, _, right = np.linalg.svd(points.T @ np.sign(points @ rotation))
        rotation = left @ right
    return np.asarray(rotation)


def _different_codewords(values: Array) -> Code | None:
    """Take signs; flip the entries nearest to zero in codewords that occurred before."""
    code = np.where(values > 0, 1, -1).astype(np.int8)
    used: set[bytes] = set()
    for i, codeword in enumerate(code):
        if codeword.tobytes() in used:
            weakest = np.argsort(np.abs(values[i]), kind="stable")
            for flips in _few_entries(weakest.tolist()):
                codeword[flips] *= -1
                if codeword.tobytes() not in used:
                    break
                codeword[flips] *= -1
            else:
                return None
        used.add(codeword.tobytes())
    columns = {(column * column[0]).tobytes() for column in code.T}
    is_constant = np.abs(code.sum(axis=0, dtype=np.int64)) == len(code)
    return None if is_constant.any() or len(columns) < code.shape[1] else code


def _few_entries(order: list[int]) -> Iterator[list[int]]:
    for n in range(1, LIMITS.most_flips + 1):
        yield from (list(entries) for entries in combinations(order, n))
