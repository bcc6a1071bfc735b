"""CodeBook against plain loops, and all kinds of invalid input."""

import copy
import itertools
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
import zipfile
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ecoc.codes.codebook.files
from ecoc import CodeBook, CodeBookError
from ecoc.codes.codebook.book import pair_distances

quick = settings(max_examples=60, deadline=None)

SMALL = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


@st.composite
def valid_matrices(draw, entries=(-1, 0, 1)):
    """Random columns with both signs, and one more for each pair of classes that they do not separate."""
    k = draw(st.integers(2, 7))
    column = st.lists(st.sampled_from(entries), min_size=k, max_size=k)
    columns = [c for c in draw(st.lists(column, max_size=6)) if {-1, 1} <= set(c)]
    for i, j in itertools.combinations(range(k), 2):
        if not any(c[i] * c[j] == -1 for c in columns):
            extra = draw(column)
            extra[i], extra[j] = 1, -1
            columns.append(extra)
    return np.array(columns).T


any_valid = st.one_of(valid_matrices(), valid_matrices(entries=(-1, 1)))
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


def loop_distances(matrix):
    """For each pair of rows, count the positions that differ and those where both are non-zero."""
    k = len(matrix)
    differ, both = np.zeros((k, k), int), np.zeros((k, k), int)
    for i, j in itertools.product(range(k), repeat=2):
        for a, b in zip(matrix[i], matrix[j]):
            differ[i, j] += a != 0 and b != 0 and a != b
            both[i, j] += a != 0 and b != 0
    return differ, both


def loop_is_valid(matrix):
    rows_apart = all(any(a * b == -1 for a, b in zip(*pair)) for pair in itertools.combinations(matrix.tolist(), 2))
    return len(matrix) >= 2 and rows_apart and all({-1, 1} <= set(column) for column in matrix.T.tolist())


def random_code(k, l, zeros=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((k, l)) < zeros, 0, rng.choice([-1, 1], size=(k, l))).astype(np.int8)


class TestQuantities:
    @quick
    @given(any_valid)
    def test_distances_count_positions_where_both_are_non_zero_and_differ(self, matrix):
        differ, both = loop_distances(matrix)
        book = CodeBook(matrix)
        assert book.distances().dtype == np.int32
        np.testing.assert_array_equal(book.distances(), differ)
        np.testing.assert_allclose(book.distances(normalize=True), differ / both, rtol=1e-15)

    @quick
    @given(any_valid)
    def test_minimum_distance_and_corrections(self, matrix):
        h, _ = loop_distances(matrix)
        book, k = CodeBook(matrix), len(matrix)
        off_diagonal = [h[i, j] for i in range(k) for j in range(k) if i != j]
        assert book.min_distance == min(off_diagonal)
        assert book.correction == (min(off_diagonal) - 1) // 2
        paper, direct = book.pairwise_correction(), book.pairwise_correction("direct")
        for i, j in itertools.product(range(k), repeat=2):
            two_rows = [h[a, b] for a in (i, j) for b in range(k) if a != b]
            assert paper[i, j] == (min(two_rows) - 1) // 2
            assert direct[i, j] == ((h[i, j] if i != j else min(two_rows)) - 1) // 2

    @quick
    @given(any_valid)
    def test_column_correlation_is_the_cosine_over_common_classes(self, matrix):
        correlation = CodeBook(matrix).column_correlation()
        for a, b in itertools.product(range(matrix.shape[1]), repeat=2):
            common = [(x, y) for x, y in zip(matrix[:, a], matrix[:, b]) if x and y]
            expected = np.mean([x * y for x, y in common]) if common else 0.0
            assert correlation[a, b] == pytest.approx(expected, abs=1e-15)

    @quick
    @given(any_valid, st.randoms(use_true_random=False))
    def test_duplicate_columns_are_equal_up_to_sign(self, matrix, random):
        chosen = random.randrange(matrix.shape[1])
        twice = np.column_stack([matrix, random.choice([-1, 1]) * matrix[:, chosen]])
        book = CodeBook(twice)
        group_of = {column: group for group in book.duplicate_columns() for column in group}
        for a, b in itertools.combinations(range(book.n_columns), 2):
            same = any(np.array_equal(twice[:, a], s * twice[:, b]) for s in (-1, 1))
            assert same == (a in group_of and b in group_of[a])
        distinct = {min(tuple(c), tuple(-c)) for c in twice.T}
        assert book.n_distinct_columns == len(distinct) < book.n_columns

    @quick
    @given(any_valid, st.randoms(use_true_random=False))
    def test_distances_ignore_the_order_and_sign_of_columns(self, matrix, random):
        columns = random.sample(range(matrix.shape[1]), matrix.shape[1])
        signs = [random.choice([-1, 1]) for _ in columns]
        np.testing.assert_array_equal(CodeBook(matrix).distances(), CodeBook(matrix[:, columns] * signs).distances())

    def test_correction_of_the_seven_bit_simplex_code(self):
        rows = [[(-1) ** bin(i & j).count("1") for j in range(1, 8)] for i in range(8)]
        book = CodeBook(rows)
        assert (book.shape, book.min_distance, book.correction, book.is_ternary) == ((8, 7), 4, 1, False)

    def test_an_unknown_correction_is_answered_with_the_list(self):
        with pytest.raises(ValueError, match="'paper' or 'direct', got 'global'"):
            CodeBook(SQUARE).pairwise_correction("global")


