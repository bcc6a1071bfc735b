"""How is a fitted model kept in a file that is safe to open? In skops' format, never as a pickle."""

import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from warnings import warn

from ecoc.exceptions import PersistenceError
from ecoc.utils.files import replace_file
from ecoc.utils.suggest import some

_HEADER = "ecoc.json"  # a member of the archive beside skops' own, which does not mind it
_FORMAT = 1

# A file may have a trusted class called with whatever arguments it likes, so this is no larger than need be: what
# models are made of, and none of the modules that read or write files.
_OWN = (
    "ecoc.classifier",
    "ecoc.codebook.book",
    "ecoc.coding",
    "ecoc.decoding",
    "ecoc.dichotomies",
    "ecoc.factorization",
    "ecoc.hierarchy",
)

# Parts of common models that hold numbers and parameters only, and that skops does not know.
_OTHERS = {
    "numpy": ("dtype",),
    "scipy.sparse._csc": ("csc_array", "csc_matrix"),
    "scipy.sparse._csr": ("csr_array", "csr_matrix"),
    "sklearn.calibration": ("_CalibratedClassifier", "_SigmoidCalibration", "_TemperatureScaling"),
    "sklearn.metrics._scorer": ("_PassthroughScorer",),
    "sklearn.model_selection._split": (
        "GroupKFold",
        "KFold",
        "LeaveOneGroupOut",
        "LeaveOneOut",
        "PredefinedSplit",
        "RepeatedKFold",
        "RepeatedStratifiedKFold",
        "StratifiedGroupKFold",
        "StratifiedKFold",
    ),
    "sklearn.utils._metadata_requests": ("MetadataRequest", "MethodMetadataRequest"),
}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file.

    The file is replaced in one step: whatever fails, an earlier one stays as it was. What is written has been read
    back before, so a part that no file can hold, such as a lambda, is an error now and not when the model is needed.

    Parameters
    ----------
    model : estimator
        A model of this package, or any scikit-learn estimator that contains one, such as a Pipeline; fitted or not.
    path : path-like
        Where to. The file is a zip archive in skops' format, so ``.skops`` is a good ending.

    Raises
    ------
    TypeError
        If the model has a part that no file can hold; the message names it.
    FileNotFoundError
        If there is no such folder.

    See Also
    --------
    ecoc.load : Read it again.
    ecoc.CodeBook.save : Keep a code book alone.

    Notes
    -----
    Needs skops, ``pip install 'ecoc[save]'``. Besides the model, the file has a member ``ecoc.json`` with the versions
    of ecoc, scikit-learn, numpy and skops. There are no pickles in it; see :func:`ecoc.load` for what that means.

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
    ...     again = load(f"{folder}/iris.skops")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    if isinstance(model, type) or not hasattr(model, "get_params"):
        what = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"save keeps estimators, e.g. a fitted ECOCClassifier or a Pipeline; got {what}. "
            "A CodeBook has a save of its own."
        )
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to save {path.name} in; make it first")
    skops_io = find_skops()
    with _named_owners(model):
        try:
            content = _checked_dump(skops_io, model)
        except MemoryError:
            raise
        except RecursionError as error:
            raise TypeError(f"cannot save {type(model).__name__}: one of its parts refers to itself") from error
        except Exception as error:
            name, part = _culprit(skops_io, model, type(model).__name__)
            raise TypeError(
                f"cannot save {name}, of type {type(part).__name__}: {error}. Functions must be importable by name, as "
                "no lambda is, and tables plain arrays, e.g. frame.to_numpy()."
            ) from error
    header = {"format": _FORMAT, "model": type(model).__name__, "versions": _installed()}
    buffer = BytesIO(content)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(_HEADER, json.dumps(header, indent=2))
    replace_file(path, buffer.getvalue())


