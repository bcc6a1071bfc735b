"""Folds from everything that scikit-learn calls `cv`."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from ecoc.utils.folds import check_pairs, folds_among, held_out_fold, is_number_of_folds, make_folds

Y = np.repeat(["a", "b", "c"], 10)


def as_lists(folds):
    return [(train.tolist(), test.tolist()) for train, test in folds]


def test_a_number_is_shuffled_stratified_folds():
    expected = StratifiedKFold(5, shuffle=True, random_state=0).split(Y, Y)
    assert as_lists(make_folds(5, Y, 0)) == as_lists(expected)
    assert as_lists(make_folds(np.int64(5), Y, 1)) != as_lists(make_folds(5, Y, 0))


def test_no_more_folds_than_the_largest_class_has_samples():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a class with fewer samples than folds is no reason to warn
        folds = make_folds(5, np.array([0, 0, 0, 1, 1, 2]), 0)
    assert len(folds) == 3
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(6))


def test_one_sample_of_each_class_is_split_without_regard_to_classes():
    assert len(make_folds(5, np.arange(10), 0)) == 3
    assert len(make_folds(5, np.arange(2), 0)) == 2


def test_a_splitter_holds_out_groups_together():
    groups = np.arange(30) // 2 % 6
    for train, test in make_folds(GroupKFold(3), Y, groups=groups):
        assert set(groups[train]).isdisjoint(groups[test])


def test_a_splitter_is_used_as_it_is():
    assert as_lists(make_folds(KFold(3), Y, 7)) == as_lists(KFold(3).split(Y))


def test_pairs_of_row_numbers_or_of_masks():
    pairs = [([0, 1, 2], [3]), ([3], np.array([0, 1]))]
    masks = [(np.isin(np.arange(4), train), np.isin(np.arange(4), test)) for train, test in pairs]
    y = np.zeros(4)
    assert as_lists(make_folds(pairs, y)) == as_lists(make_folds(masks, y)) == [([0, 1, 2], [3]), ([3], [0, 1])]
    assert as_lists(make_folds(iter([([], [0])]), y)) == [([], [0])]
    assert all(part.dtype == np.intp for fold in make_folds(pairs, y) for part in fold)


@pytest.mark.parametrize(
    "pair",
    [
        ([0, 1], [4]),
        ([-1], [0]),
        ([0.5], [1]),
        ([True, False], [1]),
        ([[0]], [1]),
        ([0], [1], [2]),
        ([0],),
        3,
    ],
    ids=repr,
)
def test_wrong_pairs_are_named(pair):
    with pytest.raises(ValueError, match=r"cv\[1\] must be a pair of arrays, .* from 0 to 3, for the 4 samples"):
        check_pairs([([0], [1]), pair], 4)


def test_no_folds():
    with pytest.raises(ValueError, match="cv has no folds; give a number of folds, a splitter, or pairs of rows"):
        make_folds([], Y)


@pytest.mark.parametrize(("cv", "expected"), [(3, True), (np.int32(3), True), (True, False), (KFold(3), False)])
def test_numbers_of_folds(cv, expected):
    assert is_number_of_folds(cv) is expected


def test_held_out_fold():
    folds = check_pairs([([1, 2], [0]), ([0], [2])], 4)
    assert held_out_fold(folds, 4).tolist() == [0, -1, 1, -1]


def test_folds_among_a_part_of_the_samples():
    folds = check_pairs([([0, 1, 2], [3, 4]), ([3, 4], [0, 1, 2])], 5)
    assert as_lists(folds_among(folds, np.array([1, 4, 2]), 5)) == [([0, 2], [1]), ([1], [0, 2])]
