"""Small data and quick comparisons."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import ecoc

QUICK = {"codings": ["ova", "ecf"], "columns": [2, 3], "decodings": ["linear"], "tune": False, "random_state": 0}


@pytest.fixture(scope="session")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["red", "rose", "white"])[y]


@pytest.fixture(scope="session")
def comparison(wine):
    return ecoc.compare(*wine, "ridge", **QUICK)


@pytest.fixture
def quick():
    return dict(QUICK)
