"""Scores from the code alone: calibrated columns, each about the classes that the column contains."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ecoc.decoding.base import Array, sum_by_side
from ecoc.decoding.calibration import fit_temperature

Matrix = NDArray[np.int8]


class Structure(NamedTuple):
    """Class scores that follow from the code, and four numbers or vectors that held-out outputs decide.

    Column j says with probability σ(z_j) that the sample is on its +1 side, where z is the calibrated output. Classes
    on the two sides get log σ(z) and log σ(−z). A class that the column leaves out gets the evidence expected under the
    current belief about the classes that the column sees: the column moves belief between these classes and leaves the
    others alone. Without zeros, this is naive Bayes.

    Parameters
    ----------
    matrix : int8 ndarray of shape (n_classes, n_columns)
        The code.
    slope, intercept : ndarray of shape (n_columns,)
        Calibration of each column: z = slope · output + intercept.
    belief : float
        Factor of the first scores, for which a left-out class counts as one half.
    temperature : float
        Factor of the final scores.
    """

    matrix: Matrix
    slope: Array
    intercept: Array
    belief: float = 1.0
    temperature: float = 1.0

    @classmethod
    def of(cls, matrix: Matrix, outputs: Array, y: NDArray[np.intp], weight: Array) -> "Structure":
        """Fit calibration and factors to held-out outputs."""
        structure = cls(matrix, *calibrate_columns(outputs, matrix[y], weight))
        log_odds = structure.log_odds(outputs)
        if not matrix.all():
            structure = structure._replace(belief=fit_temperature(structure.first_scores(log_odds), y, weight))
        return structure._replace(temperature=fit_temperature(structure.scores(log_odds), y, weight))

    def log_odds(self, outputs: Array) -> Array:
        """Return calibrated log-odds of the +1 sides."""
        return outputs * self.slope + self.intercept

    def first_scores(self, log_odds: Array) -> Array:
        """Return scores for which a column is as likely to say +1 as −1 about a class that it leaves out."""
        plus, minus = _log_sides(log_odds)
        scores: Array = sum_by_side(plus, minus, self.matrix) + np.log(2) * np.count_nonzero(self.matrix, axis=1)
        return scores

    def scores(self, log_odds: Array) -> Array:
        """Return logarithms of class probabilities, up to a constant for each sample."""
        no_belief = 1e-12
        first = self.first_scores(log_odds)
        if self.matrix.all():
            return first * self.temperature
        belief = softmax(first * self.belief, axis=1)
        on_plus, on_minus = (belief @ (self.matrix == side).astype(np.float64) for side in (1, -1))
        plus, minus = _log_sides(log_odds)
        seen = on_plus + on_minus
        known = seen > no_belief
        expected = (on_plus * np.exp(plus) + on_minus * np.exp(minus)) / np.where(known, seen, 1.0)
        expected = np.log(np.maximum(np.where(known, expected, 0.5), 1e-300))
        return sum_by_side(plus - expected, minus - expected, self.matrix) * self.temperature


def calibrate_columns(outputs: Array, sides: NDArray[np.int8], weight: Array) -> tuple[Array, Array]:
    """Return slope and intercept for which σ(slope · output + intercept) is the probability of the +1 side.

    Platt's logistic regression with his targets, for all columns at once, each on the samples that the column sees.

    Parameters
    ----------
    outputs : ndarray of shape (n_samples, n_columns)
        Held-out outputs.
    sides : int8 ndarray of shape (n_samples, n_columns)
        Side of each sample in each column, 0 where the column leaves out its class.
    weight : ndarray of shape (n_samples,)
        Weights of the samples.

    Returns
    -------
    tuple of ndarray of shape (n_columns,)
        Slopes and intercepts.

    References
    ----------
    J. Platt, "Probabilistic outputs for support vector machines", 1999.
    """
    n_steps = 25
    ridge = 1e-3  # on slope and intercept; keeps them finite for a column without errors
    converged = 1e-4
    from ecoc.decoding._likelihood_kernels import newton_of_columns

    counts = weight[:, None] * (sides != 0)
    n = counts.sum(axis=0)
    scale = np.sqrt((counts * outputs**2).sum(axis=0) / np.maximum(n, 1e-300))
    scale = np.where(scale > 0, scale, 1.0)
    n_plus = (counts * (sides > 0)).sum(axis=0)
    target = np.where(sides > 0, (n_plus + 1) / (n_plus + 2), 1 / (n - n_plus + 2))
    slope, intercept = np.ones(outputs.shape[1]), np.zeros(outputs.shape[1])
    newton_of_columns(outputs / scale, target, counts, slope, intercept, n_steps, ridge, converged)
    return slope / scale, intercept


def _log_sides(log_odds: Array) -> tuple[Array, Array]:
    """Return log σ(z) and log σ(−z)."""
    plus = -np.logaddexp(0, -log_odds)
    return plus, plus - log_odds
