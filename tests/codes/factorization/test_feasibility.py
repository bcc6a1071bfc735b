from dataclasses import replace

import numpy as np
import pytest

from ecoc import InfeasibleError, factorize
from ecoc.codes.coding import Hadamard
from ecoc.codes.design import violated_bound
from ecoc.codes.factorization import feasibility
from ecoc.codes.factorization.budget import LIMITS, Budget
from ecoc.codes.factorization.constructions import linear_codewords
from ecoc.codes.factorization.feasibility import check_bounds, random_columns, valid_start
from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.search import columns_are_valid

# five classes, five columns: no bound excludes such a code, but none exists
STAR = np.array([[0, 4, 2, 1, 4], [4, 0, 3, 3, 1], [2, 3, 0, 4, 2], [1, 3, 4, 0, 4], [4, 1, 2, 4, 0]])
# classes 1, 3 and 4 ask for a total of 13, and three codewords of length 5 or 6 are at most 10 or 12 apart
FAR_TRIPLE = np.array([[0, 1, 3, 3, 4], [1, 0, 4, 3, 5], [3, 4, 0, 5, 3], [3, 3, 5, 0, 5], [4, 5, 3, 5, 0]])

UNLIMITED = Budget(np.inf, np.inf)


def smallest_distance(code):
    H = (code.shape[1] - code.astype(np.float32) @ code.T.astype(np.float32)) / 2
    np.fill_diagonal(H, np.inf)
    return H.min()


@pytest.mark.parametrize("k", range(2, 18))
def test_random_columns_are_different_dichotomies(k):
    most = 2 ** (k - 1) - 1
    for l in {1, min(k, most), min(most, 40), most if k <= 8 else 40}:
        x = random_columns(k, l, np.random.default_rng(k))
        assert x.shape == (k, l)
        assert set(np.unique(x)) == {-1.0, 1.0}
        dichotomies = {tuple(column * column[0]) for column in x.T} - {(1.0,) * k}
        assert len(dichotomies) == l


def test_random_columns_are_uniform():
    rng = np.random.default_rng(0)
    seen = [tuple(column * column[-1]) for _ in range(1000) for column in random_columns(3, 1, rng).T]
    counts = [seen.count(column) for column in set(seen)]
    assert len(counts) == 3
    assert min(counts) > 250
    signs = np.array([random_columns(3, 1, rng)[-1, 0] for _ in range(1000)])
    assert abs(signs.mean()) < 0.15


@pytest.mark.parametrize(
    ("k", "l", "c"),
    [
        (16, 7, 3),  # Hamming's perfect code
        (16, 8, 4),
        (8, 7, 4),  # simplex
        (2, 5, 5),  # repetition
        (1000, 14, 3),
        (4096, 24, 8),  # extended Golay
        (4096, 23, 7),
        (100, 30, 7),
        (300, 60, 9),  # more columns than the construction needs
        (50, 6, 1),
        (64, 6, 1),  # all words
    ],
)
def test_linear_codewords_keep_their_distance(k, l, c):
    code = linear_codewords(make_problem(np.ones((k, 1)), l, c, factor=True), np.random.default_rng(0), UNLIMITED)
    assert code.shape == (k, l)
    assert set(np.unique(code)) == {-1.0, 1.0}
    assert smallest_distance(code) >= c


@pytest.mark.parametrize(("k", "l", "c"), [(2000, 16, 3), (2000, 17, 4)])
def test_scattered_checks_make_different_columns_where_the_smallest_do_not(k, l, c):
    problem = make_problem(np.ones((k, 1)), l, c, factor=True)
    smallest, scattered = (linear_codewords(problem, np.random.default_rng(0), UNLIMITED, way) for way in (False, True))
    assert smallest_distance(scattered) >= c
    assert columns_are_valid(scattered)
    assert not columns_are_valid(smallest)


