"""Tasks and their parts, and outputs of the kind that is asked for."""

import numpy as np
import pytest
from scipy import sparse

from ecoc.training.interfaces import Dichotomizers, Options, Task

CODE = np.array([[1, 0], [-1, 1], [-1, -1]], dtype=np.int8)
X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 2, 2, 1, 0])


def test_sides():
    task = Task(CODE, X, Y)
    assert task.sides(0).tolist() == [1, -1, -1, -1, -1, 1]
    assert task.sides(1).tolist() == [0, 1, -1, -1, 1, 0]


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_a_part_takes_everything_along(make):
    task = Task(CODE, make(X), Y, np.arange(6.0), {"cost": np.arange(10, 16), "note": "n", "few": [1, 2]})
    rows = np.array([5, 1])
    part = task.part(rows)
    dense = part.X if make is np.asarray else part.X.toarray()
    np.testing.assert_array_equal(dense, X[rows])
    assert part.y.tolist() == [0, 1]
    assert part.sample_weight.tolist() == [5, 1]
    assert np.asarray(part.params["cost"]).tolist() == [15, 11]
    assert part.params["note"] == "n"
    assert part.params["few"] == [1, 2]  # not one a sample
    assert part.code is CODE
    assert Task(CODE, X, Y).part(rows).sample_weight is None


class Given(Dichotomizers):
    estimators = ()

    def margins(self, X):
        return np.array([[-2.0, 0.0, 3.0]])

    def probabilities(self, X):
        return np.array([[0.1, 0.5, 0.9]])

    def first(self, n_columns):
        raise NotImplementedError


def test_outputs():
    models = Given()
    assert models.outputs(X, "margins").tolist() == [[-2, 0, 3]]
    assert models.outputs(X, "signs").tolist() == [[-1, -1, 1]]  # zero is on the -1 side, as in scikit-learn
    assert models.outputs(X, "probabilities").tolist() == [[0.1, 0.5, 0.9]]


def test_options_know_the_seed_of_a_column():
    assert Options(seeds=[3, 4]).seed(1) == 4
    assert Options().seed(1) is None
