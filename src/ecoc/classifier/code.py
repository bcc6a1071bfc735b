"""Make the code book of a plan, and a seed for every column."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ecoc.classifier.features import design_features
from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import ECF, Coding, get_coding
from ecoc.decoding import Decoding
from ecoc.policy import Plan
from ecoc.training import TrainingCache
from ecoc.training.binary import offers_probabilities
from ecoc.training.cache import content_key, get_or_make
from ecoc.utils.folds import Folds


def make_code(
    plan: Plan,
    classes: NDArray[Any],
    X: Any,
    y: Any,
    estimator: Any,
    seed: int,
    folds: Folds | None = None,
    cache: TrainingCache | None = None,
) -> tuple[Coding, CodeBook, str]:
    """Return the coding as fitted, its code book with the labels of the classes, and how it got its features.

    A code that was designed for the same samples is in the cache. Learners of one kind that differ only in parameters
    share it, unless the coding tries the learner itself.
    """
    maker, first = plan.coding, listed(estimator)[0]
    context = plan.context(first, seed, folds)

    def make(_: Any = None) -> list[tuple[Coding, CodeBook, str]]:
        seen, how = design_features(X, y, first) if maker.needs_data and X is not None else (X, "")
        codebook = maker.build(len(classes), *((seen, y) if maker.needs_data else (None, y)), context=context)
        return [(maker, codebook.with_labels(classes.tolist()), how)]

    if cache is None or not maker.needs_data:
        ((maker, codebook, how),) = make()
    else:
        known = context if maker.tries_estimator and context.is_linear else replace(context, estimator=None)
        key = content_key((maker, known, getattr(first, "steps", [])[:-1]))
        ((maker, codebook, how),) = get_or_make(cache.entries("design", X, y), [key], make)
    if isinstance(estimator, Sequence) and len(estimator) != codebook.n_columns:
        raise ValueError(
            f"estimator lists {len(estimator)} estimators, but the code book has {codebook.n_columns} columns."
        )
    return maker, codebook, how


def coding_before_fit(coding: Any) -> Coding:
    """Return the coding of a name or object; for "auto", the coding whose parameters can be set before fit."""
    return ECF() if isinstance(coding, str) and coding == "auto" else get_coding(coding)


def check_probabilities(estimator: Any, decoding: Decoding) -> None:
    """Refuse a decoding of probabilities for estimators that have none."""
    if decoding.needs != "probabilities":
        return
    for each in listed(estimator):
        if not offers_probabilities(each):
            raise ValueError(
                f"{type(decoding).__name__} decoding needs probabilities, and {each!r} has no predict_proba. Wrap it "
                "in sklearn.calibration.CalibratedClassifierCV, or use another decoding, e.g. 'loss_weighted'."
            )


def listed(estimator: Any) -> Sequence[Any]:
    """Return the estimators as a sequence: one for each column, or the only one."""
    return estimator if isinstance(estimator, Sequence) else [estimator]


def column_seeds(code: NDArray[np.int8], seed: int) -> list[int]:
    """Return a seed for every column that depends on its entries, not its place; equal columns get different seeds."""
    seen: Counter[bytes] = Counter()
    seeds = []
    for column in (column.tobytes() for column in code.T):
        seeds.append((seed + crc32(column, seen[column])) % 2**31)
        seen[column] += 1
    return seeds
