"""Make a list of folds from any `cv` that scikit-learn accepts."""

import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

Rows = NDArray[np.intp]
Folds = list[tuple[Rows, Rows]]


def make_folds(cv: Any, y: NDArray[Any], random_state: Any = None, groups: Any = None) -> Folds:
    """Return pairs of training and test rows; `groups` are for a splitter that holds them out together.

    A number as `cv` means that many shuffled, stratified folds, or as many as the largest class has samples.
    """
    if is_number_of_folds(cv):
        cv = _stratified(int(cv), y, random_state)
    if not hasattr(cv, "split"):
        return check_pairs(cv, len(y))
    with warnings.catch_warnings():
        # Stratified folds are right for a class with fewer samples than folds, too.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        try:
            return list(cv.split(np.zeros(len(y)), y, groups))
        except ValueError as error:
            if groups is not None or "groups" not in str(error):
                raise
            raise ValueError(
                f"cv={cv!r} needs groups: call fit(X, y, groups=...). In a cross-validation, enable metadata routing "
                "and call set_fit_request(groups=True) on the classifier."
            ) from error


def is_number_of_folds(cv: Any) -> bool:
    """Tell whether `cv` is a number of folds."""
    return isinstance(cv, Integral) and not isinstance(cv, bool)


def check_pairs(pairs: Iterable[Any], n: int) -> Folds:
    """Return pairs of training and test rows as integer arrays; raise an error if a row is not from 0 to n - 1."""
    folds = []
    for i, pair in enumerate(pairs):
        try:
            train, test = (_rows(part, n) for part in pair)
        except (TypeError, ValueError, IndexError):
            raise ValueError(
                f"cv[{i}] must be a pair of arrays, training rows and test rows, each from 0 to {n - 1}, for the {n} "
                "samples that are fitted. Inside a cross-validation, fixed pairs do not match its training part; use a "
                "splitter instead, e.g. GroupKFold with groups."
            ) from None
        folds.append((train, test))
    if not folds:
        raise ValueError("cv has no folds; give a number of folds, a splitter, or pairs of rows.")
    return folds


def held_out_fold(folds: Folds, n: int) -> Rows:
    """Return the number of the fold that holds out each sample; −1 for a sample that is never held out."""
    fold = np.full(n, -1)
    for f, (_, test) in enumerate(folds):
        fold[test] = f
    return fold


def folds_among(folds: Folds, used: Rows, n: int) -> Folds:
    """Return the same folds for the samples in `used`, with row numbers that refer to `used`."""
    place = np.full(n, -1)
    place[used] = np.arange(len(used))
    return [(place[train][place[train] >= 0], place[test][place[test] >= 0]) for train, test in folds]


def _stratified(n_folds: int, y: NDArray[Any], random_state: Any) -> Any:
    largest = int(np.unique(y, return_counts=True)[1].max())
    if min(n_folds, largest) < 2:  # every class has one sample: nothing to stratify
        return KFold(min(3, len(y)), shuffle=True, random_state=random_state)
    return StratifiedKFold(min(n_folds, largest), shuffle=True, random_state=random_state)


def _rows(part: Any, n: int) -> Rows:
    rows = np.asarray(part)
    if rows.dtype == bool:
        if rows.shape != (n,):
            raise ValueError(rows.shape)
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (len(rows) and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n)):
        raise ValueError(rows.shape)
    return rows.astype(np.intp)
