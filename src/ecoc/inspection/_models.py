"""What is there to look at? The model inside a pipeline, an order of its classes, and its shorter versions."""

from bisect import bisect_left
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codebook import CodeBook
from ecoc.exceptions import CodeBookError

Matrix = NDArray[np.float64]
Indices = NDArray[np.intp]
Order = Literal["clustered", "given"] | ArrayLike

_MOST_OPTIMAL = 200  # classes for which the leaves are put in the best order, which takes time like k³
_BLOCK_ENTRIES = 2**24  # of outputs or scores held at once: 128 MB


def unwrapped(model: Any, X: Any = None) -> tuple[Any, Any]:
    """The fitted model at the end of a search or pipelines, and the samples as it is given them."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import check_is_fitted

    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline):
            X = X if X is None or len(model.steps) == 1 else model[:-1].transform(X)
            model = model.steps[-1][1]
        else:
            check_is_fitted(model)
            return model, X


def codebook_of(model: Any) -> CodeBook:
    """The code book of a fitted model."""
    book = getattr(unwrapped(model)[0], "code_book_", None)
    if isinstance(book, CodeBook):
        return book
    wanted = "an ECOCClassifier or a RelaxedHierarchyClassifier"
    raise TypeError(f"expected a model with a code book, {wanted}; got {type(model).__name__}")


def classifier_of(model: Any, X: Any = None) -> tuple[Any, Any]:
    """The ECOCClassifier at the end of a model, and the samples as it takes them."""
    from ecoc.classifier import ECOCClassifier

    inner, X = unwrapped(model, X)
    if not isinstance(inner, ECOCClassifier):
        raise TypeError(f"expected an ECOCClassifier, or a Pipeline that ends in one; got {type(inner).__name__}")
    return inner, X if X is None else inner.validate(X)


def class_order(order: Order, distances: Matrix) -> Indices:
    """Rows of the classes in an order: as given, by places, or the leaves of a clustering, near ones side by side."""
    k = len(distances)
    if isinstance(order, str):
        if order == "given":
            return np.arange(k)
        if order != "clustered":
            raise ValueError(f"order must be 'clustered', 'given' or a list of rows; got {order!r}")
        from scipy.cluster.hierarchy import leaves_list, linkage

        tree = linkage(distances[np.triu_indices(k, 1)], "average", optimal_ordering=k <= _MOST_OPTIMAL)
        return np.asarray(leaves_list(tree), dtype=np.intp)
    rows = np.asarray(order)
    if rows.dtype.kind not in "iu" or not np.array_equal(np.sort(rows), np.arange(k)):
        raise ValueError(f"order must hold each row 0, …, {k - 1} once")
    return rows.astype(np.intp)


def possible_lengths(book: CodeBook, most: int) -> list[int]:
    """Numbers of first columns that tell all classes apart, at most so many of them, evenly by ratio."""

    def is_code(m: int) -> bool:
        try:
            CodeBook(book.matrix[:, :m])
        except CodeBookError:
            return False
        return True

    least = 1 + bisect_left(range(1, book.n_columns), True, key=is_code)
    if book.n_columns - least < most:
        return list(range(least, book.n_columns + 1))
    return [int(m) for m in np.unique(np.geomspace(least, book.n_columns, most).round())]


def chosen_at(model: Any, X: Any, lengths: list[int]) -> Indices:
    """(n_lengths, n) classes, as places in classes_, that the model would choose if it was cut to each length.

    Outputs are computed once: those of a cut model are the first ones of the whole.
    """
    l = model.n_columns_
    cuts = [model if m == l else model.truncate(m) for m in lengths]
    chosen = np.empty((len(lengths), X.shape[0]), dtype=np.intp)
    step = max(1, _BLOCK_ENTRIES // max(model.code_book_.shape))
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        outputs = model.fitted_.outputs(X[rows], model.decoding_.needs)
        for place, (m, cut) in enumerate(zip(lengths, cuts)):
            chosen[place, rows] = cut.decoding_.scores(outputs[:, :m]).argmax(axis=1)
    return chosen


def short(label: Any, most: int = 24) -> str:
    """A label on one line, its end left out if it is long."""
    text = " ".join(str(label).split())
    return text if len(text) <= most else text[: most - 1] + "…"
