"""Are features and labels told apart, and does a table that cannot be learned from say why?"""

from pathlib import Path

import numpy as np
import pytest

from ecoc.tool.tables import letters
from ecoc.tool.tables.letters import load_letters
from ecoc.tool.tables.matrices import read_matrix
from ecoc.tool.tables.preparation import features_like, labels_like
from ecoc.tool.tables.reading import open_table, read_samples
from ecoc.utils.exceptions import DataError

ROWS = [f"{i % 3}.{i % 7},{'red' if i % 2 else 'blue'},{'xyz'[i % 3]}" for i in range(30)]


@pytest.fixture
def write(tmp_path):
    def write(*lines, name="t.csv"):
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def test_numbers_and_text_are_told_apart(write):
    samples = read_samples(write("size,colour,label", *ROWS, "?,,x"))
    assert samples.names == ["size", "colour"]
    assert samples.is_text.tolist() == [False, True]
    assert samples.target == "label"
    assert samples.X.shape == (31, 2)
    assert samples.X[:2].tolist() == [[0.0, "blue"], [1.1, "red"]]
    assert samples.X[-1, 0] != samples.X[-1, 0]
    assert samples.X[-1, 1] != samples.X[-1, 1]
    assert samples.y[:3].tolist() == ["x", "y", "z"]


def test_rows_and_dropped_columns(write):
    samples = read_samples(write("size,colour,label", *ROWS), drop=["colour"])
    assert samples.X.dtype == np.float64
    some = samples.rows(np.array([2, 0]))
    assert some.y.tolist() == ["z", "x"]
    assert some.names == ["size"]


@pytest.mark.parametrize(
    ("header", "target"),
    [("y,label", "label"), ("label,y", "label"), ("y,class", "class"), ("Target,Y", "Target"), ("a,Class", "Class")],
)
def test_the_first_of_the_usual_targets_is_taken(write, header, target):
    path = write(header, *(f"{i % 3},{i % 2}" for i in range(9)))
    assert read_samples(path).y.astype(float).tolist() == open_table(path)[target].tolist()


def test_a_wrong_target_is_answered_with_the_nearest_name(write):
    path = write("size,colour,kind", *ROWS)
    with pytest.raises(DataError, match=r"t.csv has no column 'kinds'; .*'size', 'colour', 'kind'.* mean 'kind'\?"):
        read_samples(path, "kinds")
    with pytest.raises(DataError, match=r"t.csv has no column 'label'; name the column of the classes with target="):
        read_samples(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("a,label", "1,x", "2,x"), "all rows of 'label' in t.csv are x; at least two classes"),
        (("label", "x", "y"), "a table needs features too"),
        (("a,label", "1,x", "1,y"), "no column of t.csv varies"),
        (("a,label", *(f"{i % 3},{i}.5" for i in range(50))), "50 different values in 50 rows; is it a number"),
        (("a,label", "1,1", "2,1.0", "3,2"), "'1' and '1.0', which are the same number"),
        (("a,label", "1e300,x", "2,y"), r"'a' of t.csv is 1e\+300 in row 1"),
        (("a,label", "1,x", "inf,y"), "'a' of t.csv is infinite in row 2"),
    ],
)
def test_tables_that_cannot_be_learned_from(write, lines, message):
    with pytest.raises(DataError, match=message):
        read_samples(write(*lines))


def test_unknown_columns_to_drop(write):
    with pytest.raises(DataError, match=r"no column 'colr' to drop; .* Did you mean 'colour'\?"):
        read_samples(write("size,colour,label", *ROWS), drop=["colr"])


def test_arrays(tmp_path):
    X = np.arange(24.0).reshape(4, 2, 3)
    np.savez(tmp_path / "t.npz", X=X, label=np.array([0, 1, 0, 1]), about=np.zeros((2, 2)))
    samples = read_samples(tmp_path / "t.npz")
    assert samples.names == [f"x{i}" for i in range(6)]
    assert np.array_equal(samples.X, X.reshape(4, 6))
    assert samples.y.dtype.kind == "i"
    np.savez(tmp_path / "t.npz", X=X, label=np.arange(3))
    with pytest.raises(DataError, match=r"X of t\.npz has 4 rows and label has 3 labels"):
        read_samples(tmp_path / "t.npz")


