"""The folder of development sets, where it is at hand."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path | None:
    """The folder of development sets: ECOC_DATA, else ../shared/data beside the repository, if it exists."""
    folder = Path(os.environ.get("ECOC_DATA", Path(__file__).parents[3] / "shared" / "data"))
    return folder if folder.is_dir() else None
