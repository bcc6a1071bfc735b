"""Check X and y, and pass data that only the estimator understands through unchanged."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils.multiclass import check_classification_targets, is_multilabel
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from ecoc.decoding import Decoding
from ecoc.policy.learner import offers_probabilities, takes_raw_input
from ecoc.policy.rules import GROUPED_FOLDS
from ecoc.training.interfaces import Task
from ecoc.training.pairwise import numbered_rows
from ecoc.utils.estimators import last_step
from ecoc.utils.folds import Folds, check_pairs, folds_among, is_number_of_folds, make_folds
from ecoc.utils.messages import some
from ecoc.utils.numerics import without_duplicates
from ecoc.utils.scikit import get_tags

Classes = NDArray[np.intp]


class Samples(NamedTuple):
    """The samples of a fit: those to train on, those to design the code from, and the user's folds."""

    task: Task
    folds: Folds | None
    design_X: Any
    design_y: NDArray[Any]
    design_folds: Folds | None


def make_samples(
    X: Any, y: NDArray[Any], indices: Classes, weight: Any, params: dict[str, Any], cv: Any, groups: Any, pairwise: bool
) -> Samples:
    """Return the samples of a fit, with numbered classes and without samples of weight 0.

    The code is designed for every class. If a class has no weight, the design takes all samples.
    """
    n_classes = int(indices.max()) + 1
    no_code = np.empty((n_classes, 0), dtype=np.int8)
    task = Task(no_code, numbered_rows(X) if pairwise else X, indices, weight, params)
    used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
    n_used = len(np.unique(indices[used]))
    if n_used < 2:
        raise ValueError("sample_weight leaves samples of one class only; a classifier needs at least two.")
    folds = own_folds(cv, indices, used, groups)
    if len(used) < len(y):
        task = task.part(used)
    if n_used == n_classes and not pairwise:
        return Samples(task, folds, task.X, y[used], folds)
    return Samples(task, folds, X, y, own_folds(cv, indices, np.arange(len(y)), groups))


def listed(estimator: Any) -> Sequence[Any]:
    """Return the estimators as a sequence: one for each column, or the only one."""
    return estimator if isinstance(estimator, Sequence) else [estimator]


def is_raw(X: Any) -> bool:
    """Tell whether X is no array of numbers: a data frame, or texts and other objects."""
    if issparse(X):
        return False
    return hasattr(X, "columns") or np.asarray(X).dtype.kind not in "biuf"


def allows_nan(estimator: Any) -> bool:
    """Tell whether an estimator copes with missing values.

    An estimator without this tag, and a pipeline, whose steps may impute, decide when they are fitted.
    """
    if not hasattr(estimator, "__sklearn_tags__") or hasattr(estimator, "steps"):
        return True
    if hasattr(estimator, "estimator") and allows_nan(estimator.estimator):  # a search, or a wrapper of one
        return True
    return bool(get_tags(estimator).input_tags.allow_nan)


def check_probabilities(estimator: Any, decoding: Decoding) -> None:
    """Raise an error if a decoding needs probabilities and the estimators have none."""
    if decoding.needs != "probabilities":
        return
    for each in listed(estimator):
        if not offers_probabilities(each):
            raise ValueError(
                f"{type(decoding).__name__} decoding needs probabilities, and {each!r} has no predict_proba. Wrap it "
                "in sklearn.calibration.CalibratedClassifierCV, or use another decoding, e.g. 'loss_weighted'."
            )


def check_X(owner: Any, X: Any, estimators: Any, *, reset: bool) -> Any:
    """Return X as the binary classifiers take it; `owner` records or checks the number and names of the features.

    A data frame, and an array that is not of numbers, go unchanged to an estimator that may understand them. Everything
    else is checked as scikit-learn does: numbers, two dimensions, and finite unless the estimator copes with NaN.
    """
    if not reset and passes_every_check(owner, X):
        return X
    if is_raw(X) and all(map(takes_raw_input, estimators)):
        two_dimensional = hasattr(X, "columns") or np.ndim(X) == 2
        X = X if hasattr(X, "columns") else np.asarray(X, dtype=object)
        return validate_data(owner, X, reset=reset, skip_check_array=True, ensure_2d=two_dimensional)
    finite = "allow-nan" if all(map(allows_nan, estimators)) else True
    X = validate_data(owner, X, reset=reset, accept_sparse=["csr", "csc"], ensure_all_finite=finite)
    return without_duplicates(X)