def test_linear_codewords_keep_the_largest_of_many_demands():
    demands = np.ones((16, 16), dtype=int)
    demands[0, 1] = demands[1, 0] = 4
    assert (
        smallest_distance(linear_codewords(make_problem(np.eye(16), 8, demands), np.random.default_rng(0), UNLIMITED))
        >= 4
    )


@pytest.mark.parametrize(("k", "l", "c"), [(17, 7, 3), (17, 8, 4), (3, 3, 3), (5, 4, 3)])
def test_no_linear_code_is_none(k, l, c):
    assert linear_codewords(make_problem(np.eye(k), l, c), np.random.default_rng(0), UNLIMITED) is None


def test_words_of_long_codes_are_still_different():
    code = linear_codewords(make_problem(np.ones((500, 1)), 80, 3, factor=True), np.random.default_rng(0), UNLIMITED)
    assert smallest_distance(code) >= 3


@pytest.mark.parametrize(
    ("k", "l", "demands"),
    [
        (2, 1, 1),
        (3, 3, 2),
        (8, 7, 4),
        (16, 7, 3),
        (12, 11, 6),  # Hadamard: not linear
        (20, 9, 4),
        (26, 12, 5),
        (100, 7, 1),
        (127, 7, 1),
        (300, 20, 5),  # by rows
        (2000, 16, 3),  # too many classes for tables of pairs
        (5, 6, STAR),
    ],
    ids=lambda value: str(np.max(value)),
)
def test_a_start_keeps_every_demand(assert_valid, k, l, demands):
    x = valid_start(make_problem(np.ones((k, 1)), l, demands, factor=True), np.random.default_rng(0), Budget(1, np.inf))
    assert_valid(x, l, demands)


@pytest.mark.parametrize(
    ("k", "l", "demands", "bound", "nearest"),
    [
        (9, 3, 1, "Singleton", 4),
        (5, 5, 3, "Plotkin", 6),
        (4, 6, 4, "Plotkin", 7),
        (1000, 13, 3, "Hamming", 14),
        (3, 4, 1, "Columns", 3),
        (5, 16, 1, "Columns", 15),
        (5, 5, FAR_TRIPLE, "Triangle", 8),
        (5, 5, STAR, "exhaustive search", 6),
    ],
    ids=lambda value: str(value if isinstance(value, str) else np.max(value)),
)
def test_infeasible_demands_name_the_bound_and_the_nearest_length(
    assert_valid, brute_force, k, l, demands, bound, nearest
):
    with pytest.raises(InfeasibleError) as caught:
        factorize(np.eye(k), l, min_distance=demands)
    error = caught.value
    assert (error.bound, error.nearest_length) == (bound, nearest)
    asked = f"{k} codewords of length {l} with minimum distance {np.max(demands)}"
    asked += " (less for some pairs)" if np.ndim(demands) else ""
    assert f"no code book of {asked}" in str(error)
    assert f"{bound}: " in str(error)
    assert f"a code was found is n_columns={nearest}" in str(error)
    # there is a code of the nearest length, and none of a length in between
    result = factorize(np.eye(k), nearest, min_distance=demands, effort=0.01)
    assert_valid(result.code, nearest, demands)
    for length in range(l, nearest):
        excluded = violated_bound(k, length, demands) is not None
        assert excluded or brute_force(np.eye(k), length, demands) is None


def test_what_no_length_can_do():
    with pytest.raises(
        InfeasibleError, match=r"Columns: .*No other length works: ask for a smaller min_distance"
    ) as caught:
        factorize(np.eye(4), 5, min_distance=5)
    assert caught.value.nearest_length is None


def test_what_was_searched_for_in_vain():
    # A(9, 4) = 20: there are no 21 such codewords, but no bound excludes them and no search can prove it
    budget = Budget(1, np.inf, replace(LIMITS, start_effort=0.02))
    with pytest.raises(InfeasibleError, match="search: no code was found, though no bound excludes one") as caught:
        feasibility.valid_start(make_problem(np.eye(21), 9, 4), np.random.default_rng(0), budget)
    assert (caught.value.bound, caught.value.nearest_length) == ("search", 10)


