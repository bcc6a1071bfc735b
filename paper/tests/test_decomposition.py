import numpy as np
import pytest

from ecoc_paper.experiments.decomposition import decompose_error


def test_the_parts_add_up():
    for seed in range(4):
        D = np.corrcoef(np.random.default_rng(seed).normal(size=(9, 5)))  # of rank 4
        parts = decompose_error(D, 5, effort=0.1, random_state=seed)
        assert parts.optimisation + parts.discretisation + parts.trace == pytest.approx(parts.total)
        assert parts.discretisation > 0


def test_a_planted_design_has_no_discretisation_error():
    code = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [-1, 1, 1, -1], [-1, -1, -1, 1]])
    parts = decompose_error(code @ code.T / 4, 4, random_state=0)
    assert parts.discretisation == parts.trace == 0
    assert parts.total == parts.optimisation
    assert parts.is_exact
