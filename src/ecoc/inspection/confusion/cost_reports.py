"""Total cost and most expensive errors of a model, and a scorer for searches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import make_scorer
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ecoc.decoding.costs import cost_matrix
from ecoc.inspection.confusion.report import PRINTED
from ecoc.utils.estimators import innermost
from ecoc.utils.labels import class_indices


@dataclass(frozen=True, eq=False)
class CostReport:
    """Costs of a model's predictions; :func:`ecoc.cost_report` makes it.

    Attributes
    ----------
    total : float
        Sum of the costs of all errors and rejections.
    mean : float
        Cost for each sample.
    accuracy : float
        Share of correct predictions among the samples that were not rejected.
    coverage : float
        Share of samples that were not rejected.
    errors : list of tuple
        True label, predicted label, number of errors and their cost, the most expensive first.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, cost_report
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(SVC(), costs={(2, 1): 10}, random_state=0).fit(X[::2], y[::2])
    >>> report = cost_report(model, X[1::2], y[1::2])
    >>> report.errors[0][:2]
    (1, 2)
    """

    total: float
    mean: float
    accuracy: float
    coverage: float
    errors: list[tuple[Any, Any, int, float]]

    def __repr__(self) -> str:
        lines = [
            f"cost {self.total:g} ({self.mean:.4g} for each sample), accuracy {self.accuracy:.1%}"
            + (f" on {self.coverage:.1%} of the samples, the others rejected" if self.coverage < 1 else "")
        ]
        lines += [f"  {true!r} as {said!r}: {n} errors, cost {cost:g}" for true, said, n, cost in self.errors[:PRINTED]]
        if len(self.errors) > PRINTED:
            lines.append(f"  ... and {len(self.errors) - PRINTED} more kinds of errors")
        return "\n".join(lines)


def cost_report(
    model: Any, X: Any, y: ArrayLike, *, costs: Any = None, reject_cost: float | None = None, reject_label: Any = None
) -> CostReport:
    """Add up what a model's errors cost on samples with known classes.

    Parameters
    ----------
    model : classifier
        Any fitted classifier.
    X : object
        Samples, as the model takes them.
    y : array-like of shape (n_samples,)
        True classes.
    costs : mapping, DataFrame or array-like, default=None
        As in :class:`ecoc.ECOCClassifier`. None: the costs of the model itself, or 1 for every error if it has none.
    reject_cost : float, default=None
        Cost of a rejection. None: that of the model itself.
    reject_label : object, default=None
        Label of rejections. None: that of the model itself.

    Returns
    -------
    CostReport
        Total cost, accuracy, coverage, and the most expensive errors.

    See Also
    --------
    ecoc.cost_scorer : Make a scorer for cross-validation.
    ecoc.confusion_report : Compare errors with what the codewords promised.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, cost_report
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(LogisticRegression(), random_state=0).fit(X[::2], y[::2])
    >>> cost_report(model, X[1::2], y[1::2], costs={(1, 2): 5, (2, 1): 5}).total % 5
    0.0
    """
    own = innermost(model)[0]
    costs = getattr(own, "costs", None) if costs is None else costs
    reject_cost = getattr(own, "reject_cost", None) if reject_cost is None else reject_cost
    reject_label = getattr(own, "reject_label", None) if reject_label is None else reject_label
    predicted = model.predict(X)
    y = column_or_1d(y)
    check_consistent_length(y, predicted)
    classes = np.asarray(model.classes_)
    matrix = cost_matrix(costs, classes.tolist())
    rejected = _rejected(predicted, reject_label)
    true = class_indices(np.asarray(y)[~rejected], classes)
    said = class_indices(predicted[~rejected], classes, "predictions")
    each = matrix[true, said]
    total = float(each.sum() + rejected.sum() * (reject_cost or 0.0))
    wrong = true != said
    pairs, counts = np.unique(np.column_stack([true[wrong], said[wrong]]), axis=0, return_counts=True)
    names = classes.tolist()
    errors = [(names[i], names[j], int(n), float(n * matrix[i, j])) for (i, j), n in zip(pairs, counts)]
    errors.sort(key=lambda error: -error[3])
    accuracy = float(np.mean(~wrong)) if len(wrong) else 0.0
    return CostReport(total, total / len(predicted), accuracy, float(1 - rejected.mean()), errors)


def cost_scorer(
    costs: Any = None, *, labels: Sequence[Any] | None = None, reject_cost: float = 0.0, reject_label: Any = None
) -> Callable[..., float]:
    """Make a scorer for grid searches and cross-validation: minus the mean cost of the predictions.

    Parameters
    ----------
    costs : mapping, DataFrame or array-like, default=None
        As in :class:`ecoc.ECOCClassifier`.
    labels : sequence, default=None
        The class labels, in the order of a matrix of costs. None: those of the samples that are scored, sorted.
    reject_cost : float, default=0.0
        Cost of a prediction that is `reject_label`.
    reject_label : object, default=None
        Label of rejections.

    Returns
    -------
    callable
        A scikit-learn scorer; larger is better.

    See Also
    --------
    ecoc.cost_report : Costs of one model in detail.

    Examples
    --------
    >>> from ecoc import cost_scorer
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> scores = cross_val_score(LogisticRegression(max_iter=1000), X, y, scoring=cost_scorer({(2, 1): 10}))
    >>> bool((scores <= 0).all())
    True
    """

    def mean_cost(y_true: Any, y_pred: Any) -> float:
        true, said = np.asarray(y_true), np.asarray(y_pred)
        rejected = _rejected(said, reject_label)
        said, of = said[~rejected], true[~rejected]
        known = np.asarray(list(labels)) if labels is not None else np.unique([*true.tolist(), *said.tolist()])
        given = costs
        if labels is None and isinstance(costs, Mapping):  # a fold may lack classes that costs name
            given = {pair: cost for pair, cost in costs.items() if set(pair) <= set(known.tolist())}
        matrix = cost_matrix(given, known.tolist())
        each = matrix[class_indices(of, known), class_indices(said, known, "predictions")]
        return float((each.sum() + reject_cost * rejected.sum()) / len(true))

    scorer: Callable[..., float] = make_scorer(mean_cost, greater_is_better=False)
    return scorer


def _rejected(predicted: NDArray[Any], reject_label: Any) -> NDArray[np.bool_]:
    if reject_label is None:
        return np.array([label is None for label in predicted], dtype=bool)
    return np.asarray(predicted == reject_label)
