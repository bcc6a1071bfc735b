"""Fit Dask arrays and data frames on a cluster with XGBoost, and predict lazily."""

import warnings
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.classifier.fitting import Fit, Settings
from ecoc.classifier.out_of_core import (
    Survey,
    as_batch,
    check_learner,
    drawn,
    fit_surveyed,
    merged,
    rows_to_draw,
    surveyed,
    to_train,
)
from ecoc.policy import Plan
from ecoc.training.interfaces import Dichotomizers, Task
from ecoc.training.xgboosting import train_on_dask
from ecoc.utils.optional import optional


def is_dask(X: Any) -> bool:
    """Tell whether the samples are a Dask array or data frame, without importing Dask."""
    return type(X).__module__.startswith(("dask.", "dask_expr."))


def as_array(X: Any, n_axes: int, name: str) -> Any:
    """Return a Dask array in chunks of whole rows."""
    if is_dask(X) and hasattr(X, "to_dask_array"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # strings become objects
            X = X.to_dask_array()
    if not (is_dask(X) and hasattr(X, "chunks") and X.ndim == n_axes):
        raise ValueError(
            f"{name} must be an array{' or a series' if n_axes == 1 else ' or a data frame'} of Dask with {n_axes} "
            f"axes, because X is one of Dask: dask.array.from_array makes it, and .compute() undoes it."
        )
    return X.rechunk({1: -1}) if n_axes == 2 and X.numblocks[1] > 1 else X


class OnDask:
    """A fit on a cluster: a survey by its workers, then training by all of them together.

    Parameters
    ----------
    estimator : XGBClassifier
        The learner.
    X, y : collections of Dask
        Samples and labels, in the same partitions.
    *others : None
        Other arguments of `fit`, which are refused.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, *others: Any) -> None:
        if any(other is not None for other in others):
            raise ValueError("Dask arrays are fitted without sample_weight, groups and other arguments.")
        check_learner(estimator, Task(np.array([[1], [-1]], dtype=np.int8), np.zeros((2, 1)), np.arange(2)), "on Dask")
        if estimator.early_stopping_rounds is not None or estimator.enable_categorical:
            raise ValueError("with Dask, XGBClassifier takes no early_stopping_rounds and no enable_categorical.")
        optional("xgboost.dask", "XGBoost trains on a cluster with Dask's data frames", "'dask[dataframe]'")
        distributed = optional("distributed", "a cluster trains Dask arrays", "'ecoc[dask]'")
        try:
            self.client = distributed.get_client()
        except ValueError as error:
            raise ValueError(
                "a cluster trains Dask arrays, and there is no client: dask.distributed.Client() starts workers on "
                'this computer, Client("scheduler:8786") connects to others; or give X.compute() and y.compute().'
            ) from error
        X, y = as_array(X, 2, "X"), as_array(y, 1, "y")
        if not np.isnan([*X.shape, *y.shape]).any():
            if len(X) != len(y):
                raise ValueError(f"X has {len(X)} rows and y has {len(y)} labels.")
            y = y.rechunk((X.chunks[0],))
        if X.numblocks[0] != y.numblocks[0]:
            raise ValueError(f"X has {X.numblocks[0]} partitions and y has {y.numblocks[0]}; make them the same.")
        delayed = optional("dask", "a cluster trains Dask arrays", "'ecoc[dask]'").delayed
        pairs = zip(X.to_delayed().ravel(), y.to_delayed().ravel())
        self.parts = [delayed(as_batch, nout=2)(*pair) for pair in pairs]
        self.delayed, self.n_features = delayed, X.shape[1]

    def survey(self, seed: int) -> Survey:
        """Count the classes and draw samples on the workers, which also merge what they have drawn."""
        most_rows, at_once = rows_to_draw(self.n_features, None), 8
        draw, merge = self.delayed(drawn), self.delayed(merged)
        found = [draw(X, y, i, seed, most_rows) for i, (X, y) in enumerate(self.parts)]
        while len(found) > 1:
            found = [merge(found[i : i + at_once], most_rows) for i in range(0, len(found), at_once)]
        return surveyed(self.client.compute(found[0]).result(), seed)

    def fit(self, settings: Settings, plan: Plan, found: Survey) -> Fit:
        """Carry out a plan."""
        array = optional("dask.array", "a cluster trains Dask arrays", "'ecoc[dask]'")

        def train(estimator: Any, matrix: Any, _: Task) -> Dichotomizers:
            numbered = self.delayed(to_train, nout=2)
            parts = [numbered(X, y, i, found.classes, found.limits, found.seed) for i, (X, y) in enumerate(self.parts)]
            shape, n = (np.nan, self.n_features), (np.nan,)
            X = array.concatenate([array.from_delayed(X, shape, np.float32) for X, _ in parts], 0, True)
            y = array.concatenate([array.from_delayed(y, n, np.intp) for _, y in parts], 0, True)
            try:
                return train_on_dask(self.client, estimator, matrix, X, y)
            except Exception as error:
                raise RuntimeError(
                    f"training on the cluster failed with the {type(error).__name__} above, and the classifier is as "
                    "it was before. If a worker has died, fit again: the others, and new ones, then train."
                ) from error

        made = fit_surveyed(settings, plan, found, train, "on Dask")
        return made._replace(
            plan=replace(made.plan, training="on the workers of Dask, all columns as one multi-label model")
        )


def lazily(model: Any, method: str, X: Any) -> NDArray[Any]:
    """Return a Dask array with the results of a method of the model for the samples."""
    X, model = as_array(X, 2, "X"), copy(model)
    one = getattr(model, method)(np.zeros((1, X.shape[1]), dtype=np.float32))

    def apply(part: Any) -> Any:
        return getattr(model, method)(np.asarray(part, dtype=np.float32)) if len(part) else one[:0]

    others = {"drop_axis": 1} if one.ndim == 1 else {"chunks": (X.chunks[0], (one.shape[1],))}
    lazy: NDArray[Any] = X.map_blocks(apply, dtype=one.dtype, meta=one[:0], **others)
    return lazy
