"""Statistics of outputs and features: class means, spread within and between classes, and novelty."""

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.linalg import block_diag, eigh, solve_triangular
from scipy.special import logit

from ecoc.decoding.calibration import fit_temperature, mean_and_error
from ecoc.decoding.conformal import OrderStatistics
from ecoc.decoding.discriminant import _shrunk_covariance, _variance_floor
from ecoc.decoding.evidence import Array, Classes
from ecoc.decoding.interface import Needs, class_sums
from ecoc.decoding.likelihood import loss_by_factor
from ecoc.decoding.limits import LIMITS
from ecoc.decoding.scaling import FeatureScale, numbers_of
from ecoc.utils.threads import matrix_product, one_blas_thread

CLEARLY = 3.0  # standard errors
_FLOOR = 1e-3  # of this variance, where no direction tells classes apart
_FOLDS = 5  # each is judged by statistics of the others


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

    def of_distance(self, distance: Array, volumes: Array) -> Array:
        """Return log-likelihoods of squared distances: of a multivariate t distribution, which has heavy tails."""
        r = self.squares.shape[1]
        tail = LIMITS.tail
        return np.asarray(-(tail + r) / 2 * np.log1p(np.maximum(distance, 0.0) / tail) - volumes)


class OutputStatistics(NamedTuple):
    """Statistics of held-out outputs, which place new classes.

    Outputs alone may miss what tells new classes apart, because the columns were not trained for them: a forest of 20
    faces takes other faces for them. So standardised features stand beside the outputs, unless held-out samples of the
    classes are then predicted worse. The statistics hold no samples, but means of classes.

    Attributes
    ----------
    means : ndarray of shape (n_classes, n_columns) or (n_classes, n_columns + n_features)
        Mean outputs of each class, and means of standardised features.
    sizes : ndarray of shape (n_classes,)
        Number of samples behind each mean.
    centre : ndarray
        Mean of the class means.
    directions : ndarray with a row for each column and feature
        Give coordinates in which the covariance within classes is 1 and that of class means is diagonal.
    spread : ndarray of shape (n_directions,)
        Variance of class means in these coordinates.
    temperature : float
        Factor of log-likelihoods for which held-out samples of the classes have the smallest log-loss.
    novelty : OrderStatistics
        Novelty of held-out samples of the classes; empty if the outputs do not tell classes apart.
    kind : {"signs", "margins", "probabilities"}
        The outputs that all this is about; of probabilities, the log-odds.
    scale : FeatureScale or None
        Scale of the features; None if there are none.
    """

    means: Array
    sizes: Array
    centre: Array
    directions: Array
    spread: Array
    temperature: float
    novelty: OrderStatistics
    kind: Needs = "margins"
    scale: FeatureScale | None = None

    @classmethod
    def of(
        cls,
        held_out: Array,
        y: Classes,
        weight: Array | None,
        n_classes: int,
        kind: Needs = "margins",
        features: Array | None = None,
    ) -> "OutputStatistics":
        """Return the statistics of held-out outputs, and of features of the same samples."""
        held_out = on_one_scale(held_out, kind)
        with one_blas_thread():
            weight = np.ones(len(y)) if weight is None else weight * (len(y) / weight.sum())
            size = held_out.size + (0 if features is None else features.size)
            n_judged = _FOLDS if size <= LIMITS.most_described // 4 else 1  # of many samples, one fold is enough
            judged = cls._cross_fitted(held_out, y, weight, n_classes, n_judged)
            scale = None if features is None else FeatureScale.of(features)
            if features is not None and scale is not None:
                joined = np.hstack([held_out, scale(features)])
                others = cls._cross_fitted(joined, y, weight, n_classes, n_judged, scale)
                change, error = mean_and_error(others.hits - judged.hits, judged.weight)
                if change < -CLEARLY * error:
                    scale = None
                else:
                    held_out, judged = joined, others
            found = cls._untested(held_out, y, weight, n_classes, kind, scale)
            found = found._replace(temperature=_temperature(judged.scores, judged.y, judged.weight))
            accuracy, error = mean_and_error(judged.hits, judged.weight)
            if accuracy <= found.sizes.max() / found.sizes.sum() + CLEARLY * error:
                # Novelty is noise, and a threshold of held-out outputs does not hold for the final classifiers, which
                # saw more samples: 600 samples of noise, one-vs-one of logistic regressions, held-out outputs 1.3 times
                # as large, and 16 to 37 % of new samples above a threshold for 5 %.
                return found
            most = 512  # order statistics that are kept
            return found._replace(novelty=OrderStatistics.of(judged.novelty, judged.weight * judged.has_others, most))

    @classmethod
    def _untested(
        cls,
        held_out: Array,
        y: Classes,
        weight: Array,
        n_classes: int,
        kind: Needs = "margins",
        scale: FeatureScale | None = None,
    ) -> "OutputStatistics":
        """Return the statistics of outputs on one scale, followed by standardised features, before they are judged."""
        sizes = np.bincount(y, weight, minlength=n_classes).astype(np.float64)
        total, seen = class_sums(held_out, y, weight, n_classes), sizes > 0
        means = total / np.where(seen, sizes, 1.0)[:, None]
        centre = means[seen].mean(axis=0)
        means[~seen] = centre
        rows = np.arange(0, len(y), 1 + held_out.size // LIMITS.most_described)
        n_features = 0 if scale is None else len(scale.centre)
        directions, spread = _directions(held_out[rows], y[rows], weight[rows], means, sizes, centre, n_features)
        no_novelty = OrderStatistics.of(np.ones(0), np.ones(0), 1)
        return cls(means, sizes, centre, directions, spread, 1.0, no_novelty, kind, scale)

    def scaled(self, outputs: Array) -> Array:
        """Return outputs as they are described: probabilities as log-odds. Features behind them are so already."""
        l = outputs.shape[1] - self.n_features
        return np.hstack([on_one_scale(outputs[:, :l], self.kind), outputs[:, l:]])

    @property
    def n_features(self) -> int:
        """Number of features that stand behind the outputs."""
        return 0 if self.scale is None else len(self.scale.centre)

    def beside(self, outputs: Array, X: Any) -> Array:
        """Return outputs, followed by the standardised features of their samples if these count."""
        if self.scale is None:
            return outputs
        features = numbers_of(X)
        if features is None:
            raise ValueError("the model was fitted to a table of numbers, and new samples must be one, too.")
        return np.hstack([outputs, self.scale(features)])

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

    @classmethod
    def _cross_fitted(
        cls, outputs: Array, y: Classes, weight: Array, n_classes: int, n_judged: int, scale: FeatureScale | None = None
    ) -> "Judged":
        """Score samples of some folds by statistics of other samples.

        In many dimensions, a covariance suits its own samples best.
        """
        step = 1 + len(y) * n_classes // LIMITS.most_judged
        by_class, parts = np.argsort(y, kind="stable"), []
        for fold in range(n_judged):
            seen, left = np.delete(by_class, np.s_[fold::_FOLDS]), by_class[fold::_FOLDS][::step]
            if not len(left):
                continue
            rest = cls._untested(outputs[seen], y[seen], weight[seen], n_classes, scale=scale)
            of_classes = Quadratic.of(rest.coordinates(rest.means), rest.sizes, rest.spread)
            scores = of_classes(rest.coordinates(outputs[left]))
            novelty = rest.novelty_of(outputs[left], scores.max(axis=1))
            parts.append((y[left], weight[left], rest.sizes[y[left]] > 0, scores, novelty))
        return Judged(*(np.concatenate(each) for each in zip(*parts)))


class Judged(NamedTuple):
    """Samples scored by statistics of others: class, weight, whether others have the class, scores and novelty."""

    y: Classes
    weight: Array
    has_others: Any
    scores: Array
    novelty: Array

    @property
    def hits(self) -> Array:
        """Tell which samples have the highest score for their class."""
        return np.asarray(self.scores.argmax(axis=1) == self.y, dtype=np.float64)


def on_one_scale(outputs: Array, kind: Needs) -> Array:
    """Return outputs on a scale on which they are about normal: probabilities as log-odds."""
    least = 1e-3  # probability; forests often say 0 and 1
    return np.asarray(logit(np.clip(outputs, least, 1 - least))) if kind == "probabilities" else outputs


def _directions(
    outputs: Array, y: Classes, weight: Array, means: Array, sizes: Array, centre: Array, n_features: int
) -> tuple[Array, Array]:
    """Return directions that whiten outputs and features within classes and in which class means are uncorrelated."""
    seen = sizes > 0
    l = outputs.shape[1] - n_features
    basis = np.eye(outputs.shape[1])
    if l > LIMITS.most_directions:  # of outputs, the directions in which the classes differ most
        of_outputs = np.linalg.svd(means[seen, :l] - centre[:l], full_matrices=False)[2][: LIMITS.most_directions].T
        basis = block_diag(of_outputs, np.eye(n_features))
    outputs, around = outputs @ basis, (means - centre) @ basis
    residuals = np.sqrt(weight)[:, None] * (outputs - centre @ basis - around[y])
    freedom = max(len(y) - len(np.unique(y)), 1)
    floor = _variance_floor(outputs, weight, np.empty((0, outputs.shape[1]))) + LIMITS.ridge * outputs.var(axis=0)
    within, _ = _shrunk_covariance(residuals, freedom, floor)
    root = np.linalg.cholesky(within)
    white = solve_triangular(root, around[seen].T, lower=True).T
    k = int(seen.sum())
    between = white.T @ white / max(k - 1, 1)
    variances, vectors = eigh(between - np.eye(len(between)) * (1.0 / sizes[seen]).mean())
    prior = LIMITS.average_classes
    variances = (k * variances + prior * np.maximum(variances, 0.0).mean()) / (k + prior)
    kept = variances > min(LIMITS.least_spread, variances[-1] / 2)
    return basis @ solve_triangular(root, vectors[:, kept], lower=True, trans="T"), np.maximum(variances[kept], _FLOOR)


def _temperature(scores: Array, y: Classes, weight: Array) -> float:
    """Return the factor with the smallest log-loss, at most 1: where classes are far apart, it would have no end."""
    scores = np.ascontiguousarray(scores)
    behind = scores.max(axis=1) - scores[np.arange(len(y)), y]
    if loss_by_factor(scores, behind, weight / weight.sum(), 1.0)[1] <= 0:
        return 1.0
    return min(fit_temperature(scores, y, weight), 1.0)
