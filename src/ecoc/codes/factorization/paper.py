"""The paper's factorization (Algorithm 1): least squares for each row in turn, then rounding."""

import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.design.checks import Matrix, check_min_distance
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.feasibility import check_bounds
from ecoc.codes.factorization.problem import Code, Problem, check_positive, make_problem
from ecoc.codes.factorization.result import Factorization, make_result
from ecoc.utils.numerics import generator
from ecoc.utils.optional import optional
from ecoc.utils.progress import Progress
from ecoc.utils.threads import one_blas_thread

_UNBOUNDED = 1e30
_PROXIMAL = 1e-9


def _solver() -> Callable[..., Any]:
    """Return the function of daqp that solves a quadratic program."""
    solve: Callable[..., Any] = optional("daqp", "method='paper' needs the solver daqp", "'ecoc[paper]'").solve
    return solve


def solve_row(others: Matrix, goal: Matrix, cap: Matrix, start: Matrix, proximal: float = _PROXIMAL) -> Matrix | None:
    """Minimise ‖X'x − d‖² + proximal·‖x − start‖² subject to −1 ≤ x ≤ 1 and X'x ≤ p, by an active-set method.

    The proximal term makes the problem strictly convex if X' has fewer rows than columns. Return None if no x satisfies
    the constraints.
    """
    n_others, l = others.shape
    hessian = others.T @ others
    hessian.flat[:: l + 1] += proximal
    upper = np.concatenate([np.ones(l), cap])
    lower = np.concatenate([-np.ones(l), np.full(n_others, -_UNBOUNDED)])
    x, _, status, _ = _solver()(
        hessian,
        -(others.T @ goal) - proximal * start,
        others,
        upper,
        lower,
        np.zeros(l + n_others, dtype=np.int32),
    )
    return np.clip(x, -1, 1) if status > 0 else None


def relax(
    problem: Problem,
    rng: np.random.Generator,
    order: str = "cyclic",
    max_cycles: int = 100,
    tol: float = 1e-6,
    time_limit: float = np.inf,
    progress: bool = True,
    diagonal: bool = False,
    rounds: bool = False,
) -> tuple[Matrix, list[float], str]:
    """Minimise the relaxed objective from a random start in [−1, 1]. A cycle is k row updates.

    Return the relaxed code, the relaxed objective before the first and after every cycle, and what stopped the search.
    The random start may violate the constraints. Once it satisfies them, no row update increases the objective. With
    `diagonal`, the objective includes the diagonal: ‖l·D − XXᵀ‖². With `rounds`, every cycle ends with rounding and
    with dropping repeated columns, until the code stays the same; the result is then this code.
    """
    _solver()  # a run may need it late: better an error now
    k, l = problem.n_classes, problem.n_columns
    x, code = rng.uniform(-1, 1, (k, l)), np.zeros((k, 0), dtype=np.int8)
    end = time.perf_counter() + time_limit
    history = [relaxed_objective(problem, x, diagonal)]
    with one_blas_thread(), Progress("relaxing", progress) as bar:
        for cycle in range(max_cycles):
            in_time = _update_cycle(x, problem, np.arange(k) if order == "cyclic" else rng.integers(0, k, k), end)
            history.append(relaxed_objective(problem, x, diagonal))
            bar.update((cycle + 1) / max_cycles, f"objective {history[-1]:.4g}")
            if rounds:
                last, code = code, drop_repeated_columns(round_to_code(problem, x, diagonal))
                x, has_settled = code.astype(np.float64), np.array_equal(code, last)
            else:
                change = abs(history[-2] - history[-1])
                has_settled = history[-1] < 1e-16 * problem.scale**2 or change < tol * history[-2]
            if not in_time or has_settled:
                return x, history, "converged" if in_time else "time"
    return x, history, "cycles"


def _update_cycle(x: Matrix, problem: Problem, rows: NDArray[np.intp], end: float) -> bool:
    """Update these rows of x in place, one after the other; tell whether there was time for all."""
    from ecoc.codes.factorization._relaxation_kernels import update_rows

    l, place = x.shape[1], -1
    H, goal, row = np.empty((l, l)), np.empty(l), np.empty(l)
    while True:
        place = update_rows(x, problem.target, problem.cap, rows, place + 1, _PROXIMAL, H, goal, row)
        if place == len(rows):
            return True
        _update_with_caps(x, problem, rows[place], H, goal, row)
        if time.perf_counter() > end:
            return False