def test_what_there_was_no_time_to_search_for():
    with pytest.raises(InfeasibleError, match="time: the time limit ended before a code was found"):
        factorize(np.eye(21), 9, min_distance=4, time_limit=0.01)


def test_the_paper_is_held_to_the_same_bounds():
    with pytest.raises(InfeasibleError, match="Plotkin"):
        factorize(np.eye(5), 5, min_distance=3, method="paper")


def test_feasible_demands_pass(correlation):
    check_bounds(make_problem(correlation(8, 3), 7, 4), UNLIMITED)


def test_an_error_claims_no_more_than_was_shown():
    problem = make_problem(np.eye(4), 3, 1)
    assert "There is no code book" in str(feasibility.infeasible(problem, "Plotkin: …", UNLIMITED))
    assert "There is no code book" in str(
        feasibility.infeasible(problem, "exhaustive search: all codes were tried", UNLIMITED)
    )
    assert "Found no code book" in str(feasibility.infeasible(problem, "search: no code was found", UNLIMITED))
    assert "Found no code book" in str(feasibility.infeasible(problem, "time: the limit ended", UNLIMITED))


@pytest.mark.parametrize("k", [8, 13, 20, 24, 28, 32, 47, 64])
def test_what_a_hadamard_matrix_gives_is_found(k):
    book = Hadamard().build(k)
    l, c = book.n_columns, book.min_distance
    for columns, distance in ((l, c), (l - 1, c - 1), (l + 1, c), (2 * l, 2 * c)):
        found = factorize(np.eye(k), columns, min_distance=distance, random_state=0, effort=0.05)
        assert found.codebook.min_distance >= distance


def test_demands_copied_from_a_code_are_met():
    for k, l in ((16, 16), (24, 24), (40, 20)):
        code = np.random.default_rng(k).choice([-1, 1], (k, l))
        demands = (l - code @ code.T) // 2
        assert (factorize(np.eye(k), l, min_distance=demands, random_state=0).codebook.distances() >= demands).all()


def test_errors_say_whether_they_are_proven():
    with pytest.raises(InfeasibleError) as caught:
        factorize(np.eye(6), 4, min_distance=3)
    assert caught.value.proven
    with pytest.raises(InfeasibleError) as caught:
        factorize(np.eye(21), 9, min_distance=4, time_limit=0.01)
    assert not caught.value.proven


def test_more_effort_finds_codes_that_less_effort_does_not():
    limits = replace(LIMITS, start_effort=1e-3, start_limit=2e-3)  # effort 1 is in vain
    code = np.random.default_rng(40).choice([-1, 1], (24, 30))
    problem = make_problem(np.eye(24), 30, (30 - code @ code.T) // 2)
    with pytest.raises(InfeasibleError):
        feasibility.valid_start(problem, np.random.default_rng(0), Budget(1, np.inf, limits))
    found = feasibility.valid_start(problem, np.random.default_rng(0), Budget(8000, np.inf, limits))
    assert (found @ found.T <= code @ code.T).all()


def test_the_table_of_a_linear_code_counts_as_effort():
    problem, rng = make_problem(np.ones((64, 1)), 24, 6, factor=True), np.random.default_rng(0)
    enough, little = Budget(6, np.inf), Budget(0.01, np.inf)
    assert linear_codewords(problem, rng, enough) is not None
    assert linear_codewords(problem, rng, little) is None
    assert enough.spent > little.allowed


@pytest.mark.parametrize(
    ("k", "l", "c"),
    [(52, 51, 26), (50, 51, 26), (64, 26, 12), (60, 27, 12), (32, 24, 12), (64, 15, 6), (64, 31, 15), (100, 31, 12)],
)
def test_known_codes_are_found(k, l, c, assert_valid):
    """A Hadamard matrix over the field of 25, and linear codes that the search by flips does not find."""
    assert_valid(factorize(np.eye(k), l, min_distance=c, effort=0.3, random_state=0).code, l, c)
