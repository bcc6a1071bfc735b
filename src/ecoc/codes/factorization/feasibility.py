"""Find a valid code with given distances to start from, or raise an error that says what would work."""

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.design.bounds import bounds_checker, shortest_allowed, violated_bound
from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization import exact
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.constructions import choose_columns, constructed, linear_code
from ecoc.codes.factorization.descent import RowDescent, columns_are_valid
from ecoc.codes.factorization.gram import code_with_products
from ecoc.codes.factorization.problem import Problem
from ecoc.codes.factorization.search import FlipSearch, fits_flip_search
from ecoc.codes.factorization.search_limits import LIMITS
from ecoc.utils.exceptions import InfeasibleError

# Not attributes of the problems, because models keep these, and functions cannot be saved.
_BOUNDS: WeakKeyDictionary[Problem, Callable[[int], str | None]] = WeakKeyDictionary()


def valid_start(problem: Problem, rng: np.random.Generator, budget: Budget) -> Matrix:
    """Return a random valid code; raise InfeasibleError if none is found.

    The search for it does not count as the user's effort, so that every effort begins with the same code. But it ends
    at a multiple of that effort, and at the user's time limit. Effort beyond 1 counts only if effort 1 finds no
    code.
    """
    limit = Budget(LIMITS.start_limit * min(1.0, budget.effort), budget.seconds_left)
    x, complete = _find(problem, rng, limit, LIMITS.start_effort)
    effort = 1.0
    while x is None and not complete and effort < budget.effort and not limit.out_of_time:
        more = min(effort, budget.effort - effort)
        limit = Budget(LIMITS.start_limit * more, budget.seconds_left)
        x, complete = _find(problem, rng, limit, LIMITS.start_effort * more)  # from another random start
        effort += more
    if x is not None:
        return x
    if limit.out_of_time:
        reason = "time: the time limit ended before a code was found"
    elif complete:
        reason = "exhaustive search: all codes were tried"
    else:
        reason = "search: no code was found, though no bound excludes one"
    raise infeasible(problem, reason, limit)


def check_bounds(problem: Problem, budget: Budget) -> None:
    """Raise InfeasibleError if a bound of coding theory excludes every code with these distances."""
    if reason := _bounds(problem, budget)(problem.n_columns):
        raise infeasible(problem, reason, budget)


def _bounds(problem: Problem, budget: Budget) -> Callable[[int], str | None]:
    """Get the function from a length to the bound that excludes it, or None. It takes half of the time at most."""
    if problem not in _BOUNDS:
        half = Budget(np.inf, budget.seconds_left / 2)
        checker = bounds_checker(problem.n_classes, problem.demands, lambda: half.out_of_time)
        if half.out_of_time:
            return checker
        _BOUNDS[problem] = checker
    return _BOUNDS[problem]


def infeasible(problem: Problem, reason: str, limit: Budget) -> InfeasibleError:
    """Return the error for distances that no code has; it names the reason and the nearest length that works."""
    k, l = problem.n_classes, problem.n_columns
    nearest, found = _nearest_length(problem, limit)
    if nearest is None:
        advice = "No other length works: ask for a smaller min_distance"
    elif found:
        advice = f"The nearest length for which a code was found is n_columns={nearest}"
    else:
        advice = f"The nearest length that no bound excludes is n_columns={nearest}"
    by_pair = "" if np.ndim(problem.demands) == 0 else " (less for some pairs)"
    asked = f"{k} codewords of length {l} with minimum distance {np.max(problem.demands)}{by_pair}"
    proven = not reason.startswith(("search", "time"))
    return InfeasibleError(
        f"{'There is' if proven else 'Found'} no code book of {asked}. {reason}. {advice}.",
        bound=reason.partition(":")[0],
        nearest_length=nearest,
        proven=proven,
    )


def _nearest_length(problem: Problem, limit: Budget) -> tuple[int | None, bool]:
    """Return the nearest longer length, and whether a code was found; if not, no bound excludes that length."""
    k, l = problem.n_classes, problem.n_columns
    most = 2 ** (k - 1) - 1
    try:
        least, _ = shortest_allowed(k, problem.demands, _bounds(problem, limit))
    except InfeasibleError:
        return None, False
    if l > most:
        return most, True
    least = max(least, l + 1)
    rng = np.random.default_rng(0)
    for length in range(least, min(least + LIMITS.most_advised_lengths, most + 1)):
        if limit.exhausted or k * length > 2**14:
            break
        if _find(problem.with_columns(length), rng, limit, LIMITS.effort_for_advice)[0] is not None:
            return length, True
    return (least, False) if least <= most else (None, False)


