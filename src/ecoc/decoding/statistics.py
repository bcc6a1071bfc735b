"""Statistics of the outputs: class means, spread within and between classes, and novelty."""

from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.special import logit

from ecoc.decoding.calibration import fit_temperature, mean_and_error
from ecoc.decoding.conformal import OrderStatistics
from ecoc.decoding.discriminant import _shrunk_covariance, _variance_floor
from ecoc.decoding.evidence import Array, Classes
from ecoc.decoding.interface import Needs, class_sums
from ecoc.decoding.likelihood import loss_by_factor
from ecoc.decoding.limits import LIMITS
from ecoc.utils.threads import matrix_product, one_blas_thread

_FLOOR = 1e-3  # of this variance, where no direction tells classes apart


class Quadratic(NamedTuple):
    """Log-likelihoods of classes, which are quadratic in the coordinates: one normal distribution for each class."""

    squares: Array
    linear: Array
    constants: Array
    volumes: Array

    @classmethod
    def of(cls, means: Array, sizes: Array, spread: Array) -> Self:
        """Return predictive distributions of classes whose means come from a few samples each.

        Coordinates are such that the covariance within classes is 1, and that of class means is diag(spread). A mean of
        n samples is then drawn to 0 by the factor n·spread / (n·spread + 1), and its uncertainty, spread /
        (n·spread + 1), adds to the variance (probabilistic linear discriminant analysis; Ioffe, 2006).
        """
        certainty = sizes[:, None] * spread + 1.0
        centre = means * (certainty - 1.0) / certainty
        precision = 1.0 / (1.0 + spread / certainty)
        volumes = -np.log(precision).sum(axis=1) / 2
        return cls(precision, -2 * centre * precision, (centre**2 * precision).sum(axis=1), volumes)

    def __call__(self, z: Array) -> Array:
        """Return the log-likelihood of each class for each row of coordinates, up to a constant."""
        distance = matrix_product(z**2, self.squares.T) + matrix_product(z, self.linear.T) + self.constants
        return self.of_distance(distance, self.volumes)

    def own(self, z: Array) -> Array:
        """Return the log-likelihood of each row of coordinates for the class in the same place."""
        distance = (z**2 * self.squares + z * self.linear).sum(axis=1) + self.constants
        return self.of_distance(distance, self.volumes)

    def of_distance(self, distance: Array, volumes: Array) -> Array:
        """Return log-likelihoods of squared distances: of a multivariate t distribution, which has heavy tails."""
        r = self.squares.shape[1]
        tail = LIMITS.tail
        return np.asarray(-(tail + r) / 2 * np.log1p(np.maximum(distance, 0.0) / tail) - volumes)