def test_parquet(tmp_path):
    polars = pytest.importorskip("polars")
    columns = {"a": [0.5, 1.0, None, 2.0], "b": [1, 2, 3, 4], "label": list("xyxy")}
    polars.DataFrame(columns).write_parquet(tmp_path / "t.parquet")
    samples = read_samples(tmp_path / "t.parquet")
    assert np.array_equal(samples.X, [[0.5, 1], [1, 2], [np.nan, 3], [2, 4]], equal_nan=True)
    assert samples.y.tolist() == ["x", "y", "x", "y"]


def test_bundled_tables():
    samples = read_samples(Path("sklearn:iris"))
    assert samples.X.shape == (150, 4)
    assert set(samples.y.tolist()) == {"setosa", "versicolor", "virginica"}
    with pytest.raises(DataError, match="sklearn:digits"):
        open_table(Path("sklearn:nothing"))
    with pytest.raises(DataError, match="sklearn:iris is the table"):
        open_table(Path("iris"))


def test_letters(monkeypatch):
    """They differ in every typeface, are the same whenever they are drawn, and the test typeface is not in training."""
    pytest.importorskip("matplotlib")
    X, y, typeface = load_letters(n_samples=1)
    assert X.shape == (16 * 124, 256)
    for name in np.unique(typeface):
        means = np.array([X[(typeface == name) & (y == letter)].mean(axis=0) for letter in np.unique(y)])
        gaps = np.abs(means[:, None] - means).sum(axis=2) + np.diag(np.full(124, np.inf))
        assert gaps.min() > 1.5  # pixels
    monkeypatch.setattr(letters, "LETTERS", letters.LETTERS[:2])
    assert np.array_equal(load_letters(n_samples=1)[0], X[:32])
    seen, unseen = (read_samples(Path(name)) for name in ("ecoc:letters", "ecoc:unseen-letters"))
    assert (len(seen.y), len(unseen.y)) == (48, 16)


def test_features_of_a_model_are_found_by_name(write):
    table = open_table(write("b,a,c", "1,2,x", "?,4,y"))
    X = features_like(table, "t.csv", ["a", "b"], (), 2)
    assert np.array_equal(X, [[2, 1], [4, np.nan]], equal_nan=True)
    assert features_like(table, "t.csv", ["c", "a"], {0, 1}, 2).tolist() == [["x", "2"], ["y", "4"]]
    with pytest.raises(DataError, match="lacks 1 of the 2 columns that the model was trained on: 'd'"):
        features_like(table, "t.csv", ["a", "d"], (), 2)
    with pytest.raises(DataError, match="has 'x' in row 1, where the model expects a number"):
        features_like(table, "t.csv", ["a", "c"], (), 2)
    with pytest.raises(DataError, match="has 3 features, but the model was trained on 2"):
        features_like(table, "t.csv", None, (), 2)


def test_labels_have_the_type_of_the_classes():
    column = {"label": np.array(["2", "1"])}
    assert labels_like(column, "t", None, np.array([1, 2])) == ([2, 1], {})
    assert labels_like({"y": np.array([2, 1])}, "t", None, np.array(["1", "2"])) == (["2", "1"], {})
    assert labels_like(column, "t", None, np.array([1, 3])) == ([None, 1], {"2": 1})
    with pytest.raises(DataError, match="only classes that the model was not trained on: '2', '1'; it knows '3', '4'"):
        labels_like(column, "t", None, np.array([3, 4]))


def test_matrices_with_and_without_names_of_rows(write):
    expected = [[0, 2, 3], [2, 0, 1], [3, 1, 0]]
    for lines in (("b,a,c", "0,2,1", "2,0,3", "1,3,0"), (",c,a,b", "a,3,0,2", "b,1,2,0", "c,0,3,1")):
        names, matrix = read_matrix(write(*lines))
        assert names == ["a", "b", "c"]
        assert matrix.tolist() == expected
    with pytest.raises(DataError, match="no matrix between classes"):
        read_matrix(write("a,b", "1,2"))
    with pytest.raises(DataError, match="has no number for 'a' and 'b'"):
        read_matrix(write("a,b", "1,", "2,0"))


