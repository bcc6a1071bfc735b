import os
import stat

import pytest

from ecoc.utils.files import replace_file


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "model"
    for content in (b"old", b"", b"new"):
        replace_file(path, content)
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("step", ["write", "rename"])
def test_a_failure_leaves_the_earlier_file_alone(tmp_path, monkeypatch, step):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError("disk full")

    if step == "rename":
        monkeypatch.setattr(os, "replace", fail)
    else:
        monkeypatch.setattr(type(path), "write_bytes", lambda self, content: (self.touch(), fail()))
    with pytest.raises(OSError, match="disk full"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.skipif(os.name == "nt", reason="no such permissions")
def test_others_may_read_what_the_umask_lets_them(tmp_path):
    replace_file(tmp_path / "ours", b"")
    (tmp_path / "usual").touch()
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "usual")}
    assert len(modes) == 1
