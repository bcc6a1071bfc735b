"""Is there any code that keeps these distances? A valid start, or an error that says what would work."""

import numpy as np
from numpy.typing import NDArray

from ecoc.design import shortest_length, violated_bound
from ecoc.design.checks import Matrix
from ecoc.exceptions import InfeasibleError
from ecoc.factorization import exact
from ecoc.factorization.budget import Budget
from ecoc.factorization.descent import RowDescent, columns_are_valid
from ecoc.factorization.problem import Problem
from ecoc.factorization.search import MOST_CLASSES, FlipSearch, fits_flip_search

_EFFORT = 4.0  # spent on finding a valid code
_MOST_ENUMERATED = 20  # parity bits of a linear code whose sums are kept in a table
_LENGTHS_TRIED = 24  # lengths for which an error looks for a code, before it relies on the bounds alone
_MOST_NUMBERED = 16  # classes whose dichotomies are few enough to number them


def valid_start(problem: Problem, rng: np.random.Generator, budget: Budget) -> Matrix:
    """A random code that keeps every demand; raises InfeasibleError if none is found."""
    x, complete = _find(problem, rng, budget, _EFFORT)
    if x is not None:
        return x
    if budget.out_of_time:
        reason = "time: the time limit ended before one was found"
    elif complete:
        reason = "exhaustive search: all codes were tried"
    else:
        reason = "search: none was found, though no bound excludes one"
    raise infeasible(problem, reason)


def check_bounds(problem: Problem) -> None:
    """Raise InfeasibleError if coding theory excludes every code that keeps the demands."""
    if reason := violated_bound(problem.n_classes, problem.n_columns, problem.demands):
        raise infeasible(problem, reason)


def infeasible(problem: Problem, reason: str) -> InfeasibleError:
    """The error for a demand that cannot be met: names the reason and the nearest length at which it can."""
    k, l = problem.n_classes, problem.n_columns
    nearest, found = _nearest_length(problem)
    if nearest is None:
        advice = "No length does: ask for a smaller min_distance"
    elif found:
        advice = f"The nearest length for which a code was found is n_columns={nearest}"
    else:
        advice = f"The nearest length that no bound excludes is n_columns={nearest}"
    whose = "" if np.ndim(problem.demands) == 0 else " or less, by pair"
    asked = f"{k} codewords of length {l} with minimum distance {np.max(problem.demands)}{whose}"
    sure = "Found" if reason.startswith(("search", "time")) else "There is"
    return InfeasibleError(
        f"{sure} no code book of {asked}. {reason}. {advice}.",
        bound=reason.partition(":")[0],
        nearest_length=nearest,
    )


def _nearest_length(problem: Problem) -> tuple[int | None, bool]:
    """The nearest other length at which a code was found, or else that no bound excludes."""
    k, l = problem.n_classes, problem.n_columns
    most = 2 ** (k - 1) - 1
    try:
        least, _ = shortest_length(k, problem.demands)
    except InfeasibleError:
        return None, False
    if l > most:
        return most, True
    least = max(least, l + 1)
    rng = np.random.default_rng(0)
    for length in range(least, min(least + _LENGTHS_TRIED, most + 1)):
        if k * length <= 2**14 and _find(problem.with_columns(length), rng, Budget(1, np.inf), 0.2)[0] is not None:
            return length, True
    return (least, False) if least <= most else (None, False)


def _find(problem: Problem, rng: np.random.Generator, budget: Budget, effort: float) -> tuple[Matrix | None, bool]:
    """A valid code, or None; also whether all codes were tried."""
    k, l = problem.n_classes, problem.n_columns
    x = random_columns(k, l, rng)
    if not fits_flip_search(problem):
        descent = RowDescent(problem, x)
        if descent.repair(rng):
            return descent.x, False
    hunt = FlipSearch(problem, x, int(rng.integers(2**63)), feasibility=True) if k <= MOST_CLASSES else None
    # Budgets of its own, so that the start is the same for every effort.
    if hunt is not None and _succeeds(hunt, Budget(effort / 20, np.inf), budget):
        return hunt.best, False
    for scattered in (False, True, True):
        linear = linear_codewords(problem, rng, scattered)
        if linear is None:
            break
        if columns_are_valid(linear):
            return linear, False
    if exact.is_small(problem):
        code, complete = exact.solve(problem, np.inf, Budget(effort, np.inf))
        return (None if code is None else code.astype(np.float64)), complete
    if hunt is not None and _succeeds(hunt, Budget(effort, np.inf), budget):
        return hunt.best, False
    return None, False