class TestBlocks:
    @pytest.mark.parametrize("zeros", [0.0, 0.2])
    @pytest.mark.parametrize("shape", [(3000, 64), (50, 2100)])  # several blocks of rows, and of columns
    def test_blocks_give_what_one_product_gives(self, shape, zeros):
        matrix = random_code(*shape, zeros)
        book = CodeBook(matrix)
        signs = matrix.astype(np.float32)
        both = np.abs(signs) @ np.abs(signs).T
        expected = (both - signs @ signs.T) / 2
        assert np.array_equal(book.distances(), expected)
        assert np.allclose(book.distances(normalize=True), expected / both)
        np.fill_diagonal(expected, np.inf)
        assert book.min_distance == expected.min()
        for start, apart in pair_distances(matrix, (len(matrix) - 1) * len(matrix)):  # the last block is a single row
            assert np.array_equal(apart, expected[start : start + len(apart), start:])

    def test_alike_classes_are_found_in_a_later_block(self):
        matrix = random_code(3000, 40)
        matrix[2990] = matrix[2000]
        matrix[2000, :10], matrix[2990, 10:20] = 0, 0
        with pytest.raises(CodeBookError, match=r"one of them is 0: 2000 and 2990; "):
            CodeBook(matrix)

    def test_ten_thousand_classes_need_no_square_matrix(self):
        matrix = random_code(10_000, 128)
        tracemalloc.start()
        try:
            assert CodeBook(matrix).min_distance > 20
            assert tracemalloc.get_traced_memory()[1] < 150e6  # k × k would be 100 MB in bytes, 400 MB in int32
        finally:
            tracemalloc.stop()


