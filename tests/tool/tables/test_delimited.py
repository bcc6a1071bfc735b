"""Are numbers and text read as the csv module reads them, whatever the dialect and the size of a block?"""

import csv
import io
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecoc.tool.tables import read_table
from ecoc.tool.tables.cells import MISSING
from ecoc.tool.tables.delimited import read_delimited
from ecoc.tool.tables.opening import Options
from ecoc.tool.tables.reading import open_table, read_samples
from ecoc.utils.exceptions import DataError

NUMBERS = st.sampled_from(
    ["1", "-2.5", " 3 ", "4e5", "", "?", "NA", "nan", "007", "1e-320", "0.1", "17.000000000000004"]
)
TEXTS = st.one_of(NUMBERS, st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=6))


def as_expected(cells):
    """Numbers if all cells are, one at a time, else text."""
    try:
        return [np.nan if cell.strip().lower() in MISSING else float(cell) for cell in cells]
    except ValueError:
        return list(cells)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    columns=st.integers(1, 9).flatmap(
        lambda n: st.lists(
            st.sampled_from([NUMBERS, TEXTS]).flatmap(lambda cells: st.lists(cells, min_size=n, max_size=n)),
            min_size=1,
            max_size=4,
        )
    ),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    sep=st.sampled_from([",", ";", "\t", "|"]),
    block=st.sampled_from([1, 2, 5, 100]),
)
def test_cells_are_those_of_the_csv_module(tmp_path, columns, quoting, sep, block):
    names = [f"c{i}" for i in range(len(columns))]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=sep, quoting=quoting, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns))
    (tmp_path / "it.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    rows = [row for row in csv.reader(io.StringIO(text.getvalue()), delimiter=sep) if row]
    expected = dict(zip(rows[0], map(as_expected, zip(*rows[1:]))))
    found = read_delimited(tmp_path / "it.csv", Options(sep=sep, decimal=".", block_rows=block), ",")
    assert list(found) == names
    for name, column in found.items():
        if isinstance(expected[name][0], float):
            assert np.array_equal(column, expected[name], equal_nan=True)
        else:
            assert column.tolist() == expected[name]


def write(folder, text, name="t.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def read_quietly(path, read=read_table, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return {name: column.tolist() for name, column in read(path, **options).items()}


def read_in_blocks(path):
    return read_delimited(path, Options(block_rows=2), ",")


def test_text_after_many_numbers_is_read_as_it_stands(tmp_path):
    path = write(tmp_path, "a,b\n" + "".join(f"{i:03d},{i}\n" for i in range(20)) + "x,0\n")
    table = read_quietly(path, read_in_blocks)
    assert table["a"] == [*(f"{i:03d}" for i in range(20)), "x"]
    assert table["b"] == [*map(float, range(20)), 0.0]


def test_a_short_row_is_found_in_any_block(tmp_path):
    for late in ("", "x,y\n"):
        path = write(tmp_path, "a,b\n" + "1,2\n" * 6 + late + "\n" + "1,2\n" * 4 + "3\n")
        with pytest.raises(DataError, match=f"2 columns and 1 values in row {11 + bool(late)}"):
            read_in_blocks(path)


def test_numbers_are_views_of_one_matrix(tmp_path):
    path = write(tmp_path, "a,label,b\n" + "".join(f"{i % 3},{'xy'[i % 2]},{i % 5}\n" for i in range(20)))
    table = open_table(path, ["label"])
    samples = read_samples(path)
    assert table["a"].base is table["b"].base
    assert samples.X.flags.c_contiguous
    assert np.array_equal(samples.X, np.column_stack([table["a"], table["b"]]))
    assert read_samples(path, drop=["a"]).X.tolist() == [[i % 5] for i in range(20)]


GOOD = [["size", "count", "label"], ["1.5", "3", "x"], ["2.25", "4", "y"], ["", "5", "x"]]
EXPECTED = {"size": [1.5, 2.25], "count": [3.0, 4.0, 5.0], "label": ["x", "y", "x"]}


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_delimiter_and_decimal_mark_are_guessed(tmp_path, name, sep, decimal):
    rows = [[cell.replace(".", decimal) for cell in row] for row in GOOD]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sep, lineterminator="\n").writerows(rows)
    path = write(tmp_path, text.getvalue(), name)
    plain = decimal == "." and sep == {"t.csv": ",", "t.tsv": "\t"}[name]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        table = read_table(path)
    assert len(told) == (not plain)
    if told:
        message = str(told[0].message)
        assert message.startswith(f"{name} is read with ")
        assert ("decimal mark" in message) == (decimal == ",")
    assert {key: column.tolist()[:2] if key == "size" else column.tolist() for key, column in table.items()} == EXPECTED
    assert np.isnan(table["size"][2])
    assert read_quietly(path, sep=sep, decimal=decimal)["count"] == EXPECTED["count"]  # told, so nothing to guess


@pytest.mark.parametrize(
    ("rows", "decimal"),
    [
        (["a;b", "1,5;2.5", "2,5;3.5"], "."),  # commas and points
        (["a;b", "1,234;x", "2,345;y"], "."),  # three digits may be thousands
        (["a;b", "1.234,5;x", "2;y"], ","),
        (["a;b", "1,5;1.234", "2,5;3.456"], ","),
        (["a;b", "1,5;x", "no;y"], "."),  # text
    ],
)
def test_a_decimal_comma_is_assumed_only_when_it_is_sure(tmp_path, rows, decimal):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read_table(write(tmp_path, "\n".join(rows) + "\n"))
    assert ("decimal mark" in str(told[0].message)) == (decimal == ",")


def test_thousands_in_numbers_with_a_decimal_comma(tmp_path):
    table = read_quietly(write(tmp_path, "a;b\n1.234,5;1.5\n-2;x\n"), sep=";", decimal=",")
    assert table == {"a": [1234.5, -2.0], "b": ["1.5", "x"]}


def test_numbers_with_commas_are_not_taken_for_categories(tmp_path):
    path = write(tmp_path, "a;label\n" + "".join(f"{i},234;{'xy'[i % 2]}\n" for i in range(1, 9)))
    with pytest.raises(DataError, match=r"numbers with commas, such as 1,234; if these are decimal .*--decimal ,"):
        read_samples(path, sep=";")
    assert read_samples(path, sep=";", decimal=",").X[0, 0] == 1.234


def test_given_delimiters_need_no_guess(tmp_path):
    path = write(tmp_path, "a,b;c\n1,2;3\n")
    assert read_quietly(path, sep=";", decimal=".") == {"a,b": ["1,2"], "c": [3.0]}
    assert read_quietly(write(tmp_path, "a\tb\n1\t2\n"), sep="tab", decimal=".") == {"a": [1.0], "b": [2.0]}
    assert read_quietly(write(tmp_path, "a:b\n1:2\n"), sep=":", decimal=".") == {"a": [1.0], "b": [2.0]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": ";;"}, "sep must be one character"),
        ({"sep": '"'}, "sep must be one character"),
        ({"decimal": "'"}, "decimal must be"),
        ({"encoding": "utf-9"}, "unknown encoding 'utf-9'; usual ones are utf-8, cp1252"),
    ],
)
def test_options_that_make_no_sense(tmp_path, options, message):
    with pytest.raises(DataError, match=message):
        read_table(write(tmp_path, "a,b\n1,2\n"), **options)
    np.savez(tmp_path / "t.npz", a=np.zeros(3))
    with pytest.raises(DataError, match=r"t\.npz has no delimiter"):
        read_table(tmp_path / "t.npz", sep=",")


