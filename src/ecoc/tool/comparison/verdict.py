"""Result of a comparison: its table, its fronts, and the recommended candidate."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.comparison.candidates import BaselineCandidate, Candidate, CodeCandidate, is_floor
from ecoc.tool.comparison.curves import Growth, gain
from ecoc.tool.comparison.folds import Contender
from ecoc.tool.comparison.results import COSTS, CandidateResult, Judge
from ecoc.tool.comparison.selection import Pool, choose, expected_merit, on_front, standard_error
from ecoc.tool.comparison.showing import draw, table_text
from ecoc.utils.folds import Folds


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Candidates with their accuracies and costs, and the one that is recommended.

    Attributes
    ----------
    results : list of CandidateResult
        A result for each candidate, fewest classifiers first.
    left_out : dict of Candidate to str
        Candidates that have no result, and why.
    judge : Judge
        The true labels and, if they were given, the costs of errors.
    folds : list of pairs of ndarray
        Training rows and test rows of each fold.
    protected : set of frozenset
        Pairs of classes that are protected.
    contenders : dict of str to Contender
        The learners by name, each with the parameters chosen in most folds, and the trials that the rules set for it. A
        single learner has an empty name.
    notes : list of str
        Notes for the reader: why nothing was tuned, or what was dropped to save time.
    seconds : float
        How long the comparison took.
    seed : int
        Seed of folds and models.
    n_rows : int
        Number of rows of the whole table, to which the recommended candidate will be fitted.
    sample : ndarray or None
        The rows that were cross-validated, in order, if they are not all.
    growth : Growth or None
        Learning curves of the recommended candidate and, if the table was sampled, of its rivals.

    See Also
    --------
    ecoc.compare : Run a comparison.

    Examples
    --------
    >>> import ecoc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = ecoc.compare(X, y, "ridge", codings=["ova", "ovo"], random_state=0)
    >>> comparison.recommended.candidate.name
    'LDA'
    >>> comparison.table["model"][:2]
    ['majority class', 'LDA']
    """

    results: list[CandidateResult]
    left_out: dict[Candidate, str]
    judge: Judge
    folds: Folds
    protected: set[frozenset[Any]]
    contenders: dict[str, Contender] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    seed: int = 0
    n_rows: int = 0
    sample: NDArray[np.intp] | None = None
    growth: Growth | None = None

    @property
    def y(self) -> NDArray[Any]:
        """The true labels."""
        return self.judge.y

    @property
    def contender(self) -> Contender | None:
        """The learner of the recommended candidate, or the first if it has none."""
        first = next(iter(self.contenders.values()), None)
        return self.contenders.get(self.recommended.candidate.learner, first)

    @property
    def learner(self) -> Any:
        """The learner of the recommended candidate, with the parameters that were chosen in most folds."""
        return None if self.contender is None else self.contender.learner

    @property
    def tuned(self) -> dict[str, Any]:
        """These parameters; empty if the learner's own were kept."""
        return {} if self.contender is None else self.contender.tuned

    @property
    def table(self) -> dict[str, list[Any]]:
        """A list for each column of the table; ``pandas.DataFrame(comparison.table)`` takes it as it is."""
        rows = self.rows()
        return {name: [row[name] for row in rows] for name in rows[0]}

    def rows(self) -> list[dict[str, Any]]:
        """Return the table row by row.

        Returns
        -------
        list of dict
            A row for each result. ``pareto`` has the costs for which the candidate is on the front.

        Examples
        --------
        >>> import ecoc
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> comparison = ecoc.compare(X, y, "ridge", codings=["ova"], random_state=0)
        >>> comparison.rows()[0]["model"], comparison.rows()[0]["pareto"][0]
        ('majority class', 'classifiers')
        """
        fronts = {cost: self.front(cost) for cost in COSTS}
        return [
            {**result.to_dict(), "pareto": [cost for cost in COSTS if result in fronts[cost]]}
            for result in self.results
        ]

    @cached_property
    def complete(self) -> list[CandidateResult]:
        """The results of the candidates that were tested in the most folds."""
        most = max(result.n_folds for result in self.results)
        return [result for result in self.results if result.n_folds == most]

    @property
    def best(self) -> CandidateResult:
        """The most accurate; if costs were given, the one whose errors cost least."""
        return max(self.complete, key=lambda result: result.merit)

    @cached_property
    def recommended(self) -> CandidateResult:
        """The candidate with the fewest models that ties with the best: within one standard error of the difference.

        A plain scikit-learn model that ties with a code, or beats it, and is less work to train is recommended instead.
        A candidate that protects classes is recommended only if it confuses them clearly less often and still predicts
        each of them. If the table was sampled, the best on more rows is recommended. If nothing beats always predicting
        the most frequent class, that is recommended.
        """
        if self.growth is not None:
            return next(result for result in self.results if result.candidate == self.growth.chosen)
        protecting = self.with_protection
        if protecting is None or self.lost_classes(protecting):
            return self.without_protection
        helps = self.effect_of_protection(protecting, self.without_protection) == 1
        return protecting if helps else self.without_protection

    def lost_classes(self, result: CandidateResult) -> list[Any]:
        """Return the protected classes that a candidate never predicts.

        Parameters
        ----------
        result : CandidateResult
            A result of this comparison.

        Returns
        -------
        list
            Labels.
        """
        wanted = {label for pair in self.protected for label in pair} & set(self.y[result.tested].tolist())
        return sorted(wanted - set(result.predicted[result.tested].tolist()), key=str)

    @cached_property
    def without_protection(self) -> CandidateResult:
        """The candidate that would be recommended without protection."""
        chosen = self._choose(self._eligible(protected=False))
        return self.best if chosen is None else chosen

    @cached_property
    def with_protection(self) -> CandidateResult | None:
        """The protected candidate that confuses the protected classes least; None if there is none."""
        return self._choose(self._eligible(protected=True))

    @cached_property
    def best_code(self) -> CandidateResult | None:
        """The recommended code or, if none is recommended, the most accurate; None if there is no code."""
        if isinstance(self.recommended.candidate, CodeCandidate):
            return self.recommended
        codes = [r for r in self._eligible(False) if isinstance(r.candidate, CodeCandidate)]
        return max(codes, key=lambda result: result.merit, default=None)

    @property
    def floor(self) -> CandidateResult | None:
        """The result of always predicting the most frequent class; None if it was not tried."""
        return next((result for result in self.results if is_floor(result.candidate)), None)

    @property
    def beats_the_floor(self) -> bool:
        """Whether the best candidate is clearly better than always predicting the most frequent class."""
        return self.floor is None or self.best.merit > self.floor.merit + 2 * self.merit_error(self.best)

    def merit_error(self, result: CandidateResult) -> float:
        """Return the standard error of a candidate's accuracy or, if costs were given, of its mean cost.

        Parameters
        ----------
        result : CandidateResult
            A result of this comparison.

        Returns
        -------
        float
            The standard error.
        """
        return float(standard_error(self.judge.merits(result.predicted, result.tested)))

    @property
    def expected_accuracy(self) -> float | None:
        """The accuracy to expect on new samples of the recommended candidate, fitted to all rows; None with costs.

        The choice was made by the accuracies of the table, so the accuracy of the chosen candidate tends to be too
        high. The mean bias is estimated by repeating the choice on samples drawn from the table, and subtracted. The
        models of the table also saw fewer rows; the learning curve estimates what the others add.
        """
        return self._expected[0] if self.judge.costs is None else None

    @property
    def expected_cost(self) -> float | None:
        """The mean cost to expect of the recommended candidate on new samples; None if no costs were given."""
        return None if self.judge.costs is None else -self._expected[0]

    @property
    def expected_error(self) -> float:
        """The standard error of `expected_accuracy` or `expected_cost`: of the sample and of the learning curve."""
        return self._expected[1]

    @cached_property
    def _expected(self) -> tuple[float, float]:
        points = [] if self.growth is None else self.growth.curves[self.growth.chosen]
        more, error = gain(points, self.n_rows, self.judge.top)
        if self.sample is not None and points:
            merits = points[-1].merits
            return points[-1].merit + more, hypot(max(float(standard_error(merits)), 1 / len(merits)), error)
        sampling = max(self.merit_error(self.recommended), 1 / len(self.y))  # no error is surer than one row
        if self.recommended is self.floor:  # its accuracy is the share of a class, whatever was chosen
            return self.recommended.merit, sampling
        protected = bool(self.recommended.candidate.protected)
        pool = self._eligible(protected) or [self.recommended]
        expected = expected_merit(self._pool(pool, protected), self.seed)
        return expected + min(more, (self.judge.top - expected) / 2), hypot(sampling, error)

    def front(self, cost: str = "classifiers") -> list[CandidateResult]:
        """Return the Pareto front: no other candidate is at least as accurate and as cheap, and better in one of them.

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
        if cost not in COSTS:
            raise ValueError(f"cost must be one of {', '.join(COSTS)}; got {cost!r}.")
        marks = on_front([r.merit for r in self.complete], [r.cost(cost) for r in self.complete])
        front = [result for result, mark in zip(self.complete, marks) if mark]
        return sorted(front, key=lambda result: (result.cost(cost), -result.merit))

    def confused(self, result: CandidateResult | None = None, n: int = 5) -> list[tuple[Any, Any, int]]:
        """Return the pairs of classes that a candidate confuses most.

        Parameters
        ----------
        result : CandidateResult, default=None
            The candidate; None: the recommended one.
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
        result = self.recommended if result is None else result
        wrong = result.tested & (self.y != result.predicted)
        pairs = zip(self.y[wrong].tolist(), result.predicted[wrong].tolist())
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
        return draw(self, cost, ax)

    def __repr__(self) -> str:
        chosen = self.recommended
        return f"Comparison({len(self.results)} candidates, recommended: {chosen.candidate.name})"

    def __str__(self) -> str:
        return table_text(self)

    def _eligible(self, protected: bool) -> list[CandidateResult]:
        """Return the results that may be recommended."""
        return [r for r in self.complete if r.candidate.protected == protected]

    def _choose(self, pool: list[CandidateResult]) -> CandidateResult | None:
        if not pool:
            return None
        return pool[choose(self._pool(pool, pool[0].candidate.protected))]

    def _pool(self, results: list[CandidateResult], protected: bool) -> Pool:
        """Return what the choice depends on, for the samples on which all candidates were tested."""
        rows = np.logical_and.reduce([result.tested for result in results])
        k = len(np.unique(self.y))
        return Pool(
            merits=np.column_stack([self.judge.merits(result.predicted, rows) for result in results]),
            classifiers=np.array([float(result.classifiers) for result in results]),
            work=np.array([result.candidate.work(result.classifiers, k) for result in results]),
            is_plain=np.array([isinstance(result.candidate, BaselineCandidate) for result in results]),
            confusions=np.column_stack([self._confuses_protected(result)[rows] for result in results])
            if protected
            else None,
        )

    def _confuses_protected(self, result: CandidateResult) -> NDArray[np.bool_]:
        """Tell for each sample whether a protected class is taken for the class it is protected from."""
        return result.tested & _are_pairs(self.y, result.predicted, self.protected)


def _are_pairs(y: NDArray[Any], predicted: NDArray[Any], pairs: Collection[frozenset[Any]]) -> NDArray[np.bool_]:
    return np.array([frozenset(pair) in pairs for pair in zip(y.tolist(), predicted.tolist())])
