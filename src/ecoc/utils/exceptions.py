"""The exceptions that callers may want to catch."""

from collections.abc import Iterable


class CodeBookError(ValueError):
    """A matrix is not a valid code book. The message names the wrong rows or columns.

    See Also
    --------
    ecoc.CodeBook : A valid code book.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import CodeBook, CodeBookError
    >>> matrix = np.array([[1, 1, 1], [1, -1, 1], [-1, 1, 1]])
    >>> try:
    ...     book = CodeBook(matrix)
    ... except CodeBookError as error:
    ...     print(error)
    a column needs classes on both sides, but no class is at -1 in column 2; give it both signs, or drop it with
    np.delete(matrix, columns, axis=1)
    >>> CodeBook(np.delete(matrix, [2], axis=1)).shape
    (3, 2)
    """


class InfeasibleError(ValueError):
    """No code book of this size has the smallest distances asked for, or none was found.

    Parameters
    ----------
    message : str
        What is impossible, and what would work.
    bound : str
        Name of the bound that excludes such a code book, e.g. ``"Plotkin"``; or ``"search"`` if no bound excludes it
        but the search did not find one. An attribute, like all below.
    nearest_length : int or None, default=None
        The nearest number of columns for which a code was found or that no bound excludes; None if there is none.
    proven : bool, default=True
        Whether it is proven that there is no such code book; False if none was found in the effort or time given.

    See Also
    --------
    ecoc.code_length : Find a number of columns that is large enough.

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

    def __init__(self, message: str, *, bound: str, nearest_length: int | None = None, proven: bool = True) -> None:
        super().__init__(message)
        self.proven = proven
        self.bound = bound
        self.nearest_length = nearest_length


class DataError(ValueError):
    """A table or data set cannot be found, read or written. The message says what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ecoc import DataError
    >>> from ecoc.tool.tables import read_table
    >>> try:
    ...     table = read_table(Path("measurements.doc"))
    ... except DataError as error:
    ...     print(error)
    measurements.doc is not there; give the path of a table.
    """


class PersistenceError(ValueError):
    """A file cannot be loaded as a model, or holds types that are not trusted. The message says why.

    Parameters
    ----------
    message : str
        What is wrong with the file.
    untrusted : iterable of str, default=()
        Types in the file that are not trusted; empty if the file has another fault. A list as an attribute.

    See Also
    --------
    ecoc.load : Load a model.

    Examples
    --------
    This file holds a type that is not trusted by default. The message names the type. If you trust it, pass its
    name as `trusted`:

    >>> import tempfile
    >>> from ecoc import ECOCClassifier, PersistenceError, load, save
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(DecisionTreeClassifier(), coding="ova", decoding="hamming", probability=False).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/trees.skops")
    ...     try:
    ...         loaded = load(f"{folder}/trees.skops")
    ...     except PersistenceError as error:
    ...         print(error)
    ...         loaded = load(f"{folder}/trees.skops", trusted=["sklearn.tree._tree.Tree"])
    cannot load a model from ...trees.skops: it holds types that are not known, sklearn.tree._tree.Tree; if you trust...
    >>> loaded.predict(X[::50])
    array([0, 1, 2])
    """

    def __init__(self, message: str, *, untrusted: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.untrusted = list(untrusted)


class ExportError(ValueError):
    """A model cannot be exported to ONNX, or the exported graph does not predict what the model predicts.

    The message names the part that cannot be exported and the nearest one that can, or the node and the largest
    difference. Nothing is written.

    See Also
    --------
    ecoc.to_onnx : Export a model.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import ECOCClassifier, ExportError, to_onnx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(SVC(kernel=np.inner), coding="ova", decoding="linear").fit(X, y)
    >>> try:
    ...     content = to_onnx(model, X)
    ... except ExportError as error:
    ...     print(error)
    a kernel that is a Python function cannot be exported; kernel='rbf' can.
    """
