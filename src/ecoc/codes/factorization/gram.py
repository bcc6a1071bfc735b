"""Find the code with exactly the given inner products, if it has no more columns than classes."""

import numpy as np

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.descent import columns_are_valid
from ecoc.codes.factorization.search_limits import LIMITS


def code_with_products(products: Matrix, l: int, rng: np.random.Generator, limit: Budget) -> Matrix | None:
    """Return a valid code X of l columns with XXᵀ = `products`, a k × k matrix of integers; None if none is found.

    The rank of the matrix must be l. Then a column of the code is a column of signs with xᵀG⁺x = 1. These columns are
    listed, and l of them are chosen so that xᵀG⁺y = 0 for any two.
    """
    from ecoc.codes.factorization import _gram_kernels as kernels

    k = len(products)
    if l > k or limit.exhausted:
        return None
    values, vectors = np.linalg.eigh(products)
    if values[0] < -LIMITS.dependent * l or int((values > LIMITS.dependent * l).sum()) != l:
        return None
    positive = values > LIMITS.dependent * l
    order, lower = _smallest_pivots_first(vectors[:, positive] * np.sqrt(values[positive]))
    signs = kernels.Signs(
        lower=lower,
        x=np.zeros(k),
        z=np.zeros(k),
        total=np.zeros(k + 1),
        tried=np.zeros(k, dtype=np.int64),
        depth=np.zeros(1, dtype=np.int64),
        found=np.zeros((LIMITS.listed_per_column * l, k)),
        n_found=np.zeros(1, dtype=np.int64),
    )
    while signs.depth[0] >= 0 and not limit.exhausted:
        limit.spend(kernels.advance(signs, max(1.0, min(LIMITS.chunk, limit.allowed - limit.spent))))
    columns = np.empty((int(signs.n_found[0]), k))
    columns[:, order] = signs.found[: len(columns)]
    scaled = columns @ (vectors[:, positive] / np.sqrt(values[positive]))  # their inner products are xᵀG⁺y
    for _ in range(LIMITS.n_orders if len(columns) > l else 1):
        chosen: list[int] = []
        for candidate in rng.permutation(len(columns)).tolist():
            if np.all(np.abs(scaled[chosen] @ scaled[candidate]) < kernels.TOLERANCE):
                chosen.append(candidate)
        code = np.ascontiguousarray(columns[chosen].T)
        if len(chosen) == l and np.array_equal(code @ code.T, products) and columns_are_valid(code):
            return code
    return None


def _smallest_pivots_first(factor: Matrix) -> tuple[list[int], Matrix]:
    """Return an order of the rows of F, and L with LLᵀ = FFᵀ in that order. Small pivots first cut the search early.

    The rows are made orthogonal one after the other (Gram and Schmidt), each new direction twice against rounding.
    """
    k, l = factor.shape
    lower, directions, rest = np.zeros((k, k)), np.zeros((k, l)), factor.copy()
    left, order = list(range(k)), []
    for d in range(k):
        norms = np.linalg.norm(rest[left], axis=1)
        row = left.pop(int(norms.argmin()))
        order.append(row)
        lower[d, :d] = directions[:d] @ factor[row]
        if norms.min() > LIMITS.dependent:
            direction = rest[row] - directions[:d].T @ (directions[:d] @ rest[row])
            lower[d, d] = np.linalg.norm(direction)
            directions[d] = direction / lower[d, d]
            rest -= np.outer(rest @ directions[d], directions[d])
    return order, lower