def _update_with_caps(x: Matrix, problem: Problem, i: int, H: Matrix, goal: Matrix, row: Matrix) -> None:
    """Minimise ½xᵀHx − goalᵀx in the box, from its solution without caps: few bind, and the broken ones are added."""
    excess = 1e-9  # excess over a cap that is no rounding
    l, others = len(row), np.arange(len(x)) != i
    caps = np.zeros(len(x), dtype=bool)
    while (broken := others & ~caps & (x @ row > problem.cap[i] + excess)).any():
        caps |= broken
        upper = np.concatenate([np.ones(l), problem.cap[i, caps]])
        lower = np.concatenate([-np.ones(l), np.full(len(upper) - l, -_UNBOUNDED)])
        found, _, status, _ = _solver()(H, -goal, x[caps], upper, lower, np.zeros(len(upper), dtype=np.int32))
        if status <= 0:
            return  # no row keeps the caps: it stays as it is
        row = np.clip(found, -1, 1)
    if caps.any():
        x[i] = row
        return
    rest = x[others]  # the compiled method failed
    solved = solve_row(rest, problem.target[i, others], problem.cap[i, others], x[i])
    x[i] = x[i] if solved is None else solved


def relaxed_objective(problem: Problem, x: Matrix, diagonal: bool = False) -> float:
    """Σ_{i≠j} (l·d_ij − x_i·x_j)², or the sum over all i and j."""
    from ecoc.codes.factorization._relaxation_kernels import squared_error

    return float(squared_error(np.ascontiguousarray(x, dtype=np.float64), problem.target, diagonal))


def round_to_code(problem: Problem, relaxed: Matrix, diagonal: bool = False) -> Code:
    """Round all entries at one threshold: of 1000 in [−1, 1], the one whose objective is nearest to the relaxed one."""
    from ecoc.codes.factorization._relaxation_kernels import nearest_threshold

    x, thresholds = np.ascontiguousarray(relaxed, dtype=np.float64), np.linspace(-1, 1, 1000)
    goal = relaxed_objective(problem, x, diagonal)
    best = nearest_threshold(x, np.argsort(x, axis=None), problem.target, diagonal, goal, thresholds)
    return np.where(x > best, 1, -1).astype(np.int8)


def drop_repeated_columns(code: Code) -> Code:
    """Drop columns that are equal or complementary to an earlier one, as the paper does after rounding."""
    same = np.abs(code.T.astype(np.int64) @ code) == len(code)
    return np.ascontiguousarray(code[:, ~np.triu(same, 1).any(axis=0)])


def factorize_paper(
    D: ArrayLike,
    n_columns: int | None = None,
    *,
    min_distance: int | ArrayLike | Mapping[Any, int] = 1,
    max_cycles: int = 100,
    order: Literal["cyclic", "random"] = "cyclic",
    reading: Literal["mended", "printed", "products"] = "mended",
    rounding: Literal["end", "cycle"] = "end",
    diagonal: bool = False,
    random_state: int | np.random.RandomState | np.random.Generator | None = None,
    time_limit: float | None = None,
    labels: Iterable[Hashable] | None = None,
    factor: bool | None = None,
    progress: bool = True,
) -> Factorization:
    """Factorize a design matrix by Algorithm 1 of the paper.

    The algorithm relaxes the problem to quadratic programs, one for each row, rounds at one threshold, and drops
    repeated columns. Its codes can be invalid; call ``verify()`` to check. It needs ``pip install 'ecoc[paper]'``, and
    works with at most 4,096 classes.

    Parameters
    ----------
    D, n_columns, min_distance : as for :func:`~ecoc.factorize`
        The design, the number of columns, and the smallest Hamming distance between codewords.
    max_cycles : int, default=100
        Largest number of cycles of the relaxation. A cycle updates as many rows as there are classes.
    order : {"cyclic", "random"}, default="cyclic"
        Order of the row updates.
    reading : {"mended", "printed", "products"}, default="mended"
        What `min_distance` c means: the distance c itself, which caps inner products at l − 2c; the paper's printed cap
        l − c, which keeps half that distance; or c as the cap of the inner products. Each may differ between pairs.
    rounding : {"end", "cycle"}, default="end"
        When to round and to drop repeated columns: once, after the relaxation has converged, as the paper's text says;
        or in every cycle, as its listing has it, until the code stays the same.
    diagonal : bool, default=False
        Whether the objective that chooses the threshold of the rounding includes the diagonal, where relaxed rows have
        products below l. The paper's objective does. Without it, only pairs of classes choose the threshold.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the start and of a random order.
    time_limit : float, default=None
        Seconds after which the code so far is rounded and returned. Such a run is not reproducible.
    labels, factor, progress : as for :func:`~ecoc.factorize`
        Class labels, whether D is a factor, and whether to show a progress bar.

    Returns
    -------
    Factorization
        The code, its objective, a lower bound on the objective, and `verify` to check it all.

    Raises
    ------
    InfeasibleError
        If a bound excludes codes of this length with the smallest distances asked for.

    See Also
    --------
    ecoc.factorize : Search for the best valid code.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import factorize_paper
    >>> D = np.array([[1, -0.5, 0.5], [-0.5, 1, 0], [0.5, 0, 1]])
    >>> result = factorize_paper(D, n_columns=3, order="random", random_state=0)
    >>> result.method
    'paper'
    """
    if order not in ("cyclic", "random"):
        raise ValueError(f"order must be 'cyclic' or 'random'; got {order!r}.")
    check_positive(time_limit, "time_limit")
    if isinstance(max_cycles, bool) or not isinstance(max_cycles, int | np.integer):
        raise TypeError(f"max_cycles must be an integer; got {max_cycles!r}.")
    check_positive(max_cycles, "max_cycles")
    if rounding not in ("end", "cycle"):
        raise ValueError(f"rounding must be 'end' or 'cycle'; got {rounding!r}.")
    return relax_problem(
        _read_problem(D, n_columns, min_distance, labels, factor, reading),
        max_cycles=max_cycles,
        order=order,
        random_state=random_state,
        time_limit=time_limit,
        progress=progress,
        rounds=rounding == "cycle",
        diagonal=diagonal,
    )


