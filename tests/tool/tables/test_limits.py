"""Can a small file fill the memory? Sizes are checked before anything is unpacked."""

import gzip
import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from ecoc.tool.tables import read_table
from ecoc.utils.exceptions import DataError

MUCH = 50_000_000


def one_line(error):
    return "\n" not in str(error.value) and len(str(error.value)) < 300


@pytest.mark.parametrize("ending", [".csv.gz", ".tsv.gz", ".arff.gz"])
def test_gzip_bombs(tmp_path, ending):
    path = tmp_path / f"it{ending}"
    path.write_bytes(gzip.compress(b"a\n" + b"0\n" * (MUCH // 2)))
    with pytest.raises(DataError, match=r"unpacks to more than 0\.001 GB; .*max_bytes= or .*ECOC_MAX_BYTES") as error:
        read_table(path, max_bytes=10**6)
    assert one_line(error)


READING = """
import resource, sys
from pathlib import Path
from ecoc.utils.exceptions import DataError
from ecoc.tool.tables import read_table

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_table(Path(sys.argv[1]), max_bytes=300_000_000)
except DataError as error:
    print(error)
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "kB"
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has another unit")
def test_a_gzip_bomb_of_one_line_is_counted_without_holding_it(tmp_path):
    path = tmp_path / "it.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"0" * 400_000_000, 9))
    done = subprocess.run([sys.executable, "-c", READING, str(path)], capture_output=True, text=True, check=True)
    assert "unpacks to more than 0.3 GB" in done.stdout


def test_rows_of_a_packed_file_are_counted_too(tmp_path):
    path = tmp_path / "it.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"0\n" * 200_000))  # 400 kB of text, 1.6 MB of numbers
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(path, max_bytes=10**6)
    assert len(read_table(path, max_bytes=10**7)["a"]) == 200_000


def test_the_limit_may_come_from_the_environment(tmp_path, monkeypatch):
    path = tmp_path / "it.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"0\n" * 1000))
    monkeypatch.setenv("ECOC_MAX_BYTES", "1000")
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(path)
    assert len(read_table(path, max_bytes=10**6)["a"]) == 1000
    monkeypatch.setenv("ECOC_MAX_BYTES", "much")
    with pytest.raises(DataError, match="ECOC_MAX_BYTES must be a whole number"):
        read_table(path)


def test_a_plain_file_has_no_limit(tmp_path):
    (tmp_path / "it.csv").write_text("a\n" + "0\n" * 1000)
    assert len(read_table(tmp_path / "it.csv", max_bytes=10)["a"]) == 1000


def test_npz_bombs(tmp_path):
    np.savez_compressed(tmp_path / "it.npz", a=np.zeros(MUCH // 8), b=np.zeros(MUCH // 8))
    assert (tmp_path / "it.npz").stat().st_size < MUCH / 100
    with pytest.raises(DataError, match="unpacks to more than") as error:
        read_table(tmp_path / "it.npz", max_bytes=MUCH + 1000)  # each alone would do
    assert one_line(error)


def npy(shape, dtype="<f8", data=b""):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue() + data


@pytest.mark.parametrize("shape", [(2**40,), (2**62, 2**62), (10**6, 10**6, 10**6)])
def test_arrays_that_claim_to_be_huge(tmp_path, shape):
    with zipfile.ZipFile(tmp_path / "it.npz", "w") as archive:
        archive.writestr("X.npy", npy(shape))
    with pytest.raises(DataError, match=r"damaged: its array 'X\.npy' claims to have") as error:
        read_table(tmp_path / "it.npz")
    assert one_line(error)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_the_same_name(tmp_path):
    with zipfile.ZipFile(tmp_path / "it.npz", "w") as archive:
        for _ in range(2):
            archive.writestr("X.npy", npy((1,), data=bytes(8)))
    with pytest.raises(DataError, match="two of its members have the same name"):
        read_table(tmp_path / "it.npz")


def test_a_member_that_is_no_array(tmp_path):
    with zipfile.ZipFile(tmp_path / "it.npz", "w") as archive:
        archive.writestr("X.npy", b"hello")
    with pytest.raises(DataError, match=r"it\.npz cannot be read as npz"):
        read_table(tmp_path / "it.npz")


def test_parquet_bombs(tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"a": np.zeros(10**6), "b": np.zeros(10**6)}).write_parquet(tmp_path / "it.parquet")
    assert (tmp_path / "it.parquet").stat().st_size < 10**6
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(tmp_path / "it.parquet", max_bytes=10**7)
    assert len(read_table(tmp_path / "it.parquet")["a"]) == 10**6


def test_a_panic_of_polars_is_an_error(tmp_path, monkeypatch, capfd):
    polars = pytest.importorskip("polars")

    class PanicException(BaseException):
        """As polars raises: no Exception."""

    def panic(path):
        os.write(2, b"thread panicked, stack backtrace")
        raise PanicException("Thrift out of range")

    polars.DataFrame({"a": [1.0]}).write_parquet(tmp_path / "it.parquet")
    monkeypatch.setattr(polars, "read_parquet", panic)
    with pytest.raises(
        DataError, match=r"it\.parquet cannot be read as parquet: it is damaged \(Thrift out of range\)"
    ):
        read_table(tmp_path / "it.parquet")
    assert capfd.readouterr().err == ""
    monkeypatch.setattr(polars, "read_parquet", lambda path: sys.exit(3))
    with pytest.raises(SystemExit):
        read_table(tmp_path / "it.parquet")