def _succeeds(hunt: FlipSearch, work: Budget, budget: Budget) -> bool:
    while not np.isfinite(hunt.objective) and not (work.exhausted or budget.out_of_time):
        hunt.advance(work)
    return bool(np.isfinite(hunt.objective))


def random_columns(k: int, l: int, rng: np.random.Generator) -> Matrix:
    """A k × l matrix of l different dichotomies, drawn uniformly (2^(k−1) − 1 ≥ l of them must exist)."""
    if k <= _MOST_NUMBERED:  # a dichotomy is the set of classes at −1, the last class at +1
        numbers = rng.choice(np.arange(1, 2 ** (k - 1)), size=l, replace=False)
        sides = 1.0 - 2.0 * ((numbers[None, :] >> np.arange(k)[:, None]) & 1)
        return np.asarray(sides * rng.choice([-1.0, 1.0], size=l))
    x: Matrix = rng.choice(np.array([-1.0, 1.0]), size=(k, l))
    while not columns_are_valid(x):  # l²/2^k of the draws or fewer
        signed = np.column_stack([np.ones(k), x * x[0]])
        _, first = np.unique(signed, axis=1, return_index=True)
        again = np.setdiff1d(np.arange(1, l + 1), first) - 1
        x[:, again] = rng.choice([-1.0, 1.0], size=(k, len(again)))
    return x


def linear_codewords(problem: Problem, rng: np.random.Generator, scattered: bool = False) -> Matrix | None:
    """Random codewords of a linear code that keeps the largest demand; None if the construction finds no such code.

    The code is the null space of a parity-check matrix, built column by column (Gilbert, Varshamov): the next column is
    the smallest number that is no sum of c − 2 or fewer columns so far, so that any c − 1 columns are independent. It
    succeeds wherever the Gilbert–Varshamov bound promises a linear code, and finds many that it does not promise.
    Where it leaves room, the smallest numbers can make parity bits that are constant or repeat another: `scattered`
    takes the powers of two and then any numbers that will do.
    """
    k, l = problem.n_classes, problem.n_columns
    distance = int(np.max(problem.demands))
    dimension = (k - 1).bit_length()
    redundancy = min(l - dimension, _MOST_ENUMERATED)
    length = dimension + redundancy  # any columns beyond are free
    sums = np.zeros((max(1, distance - 1), 2**redundancy), dtype=bool)  # [t]: sums of t or fewer columns
    sums[:, 0] = distance > 1
    columns: list[int] = []
    numbers = np.arange(2**redundancy)
    for j in range(length):
        column = int(sums[-1].argmin())
        if sums[-1, column]:
            return None
        if scattered:
            column = 1 << j if j < redundancy else int(rng.choice(np.flatnonzero(~sums[-1])))
        columns.append(column)
        for t in range(len(sums) - 1, 0, -1):
            sums[t] |= sums[t - 1, numbers ^ column]
    checks = np.array(columns)
    is_check = np.array([c != 0 and c & (c - 1) == 0 and c not in columns[:j] for j, c in enumerate(columns)])
    free = np.flatnonzero(~is_check)
    words = _distinct_numbers(2 ** len(free), k, rng)
    bits = np.zeros((k, length), dtype=np.int64)
    bits[:, free] = (words[:, None] >> np.arange(len(free))) & 1
    syndrome = np.bitwise_xor.reduce(np.where(bits[:, free] == 1, checks[free], 0), axis=1)
    for parity in np.flatnonzero(is_check):
        bits[:, parity] = (syndrome >> int(checks[parity]).bit_length() - 1) & 1
    code = 1.0 - 2.0 * bits
    extra = rng.choice(np.array([-1.0, 1.0]), size=(k, l - length))
    return np.column_stack([code, extra])[:, rng.permutation(l)]


def _distinct_numbers(n: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`size` different numbers below n."""
    if n <= 2**22:
        return rng.permutation(n)[:size]
    numbers = np.unique(rng.integers(0, min(n, 2**62), 2 * size))
    return rng.permutation(numbers)[:size]
