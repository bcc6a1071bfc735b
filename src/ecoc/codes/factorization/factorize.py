"""Factorize a design matrix: the public functions."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.factorization.problem import Problem, make_problem
from ecoc.codes.factorization.readings import read_distance
from ecoc.codes.factorization.result import Factorization
from ecoc.utils.random import generator

_MAX_PAPER_CLASSES = 4096  # limits each of its k × k matrices to 128 MB


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
    order: Literal["cyclic", "random"] | None = None,
    reading: Literal["mended", "printed", "products"] = "mended",
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
        ``"auto"`` searches for the best valid code. ``"paper"`` is the algorithm of the paper: it relaxes the problem
        to quadratic programs, one for each row, rounds at one threshold, and drops repeated columns. Its codes can be
        invalid; call ``verify()`` to check. It needs ``pip install 'ecoc[paper]'``.
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
    order : {"cyclic", "random"}, default=None
        Order of the row updates, for ``"paper"`` only. None means ``"cyclic"``.
    reading : {"mended", "printed", "products"}, default="mended"
        What `min_distance` c means: the distance c itself, which caps inner products at l − 2c; the paper's printed cap
        l − c, which keeps half that distance; or c as the cap of the inner products.
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
    if method not in METHODS:
        raise ValueError(f"method must be one of {sorted(METHODS)}; got {method!r}.")
    if order not in (None, "cyclic", "random"):
        raise ValueError(f"order must be 'cyclic' or 'random'; got {order!r}.")
    for name, value in (("effort", effort), ("time_limit", time_limit), ("max_cycles", max_cycles)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise TypeError(f"{name} must be a number; got {value!r}.")
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be positive; got {value!r}.")
    if effort == np.inf and time_limit is None:
        raise ValueError("effort must be finite if there is no time_limit; otherwise the search would never end.")
    if isinstance(max_cycles, bool) or not isinstance(max_cycles, int | np.integer | None):
        raise TypeError(f"max_cycles must be an integer; got {max_cycles!r}.")
    for only, own in (("auto", {"effort": effort}), ("paper", {"max_cycles": max_cycles, "order": order})):
        for name in [name for name, given in own.items() if given is not None and method != only]:
            raise ValueError(f"{name} is a parameter of method={only!r} and has no effect with method={method!r}.")
    if reading != "mended":
        min_distance = read_distance(min_distance, n_columns, reading)
    problem = make_problem(D, n_columns, min_distance, labels, factor)
    return factorize_problem(
        problem,
        method=method,
        random_state=random_state,
        effort=effort,
        time_limit=time_limit,
        max_cycles=100 if max_cycles is None else max_cycles,
        order="cyclic" if order is None else order,
        progress=progress,
    )


def factorize_problem(
    problem: Problem,
    *,
    method: str = "auto",
    random_state: Any = None,
    effort: float | None = None,
    time_limit: float | None = None,
    max_cycles: int = 100,
    order: str = "cyclic",
    progress: bool = True,
) -> Factorization:
    """Factorize a problem whose design and demands are checked; the parameters are those of `factorize`."""
    return METHODS[method](
        problem,
        rng=generator(random_state),
        effort=effort if effort is not None else (1.0 if time_limit is None else np.inf),
        time_limit=np.inf if time_limit is None else time_limit,
        max_cycles=max_cycles,
        order=order,
        progress=progress,
    )


def _auto(
    problem: Problem, *, rng: np.random.Generator, effort: float, time_limit: float, progress: bool, **_: Any
) -> Factorization:
    from ecoc.codes.factorization.auto import search
    from ecoc.codes.factorization.budget import Budget
    from ecoc.codes.factorization.feasibility import check_bounds

    _compile()
    budget = Budget(effort, time_limit)
    check_bounds(problem, budget)
    outcome = search(problem, rng, budget, progress)
    return _result(
        problem, outcome.code, "auto", outcome.history, outcome.stopped_by, outcome.proven, outcome.objective
    )


def _paper(
    problem: Problem,
    *,
    rng: np.random.Generator,
    time_limit: float,
    max_cycles: int,
    order: str,
    progress: bool,
    **_: Any,
) -> Factorization:
    from ecoc.codes.factorization.budget import Budget
    from ecoc.codes.factorization.feasibility import check_bounds
    from ecoc.codes.factorization.relaxation import drop_repeated_columns, relax, round_to_code

    check_bounds(problem, Budget(1.0, time_limit))
    if problem.n_classes > _MAX_PAPER_CLASSES:
        raise ValueError(
            f"method='paper' works with at most {_MAX_PAPER_CLASSES} classes, because it needs square matrices; got "
            f"{problem.n_classes} classes. Use method='auto'."
        )
    relaxed, history, stopped_by = relax(problem, rng, order, max_cycles, time_limit=time_limit, progress=progress)
    code = drop_repeated_columns(round_to_code(problem, relaxed))
    return _result(problem, code, "paper", history, stopped_by)


METHODS: dict[str, Callable[..., Factorization]] = {"auto": _auto, "paper": _paper}


def _result(
    problem: Problem,
    code: Any,
    method: str,
    history: list[float],
    stopped_by: str,
    proven: bool = False,
    objective: float | None = None,
) -> Factorization:
    code = np.ascontiguousarray(code, dtype=np.int8)
    code.setflags(write=False)
    if objective is None:
        objective = problem.with_columns(code.shape[1]).objective(code)
    return Factorization(code, objective, method, len(history) - 1, np.array(history), stopped_by, problem, proven)


@cache
def _compile() -> None:
    """Load or compile every kernel on a tiny problem, so that time limits measure only the search."""
    from ecoc.codes.factorization import exact
    from ecoc.codes.factorization.budget import Budget
    from ecoc.codes.factorization.choice import choose_columns
    from ecoc.codes.factorization.descent import RowDescent
    from ecoc.codes.factorization.gram import code_with_products
    from ecoc.codes.factorization.search import FlipSearch

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
    exact.solve(problem, np.inf, unlimited)
    code_with_products(code @ code.T, 3, rng, unlimited)
    choose_columns(code, problem, unlimited)  # imports its solver
