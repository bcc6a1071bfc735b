"""Where do the outputs of each class lie, whatever its codeword? Discriminant decoding."""

from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.covariance import ledoit_wolf_shrinkage

from ecoc.decoding.base import Array, Decoding, class_sums
from ecoc.utils.scikit import Interval, StrOptions
from ecoc.utils.threads import one_blas_thread

_PSEUDO = 1  # samples that every class has on top, where the other classes suggest
_FLOOR = 1e-6  # least variance within the classes, relative to the total
_STEPS = 30
_MOST_WORK = 2e8
_ROUNDING = 1e-12  # relative, of squares


class Discriminant(Decoding):
    """Linear discriminant analysis of the outputs, with a covariance that all classes share.

    Dichotomizers err together and in ways typical of a class; what the codeword should have been matters
    less than what the outputs of a class look like. Outputs of the samples that a dichotomizer was trained on
    look too good, so this learns from out-of-fold ones. Scores are logarithms of the class probabilities.

    The analysis takes the outputs of all classes to scatter alike. From its scores, multinomial logistic regression on
    the same outputs sets out, held back by a penalty on how far it goes.

    Parameters
    ----------
    priors : {"empirical", "uniform"} or array-like of shape (n_classes,), default="empirical"
        Probabilities of the classes before the outputs are seen: as in training, equal, or as given.
    penalty : float or None, default=30.0
        Weight of the squared change of the scores' coefficients, in units where outputs have covariance one within the
        classes; the loss of one sample has weight one. None: the analysis as it is.

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_columns)
        Where the outputs of a class lie.
    covariance_ : ndarray of shape (n_columns, n_columns)
        How they scatter around it, shrunk towards a diagonal matrix.
    priors_ : ndarray of shape (n_classes,)
        The probabilities a priori.
    coef_, intercept_ : ndarray of shape (n_classes, n_columns), ndarray of shape (n_classes,)
        The linear scores before they are normalised.
    n_iter_ : int
        Steps of the logistic regression; none if it would take too long (more than 2·10⁸ samples × classes × columns).
    shrinkage_ : float
        How far the covariance was shrunk, from 0 to 1, as Ledoit and Wolf estimate.

    See Also
    --------
    ecoc.decoding.LossWeighted : Weights in place of a discriminant.
    ecoc.decoding.Probabilistic : Probabilities without learning.

    Notes
    -----
    Every class has one more sample than it has, where outputs of the others would put it: in each column at
    the mean of the classes on its side. So a class with a single sample, or none, has a mean and a prior as
    well, and one with many does not notice. Correlations are shrunk, not variances; n < l is no problem.

    References
    ----------
    O. Ledoit, M. Wolf: A well-conditioned estimator for large-dimensional covariance matrices. Journal of
    Multivariate Analysis 88, 2004.

    Examples
    --------
    Outputs of class 2 are where its codeword would not have them:

    >>> import numpy as np
    >>> from ecoc.decoding import Discriminant
    >>> rng = np.random.default_rng(0)
    >>> centres, y = np.array([[1, 1], [-1, 1], [1, 0.2]]), np.repeat([0, 1, 2], 50)
    >>> outputs = centres[y] + rng.normal(scale=0.2, size=(150, 2))
    >>> decoding = Discriminant().fit([[1, 1], [-1, 1], [1, -1]], outputs, y)
    >>> decoding.probabilities([[1, 1], [1, 0.2]]).round(2)
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """

    gives_probabilities = True
    keeps_correction = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "priors": [StrOptions({"empirical", "uniform"}), "array-like"],
        "penalty": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self, priors: Literal["empirical", "uniform"] | ArrayLike = "empirical", penalty: float | None = 30.0
    ) -> None:
        self.priors = priors
        self.penalty = penalty

    @property
    def fit_on(self) -> Literal["out_of_fold"]:
        """Which outputs it learns from: those of samples that were held out."""
        return "out_of_fold"

    def _fit_outputs(self, outputs: Array, y: NDArray[np.intp], weight: Array) -> None:
        x = self.codebook_.matrix
        size = class_sums(np.ones((len(y), 1)), y, weight, len(x))[:, 0]
        total = class_sums(outputs, y, weight, len(x))
        expected = _expected_means(total, size, x)
        self.means_ = (total + _PSEUDO * expected) / (size + _PSEUDO)[:, None]
        self.priors_ = self._class_priors(size + _PSEUDO)

        # As in ridge regression, the means have cost Σ size / (size + pseudo) degrees of freedom.
        freedom = len(y) - (size / (size + _PSEUDO)).sum()
        residuals = np.sqrt(weight)[:, None] * (outputs - self.means_[y])
        centred = outputs - weight @ outputs / len(y)
        # The second term keeps rounding in the outputs of a constant column from passing for variance.
        spread = weight @ centred**2 / len(y) + _ROUNDING * (outputs**2).max(axis=0)
        floor = np.where(spread > 0, _FLOOR * spread, 1)
        # Where all outputs are alike, a class without samples is not infinitely far from them: one could have been it.
        unseen = self.means_[size == 0] - weight @ outputs / len(y)
        floor += (unseen**2).max(axis=0, initial=0) / len(y)
        self.covariance_, self.shrinkage_ = _shrunk_covariance(residuals, freedom, floor)

        centre = self.means_.mean(axis=0)
        around = self.means_ - centre
        self.coef_ = cho_solve(cho_factor(self.covariance_), around.T).T
        self.intercept_ = np.log(self.priors_) - self.coef_ @ centre - (around * self.coef_).sum(axis=1) / 2
        self.n_iter_ = 0
        if self.penalty is not None and outputs.size * len(x) <= _MOST_WORK:
            offset = np.log((size + _PSEUDO) / (size + _PSEUDO).sum() / self.priors_)  # priors stay what they are
            with one_blas_thread():
                self._learn_scores(outputs - centre, y, weight, offset, self.penalty)
            self.intercept_ -= self.coef_ @ centre

    def _learn_scores(self, outputs: Array, y: NDArray[np.intp], weight: Array, offset: Array, penalty: float) -> None:
        """Penalised logistic regression that starts at the scores there are; outputs and scores are centred."""
        root = np.linalg.cholesky(self.covariance_)
        whitened = np.column_stack([solve_triangular(root, outputs.T, lower=True).T, np.ones(len(outputs))])
        around = self.means_ - self.means_.mean(axis=0)
        intercept = np.log(self.priors_) - (around * self.coef_).sum(axis=1) / 2
        start = np.column_stack([self.coef_ @ root, intercept])
        hit = np.arange(len(y)), y

        def loss(flat: Array) -> tuple[float, Array]:
            change = flat.reshape(start.shape)
            scores = whitened @ (start + change).T + offset
            top = scores.max(axis=1, keepdims=True)
            shares = np.exp(scores - top)
            total = shares.sum(axis=1, keepdims=True)
            shares /= total
            value = weight @ (np.log(total[:, 0]) + top[:, 0] - scores[hit])
            shares[hit] -= 1
            gradient = (shares * weight[:, None]).T @ whitened + penalty * change
            return value + penalty * (change**2).sum() / 2, gradient.ravel()

        found = minimize(loss, np.zeros(start.size), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
        learned = start + found.x.reshape(start.shape)
        self.coef_ = solve_triangular(root, learned[:, :-1].T, lower=True, trans="T").T
        self.intercept_ = learned[:, -1]
        self.n_iter_ = int(found.nit)

    def _scores(self, outputs: Array) -> Array:
        scores: Array = log_softmax(outputs @ self.coef_.T + self.intercept_, axis=1)
        return scores

    def _class_priors(self, size: Array) -> Array:
        if isinstance(self.priors, str):
            return size / size.sum() if self.priors == "empirical" else np.full(len(size), 1 / len(size))
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != size.shape or not np.isfinite(priors).all() or priors.min() <= 0:
            raise ValueError(
                f"priors must be {len(size)} positive numbers, one for each class, 'empirical' or 'uniform'; "
                f"got {self.priors!r}. A class that never occurs may have a very small one."
            )
        scaled: Array = priors / priors.sum()
        return scaled


def _expected_means(total: Array, size: Array, x: NDArray[np.int8]) -> Array:
    """Where the other classes suggest that a class lies: in each column at the mean of those on its side."""
    seen = size > 0
    means = total[seen] / size[seen, None]
    # If nothing is known of a side: as far out as outputs are on average.
    typical = (means * x[seen]).sum() / np.count_nonzero(x[seen])
    expected = np.empty(x.shape)
    for side in (-1, 0, 1):
        there = x[seen] == side
        count = there.sum(axis=0)
        mean = np.where(count, (means * there).sum(axis=0) / np.maximum(count, 1), side * typical)
        np.copyto(expected, mean, where=x == side)
    return expected


def _shrunk_covariance(residuals: Array, freedom: float, floor: Array) -> tuple[Array, float]:
    """Covariance within the classes, its correlations shrunk towards 0, and the shrinkage; floors add to variances."""
    deviation = np.sqrt((residuals**2).sum(axis=0) / freedom + floor)
    standard = residuals / deviation
    shrinkage = ledoit_wolf_shrinkage(standard, assume_centered=True) if len(standard) > 1 else 1.0
    correlation = (1 - shrinkage) / freedom * (standard.T @ standard)
    np.fill_diagonal(correlation, 1)  # adds what shrinking took, and the floor: positive definite
    return correlation * np.outer(deviation, deviation), float(shrinkage)
