"""Get the code book, an order of the classes, and shorter versions of a model, for displays and reports."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage

from ecoc.classifier import ECOCClassifier
from ecoc.codes.codebook import CodeBook
from ecoc.utils.codewords import shortest_prefix
from ecoc.utils.estimators import unwrap
from ecoc.utils.scikit import n_samples, safe_indexing

Matrix = NDArray[np.float64]
Indices = NDArray[np.intp]
Order = Literal["clustered", "given"] | ArrayLike


def codebook_of(model: Any) -> CodeBook:
    """Return the code book of a fitted model."""
    codebook = getattr(unwrap(model)[0], "code_book_", None)
    if isinstance(codebook, CodeBook):
        return codebook
    raise TypeError(f"expected a model with a code book, such as an ECOCClassifier; got {type(model).__name__}")


def find_codebook(model: Any) -> CodeBook | None:
    """Return the code book of a fitted model; None if it has no code, like the learner's own multi-class fit."""
    inner = unwrap(model)[0]
    codebook = getattr(inner, "code_book_", None)
    is_plain = getattr(getattr(inner, "coding_", None), "trains_one_model", False)
    return codebook if isinstance(codebook, CodeBook) and not is_plain else None


def classifier_of(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the ECOCClassifier at the end of a model, and checked samples as the classifier receives them."""
    classifier, X = unwrap(model, X, expected=ECOCClassifier)
    return classifier, classifier.validate(X)


def class_order(order: Order, distances: Matrix) -> Indices:
    """Return the rows of the classes in the order to draw them.

    "given" leaves them as they are, "clustered" puts near classes side by side, and a list of rows is taken as it is.
    """
    k = len(distances)
    if isinstance(order, str):
        if order == "given":
            return np.arange(k)
        if order != "clustered":
            raise ValueError(f"order must be 'clustered', 'given' or a list of rows; got {order!r}")
        optimal = k <= 200  # takes time proportional to k³
        tree = linkage(distances[np.triu_indices(k, 1)], "average", optimal_ordering=optimal)
        return np.asarray(leaves_list(tree), dtype=np.intp)
    rows = np.asarray(order)
    if rows.dtype.kind not in "iu" or not np.array_equal(np.sort(rows), np.arange(k)):
        raise ValueError(f"order must hold each row 0, …, {k - 1} once")
    return rows.astype(np.intp)


def possible_lengths(codebook: CodeBook, most: int) -> list[int]:
    """Return the lengths m for which the first m columns separate all classes.

    If there are more than `most`, the result has about `most` of them, at even ratios.
    """
    least = shortest_prefix(codebook.matrix) or codebook.n_columns
    if codebook.n_columns - least < most:
        return list(range(least, codebook.n_columns + 1))
    return [int(m) for m in np.unique(np.geomspace(least, codebook.n_columns, most).round())]


def blocks(n: int, width: int, entries: int = 2**24) -> Iterator[slice]:
    """Yield the rows of blocks of samples with `width` outputs, scores or probabilities each, 128 MB in all."""
    step = max(1, entries // width)
    return (slice(start, start + step) for start in range(0, n, step))


def predictions_at(model: Any, X: Any, lengths: list[int], entries: int = 2**24) -> Indices:
    """Return the predictions of a model cut to each length, as an array (n_lengths, n_samples) of class positions.

    A sample that the model rejects has the position −1.

    X must be validated. The outputs are computed once, because those of a cut model are the first of the whole one.
    """
    cut = [model if m == model.n_columns_ else model.truncate(m) for m in lengths]
    n = n_samples(X)
    predicted = np.empty((len(lengths), n), dtype=np.intp)
    for rows in blocks(n, max(model.code_book_.shape), entries):
        outputs = model.fitted_.outputs_to_decode(safe_indexing(X, rows))
        for i, shorter in enumerate(cut):
            predicted[i, rows] = shorter.choose(shorter.fitted_.of_longer(outputs))
    return predicted