def _read_problem(D: Any, n_columns: int | None, c: Any, labels: Any, factor: bool | None, reading: str) -> Problem:
    """Return the problem of a reading of the constant c: its distances, and its caps on products."""
    if reading == "mended":
        return make_problem(D, n_columns, c, labels, factor)
    plain = make_problem(D, n_columns, c, labels, factor)  # which checks c
    distances = read_distance(plain.demands, n_columns, reading)
    problem = make_problem(D, n_columns, distances, labels, factor)
    return replace(problem, caps=problem.n_columns - plain.demands if reading == "printed" else plain.demands)


def relax_problem(
    problem: Problem,
    *,
    max_cycles: int = 100,
    order: str = "cyclic",
    random_state: Any = None,
    time_limit: float | None = None,
    progress: bool = True,
    rounds: bool = False,
    diagonal: bool = False,
) -> Factorization:
    """Relax and round a checked problem; the parameters are those of `factorize_paper`."""
    most_classes, seconds = 4096, np.inf if time_limit is None else time_limit  # each k × k matrix has up to 128 MB
    check_bounds(problem, Budget(1.0, seconds))
    if problem.n_classes > most_classes:
        raise ValueError(
            f"method='paper' works with at most {most_classes} classes, because it needs square matrices; got "
            f"{problem.n_classes} classes. Use method='auto'."
        )
    rng = generator(random_state)
    relaxed, history, stopped_by = relax(
        problem, rng, order, max_cycles, time_limit=seconds, progress=progress, diagonal=diagonal, rounds=rounds
    )
    code = drop_repeated_columns(round_to_code(problem, relaxed, diagonal))
    return make_result(problem, code, "paper", history, stopped_by)


def read_distance(c: Any, n_columns: int | None, reading: str) -> Any:
    """Return the Hamming distance h that a reading of the paper's constant c keeps.

    Codewords of length l have inner products of l's parity, and h = (l − product) / 2. So a cap of l − c on the
    products keeps ⌈c / 2⌉, and a cap of c keeps ⌈(l − c) / 2⌉.

    Parameters
    ----------
    c : int or array-like of shape (n_classes, n_classes)
        The constant, of all pairs or of each.
    n_columns : int or None
        Length l of the code.
    reading : {"mended", "printed", "products"}
        c is a distance; the paper's constraint as printed; or c caps the inner products.

    Returns
    -------
    int or ndarray of shape (n_classes, n_classes)
        The distance h, at least 1.
    """
    if reading not in ("mended", "printed", "products"):
        raise ValueError(f"reading must be 'mended', 'printed' or 'products'; got {reading!r}.")
    if reading == "products" and n_columns is None:
        raise ValueError("reading='products' caps inner products, which depend on the length: give n_columns.")
    given = check_min_distance(c, len(c) if np.ndim(c) else 2)
    if reading == "mended":
        return given
    kept = np.asarray(-(-given // 2) if n_columns is None or reading == "printed" else -((given - n_columns) // 2))
    kept = np.maximum(1, kept)
    if kept.ndim == 0:
        return int(kept)
    np.fill_diagonal(kept, 0)
    return kept


def relaxed_code(
    D: ArrayLike,
    n_columns: int,
    *,
    min_distance: Any = 1,
    order: Literal["cyclic", "random"] = "cyclic",
    max_cycles: int = 100,
    random_state: Any = None,
) -> tuple[Matrix, list[float]]:
    """Run the paper's relaxation without rounding.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes)
        Design matrix.
    n_columns : int
        Number of columns.
    min_distance : int, array-like or mapping, default=1
        Smallest distance of two codewords.
    order : {"cyclic", "random"}, default="cyclic"
        Order of the row updates.
    max_cycles : int, default=100
        Largest number of cycles.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the start.

    Returns
    -------
    relaxed : ndarray of shape (n_classes, n_columns)
        The relaxed code, entries in [−1, 1].
    history : list of float
        ‖l·D − XXᵀ‖²_F before the first and after every cycle.
    """
    problem = make_problem(D, n_columns, min_distance)
    relaxed, history, _ = relax(problem, generator(random_state), order, max_cycles, progress=False, diagonal=True)
    return relaxed, history
