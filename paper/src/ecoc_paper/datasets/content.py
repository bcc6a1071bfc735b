"""Digest the content of a data set, independently of its file.

Sources differ in the order of rows and in the names of classes. Neither changes what can be learned. The digest is
therefore taken of the sorted rows, with classes numbered in the order in which they first appear there.
"""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def canonical_order(X: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Sort the rows, and number the classes in the order in which they appear.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples,)
        Features, or texts.
    y : ndarray of shape (n_samples,)
        Labels of any kind.

    Returns
    -------
    order : ndarray of shape (n_samples,)
        ``X[order]`` is sorted.
    classes : ndarray of shape (n_samples,)
        Class numbers of the sorted rows.

    See Also
    --------
    ecoc_paper.datasets.digest : Uses this order.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc_paper.datasets import canonical_order
    >>> canonical_order(np.array([[3.0], [1.0], [2.0]]), np.array(["b", "c", "b"]))
    (array([1, 2, 0]), array([0, 1, 1]))
    """
    names, labels = np.unique(np.asarray(y).astype(str), return_inverse=True)
    keys = np.unique(X, return_inverse=True)[1][:, None] if np.ndim(X) == 1 else np.asarray(X)  # texts by their rank
    order = np.lexsort([labels, *keys.T[::-1]])  # the last key is the first column
    _, first = np.unique(labels[order], return_index=True)
    number = np.empty(len(names), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(names))
    return order, number[labels[order]]


def digest(X: NDArray[Any], y: NDArray[Any]) -> str:
    """Compute the SHA-256 of a data set; the order of the rows and the names of the classes do not matter.

    The hash covers the sorted rows, as 64-bit floats or as UTF-8 text, then their class numbers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples,)
        Features, or texts.
    y : ndarray of shape (n_samples,)
        Labels of any kind.

    Returns
    -------
    str
        64 hexadecimal digits.

    See Also
    --------
    ecoc_paper.datasets.canonical_order : Sorts the rows and numbers the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc_paper.datasets import digest
    >>> X, y = np.array([[3.0], [1.0], [2.0]]), np.array(["b", "c", "b"])
    >>> digest(X, y)[:12]
    'cded53cbe3ca'
    >>> digest(X[::-1], np.array([7, 5, 7])) == digest(X, y)  # other order, other names
    True
    """
    order, classes = canonical_order(X, y)
    rows = np.asarray(X)[order]
    if rows.ndim == 1:
        content = "\0".join(rows.tolist()).encode()
    else:
        content = (rows.astype("<f8") + 0.0).tobytes()  # adding 0 turns -0 into 0
    header = f"{' '.join(map(str, rows.shape))} {classes.max(initial=-1) + 1}\n".encode()
    return hashlib.sha256(header + content + classes.astype("<i8").tobytes()).hexdigest()
