"""Find a valid code with given distances to start from, or raise an error that says what would work."""

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from ecoc.codes.design.bounds import bounds_checker, shortest_allowed, violated_bound
from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import LIMITS, Budget
from ecoc.codes.factorization.constructions import (
    choose_columns,
    code_with_products,
    constructed,
    linear_code,
    linear_codewords,
)
from ecoc.codes.factorization.problem import Problem
from ecoc.codes.factorization.search import FlipSearch, RowDescent, columns_are_valid, fits_flip_search, is_small, solve
from ecoc.utils.exceptions import InfeasibleError

# Not attributes of the problems, because models keep these, and functions cannot be saved.
_BOUNDS: WeakKeyDictionary[Problem, Callable[[int], str | None]] = WeakKeyDictionary()


def valid_start(problem: Problem, rng: np.random.Generator, budget: Budget) -> Matrix:
    """Return a random valid code; raise InfeasibleError if none is found.

    The search for it does not count as the user's effort, so that every effort begins with the same code. But it ends
    at a multiple of that effort, and at the user's time limit. Effort beyond 1 counts only if effort 1 finds no
    code.
    """
    limits, effort = budget.limits, 1.0
    limit = Budget(limits.start_limit * min(1.0, budget.effort), budget.seconds_left, limits, budget.stop)
    x, complete = _find(problem, rng, limit, limits.start_effort)
    while x is None and not complete and effort < budget.effort and not limit.out_of_time:
        more = min(effort, budget.effort - effort)
        limit = Budget(limits.start_limit * more, budget.seconds_left, limits, budget.stop)
        x, complete = _find(problem, rng, limit, limits.start_effort * more)  # from another random start
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
        half = Budget(np.inf, budget.seconds_left / 2, stop=budget.stop)
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
    for length in range(least, min(least + limit.limits.most_advised_lengths, most + 1)):
        if limit.exhausted or k * length > 2**14:
            break
        if _find(problem.with_columns(length), rng, limit, limit.limits.effort_for_advice)[0] is not None:
            return length, True
    return (least, False) if least <= most else (None, False)


def _find(problem: Problem, rng: np.random.Generator, limit: Budget, effort: float) -> tuple[Matrix | None, bool]:
    """Return a valid code or None, and whether all codes were tried."""
    k, l, limits = problem.n_classes, problem.n_columns, limit.limits
    x = random_columns(k, l, rng)
    if np.ndim(problem.demands) and k <= limits.most_product_classes:
        # Demands that were copied from a code: hardly any other code meets them, and no local search finds that code.
        work = limit.part(min(effort, limit.effort) * limits.product_share)
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
        FlipSearch(problem, x, int(rng.integers(2**63)), feasibility=True) if k <= limits.most_flip_classes else None
    )
    first = limits.first_effort if k > limits.few_classes else limits.first_effort_of_few
    if search is not None and _succeeds(search, min(effort, first), limit):
        return search.best, False
    if k <= limits.few_classes:
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
    if is_small(problem) and not limit.exhausted:
        work = limit.part(effort)
        code, complete = solve(problem, np.inf, work)
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
        search.advance(work, limit.limits.late_work)  # a machine may be busy
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
