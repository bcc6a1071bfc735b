"""Decode classes that no column was trained on, beside those of another decoding, from a few outputs of each."""

from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.special import log_softmax, logsumexp

from ecoc.codes.codebook import CodeBook
from ecoc.codes.codebook.free import free_codewords, with_both_sides
from ecoc.decoding.calibration import Calibration
from ecoc.decoding.evidence import Array, Classes
from ecoc.decoding.interface import Decoding, Needs, class_sums
from ecoc.decoding.limits import LIMITS
from ecoc.decoding.statistics import OutputStatistics, Quadratic
from ecoc.utils.threads import matrix_product, one_blas_thread

Priors = Literal["equal", "training"]


class Additions(NamedTuple):
    """Running statistics of samples that were added: counts and sums, no samples.

    Attributes
    ----------
    sizes : ndarray of shape (n_classes,)
        Number of added samples of each class; the classes of the columns come first, then the new ones.
    sums : ndarray of shape (n_classes, n_columns)
        Sum of their outputs.
    squares : ndarray of shape (n_directions, n_directions)
        Sum of the outer products of the new classes' samples, in the coordinates of the statistics.
    lost : float
        Degrees of freedom of `squares` that come from classes that were removed since; negative for those that are
        missing, because the columns have changed.
    """

    sizes: Array
    sums: Array
    squares: Array
    lost: float = 0.0

    @classmethod
    def none(cls, statistics: OutputStatistics) -> Self:
        """Return the statistics before anything is added."""
        k, r = len(statistics.sizes), len(statistics.spread)
        return cls(np.zeros(k), np.zeros_like(statistics.means), np.zeros((r, r)))

    def with_classes(self, n_classes: int) -> Self:
        """Return the same with room for more classes at the end."""
        more = n_classes - len(self.sizes)
        return self._replace(sizes=np.pad(self.sizes, (0, more)), sums=np.pad(self.sums, ((0, more), (0, 0))))

    def add(self, statistics: OutputStatistics, outputs: Array, y: Classes) -> Self:
        """Return the statistics with further samples, whose classes are known, and their scaled outputs."""
        k = len(self.sizes)
        new = y >= len(statistics.sizes)
        z = statistics.coordinates(outputs[new])
        return self._replace(
            sizes=self.sizes + np.bincount(y, minlength=k),
            sums=self.sums + class_sums(outputs, y, np.ones(len(y)), k),
            squares=self.squares + z.T @ z,
        )

    def without(self, statistics: OutputStatistics, classes: Classes) -> Self:
        """Return the statistics without some new classes; what they said about the spread of new classes stays."""
        means = statistics.coordinates(self.sums[classes] / self.sizes[classes, None])
        n = self.sizes[classes]
        return self._replace(
            sizes=np.delete(self.sizes, classes),
            sums=np.delete(self.sums, classes, axis=0),
            squares=self.squares - (means.T * n) @ means,
            lost=self.lost + float((n - 1).sum()),
        )

    def first(self, n_columns: int, statistics: OutputStatistics) -> Self:
        """Return the statistics of the first columns and the features, as in `statistics`; without squares."""
        features = self.sums[:, self.sums.shape[1] - statistics.n_features :]
        sums, n = np.hstack([self.sums[:, :n_columns], features]), self.sizes[len(statistics.sizes) :]
        means = statistics.coordinates(sums[len(statistics.sizes) :] / n[:, None])
        return type(self)(self.sizes, sums, (means.T * n) @ means, -float((n - 1).sum()))


