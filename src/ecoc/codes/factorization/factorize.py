"""Factorize a design matrix: the public function, and the search behind it."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import WORK_PER_EFFORT, Budget
from ecoc.codes.factorization.constructions import choose_columns, code_with_products
from ecoc.codes.factorization.feasibility import check_bounds, valid_start
from ecoc.codes.factorization.paper import factorize_paper
from ecoc.codes.factorization.problem import Problem, check_positive, make_problem
from ecoc.codes.factorization.result import Factorization, make_result, parity_bound
from ecoc.codes.factorization.search import BranchAndBound, FlipSearch, RowDescent, fits_flip_search, is_small, solve
from ecoc.utils.numerics import generator
from ecoc.utils.progress import Progress


def factorize(
    D: ArrayLike,
    n_columns: int | None = None,
    *,
    min_distance: int | ArrayLike | Mapping[Any, int] = 1,
    method: Literal["auto", "paper"] = "auto",
    random_state: int | np.random.RandomState | np.random.Generator | None = None,
    effort: float | None = None,
    time_limit: float | None = None,
    max_cycles: int | None = None,
    labels: Iterable[Hashable] | None = None,
    factor: bool | None = None,
    progress: bool = True,
) -> Factorization:
    """Factorize a design matrix into a ±1 code book: minimise ‖l·D − XXᵀ‖²_F.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes) or (n_classes, n_dimensions)
        Design matrix: symmetric, unit diagonal, entries in [−1, 1]. :func:`~ecoc.allocate` and
        :func:`~ecoc.nearest_correlation` make one. Or a factor F of the design, D = FFᵀ, whose rows are scaled to
        length one; with more than 1,024 classes, no square matrix is formed from a factor. The index of a DataFrame
        gives the class labels.
    n_columns : int, default=None
        Number of columns, l. If None, :func:`~ecoc.code_length` chooses it.
    min_distance : int, array-like of shape (n_classes, n_classes) or mapping, default=1
        Smallest Hamming distance between codewords: one number for all pairs, a matrix with a number for each pair, or
        a mapping from pairs of labels to numbers. Pairs that the mapping does not name get its value for ``"default"``,
        or 1.
    method : {"auto", "paper"}, default="auto"
        ``"auto"`` searches for the best valid code. ``"paper"`` is the algorithm of the paper, whose codes can be
        invalid; :func:`~ecoc.factorize_paper` has all of its parameters.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same seed and effort give the same code, for any number of threads.
    effort : float, default=None
        Length of the search with ``"auto"``, in units of about a third of a second. More effort never gives a worse
        code. None means 1, or no limit if there is a `time_limit`. ``"paper"`` takes no effort.
    time_limit : float, default=None
        Seconds after which the best code so far is returned. A run that is stopped by the clock is not reproducible.
        The limit counts neither the check of the input, which takes some tenths of a second for 4,000 classes, nor the
        compilation, which happens once after installation.
    max_cycles : int, default=None
        Largest number of cycles of the relaxation, for ``"paper"`` only. None means 100.
    labels : iterable of hashables, default=None
        Class labels, for a mapping in `min_distance` and for the code book.
    factor : bool, default=None
        Whether D is a factor. If None, D is a factor if it is not square.
    progress : bool, default=True
        Show a progress bar if the search takes more than two seconds and standard error is a terminal.

    Returns
    -------
    Factorization
        The code, its objective, a lower bound on the objective, and `verify` to check it all.

    Raises
    ------
    InfeasibleError
        If no code book of this length has the smallest distances asked for. The message names the bound that excludes
        it and the nearest length that works.

    See Also
    --------
    ecoc.allocate : Make a design matrix from distances and wishes.
    ecoc.nearest_correlation : Find the nearest design that codewords can match.
    ecoc.factorize_paper : The algorithm of the paper, with its own parameters.
    ecoc.ECF : The coding that designs and factorizes for a classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import factorize
    >>> D = np.array([[1, -0.5, 0.5], [-0.5, 1, 0], [0.5, 0, 1]])
    >>> result = factorize(D, n_columns=3, random_state=0)
    >>> result.codebook.min_distance
    2
    >>> bool(result.verify())
    True

    Ask for a larger distance for one pair, by name:

    >>> names = ["cat", "dog", "cow", "hen"]
    >>> result = factorize(np.eye(4), 4, min_distance={("cat", "cow"): 4, "default": 2}, labels=names, random_state=0)
    >>> result.codebook.distances()[0]
    array([0, 2, 4, 2], dtype=int32)
    """
    if method not in ("auto", "paper"):
        raise ValueError(f"method must be one of ['auto', 'paper']; got {method!r}.")
    for name, value, owner in (("effort", effort, "auto"), ("max_cycles", max_cycles, "paper")):
        if value is not None and method != owner:
            raise ValueError(f"{name} is a parameter of method={owner!r} and has no effect with method={method!r}.")
    common: dict[str, Any] = {"random_state": random_state, "time_limit": time_limit, "progress": progress}
    if method == "paper":
        cycles: dict[str, Any] = {} if max_cycles is None else {"max_cycles": max_cycles}
        return factorize_paper(
            D, n_columns, min_distance=min_distance, labels=labels, factor=factor, **cycles, **common
        )
    for name, value in (("effort", effort), ("time_limit", time_limit)):
        check_positive(value, name)
    if effort == np.inf and time_limit is None:
        raise ValueError("effort must be finite if there is no time_limit; otherwise the search would never end.")
    return factorize_problem(make_problem(D, n_columns, min_distance, labels, factor), effort=effort, **common)


def factorize_problem(
    problem: Problem,
    *,
    random_state: Any = None,
    effort: float | None = None,
    time_limit: float | None = None,
    progress: bool = True,
    stop: Callable[[], bool] | None = None,
) -> Factorization:
    """Search for a code that solves a checked problem; the parameters are those of `factorize`.

    `stop` is asked many times a second; once it returns True, the search ends as at its time limit.
    """
    if stop is not None or time_limit is not None:
        _compile()
    if effort is None:
        effort = 1.0 if time_limit is None else np.inf
    budget, rng = Budget(effort, np.inf if time_limit is None else time_limit, stop=stop), generator(random_state)
    check_bounds(problem, budget)
    with Progress("factorizing", progress) as bar:
        start = valid_start(problem, rng, budget)
        improve = _search_flips if fits_flip_search(problem) else _search_rows
        return improve(problem, start, rng, budget, bar)


def _search_flips(
    problem: Problem, start: Matrix, rng: np.random.Generator, budget: Budget, bar: Progress
) -> Factorization:
    """Alternate between the flip search and, for a small problem, branch and bound.

    What is done next never depends on the budget that is left. So a search with a small budget is the beginning of a
    search with a larger one, and more effort never gives a worse code.
    """
    seed, history = int(rng.integers(2**63)), []
    flips = FlipSearch(problem, start, seed)
    floor = parity_bound(problem) * (1 + 1e-12) + 1e-9
    tree, small = None, is_small(problem)
    while True:
        history.append(flips.objective)
        bar.update(budget.share, f"objective {flips.objective:.6g}")
        proven = flips.objective <= floor or (tree is not None and tree.complete)
        if proven or budget.exhausted:
            return make_result(problem, flips.best, "auto", history, budget.stopped_by, proven)
        flips.advance(budget)
        effort = budget.spent / WORK_PER_EFFORT
        if small and effort >= budget.limits.effort_before_proof and not budget.exhausted:
            tree = tree or BranchAndBound(problem)
            better = tree.advance(budget, flips.objective)
            if better is not None:
                flips = FlipSearch(problem, better.astype(np.float64), seed)


def _search_rows(
    problem: Problem, start: Matrix, rng: np.random.Generator, budget: Budget, bar: Progress
) -> Factorization:
    """Descend, replace a few columns of the best code, and repeat."""
    best, objective = start, problem.objective(start)
    history, (k, n_columns) = [objective], start.shape
    while objective > 1e-9 and not budget.exhausted:
        # A first descent ignores the distances, which leads to lower objectives. Then the code is repaired, and a
        # second descent improves the valid code.
        for free in (True, False):
            descent = RowDescent(problem, start, free)
            valid = free or descent.repair(rng, budget)
            budget.spend(descent.setup_work + descent.take_work())
            if valid:
                for _ in descent.descend(rng, budget):
                    bar.update(budget.share, f"objective {objective:.6g}")
            start = descent.x
        if valid and (candidate := problem.objective(start)) < objective:
            best, objective = start, candidate
        history.append(objective)
        start = best.copy()
        n_replaced = max(1, int(n_columns * budget.limits.replaced_share))
        replaced = rng.choice(n_columns, size=n_replaced, replace=False)
        start[:, replaced] = rng.choice([-1.0, 1.0], size=(k, n_replaced))
    return make_result(problem, best, "auto", history, budget.stopped_by, objective <= 1e-9, objective)


@cache
def _compile() -> None:
    """Load or compile every kernel on a tiny problem, so that time limits measure only the search."""
    rng, unlimited = np.random.default_rng(0), Budget(1, np.inf)
    code = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    for problem in (
        Problem(design=np.eye(4), n_columns=3, demands=1),
        Problem(factor=np.eye(4), n_columns=3, demands=1),
    ):
        descent = RowDescent(problem, code)
        descent.repair(rng, unlimited)
        next(descent.descend(rng, unlimited), None)
    FlipSearch(problem, code, 0).advance(unlimited, work=1)
    solve(problem, np.inf, unlimited)
    code_with_products(code @ code.T, 3, rng, unlimited)
    choose_columns(code, problem, unlimited)  # imports its solver