class TestWhatIsAccepted:
    @quick
    @given(
        st.integers(1, 5).flatmap(
            lambda n: st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n), min_size=1, max_size=5)
        )
    )
    def test_exactly_the_valid_matrices(self, rows):
        matrix = np.array(rows)
        if loop_is_valid(matrix):
            np.testing.assert_array_equal(CodeBook(rows).matrix, matrix)
        else:
            with pytest.raises(CodeBookError):
                CodeBook(rows)

    @pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64, object])
    def test_any_numeric_type_becomes_contiguous_int8(self, dtype):
        matrix = CodeBook(np.array(SMALL, dtype=dtype, order="F")).matrix
        assert matrix.dtype == np.int8
        assert matrix.flags.c_contiguous
        assert matrix.tolist() == SMALL

    def test_the_smallest_book_has_two_classes_and_one_column(self):
        assert CodeBook([[1], [-1]]).min_distance == 1

    def test_sparse_matrices(self):
        sparse = pytest.importorskip("scipy.sparse")
        assert CodeBook(sparse.csr_array(np.array(SMALL))) == CodeBook(SMALL)

    def test_a_code_book_keeps_its_labels(self):
        book = CodeBook(SMALL, labels=["a", "b", "c"])
        assert CodeBook(book) == book
        assert CodeBook(book, labels=[1, 2, 3]) == book.with_labels([1, 2, 3])

    def test_a_data_frame_gives_labels_unless_its_index_only_counts(self):
        named = CodeBook(pd.DataFrame(SMALL, index=["a", "b", "c"]))
        assert named == CodeBook(SMALL, labels=["a", "b", "c"])
        assert CodeBook(pd.DataFrame(SMALL, index=[5, 6, 8])).labels.tolist() == [5, 6, 8]
        assert not CodeBook(pd.DataFrame(SMALL)).is_labelled
        assert CodeBook(pd.DataFrame(SMALL, index=["a", "b", "c"]), labels=[1, 2, 3]).labels.tolist() == [
            1,
            2,
            3,
        ]
        assert CodeBook(pd.DataFrame(SMALL).astype("Int64")) == CodeBook(SMALL)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([1, -1], "2 dimensions, classes × columns, got shape (2,)"),
        ([[1, -1], [1]], "all rows of a code book must have the same length"),
        ([["1"], ["-1"]], "must be the numbers -1, 0 or +1, got an array of <U2"),
        ([[1, -1]], "at least 2 classes (rows), got 1"),
        ([[], []], "at least 1 column"),
        ([[1, 2], [-1, nan]], "found 2.0 at class 0, column 1, nan at class 1, column 1"),
        ([[0.5], [-1]], "found 0.5 at class 0, column 0"),
        (np.full((9, 2), 3), "found 3 at class 0, column 0, 3 at class 0, column 1, "),
        (np.full((9, 2), 3), "3 at class 2, column 0 ... and 13 more"),
        ([[1, 0], [0, 1]], "no entry is -1: write -1 for the negative side"),
        ([[True], [False]], "convert a matrix of 0 and 1 with 2 * matrix - 1"),
        ([[1, 0], [-1, 0]], "every class is left out (0) in column 1; "),
        ([[1, -1, 0], [-1, -1, -1]], "no class is at +1 in columns 1, 2; give them both signs"),
        ([[1, 1], [-1, 0]], "no class is at -1 in column 1; give it both signs, or drop it with np.delete"),
        (
            np.hstack([[[1], [-1]], np.ones((2, 8))]),
            "no class is at -1 in columns 1, 2, 3, 4, 5 ... and 3 more",
        ),
        (
            [*SQUARE, [1, 1], [-1, -1]],
            "equal codewords: (0, 4), (3, 5); 6 classes need at least 3 columns, got 2",
        ),
        (np.repeat([[1], [-1]], 8, axis=0), "equal codewords: (0, 1, 2, 3, 4 ... and 3 more), (8, 9, "),
        (
            [[1, 1, 1], [1, 1, 1], [-1, -1, -1]],
            "equal codewords: (0, 1); change entries, or add a column",
        ),
        ([[1, 1], [1, 0], [-1, -1]], "one of them is 0: 0 and 1; change entries"),
        ([[1, -1], [0, 0], [-1, 1]], "one of them is 0: 0 and 1, 1 and 2; "),
    ],
)
def test_refused_matrices(matrix, message):
    with pytest.raises(CodeBookError, match=re.escape(message)):
        CodeBook(matrix)


def test_offending_classes_are_named_by_label():
    with pytest.raises(CodeBookError, match=r"nan at class 'dog', column 0"):
        CodeBook([[1], [nan]], labels=["cat", "dog"])
    with pytest.raises(CodeBookError, match=r"equal codewords: \('cat', 'cow'\)"):
        CodeBook([[1, -1], [-1, 1], [1, -1]], labels=["cat", "dog", "cow"])
    with pytest.raises(CodeBookError, match=r"'cat' and 'dog'"):
        CodeBook([[1, 1], [1, 0], [-1, -1]], labels=["cat", "dog", "cow"])


