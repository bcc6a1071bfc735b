"""Designs to factorize, and the exact solutions of small problems."""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest


@pytest.fixture(scope="session")
def correlation() -> Callable[..., np.ndarray]:
    """``correlation(k, rank, seed)``: a random correlation matrix of this rank."""

    def make(k, rank, seed=0):
        F = np.random.default_rng(seed).normal(size=(k, rank))
        F /= np.linalg.norm(F, axis=1, keepdims=True)
        D = F @ F.T
        np.fill_diagonal(D, 1)
        return (D + D.T) / 2

    return make


@pytest.fixture(scope="session")
def planted() -> Callable[..., np.ndarray]:
    """``planted(k, l, seed)``: a random code of k different codewords and l different columns."""

    def make(k, l, seed=0):
        rng = np.random.default_rng(seed)
        while True:
            words = rng.choice(2**l, size=k, replace=False)
            code = 1.0 - 2.0 * ((words[:, None] >> np.arange(l)) & 1)
            with_constant = np.column_stack([np.ones(k), code])
            if np.abs(np.triu(with_constant.T @ with_constant, 1)).max() < k:
                return code

    return make


@pytest.fixture(scope="session")
def brute_force() -> Callable[..., float | None]:
    """``brute_force(D, l, demands)``: the smallest objective of all valid codes; None if there is none.

    A code is a set of l columns: their order and signs change neither the objective nor the distances.
    """

    def solve(D, l, demands=1):
        k = len(D)
        columns = np.array([(1, *rest) for rest in product((1, -1), repeat=k - 1) if -1 in rest])
        products = columns[:, :, None] * columns[:, None, :]
        codes = np.array(list(combinations(range(len(columns)), l)), dtype=int).reshape(-1, l)
        if len(codes) == 0:
            return None
        gram = products[codes].sum(axis=1)
        valid = (((l - gram) // 2 >= demands) | np.eye(k, dtype=bool)).all(axis=(1, 2))
        objectives = ((l * np.asarray(D) - gram) ** 2).sum(axis=(1, 2))
        return float(objectives[valid].min()) if valid.any() else None

    return solve


@pytest.fixture(scope="session")
def assert_valid() -> Callable[..., None]:
    """``assert_valid(code, l, demands)``: check a code for l different columns and all distances, in plain NumPy."""

    def check(code, n_columns, demands=1):
        X = np.asarray(code, dtype=int)
        k, l = X.shape
        assert l == n_columns
        assert set(np.unique(X)) <= {-1, 1}
        H = (X[:, None] != X[None]).sum(axis=2)
        assert ((demands <= H) | np.eye(k, dtype=bool)).all()
        with_constant = np.column_stack([np.ones(k, dtype=int), X * X[0]])
        assert len(np.unique(with_constant, axis=1).T) == l + 1

    return check
