"""Load a model from a file after checking that all of its types are known."""

import os
from collections.abc import Iterable
from numbers import Integral
from pathlib import Path
from typing import Any
from warnings import warn

from ecoc.utils.exceptions import PersistenceError
from ecoc.utils.persistence.archive import find_skops, installed_versions, read_archive, what_failed
from ecoc.utils.persistence.parts import check_numbers, walk
from ecoc.utils.persistence.trust import full_names, is_known, refusal


def load(
    path: str | os.PathLike[str],
    *,
    trusted: Iterable[str | type] | str | type = (),
    max_bytes: int | None = None,
) -> Any:
    """Read a model that :func:`ecoc.save` wrote.

    Loading never opens a pickle, and it creates no object of an unknown type. Known are the classes of this package
    that models consist of; classes of scikit-learn, numpy and scipy that skops knows or that hold only numbers
    (splitters, calibrators, sparse matrices); and the types in `trusted`. Any other type is an error that names it.

    Parameters
    ----------
    path : path-like
        The file.
    trusted : iterable of str or type, default=()
        More types to accept: classes or functions of your own, and types that skops leaves to you to judge. The
        trees of scikit-learn are such a type, ``trusted=["sklearn.tree._tree.Tree"]``. They hold indices that nobody
        checks, so a file that was made to do harm could crash the process.
    max_bytes : int, default=None
        Largest size that the content may unpack to. A file with more is an error, before anything is unpacked. None
        allows 512 MiB, or 16 times the size of the file if that is more. Loading takes up to three times as much
        memory as the unpacked content.

    Returns
    -------
    estimator
        The model. With the same versions on the same machine, its predictions are exactly those of the saved model.

    Raises
    ------
    PersistenceError
        If the file is not such a model, is damaged, has another format, unpacks to more than `max_bytes`, or holds
        unknown types or NaN where a fitted model has numbers.

    Warns
    -----
    UserWarning
        If the file comes from another minor version of ecoc. Releases that differ only in the third number read each
        other's models. Other releases may not. Scikit-learn warns about its own versions.

    See Also
    --------
    ecoc.save : Write a model.

    Examples
    --------
    >>> import tempfile
    >>> from ecoc import ECOCClassifier, load, save
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import RidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(RidgeClassifier(), coding="ovo").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/iris.skops")
    ...     loaded = load(f"{folder}/iris.skops")
    >>> loaded.predict(X[::50])
    array([0, 1, 2])
    """
    names = full_names(trusted)
    path = Path(path)
    skops_io = find_skops()
    if max_bytes is not None and (isinstance(max_bytes, bool) or not isinstance(max_bytes, Integral) or max_bytes < 1):
        raise ValueError(f"max_bytes must be a positive integer or None; got {max_bytes!r}")
    try:
        content, versions = read_archive(path, max_bytes)
        _warn_of_other_version(versions, path)
        return _model(skops_io, content, versions, names)
    except PersistenceError as error:
        raise PersistenceError(
            f"cannot load a model from {path}: {error}", untrusted=error.untrusted
        ) from error.__cause__


def untrusted_types(path: Path) -> list[str]:
    """Return the types in a model's file that :func:`ecoc.load` opens only if they are in `trusted`."""
    found: list[str] = find_skops().get_untrusted_types(data=read_archive(path, None)[0])
    return [name for name in found if not is_known(name)]


def _model(skops_io: Any, content: bytes, versions: dict[str, str], trusted: set[str]) -> Any:
    try:
        found = skops_io.get_untrusted_types(data=content)
        unknown = [name for name in found if name not in trusted and not is_known(name)]
        model = None if unknown else skops_io.loads(content, trusted=found)
        _check_sparse(model)
        check_numbers(model)
    except MemoryError:
        raise
    except Exception as error:  # a file of other versions can fail anywhere
        raise PersistenceError(what_failed(versions, error)) from error
    if unknown:
        raise PersistenceError(refusal(unknown), untrusted=unknown)
    if isinstance(model, type) or not hasattr(model, "get_params"):
        what = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise PersistenceError(f"expected an estimator, got {what}")
    return model


def _warn_of_other_version(versions: dict[str, str], path: Path) -> None:
    here, there = installed_versions()["ecoc"], versions["ecoc"]
    if here.split(".")[:2] != there.split(".")[:2]:
        warn(
            f"{path} was saved with ecoc {there} and is loaded with ecoc {here}. It may fail to load, or predict "
            "something else.",
            UserWarning,
            stacklevel=3,
        )


def _check_sparse(model: Any) -> None:
    """Raise an error if a sparse matrix has indices beyond its shape; scipy would read foreign memory."""
    for value in walk(model):
        if type(value).__module__.startswith("scipy.sparse.") and hasattr(value, "check_format"):
            value.check_format()
