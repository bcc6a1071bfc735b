"""Read samples batch by batch from files that need not fit into memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ecoc.utils.exceptions import DataError
from ecoc.utils.optional import optional

_ENDINGS = (".parquet", ".csv", ".npy")


class Batches:
    """Samples in files, which are read batch by batch, as often as they are needed.

    :meth:`ecoc.ECOCClassifier.fit_batches` takes it. Features must be numbers; missing values are NaN.

    Parameters
    ----------
    files : path, or sequence of paths
        Parquet or CSV files with the same columns, or `.npy` files of samples, whose last column holds the labels
        unless `target` says otherwise.
    target : str or path, default=None
        Name of the column of labels; for one `.npy` file, the `.npy` file of labels. None: the last column. If no
        column has this name, iteration gives None for labels.
    rows : int, default=50000
        Largest number of rows in a batch.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> from ecoc import Batches
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> _ = path.write_text("a,b,label\\n1,2,x\\n3,4,y\\n5,6,x\\n")
    >>> [(X.tolist(), y.tolist()) for X, y in Batches(path, target="label", rows=2)]
    [([[1.0, 2.0], [3.0, 4.0]], ['x', 'y']), ([[5.0, 6.0]], ['x'])]
    """

    def __init__(self, files: Any, target: Any = None, rows: int = 50_000) -> None:
        paths = files if isinstance(files, Sequence) and not isinstance(files, str) else [files]
        self.files = [Path(path) for path in paths]
        self.target = target
        self.rows = rows
        for path in self.files:
            if path.suffix not in _ENDINGS:
                raise DataError(f"cannot read {path} batch by batch; files may end in {', '.join(_ENDINGS)}.")
            if not path.exists():
                raise DataError(f"there is no file {path}.")

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for path in self.files:
            if path.suffix == ".npy":
                yield from self._of_arrays(path)
            else:
                for frame in self._frames(path):
                    yield self._split(frame, path)

    def _of_arrays(self, path: Path) -> Iterator[tuple[Any, Any]]:
        X = np.load(path, mmap_mode="r")
        y = None if self.target is None else np.load(self.target, mmap_mode="r")
        for start in range(0, len(X), self.rows):
            # Copies, because pages of a memory map would stay in memory.
            part = np.array(X[start : start + self.rows])
            if y is None:
                yield part[:, :-1].astype(np.float32), part[:, -1]
            else:
                yield part.astype(np.float32, copy=False), np.array(y[start : start + self.rows])

    def _frames(self, path: Path) -> Iterator[Any]:
        if path.suffix == ".csv":
            pandas = optional("pandas", "CSV files are read batch by batch by pandas", "pandas")
            with pandas.read_csv(path, chunksize=self.rows) as reader:
                yield from reader
            return
        parquet = optional("pyarrow.parquet", "Parquet files are read by pyarrow", "pyarrow")
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(self.rows):
                yield batch.to_pandas()

    def _split(self, frame: Any, path: Path) -> tuple[Any, Any]:
        target = frame.columns[-1] if self.target is None else self.target
        y = frame.pop(target).to_numpy() if target in frame.columns else None
        strange = [name for name, kind in frame.dtypes.items() if kind.kind not in "biuf"]
        if strange:
            raise DataError(
                f"column {strange[0]!r} of {path} has {frame[strange[0]].dtype} and not numbers; drop or encode it."
            )
        return frame.to_numpy(dtype=np.float32), y
