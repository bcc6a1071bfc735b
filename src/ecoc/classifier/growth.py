"""Give codewords to classes that appear in a stream, so that the columns learn them."""

from dataclasses import replace
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.classifier.fitted import FittedModel
from ecoc.classifier.stream import Stream
from ecoc.codes.codebook import CodeBook
from ecoc.codes.codebook.free import free_codewords
from ecoc.codes.coding import Coding, DenseRandom
from ecoc.training.plain import PlainDichotomizers, PlainStream
from ecoc.training.stream import Rivals, StreamDichotomizers

Resumed = tuple[CodeBook, StreamDichotomizers | PlainStream | Rivals, Stream | None]


def joined(classes: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
    """Join labels of one kind; numbers and texts are not mixed."""
    kinds = [
        "number" if part.dtype.kind in "biuf" else "text" if part.dtype.kind in "US" else "object"
        for part in (classes, more)
    ]
    if len(more) and kinds[0] != kinds[1]:
        raise ValueError(
            f"the classes of the model are labels such as {classes.tolist()[0]!r}, and the new ones such as "
            f"{more.tolist()[0]!r}; give labels of the same type."
        )
    return np.concatenate([classes, more])


def announced_labels(
    y: NDArray[Any], classes: ArrayLike | None, known: NDArray[Any] | None, new_classes: str
) -> tuple[NDArray[Any], bool]:
    """Return all labels known after a batch, and whether some are new; `known` is None for the first batch."""
    adds = new_classes == "add"
    if known is None and classes is None and not adds:
        raise ValueError("The first call of partial_fit needs classes, all labels that will ever come.")
    before = np.unique(y) if known is None else known
    announced = before if classes is None else np.unique(classes)
    if known is not None and not np.array_equal(announced, known):
        raise ValueError("classes must be those of the first call; leave them out in later calls.")
    unknown = np.setdiff1d(y, announced)
    if len(unknown) and not adds:
        raise ValueError(
            f"y has labels that classes did not announce: {unknown[:5].tolist()}. A model with new_classes='add' adds "
            "them."
        )
    return np.unique(joined(announced, unknown)), known is not None and len(unknown) > 0


def resume(
    estimator: Any, model: FittedModel, stream: Stream | None, X: Any, y: NDArray[Any], coding: Coding
) -> Resumed:
    """Return the code, the models to train, and the state of a stream, with codewords for all labels in y."""
    book, trained = model.codebook, model.dichotomizers
    n_new = len(np.setdiff1d(y, book.labels))
    if stream is not None and stream.rivals is not None and not n_new:
        return book, stream.rivals.copy(), stream
    if isinstance(trained, PlainDichotomizers):
        if n_new:
            raise ValueError("coding='plain' cannot learn new classes; use a code, e.g. coding='ova'.")
        return book, PlainStream.resume(trained), stream
    models = StreamDichotomizers.resume(trained, estimator, book.matrix)
    if not n_new:
        return book, models, stream
    k = book.n_classes + n_new
    wanted = ceil(10 * log2(k)) if isinstance(coding, DenseRandom) else min(k, ceil(10 * log2(k)))
    book, stream = with_codewords(model, stream, X, y, wanted)
    return book, models.with_code(estimator, book.matrix), stream


def with_codewords(
    model: FittedModel, stream: Stream | None, X: Any, y: NDArray[Any], n_columns: int
) -> tuple[CodeBook, Stream]:
    """Return the code and the state of a stream with codewords for all labels in y; the columns then learn them.

    A new class gets the free codeword that is nearest to the mean output of its first samples. Random columns are
    appended to the code, up to a length; their remembered outputs for earlier samples carry no information.
    """
    assert stream is not None
    book, recent = model.codebook, stream.recent
    assert recent is not None
    assert recent.outputs is not None
    unknown = np.setdiff1d(y, book.labels)
    outputs = model.outputs(X)
    scale = np.sqrt((outputs**2).mean(axis=0))
    means = np.array([outputs[y == label].mean(axis=0) for label in unknown]) / np.where(scale > 0, scale, 1.0)
    more = max(n_columns - book.n_columns, 0)
    rng = np.random.default_rng(book.matrix.shape)
    sides = rng.permuted(np.resize([1, -1], (more, book.n_classes + len(unknown))), axis=1).T
    matrix = np.hstack([book.matrix, sides[: book.n_classes].astype(np.int8)])
    means = np.hstack([means, 0.01 * sides[book.n_classes :]])  # nothing is known there
    words = free_codewords(matrix, means, book.min_distance)
    for first, *others in book.duplicate_columns():  # they share a classifier
        for j in others:
            words[:, j] = words[:, first] * np.sign(matrix[:, first].astype(int) @ matrix[:, j])
    names = joined(book.labels, unknown)
    order = np.argsort(names, kind="stable")
    place = np.argsort(order)
    drawn = recent.outputs[
        :, rng.integers(book.n_columns, size=more)
    ]  # constants would have no variance within classes
    padded = np.hstack([recent.outputs, rng.permuted(drawn, axis=0)])
    stream = Stream(stream.keeps_evidence, replace(recent, outputs=padded, held_out=padded, y=place[recent.y]))
    return CodeBook(np.vstack([matrix, words])[order], names[order].tolist()), stream
