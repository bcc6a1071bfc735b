"""Decide whether columns may leave classes out, by how hard columns of all classes are for the learner."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from ecoc.codes.coding.coding import Context
from ecoc.utils.numerics import generator


class Difficulty(NamedTuple):
    """Mean error of a learner on columns that split all classes at random into halves."""

    training: float
    held_out: float

    @property
    def is_too_hard(self) -> bool:
        """Whether most errors also occur on training samples, so that more samples or averaging would not help."""
        return self.training > self.held_out / 2


def measure_difficulty(estimator: Any, X: Any, y: NDArray[np.intp], rng: np.random.Generator) -> Difficulty:
    """Train a learner on a few columns and count its errors."""
    n_columns = 3  # random halves of the classes that are tried
    most = 4000  # samples, half of which train
    k = int(y.max()) + 1
    rows = rng.permutation(len(y))[:most]
    train, test = rows[::2], rows[1::2]
    errors = []
    for _ in range(n_columns):
        sides = np.where(rng.permutation(k) < k // 2, 1, -1)[y]
        if len(np.unique(sides[train])) < 2:
            continue
        target = sides.astype(float) if is_regressor(estimator) else (sides > 0).astype(int)
        model = _seeded(estimator).fit(X[train], target[train])
        middle = 0.0 if is_regressor(estimator) else 0.5
        errors.append([np.mean((model.predict(X[part]) > middle) != (sides[part] > 0)) for part in (train, test)])
    return Difficulty(*np.mean(errors, axis=0).tolist()) if errors else Difficulty(0.0, 0.0)


def _seeded(estimator: Any) -> Any:
    """Return an unfitted copy with a fixed seed, so that the choice is the same in every fit."""
    model = clone(estimator)
    return model.set_params(random_state=0) if model.get_params().get("random_state", 0) is None else model


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
    """
    if context.estimator is None or not context.is_linear:
        return Alphabet("binary")
    difficulty = measure_difficulty(context.estimator, X, y, generator(context.random_state))
    return Alphabet("ternary" if difficulty.is_too_hard else "binary", difficulty)
