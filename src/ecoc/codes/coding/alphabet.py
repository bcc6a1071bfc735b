"""Decide whether columns may leave classes out: as the user says, or by how hard full columns are for the learner."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding.context import Context
from ecoc.codes.coding.difficulty import Difficulty, measure_difficulty
from ecoc.utils.random import generator


class Alphabet(NamedTuple):
    """The chosen alphabet, and the difficulty that decided; None if nothing was measured."""

    name: str
    difficulty: Difficulty | None = None


def choose_alphabet(X: Any, y: NDArray[np.intp], context: Context) -> Alphabet:
    """Choose "ternary" if the learner is linear and columns of all classes are too hard for it.

    Outputs of linear models for columns of all classes have as many dimensions as there are features, however many
    columns there are. Columns that leave classes out add dimensions, and are easier. This matters if the learner errs
    on its training samples, too. A linear learner that fits its training samples, and any learner that is not linear,
    gains more from columns of all classes, which average out its errors.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Classes, 0 to n_classes − 1.
    context : Context
        With the estimator.

    Returns
    -------
    Alphabet
        The name and what was measured.

    Examples
    --------
    >>> from ecoc.codes.coding import Context
    >>> from ecoc.codes.coding.alphabet import choose_alphabet
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> [choose_alphabet(X, y, Context.of(e, 0)).name for e in (RidgeClassifier(), DecisionTreeClassifier())]
    ['ternary', 'binary']
    """
    if context.estimator is None or not context.is_linear:
        return Alphabet("binary")
    difficulty = measure_difficulty(context.estimator, X, y, generator(context.random_state))
    return Alphabet("ternary" if difficulty.is_too_hard else "binary", difficulty)
