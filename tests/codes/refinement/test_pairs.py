from dataclasses import replace

import numpy as np

from ecoc.codes.refinement import search
from ecoc.codes.refinement.limits import LIMITS


def test_each_pair_is_stored_for_both_of_its_classes():
    points = np.random.default_rng(0).normal(size=(100, 3))
    found = search.near_pairs(points)
    assert not found.is_complete
    stored = list(zip(found.own.tolist(), found.other.tolist()))
    assert len(set(stored)) == len(stored)
    assert [(j, i) for i, j in stored] == [stored[t] for t in found.twin]
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    for i in range(100):  # the nearest ones are there
        nearest = np.argsort(distances[i])[1 : 1 + LIMITS.n_partners]
        assert set(nearest.tolist()) <= set(found.other[found.start[i] : found.start[i + 1]].tolist())


def test_all_pairs_of_few_classes():
    found = search.near_pairs(np.zeros((5, 1)))
    assert found.is_complete
    assert sorted(zip(found.own.tolist(), found.other.tolist())) == [
        (i, j) for i in range(5) for j in range(5) if i != j
    ]


def test_blocks_make_no_difference():
    points = np.random.default_rng(1).normal(size=(90, 2))
    whole = search.near_pairs(points)
    for a, b in zip(whole, search.near_pairs(points, replace(LIMITS, block_distances=1000))):
        np.testing.assert_array_equal(a, b)
