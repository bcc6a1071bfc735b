from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecoc.codes.design import shortest_length, violated_bound
from ecoc.codes.design.bounds import _BOUNDS, bounds_checker
from ecoc.utils.exceptions import InfeasibleError


def all_columns(k):
    """Return every column of k classes once, up to complement."""
    return np.array([(1, *rest) for rest in product([0, 1], repeat=k - 1) if not all(rest)]).T


def distances(code):
    return (code[:, None] != code[None]).sum(axis=2)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_exact_for_few_classes(k):
    """No bound excludes a code that exists. For up to five classes, the bounds exclude all codes that do not exist."""
    columns = all_columns(k)
    first, second = np.triu_indices(k, 1)
    separated = columns[first] != columns[second]
    n = columns.shape[1]
    for length in range(1, n + 1):
        choices = map(list, combinations(range(n), length))
        best = max(int(separated[:, chosen].sum(axis=1).min()) for chosen in choices)
        for distance in range(1, best + 1):
            assert violated_bound(k, length, distance) is None
        assert violated_bound(k, length, best + 1) is not None
    assert violated_bound(k, n + 1, 1).startswith("Columns")


@pytest.mark.parametrize("k", [3, 4])
def test_no_code_is_excluded_by_its_own_distances(k):
    columns = all_columns(k)
    for length in range(1, columns.shape[1] + 1):
        for chosen in combinations(range(columns.shape[1]), length):
            H = distances(columns[:, chosen])
            if H[~np.eye(k, dtype=bool)].min() > 0:
                assert violated_bound(k, length, H) is None


