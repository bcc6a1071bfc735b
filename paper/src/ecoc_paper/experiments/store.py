"""Finished cells in an SQLite file, each written in one transaction."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ecoc_paper.experiments.cells import Cell, Outcome

_SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    protocol TEXT NOT NULL, experiment TEXT NOT NULL, dataset TEXT NOT NULL, fold INTEGER NOT NULL,
    method TEXT NOT NULL, setting TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed')), result TEXT, error TEXT, seed INTEGER NOT NULL,
    seconds REAL NOT NULL, facts TEXT NOT NULL, finished TEXT NOT NULL,
    PRIMARY KEY (protocol, experiment, dataset, fold, method, setting)
) WITHOUT ROWID
"""
_COLUMNS = "protocol, experiment, dataset, fold, method, setting, status, result, error, seed, seconds, facts, finished"


class Row(NamedTuple):
    """A finished cell, and the seed of its repetition."""

    cell: Cell
    result: dict[str, Any]
    seconds: float
    facts: dict[str, str]
    seed: int = 0


class Store:
    """The finished cells of all protocols.

    Parameters
    ----------
    path : path-like
        The file; it is made if there is none.

    See Also
    --------
    ecoc_paper.experiments.run : Fill one.

    Examples
    --------
    A store remembers what was computed, so that a run goes on where the last one ended:

    >>> import tempfile
    >>> from ecoc_paper.experiments import Protocol, Store, run
    >>> protocol = Protocol("planted", datasets=(), planted=((5, 3, 1, 2),), curves=(), boundaries=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.sqlite")
    ...     cells = run(protocol, store)
    ...     known = store.known(protocol.key)
    ...     store.close()
    >>> known == set(cells), len(cells)
    (True, 1)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._explained():
            self._base = sqlite3.connect(self.path, timeout=60)
            with self._base:
                self._base.execute(_SCHEMA)
                self._base.execute(f"SELECT {_COLUMNS} FROM cells LIMIT 1")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of the database into errors that say what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "no such column" in str(error):
                advice = "it is a file of something else; choose another folder"
            elif "full" in str(error):
                advice = "the disk is full; free some space and start again, finished cells are kept"
            else:
                advice = "see whether the folder may be written to and no other program holds the file"
            raise OSError(f"cannot use {self.path}: {error}; {advice}.") from error
        except sqlite3.DatabaseError as error:
            raise OSError(
                f"{self.path} is damaged or is no store of results ({error}); move it away, or choose another folder."
            ) from error

    def close(self) -> None:
        """Let go of the file.

        Examples
        --------
        >>> import tempfile
        >>> from contextlib import closing
        >>> from ecoc_paper.experiments import Store
        >>> with tempfile.TemporaryDirectory() as folder, closing(Store(f"{folder}/results.sqlite")) as store:
        ...     store.known("quick")
        set()
        """
        self._base.close()

    def add(self, protocol: str, outcome: Outcome) -> None:
        """Write a cell, in place of an earlier outcome if there is one; when this returns it is on the disk.

        Parameters
        ----------
        protocol : str
            The key of the protocol, see `Protocol.key`.
        outcome : Outcome
            What came out of the cell: numbers, or an error.

        Examples
        --------
        >>> import tempfile
        >>> from ecoc_paper.experiments import Store
        >>> from ecoc_paper.experiments.cells import Cell, Outcome
        >>> cell = Cell("accuracy", "glass", 0, "OVA", "")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(f"{folder}/results.sqlite")
        ...     store.add("mine", Outcome(cell, {"n_test": 43}, error=None, seed=0, seconds=0.1, facts={}))
        ...     rows = list(store.rows("mine", "accuracy"))
        ...     store.close()
        >>> rows[0].cell.method, rows[0].result
        ('OVA', {'n_test': 43})
        """
        status, result = ("failed", None) if outcome.error else ("ok", json.dumps(outcome.result, sort_keys=True))
        facts, now = json.dumps(outcome.facts, sort_keys=True), datetime.now(UTC).isoformat(timespec="seconds")
        row = (protocol, *outcome.cell, status, result, outcome.error, outcome.seed, outcome.seconds, facts, now)
        with self._explained(), self._base:
            self._base.execute(f"INSERT OR REPLACE INTO cells VALUES ({', '.join('?' * len(row))})", row)

    def known(self, protocol: str, status: str = "ok") -> set[Cell]:
        """List the cells of a protocol that are in the file.

        Parameters
        ----------
        protocol : str
            The key of the protocol.
        status : {"ok", "failed"}, default="ok"
            Those that are finished, or those that failed.

        Returns
        -------
        set of Cell
            The cells.

        Examples
        --------
        >>> import tempfile
        >>> from ecoc_paper.experiments import Store
        >>> from ecoc_paper.experiments.cells import Cell, Outcome
        >>> cell = Cell("accuracy", "glass", 0, "OVA", "")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(f"{folder}/results.sqlite")
        ...     store.add("mine", Outcome(cell, None, error="ValueError: too few rows", seed=0, seconds=0.1, facts={}))
        ...     finished, failed = store.known("mine"), store.known("mine", "failed")
        ...     store.close()
        >>> len(finished), len(failed)
        (0, 1)
        """
        query = "SELECT experiment, dataset, fold, method, setting FROM cells WHERE protocol = ? AND status = ?"
        return {Cell(*row) for row in self._fetched(query, protocol, status)}

    def rows(self, protocol: str, experiment: str) -> Iterator[Row]:
        """Iterate over the finished cells of an experiment, sorted.

        Parameters
        ----------
        protocol : str
            The key of the protocol.
        experiment : str
            ``"accuracy"``, ``"design"``, ``"convergence"``, ``"boundaries"`` or ``"planted"``.

        Yields
        ------
        Row
            The cell with its result, its seconds, and the facts of the machine.

        Examples
        --------
        >>> import tempfile
        >>> from ecoc_paper.experiments import Protocol, Store, run
        >>> protocol = Protocol("planted", datasets=(), planted=((5, 3, 1, 1),), curves=(), boundaries=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(f"{folder}/results.sqlite")
        ...     cells = run(protocol, store)
        ...     rows = list(store.rows(protocol.key, "planted"))
        ...     store.close()
        >>> len(rows) == len(cells)
        True
        """
        query = """SELECT experiment, dataset, fold, method, setting, result, seconds, facts FROM cells
                   WHERE protocol = ? AND experiment = ? AND status = 'ok' ORDER BY dataset, method, setting, fold"""
        for *cell, result, seconds, facts in self._fetched(query, protocol, experiment):
            yield Row(Cell(*cell), json.loads(result), seconds, json.loads(facts))

    def failures(self, protocol: str) -> list[tuple[Cell, str]]:
        """List the cells that failed, with their errors.

        Parameters
        ----------
        protocol : str
            The key of the protocol.

        Returns
        -------
        list of (Cell, str)
            The cells, sorted, each with its error.

        Examples
        --------
        >>> import tempfile
        >>> from ecoc_paper.experiments import Store
        >>> from ecoc_paper.experiments.cells import Cell, Outcome
        >>> cell = Cell("accuracy", "glass", 0, "OVA", "")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(f"{folder}/results.sqlite")
        ...     store.add("mine", Outcome(cell, None, error="ValueError: too few rows", seed=0, seconds=0.1, facts={}))
        ...     failures = store.failures("mine")
        ...     store.close()
        >>> failures[0][1]
        'ValueError: too few rows'
        """
        query = """SELECT experiment, dataset, fold, method, setting, error FROM cells
                   WHERE protocol = ? AND status = 'failed' ORDER BY dataset, method, setting, fold"""
        return [(Cell(*cell), error) for *cell, error in self._fetched(query, protocol)]

    def _fetched(self, query: str, *values: str) -> list[Any]:
        with self._explained():
            return self._base.execute(query, values).fetchall()