@pytest.mark.parametrize("missing", ["", "NaN", " ? ", "n/a"])
def test_rows_without_a_label_are_left_out(write, missing):
    path = write("size,colour,label", *ROWS[:4], f"9,red,{missing}", *ROWS[4:], f"9,red,{missing}")
    with pytest.warns(UserWarning, match="2 of 32 rows have no label in column 'label' and are left out; .* row 5"):
        samples = read_samples(path)
    assert samples.n_unlabelled == 2
    assert samples.X[:, 0].tolist() == read_samples(write("size,colour,label", *ROWS)).X[:, 0].tolist()


def test_rows_without_a_label_in_other_formats(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.arange(10.0).reshape(5, 2), label=[0, np.nan, 1, 1, 0])
    with pytest.warns(UserWarning, match="1 of 5 rows"):
        samples = read_samples(tmp_path / "t.npz")
    assert samples.y.tolist() == [0, 1, 1, 0]
    assert samples.y.dtype.kind == "i"


@pytest.mark.parametrize("name", ["NA", "None", "null"])
@pytest.mark.parametrize("ending", [".csv", ".npz", ".xlsx", ".parquet"])
def test_classes_may_be_called_none(write, tmp_path, name, ending):
    """Namibia is NA; only among numbers does NA mean that there is no label."""
    labels = [name if row.endswith("z") else row[-1] for row in ROWS]
    path = write("size,label", *(f"{row[:3]},{label}" for row, label in zip(ROWS, labels)))
    if ending == ".npz":
        path = tmp_path / "t.npz"
        np.savez(path, X=np.array([[float(row[:3])] for row in ROWS]), label=labels)
    elif ending != ".csv":
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("openpyxl" if ending == ".xlsx" else "pyarrow")
        frame = pandas.DataFrame({"size": [float(row[:3]) for row in ROWS], "label": labels})
        path = tmp_path / f"t{ending}"
        getattr(frame, {".xlsx": "to_excel", ".parquet": "to_parquet"}[ending])(path, index=False)
    with pytest.warns(UserWarning, match=f"'label' of t{ending} has the class '{name}'; if that means .* missing"):
        samples = read_samples(path)
    assert samples.y.tolist() == labels
    assert samples.n_unlabelled == 0
    assert labels_like({"label": np.array(labels)}, "t", "label", np.unique(labels)) == (labels, {})
    numbers = [{"x": "1", "y": "2"}.get(label, label) for label in labels]
    with pytest.warns(UserWarning, match="10 of 30 rows have no label"):
        assert (
            read_samples(write("size,label", *(f"{row[:3]},{n}" for row, n in zip(ROWS, numbers)))).n_unlabelled == 10
        )


def test_a_column_without_any_label(write):
    with pytest.raises(DataError, match="no label in any row; is it the column of the classes"):
        read_samples(write("a,label", "1,", "2,?"))


def test_long_labels_are_not_cut(write):
    ends = ["a" * 1500 + end for end in "xyz"]
    samples = read_samples(write("a,label", *(f"{i},{ends[i % 3]}" for i in range(9))))
    assert sorted(set(samples.y.tolist())) == ends


def test_one_long_label_takes_no_memory_for_all(write):
    samples = read_samples(write("a,label", *(f"{i},{'x' * 10_000 if i == 0 else 'y'}" for i in range(100))))
    assert samples.y.nbytes < 10_000


def test_text_that_reads_like_a_number_later(write):
    model_text = write("code,label", *(f"{'A' if i % 2 else ''}{i % 3},{'xy'[i % 2]}" for i in range(30)))
    assert read_samples(model_text).is_text.tolist() == [True]
    new = write("code", "2", "0", "1.5", name="new.csv")
    assert features_like(open_table(new, as_text=["code"]), "new.csv", ["code"], {0}, 1).tolist() == [
        ["2"],
        ["0"],
        ["1.5"],
    ]
    assert features_like(open_table(new), "new.csv", ["code"], {0}, 1).tolist() == [["2"], ["0"], ["1.5"]]


def test_control_characters_are_escaped_in_errors(write):
    with pytest.raises(DataError, match=r"are \\x1b\[2Jx; at least two classes") as caught:
        read_samples(write("a,label", "1,\x1b[2Jx", "2,\x1b[2Jx"))
    assert str(caught.value).isprintable()
