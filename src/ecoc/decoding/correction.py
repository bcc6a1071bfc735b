"""Correct given scores by a penalised multinomial logistic regression."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import softmax

from ecoc.decoding.interface import Array
from ecoc.decoding.likelihood import loss_and_slopes
from ecoc.utils.numerics import lbfgs


class Correction:
    """Coefficients W that are added to given scores: features · Wᵀ + offset; the last feature is constant.

    The metric of the optimizer is an estimate of the Hessian matrix, so five iterations are enough. Coefficients of a
    strong penalty are the start for a weaker one. `most_of_intercept` is the largest penalty of the intercepts.
    """

    # Test accuracy of the chosen decodings, mean of eleven development sets and six learners: 82.47 % with 3
    # iterations, 82.62 with 5, 82.61 with 10 and 82.63 with 20. A precision of 1e-7 or 1e-5 changes nothing, 1e-4 loses
    # 0.1 points.
    def __init__(
        self,
        features: Array,
        offset: Array,
        y: NDArray[np.intp],
        weight: Array,
        *,
        most_of_intercept: float = 1.0,
        n_steps: int = 5,
    ) -> None:
        self.most_of_intercept, self.n_steps, self.n_iter = most_of_intercept, n_steps, 0
        self.features, self.offset, self.y, self.weight = features, offset, y, weight
        shares = softmax(offset, axis=1)
        curvature = float(weight @ (shares * (1 - shares)).mean(axis=1)) / len(y)
        self.hessian = curvature * (features.T @ (features * weight[:, None]))
        self.coef = np.zeros((offset.shape[1], features.shape[1]))

    def fit(self, penalty: float) -> Array:
        """Return the coefficients for a penalty, starting from those of the penalty before it."""
        precision = 1e-6  # a smaller relative decrease of the loss ends the iterations
        ridge = np.full(self.features.shape[1], penalty)
        ridge[-1] = min(penalty, self.most_of_intercept)
        root = cholesky(self.hessian + np.diag(ridge), lower=True)
        inverse = solve_triangular(root, np.eye(len(root)), lower=True)
        features, metric = self.features @ inverse.T, (inverse * ridge) @ inverse.T

        def loss(turned: Array) -> tuple[float, Array]:
            scores = features @ turned.T
            scores += self.offset
            value = loss_and_slopes(scores, self.y, self.weight)  # `scores` now holds the slopes
            pull = turned @ metric
            return value + float(np.vdot(pull, turned)) / 2, scores.T @ features + pull

        found, n_iter = lbfgs(loss, self.coef @ root, self.n_steps, precision)
        self.coef, self.n_iter = found @ inverse, self.n_iter + n_iter
        return self.coef
