"""Are identifiers and dates found, and ordinary columns left alone?"""

import numpy as np
import pytest

from ecoc.tool.tables.doubts import DoubtfulColumnsWarning, doubtful_columns
from ecoc.tool.tables.reading import read_samples
from ecoc.utils.messages import printable

N = 60


def text(cells):
    return np.array(list(cells), dtype=object)


DOUBTFUL = {
    "counter": (np.arange(N) + 1.0, "identifier"),
    "shuffled": (np.random.default_rng(0).permutation(N) + 1000.0, "identifier"),
    "user_id": (np.random.default_rng(0).permutation(10 * N)[:N].astype(float), "identifier"),
    "customerId": (np.arange(N) * 7.0, "identifier"),
    "code": (text(f"A-{i:05d}" for i in range(N)), "identifier"),
    "remark": (text(f"patient {i} is well" for i in range(N)), "text"),
    "iso": (text(f"2024-{i % 12 + 1:02d}-01" for i in range(N)), "date"),
    "german": (text(f"{i % 28 + 1}.3.2024" for i in range(N)), "date"),
    "american": (text(f"3/{i % 28 + 1}/24 10:00 PM" for i in range(N)), "date"),
    "stamp": (text(f"2024-01-01T{i % 24:02d}:00:00.5Z" for i in range(N)), "date"),
    "packed": (20240101.0 + np.arange(N) % 28, "date"),
    "holes": (text(np.nan if i % 5 == 0 else "2024-01-01" for i in range(N)), "date"),
}
ORDINARY = {
    "size": np.random.default_rng(0).normal(size=N),
    "population": np.random.default_rng(0).permutation(10**6)[:N].astype(float),
    "age": np.arange(N) % 50.0,
    "with holes": np.where(np.arange(N) == 3, np.nan, np.arange(N)),
    "colour": text(["red", "blue", "green"] * (N // 3)),
    "version": text(["1.2.3", "2.0.1"] * (N // 2)),
    "household_id": np.arange(N) // 4.0,
    "empty": np.full(N, np.nan),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubtful(name):
    column, kind = DOUBTFUL[name]
    assert doubtful_columns({name: column}) == {name: kind}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary(name):
    assert doubtful_columns({name: ORDINARY[name]}) == {}


def test_small_tables_are_not_doubted():
    assert doubtful_columns({"id": np.arange(10.0)}) == {}


def test_doubts_are_told_and_returned(tmp_path):
    rows = [f"{i},2024-01-{i % 28 + 1:02d},{i % 7},{'xyz'[i % 3]}" for i in range(N)]
    (tmp_path / "t.csv").write_text("\n".join(["id,day,a,label", *rows]) + "\n")
    expected = r"'id' \(identifiers\); 'day' \(dates\)\. Leave them out with drop="
    with pytest.warns(DoubtfulColumnsWarning, match=expected) as told:
        samples = read_samples(tmp_path / "t.csv")
    assert len(told) == 1
    assert samples.doubtful == {"id": "identifier", "day": "date"}
    assert read_samples(tmp_path / "t.csv", drop=["id", "day"]).doubtful == {}


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("café ☕ 漢字", "café ☕ 漢字"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("two\nlines\r", "two\\nlines\\r"),
        ("\u202eright to left", "\\u202eright to left"),
        (7, "7"),
    ],
)
def test_control_characters_are_escaped(label, shown):
    assert printable(label) == shown
