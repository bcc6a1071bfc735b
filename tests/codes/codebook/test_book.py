"""CodeBook against plain loops, and all kinds of invalid input."""

import copy
import itertools
import pickle
import re
import subprocess
import sys
import tracemalloc
from math import nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecoc import CodeBook, CodeBookError
from ecoc.codes.codebook.book import pair_distances
from tests.codebooks import QUICK, SMALL, SQUARE, any_valid, random_code


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


class TestQuantities:
    @QUICK
    @given(any_valid)
    def test_distances_count_positions_where_both_are_non_zero_and_differ(self, matrix):
        differ, both = loop_distances(matrix)
        book = CodeBook(matrix)
        assert book.distances().dtype == np.int32
        np.testing.assert_array_equal(book.distances(), differ)
        np.testing.assert_allclose(book.distances(normalize=True), differ / both, rtol=1e-15)

    @QUICK
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

    @QUICK
    @given(any_valid)
    def test_column_correlation_is_the_cosine_over_common_classes(self, matrix):
        correlation = CodeBook(matrix).column_correlation()
        for a, b in itertools.product(range(matrix.shape[1]), repeat=2):
            common = [(x, y) for x, y in zip(matrix[:, a], matrix[:, b]) if x and y]
            expected = np.mean([x * y for x, y in common]) if common else 0.0
            assert correlation[a, b] == pytest.approx(expected, abs=1e-15)

    @QUICK
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

    @QUICK
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
    @QUICK
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


def test_importing_code_books_loads_numpy_only():
    heavy = "{'scipy', 'sklearn', 'numba', 'pandas', 'matplotlib', 'joblib'}"
    program = f"import sys, ecoc.codes.codebook; sys.exit(str({heavy} & set(sys.modules) or ''))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stderr.strip() == ""
