"""What is already known? Finished cells in an SQLite file, each written in one transaction."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ecoc.experiments.cells import Cell, Outcome

_SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    protocol TEXT NOT NULL, experiment TEXT NOT NULL, dataset TEXT NOT NULL, fold INTEGER NOT NULL,
    method TEXT NOT NULL, setting TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed')), result TEXT, error TEXT, seed INTEGER NOT NULL,
    seconds REAL NOT NULL, facts TEXT NOT NULL, finished TEXT NOT NULL,
    PRIMARY KEY (protocol, experiment, dataset, fold, method, setting)
) WITHOUT ROWID
"""


class Row(NamedTuple):
    """A finished cell."""

    cell: Cell
    result: dict[str, Any]
    seconds: float
    facts: dict[str, str]


class Store:
    """The finished cells of all protocols.

    Parameters
    ----------
    path : path-like
        The file; it is made if there is none.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(self.path, timeout=60)
        with self._base:
            self._base.execute(_SCHEMA)

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def add(self, protocol: str, outcome: Outcome) -> None:
        """Write a cell, in place of a failed one if there is one; when this returns it is on the disk."""
        status, result = ("failed", None) if outcome.error else ("ok", json.dumps(outcome.result, sort_keys=True))
        facts, now = json.dumps(outcome.facts, sort_keys=True), datetime.now(UTC).isoformat(timespec="seconds")
        row = (protocol, *outcome.cell, status, result, outcome.error, outcome.seed, outcome.seconds, facts, now)
        with self._base:
            self._base.execute(f"INSERT OR REPLACE INTO cells VALUES ({', '.join('?' * len(row))})", row)

    def known(self, protocol: str, status: str = "ok") -> set[Cell]:
        """Cells of a protocol that are in the file, ``"ok"`` or ``"failed"``."""
        query = "SELECT experiment, dataset, fold, method, setting FROM cells WHERE protocol = ? AND status = ?"
        return {Cell(*row) for row in self._base.execute(query, (protocol, status))}

    def rows(self, protocol: str, experiment: str) -> Iterator[Row]:
        """Finished cells of an experiment, sorted."""
        query = """SELECT experiment, dataset, fold, method, setting, result, seconds, facts FROM cells
                   WHERE protocol = ? AND experiment = ? AND status = 'ok' ORDER BY dataset, method, setting, fold"""
        for *cell, result, seconds, facts in self._base.execute(query, (protocol, experiment)):
            yield Row(Cell(*cell), json.loads(result), seconds, json.loads(facts))

    def failures(self, protocol: str) -> list[tuple[Cell, str]]:
        """Cells that failed, with their errors."""
        query = """SELECT experiment, dataset, fold, method, setting, error FROM cells
                   WHERE protocol = ? AND status = 'failed' ORDER BY dataset, method, setting, fold"""
        return [(Cell(*cell), error) for *cell, error in self._base.execute(query, (protocol,))]
