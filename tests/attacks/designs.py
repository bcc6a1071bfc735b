"""Designs, lengths and demands for ``factorize``: codes are valid, and claims about optima and bounds are true.

For up to six classes, all codes are enumerated: a column is one of the 2^(k−1) − 1 ways to split the classes in two,
and a code is a set of different columns.
"""

import time
from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from ecoc import InfeasibleError, factorize
from tests.attacks.watching import one_line

MOST_CODES = 200_000  # larger enumerations take seconds
# Efforts, and how often each is tried: mostly little. Branch and bound, with claims of its own, begins at 0.05.
EFFORTS, SHARES = (0.001, 0.005, 0.02, 0.1), (0.45, 0.3, 0.2, 0.05)
USUAL_EFFORT = 0.02  # for demands that were copied from a code
WRONG_LENGTHS = (0, -1, 2.5, 10**9, "four", True)


@cache
def all_distances(k, l):
    """Distances between the classes, a row for each code of k classes and l different columns."""
    splits = (np.arange(1, 2 ** (k - 1))[:, None] >> np.arange(k)) & 1  # the last class is always at 0
    i, j = np.triu_indices(k, 1)
    apart = (splits[:, i] != splits[:, j]).astype(np.int16)
    chosen = np.array(list(combinations(range(len(splits)), l)))
    return sum(apart[chosen[:, column]] for column in range(l))


def draw_design(rng, k):
    kind = rng.integers(8)
    if kind == 0:
        return np.eye(k)
    if kind == 1:  # no design at all
        D = np.eye(k)
        D[0, -1] = rng.choice([np.nan, 3.0, 0.5])
        return D
    if kind == 2:  # far from any product of codewords
        D = np.triu(rng.uniform(-1, 1, (k, k)), 1)
        return D + D.T + np.eye(k)
    if kind == 3:  # all alike, or all opposite
        D = np.full((k, k), rng.choice([-1.0, 1.0, 0.999]))
        np.fill_diagonal(D, 1)
        return D
    if kind == 4:  # groups
        group = rng.integers(3, size=k)
        return np.where(group[:, None] == group, 0.9, -0.4) + 0.1 * np.eye(k)
    if kind == 5:  # a product of codewords
        code = rng.choice([-1.0, 1.0], size=(k, rng.integers(2, k + 3)))
        return code @ code.T / code.shape[1]
    F = rng.normal(size=(k, rng.integers(1, k + 2)))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    return F if kind == 6 else F @ F.T


def draw_code(rng, k, l):
    """A random code with l different columns, or None if there are no such columns."""
    columns = {tuple(column * column[0]) for column in rng.choice([-1, 1], size=(4 * l, k))} - {(1,) * k}
    return np.array(sorted(columns))[rng.permutation(len(columns))[:l]].T if len(columns) >= l else None


