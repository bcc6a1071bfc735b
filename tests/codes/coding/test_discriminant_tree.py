"""Discriminant ECOC: the information of a split against its integral, the search against all splits, and a tree."""

from itertools import product

import numpy as np
import pytest

from ecoc.codes.coding import DiscriminantTree
from ecoc.codes.coding.discriminant_tree import _information_of_neighbours, best_split


def information(distances, shares, side):
    u = side - side @ shares
    K = np.outer(shares, shares) * np.exp(-((distances / distances.max()) ** 2))
    return u @ K @ u


def test_the_quadratic_form_is_the_quadratic_mutual_information():
    means, shares, side = np.array([0.0, 1, 4]), np.array([0.2, 0.5, 0.3]), np.array([0, 0, 1])
    distances = np.abs(means[:, None] - means)
    sigma = distances.max() / 2
    x = np.linspace(-20, 24, 20001)
    density = np.exp(-((x - means[:, None]) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)
    joint = np.array([(shares * (side == s)) @ density for s in (0, 1)])
    independent = np.outer([shares @ (side == s) for s in (0, 1)], shares @ density)
    integral = np.trapezoid(((joint - independent) ** 2).sum(axis=0), x)
    # The convolution of two Gaussians has the factor 1/√(4πσ²), which the coding leaves out.
    assert 2 * information(distances, shares, side) / np.sqrt(4 * np.pi * sigma**2) == pytest.approx(integral)


def test_information_of_neighbours():
    rng = np.random.default_rng(0)
    distances = np.abs(np.subtract.outer(means := rng.normal(size=6), means))
    shares = rng.dirichlet(np.ones(6))
    potential = np.outer(shares, shares) * np.exp(-((distances / distances.max()) ** 2))
    side = np.array([True, False, False, True, True, False])
    for i, value in enumerate(_information_of_neighbours(potential, potential.sum(axis=1), shares, 1.0 * side)):
        changed = side ^ (np.arange(6) == i)
        assert value == pytest.approx(information(distances, shares, changed))


@pytest.mark.parametrize("seed", range(10))
def test_floating_search_finds_the_best_split(seed):
    rng = np.random.default_rng(seed)
    means, shares = rng.normal(size=(8, 2)), rng.dirichlet(5 * np.ones(8))
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    best = max(information(distances, shares, np.array(side)) for side in product((0, 1), repeat=8))
    assert information(distances, shares, best_split(distances, shares)) >= 0.99 * best


def test_tree_of_nested_groups():
    rng = np.random.default_rng(0)
    centres = {"a": 0, "b": 1, "p": 100, "q": 101, "r": 110}
    y = np.repeat(list(centres), 20)
    X = np.array([[centres[label], 0] for label in y]) + 0.1 * rng.normal(size=(100, 2))
    coding = DiscriminantTree()
    book = coding.build(5, X, y)
    assert coding.tree_ == [(["a", "b"], ["p", "q", "r"]), (["a"], ["b"]), (["p", "q"], ["r"]), (["p"], ["q"])]
    assert book.matrix.tolist() == [
        [-1, -1, 0, 0],
        [-1, 1, 0, 0],
        [1, 0, -1, -1],
        [1, 0, -1, 1],
        [1, 0, 1, 0],
    ]


@pytest.mark.parametrize("k", [3, 10, 60])
def test_every_pair_is_parted_in_one_node(k):
    rng = np.random.default_rng(k)
    book = DiscriminantTree().build(k, rng.normal(size=(3 * k, 4)), np.arange(3 * k) % k)
    assert book.n_columns == k - 1
    assert set(book.distances()[np.triu_indices(k, 1)].tolist()) == {1}


def test_classes_that_coincide_are_split_all_the_same():
    assert DiscriminantTree("euclidean").build(6, np.zeros((6, 1)), np.arange(6)).n_columns == 5
