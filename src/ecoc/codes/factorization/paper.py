"""The paper's factorization (Algorithm 1), with all of its parameters, and the readings of its constraint."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.feasibility import check_bounds
from ecoc.codes.factorization.problem import Problem, check_positive, make_problem
from ecoc.codes.factorization.relaxation import drop_repeated_columns, relax, round_to_code
from ecoc.codes.factorization.result import Factorization, make_result
from ecoc.utils.numerics import generator


def factorize_paper(
    D: ArrayLike,
    n_columns: int | None = None,
    *,
    min_distance: int | ArrayLike | Mapping[Any, int] = 1,
    max_cycles: int = 100,
    order: Literal["cyclic", "random"] = "cyclic",
    reading: Literal["mended", "printed", "products"] = "mended",
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
    D : array-like of shape (n_classes, n_classes) or (n_classes, n_dimensions)
        Design matrix or a factor of it, as for :func:`~ecoc.factorize`.
    n_columns : int, default=None
        Number of columns, l. If None, :func:`~ecoc.code_length` chooses it.
    min_distance : int, array-like of shape (n_classes, n_classes) or mapping, default=1
        Smallest Hamming distance between codewords, as for :func:`~ecoc.factorize`.
    max_cycles : int, default=100
        Largest number of cycles of the relaxation. A cycle updates as many rows as there are classes.
    order : {"cyclic", "random"}, default="cyclic"
        Order of the row updates.
    reading : {"mended", "printed", "products"}, default="mended"
        What `min_distance` c means: the distance c itself, which caps inner products at l − 2c; the paper's printed cap
        l − c, which keeps half that distance; or c as the cap of the inner products.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the start and of a random order.
    time_limit : float, default=None
        Seconds after which the code so far is rounded and returned. Such a run is not reproducible.
    labels : iterable of hashables, default=None
        Class labels, for a mapping in `min_distance` and for the code book.
    factor : bool, default=None
        Whether D is a factor. If None, D is a factor if it is not square.
    progress : bool, default=True
        Show a progress bar if the relaxation takes more than two seconds and standard error is a terminal.

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
    if reading != "mended":
        min_distance = read_distance(min_distance, n_columns, reading)
    return relax_problem(
        make_problem(D, n_columns, min_distance, labels, factor),
        max_cycles=max_cycles,
        order=order,
        random_state=random_state,
        time_limit=time_limit,
        progress=progress,
    )


def relax_problem(
    problem: Problem,
    *,
    max_cycles: int = 100,
    order: str = "cyclic",
    random_state: Any = None,
    time_limit: float | None = None,
    progress: bool = True,
) -> Factorization:
    """Relax and round a problem whose design and demands are checked; the parameters are those of `factorize_paper`."""
    most_classes, seconds = 4096, np.inf if time_limit is None else time_limit  # each k × k matrix has up to 128 MB
    check_bounds(problem, Budget(1.0, seconds))
    if problem.n_classes > most_classes:
        raise ValueError(
            f"method='paper' works with at most {most_classes} classes, because it needs square matrices; got "
            f"{problem.n_classes} classes. Use method='auto'."
        )
    rng = generator(random_state)
    relaxed, history, stopped_by = relax(problem, rng, order, max_cycles, time_limit=seconds, progress=progress)
    code = drop_repeated_columns(round_to_code(problem, relaxed))
    return make_result(problem, code, "paper", history, stopped_by)


def read_distance(c: Any, n_columns: int | None, reading: str) -> int:
    """Return the Hamming distance h that a reading of the paper's constant c keeps.

    Codewords of length l have inner products of l's parity, and h = (l − product) / 2. So a cap of l − c on the
    products keeps ⌈c / 2⌉, and a cap of c keeps ⌈(l − c) / 2⌉.

    Parameters
    ----------
    c : int
        The constant.
    n_columns : int or None
        Length l of the code.
    reading : {"mended", "printed", "products"}
        c is a distance; the paper's constraint as printed; or c caps the inner products.

    Returns
    -------
    int
        The distance h.
    """
    if reading not in ("mended", "printed", "products"):
        raise ValueError(f"reading must be 'mended', 'printed' or 'products'; got {reading!r}.")
    if not isinstance(c, int):
        raise ValueError(f"reading={reading!r} takes one min_distance for all pairs; got {c!r}.")
    if reading == "products":
        if n_columns is None:
            raise ValueError("reading='products' caps inner products, which depend on the length: give n_columns.")
        return max(1, -(-(n_columns - c) // 2))
    return c if reading == "mended" else -(-c // 2)
