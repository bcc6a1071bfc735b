"""Which code is best? Held-out accuracy of a discriminant on the proxy's outputs, and what is as good as the best."""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold

from ecoc._threads import one_blas_thread

Array = NDArray[np.float64]


def held_out_hits(outputs: Array, y: NDArray[np.intp], code: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether each sample is recognised by a discriminant of the other folds' outputs under a code."""
    projected = outputs @ code
    hits = np.zeros(len(y), dtype=bool)
    for train, test in KFold(5, shuffle=True, random_state=0).split(projected):
        if len(np.unique(y[train])) < 2:
            continue
        with one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of classes with one sample
            model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(projected[train], y[train])
            hits[test] = model.predict(projected[test]) == y[test]
    return hits


def shortest_of_the_best(hits: dict[int, NDArray[np.bool_]]) -> int:
    """The smallest key whose accuracy is within one standard error of the best."""
    best = max(hits, key=lambda m: hits[m].mean())
    enough = hits[best].mean() - hits[best].std() / np.sqrt(len(hits[best]))
    return min(m for m in hits if hits[m].mean() >= enough)
