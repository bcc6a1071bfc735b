"""Which data do the benchmarks use? The development sets if available, else those bundled with scikit-learn."""

import gzip
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Data = tuple[NDArray[np.float64], NDArray[np.int64]]
_NOT_FEATURES = {"vowel": 3}  # leading columns: train/test mark, speaker, sex
_BUNDLED = ("iris", "wine", "digits", "breast_cancer")


def load(name: str) -> Data | None:
    """Load (X, y) from the folder ECOC_DATA, or from ../shared/data beside the repository; None if not found."""
    folder = Path(os.environ.get("ECOC_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if (images := folder / f"{name}.npz").is_file():
        with np.load(images) as file:
            X = file["X"].reshape(len(file["X"]), -1).astype(np.float64)
            return X, np.unique(file["y"], return_inverse=True)[1]
    path = folder / f"{name}.csv.gz"
    if not path.is_file():
        return None
    with gzip.open(path, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1, dtype=str)
    return table[:, _NOT_FEATURES.get(name, 0) : -1].astype(float), np.unique(table[:, -1], return_inverse=True)[1]


def available(names: tuple[str, ...]) -> dict[str, Data]:
    """Load the sets with these names; if there are none, the sets bundled with scikit-learn."""
    found = {name: data for name in names if (data := load(name)) is not None}
    return found or {name: _bundled(name) for name in _BUNDLED}


def without_rare_classes(X: NDArray[np.float64], y: NDArray[np.int64], least: int) -> Data:
    """Keep only classes with at least `least` samples."""
    kept = np.bincount(y)[y] >= least
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def _bundled(name: str) -> Data:
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X, y


def groups(name: str) -> NDArray[np.int64] | None:
    """Return the group of each sample; a group must not be split between training and test. None: no groups."""
    folder = Path(os.environ.get("ECOC_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if name == "traffic36":
        with np.load(folder / "traffic36.npz") as file:
            return np.unique(file["track"], return_inverse=True)[1]
    if name == "vowel":
        with gzip.open(folder / "vowel.csv.gz", "rt") as lines:
            return np.unique(np.loadtxt(lines, delimiter=",", skiprows=1, dtype=str)[:, 1], return_inverse=True)[1]
    return None
