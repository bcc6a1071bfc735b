"""Make a design matrix from distances between classes and from users' wishes."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.design.checks import Matrix, check_between_classes, labels_of, pair_entries, plain_labels
from ecoc.codes.design.projection import project_checked
from ecoc.utils.messages import some

# docs/findings.md compares allocations. For "balanced", the mean accuracy of ECF codes with SVC(C=10) and linear
# decoding on vowel, segment, letter, faces and pendigits (up to 2000 samples, 3 folds) is 93.3 with k/2 columns and
# 90.7 with k/4; for half of −0.5 it is 93.3 and 91.0, for double 92.3 and 90.4.
ALLOCATIONS = {"hard": 1.0, "easy": -1.0, "equidistant": 0.0, "balanced": -0.5}
WISHES = {"apart": -1.0, "alike": 1.0, "ignore": np.nan}


def allocate(
    distances: ArrayLike,
    allocation: str | float | Callable[[Matrix], ArrayLike] = "balanced",
    *,
    labels: Sequence[Hashable] | None = None,
    wishes: Mapping[Any, str | float] | None = None,
) -> Matrix:
    """Make a design matrix from distances between classes and from wishes for certain pairs.

    A design matrix D says how similar two codewords should be, from −1 (opposite) to 1 (equal). Off the diagonal,
    D = a·s, where s is the distance, mapped linearly from its range onto [−1, 1].

    Parameters
    ----------
    distances : array-like or DataFrame of shape (n_classes, n_classes)
        Symmetric, non-negative, zero on the diagonal, e.g. from :func:`class_distances`.
    allocation : {"balanced", "hard", "easy", "equidistant"}, float or callable, default="balanced"
        The factor a, a number in [−1, 1] or a name for one. ``"hard"`` (1, ECF-H in the paper) gives close classes
        distant codewords, so that errors are corrected where classes are confused. ``"easy"`` (−1, ECF-E) does the
        opposite, which gives columns that are easy to learn. ``"equidistant"`` is 0 and ``"balanced"`` is −0.5. A
        callable takes the distances and returns D.
    labels : sequence, default=None
        Names of the classes, for `wishes`. If None, they are the index of a DataFrame, or 0, 1, 2, …
    wishes : mapping, default=None
        Entries of D for certain pairs, which override the distances. Keys are pairs of labels, or single labels, which
        stand for all pairs of that class. Values are ``"apart"`` (−1), ``"alike"`` (1), a number in [−1, 1], or
        ``"ignore"``: the pair does not matter, and its entry is chosen so that the others need to change least.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Symmetric with unit diagonal and entries in [−1, 1]. It need not be positive semi-definite; see
        :func:`nearest_correlation`.

    See Also
    --------
    ecoc.class_distances : Distances from data.
    ecoc.nearest_correlation : Find the nearest design that codewords can match.
    ecoc.factorize : Turn a design into a code.

    Notes
    -----
    The paper does not say how D is computed from the distances. The linear map uses all of [−1, 1]: the closest pair
    gets −a, the most distant pair a. If all distances are equal, D is the identity.

    Examples
    --------
    >>> from ecoc import allocate
    >>> distances = [[0, 1, 5], [1, 0, 3], [5, 3, 0]]
    >>> allocate(distances, "hard")
    array([[ 1., -1.,  1.],
           [-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    >>> allocate(distances, labels=["cat", "dog", "cow"], wishes={("dog", "cow"): "apart"})
    array([[ 1. ,  0.5, -0.5],
           [ 0.5,  1. , -1. ],
           [-0.5, -1. ,  1. ]])
    """
    given = _check_distances(distances)
    names = labels_of(distances) if labels is None else plain_labels(labels)
    if len(names) != len(given) or len(set(names)) != len(names):
        raise ValueError(f"labels must be {len(given)} different names, one for each class; got {names!r}.")
    if callable(allocation):
        D = check_design(allocation(given), len(given), "allocation(distances)")
    else:
        D = _coefficient(allocation, ALLOCATIONS, "allocation") * _scaled(given)
        np.fill_diagonal(D, 1)
    return apply_wishes(D, names, wishes or {})


def check_design(design: ArrayLike, n_classes: int, name: str) -> Matrix:
    """Return a design matrix with unit diagonal, or raise an error that calls it `name`."""
    D = check_between_classes(design, name)
    if len(D) != n_classes:
        raise ValueError(f"{name} must have a row for each of {n_classes} classes; got shape {D.shape}.")
    np.fill_diagonal(D, 1)
    if np.abs(D).max() > 1:
        i, j = np.unravel_index(np.abs(D).argmax(), D.shape)
        raise ValueError(
            f"{name} must lie in [-1, 1], from opposite to equal codewords; entry [{i}, {j}] is {D[i, j]:g}. "
            "ecoc.allocate makes a design from distances between classes."
        )
    return D


def apply_wishes(
    D: Matrix,
    labels: Sequence[Hashable],
    wishes: Mapping[Any, str | float],
    max_fills: int = 100,
    stop: Callable[[], bool] = bool,
) -> Matrix:
    """Write the wishes for pairs of labels into a checked design, in place, and return it.

    Entries to ignore are found in at most `max_fills` projections; few, or a `stop` that returns True, give a draft.
    """
    for i, j, wish in pair_entries(wishes, labels, "wishes"):
        D[i, j] = D[j, i] = _coefficient(wish, WISHES, f"wishes for {labels[i]!r} and {labels[j]!r}")
    return _fill_free(D, max_fills, stop)


def _check_distances(distances: ArrayLike) -> Matrix:
    values = check_between_classes(distances, "distances")
    if np.diag(values).any():
        i = np.flatnonzero(np.diag(values))[0]
        raise ValueError(
            f"distances must be zero on the diagonal; distances[{i}, {i}] is {values[i, i]:g}. If these are "
            "similarities S, where larger means more similar, pass S.max() - S with a zero diagonal."
        )
    if values.min() < 0:
        i, j = np.unravel_index(values.argmin(), values.shape)
        raise ValueError(f"distances must not be negative; distances[{i}, {j}] is {values[i, j]:g}.")
    return values


def _coefficient(value: Any, known: Mapping[str, float], name: str) -> float:
    if isinstance(value, str) and value in known:
        return known[value]
    if isinstance(value, int | float | np.number) and not isinstance(value, bool) and -1 <= value <= 1:
        return float(value)
    raise ValueError(f"{name} must be {', '.join(map(repr, known))} or a number in [-1, 1]; got {value!r}.")


def _scaled(distances: Matrix) -> Matrix:
    """Map distances linearly so that the smallest becomes −1 and the largest 1; if all are equal, to 0."""
    off_diagonal = distances[np.triu_indices(len(distances), 1)]
    low, high = off_diagonal.min(), off_diagonal.max()
    if low == high:
        return np.zeros_like(distances)
    scaled: Matrix = 2 * ((distances - low) / (high - low)) - 1
    return scaled


def _fill_free(D: Matrix, max_fills: int, stop: Callable[[], bool]) -> Matrix:
    """Fill the NaN entries so that the projection of D changes the other entries least.

    Each round projects D and copies the free entries from the projection. Neither step increases the distance between
    the other entries and the nearest correlation matrix.
    """
    # Change of the ignored entries at which filling them stops; they converge linearly. For letter with a tenth of the
    # pairs ignored, half takes 47 and double 39 projections instead of 43, and the distance to the design is the same
    # to 7 digits.
    tolerance = 1e-4
    free = np.isnan(D)
    D[free] = 0
    for _ in range(max_fills if free.any() else 0):
        filled = project_checked(D).matrix[free]
        change = np.abs(filled - D[free]).max()
        D[free] = filled
        if change < tolerance or stop():
            break
    return D


def ordered_design(design: ArrayLike, labels: list[Any] | None, n_classes: int) -> Matrix:
    """Return the design as a matrix, in the order of the labels if both have names."""
    D = check_design(design, n_classes, "design")
    names = labels_of(design)
    if labels is not None and names != list(range(n_classes)):
        order = row_order(names, labels, "design")
        D = D[np.ix_(order, order)]
    return D


def row_order(names: Iterable[Hashable], labels: Sequence[Any], what: str) -> list[int]:
    """Return the row of each label; raise an error if the names are not those of the classes."""
    rows = {name: i for i, name in enumerate(names)}
    wanted = list(labels)
    if set(rows) != set(wanted):
        missing, foreign = [x for x in wanted if x not in rows], [x for x in rows if x not in set(wanted)]
        raise ValueError(
            f"{what} must name the classes of y; it lacks {some(missing) or 'none'} and has {some(foreign) or 'none'}"
            f" besides. The classes are {some(wanted)}; without labels the rows are taken in this order."
        )
    return [rows[label] for label in wanted]
