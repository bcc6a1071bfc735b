"""Codes that need no data: one-vs-all, one-vs-one, exhaustive, Hadamard, minimal, ordinal, your own, and none."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.codebook import CodeBook
from ecoc.codes.codebook.hadamard import hadamard_matrix
from ecoc.codes.coding.coding import Code, Coding
from ecoc.codes.coding.random import binary_words, distinct_columns, random_codewords
from ecoc.codes.design.allocation import row_order
from ecoc.codes.design.length import resolve_length
from ecoc.utils.numerics import generator
from ecoc.utils.scikit import Interval


class Exhaustive(Coding):
    """All columns with two sides, each once.

    Length: 2^(k−1) − 1 columns, all distances 2^(k−2); or `max_columns`, drawn at random from them, as Dietterich
    and Bakiri advise for more than 11 classes.

    Parameters
    ----------
    max_columns : int, default=1023
        Largest number of columns. The default is the number for 11 classes.

    See Also
    --------
    ecoc.Hadamard : Large distances with few columns.
    ecoc.Minimal : As few columns as possible.

    References
    ----------
    T. Dietterich and G. Bakiri, "Solving multiclass learning problems via error-correcting output codes",
    JAIR 2, 1995.

    Examples
    --------
    >>> from ecoc.codes.coding import Exhaustive
    >>> Exhaustive().build(4)
    CodeBook 4 × 7 (classes × columns), min distance 4, correction 1
      0  +++++++
      1  +++----
      2  +--++--
      3  -+-+-+-
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_columns": [Interval(Integral, 1, None, closed="left")]
    }

    def __init__(self, max_columns: int = 1023) -> None:
        self.max_columns = max_columns

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        n_dichotomies = 2 ** (n_classes - 1) - 1
        if n_dichotomies <= self.max_columns:
            code: Code = -binary_words(np.arange(1, n_dichotomies + 1), n_classes).T
            return code
        length = resolve_length(self.max_columns, n_classes, n_dichotomies)
        rng = generator(random_state)
        return distinct_columns(n_classes, length, rng, start=random_codewords(n_classes, rng))


class Hadamard(Coding):
    """Rows of a Hadamard matrix without its constant column: all distances are n/2, the most there can be.

    Length: n−1 columns, where n ≥ k is the smallest order that Sylvester's or one of Paley's constructions gives
    (over fields of primes and, for the second, of squares of primes). These are all multiples of 4 up to 200
    except 92, 116, 156, 172, 184 and 188.

    See Also
    --------
    ecoc.Exhaustive : All columns.
    ecoc.ECF : Distances that suit the data.

    References
    ----------
    R. Paley, "On orthogonal matrices", Journal of Mathematics and Physics 12, 1933.
    V. Guruswami and A. Sahai, "Multiclass learning, boosting, and error-correcting codes", COLT 1999.

    Examples
    --------
    >>> from ecoc.codes.coding import Hadamard
    >>> Hadamard().build(4)
    CodeBook 4 × 3 (classes × columns), min distance 2, correction 0
      0  +++
      1  -+-
      2  --+
      3  +--
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        n = n_classes
        while (matrix := hadamard_matrix(n)) is None:
            n += 1
        matrix = matrix * matrix[:, :1]
        # Two columns agree in n/2 places. There is a power of 2 below 2k, so k > n/2 rows are kept: no two
        # columns become equal or complementary on them, and none constant.
        return matrix[:n_classes, 1:]


class Minimal(Coding):
    """The number of each class in binary, the fewest columns that tell the classes apart.

    Length: ⌈log2 k⌉ columns. A single wrong binary classifier may give another class. An ECF code of the same length
    puts similar classes on the same sides: ``ECF(n_columns=...)``.

    See Also
    --------
    ecoc.ECF : Short codes that are fitted to data.

    Examples
    --------
    >>> from ecoc.codes.coding import Minimal
    >>> Minimal().build(5)
    CodeBook 5 × 3 (classes × columns), min distance 1, correction 0
      0  ---
      1  --+
      2  -+-
      3  -++
      4  +--
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return binary_words(np.arange(n_classes), (n_classes - 1).bit_length())


class Ordinal(Coding):
    """Thresholds for ordered classes: column j asks whether the class comes after the j-th.

    Length: k−1 columns. Codewords are as far apart as their classes are in the order, which is that of
    ``np.unique(y)``. Strings sort alphabetically, so number the classes instead.

    See Also
    --------
    ecoc.OneVsAll : For classes without an order.

    References
    ----------
    E. Frank and M. Hall, "A simple approach to ordinal classification", ECML 2001.

    Examples
    --------
    >>> from ecoc.codes.coding import Ordinal
    >>> Ordinal().build(4)
    CodeBook 4 × 3 (classes × columns), min distance 1, correction 0
      0  ---
      1  +--
      2  ++-
      3  +++
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return 2 * np.tri(n_classes, n_classes - 1, -1, dtype=np.int8) - 1


class OneVsAll(Coding):
    """A column for each class against all others.

    Length: k columns. Every two codewords differ in 2 places, so nothing is corrected, but each class has a
    model of its own.

    See Also
    --------
    ecoc.OneVsOne : A column for each pair of classes.
    ecoc.Hadamard : About as many columns, at a much larger distance.

    References
    ----------
    R. Rifkin and A. Klautau, "In defense of one-vs-all classification", JMLR 5, 2004.

    Examples
    --------
    >>> from ecoc.codes.coding import OneVsAll
    >>> OneVsAll().build(3)
    CodeBook 3 × 3 (classes × columns), min distance 2, correction 0
      0  +--
      1  -+-
      2  --+
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return 2 * np.eye(n_classes, dtype=np.int8) - 1


class OneVsOne(Coding):
    """A column for each pair of classes, which leaves out all others.

    Length: k(k−1)/2 columns, ordered (0, 1), (0, 2), …, (1, 2), …; the later class of a pair is at +1.

    See Also
    --------
    ecoc.OneVsAll : A column for each class.

    References
    ----------
    T. Hastie and R. Tibshirani, "Classification by pairwise coupling", Annals of Statistics 26(2), 1998.

    Examples
    --------
    >>> from ecoc.codes.coding import OneVsOne
    >>> OneVsOne().build(3)
    CodeBook 3 × 3 (classes × columns), 33% zeros, min distance 1, correction 0
      0  --·
      1  +·-
      2  ·++
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        first, second = np.triu_indices(n_classes, 1)
        code = np.zeros((n_classes, len(first)), dtype=np.int8)
        columns = np.arange(len(first))
        code[first, columns], code[second, columns] = -1, 1
        return code


class Fixed(Coding):
    """A given code, whatever the data.

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
                f"The matrix has {book.n_classes} rows, one for each class, but there are {n_classes} classes; "
                f"give it {n_classes} rows."
            )
        if y is None or not book.is_labelled:
            return book.matrix
        return book.matrix[row_order(book.labels.tolist(), np.unique(y).tolist(), "The code book")]


class Plain(Coding):
    """The learner's own multi-class fit, behind the interface of a code.

    One model is trained on all classes. The code book is that of one-vs-all, and the output of a column is how far the
    score of its class is ahead of the best other one. So probabilities, sets, costs, rejection and reports work as with
    a code, and `predict` is the learner's own.

    See Also
    --------
    ecoc.OneVsAll : A model for each class.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(GaussianNB(), coding="plain").fit(X, y)
    >>> bool((model.predict(X) == GaussianNB().fit(X, y).predict(X)).all())
    True
    """

    trains_one_model = True
    usual_decoding = "linear"

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return 2 * np.eye(n_classes, dtype=np.int8) - 1