def load(path: str | os.PathLike[str], *, trusted: Iterable[str | type] | str | type = ()) -> Any:
    """Read a model that :func:`ecoc.save` wrote.

    Loading never opens a pickle, and makes no object of a type that it does not know: the classes of this package that
    models are made of, those of scikit-learn, numpy and scipy that skops knows or that hold numbers only (splitters,
    calibrators, sparse matrices), and those in `trusted`. Any other is an error that names it.

    Parameters
    ----------
    path : path-like
        The file.
    trusted : iterable of str or type, default=()
        Types to accept besides: classes or functions of your own, and those that skops leaves to you to judge. The
        trees of scikit-learn are such a case, ``trusted=["sklearn.tree._tree.Tree"]``: they hold indices that nobody
        checks, so that a file made with ill intent could crash the process.

    Returns
    -------
    estimator
        The model. It predicts what the saved one did, to the bit, with the same versions on the same machine.

    Raises
    ------
    PersistenceError
        If the file is no such model, is damaged, comes from a newer format, or holds types that are not known.

    Warns
    -----
    UserWarning
        If the file comes from another minor version of ecoc. Releases that differ in the third number only keep
        their models; others may not, and it is tried nevertheless. Scikit-learn has a warning of its own.

    See Also
    --------
    ecoc.save : Write one.

    Examples
    --------
    >>> import tempfile
    >>> from ecoc import ECOCClassifier, load, save
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import RidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(RidgeClassifier(), coding="ova").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/iris.skops")
    ...     again = load(f"{folder}/iris.skops")
    >>> again.predict(X[::50])
    array([0, 1, 2])
    """
    names = _names_of(trusted)
    path = Path(path)
    skops_io = find_skops()
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = f"{error.strerror}, where a model that ecoc.save wrote was expected"
        raise type(error)(error.errno, reason, str(path)) from None
    versions = _versions_in(content, path)
    _warn_of_other_version(versions, path)
    try:
        found = skops_io.get_untrusted_types(data=content)
        unknown = [name for name in found if name not in names and not _is_known(name)]
        model = None if unknown else skops_io.loads(content, trusted=found)
        _check_sparse(model)
    except MemoryError:
        raise
    except Exception as error:  # a damaged file, or one of other versions, can fail anywhere
        raise PersistenceError(f"cannot load a model from {path}: {_what_failed(versions, error)}") from error
    if unknown:
        raise PersistenceError(_refusal(unknown, path))
    if not hasattr(model, "get_params"):
        raise PersistenceError(f"cannot load a model from {path}: expected an estimator, got {type(model).__name__}")
    return model


def find_skops() -> Any:
    """skops.io, or an error that says how to install it."""
    try:
        return import_module("skops.io")
    except ModuleNotFoundError as error:
        raise ImportError("models are kept in skops' format: pip install 'ecoc[save]'") from error


def _installed() -> dict[str, str]:
    modules = {"ecoc": "ecoc", "scikit-learn": "sklearn", "numpy": "numpy", "skops": "skops"}
    return {name: import_module(module).__version__ for name, module in modules.items()}


def saved_size(model: Any) -> int:
    """Bytes of the file that a model would be saved to, but for its header; an ImportError without skops."""
    with _named_owners(model):
        return len(find_skops().dumps(model, compression=zipfile.ZIP_DEFLATED))


def untrusted_types(path: Path) -> list[str]:
    """Types in a model's file that :func:`ecoc.load` opens only if it is told to trust them."""
    found: list[str] = find_skops().get_untrusted_types(data=path.read_bytes())
    return [name for name in found if not _is_known(name)]


# Saving -------------------------------------------------------------------------------------------------------


def _checked_dump(skops_io: Any, value: Any) -> bytes:
    """What skops makes of it, once that has been read back; we wrote it, so all of it may be trusted."""
    content: bytes = skops_io.dumps(value, compression=zipfile.ZIP_DEFLATED)
    skops_io.loads(content, trusted=skops_io.get_untrusted_types(data=content))
    return content


