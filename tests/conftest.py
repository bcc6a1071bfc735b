"""Data for the tests: the development sets where they are at hand, scikit-learn's bundled ones elsewhere."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Dataset = tuple[np.ndarray, np.ndarray]

_NOT_FEATURES = {"vowel": 3}  # leading columns: train/test mark, speaker, sex
_STAND_INS = {"glass": "wine", "ecoli": "iris"}  # all others: digits


@pytest.fixture(scope="session")
def data_dir() -> Path | None:
    """The folder of development sets: ECOC_DATA, else ../shared/data beside the repository, if it exists."""
    folder = Path(os.environ.get("ECOC_DATA", Path(__file__).parents[2] / "shared" / "data"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def load_dataset(data_dir: Path | None) -> Callable[[str], Dataset]:
    """``load_dataset(name)`` gives (X, y), of a bundled stand-in if the set itself is not at hand."""

    def load(name: str) -> Dataset:
        if data_dir is not None and (path := data_dir / f"{name}.csv.gz").exists():
            with gzip.open(path, "rt") as lines:
                table = np.loadtxt(lines, delimiter=",", skiprows=1, dtype=str)
            X, y = table[:, _NOT_FEATURES.get(name, 0) : -1].astype(float), table[:, -1]
            return X, y.astype(int) if np.char.isdigit(y).all() else y
        if data_dir is not None and (path := data_dir / f"{name}.npz").exists():
            with np.load(path) as arrays:
                X, y = arrays["X"], arrays["y"]
            return X.reshape(len(X), -1).astype(float), y
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{_STAND_INS.get(name, 'digits')}")(return_X_y=True)
        return X, y

    return load
