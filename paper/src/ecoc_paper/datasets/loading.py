"""Find a data set: in the user's folder, in installed packages, at OpenML."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from ecoc import DataError
from ecoc.tool.tables import ENDINGS, USUAL_TARGETS, read_table
from ecoc_paper.datasets.arrays import features_and_target
from ecoc_paper.datasets.cards import Card, card
from ecoc_paper.datasets.content import digest
from ecoc_paper.datasets.openml import fetch
from ecoc_paper.datasets.wheels import Table


@dataclass(frozen=True, eq=False)
class Data:
    """A loaded data set.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features) or (n_samples,)
        Features. An image is a row of pixels. Texts are an array of one dimension.
    y : ndarray of shape (n_samples,)
        Labels.
    groups : ndarray of shape (n_samples,) or None
        Rows with the same value belong together. None: not known.
    card : Card
        Its card.
    digest : str
        SHA-256 of its content.
    source : str
        Where it was found.

    See Also
    --------
    ecoc_paper.datasets.load : Loads a data set.

    Examples
    --------
    >>> from ecoc_paper import datasets
    >>> data = datasets.load("toy")
    >>> data.X.shape, data.y.shape, data.groups
    ((1400, 2), (1400,), None)
    >>> data.digest in data.card.digests
    True
    """

    X: NDArray[Any]
    y: NDArray[Any]
    groups: NDArray[Any] | None
    card: Card
    digest: str
    source: str

    @property
    def n_features(self) -> int | None:
        """Number of features.

        Returns
        -------
        int or None
            None for texts.
        """
        return self.X.shape[1] if self.X.ndim > 1 else None


def load(
    name: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    target: str | None = None,
    verify: bool = True,
    openml: str | None = None,
    **parameters: Any,
) -> Data:
    """Load a data set by name, or a file of your own.

    Parameters
    ----------
    name : str or path-like
        One of :func:`names`, or the path of a CSV, TSV, ARFF, Parquet or NPZ file.
    data_dir : path-like, default=None
        Folder to look in first. None: the folder in ``ECOC_DATA``, if it is set.
    target : str, default=None
        Column of the labels in a file of your own. None: the first of label, class, target, y that there is.
    verify : bool, default=True
        Whether to raise an error if the content differs from the card's digest.
    openml : str, default=None
        Address of a server with OpenML's interface. None: ``ECOC_OPENML``, else OpenML itself.
    **parameters : dict
        Parameters of data sets that are made and not found: ``seed`` of ``"toy"``; those of functions
        of your own, see :func:`register`.

    Returns
    -------
    Data
        Features, labels, and the card.

    Raises
    ------
    DataError
        If the data are not found, cannot be read, or differ from the card. The message says what to do.

    See Also
    --------
    ecoc_paper.datasets.register : Add a data set of your own.

    Examples
    --------
    >>> from ecoc_paper import datasets
    >>> data = datasets.load("toy")
    >>> data.X.shape, len(set(data.y)), data.source
    ((1400, 2), 14, 'made here')

    A file of your own:

    >>> import csv, tempfile
    >>> rows = ["length", "weight", "species"], [46, 4.5, "cat"], [60, 20, "dog"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/pets.csv", "w", newline="") as file:
    ...         csv.writer(file).writerows(rows)
    ...     pets = datasets.load(f"{folder}/pets.csv", target="species")
    >>> pets.X.tolist(), pets.y.tolist()
    ([[46.0, 4.5], [60.0, 20.0]], ['cat', 'dog'])
    """
    path = Path(name)
    if str(name).lower().endswith(ENDINGS):
        X, y = read_file(path, target)
        about = Card(path.name.partition(".")[0], source=path.name)
        return Data(X, y, None, about, digest(X, y), "file")
    about = card(str(name))
    if about.make is not None:
        X, y, *groups = (np.asarray(part) for part in about.make(**parameters))
        made = Data(X, y, groups[0] if groups else None, about, digest(X, y), "made here")
        return _checked(made, verify and not parameters)  # the card has the digest for the defaults
    if parameters:
        raise DataError(f"{about.name} is found, not made, and takes no parameter {next(iter(parameters))!r}.")
    folder = data_dir or os.environ.get("ECOC_DATA")
    if folder is not None and (file := _in_folder(about, Path(folder))) is not None:
        return _checked(
            _data(about, read_table(file, labels=USUAL_TARGETS, as_text=(about.group or "",)), f"folder ({file.name})"),
            verify,
        )
    if about.wheel is not None and (place := about.wheel.find()) is not None:
        return _checked(_data(about, about.wheel.read(place), f"wheel ({about.wheel.distribution})"), verify)
    reason = "OpenML does not have it"
    if about.openml is not None:
        try:
            table, label, ignored = fetch(about.openml, server=openml)
        except DataError as error:
            reason = f"OpenML has it, but {error}"
        else:
            return _checked(_data(about, table, "OpenML", label, ignored), verify)
    raise DataError(_nowhere(about, folder, reason))


def read_file(path: Path, target: str | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read X and y from a user's file."""
    labels = USUAL_TARGETS if target is None else (target,)
    return features_and_target(read_table(path, labels=labels), path.name, target)


def _in_folder(about: Card, folder: Path) -> Path | None:
    candidates = (folder / f"{about.file or about.name}{ending}" for ending in ENDINGS)
    return next((path for path in candidates if path.is_file()), None)


def _data(about: Card, table: Table, source: str, target: str | None = None, ignored: tuple[str, ...] = ()) -> Data:
    X, y = features_and_target(table, f"{about.name} of {source}", target, (*about.not_features, *ignored))
    groups = None if about.group is None else table.get(about.group)
    return Data(X, y, groups, about, digest(X, y), source)


def _checked(data: Data, verify: bool) -> Data:
    about, n, d, k = data.card, len(data.X), data.n_features, len(np.unique(data.y))
    if not verify or data.digest in about.digests or not about.digests:
        return data
    sizes = zip((n, d, k), (about.n_samples, about.n_features, about.n_classes))
    found = f"{about.name} of {data.source} has {n} rows, {d} features, {k} classes and the digest {data.digest[:12]}…"
    if data.source == "OpenML" and all(expected in (None, size) for size, expected in sizes):
        warn(f"{found}, which is not on its card: results may differ a little from published ones.", stacklevel=3)
        return data
    raise DataError(
        f"{found}, which is not the content on its card ({about.digests[0][:12]}…). If you changed the data on "
        "purpose, load it by its path, or with verify=False."
    )


def _nowhere(about: Card, folder: Any, reason: str) -> str:
    file = f"{about.file or about.name}.csv or .npz"
    folder = f"{folder} has no {file}" if folder else f"set ECOC_DATA or --data-dir to one with {file}"
    wheel = about.wheel.install if about.wheel else "none has it"
    return f"{about.name} was not found. (1) Folder: {folder}. (2) Data wheel: {wheel}. (3) OpenML: {reason}."
