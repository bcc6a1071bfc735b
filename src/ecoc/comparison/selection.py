"""Which candidate is recommended, and how accurate will it be on new samples?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

_REPEATS = 1000  # draws; on yeast, estimates of six seeds spread by 0.1 points with 2000, by 0.3 with 200


@dataclass(frozen=True)
class Pool:
    """Candidates to choose from.

    Attributes
    ----------
    hits : bool ndarray of shape (n_samples, n_candidates)
        Whether each sample is predicted right.
    classifiers : ndarray of shape (n_candidates,)
        Number of models in each candidate.
    work : ndarray of shape (n_candidates,)
        Number of models that are trained, each counted by the share of the samples that it is trained on.
    is_plain : bool ndarray of shape (n_candidates,)
        Whether each candidate is a model without a code.
    confusions : bool ndarray of shape (n_samples, n_candidates) or None
        Confusions of protected classes; if given, the fewest of them come first.
    """

    hits: Bools
    classifiers: Array
    work: Array
    is_plain: Bools
    confusions: Bools | None = None

    def rows(self, rows: NDArray[np.intp]) -> "Pool":
        """Take some of the samples."""
        return replace(
            self, hits=self.hits[rows], confusions=None if self.confusions is None else self.confusions[rows]
        )


def choose(pool: Pool) -> int:
    """Choose the candidate with the fewest models within one standard error of the most accurate.

    If that is a code, but a plain model is at least as accurate, within one standard error too, and less work to train,
    the plain model is chosen: the most accurate such.

    Parameters
    ----------
    pool : Pool
        The candidates.

    Returns
    -------
    int
        Place of the candidate; of as many models, the more accurate, then the first.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.comparison.selection import Pool, choose
    >>> hits = np.arange(100)[:, None] < [60, 88, 89, 90]
    >>> codes = Pool(hits, np.array([1, 5, 9, 21]), np.array([4, 20, 36, 6]), np.zeros(4, dtype=bool))
    >>> choose(codes)
    1

    If the last one is a plain model, it is more accurate than the code, and less work to train:

    >>> from dataclasses import replace
    >>> choose(replace(codes, is_plain=np.arange(4) == 3))
    3
    """
    accuracy = pool.hits.mean(axis=0)
    best = accuracy.max()
    good = np.flatnonzero(accuracy >= best - np.sqrt(best * (1 - best) / len(pool.hits)))
    confusions = np.zeros(len(accuracy)) if pool.confusions is None else pool.confusions.sum(axis=0)
    chosen = min(good, key=lambda place: (confusions[place], pool.classifiers[place], -accuracy[place], place))
    if not pool.is_plain[chosen]:
        better = accuracy[good] >= accuracy[chosen]
        plain = good[better & pool.is_plain[good] & (pool.work[good] < pool.work[chosen])]
        if len(plain):
            return int(min(plain, key=lambda place: (-accuracy[place], pool.classifiers[place], place)))
    return int(chosen)


def expected_accuracy(pool: Pool, seed: int = 0) -> float:
    """Estimate the accuracy of the chosen candidate on new samples, without the bias of having been chosen by it.

    The choice is repeated on samples drawn with replacement. The candidate chosen there looks better on the drawn
    samples than on the others; the mean of this difference is the bias, and it is taken off. This is the idea of
    bootstrap bias corrected cross-validation (Tsamardinos, Greasidou and Borboudakis, 2018).

    Parameters
    ----------
    pool : Pool
        The candidates.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    float
        The accuracy of the chosen candidate, less the bias.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.comparison.selection import Pool, expected_accuracy
    >>> guesses = np.random.default_rng(0).random((60, 200)) < 0.5  # 200 candidates, each right by chance
    >>> pool = Pool(guesses, np.ones(200), np.ones(200), np.zeros(200, dtype=bool))
    >>> bool(guesses.mean(axis=0).max() > 0.6), expected_accuracy(pool) < 0.55
    (True, True)
    """
    rng = np.random.default_rng(seed)
    n, biases = len(pool.hits), [0.0]
    for _ in range(_REPEATS):
        drawn = rng.integers(n, size=n)
        others = np.bincount(drawn, minlength=n) == 0
        if others.any():
            chosen = choose(pool.rows(drawn))
            biases.append(float(pool.hits[drawn, chosen].mean() - pool.hits[others, chosen].mean()))
    return float(pool.hits[:, choose(pool)].mean() - np.mean(biases))


def on_front(accuracies: Sequence[float], costs: Sequence[float | None]) -> list[bool]:
    """Tell which candidates are on the Pareto front.

    Parameters
    ----------
    accuracies : sequence of float
        Accuracy of each candidate.
    costs : sequence of float or None
        Cost of each; one without a cost is not on the front.

    Returns
    -------
    list of bool
        Whether no other candidate is at least as accurate and at least as cheap, and better in one of the two.

    Examples
    --------
    >>> from ecoc.comparison.selection import on_front
    >>> on_front([0.8, 0.9, 0.85], [3, 5, 7])
    [True, True, False]
    """
    points = [(-accuracy, cost) for accuracy, cost in zip(accuracies, costs)]
    return [
        cost is not None
        and not any(
            other is not None and less <= error and other <= cost and (less, other) != (error, cost)
            for less, other in points
        )
        for error, cost in points
    ]
