import numpy as np
import pytest

from ecoc import factorize, factorize_paper
from ecoc.codes.factorization import relaxed_code
from ecoc.codes.factorization.paper import read_distance, relax, solve_row
from ecoc.codes.factorization.problem import make_problem


def test_the_history_is_the_norm_of_all_entries(correlation):
    D = correlation(8, 3)
    relaxed, history = relaxed_code(D, 4, max_cycles=5, random_state=0)
    assert history[-1] == pytest.approx(((4 * D - relaxed @ relaxed.T) ** 2).sum())
    assert len(history) <= 6


@pytest.mark.parametrize(("k", "l", "c"), [(12, 5, 1), (12, 6, 2), (9, 12, 4), (20, 8, 1)])
def test_compiled_row_updates_are_the_quadratic_programmes(correlation, k, l, c):
    problem = make_problem(correlation(k, 4), l, c)
    found, _, _ = relax(problem, np.random.default_rng(3), max_cycles=2)
    x = np.random.default_rng(3).uniform(-1, 1, (k, l))
    for _ in range(2):
        for i in range(k):
            rest = np.arange(k) != i
            row = solve_row(x[rest], problem.target[i, rest], problem.cap[i, rest], x[i])
            x[i] = x[i] if row is None else row
    assert np.allclose(found @ found.T, x @ x.T, atol=1e-5)


@pytest.mark.parametrize(("reading", "distance"), [("mended", 5), ("printed", 3), ("products", 2)])
def test_readings_of_the_constant(reading, distance):
    assert read_distance(5, 8, reading) == distance
    products = [p for p in range(-8, 9, 2) if (8 - p) / 2 >= distance]
    cap = {"mended": 8 - 2 * 5, "printed": 8 - 5, "products": 5}[reading]
    assert max(products) <= cap
    assert max(products) + 2 > cap


def test_a_code_keeps_the_distance_of_its_reading(correlation):
    D = correlation(6, 5)
    for reading, distance in (("mended", 4), ("printed", 2), ("products", 4)):
        result = factorize_paper(D, 12, min_distance=4, reading=reading, max_cycles=5, random_state=0)
        same = factorize(D, 12, min_distance=distance, method="paper", max_cycles=5, random_state=0)
        assert result.problem.demands == distance
        np.testing.assert_array_equal(result.code, same.code)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reading": "literal", "min_distance": 2}, "reading must be"),
        ({"rounding": "literal"}, "rounding must be"),
        ({"reading": "products", "n_columns": None}, "give n_columns"),
    ],
)
def test_readings_that_make_no_sense(correlation, options, message):
    with pytest.raises(ValueError, match=message):
        factorize_paper(correlation(5, 3), **{"n_columns": 4, **options})