class OutputStatistics(NamedTuple):
    """Statistics of held-out outputs, which place new classes.

    They take k × l + l × l numbers for k classes and l columns, and hold no samples.

    Attributes
    ----------
    means : ndarray of shape (n_classes, n_columns)
        Mean output of each class.
    sizes : ndarray of shape (n_classes,)
        Number of samples behind each mean.
    centre : ndarray of shape (n_columns,)
        Mean of the class means.
    directions : ndarray of shape (n_columns, n_directions)
        Give coordinates in which the covariance within classes is 1 and that of class means is diagonal.
    spread : ndarray of shape (n_directions,)
        Variance of class means in these coordinates.
    temperature : float
        Factor of log-likelihoods for which held-out samples of the classes have the smallest log-loss.
    novelty : OrderStatistics
        Novelty of held-out samples of the classes; empty if the outputs do not tell classes apart.
    kind : {"signs", "margins", "probabilities"}
        The outputs that all this is about; of probabilities, the log-odds.
    """

    means: Array
    sizes: Array
    centre: Array
    directions: Array
    spread: Array
    temperature: float
    novelty: OrderStatistics
    kind: Needs = "margins"

    @classmethod
    def of(
        cls, held_out: Array, y: Classes, weight: Array | None, n_classes: int, kind: Needs = "margins"
    ) -> "OutputStatistics":
        """Return the statistics of held-out outputs."""
        held_out = on_one_scale(held_out, kind)
        with one_blas_thread():
            weight = np.ones(len(y)) if weight is None else weight * (len(y) / weight.sum())
            found = cls._untested(held_out, y, weight, n_classes, kind)
            step = (1 + held_out.size // LIMITS.most_described) * (1 + len(y) * n_classes // LIMITS.most_judged)
            judges = np.arange(0, len(y), step)
            own, scores = found._left_out(held_out[judges], y[judges])
            found = found._replace(temperature=_temperature(scores, y[judges], weight[judges]))
            if not found._tells_classes_apart(held_out, y, weight, step):
                return found
            novelty = found.novelty_of(held_out[judges], scores.max(axis=1))
            most = 512  # order statistics that are kept
            return found._replace(novelty=OrderStatistics.of(novelty, weight[judges] * own, most))

    @classmethod
    def _untested(cls, held_out: Array, y: Classes, weight: Array, n_classes: int, kind: Needs) -> "OutputStatistics":
        """Return the statistics of outputs on one scale, without samples that a column leaves out."""
        sizes = np.bincount(y, weight, minlength=n_classes).astype(np.float64)
        total, seen = class_sums(held_out, y, weight, n_classes), sizes > 0
        means = total / np.where(seen, sizes, 1.0)[:, None]
        centre = means[seen].mean(axis=0)
        means[~seen] = centre
        rows = np.arange(0, len(y), 1 + held_out.size // LIMITS.most_described)
        directions, spread = _directions(held_out[rows], y[rows], weight[rows], means, sizes, centre)
        no_novelty = OrderStatistics.of(np.ones(0), np.ones(0), 1)
        return cls(means, sizes, centre, directions, spread, 1.0, no_novelty, kind)

    def scaled(self, outputs: Array) -> Array:
        """Return outputs as they are described: probabilities as log-odds."""
        return on_one_scale(outputs, self.kind)

    def coordinates(self, outputs: Array) -> Array:
        """Return the coordinates of scaled outputs."""
        return matrix_product(outputs - self.centre, self.directions)

    def background(self, outputs: Array) -> Array:
        """Return the log-likelihood of each row of outputs for a class about which nothing is known."""
        nothing = Quadratic.of(np.zeros((1, len(self.spread))), np.zeros(1), self.spread)
        return nothing(self.coordinates(outputs))[:, 0]

    def novelty_of(self, outputs: Array, best: Array) -> Array:
        """Return log-likelihood ratios: an unknown class against the best known class."""
        return np.asarray(self.background(outputs) - best)

    def _tells_classes_apart(self, outputs: Array, y: Classes, weight: Array, step: int) -> bool:
        """Tell whether statistics of one half of the samples predict the classes of the other half.

        If not, novelty is noise, and a threshold of held-out outputs does not hold for the final classifiers, which saw
        more samples: 600 samples of noise, one-vs-one of logistic regressions, held-out outputs 1.3 times as large, and
        16 to 37 % of new samples above a threshold for 5 %.
        """
        clearly = 3.0  # standard errors
        by_class = np.argsort(y, kind="stable")
        seen, left = by_class[::2], by_class[1::2][::step]
        half = self._untested(outputs[seen], y[seen], weight[seen], len(self.sizes), self.kind)
        scores = Quadratic.of(half.coordinates(half.means), half.sizes, half.spread)(half.coordinates(outputs[left]))
        hits, error = mean_and_error((scores.argmax(axis=1) == y[left]).astype(np.float64), weight[left])
        return bool(hits > self.sizes.max() / self.sizes.sum() + clearly * error)

    def _left_out(self, outputs: Array, y: Classes) -> tuple[Array, Array]:
        """Tell which samples are not alone in their class, and return log-likelihoods without the sample itself."""
        z, centres = self.coordinates(outputs), self.coordinates(self.means)
        scores = Quadratic.of(centres, self.sizes, self.spread)(z)
        n = self.sizes[y]
        others = np.maximum(n - 1.0, 0.0)
        without = (n[:, None] * centres[y] - z) / np.maximum(others, 1e-300)[:, None]
        alone = others < 0.5
        without[alone] = 0.0
        for start in range(0, len(y), LIMITS.block_rows):
            rows = np.arange(start, min(start + LIMITS.block_rows, len(y)))
            own = Quadratic.of(without[rows], np.where(alone, 0.0, others)[rows], self.spread)
            scores[rows, y[rows]] = own.own(z[rows])
        return (~alone).astype(np.float64), scores


def on_one_scale(outputs: Array, kind: Needs) -> Array:
    """Return outputs on a scale on which they are about normal: probabilities as log-odds."""
    least = 1e-3  # probability; forests often say 0 and 1
    return np.asarray(logit(np.clip(outputs, least, 1 - least))) if kind == "probabilities" else outputs


def _directions(
    outputs: Array, y: Classes, weight: Array, means: Array, sizes: Array, centre: Array
) -> tuple[Array, Array]:
    """Return directions that whiten the outputs within classes and in which class means are uncorrelated."""
    seen = sizes > 0
    basis = np.eye(outputs.shape[1])
    if outputs.shape[1] > LIMITS.most_directions:  # the directions in which the classes differ most
        basis = np.linalg.svd(means[seen] - centre, full_matrices=False)[2][: LIMITS.most_directions].T
    outputs, around = outputs @ basis, (means - centre) @ basis
    residuals = np.sqrt(weight)[:, None] * (outputs - centre @ basis - around[y])
    freedom = max(len(y) - len(np.unique(y)), 1)
    floor = _variance_floor(outputs, weight, np.empty((0, outputs.shape[1])))
    within, _ = _shrunk_covariance(residuals, freedom, floor)
    root = np.linalg.cholesky(within)
    white = solve_triangular(root, around[seen].T, lower=True).T
    between = white.T @ white / max(seen.sum() - 1, 1)
    variances, vectors = eigh(between - np.eye(len(between)) * (1.0 / sizes[seen]).mean())
    kept = variances > min(LIMITS.least_spread, variances[-1] / 2)
    return basis @ solve_triangular(root, vectors[:, kept], lower=True, trans="T"), np.maximum(variances[kept], _FLOOR)


def _temperature(scores: Array, y: Classes, weight: Array) -> float:
    """Return the factor with the smallest log-loss, at most 1: where classes are far apart, it would have no end."""
    scores = np.ascontiguousarray(scores)
    behind = scores.max(axis=1) - scores[np.arange(len(y)), y]
    if loss_by_factor(scores, behind, weight / weight.sum(), 1.0)[1] <= 0:
        return 1.0
    return min(fit_temperature(scores, y, weight), 1.0)
