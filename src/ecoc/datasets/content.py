"""Is it the same data? A digest of what a table says, whatever file it comes in.

Sources differ in the order of rows (shuffled) and in the names of classes (words or numbers). Neither changes what can
be learned, so rows are sorted, classes are numbered in the order in which the sorted rows first show them, and the
digest is of that.
"""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def canonical_order(X: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the order of the sorted rows, and the class numbers of the rows in that order.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Labels of any kind.

    Returns
    -------
    order : ndarray of shape (n_samples,)
        ``X[order]`` is sorted.
    classes : ndarray of shape (n_samples,)
        The labels of the sorted rows as numbers.

    See Also
    --------
    ecoc.datasets.digest : What it is for.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.datasets import canonical_order
    >>> canonical_order(np.array([[3.0], [1.0], [2.0]]), np.array(["b", "c", "b"]))
    (array([1, 2, 0]), array([0, 1, 1]))
    """
    names, labels = np.unique(np.asarray(y).astype(str), return_inverse=True)
    order = np.lexsort([labels, *np.asarray(X).T[::-1]])  # the last key is the first column
    _, first = np.unique(labels[order], return_index=True)
    number = np.empty(len(names), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(names))
    return order, number[labels[order]]


def digest(X: NDArray[Any], y: NDArray[Any]) -> str:
    """Give the SHA-256 of the content, whatever the order of the rows and the names of the classes.

    It is that of the values of the sorted rows as 64-bit floats, and of their class numbers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Labels of any kind.

    Returns
    -------
    str
        64 hexadecimal digits.

    See Also
    --------
    ecoc.datasets.canonical_order : The order of rows and classes behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.datasets import digest
    >>> X, y = np.array([[3.0], [1.0], [2.0]]), np.array(["b", "c", "b"])
    >>> digest(X, y)[:12]
    'cded53cbe3ca'
    >>> digest(X[::-1], np.array([7, 5, 7])) == digest(X, y)  # other order, other names
    True
    """
    order, classes = canonical_order(X, y)
    rows = np.asarray(X)[order].astype("<f8") + 0.0  # +0 makes one zero of two
    header = f"{X.shape[0]} {X.shape[1]} {classes.max(initial=-1) + 1}\n".encode()
    return hashlib.sha256(header + rows.tobytes() + classes.astype("<i8").tobytes()).hexdigest()
