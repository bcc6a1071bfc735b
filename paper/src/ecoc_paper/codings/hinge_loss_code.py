"""Grow a code column by column, each the one that lowers the multi-class hinge loss most."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding import Coding, resolve_length
from ecoc.codes.refinement import proxy_outputs
from ecoc.utils.codewords import column_keys
from ecoc.utils.numerics import generator
from ecoc.utils.threads import one_blas_thread
from ecoc_paper._scikit import FREE_LENGTH
from ecoc_paper.codings.separation import Code, separated

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_STARTS = 4  # of the search for a column; not tuned
_STEPS = np.append(0.0, np.geomspace(0.05, 5.0, 15))  # weights of a column that are tried; not tuned


class HingeLossCode(Coding):
    """A code that is grown against the multi-class hinge loss.

    The score of a class is the weighted sum of the outputs of the columns, each times the class's entry. A sample costs
    max(0, 1 + best other score − own score). The next column is the one along which the loss falls fastest, with a
    weight found by line search; the weight is 0 if no weight lowers the loss.

    This is not Gao and Koller's HingeBoost.OC, whose loss it takes: there, boosted classifiers are trained for each
    column and keep their weights in the decision; here a cheap regression stands for them, and the code alone is kept.

    Length: as many columns as classes, unless another number is given.

    Parameters
    ----------
    n_columns : int or float, default=None
        Number of columns, or a float, the number divided by that of the classes. None: as many as classes.

    Attributes
    ----------
    losses_ : list of float
        Mean hinge loss before the first column, and after each.

    See Also
    --------
    ecoc.ECF : A code that a design asks for.
    ecoc_paper.RelaxedHierarchyClassifier : The authors' later method.

    References
    ----------
    T. Gao and D. Koller, "Multiclass boosting with hinge loss based on output coding", ICML 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ecoc_paper import HingeLossCode
    >>> X, y = load_digits(return_X_y=True)
    >>> coding = HingeLossCode(n_columns=8)
    >>> book = coding.build(10, X[:300], y[:300], random_state=0)
    >>> book.n_columns, coding.losses_[-1] < 0.5 * coding.losses_[0]
    (8, True)
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_columns": FREE_LENGTH}

    def __init__(self, n_columns: int | float | None = None) -> None:
        self.n_columns = n_columns

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        rng = generator(random_state)
        length = resolve_length(self.n_columns, n_classes, n_classes)
        held_out = proxy_outputs(X, np.unique(y, return_inverse=True)[1], rng)
        outputs, classes = held_out.under(np.eye(n_classes)), held_out.y
        scores = np.zeros_like(outputs)
        columns: list[Code] = []
        loss, rivals = _hinge(scores, classes)
        self.losses_ = [float(loss.mean())]
        with one_blas_thread():
            for _ in range(length):
                slope = _slope(outputs, classes, rivals, loss > 0)
                column = _steepest(slope, columns, rng)
                if column is None:
                    break
                lowest, change = _line_search(scores, classes, outputs, column)
                if lowest >= self.losses_[-1]:  # at a tie of rivals, only a class against the rest lowers the loss
                    others = [each for each in _against_rest(n_classes) if not _is_known(each, columns)]
                    found = [_line_search(scores, classes, outputs, each) for each in others]
                    best = min(range(len(others)), key=lambda i: found[i][0], default=None)
                    if best is not None and found[best][0] < lowest:
                        column, change = others[best], found[best][1]
                scores += change
                loss, rivals = _hinge(scores, classes)
                self.losses_.append(float(loss.mean()))
                columns.append(column)
        order = np.zeros((n_classes, outputs.shape[1]))
        np.add.at(order, classes, outputs)
        code = np.column_stack(columns) if columns else np.zeros((n_classes, 0), dtype=np.int8)
        return separated(code, length, np.linalg.svd(order - order.mean(axis=0))[0][:, 0], rng)


def _line_search(scores: Matrix, y: NDArray[np.intp], outputs: Matrix, column: Code) -> tuple[float, Matrix]:
    """Return the lowest mean loss along a column, and the change of the scores that leads to it; it may be none."""
    change = np.outer(outputs @ column, column)
    weights = _STEPS / max(np.abs(change).mean(), 1e-12)
    means = [float(_hinge(scores + weight * change, y)[0].mean()) for weight in weights]
    best = int(np.argmin(means))
    return means[best], weights[best] * change


def _against_rest(k: int) -> list[Code]:
    return list((2 * np.eye(k, dtype=np.int8) - 1).astype(np.int8))


def _is_known(column: Code, columns: list[Code]) -> bool:
    return any(abs(int(column.astype(int) @ other)) == len(column) for other in columns)


def _hinge(scores: Matrix, y: NDArray[np.intp]) -> tuple[Vector, Matrix]:
    """Return each sample's loss, and the weights of its rivals: the class nearest to its own or ahead, or equal parts.

    At the start all scores are 0 and all other classes are rivals alike; to take the first would prefer its number.
    """
    rows = np.arange(len(y))
    others = scores.copy()
    others[rows, y] = -np.inf
    highest = others.max(axis=1)
    rivals = (others == highest[:, None]).astype(np.float64)
    return np.maximum(0, 1 + highest - scores[rows, y]), rivals / rivals.sum(axis=1, keepdims=True)


def _slope(outputs: Matrix, y: NDArray[np.intp], rivals: Matrix, costs: NDArray[np.bool_]) -> Matrix:
    """Return A such that the loss falls along a column x at the rate xᵀAx: Σ (e_y − Σ rivals)·outputsᵀ."""
    slope = np.zeros((outputs.shape[1], outputs.shape[1]))
    np.add.at(slope, y[costs], outputs[costs])
    slope -= rivals[costs].T @ outputs[costs]
    symmetric: Matrix = slope + slope.T
    return symmetric


def _steepest(slope: Matrix, columns: list[Code], rng: np.random.Generator) -> Code | None:
    """Return the column of ±1 with the largest xᵀAx that a search from several starts finds, and that is new."""
    k = len(slope)
    known = set(column_keys(np.column_stack(columns))) if columns else set()
    starts = [np.where(np.linalg.eigh(slope)[1][:, -1] > 0, 1.0, -1.0)]
    starts += list(rng.choice([-1.0, 1.0], size=(_STARTS - 1, k)))
    best, highest = None, -np.inf
    for x in starts:
        _climb(slope, x)
        column = x.astype(np.int8)
        is_new = abs(column.sum(dtype=int)) < k and column_keys(column[:, None])[0] not in known
        if is_new and (value := float(x @ slope @ x)) > highest:
            best, highest = column, value
    return best


def _climb(slope: Matrix, x: Vector) -> None:
    """Flip the entry of x that raises xᵀAx most, as long as one does."""
    field = slope @ x
    while True:
        gains = -x * field + slope.diagonal()
        i = int(gains.argmax())
        if gains[i] <= 1e-12:
            return
        field -= 2 * x[i] * slope[:, i]
        x[i] = -x[i]