class Extended(Decoding):
    """Another decoding with classes that were added to it; :meth:`ecoc.ECOCClassifier.add_classes` makes it.

    The outputs of the columns are coordinates in which classes have a place, also those that no column was trained on.
    Features of the samples stand beside the outputs where they help, see `OutputStatistics`. A class is a normal
    distribution there. The mean of a new class comes from a few samples, so it is drawn towards the mean of all
    classes, and its uncertainty adds to the variance. The covariance within the new classes is that of the old ones,
    mixed with what the samples of all new classes say about it, and never smaller: held-out outputs vary more than
    others, so new classes would seem narrow, and take samples of the old ones. The log-likelihoods of old and new
    classes decide between the two, and between the new ones. Between the old ones, the other decoding decides for the
    most part. Scores are logarithms of class probabilities.

    Parameters
    ----------
    base : Decoding
        The fitted decoding of the classes that the columns were trained on.

    Attributes
    ----------
    statistics_ : OutputStatistics
        Statistics of held-out outputs of these classes.
    additions_ : Additions
        Statistics of added samples.
    kept_ : ndarray of int
        Those of the classes that were not removed.
    names_ : ndarray
        Labels of the kept classes and of the new ones, which come last.
    order_ : ndarray of int
        Their places in the order of the labels.
    priors_ : {"equal", "training"}
        Whether a new class counts as much as an old one, or by its number of samples.
    """

    gives_probabilities = True
    keeps_correction = False
    calibration_: Calibration
    statistics_: OutputStatistics
    additions_: Additions
    names_: NDArray[Any]
    kept_: NDArray[np.intp]
    order_: NDArray[np.intp]
    priors_: Priors

    def __init__(self, base: Decoding) -> None:
        self.base = base

    @classmethod
    def of(
        cls,
        base: Decoding,
        calibration: Calibration,
        statistics: OutputStatistics,
        additions: Additions,
        names: NDArray[Any],
        kept: NDArray[np.intp],
        priors: Priors = "equal",
    ) -> Self:
        """Return the decoding of the kept classes and the new ones; `names` are the labels of both."""
        decoding = cls(base)
        decoding.calibration_, decoding.statistics_, decoding.additions_ = calibration, statistics, additions
        decoding.names_, decoding.kept_, decoding.priors_ = names, kept, priors
        decoding.order_ = np.argsort(names, kind="stable")
        return decoding

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """The outputs that are decoded, of the kind that the statistics are about."""
        return self.statistics_.kind

    @property
    def labels(self) -> NDArray[Any]:
        """Class labels, sorted."""
        return np.asarray(self.names_[self.order_])

    @property
    def n_old(self) -> int:
        """Number of classes that the columns were trained on, and that were not removed."""
        return len(self.kept_)

    @cached_property
    def codebook_(self) -> CodeBook:  # type: ignore[override]
        """The code book: the codewords of the old classes, and free ones near the outputs of the new classes."""
        book, k = self.base.codebook_, self.n_old
        means, old, centre = (each[..., : book.n_columns] for each in (self.means(), *self.statistics_[:3:2]))
        by_label = np.argsort(self.names_[k:], kind="stable")  # in any order the same
        scale = np.sqrt(((old - centre) ** 2).mean(axis=0))
        wanted = means[k:] / np.where(scale > 0, scale, 1.0)
        matrix = np.vstack([book.matrix[self.kept_], np.zeros((len(wanted), book.n_columns), dtype=np.int8)])
        matrix[k + by_label] = free_codewords(matrix[:k], wanted[by_label], book.min_distance)
        return CodeBook(with_both_sides(matrix, means)[self.order_], self.labels.tolist())

    def means(self) -> Array:
        """Return the mean outputs of the kept classes and the new ones."""
        known, added = self.statistics_, self.additions_
        k = len(known.sizes)
        sizes = added.sizes.copy()
        sizes[:k] += known.sizes
        sums = added.sums.copy()
        sums[:k] += known.sizes[:, None] * known.means
        means = sums / np.maximum(sizes, 1e-300)[:, None]
        means[sizes == 0] = known.centre
        return np.vstack([means[:k][self.kept_], means[k:]])

    def sizes(self) -> Array:
        """Return the number of samples behind each of these means."""
        known, added = self.statistics_, self.additions_
        k = len(known.sizes)
        return np.concatenate([(added.sizes[:k] + known.sizes)[self.kept_], added.sizes[k:]])

    def fit(self, codebook: Any, outputs: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Raise an error: a model with added classes makes this decoding."""
        raise TypeError("this decoding is made by the add_classes of a fitted model; give a new model another one.")

    def likelihoods(self, outputs: Array) -> Array:
        """Return log-likelihoods of the kept classes and the new ones, which come last."""
        z = self.statistics_.coordinates(self.statistics_.scaled(outputs))
        found = self._distributions
        return np.hstack([found.old(z), found.new(matrix_product(z, found.turn))])

    def novelty(self, outputs: Array) -> Array:
        """Return how much likelier each sample is for an unknown class than for the best of the known ones."""
        return self.statistics_.novelty_of(self.statistics_.scaled(outputs), self.likelihoods(outputs).max(axis=1))

    def distances(self) -> Array:
        """Return how far apart the means of the kept classes and the new ones are, in standard deviations."""
        places = self.statistics_.coordinates(self.means())
        square = (places**2).sum(axis=1)
        found: Array = np.sqrt(np.maximum(square[:, None] + square - 2 * matrix_product(places, places.T), 0.0))
        np.fill_diagonal(found, np.inf)
        return found

    def base_probabilities(self, outputs: Array) -> Array:
        """Return the probabilities of the kept classes as they were before classes were added."""
        outputs = outputs[:, : self.base.codebook_.n_columns]
        given = np.where(outputs > 0, 1.0, -1.0) if self.base.needs == "signs" else outputs
        probabilities = self.calibration_.probabilities(self.base.scores(given))[:, self.kept_]
        total = probabilities.sum(axis=1, keepdims=True)
        return np.asarray(probabilities / np.maximum(total, 1e-300))

    def check_outputs(self, outputs: ArrayLike) -> Array:
        """Check outputs, which standardised features follow if the statistics are about them."""
        array, n = np.asarray(outputs), self.statistics_.n_features
        if array.ndim != 2 or not n:
            return super().check_outputs(outputs)
        return np.hstack([super().check_outputs(array[:, :-n]), array[:, -n:]])

    def _scores(self, outputs: Array) -> Array:
        base = np.log(np.maximum(self.base_probabilities(outputs), 1e-300))
        if self.additions_.sizes.any():
            scores = self.likelihoods(outputs) * self.statistics_.temperature
            old, new = scores[:, : self.n_old], scores[:, self.n_old :]
            share = LIMITS.share_of_base
            among = log_softmax(share * base + (1 - share) * log_softmax(old, axis=1), axis=1)
            base = np.hstack([among + logsumexp(old, axis=1, keepdims=True), new + self._distributions.log_priors])
        return np.asarray(log_softmax(base[:, self.order_], axis=1))

    @cached_property
    def _distributions(self) -> "_Distributions":
        """The distributions of the classes, which are computed when they are first needed."""
        known, means, sizes, k = self.statistics_, self.means(), self.sizes(), self.n_old
        with one_blas_thread():
            places = known.coordinates(means)
            new, n = places[k:], sizes[k:]
            scatter = self.additions_.squares - (new.T * n) @ new
            freedom = float((n - 1).sum()) + self.additions_.lost
            weight = LIMITS.weight_of_old * len(known.spread)
            variances, axes = eigh((scatter + weight * np.eye(len(scatter))) / (freedom + weight))
            variances = np.clip(variances, 1.0, LIMITS.widest_new)
            whitening = axes / np.sqrt(variances) @ axes.T
            spread, vectors = eigh(whitening * known.spread @ whitening)
            turn = whitening @ vectors
            of_new = Quadratic.of(new @ turn, n, np.maximum(spread, 1e-9))
        share_of_old = k / max(k + len(n), 1)
        log_priors = -LIMITS.caution * share_of_old**2 * n / (n + 1)
        if self.priors_ == "training" and len(n):
            log_priors += np.log(n / known.sizes[known.sizes > 0].mean())
        return _Distributions(
            Quadratic.of(places[:k], sizes[:k], known.spread),
            of_new._replace(volumes=of_new.volumes + np.log(variances).sum() / 2),
            turn,
            log_priors,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what follows from the rest."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_distributions", "codebook_")}


class _Distributions(NamedTuple):
    """Distributions of the old classes and of the new ones; what turns coordinates for the new ones; their priors."""

    old: Quadratic
    new: Quadratic
    turn: Array
    log_priors: Array