def _find(problem: Problem, rng: np.random.Generator, limit: Budget, effort: float) -> tuple[Matrix | None, bool]:
    """Return a valid code or None, and whether all codes were tried."""
    k, l = problem.n_classes, problem.n_columns
    x = random_columns(k, l, rng)
    if np.ndim(problem.demands) and k <= LIMITS.most_product_classes:
        # Demands that were copied from a code: hardly any other code meets them, and no local search finds that code.
        work = limit.part(min(effort, limit.effort) * LIMITS.product_share)
        products = problem.cap.copy()
        np.fill_diagonal(products, l)
        known = code_with_products(products, l, rng, work)
        limit.spend(work.spent)
        if known is not None:
            return known, False
    if not fits_flip_search(problem):
        descent = RowDescent(problem, x)
        if descent.repair(rng, limit):
            return descent.x, False
        if limit.out_of_time:
            return None, False
    search = (
        FlipSearch(problem, x, int(rng.integers(2**63)), feasibility=True) if k <= LIMITS.most_flip_classes else None
    )
    first = LIMITS.first_effort if k > LIMITS.few_classes else LIMITS.first_effort_of_few
    if search is not None and _succeeds(search, min(effort, first), limit):
        return search.best, False
    if k <= LIMITS.few_classes:
        every_column = random_columns(k, 2 ** (k - 1) - 1, rng)
        if (known := choose_columns(every_column, problem, limit)) is not None:
            return known, False
    if (known := constructed(problem, rng, limit)) is not None:
        return known, False
    is_excluded = violated_bound(k, l, int(np.max(problem.demands))) is not None  # for all pairs
    if not is_excluded and (known := linear_code(problem, rng, limit)) is not None:
        return known, False
    for scattered in () if is_excluded else (False, True, True):
        linear = linear_codewords(problem, rng, limit, scattered)
        if linear is None:
            break
        if columns_are_valid(linear):
            return linear, False
    if exact.is_small(problem) and not limit.exhausted:
        work = limit.part(effort)
        code, complete = exact.solve(problem, np.inf, work)
        limit.spend(work.spent)
        return (None if code is None else code.astype(np.float64)), complete
    if search is not None and np.ndim(problem.demands):
        # Demands that another code meets exactly: its inner products are the design that a search comes close to.
        target = np.clip(problem.cap / l, -1, 1)
        np.fill_diagonal(target, 1)
        near = FlipSearch(replace(problem, design=target, factor=None), x, int(rng.integers(2**63)))
        if _succeeds(near, effort / 2, limit):
            return near.best, False
    if search is not None and _succeeds(search, effort, limit):
        return search.best, False
    return None, False


def _succeeds(search: FlipSearch, effort: float, limit: Budget) -> bool:
    """Search until a valid code is found, or this effort or the limit is spent; tell whether one was found."""
    work = limit.part(effort)
    if not np.isfinite(search.objective) and work.out_of_time:
        search.advance(work, LIMITS.late_work)  # a machine may be busy
    while not np.isfinite(search.objective) and not work.exhausted:
        search.advance(work)
    limit.spend(work.spent)
    return bool(np.isfinite(search.objective))


def random_columns(k: int, l: int, rng: np.random.Generator) -> Matrix:
    """Draw a k × l matrix of different columns, none complementary to another or constant; 2^(k−1) − 1 ≥ l exist."""
    if k <= LIMITS.most_numbered_classes:  # the bits of a number are the classes at −1; the last class is at +1
        numbers = rng.choice(np.arange(1, 2 ** (k - 1)), size=l, replace=False)
        sides = 1.0 - 2.0 * ((numbers[None, :] >> np.arange(k)[:, None]) & 1)
        return np.asarray(sides * rng.choice([-1.0, 1.0], size=l))
    x: Matrix = rng.choice(np.array([-1.0, 1.0]), size=(k, l))
    while not columns_are_valid(x):  # happens with a probability of at most l²/2^k
        signed = np.column_stack([np.ones(k), x * x[0]])
        _, first = np.unique(signed, axis=1, return_index=True)
        repeated = np.setdiff1d(np.arange(1, l + 1), first) - 1
        x[:, repeated] = rng.choice([-1.0, 1.0], size=(k, len(repeated)))
    return x


def linear_codewords(
    problem: Problem, rng: np.random.Generator, limit: Budget, scattered: bool = False
) -> Matrix | None:
    """Return random codewords of a linear code with the largest distance demanded; None if no such code is found.

    The code is the null space of a parity-check matrix, which is built column by column (Gilbert, Varshamov). The next
    column is the smallest number that is not a sum of c − 2 or fewer earlier columns, so that any c − 1 columns are
    independent. This finds a code wherever the Gilbert–Varshamov bound guarantees a linear one, and often elsewhere.

    If many numbers are allowed, the smallest ones can make parity bits that are constant or equal. With `scattered`,
    the columns are the powers of two, then random allowed numbers.
    """
    k, l = problem.n_classes, problem.n_columns
    distance = int(np.max(problem.demands))
    dimension = (k - 1).bit_length()
    redundancy = min(l - dimension, LIMITS.most_parity_bits)
    length = dimension + redundancy  # further columns are drawn at random
    work = distance * length << redundancy
    if limit.out_of_time or work > min(
        LIMITS.most_table_work, max(LIMITS.free_table_work, limit.allowed - limit.spent)
    ):
        return None
    limit.spend(work)
    sums = np.zeros((max(1, distance - 1), 2**redundancy), dtype=bool)  # [t]: sums of t or fewer columns
    sums[:, 0] = distance > 1
    columns: list[int] = []
    numbers = np.arange(2**redundancy)
    for j in range(length):
        column = int(sums[-1].argmin())
        if sums[-1, column] or limit.out_of_time:
            return None
        if scattered:
            column = 1 << j if j < redundancy else int(rng.choice(np.flatnonzero(~sums[-1])))
        columns.append(column)
        for t in range(len(sums) - 1, 0, -1):
            sums[t] |= sums[t - 1, numbers ^ column]
            if limit.out_of_time:
                return None
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
    """Draw `size` different numbers below n."""
    if n <= 2**22:
        return rng.permutation(n)[:size]
    numbers = np.unique(rng.integers(0, min(n, 2**62), 2 * size))
    return rng.permutation(numbers)[:size]
