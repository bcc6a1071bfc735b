"""One-vs-all in two steps: the group of a class, then the class within its group."""

from math import ceil, sqrt
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding.coding import Code, Coding
from ecoc.codes.design.distances import class_means
from ecoc.utils.numerics import generator
from ecoc.utils.scikit import Interval
from ecoc.utils.threads import one_blas_thread

Classes = NDArray[np.intp]


class Grouped(Coding):
    """Groups of similar classes: a column for each group, and a column for each class within its group.

    The column of a group has its classes against all others. The column of a class has it against the other classes of
    its group, and leaves all others out. So nearly all columns see few samples. With √k groups, training takes as long
    as about 2√k columns that see all samples, where one-vs-all has k of them. It suits linear models with very many
    classes, such as text classifiers.

    Length: k columns, and one for each group. All groups have the same size, or differ by one class.

    Parameters
    ----------
    n_groups : int, default=None
        Number of groups, at most half the number of classes. None: ⌈√k⌉, or as many as possible.

    Attributes
    ----------
    groups_ : ndarray of shape (n_classes,)
        Number of the group of each class.

    See Also
    --------
    ecoc.OneVsAll : One column for each class, without groups.
    ecoc.DiscriminantTree : Split groups into groups, with one column for each.

    Notes
    -----
    The classes are halved again and again: by the leading principal direction of their means, and then, as in 2-means
    clustering with halves of equal size, by the means of the halves. Sparse data stay sparse.

    ``decoding="auto"`` is ``"hinge"``, a loss that does not reward margins beyond 1: classifiers of a group say nothing
    about the samples of other groups.

    References
    ----------
    Y. Prabhu, A. Kag, S. Harsola, R. Agrawal and M. Varma, "Parabel: partitioned label trees for extreme
    classification", WWW 2018.

    Examples
    --------
    >>> from ecoc.codes.coding import Grouped
    >>> Grouped().build(4, X=[[0], [7], [1], [8]], y=["a", "b", "c", "d"], random_state=0)
    CodeBook 4 × 3 (classes × columns), 33% zeros, min distance 1, correction 0
      a  +-·
      b  -·-
      c  ++·
      d  -·+
    """

    needs_data = True
    usual_decoding = "hinge"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_groups": [Interval(Integral, 2, None, closed="left"), None]
    }

    def __init__(self, n_groups: int | None = None) -> None:
        self.n_groups = n_groups

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        most = n_classes // 2
        if most < 2:  # three classes have no two groups of two
            self.groups_ = np.zeros(n_classes, dtype=np.intp)
            return 2 * np.eye(n_classes, dtype=np.int8) - 1
        n_groups = min(ceil(sqrt(n_classes)), most) if self.n_groups is None else int(self.n_groups)
        if n_groups > most:
            raise ValueError(f"{n_classes} classes have at most {most} groups of two or more; got n_groups={n_groups}.")
        with one_blas_thread():
            groups = _halved(class_means(X, np.unique(y, return_inverse=True)[1]), n_groups, generator(random_state))
        self.groups_ = np.empty(n_classes, dtype=np.intp)
        for number, members in enumerate(sorted(groups, key=lambda members: int(members.min()))):
            self.groups_[members] = number
        return _columns(self.groups_, n_groups)


def _columns(groups: Classes, n_groups: int) -> Code:
    """Return the columns of the groups, then those of the classes; of a group of two classes, one column is enough."""
    k = len(groups)
    of_groups = np.where(groups[:, None] == np.arange(n_groups), 1, -1).astype(np.int8)
    if n_groups == 2:
        of_groups = of_groups[:, :1]
    of_classes = np.where(groups[:, None] == groups, -1, 0).astype(np.int8)
    np.fill_diagonal(of_classes, 1)
    first = np.unique(groups, return_index=True)[1]
    is_needed = np.ones(k, dtype=bool)
    is_needed[first] = np.bincount(groups) > 2
    return np.hstack([of_groups, of_classes[:, is_needed]])


def _halved(points: Any, n_groups: int, rng: np.random.Generator) -> list[Classes]:
    """Split points into groups whose sizes differ by at most one."""
    sizes = np.full(n_groups, points.shape[0] // n_groups)
    sizes[: points.shape[0] % n_groups] += 1
    found: list[Classes] = []
    waiting = [(np.arange(points.shape[0]), sizes)]
    while waiting:
        members, sizes = waiting.pop()
        if len(sizes) == 1:
            found.append(members)
            continue
        half = len(sizes) // 2
        is_first = _nearer_half(points[members], int(sizes[:half].sum()), rng)
        waiting += [(members[is_first], sizes[:half]), (members[~is_first], sizes[half:])]
    return found


def _nearer_half(points: Any, n_first: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which points form the first of two parts: n_first of them that lie together."""
    power_steps = 20  # of the iteration that finds the direction in which the classes of a group differ most
    moves = 10  # times that the halves of a group are formed anew from their means; usually fewer until nothing changes
    n = points.shape[0]
    centre = np.asarray(points.mean(axis=0)).ravel()
    direction = rng.normal(size=points.shape[1])
    for _ in range(power_steps):
        along = points @ direction - centre @ direction
        direction = points.T @ along - centre * along.sum()
        direction /= max(float(np.linalg.norm(direction)), 1e-300)
    is_first = np.zeros(n, dtype=bool)
    for _ in range(moves):
        before = is_first
        is_first = np.zeros(n, dtype=bool)
        is_first[np.argsort(points @ direction, kind="stable")[:n_first]] = True
        if (is_first == before).all():
            break
        means = [np.asarray(points[part].mean(axis=0)).ravel() for part in (is_first, ~is_first)]
        direction = means[1] - means[0]
    return is_first
