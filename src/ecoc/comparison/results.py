"""What did each candidate reach, what did it cost, and which one is recommended?"""

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.comparison.candidates import Candidate
from ecoc.utils.folds import Folds

COSTS = ("classifiers", "support_vectors", "fit_seconds", "predict_seconds", "model_bytes")


@dataclass(eq=False)
class CandidateResult:
    """What one candidate reached in the cross-validation, and what it cost.

    Attributes
    ----------
    candidate : Candidate
        The code that was tried.
    estimator : estimator
        The classifier of the candidate, unfitted: ``result.estimator.fit(X, y)`` trains it.
    predicted : ndarray of shape (n_samples,)
        Label of each sample, predicted by a model that was trained without it.
    n_columns, n_support : list of int
        Number of binary classifiers, and of support vectors if the learner has any, in each fold.
    predict_times : list of float
        Seconds to predict 1,000 samples, in each fold.
    fit_seconds : float
        Seconds to fit, in the last fold, where nothing is shared between candidates.
    model_bytes : int or None
        Size of the saved model; None if skops is not installed.
    accuracy, standard_error : float
        Share of samples predicted right, and its standard error.
    protected_errors : int or None
        Number of confusions of protected classes; None if no class is protected.
    front : list of str
        Costs for which no other candidate is as accurate and as cheap, and better in one of the two.

    See Also
    --------
    ecoc.compare : Makes them.
    """

    candidate: Candidate
    estimator: Any
    predicted: NDArray[Any]
    n_columns: list[int] = field(default_factory=list)
    n_support: list[int] = field(default_factory=list)
    predict_times: list[float] = field(default_factory=list)
    fit_seconds: float = 0.0
    model_bytes: int | None = None
    accuracy: float = 0.0
    standard_error: float = 0.0
    protected_errors: int | None = None
    front: list[str] = field(default_factory=list)

    def cost(self, name: str) -> float | None:
        """Return one of the costs, as the mean over the folds.

        Parameters
        ----------
        name : str
            One of `ecoc.comparison.COSTS`.

        Returns
        -------
        float or None
            None if it is not known, such as support vectors of a decision tree.
        """
        by_fold: dict[str, Any] = {
            "classifiers": self.n_columns,
            "support_vectors": self.n_support,
            "predict_seconds": self.predict_times,
        }
        if name in by_fold:
            return float(np.mean(by_fold[name])) if by_fold[name] else None
        value: float | None = getattr(self, name)
        return value

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a row of a table.

        Returns
        -------
        dict
            Plain values by name.
        """
        return {
            "coding": self.candidate.coding,
            "columns": self.candidate.columns,
            "protected": self.candidate.protected,
            "decoding": self.candidate.decoding,
            "accuracy": self.accuracy,
            "standard_error": self.standard_error,
            **{name: self.cost(name) for name in COSTS},
            "protected_errors": self.protected_errors,
            "pareto": self.front,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """Candidates with their accuracies and costs, and the one that is recommended.

    Attributes
    ----------
    results : list of CandidateResult
        A result for each candidate, fewest classifiers first.
    left_out : dict of Candidate to str
        Candidates that have no result, and why.
    y : ndarray of shape (n_samples,)
        The true labels.
    folds : list of pairs of ndarray
        Training rows and test rows of each fold.
    protected : set of frozenset
        Pairs of classes that are protected.

    See Also
    --------
    ecoc.compare : Makes one.

    Examples
    --------
    >>> import ecoc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = ecoc.compare(X, y, "ridge", codings=["ova", "ovo"], random_state=0)
    >>> sorted(set(comparison.table["coding"]))
    ['ova', 'ovo']
    >>> comparison.recommended.accuracy >= comparison.best.accuracy - comparison.best.standard_error
    True
    """

    results: list[CandidateResult]
    left_out: dict[Candidate, str]
    y: NDArray[Any]
    folds: Folds
    protected: set[frozenset[Any]]

    @property
    def table(self) -> dict[str, list[Any]]:
        """A list for each column of the table; ``pandas.DataFrame(comparison.table)`` takes it as it is."""
        rows = [result.to_dict() for result in self.results]
        return {name: [row[name] for row in rows] for name in rows[0]}

    @property
    def best(self) -> CandidateResult:
        """The most accurate."""
        return max(self.results, key=lambda result: result.accuracy)

    @property
    def recommended(self) -> CandidateResult:
        """The one with the fewest classifiers within one standard error of the most accurate.

        If classes are protected, only candidates that protect them count, and the fewest confusions of these classes
        come first.
        """
        protecting = _as_good_as_the_best([result for result in self.results if result.candidate.protected])
        if not protecting:
            return self.without_protection
        return min(protecting, key=lambda r: (r.protected_errors, r.cost("classifiers"), -r.accuracy))

    @property
    def without_protection(self) -> CandidateResult:
        """What would be recommended if no class was protected."""
        plain = [result for result in self.results if not result.candidate.protected]
        good = _as_good_as_the_best(plain or self.results)
        return min(good, key=lambda result: (result.cost("classifiers"), -result.accuracy))

    def front(self, cost: str = "classifiers") -> list[CandidateResult]:
        """Return the Pareto front: no other candidate is as accurate and as cheap, and better in one of the two.

        Parameters
        ----------
        cost : str, default="classifiers"
            One of ``classifiers``, ``support_vectors``, ``fit_seconds``, ``predict_seconds`` and ``model_bytes``.

        Returns
        -------
        list of CandidateResult
            The cheapest first.

        Examples
        --------
        >>> import ecoc
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> comparison = ecoc.compare(X, y, "ridge", codings=["ova", "ovo"], random_state=0)
        >>> comparison.best in comparison.front()
        True
        """
        return sorted((r for r in self.results if cost in r.front), key=lambda r: (r.cost(cost), -r.accuracy))

    def confused(self, result: CandidateResult | None = None, n: int = 5) -> list[tuple[Any, Any, int]]:
        """Return the pairs of classes that a candidate confuses most.

        Parameters
        ----------
        result : CandidateResult, default=None
            Whose; None: that of the recommended one.
        n : int, default=5
            Number of pairs.

        Returns
        -------
        list of tuple
            Two classes, and how often one was taken for the other.

        Examples
        --------
        >>> import ecoc
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris()
        >>> y = iris.target_names[iris.target]
        >>> comparison = ecoc.compare(iris.data, y, "ridge", codings=["ovo"], random_state=0)
        >>> comparison.confused(n=1)[0][:2]
        ('versicolor', 'virginica')
        """
        predicted = (self.recommended if result is None else result).predicted
        wrong = self.y != predicted
        pairs = zip(self.y[wrong].tolist(), predicted[wrong].tolist())
        counts = Counter(tuple(sorted(pair, key=str)) for pair in pairs)
        return [(a, b, count) for (a, b), count in counts.most_common(n)]

    def effect_of_protection(self, first: CandidateResult, second: CandidateResult) -> int:
        """Tell whether the first candidate confuses the protected classes less often than the second.

        Parameters
        ----------
        first, second : CandidateResult
            Two results of this comparison.

        Returns
        -------
        int
            1 for less often, −1 for more often; 0 if the difference is at most two standard errors.

        Examples
        --------
        >>> import ecoc
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> comparison = ecoc.compare(X, y, "ridge", codings=["ecf"], columns=[3], protect=[(1, 2)], random_state=0)
        >>> comparison.effect_of_protection(comparison.recommended, comparison.recommended)
        0
        """
        one, other = (self._confuses_protected(result) for result in (first, second))
        fewer = int(other.sum()) - int(one.sum())
        return 0 if abs(fewer) <= 2 * sqrt(np.sum(one != other)) else int(np.sign(fewer))

    def plot(self, cost: str = "classifiers", ax: Any = None) -> Any:
        """Draw accuracy against a cost, with the Pareto front.

        Parameters
        ----------
        cost : str, default="classifiers"
            As of `front`.
        ax : matplotlib Axes, default=None
            Where to draw; None: on new axes.

        Returns
        -------
        matplotlib Axes
            Where it is drawn.

        Examples
        --------
        >>> import ecoc
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> comparison = ecoc.compare(X, y, "ridge", codings=["ova", "ovo"], random_state=0)
        >>> comparison.plot().get_xlabel()
        'classifiers'
        """
        from ecoc.comparison.plotting import draw

        return draw(self, cost, ax)

    def _confuses_protected(self, result: CandidateResult) -> NDArray[np.bool_]:
        """Tell for each sample whether a protected class is taken for the class it is protected from."""
        pairs = zip(self.y.tolist(), result.predicted.tolist())
        return np.array([frozenset(pair) in self.protected for pair in pairs])


def summarize(result: CandidateResult, y: NDArray[Any], protected: set[frozenset[Any]]) -> None:
    """Set a result's accuracy and its number of confusions of protected classes."""
    right = y == result.predicted
    result.accuracy = float(right.mean())
    result.standard_error = sqrt(result.accuracy * (1 - result.accuracy) / len(y))
    if protected:
        wrong = zip(y[~right].tolist(), result.predicted[~right].tolist())
        result.protected_errors = sum(frozenset(pair) in protected for pair in wrong)


def mark_fronts(results: list[CandidateResult]) -> None:
    """Set for which costs each result is on the Pareto front."""
    for name in COSTS:
        points = [(-result.accuracy, result.cost(name)) for result in results]
        for result, (error, cost) in zip(results, points):
            if cost is not None and not any(
                c is not None and e <= error and c <= cost and (e, c) != (error, cost) for e, c in points
            ):
                result.front.append(name)


def _as_good_as_the_best(results: list[CandidateResult]) -> list[CandidateResult]:
    """Return the results within one standard error of the most accurate."""
    best = max(results, key=lambda result: result.accuracy, default=None)
    return [] if best is None else [r for r in results if r.accuracy >= best.accuracy - best.standard_error]
