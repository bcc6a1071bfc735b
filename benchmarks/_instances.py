"""Which designs do the benchmarks use? Planted ones, realistic ones, and a reference file if available."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
_FILE = "factorization.npz"
HOW_TO_GET_THE_REFERENCE = (
    f"No reference file: set ECOC_REFERENCE to the path of {_FILE}, or put it into ../shared/reference beside the "
    "repository. For every instance, the file holds a design matrix under 'name|D' and the best known objective under "
    "'name|f'. A name ends with the length and the minimum distance, as in 'letter-hard-l21-c1'."
)


@dataclass(frozen=True)
class Instance:
    """A design, a length l and a minimum distance c; `best` is the smallest known objective."""

    name: str
    design: Matrix
    n_columns: int
    min_distance: int
    best: float | None = None


def reference() -> list[Instance]:
    """Load all instances of the reference file; an empty list if there is no such file."""
    beside = Path(__file__).parents[2] / "shared" / "reference"
    path = Path(os.environ.get("ECOC_REFERENCE", beside))
    path = path / _FILE if path.is_dir() else path
    if not path.is_file():
        return []
    with np.load(path) as arrays:
        names = sorted(key.removesuffix("|D") for key in arrays if key.endswith("|D"))
        return [
            Instance(name, arrays[f"{name}|D"], *_length_and_distance(name), float(arrays[f"{name}|f"]))
            for name in names
        ]


def stand_ins() -> list[Instance]:
    """Make designs that need no file: of scikit-learn's digits, and of random classes that resemble the letter data."""
    from sklearn.datasets import load_digits

    from ecoc import allocate, class_distances, nearest_correlation

    digits = class_distances(*load_digits(return_X_y=True))
    return [
        *(
            Instance(f"digits-{allocation}-l{l}-c{c}", nearest_correlation(allocate(digits, allocation)), l, c)
            for allocation in ("easy", "hard")
            for l, c in ((8, 1), (20, 3))
        ),
        letter_like("easy"),
        letter_like("hard"),
    ]


def letter_like(allocation: str = "hard") -> Instance:
    """Make the design of 26 random classes in 16 dimensions, the size of the letter data."""
    from ecoc import allocate, nearest_correlation

    centres = np.random.default_rng(26).standard_normal((26, 16))
    distances = np.linalg.norm(centres[:, None] - centres, axis=2)
    design = nearest_correlation(allocate(distances, allocation))
    return Instance(f"letterlike-{allocation}-l21-c1", design, 21, 1)


def planted(k: int, l: int, seed: int) -> Matrix:
    """Make D = XXᵀ/l from a random code X with k different codewords and l different columns."""
    rng = np.random.default_rng([k, l, seed])
    while True:
        words = rng.choice(2**l, size=k, replace=False)
        code = 2.0 * (words[:, None] >> np.arange(l) & 1) - 1
        same = np.abs(code.T @ np.column_stack([code, np.ones(k)])) == k  # the column of ones excludes constant columns
        if same.sum() == l:
            return code @ code.T / l


def random_factor(k: int, rank: int, seed: int = 0) -> Matrix:
    """Make a factor F of a design D = FFᵀ: k random directions in `rank` dimensions."""
    factor = np.random.default_rng([k, rank, seed]).standard_normal((k, rank))
    return factor / np.linalg.norm(factor, axis=1, keepdims=True)


def _length_and_distance(name: str) -> tuple[int, int]:
    found = re.search(r"-l(\d+)-c(\d+)$", name)
    if found is None:
        raise ValueError(f"The name of a reference instance must end with -l<length>-c<distance>; got {name!r}.")
    return int(found[1]), int(found[2])
