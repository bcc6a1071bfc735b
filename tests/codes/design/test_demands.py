import numpy as np
import pytest

from ecoc.codes.design import check_min_distance

ANIMALS = ["cat", "cow", "dog", "hen"]


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.array(3), np.float32(3)])
def test_numbers(value):
    checked = check_min_distance(value, 5)
    assert checked == 3
    assert type(checked) is int


def test_matrix_keeps_off_diagonal_and_forgets_diagonal():
    given = np.array([[7.0, 2, 3], [2, -1, 4], [3, 4, 0]])
    checked = check_min_distance(given, 3)
    np.testing.assert_array_equal(checked, [[0, 2, 3], [2, 0, 4], [3, 4, 0]])
    assert checked.dtype == np.int64
    assert given[0, 0] == 7


def test_equal_demands_are_one_number():
    assert check_min_distance(np.full((4, 4), 2), 4) == 2
    assert check_min_distance({}, 3) == 1
    assert check_min_distance({"default": 4}, ANIMALS) == 4


def test_mapping_from_pairs_in_either_order_and_from_single_classes():
    checked = check_min_distance({("dog", "cat"): 5, "hen": 3}, ANIMALS)
    np.testing.assert_array_equal(checked, [[0, 1, 5, 3], [1, 0, 1, 3], [5, 1, 0, 3], [3, 3, 3, 0]])


def test_a_pair_outranks_a_class_and_a_class_the_default():
    checked = check_min_distance({"hen": 3, ("hen", "cow"): 1, "default": 2}, ANIMALS)
    np.testing.assert_array_equal(checked, [[0, 2, 2, 3], [2, 0, 2, 1], [2, 2, 0, 3], [3, 1, 3, 0]])


def test_a_pair_settles_what_two_classes_dispute():
    checked = check_min_distance({"hen": 3, "cow": 2, ("hen", "cow"): 5}, ANIMALS)
    np.testing.assert_array_equal(checked, [[0, 2, 1, 3], [2, 0, 2, 5], [1, 2, 0, 3], [3, 5, 3, 0]])


def test_labels_may_be_integers_tuples_or_called_default():
    np.testing.assert_array_equal(
        check_min_distance({(0, 2): 4}, 3), check_min_distance({(10, 30): 4}, np.array([10, 20, 30]))
    )
    assert check_min_distance({("a", "b"): 4}, [("a", "b"), "a", "b"])[0, 2] == 4  # a label, not a pair
    checked = check_min_distance({"default": 4}, ["default", "x", "y"])
    assert (checked[0, 1], checked[1, 2]) == (4, 1)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (True, TypeError, "whole number of columns, at least 1; got True"),
        (2.5, TypeError, "got 2.5"),
        (float("nan"), TypeError, "got nan"),
        (float("inf"), TypeError, "got inf"),
        ("3", TypeError, "got '3'"),
        (None, TypeError, "got None"),
        (0, ValueError, "at least 1, because equal codewords.*got 0"),
        (-2, ValueError, "got -2"),
        (np.ones((3, 3)), ValueError, r"each of 4 classes; got shape \(3, 3\)"),
        (np.ones((3, 4)), ValueError, "square"),
        (np.zeros((4, 4)), ValueError, r"of at least 1; entry \[0, 1\] is 0"),
        (np.full((4, 4), 1.5), ValueError, r"entry \[0, 1\] is 1.5"),
        (np.triu(np.full((4, 4), 5)), ValueError, "symmetric"),
        (
            {("cat", "dgo"): 2},
            ValueError,
            "min_distance names 'dgo', which is not a class; the closest are 'dog'",
        ),
        ({"zebra": 2}, ValueError, "not a class; the closest are 'cat', 'cow', 'dog', 'hen'$"),
        ({("cat", "cat"): 2}, ValueError, "pairs a class with itself"),
        ({("cat", "dog"): 2, ("dog", "cat"): 3}, ValueError, "both 2 and 3 for 'cat' and 'dog'"),
        ({"cat": 2, "dog": 3}, ValueError, r"Give one value, with the key \('cat', 'dog'\)"),
        ({("cat", "dog"): 0}, ValueError, "min_distance of 'cat' and 'dog' must be at least 1"),
        ({"default": 1.5}, TypeError, r"min_distance\['default'\] must be a whole number"),
        ({("cat", "cow", "dog"): 2}, ValueError, "not a class"),
    ],
)
def test_errors(value, error, message):
    with pytest.raises(error, match=message):
        check_min_distance(value, ANIMALS)


def test_numpy_labels_are_shown_as_what_they_are():
    with pytest.raises(ValueError, match="closest are 'dog'"):
        check_min_distance({("cat", "dgo"): 2}, np.array(ANIMALS))


def test_classes_may_say_the_same_of_a_shared_pair():
    assert check_min_distance({"cat": 3, "dog": 3}, ANIMALS)[0, 2] == 3
