"""Code books in files: round trips, and files of other kinds or origins."""

import os
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ecoc.codes.codebook.serialization
from ecoc import CodeBook, CodeBookError
from tests.codebooks import QUICK, SMALL, SQUARE, random_code

any_labels = st.one_of(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
        min_size=4,
        max_size=4,
        unique=True,
    ),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=4, max_size=4, unique=True),
    st.lists(st.floats(allow_nan=False), min_size=4, max_size=4, unique=True),
    st.lists(
        st.sampled_from(["1", "-2", "1e3", "nan", '"1"', '"', "", " 7", "inf"]),
        min_size=4,
        max_size=4,
        unique=True,
    ),
)


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
@QUICK
@given(labels=st.none() | any_labels)
def test_round_trip(tmp_path_factory, suffix, labels):
    book = CodeBook(SQUARE, labels)
    path = tmp_path_factory.getbasetemp() / f"round_trip{suffix}"
    book.save(path)
    again = CodeBook.load(str(path))
    assert again == book
    assert again.labels.dtype.kind == book.labels.dtype.kind


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".CSV"])
@pytest.mark.parametrize(
    "labels",
    [
        None,
        [10, 20, 30, 2**62],
        ["1", "2", "3", "x"],
        ["naïve", "日本", "🙂", ""],
        ["a,b", 'say "hi"', "two\nlines", "cr\r\nlf\r"],
        np.array(["a", "b", "c", "d"], dtype=object),
        np.array([1, 2, 3, 4], dtype=np.uint8),
    ],
)
def test_label_types_survive(tmp_path, suffix, labels):
    book = CodeBook(SQUARE, labels)
    book.save(tmp_path / f"book{suffix}")
    again = CodeBook.load(tmp_path / f"book{suffix}")
    assert again == book
    assert [type(label) for label in again.labels.tolist()] == [type(label) for label in book.labels.tolist()]


def test_csv_is_for_people_and_pandas(tmp_path):
    book = CodeBook(SMALL, labels=["cat", "dog", "cow"])
    book.save(tmp_path / "book.csv")
    assert (tmp_path / "book.csv").read_text() == "class,0,1,2\ncat,1,1,0\ndog,-1,0,1\ncow,0,-1,-1\n"
    assert CodeBook(pd.read_csv(tmp_path / "book.csv", index_col="class")) == book
    book.with_labels(None).save(tmp_path / "book.csv")
    assert CodeBook(pd.read_csv(tmp_path / "book.csv")) == CodeBook(SMALL)


def test_csv_written_by_hand(tmp_path):
    path = tmp_path / "book.csv"
    path.write_bytes(b'\xef\xbb\xbfclass,0,1\r\n"1",1.0,+1\r\n\r\n2,-1,0\r\nother,1,-1\r\n')
    assert CodeBook.load(path) == CodeBook([[1, 1], [-1, 0], [1, -1]], labels=["1", "2", "other"])


def test_other_suffixes_are_refused(tmp_path):
    for use in (CodeBook(SMALL).save, CodeBook.load):
        with pytest.raises(ValueError, match=r"must end in \.npz or \.csv, got 'book.json'"):
            use(tmp_path / "book.json")


@pytest.mark.parametrize(
    ("suffix", "labels", "kinds"),
    [
        (".npz", [1, "a", (2,)], "int, str, tuple"),
        (".csv", [1, "a", 2], "int, str"),
        (".csv", [b"a", b"b", b"c"], "bytes"),
    ],
)
def test_labels_that_would_not_survive_are_refused(tmp_path, suffix, labels, kinds):
    with pytest.raises(TypeError, match=f"labels of type {kinds} cannot be written"):
        CodeBook(SMALL, labels).save(tmp_path / f"book{suffix}")
    assert not any(tmp_path.iterdir())


def test_missing_files_are_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        CodeBook.load(tmp_path / "book.npz")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1,-1\n-1,1\n",
        b"class,0,2\na,1,-1\nb,-1,1\n",
        b"class,0,1\na,1,-1\nb,-1\n",
        b"class,0,1\na,1\nb,-1\n",
        b"class,0,1\na,1,x\nb,-1,1\n",
        b"class,0\n\xff\xfe,1\nb,-1\n",
    ],
)
def test_foreign_csv(tmp_path, content):
    (tmp_path / "book.csv").write_bytes(content)
    with pytest.raises(CodeBookError, match=r"book\.csv: expected UTF-8 text headed 'class,0,1,\.\.\.'"):
        CodeBook.load(tmp_path / "book.csv")


def test_foreign_npz(tmp_path):
    path = tmp_path / "book.npz"
    np.savez(path, X=np.eye(2))
    expect_npz_error(path)
    np.savez(path, matrix=np.array([[1], [-1]], dtype=object))
    expect_npz_error(path)
    with path.open("wb") as file:
        np.save(file, np.eye(2))
    expect_npz_error(path)
    for content in (b"", b"class,0\n"):
        path.write_bytes(content)
        expect_npz_error(path)


def test_damaged_npz_never_gives_another_code(tmp_path):
    path, book = tmp_path / "book.npz", CodeBook(random_code(40, 20), labels=range(40))
    book.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    expect_npz_error(path)
    refused = 0
    for position in range(0, len(content), 7):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x55]) + content[position + 1 :])
        try:
            loaded = CodeBook.load(path)  # the changed byte does not matter, e.g. part of a date
            assert np.array_equal(loaded.matrix, book.matrix)
        except CodeBookError:
            refused += 1
    assert refused > 50


def expect_npz_error(path):
    with pytest.raises(CodeBookError, match=r"book\.npz: expected an NPZ archive of an array 'matrix'"):
        CodeBook.load(path)


def test_an_invalid_code_in_a_file_is_named_with_the_file(tmp_path):
    (tmp_path / "book.csv").write_text("class,0\na,1\nb,-1\nc,1\n")
    with pytest.raises(CodeBookError, match=r"book\.csv: classes with equal codewords: \('a', 'c'\)"):
        CodeBook.load(tmp_path / "book.csv")


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
@pytest.mark.parametrize("step", ["format", "write", "replace"])
def test_a_failed_save_leaves_the_earlier_file_and_nothing_else(tmp_path, monkeypatch, suffix, step):
    path = tmp_path / f"book{suffix}"
    CodeBook(SMALL).save(path)
    before = path.read_bytes()

    def fail(*args, **kwargs):
        raise OSError("disk is full")

    def write_half(self, content):
        with open(self, "wb") as file:
            file.write(content[: len(content) // 2])
        fail()

    if step == "format":
        monkeypatch.setattr(np, "savez_compressed", fail)
        monkeypatch.setattr(ecoc.codes.codebook.serialization.csv, "writer", fail)
    elif step == "write":
        monkeypatch.setattr(Path, "write_bytes", write_half)
    else:
        monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk is full"):
        CodeBook(SQUARE).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_saved_file_is_as_readable_as_any_other(tmp_path):
    (tmp_path / "plain").touch()
    CodeBook(SMALL).save(tmp_path / "book.npz")
    assert (tmp_path / "book.npz").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_file_that_unpacks_to_much_more_is_refused(tmp_path):
    path = tmp_path / "book.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("matrix.npy", "w") as member:
        for _ in range(2**9 + 1):
            member.write(bytes(2**20))
    assert path.stat().st_size < 2**20
    with pytest.raises(CodeBookError, match=r"it unpacks to 0\.5 GB"):
        CodeBook.load(path)
