import importlib.util
import time
from pathlib import Path
from types import ModuleType

import numba
import pytest

from ecoc.utils import jit

SOURCE = """
from ecoc.utils.jit import kernel

@kernel
def add(a, b):
    return a + b
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a module with a kernel, whose cache is in a folder of its own."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE)

    def again() -> ModuleType:
        spec = importlib.util.spec_from_file_location("ecoc.made_for_this_test", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return again


def files(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "cache").rglob("*") if path.suffix in (".nbi", ".nbc")]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [b"", b"\x80\x04garbage", "half"])
def test_damaged_cache_is_made_anew(load, tmp_path, suffix, damage):
    assert load().add(1, 2) == 3
    assert {path.suffix for path in files(tmp_path)} == {".nbi", ".nbc"}
    for path in files(tmp_path):
        if path.suffix == suffix:
            content = path.read_bytes()
            path.write_bytes(content[: len(content) // 2] if damage == "half" else damage)
    damaged = load().add
    assert damaged(1, 2) == 3
    assert not damaged.stats.cache_hits
    mended = load().add
    assert mended(1, 2) == 3
    assert sum(mended.stats.cache_hits.values()) == 1


def test_no_cache_folder_at_all(load, monkeypatch):
    def refuse(function):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(jit, "RepairedCache", refuse)
    assert load().add(1, 2) == 3


@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_long_compilation_is_announced_once(load, monkeypatch, capsys, patience):
    monkeypatch.setattr(jit.ANNOUNCEMENT, "patience", patience)
    monkeypatch.setattr(jit.ANNOUNCEMENT, "_told", False)
    monkeypatch.setattr(jit.ANNOUNCEMENT, "_spent", 0.0)
    add = load().add
    assert add(1, 2) == 3
    time.sleep(0.05)
    assert add(1.0, 2.0) == 3
    assert capsys.readouterr().err.count("compiling numerical code") == (patience == 0)
