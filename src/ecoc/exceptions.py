"""What can go wrong, as types a caller can catch."""


class CodeBookError(ValueError):
    """A matrix is not a valid code book; the message names the offending rows or columns.

    See Also
    --------
    ecoc.CodeBook : What a valid one is.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import CodeBook, CodeBookError
    >>> matrix = np.array([[1, 1, 1], [1, -1, 1], [-1, 1, 1]])
    >>> try:
    ...     book = CodeBook(matrix)
    ... except CodeBookError as error:
    ...     print(error)
    a dichotomy needs classes on both sides, but no class is at -1 in column 2; give both signs, or drop with
    np.delete(matrix, columns, axis=1)
    >>> CodeBook(np.delete(matrix, [2], axis=1)).shape
    (3, 2)
    """


class InfeasibleError(ValueError):
    """No code book of this size can keep the distances asked for.

    Parameters
    ----------
    message : str
        What is impossible, and what is possible.
    bound : str
        The bound that excludes it.
    nearest_length : int or None, default=None
        The nearest number of columns that is possible.

    Attributes
    ----------
    bound : str
        The bound that excludes it, e.g. ``"Plotkin"``, or ``"search"`` when no bound excludes the demand but none
        of the searches within the budget met it.
    nearest_length : int or None
        The nearest number of columns at which the demand is feasible as far as is known; None if there is none.

    See Also
    --------
    ecoc.code_length : A length that is enough.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import InfeasibleError, factorize
    >>> try:
    ...     result = factorize(np.eye(6), n_columns=4, min_distance=3, random_state=0)
    ... except InfeasibleError as error:
    ...     print(error.bound, error.nearest_length)
    ...     result = factorize(np.eye(6), n_columns=error.nearest_length, min_distance=3, random_state=0)
    Singleton 6
    >>> result.codebook.min_distance
    3
    """

    def __init__(self, message: str, *, bound: str, nearest_length: int | None = None) -> None:
        super().__init__(message)
        self.bound = bound
        self.nearest_length = nearest_length


class DataError(ValueError):
    """Data cannot be found, read or trusted; the message says what would help.

    See Also
    --------
    ecoc.datasets.load : Where data are looked for.

    Examples
    --------
    >>> from ecoc import datasets
    >>> try:
    ...     data = datasets.load("toys")
    ... except datasets.DataError as error:
    ...     print(error)
    ...     data = datasets.load("toy")
    Unknown data set 'toys'; the names are ... Did you mean 'toy'?
    >>> data.X.shape
    (1400, 2)
    """


class PersistenceError(ValueError):
    """A file holds no model that :func:`ecoc.load` can and may open; the message says why.

    See Also
    --------
    ecoc.load : Which types it knows.

    Examples
    --------
    A file of your own holds a type that loading does not know. The message names it; if you trust it, say so:

    >>> import tempfile
    >>> from ecoc import ECOCClassifier, PersistenceError, load, save
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(DecisionTreeClassifier(), coding="ova", decoding="hamming", probability=False).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/trees.skops")
    ...     try:
    ...         again = load(f"{folder}/trees.skops")
    ...     except PersistenceError as error:
    ...         print(error)
    ...         again = load(f"{folder}/trees.skops", trusted=["sklearn.tree._tree.Tree"])
    cannot load a model from ...trees.skops: it holds types that are not known, sklearn.tree._tree.Tree; if you trust...
    >>> again.predict(X[::50])
    array([0, 1, 2])
    """
