"""Which classes of a node go left, which right, and which both ways? The cheapest colouring, exactly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Colouring = NDArray[np.int8]
Indices = NDArray[np.intp]

_PLUS, _MINUS = 1, 2  # bits of the signs that are present
_LLOYD = 20  # rounds of 2-means; a handful of them is usual
_NARROW = 0.01  # least variance of a feature within the classes, relative to its total one
_BLOCK_ENTRIES = 2**22  # entries of X centred at once: 32 MB


def colour(plus: Vector, minus: Vector, bound: int, relaxed: bool = True) -> Colouring:
    """Minimise Σ plus_k over μ_k = +1 and minus_k over μ_k = −1, μ ∈ {−1,0,1}, |Σμ| ≤ bound, both signs present.

    The costs are finite, and there are two classes or more. If not `relaxed`, no class is left at 0; the sum is
    odd then if the number of classes is, and a bound of 0 is read as 1.
    """
    k = len(plus)
    if not relaxed:
        bound = max(bound, k % 2)
    # The best colour of every class for itself is the optimum unless it breaks a constraint.
    colouring = np.where(minus <= plus, -1, 1).astype(np.int8)
    if relaxed:
        colouring[np.minimum(minus, plus) > 0] = 0
    if abs(colouring.sum(dtype=int)) <= bound and colouring.min() < 0 < colouring.max():
        return colouring
    return _dynamic_programme(plus, minus, min(bound, k), relaxed)


def _dynamic_programme(plus: Vector, minus: Vector, bound: int, relaxed: bool) -> Colouring:
    """Best cost of the classes so far by (signs present, Σμ), class after class, and the way back."""
    k = len(plus)
    reach = (k + bound) // 2  # from a sum beyond it the remaining classes cannot lead back to the bound
    middle, inner = reach + 1, slice(1, 2 * reach + 2)  # a cell of +∞ on either side
    cost = np.full((4, 2 * reach + 3), np.inf)
    cost[0, middle] = 0
    way = np.empty((k, *cost.shape), dtype=np.int8)  # 4·(μ + 1) + signs present before
    for i in range(k):
        best = cost.copy() if relaxed else np.full_like(cost, np.inf)
        way[i] = 4 + np.arange(4)[:, None]
        for mu, sign, price in ((-1, _MINUS, minus[i]), (1, _PLUS, plus[i])):
            for before in range(4):
                offer = cost[before, inner.start - mu : inner.stop - mu] + price
                after = before | sign
                # On a tie a coloured class, for it leaves the smaller children; and −1 before +1.
                better = offer <= best[after, inner] if mu < 0 else offer < best[after, inner]
                best[after, inner][better] = offer[better]
                way[i, after, inner][better] = 4 * (mu + 1) + before
        cost = best
    signs = _PLUS | _MINUS
    position = middle - bound + int(cost[signs, middle - bound : middle + bound + 1].argmin())
    colouring = np.empty(k, dtype=np.int8)
    for i in reversed(range(k)):
        step, signs = divmod(int(way[i, signs, position]), 4)
        colouring[i] = step - 1
        position -= step - 1
    return colouring


def objective(plus: Vector, minus: Vector, colouring: Colouring) -> float:
    """The cost that `colour` minimises."""
    return float(plus[colouring > 0].sum() + minus[colouring < 0].sum())


def first_colourings(
    gram: Matrix, bound: int, n: int, rng: np.random.RandomState, relaxed: bool = True
) -> list[Colouring]:
    """Up to `n` different colourings to start from: 2-means of the classes, whose inner products are `gram`.

    The first starts from the sides of the leading principal direction, the others from two classes drawn. In
    each, the first class that has a colour is negative. None leaves a class out, unless a bound of 0 has to.
    """
    relaxed = relaxed and bound < len(gram) % 2
    centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    found: list[Colouring] = []
    for start in range(n):
        if start == 0:
            preference = np.linalg.eigh(centred)[1][:, -1]
        else:
            a, b = rng.choice(len(gram), 2, replace=False)
            preference = _nearer(centred, np.array([a]), np.array([b]))
        colouring = _two_means(centred, preference, bound, relaxed)
        if not any(np.array_equal(colouring, other) for other in found):
            found.append(colouring)
    return found


def _two_means(gram: Matrix, preference: Vector, bound: int, relaxed: bool) -> Colouring:
    """Lloyd's iterations in inner products; the assignment that keeps the bound is a colouring itself."""
    colouring = colour(-preference, preference, bound, relaxed)
    for _ in range(_LLOYD):
        before = colouring
        preference = _nearer(gram, np.flatnonzero(colouring > 0), np.flatnonzero(colouring < 0))
        colouring = colour(-preference, preference, bound, relaxed)
        if np.array_equal(colouring, before):
            break
    first = colouring[np.flatnonzero(colouring)[0]]
    oriented: Colouring = colouring * -first
    return oriented


def _nearer(gram: Matrix, positive: Indices, negative: Indices) -> Vector:
    """How much nearer each class is to the centre of the positive ones than of the negative, in squared distances."""

    def away(side: Indices) -> Vector:
        less_own_norm: Vector = gram[np.ix_(side, side)].mean() - 2 * gram[:, side].mean(axis=1)
        return less_own_norm

    return away(negative) - away(positive)


def gram_of_means(X: Any, y: Indices, weight: Vector) -> Matrix:
    """Inner products of the class means, whose features are scaled by their deviation within the classes."""
    n = weight.sum()
    members = csr_array((weight, (y, np.arange(len(y)))), shape=(y.max() + 1, len(y)))
    sizes = np.bincount(y, weight)
    if issparse(X):
        X = X.astype(np.float64)
        X.data = np.nan_to_num(X.data)
        means = (members @ X).toarray() / sizes[:, None]
        squares = weight @ X.multiply(X) / n
        within = np.maximum(squares - sizes @ means**2 / n, 0)
    else:
        X = _without_nan(X.astype(np.float64, copy=False), weight)
        means = (members @ X) / sizes[:, None]
        within = np.zeros(X.shape[1])
        block = max(1, _BLOCK_ENTRIES // X.shape[1])
        for start in range(0, len(X), block):
            part = slice(start, start + block)
            within += weight[part] @ (X[part] - means[y[part]]) ** 2 / n
    centred = means - sizes @ means / n
    scale = np.maximum(within, _NARROW * (within + sizes @ centred**2 / n))
    centred /= np.sqrt(np.where(scale > 0, scale, 1))
    gram: Matrix = centred @ centred.T
    return gram


def _without_nan(X: Matrix, weight: Vector) -> Matrix:
    """X with the mean of its column for each entry that is missing."""
    missing = np.isnan(X)
    if not missing.any():
        return X
    filled = np.where(missing, 0, X)
    present = weight @ ~missing
    return np.where(missing, weight @ filled / np.where(present > 0, present, 1), X)