class TestLabels:
    @pytest.mark.parametrize(
        ("labels", "message"),
        [
            (["a", "b"], "3 classes need a list of 3 labels, got shape (2,)"),
            (np.array([["a"], ["b"], ["c"]]), "got shape (3, 1)"),
            (["a", "b", "a"], "labels must be distinct, but these are repeated: 'a'"),
            ([1.0, nan, 2.0], "labels must not be NaN"),
        ],
    )
    def test_refused(self, labels, message):
        with pytest.raises(CodeBookError, match=re.escape(message)):
            CodeBook(SMALL, labels=labels)

    def test_count_from_zero_by_default(self):
        book = CodeBook(SMALL)
        assert book.labels.tolist() == [0, 1, 2]
        assert not book.is_labelled

    @pytest.mark.parametrize("labels", [[1, "a", 2.5], [(0, 1), (0, 2), (1,)], [None, "a", "b"], ["a\0", "a", "b"]])
    def test_mixed_types_stay_what_they_are(self, labels):
        stored = CodeBook(SMALL, labels=labels).labels.tolist()
        assert stored == labels
        assert [type(label) for label in stored] == [type(label) for label in labels]

    def test_object_arrays_and_generators_become_plain_arrays(self):
        assert CodeBook(SMALL, np.array(["x", "y", "z"], dtype=object)).labels.dtype.kind == "U"
        assert CodeBook(SMALL, (i for i in range(3))).labels.dtype.kind == "i"

    def test_codeword_by_label(self):
        book = CodeBook(SMALL, labels=["cat", "dog", "cow"])
        assert book.codeword("dog").tolist() == SMALL[1]
        assert CodeBook(SMALL).codeword(2).tolist() == SMALL[2]

    @pytest.mark.parametrize(
        ("labels", "wrong", "nearest"),
        [
            (["cat", "dog", "ox"], "dgo", "did you mean 'dog'?"),
            ([1, 2, 3], "2", "no class '2'; did you mean 2?"),
            (["cat", "dog", "ox"], "zzz", "did you mean 'cat', 'dog', 'ox'?"),
        ],
    )
    def test_an_unknown_codeword_is_answered_with_the_nearest(self, labels, wrong, nearest):
        with pytest.raises(KeyError, match=re.escape(nearest)):
            CodeBook(SMALL, labels=labels).codeword(wrong)

    def test_with_labels_renames_and_none_takes_names_away(self):
        book = CodeBook(SMALL).with_labels(["a", "b", "c"])
        assert book == CodeBook(SMALL, ["a", "b", "c"])
        assert book.with_labels(None) == CodeBook(SMALL)

    def test_new_labels_find_their_codewords(self):
        book = CodeBook(SMALL, ["a", "b", "c"])
        assert book.codeword("b").tolist() == SMALL[1]
        assert book.with_labels(["b", "c", "a"]).codeword("b").tolist() == SMALL[0]
        with pytest.raises(CodeBookError, match="distinct"):
            book.with_labels(["a", "a", "c"])


