"""Samples that come batch by batch, from files that need not fit into memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ecoc.utils.exceptions import DataError
from ecoc.utils.optional import optional

_ENDINGS = (".parquet", ".csv", ".npy")


class Batches:
    """Samples that are read batch by batch, as often as needed, so that they need not fit into memory.

    `fit` and `predict` of :class:`ecoc.ECOCClassifier` take it. XGBoost then trains all columns in external memory. One
    pass over the batches counts the classes and draws samples. Some design the code; others are held out to choose and
    calibrate the decoding. Further passes bin the features, which are kept in files during training.

    Parameters
    ----------
    source : path, sequence of paths, or iterable of (X, y)
        Parquet or CSV files with the same columns; an `.npy` file, whose last column holds the labels unless `target`
        is given; or pairs of samples and labels, the same at every iteration: a list, or an object of your own with
        ``__iter__``. Features must be numbers; NaN is a missing value.
    target : str or path, default=None
        Name of the column of labels; for an `.npy` file, the `.npy` file of labels. None: the last column. Files to
        predict need not have it.
    rows : int, default=50000
        Largest number of rows that are read from a file at once.
    max_memory : float, default=None
        Bytes for what grows with the number of samples: labels, margins and gradients of the columns, and the drawn
        samples. None: a quarter of the free memory. A batch, and Python itself, come on top of this.
    folder : path, default=None
        Where the binned features are kept during training, about one byte for each number. None: the system's folder
        for temporary files.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> from ecoc import Batches
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> _ = path.write_text("a,b,label\\n1,2,x\\n3,4,y\\n5,6,x\\n")
    >>> [(X.tolist(), y.tolist()) for X, y in Batches(path, target="label", rows=2)]
    [([[1.0, 2.0], [3.0, 4.0]], ['x', 'y']), ([[5.0, 6.0]], ['x'])]
    """

    def __init__(
        self,
        source: Any,
        target: Any = None,
        *,
        rows: int = 50_000,
        max_memory: float | None = None,
        folder: Any = None,
    ) -> None:
        one = isinstance(source, str | Path)
        listed = [source] if one else source
        if not hasattr(listed, "__iter__") or iter(listed) is listed:
            raise ValueError("batches are read several times: give files, a list, or an object with __iter__.")
        is_files = one or (isinstance(listed, Sequence) and len(listed) and isinstance(listed[0], str | Path))
        self.files = [Path(path) for path in listed] if is_files else None
        self.source = source
        self.target = target
        self.rows = rows
        self.max_memory = max_memory
        self.folder = folder
        for path in self.files or []:
            if path.suffix not in _ENDINGS:
                raise DataError(f"cannot read {path} batch by batch; files may end in {', '.join(_ENDINGS)}.")
            if not path.exists():
                raise DataError(f"there is no file {path}.")

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        if self.files is None:
            for batch in self.source:
                yield batch if isinstance(batch, tuple) else (batch, None)
        for path in self.files or []:
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