def passes_every_check(owner: Any, X: Any) -> bool:
    """Tell, in a tenth of the time that scikit-learn takes for a row, whether it would return X as it is."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == getattr(owner, "n_features_in_", None)
        and not hasattr(owner, "feature_names_in_")
        and bool(np.isfinite(X).all())
    )


def check_X_y(owner: Any, X: Any, y: Any, estimators: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
    """Return X as the binary classifiers take it, and class labels in one dimension."""
    if y is None:
        raise ValueError(f"{type(owner).__name__} requires y to be passed, but the target y is None.")
    check_one_label_each(y, type(owner).__name__)
    X = check_X(owner, X, estimators, reset=reset)
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    check_classification_targets(y)
    check_class_weight(estimators, y)
    return X, y


def check_one_label_each(y: Any, model: str) -> None:
    """Raise an error for targets with several labels for a sample."""
    listed = y if isinstance(y, list | tuple) else ()
    if is_multilabel(y) or any(isinstance(each, list | tuple | set) and len(each) != 1 for each in listed):
        raise ValueError(
            "multilabel targets are not supported: y must have one label for each sample. "
            f"MultiOutputClassifier({model}(…)) trains a model for each column of y."
        )


def check_class_weight(estimators: Any, y: NDArray[Any]) -> None:
    """Raise an error for weights of classes: columns would take them for weights of their two sides, 0 and 1.

    Where both are meant by the same numbers, a warning says what is weighted.
    """
    instead = "sample_weight=compute_sample_weight(class_weight, y), of sklearn.utils.class_weight"
    for each in estimators:
        given = getattr(last_step(each), "class_weight", None)
        if not isinstance(given, Mapping):
            continue
        if not set(given) <= {0, 1}:
            raise ValueError(
                f"class_weight={given!r} names classes, but a column has two sides, 0 and 1. Give fit {instead}, or "
                "'balanced'."
            )
        classes = set(np.unique(y).tolist())
        if len(classes) > 2 and set(given) <= classes:
            warnings.warn(
                f"class_weight={given!r} weights the two sides of each column, 0 and 1, not the classes of these "
                f"names. For classes, give fit {instead}.",
                UserWarning,
                stacklevel=5,
            )


def rows_of(labels: Any, classes: NDArray[Any], name: str) -> NDArray[np.intp]:
    """Return the positions of labels among the classes; all or none if `labels` is True or False."""
    if isinstance(labels, bool):
        return np.arange(len(classes)) if labels else np.arange(0)
    unknown = np.setdiff1d(np.asarray(labels), classes)
    if len(unknown):
        raise ValueError(f"{name} names {some(unknown.tolist())}, which the classifier does not know.")
    return np.flatnonzero(np.isin(classes, labels))


def folds_are_ours(cv: Any) -> bool:
    """Tell whether `cv` leaves the folds to us: it is "auto" or a number."""
    return isinstance(cv, str) or is_number_of_folds(cv)


def own_folds(cv: Any, y: Classes, used: Classes, groups: Any = None) -> Folds | None:
    """Return the user's own folds of the samples in use; None if `cv` is "auto" or a number, and the folds are ours.

    Groups make folds of their own: with "auto" or a number, samples of one group are held out together.
    """
    members: NDArray[Any] | None = None
    if groups is not None:
        check_consistent_length(y, groups)
        members = np.asarray(column_or_1d(groups))[used]
        if folds_are_ours(cv):
            n_folds = GROUPED_FOLDS if isinstance(cv, str) else int(cv)
            cv = StratifiedGroupKFold(min(n_folds, max(2, len(np.unique(members)))))
    if folds_are_ours(cv):
        return None
    if hasattr(cv, "split"):
        return make_folds(cv, y[used], groups=members)
    return folds_among(check_pairs(cv, len(y)), used, len(y))
