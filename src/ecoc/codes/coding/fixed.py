"""A coding that always returns the user's own code book."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding.base import Code, Coding
from ecoc.codes.design.plan import row_order


class Fixed(Coding):
    """The code that is given, whatever the data.

    Length: that of the matrix.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_columns), DataFrame or CodeBook
        Entries −1, 0 and +1; rows in the order of ``np.unique(y)``. Those of a labelled book, or of a DataFrame
        with labels in its index, are put in that order.

    See Also
    --------
    ecoc.CodeBook : What a valid code is.

    Examples
    --------
    >>> from ecoc import CodeBook
    >>> from ecoc.codes.coding import Fixed
    >>> book = CodeBook([[1, 1], [1, -1], [-1, 1]], labels=["dog", "cat", "cow"])
    >>> Fixed(book).build(3, y=["cow", "dog", "cat"])
    CodeBook 3 × 2 (classes × columns), min distance 1, correction 0
      cat  +-
      cow  -+
      dog  ++
    """

    allows_duplicates = True
    _plain_if_binary: ClassVar[bool] = False

    def __init__(self, matrix: ArrayLike | CodeBook) -> None:
        self.matrix = matrix

    def _build(self, n_classes: int, X: Any, y: NDArray[Any] | None, random_state: Any) -> Code:
        book = CodeBook(self.matrix)
        if book.n_classes != n_classes:
            raise ValueError(
                f"The matrix has {book.n_classes} rows, one a class, but there are {n_classes} classes; "
                f"give it {n_classes} rows."
            )
        if y is None or not book.is_labelled:
            return book.matrix
        return book.matrix[row_order(book.labels.tolist(), np.unique(y).tolist(), "The code book")]
