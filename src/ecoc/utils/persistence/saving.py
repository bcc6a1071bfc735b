"""Save a model to a file atomically, after reading it back."""

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ecoc.utils.files import replace_file
from ecoc.utils.persistence.archive import add_header, find_skops
from ecoc.utils.persistence.parts import check_numbers, parts, walk


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file.

    The file is replaced in one step: if anything fails, an earlier file stays as it was. The model is read back before
    the file is written. So a part that cannot be saved, such as a lambda, is an error now, not when you need the model.

    Parameters
    ----------
    model : estimator
        A model of this package, or any scikit-learn estimator that contains one, such as a Pipeline. It need not be
        fitted.
    path : path-like
        The file. It is a zip archive in the format of skops, so ``.skops`` is a good ending.

    Raises
    ------
    TypeError
        If the model has a part that no file can hold. The message names the part.
    FileNotFoundError
        If the folder does not exist.
    PersistenceError
        If a fitted part has NaN instead of numbers, so that the model is of no use.

    See Also
    --------
    ecoc.load : Read a model.
    ecoc.CodeBook.save : Write only a code book.

    Notes
    -----
    Needs skops, ``pip install 'ecoc[save]'``. The file contains no pickles; see :func:`ecoc.load` for what that means.
    Its member ``ecoc.json`` has the versions of ecoc, scikit-learn, numpy and skops, and a checksum of everything else.

    Examples
    --------
    >>> import tempfile
    >>> from ecoc import ECOCClassifier, load, save
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(SVC(), random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/iris.skops")
    ...     loaded = load(f"{folder}/iris.skops")
    >>> bool((loaded.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    if isinstance(model, type) or not hasattr(model, "get_params"):
        what = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"save writes estimators, e.g. a fitted ECOCClassifier or a Pipeline; got {what}. "
            "A CodeBook has its own method, CodeBook.save."
        )
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to save {path.name} in; make it first")
    skops_io = find_skops()
    check_numbers(model)  # `load` would refuse the file
    with _named_owners(model):
        try:
            content = _checked_dump(skops_io, model)
        except MemoryError:
            raise
        except RecursionError as error:
            raise TypeError(f"cannot save {type(model).__name__}: one of its parts refers to itself") from error
        except Exception as error:
            name, part = _unsaveable_part(skops_io, model, type(model).__name__)
            raise TypeError(
                f"cannot save {name}, of type {type(part).__name__}: {error}. A function must be importable by name, "
                "which a lambda is not. A table must be a plain array, e.g. frame.to_numpy()."
            ) from error
    replace_file(path, add_header(content, model))


def saved_size(model: Any) -> int:
    """Return the size in bytes of a model's file without its header; an ImportError without skops."""
    with _named_owners(model):
        return len(find_skops().dumps(model, compression=zipfile.ZIP_DEFLATED))


def _checked_dump(skops_io: Any, value: Any) -> bytes:
    """Return the archive that skops makes of a value, after reading it back; all types in it are our own choice."""
    content: bytes = skops_io.dumps(value, compression=zipfile.ZIP_DEFLATED)
    skops_io.loads(content, trusted=skops_io.get_untrusted_types(data=content))
    return content


def _unsaveable_part(skops_io: Any, value: Any, name: str) -> tuple[str, Any]:
    """Return the name and value of the smallest part that cannot be saved."""
    for part_name, part in parts(value):
        try:
            _checked_dump(skops_io, part)
        except Exception:
            return _unsaveable_part(skops_io, part, name + part_name)
    return name, value


@contextmanager
def _named_owners(model: Any) -> Iterator[None]:
    """Replace the estimators in metadata requests by their names, because a file cannot have cycles.

    Scikit-learn needs only the names.
    """
    owners: list[tuple[Any, Any]] = []
    for value in walk(model):
        request = getattr(value, "__dict__", {}).get("_metadata_request")
        if request is not None:
            holders = [request, *vars(request).values()]
            owners += [(holder, holder.owner) for holder in holders if hasattr(holder, "owner")]
    try:
        for holder, owner in owners:
            holder.owner = owner if isinstance(owner, str) else type(owner).__name__
        yield
    finally:
        for holder, owner in owners:
            holder.owner = owner