class TestImmutability:
    def test_the_input_is_copied(self):
        matrix, labels = np.array(SMALL, dtype=np.int8), np.array([7, 8, 9])
        book = CodeBook(matrix, labels)
        matrix[:], labels[:] = 5, 0
        assert book == CodeBook(SMALL, [7, 8, 9])

    @pytest.mark.parametrize("made", [lambda b: b, lambda b: pickle.loads(pickle.dumps(b))])
    def test_arrays_cannot_be_written_nor_made_writeable(self, made):
        book = made(CodeBook(SMALL, ["a", "b", "c"]))
        for array in (book.matrix, book.labels, book.codeword("a"), np.asarray(book)):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = array[1]
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)

    @pytest.mark.parametrize("name", ["matrix", "labels", "min_distance", "is_ternary", "comment"])
    def test_attributes_cannot_be_set(self, name):
        with pytest.raises(AttributeError, match=f"cannot set '{name}': a code book is immutable"):
            setattr(CodeBook(SMALL), name, 1)

    @pytest.mark.parametrize("labels", [None, ["a", "b", "c"], [1, "a", (2,)]])
    @pytest.mark.parametrize("made", [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
    def test_copies_are_equal(self, made, labels):
        book = CodeBook(SMALL, labels)
        assert made(book) == book
        assert hash(made(book)) == hash(book)

    def test_equality_is_of_matrix_and_labels(self):
        book = CodeBook(SQUARE, labels=["1", "2", "3", "4"])
        assert book == CodeBook(np.array(SQUARE, dtype=float), labels=("1", "2", "3", "4"))
        others = [
            CodeBook(SQUARE),
            CodeBook(SQUARE, labels=[1, 2, 3, 4]),
            CodeBook(SQUARE[::-1], labels=["1", "2", "3", "4"]),
            CodeBook([row * 2 for row in SQUARE], labels=["1", "2", "3", "4"]),
        ]
        assert all(other != book for other in others)
        assert len({book, *others, CodeBook(book)}) == 5
        assert book != SQUARE

    def test_named_by_number_is_not_unnamed(self):
        assert CodeBook(SMALL) != CodeBook(SMALL, labels=[0, 1, 2])


class TestArray:
    def test_asarray_shares_and_array_copies(self):
        book = CodeBook(SMALL)
        assert np.shares_memory(np.asarray(book), book.matrix)
        mine = np.array(book)
        mine[0, 0] = 0
        assert book.matrix[0, 0] == 1

    def test_dtype_and_copy_are_honoured(self):
        assert np.asarray(CodeBook(SMALL), dtype=np.float32).dtype == np.float32
        with pytest.raises(ValueError, match="copy"):
            np.asarray(CodeBook(SMALL), dtype=np.float32, copy=False)


class TestDrawing:
    def test_small_book(self):
        assert repr(CodeBook(SMALL, labels=["cat", "sheepdog", "a\nb"])) == (
            "CodeBook 3 × 3 (classes × columns), 33% zeros, min distance 1, correction 0\n"
            "  cat       ++·\n"
            "  sheepdog  -·+\n"
            "  a b       ·--"
        )

    def test_large_book_shows_its_ends(self):
        matrix = random_code(30, 70)
        lines = repr(CodeBook(matrix)).splitlines()
        assert lines[0].startswith("CodeBook 30 × 70 (classes × columns), min distance ")
        assert [line.split()[0] for line in lines[1:]] == [
            *map(str, range(10)),
            "⋮",
            *map(str, range(20, 30)),
        ]
        symbols = np.where(matrix[29] > 0, "+", "-")
        assert lines[-1] == f"  29  {''.join(symbols[:30])}…{''.join(symbols[40:])}"

    def test_long_labels_are_cut(self):
        assert f"  {'x' * 23}…  +" in repr(CodeBook([[1], [-1]], labels=["x" * 25, "y"])).splitlines()

    def test_distances_too_long_to_wait_for_are_left_out(self):
        book = CodeBook(random_code(4000, 1300))
        assert repr(book).splitlines()[0] == "CodeBook 4000 × 1300 (classes × columns)"

    def test_html_escapes_labels_and_has_a_cell_for_each_entry(self):
        page = CodeBook(SMALL, labels=["<script>", "a&b", '"'])._repr_html_()
        assert "<script>" not in page
        assert "&lt;script&gt;" in page
        assert "a&amp;b" in page
        assert [page.count(f">{symbol}</td>") for symbol in "+-·"] == [3, 3, 3]

    def test_html_of_a_large_book_is_cut(self):
        page = CodeBook(random_code(500, 300))._repr_html_()
        assert page.count("<tr>") == 21
        assert page.count("<td") == 20 * 61


class TestFiles:
    @pytest.mark.parametrize("suffix", [".npz", ".csv"])
    @quick
    @given(labels=st.none() | any_labels)
    def test_round_trip(self, tmp_path_factory, suffix, labels):
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
    def test_label_types_survive(self, tmp_path, suffix, labels):
        book = CodeBook(SQUARE, labels)
        book.save(tmp_path / f"book{suffix}")
        again = CodeBook.load(tmp_path / f"book{suffix}")
        assert again == book
        assert [type(label) for label in again.labels.tolist()] == [type(label) for label in book.labels.tolist()]

    def test_csv_is_for_people_and_pandas(self, tmp_path):
        book = CodeBook(SMALL, labels=["cat", "dog", "cow"])
        book.save(tmp_path / "book.csv")
        assert (tmp_path / "book.csv").read_text() == "class,0,1,2\ncat,1,1,0\ndog,-1,0,1\ncow,0,-1,-1\n"
        assert CodeBook(pd.read_csv(tmp_path / "book.csv", index_col="class")) == book
        book.with_labels(None).save(tmp_path / "book.csv")
        assert CodeBook(pd.read_csv(tmp_path / "book.csv")) == CodeBook(SMALL)

    def test_csv_written_by_hand(self, tmp_path):
        path = tmp_path / "book.csv"
        path.write_bytes(b'\xef\xbb\xbfclass,0,1\r\n"1",1.0,+1\r\n\r\n2,-1,0\r\nother,1,-1\r\n')
        assert CodeBook.load(path) == CodeBook([[1, 1], [-1, 0], [1, -1]], labels=["1", "2", "other"])

    def test_other_suffixes_are_refused(self, tmp_path):
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
    def test_labels_that_would_not_survive_are_refused(self, tmp_path, suffix, labels, kinds):
        with pytest.raises(TypeError, match=f"labels of type {kinds} cannot be written"):
            CodeBook(SMALL, labels).save(tmp_path / f"book{suffix}")
        assert not any(tmp_path.iterdir())

    def test_missing_files_are_missing(self, tmp_path):
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
    def test_foreign_csv(self, tmp_path, content):
        (tmp_path / "book.csv").write_bytes(content)
        with pytest.raises(CodeBookError, match=r"book\.csv: expected UTF-8 text headed 'class,0,1,\.\.\.'"):
            CodeBook.load(tmp_path / "book.csv")

    def test_foreign_npz(self, tmp_path):
        path = tmp_path / "book.npz"
        np.savez(path, X=np.eye(2))
        self.expect_npz_error(path)
        np.savez(path, matrix=np.array([[1], [-1]], dtype=object))
        self.expect_npz_error(path)
        with path.open("wb") as file:
            np.save(file, np.eye(2))
        self.expect_npz_error(path)
        for content in (b"", b"class,0\n"):
            path.write_bytes(content)
            self.expect_npz_error(path)

    def test_damaged_npz_never_gives_another_code(self, tmp_path):
        path, book = tmp_path / "book.npz", CodeBook(random_code(40, 20), labels=range(40))
        book.save(path)
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        self.expect_npz_error(path)
        refused = 0
        for position in range(0, len(content), 7):
            path.write_bytes(content[:position] + bytes([content[position] ^ 0x55]) + content[position + 1 :])
            try:
                loaded = CodeBook.load(path)  # the changed byte does not matter, e.g. part of a date
                assert np.array_equal(loaded.matrix, book.matrix)
            except CodeBookError:
                refused += 1
        assert refused > 50

    def expect_npz_error(self, path):
        with pytest.raises(CodeBookError, match=r"book\.npz: expected an NPZ archive of an array 'matrix'"):
            CodeBook.load(path)

    def test_an_invalid_code_in_a_file_is_named_with_the_file(self, tmp_path):
        (tmp_path / "book.csv").write_text("class,0\na,1\nb,-1\nc,1\n")
        with pytest.raises(CodeBookError, match=r"book\.csv: classes with equal codewords: \('a', 'c'\)"):
            CodeBook.load(tmp_path / "book.csv")

    @pytest.mark.parametrize("suffix", [".npz", ".csv"])
    @pytest.mark.parametrize("step", ["format", "write", "replace"])
    def test_a_failed_save_leaves_the_earlier_file_and_nothing_else(self, tmp_path, monkeypatch, suffix, step):
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
            monkeypatch.setattr(ecoc.codes.codebook.files.csv, "writer", fail)
        elif step == "write":
            monkeypatch.setattr(Path, "write_bytes", write_half)
        else:
            monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk is full"):
            CodeBook(SQUARE).save(path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_a_saved_file_is_as_readable_as_any_other(self, tmp_path):
        (tmp_path / "plain").touch()
        CodeBook(SMALL).save(tmp_path / "book.npz")
        assert (tmp_path / "book.npz").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_importing_code_books_loads_numpy_only():
    heavy = "{'scipy', 'sklearn', 'numba', 'pandas', 'matplotlib', 'joblib'}"
    program = f"import sys, ecoc.codes.codebook; sys.exit(str({heavy} & set(sys.modules) or ''))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stderr.strip() == ""


def test_a_file_that_unpacks_to_much_more_is_refused(tmp_path):
    path = tmp_path / "book.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("matrix.npy", "w") as member:
        for _ in range(2**9 + 1):
            member.write(bytes(2**20))
    assert path.stat().st_size < 2**20
    with pytest.raises(CodeBookError, match=r"it unpacks to 0\.5 GB"):
        CodeBook.load(path)