@settings(deadline=None, max_examples=200)
@given(st.integers(3, 12), st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_no_random_code_is_excluded_by_its_own_distances(k, length, seed):
    code = np.unique(np.random.default_rng(seed).integers(0, 2, (k, length)), axis=0)
    code = np.unique(code ^ code[:1], axis=1)  # every column once, up to complement …
    code = code[:, code.any(axis=0)]  # … and none constant
    if len(code) < 2:
        return
    H = distances(code)
    assert violated_bound(len(code), code.shape[1], H) is None
    assert shortest_length(len(code), H)[0] <= code.shape[1]


@pytest.mark.parametrize(
    ("n", "d", "size", "tight"),
    [  # Brouwer's table of A(n, d); tight if our bounds exclude one more codeword
        (5, 3, 4, True), (6, 3, 8, True), (6, 4, 4, True), (7, 3, 16, True), (7, 4, 8, True),
        (8, 4, 16, True), (9, 4, 20, False), (10, 4, 40, False), (11, 4, 72, False), (11, 6, 12, True),
        (12, 6, 24, True),
        (14, 6, 64, False), (15, 7, 32, True), (16, 6, 256, False), (16, 8, 32, True), (20, 10, 40, True),
        (23, 7, 4096, True), (24, 8, 4096, True),
    ],
)  # fmt: skip
def test_the_best_known_binary_codes_are_allowed(n, d, size, tight):
    def excluded(k):
        return any(bound(k, n, d) for bound in _BOUNDS.values())

    assert not excluded(size)
    assert excluded(size + 1) is tight


def test_hamming_leaves_out_only_what_plotkin_has():
    """The two shortcuts of the Hamming bound do not change the result."""
    for length in range(1, 28):
        for distance in range(1, length + 1):
            n, t = length - (distance % 2 == 0), (distance - 1) // 2
            most = 2**n // sum(comb(n, i) for i in range(t + 1))
            for k in {2, 3, most, most + 1, 2 * most} - {0, 1}:
                excluded = any(bound(k, length, distance) for bound in _BOUNDS.values())
                assert excluded or k <= most


@settings(deadline=None)
@given(st.integers(2, 60), st.integers(1, 12))
def test_shortest_length_is_the_first_not_excluded(k, distance):
    if distance > 2 ** (k - 2):
        with pytest.raises(InfeasibleError) as caught:
            shortest_length(k, distance)
        assert caught.value.bound == "Columns"
        return
    length, name = shortest_length(k, distance)
    assert violated_bound(k, length, distance) is None
    assert violated_bound(k, length - 1, distance).startswith(f"{name}: ")
    for shorter in range(length):
        assert violated_bound(k, shorter, distance)


def test_more_columns_never_turn_a_code_impossible_until_they_run_out():
    for k, distance in [(4, 3), (5, 6), (6, 11)]:
        allowed = [violated_bound(k, length, distance) is None for length in range(1, 2 ** (k - 1))]
        assert allowed == sorted(allowed)


def test_words_of_the_bounds():
    assert violated_bound(8, 5, 3) == (
        "Plotkin: 8 codewords of length 5 have an average distance of at most 2.86, below 3"
    )
    assert violated_bound(20, 4, 1) == "Singleton: 20 codewords at distance 1 need more than 4 columns"
    assert violated_bound(4, 8, 1) == "Columns: 4 classes allow at most 7 different columns, fewer than 8"
    assert violated_bound(4, 6, 4) == (
        "Plotkin: 4 codewords of 6 different columns have an average distance of at most 3.50, below 4"
    )
    assert violated_bound(5, 5, 3) == (
        "Plotkin: 5 codewords of length 5 have, with a parity column, an average distance of at most 3.60, below 4"
    )
    assert violated_bound(1000, 13, 3) == (
        "Hamming: 1000 disjoint balls of 14 words do not fit into the 2^13 words of length 13"
    )
    assert "20 codewords of length 10, those of 80 that agree on 2 columns," in violated_bound(80, 12, 5)


def test_three_classes_cannot_all_be_far_apart():
    with pytest.raises(InfeasibleError, match="separate each pair 2 times") as caught:
        shortest_length(3, 3)
    assert caught.value.bound == "Columns"
    assert caught.value.nearest_length is None
    assert shortest_length(3, 2) == (3, "Singleton")


def base_demands(k, *entries):
    demands = np.ones((k, k), dtype=np.int64)
    for i, j, value in entries:
        demands[i, j] = demands[j, i] = value
    np.fill_diagonal(demands, 0)
    return demands


def test_a_pair_cannot_demand_more_than_there_are_columns():
    demands = base_demands(6, (1, 4, 9))
    assert violated_bound(6, 8, demands) == "Singleton: 2 codewords at distance 9 need more than 8 columns"
    assert violated_bound(6, 9, demands) is None
    assert violated_bound(4, 7, base_demands(4, (0, 1, 5))).startswith("Columns: at most 4 different columns")


def test_three_demands_share_the_columns():
    demands = base_demands(8, (1, 4, 9), (4, 6, 8), (1, 6, 6))
    expected = "Triangle: classes 1, 4 and 6 need distances of 23 in all, but 11 columns give only 22"
    assert violated_bound(8, 11, demands) == expected
    assert violated_bound(8, 12, demands) is None


def test_a_demanding_clique_is_found_among_easy_classes():
    demands = base_demands(40)
    demands[:8, :8] = 6
    demands[3:20:5, 3:20:5] = 5
    np.fill_diagonal(demands, 0)
    length, name = shortest_length(40, demands)
    assert (length, name) == shortest_length(8, 6)


def test_uneven_demands_add_up():
    """Five classes in a ring, neighbours 10 and others 15 apart: 20 columns suffice for any three, not for all."""
    ring = [(i, (i + 1) % 5, 10) for i in range(5)]
    across = [(i, (i + 2) % 5, 15) for i in range(5)]
    demands = base_demands(9, *ring, *across)
    assert violated_bound(9, 20, demands) == (
        "Plotkin: the 5 codewords with the largest distances, of length 20, have an average distance of at most 12.00, "
        "below 12.5"
    )
    assert violated_bound(9, 21, demands) is None


def test_the_diagonal_of_demands_is_ignored_and_kept():
    demands = base_demands(5, (0, 1, 3))
    np.fill_diagonal(demands, 99)
    assert violated_bound(5, 5, demands) is None
    assert (np.diag(demands) == 99).all()


def test_a_hundred_thousand_classes():
    assert shortest_length(100_000, 1) == (17, "Singleton")
    assert shortest_length(100_000, 100_000)[1] == "Plotkin"
    assert violated_bound(100_000, 50, 3) is None


def test_numpy_integers_do():
    assert shortest_length(np.int64(16), np.int32(3)) == (7, "Plotkin")
    assert violated_bound(np.int16(16), np.int64(7), np.uint8(3)) is None


def test_many_demanding_classes():
    rng = np.random.default_rng(0)
    demands = rng.integers(1, 40, (400, 400))
    demands = np.maximum(demands, demands.T)
    np.fill_diagonal(demands, 0)
    length, _ = shortest_length(400, demands)
    assert length >= 3 * 39 // 2  # some three of the 400 classes must be 39 apart


def test_a_single_class_is_no_code():
    with pytest.raises(ValueError, match="at least two classes"):
        violated_bound(1, 5, 1)


def test_what_is_known_when_time_is_out_excludes_nothing_else():
    rng = np.random.default_rng(0)
    for _ in range(20):
        demands = np.triu(rng.integers(1, 9, size=(9, 9)), 1)
        demands += demands.T
        whole = bounds_checker(9, demands)
        for looks in (0, 3, 12, 30):
            clock = iter(range(10**6))
            part = bounds_checker(9, demands, lambda clock=clock, looks=looks: next(clock) >= looks)
            assert all(whole(length) for length in range(1, 30) if part(length))
