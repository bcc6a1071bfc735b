"""A file is replaced as a whole or not at all, and stays what it was: its permissions, its links, its kind."""

import os
import stat
import threading
from pathlib import Path

import pytest

from ecoc.utils.files import replace_file


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_content_is_replaced(tmp_path):
    path = tmp_path / "file"
    for content in (b"first", b"", b"third" * 10**5):
        replace_file(path, content)
        assert path.read_bytes() == content
    assert names(tmp_path) == ["file"]


def test_permissions_are_kept(tmp_path):
    path = tmp_path / "file"
    before = os.umask(0o027)
    try:
        replace_file(path, b"new")
        assert mode(path) == 0o640
        for wanted in (0o600, 0o664, 0o755, 0o444):
            path.chmod(wanted)
            replace_file(path, b"newer")
            assert mode(path) == wanted
    finally:
        os.umask(before)


def test_links_stay_links(tmp_path):
    (tmp_path / "models").mkdir()
    target, link, dangling = tmp_path / "models" / "v1", tmp_path / "latest", tmp_path / "next"
    target.write_bytes(b"old")
    link.symlink_to("models/v1")
    dangling.symlink_to("models/v2")
    for path in (link, dangling):
        replace_file(path, b"new")
        assert path.is_symlink()
        assert path.read_bytes() == b"new"
    assert names(tmp_path / "models") == ["v1", "v2"]
    assert names(tmp_path) == ["latest", "models", "next"]


def test_content_is_on_the_disk_before_the_file_is_renamed(tmp_path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: calls.append(os.fstat(descriptor).st_size) or fsync(descriptor))
    monkeypatch.setattr(os, "replace", lambda *paths: calls.append("renamed") or replace(*paths))
    replace_file(tmp_path / "file", b"12345")
    assert calls[:2] == [5, "renamed"]


@pytest.mark.parametrize("step", ["write_bytes", "fsync", "replace"])
def test_failures_leave_the_earlier_file(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    path.write_bytes(b"earlier")

    def fail(*args):
        raise OSError("no space left")

    monkeypatch.setattr(Path if step == "write_bytes" else os, step, fail)
    with pytest.raises(OSError, match="no space left"):
        replace_file(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"earlier"
    assert names(tmp_path) == ["file"]


def test_old_scratch_files_are_removed(tmp_path):
    old, fresh = tmp_path / ".file.0123abcd.tmp", tmp_path / ".file.89abcdef.tmp"
    others = [tmp_path / ".other.0123abcd.tmp", tmp_path / ".file.notes.tmp", tmp_path / "file.tmp"]
    for path in (old, fresh, *others):
        path.write_bytes(b"")
    for path in (old, *others):
        os.utime(path, (0, 0))
    replace_file(tmp_path / "file", b"new")
    assert names(tmp_path) == sorted(["file", fresh.name, *(path.name for path in others)])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_are_written_to(tmp_path):
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    replace_file(pipe, b"content")
    reader.join(10)
    assert received == [b"content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_folders_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_file(tmp_path / "folder", b"new")
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("name", ["n" * 250, "é" * 120])
def test_long_names(tmp_path, name):
    replace_file(tmp_path / name, b"new")
    assert (tmp_path / name).read_bytes() == b"new"
