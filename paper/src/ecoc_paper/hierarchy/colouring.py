"""Find the cheapest colouring of a node's classes exactly: left, right, or both ways."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Colouring = NDArray[np.int8]
Indices = NDArray[np.intp]

_PLUS, _MINUS = 1, 2  # bits for the signs that are present
_MAX_ROUNDS = 20  # of 2-means; about five are usual
# Smallest share of the variance of a feature that is taken to be within the classes. Half and double give the same
# accuracy and tree size on vowel, segment, letter and pendigits.
_MIN_WITHIN = 0.01
_BLOCK_ENTRIES = 2**22  # entries of X that are centred at once: 32 MB


def colour(plus: Vector, minus: Vector, bound: int, relaxed: bool = True) -> Colouring:
    """Minimise Σ plus_k over μ_k = +1 and minus_k over μ_k = −1, μ ∈ {−1,0,1}, |Σμ| ≤ bound, both signs present.

    The costs must be finite, and there must be at least two classes. If not `relaxed`, no class is 0; a bound of 0
    then becomes 1 if the number of classes is odd.
    """
    k = len(plus)
    if not relaxed:
        bound = max(bound, k % 2)
    # The cheapest colour of each class is the optimum unless it breaks a constraint.
    colouring = np.where(minus <= plus, -1, 1).astype(np.int8)
    if relaxed:
        colouring[np.minimum(minus, plus) > 0] = 0
    if abs(colouring.sum(dtype=int)) <= bound and colouring.min() < 0 < colouring.max():
        return colouring
    return _dynamic_programme(plus, minus, min(bound, k), relaxed)


def _dynamic_programme(plus: Vector, minus: Vector, bound: int, relaxed: bool) -> Colouring:
    """Compute the lowest cost of the first classes for each (signs present, Σμ), then trace back the best colouring."""
    k = len(plus)
    reach = (k + bound) // 2  # the remaining classes cannot lead back from a larger |Σμ| to the bound
    middle, inner = reach + 1, slice(1, 2 * reach + 2)  # a cell of +∞ on either side
    cost = np.full((4, 2 * reach + 3), np.inf)
    cost[0, middle] = 0
    choice = np.empty((k, *cost.shape), dtype=np.int8)  # 4·(μ + 1) + signs present before
    for i in range(k):
        best = cost.copy() if relaxed else np.full_like(cost, np.inf)
        choice[i] = 4 + np.arange(4)[:, None]
        for mu, sign, price in ((-1, _MINUS, minus[i]), (1, _PLUS, plus[i])):
            for before in range(4):
                offer = cost[before, inner.start - mu : inner.stop - mu] + price
                after = before | sign
                # On a tie, prefer −1 to +1, and either to 0, because this gives smaller children.
                better = offer <= best[after, inner] if mu < 0 else offer < best[after, inner]
                best[after, inner][better] = offer[better]
                choice[i, after, inner][better] = 4 * (mu + 1) + before
        cost = best
    signs = _PLUS | _MINUS
    position = middle - bound + int(cost[signs, middle - bound : middle + bound + 1].argmin())
    colouring = np.empty(k, dtype=np.int8)
    for i in reversed(range(k)):
        step, signs = divmod(int(choice[i, signs, position]), 4)
        colouring[i] = step - 1
        position -= step - 1
    return colouring


def objective(plus: Vector, minus: Vector, colouring: Colouring) -> float:
    """Compute the cost that `colour` minimises."""
    return float(plus[colouring > 0].sum() + minus[colouring < 0].sum())


def first_colourings(
    gram: Matrix, bound: int, n: int, rng: np.random.RandomState, relaxed: bool = True
) -> list[Colouring]:
    """Return up to `n` different colourings to start from, by 2-means of the class means with inner products `gram`.

    The first 2-means starts from the signs of the leading principal component, the others from two random classes. The
    first class with a colour is always negative. No class is 0, unless a bound of 0 requires it.
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
    """Run Lloyd's algorithm on inner products, with `colour` as the assignment step, which respects the bound."""
    colouring = colour(-preference, preference, bound, relaxed)
    for _ in range(_MAX_ROUNDS):
        before = colouring
        preference = _nearer(gram, np.flatnonzero(colouring > 0), np.flatnonzero(colouring < 0))
        colouring = colour(-preference, preference, bound, relaxed)
        if np.array_equal(colouring, before):
            break
    first = colouring[np.flatnonzero(colouring)[0]]
    oriented: Colouring = colouring * -first
    return oriented


def _nearer(gram: Matrix, positive: Indices, negative: Indices) -> Vector:
    """Return the squared distance of each class to the negative centre minus that to the positive centre."""

    def distance(side: Indices) -> Vector:  # without the squared norm of the class itself, which cancels
        to_centre: Vector = gram[np.ix_(side, side)].mean() - 2 * gram[:, side].mean(axis=1)
        return to_centre

    return distance(negative) - distance(positive)


def gram_of_means(X: Any, y: Indices, weight: Vector) -> Matrix:
    """Return the inner products of the class means, with features scaled by their within-class deviation."""
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
    scale = np.maximum(within, _MIN_WITHIN * (within + sizes @ centred**2 / n))
    centred /= np.sqrt(np.where(scale > 0, scale, 1))
    gram: Matrix = centred @ centred.T
    return gram


def _without_nan(X: Matrix, weight: Vector) -> Matrix:
    """Return X with missing entries replaced by the mean of their column."""
    missing = np.isnan(X)
    if not missing.any():
        return X
    filled = np.where(missing, 0, X)
    present = weight @ ~missing
    return np.where(missing, weight @ filled / np.where(present > 0, present, 1), X)