def test_encodings(tmp_path):
    text = "naïve,label\n1,é\n2,x\n"
    expected = {"naïve": [1.0, 2.0], "label": ["é", "x"]}
    assert read_quietly(write(tmp_path, text, encoding="cp1252"), encoding="cp1252") == expected
    assert read_quietly(write(tmp_path, text, encoding="utf-8-sig"), encoding="utf-8") == expected
    assert read_quietly(write(tmp_path, text, encoding="utf-16")) == expected
    with pytest.raises(DataError, match=r"cannot be read as csv: it is not utf-8 text; .*--encoding .*cp1252"):
        read_table(write(tmp_path, text, encoding="latin-1"))


def test_columns_as_text(tmp_path):
    path = write(tmp_path, "id,a,Label\n007,1.50,01\n008,,1\n")
    table = open_table(path, ["label"], as_text=["id"])
    assert table["id"].tolist() == ["007", "008"]
    assert table["Label"].tolist() == ["01", "1"]
    assert table["a"][0] == 1.5


def test_only_the_first_of_the_usual_targets_stays_text(tmp_path):
    rows = "".join(f"{i % 5},5;{i % 7},25;{'ab'[i % 2]}\n" for i in range(30))
    samples = read_samples(write(tmp_path, f"x;y;label\n{rows}"), sep=";", decimal=",")
    assert samples.X[1].tolist() == [1.5, 1.25]  # y is a feature here
    assert samples.target == "label"


def test_a_line_without_end(tmp_path):
    with pytest.raises(DataError, match="a line of more than 1,000 characters"):
        read_delimited(write(tmp_path, "a,b\n" + "1," * 2000), Options(longest_line=1000), ",")