def _culprit(skops_io: Any, value: Any, name: str) -> tuple[str, Any]:
    """The smallest part that cannot be saved, and its name."""
    for part_name, part in _parts(value):
        try:
            _checked_dump(skops_io, part)
        except Exception:
            return _culprit(skops_io, part, name + part_name)
    return name, value


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Named parts of containers, estimators and objects of ecoc and scikit-learn; others are taken as a whole."""
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{i}]", part) for i, part in enumerate(value))
    elif not isinstance(value, type) and (
        hasattr(value, "get_params") or type(value).__module__.partition(".")[0] in ("ecoc", "sklearn")
    ):
        yield from ((f".{attribute}", part) for attribute, part in getattr(value, "__dict__", {}).items())


def _walk(value: Any) -> Iterator[Any]:
    """The value and all its parts, each once."""
    stack, seen = [value], set()
    while stack:
        value = stack.pop()
        if id(value) not in seen:
            seen.add(id(value))
            stack.extend(part for _, part in _parts(value))
            yield value


@contextmanager
def _named_owners(model: Any) -> Iterator[None]:
    """Let metadata requests refer to their estimators by name, which is all they need, for a file has no cycles."""
    renamed: list[tuple[Any, Any]] = []
    for value in _walk(model):
        request = getattr(value, "__dict__", {}).get("_metadata_request")
        if request is not None:
            holders = [request, *vars(request).values()]
            renamed += [(holder, holder.owner) for holder in holders if hasattr(holder, "owner")]
    try:
        for holder, owner in renamed:
            holder.owner = owner if isinstance(owner, str) else type(owner).__name__
        yield
    finally:
        for holder, owner in renamed:
            holder.owner = owner


# Loading ------------------------------------------------------------------------------------------------------


def _names_of(trusted: Iterable[str | type] | str | type) -> set[str]:
    items: list[Any] = [trusted] if isinstance(trusted, str | type) or not isinstance(trusted, Iterable) else [*trusted]
    for item in items:
        if not isinstance(item, str) and not callable(item):
            raise TypeError(
                f"trusted must be a list of types or of their full names, e.g. 'package.Class'; got {item!r}."
            )
    return {item if isinstance(item, str) else f"{item.__module__}.{item.__name__}" for item in items}


def _versions_in(content: bytes, path: Path) -> dict[str, str]:
    """The versions a file was written with; an error, if it is not ours."""
    expected = "expected a zip archive that ecoc.save wrote"
    if not zipfile.is_zipfile(BytesIO(content)):
        kinds = {
            b"PK": "it is cut short or damaged",
            b"\x80": "it looks like a pickle, which could run any code and is never opened",
        }
        found = next((kind for start, kind in kinds.items() if content.startswith(start)), "it is something else")
        raise PersistenceError(
            f"cannot load a model from {path}: {expected}, but {found if content else 'it is empty'}"
        )
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = set(archive.namelist())
            header = json.loads(archive.read(_HEADER)) if _HEADER in members else None
    except Exception as error:
        raise PersistenceError(f"cannot load a model from {path}: {expected}, but it is damaged ({error})") from error
    if header is None:
        hint = "; this may be a model of skops' own, for skops.io.load" if "schema.json" in members else ""
        raise PersistenceError(f"cannot load a model from {path}: {expected}, but it lacks {_HEADER}{hint}")
    if not (
        isinstance(header, dict)
        and isinstance(header.get("format"), int)
        and isinstance(header.get("versions"), dict)
        and isinstance(header["versions"].get("ecoc"), str)
    ):
        raise PersistenceError(
            f"cannot load a model from {path}: {expected}, but its {_HEADER} has no format and versions"
        )
    versions: dict[str, str] = header["versions"]
    if header["format"] > _FORMAT:
        raise PersistenceError(
            f"cannot load a model from {path}: ecoc {versions['ecoc']} wrote it in format {header['format']}, and this "
            f"version knows up to {_FORMAT}; pip install --upgrade ecoc"
        )
    return versions


def _warn_of_other_version(versions: dict[str, str], path: Path) -> None:
    here, there = _installed()["ecoc"], versions["ecoc"]
    if here.split(".")[:2] != there.split(".")[:2]:
        warn(
            f"{path} was saved with ecoc {there} and is loaded with {here}: it may not load, or not predict the same.",
            UserWarning,
            stacklevel=3,
        )


def _is_known(name: str) -> bool:
    """Whether a name is that of a class which models are made of.

    A file says ``module.attribute`` and skops would take whatever is there: a function, a class that the module merely
    imported, a bound method (as ``module.Class.method``). Known are classes at the place where they are defined.
    """
    module, _, attribute = name.rpartition(".")
    if attribute in _OTHERS.get(module, ()):
        return True
    if not any(module == own or module.startswith(f"{own}.") for own in _OWN):
        return False
    try:
        found = getattr(import_module(module), attribute, None)
    except ImportError:  # e.g. a class of a newer version, or the "module" of a method
        return False
    return isinstance(found, type) and (found.__module__, found.__qualname__) == (module, attribute)


def _check_sparse(model: Any) -> None:
    """Refuse sparse matrices with indices beyond their shape: scipy would read whatever lies there."""
    for value in _walk(model):
        if type(value).__module__.startswith("scipy.sparse.") and hasattr(value, "check_format"):
            value.check_format()


def _refusal(unknown: list[str], path: Path) -> str:
    reasons = getattr(import_module("skops.io.exceptions"), "UNTRUSTED_TYPE_REASONS", {})
    text = (
        f"cannot load a model from {path}: it holds types that are not known, {some(unknown, show=str)}; if you trust "
        f"them, and whoever made the file, load(path, trusted={unknown!r})"
    )
    return "\n\n".join([text, *(reasons[name] for name in unknown if name in reasons)])


def _what_failed(versions: dict[str, str], error: Exception) -> str:
    why = " ".join(f"{type(error).__name__}: {error}".split())
    differ = [
        f"{name} {versions[name]} (here {version})"
        for name, version in _installed().items()
        if versions.get(name, version) != version
    ]
    if differ:
        return (
            f"it was saved with {', '.join(differ)}, or is damaged ({why}); load it with the versions it was saved with"
        )
    return f"expected a zip archive that ecoc.save wrote, but it is damaged ({why})"