def draw_demands(rng, k, l):
    """Smallest distances, and a code that has them if one is known."""
    kind = rng.integers(5)
    if kind == 0:
        return 1, None
    if kind == 1:
        return int(rng.integers(1, l + 2)), None
    demands = rng.integers(0, max(2, l // 2 + 1), size=(k, k))
    demands = np.maximum(demands, demands.T)
    np.fill_diagonal(demands, 0)
    code = draw_code(rng, k, l) if kind == 2 else None
    if code is not None and (demands_of := (l - code @ code.T) // 2)[~np.eye(k, dtype=bool)].min() > 0:
        return demands_of, code  # copied from a code that exists
    if kind == 3:
        return np.maximum(demands, 1 - np.eye(k, dtype=int)), None
    a, b = rng.choice(k, 2, replace=False).tolist()
    return {(a, b): int(rng.integers(1, l + 1)), "default": 1}, None


def as_matrix(demands, k):
    if isinstance(demands, dict):
        matrix = np.full((k, k), demands["default"])
        for pair, least in demands.items():
            if pair != "default":
                matrix[pair], matrix[pair[::-1]] = least, least
    else:
        matrix = np.array(np.broadcast_to(demands, (k, k)))
    matrix = np.maximum(matrix, 1)  # codewords always differ
    np.fill_diagonal(matrix, 0)
    return matrix


@cache
def compile_kernels():
    """Compile what is compiled at the first use; time limits do not count that."""
    for k, l in ((4, 3), (6, 5), (12, 8), (30, 20)):
        factorize(np.eye(k), l, effort=0.01, random_state=0)


def attack(seed):
    compile_kernels()
    rng = np.random.default_rng(seed)
    small = rng.random() < 0.7
    k = int(rng.integers(3, 7) if small else rng.integers(7, 41))
    l = int(rng.integers(2, 8 if small else 2 * k))
    D, (demands, code) = draw_design(rng, k), draw_demands(rng, k, l)
    options = {"effort": float(rng.choice(EFFORTS, p=SHARES)) if code is None else USUAL_EFFORT}
    if rng.random() < 0.1:
        options = {"time_limit": float(rng.choice([0.01, 0.05, 0.1]))}
    if isinstance(demands, dict):
        options["labels"] = range(k)
    wanted = l if rng.random() < 0.97 else WRONG_LENGTHS[rng.integers(len(WRONG_LENGTHS))]
    is_wrong = wanted is not l or not np.isfinite(D).all() or (len(D.T) == k and not is_design(D))
    start = time.process_time()
    try:
        found = factorize(D, wanted, min_distance=demands, random_state=seed, progress=False, **options)
    except InfeasibleError as error:
        one_line(error)
        judge = check_proof if error.proven else none_found
        outcome = judge(error, code, as_matrix(demands, k), l, k)
    except (ValueError, TypeError) as error:
        one_line(error)
        if not is_wrong:
            raise
        return "refused"
    else:
        assert not is_wrong, "a wrong design or length was accepted"
        check_found(found, D if is_design(D) else D @ D.T, as_matrix(demands, k))
        outcome = "valid, optimal" if found.optimal else "valid"
    limit = options.get("time_limit")
    late = limit is not None and time.process_time() - start > 1.2 * limit + 0.05
    return outcome + (", late" if late else "")


def is_design(D):
    return (
        D.shape[0] == D.shape[1]
        and np.allclose(D, D.T)
        and np.allclose(np.diag(D), 1)
        and bool((np.abs(D) <= 1 + 1e-9).all())
    )


def is_enumerable(k, l):
    return k <= 6 and l < 2 ** (k - 1) and comb(2 ** (k - 1) - 1, l) <= MOST_CODES


def exists(demands, l, k):
    """Whether one of all codes has these distances; None if there are too many codes to try."""
    if not is_enumerable(k, l):
        return None
    return bool((all_distances(k, l) >= demands[np.triu_indices(k, 1)]).all(axis=1).any())


def check_proof(error, code, demands, l, k):
    known = code is not None or exists(demands, l, k)
    assert not known, f"a code exists, but {error.bound} claims that it does not"
    return "infeasible, proven"


def none_found(error, code, demands, l, k):
    """What happened if the search says that it found nothing. In a small problem, only too little time is a reason."""
    known = exists(demands, l, k)
    assert not known or error.bound == "time", f"a code exists, but {error}"
    none = "none found in time" if error.bound == "time" else "none found"
    return f"{none}, though one exists" if known or code is not None else none


def check_found(found, D, demands):
    X = found.code.astype(np.int64)
    k, l = X.shape
    assert set(np.unique(X)) <= {-1, 1}
    distances = (l - X @ X.T) // 2
    assert (distances >= demands).all(), "codewords are too close"
    assert (np.abs(X.sum(axis=0)) < k).all(), "a column is constant"
    alike = np.abs(X.T @ X) - k * np.eye(l, dtype=int)
    assert (alike < k).all(), "two columns are equal or opposite"
    objective = ((l * D - X @ X.T) ** 2).sum()
    assert np.isclose(found.objective, objective, rtol=1e-8, atol=1e-6), (found.objective, objective)
    assert found.verify()
    assert found.lower_bound <= objective * (1 + 1e-8) + 1e-6
    if is_enumerable(k, l):
        pairs = np.triu_indices(k, 1)
        every = all_distances(k, l)
        every = every[(every >= demands[pairs]).all(axis=1)]
        best = 2 * ((l * D[pairs] - l + 2 * every) ** 2).sum(axis=1).min()
        assert found.lower_bound <= best * (1 + 1e-8) + 1e-6, f"lower bound {found.lower_bound}, best {best}"
        assert not found.optimal or objective <= best * (1 + 1e-8) + 1e-6, f"{objective} is not optimal, but {best}"
