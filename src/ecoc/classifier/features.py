"""Turn X into numbers for a coding: by the learner's own preprocessing, else imputed and encoded."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

_MOST_LEVELS = 50  # of a column of text, beyond which it says nothing about a class


class DesignFeatures(NamedTuple):
    """Features that only the design of the code uses, and a sentence that says how they were made; "" for X itself."""

    X: Any
    how: str


def design_features(X: Any, y: Any, estimator: Any) -> DesignFeatures:
    """Return X as numbers, for a coding that needs data, by the steps of a pipeline before the last one."""
    steps = getattr(estimator, "steps", [])[:-1]
    if steps:
        X = clone(estimator[:-1]).fit_transform(X, y)
        numbers, how = _numbers(X)
        made = f"the pipeline's steps {', '.join(name for name, _ in steps)}"
        return DesignFeatures(numbers, made + (f"; {how}" if how else ""))
    return DesignFeatures(*_numbers(X))


def _numbers(X: Any) -> tuple[Any, str]:
    """Return X as finite numbers, and what was done to get them."""
    if issparse(X):
        return X, ""
    if hasattr(X, "columns"):
        return _from_frame(X)
    array = np.asarray(X)
    if array.dtype.kind in "biuf":
        return _imputed(array)
    if array.ndim == 1:
        return _from_texts(array)
    return _joined([array[:, j] for j in range(array.shape[1])])


def _from_frame(frame: Any) -> tuple[Any, str]:
    columns = [frame[name] for name in frame.columns]
    return _joined([column.to_numpy() for column in columns])


def _joined(columns: list[Any]) -> tuple[Any, str]:
    """Return numeric columns as they are and one column for each level of the others."""
    parts, encoded, dropped = [], 0, 0
    for column in columns:
        try:
            parts.append(np.asarray(column, dtype=np.float64)[:, None])
            continue
        except (TypeError, ValueError):
            pass
        levels, codes = np.unique(np.asarray(column, dtype=object).astype(str), return_inverse=True)
        if len(levels) > max(_MOST_LEVELS, 1):
            dropped += 1
            continue
        parts.append(np.eye(len(levels))[codes])
        encoded += 1
    if not parts:
        return np.zeros((len(columns[0]), 1)), "no column has numbers or few categories: the design ignores the data"
    numbers, how = _imputed(np.hstack(parts))
    notes = [how] if how else []
    notes += [f"{encoded} columns of categories encoded"] if encoded else []
    notes += [f"{dropped} columns of text left out"] if dropped else []
    return numbers, "; ".join(notes)


def _from_texts(texts: Any) -> tuple[Any, str]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer().fit_transform([str(text) for text in texts]), "words of the texts, weighted by tf-idf"


def _imputed(array: Any) -> tuple[Any, str]:
    array = np.asarray(array, dtype=np.float64)
    missing = ~np.isfinite(array)
    if not missing.any():
        return array, ""
    array = np.where(missing, np.nan, array)
    columns = missing.any(axis=0)
    with np.errstate(invalid="ignore"):
        medians = np.array([np.nanmedian(column) if np.isfinite(column).any() else 0.0 for column in array.T])
    return np.where(missing, medians, array), f"missing values of {int(columns.sum())} columns replaced by the median"
