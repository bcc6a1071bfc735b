"""Search for the minimal code whose columns are easiest to learn."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding import Coding, Minimal
from ecoc.codes.refinement import proxy_outputs
from ecoc.utils.numerics import generator
from ecoc.utils.threads import one_blas_thread
from ecoc_paper._scikit import Interval
from ecoc_paper.codings.separation import Code

Matrix = NDArray[np.float64]
Ints = NDArray[np.int64]


class MinimalSearch(Coding):
    """As few columns as can be, with codewords given to the classes so that the columns are easy to learn.

    Length: ⌈log2 k⌉ columns, the numbers of the classes in binary. Which class has which number is found by a genetic
    search: a population of assignments, of which the better half survives; its children swap the numbers of two
    classes, or take an unused one. An assignment is better if a cheap regression, on held-out samples, gets more
    codewords right in all bits.

    The search of Bautista and others evolves the parameters of support vector machines with the codewords, and trains
    them; here a regression stands for them, and their parameters are not searched.

    Parameters
    ----------
    n_generations : int, default=60
        Generations of the search.
    population : int, default=20
        Assignments in a generation.

    Attributes
    ----------
    hits_ : list of float
        Share of held-out samples with all bits right, for the best assignment of each generation.

    See Also
    --------
    ecoc.codes.coding.Minimal : The classes' numbers in their own order.
    ecoc.ECF : ``ECF(n_columns=...)`` of the same length.

    References
    ----------
    M. A. Bautista, S. Escalera, X. Baró, P. Radeva, J. Vitrià and O. Pujol, "Minimal design of error-correcting output
    codes", Pattern Recognition Letters 33, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ecoc_paper import MinimalSearch
    >>> X, y = load_digits(return_X_y=True)
    >>> coding = MinimalSearch()
    >>> coding.build(10, X[:500], y[:500], random_state=0).n_columns
    4
    >>> coding.hits_[-1] > coding.hits_[0]
    True
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_generations": [Interval(Integral, 1, None, closed="left")],
        "population": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(self, n_generations: int = 60, population: int = 20) -> None:
        self.n_generations = n_generations
        self.population = population

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        rng = generator(random_state)
        words = Minimal().build(2 ** (n_classes - 1).bit_length()).matrix  # all numbers in binary
        held_out = proxy_outputs(X, np.unique(y, return_inverse=True)[1], rng)
        outputs, classes = held_out.under(np.eye(n_classes)), held_out.y
        with one_blas_thread():
            alive = [
                rng.permutation(len(words)) for _ in range(self.population)
            ]  # the first k numbers are the classes'
            hits = [_hits(outputs, classes, words[numbers[:n_classes]]) for numbers in alive]
            self.hits_ = [max(hits)]
            for _ in range(self.n_generations):
                children = [_swapped(alive[i], n_classes, rng) for i in rng.integers(0, len(alive), self.population)]
                alive += children
                hits += [_hits(outputs, classes, words[numbers[:n_classes]]) for numbers in children]
                best = np.argsort(-np.array(hits), kind="stable")[: self.population]
                alive, hits = [alive[i] for i in best], [hits[i] for i in best]
                self.hits_.append(hits[0])
        return words[alive[0][:n_classes]]


def _hits(outputs: Matrix, y: NDArray[np.intp], code: Code) -> float:
    """Return the share of samples whose predicted bits are those of their class."""
    right = (outputs @ code > 0) == (code[y] > 0)
    return float(right.all(axis=1).mean() + 1e-3 * right.mean())  # between equal shares, more right bits are better


def _swapped(numbers: Ints, n_classes: int, rng: np.random.Generator) -> Ints:
    child = numbers.copy()
    i, j = rng.integers(n_classes), rng.integers(len(numbers))
    child[[i, j]] = child[[j, i]]
    return child
