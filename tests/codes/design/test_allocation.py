import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ecoc.codes.design import allocate, class_distances, nearest_correlation
from ecoc.codes.design.projection import project

DISTANCES = np.array([[0.0, 1, 5, 2], [1, 0, 3, 4], [5, 3, 0, 3], [2, 4, 3, 0]])
OFF = ~np.eye(4, dtype=bool)


@st.composite
def distance_matrices(draw):
    k = draw(st.integers(2, 8))
    A = draw(arrays(float, (k, k), elements=st.floats(0, 1e6, allow_subnormal=False)))
    D = np.triu(A, 1)
    return D + D.T


@settings(deadline=None)
@given(distance_matrices(), st.floats(-1, 1))
def test_a_design_matrix_in_order_of_the_distances(distances, factor):
    D = allocate(distances, factor)
    assert (D == D.T).all()
    assert (np.diag(D) == 1).all()
    assert np.abs(D).max() <= 1
    off = ~np.eye(len(D), dtype=bool)
    order = np.argsort(distances[off], kind="stable")
    assert (np.sign(factor) * np.diff(D[off][order]) >= 0).all()


def test_hard_gives_the_nearest_classes_the_farthest_codewords():
    D = allocate(DISTANCES, "hard")
    assert D[0, 1] == -1
    assert D[0, 2] == 1
    assert D[1, 2] == 0


def test_names_are_factors_of_one_family():
    hard = allocate(DISTANCES, "hard")[OFF]
    np.testing.assert_array_equal(allocate(DISTANCES, "easy")[OFF], -hard)
    np.testing.assert_array_equal(allocate(DISTANCES)[OFF], -0.5 * hard)
    np.testing.assert_array_equal(allocate(DISTANCES, "balanced"), allocate(DISTANCES, -0.5))
    np.testing.assert_array_equal(allocate(DISTANCES, np.float32(0.25))[OFF], 0.25 * hard)
    np.testing.assert_array_equal(allocate(DISTANCES, "equidistant"), np.eye(4))
    np.testing.assert_array_equal(allocate(DISTANCES, 0), np.eye(4))


def test_neither_the_unit_nor_a_common_offset_of_the_distances_matters():
    np.testing.assert_allclose(allocate(1e-9 * DISTANCES + 7e-9 * OFF, "hard"), allocate(DISTANCES, "hard"))


@pytest.mark.parametrize("k", [2, 5])
def test_equal_distances_ask_for_nothing(k):
    np.testing.assert_array_equal(allocate(3.0 * (1 - np.eye(k)), "hard"), np.eye(k))


def test_callable_makes_its_own_design():
    D = allocate(DISTANCES, lambda d: np.exp(-d) - 0.5)
    np.testing.assert_allclose(D[OFF], np.exp(-DISTANCES[OFF]) - 0.5)
    assert (np.diag(D) == 1).all()


def test_wishes_override_distances_only_where_they_say():
    D = allocate(DISTANCES, wishes={(0, 1): "apart", (3, 2): "alike", (0, 2): 0.25})
    plain = allocate(DISTANCES)
    assert (D[0, 1], D[1, 0], D[2, 3], D[3, 2], D[0, 2]) == (-1, -1, 1, 1, 0.25)
    untouched = ([0, 1, 1], [3, 2, 3])
    np.testing.assert_array_equal(D[untouched], plain[untouched])


def test_a_wish_for_a_class_is_for_all_its_pairs_but_those_named():
    D = allocate(DISTANCES, labels=list("abcd"), wishes={"b": "apart", ("d", "b"): 0.5})
    np.testing.assert_array_equal(D[1], [-1, 1, -1, 0.5])


def test_labels_of_a_data_frame():
    pd = pytest.importorskip("pandas")
    names = ["cat", "cow", "dog", "hen"]
    frame = pd.DataFrame(DISTANCES, index=names, columns=names)
    D = allocate(frame, wishes={("hen", "cat"): "apart"})
    assert isinstance(D, np.ndarray)
    assert D[0, 3] == -1
    with pytest.raises(ValueError, match="same classes in its index and its columns"):
        allocate(frame[names[::-1]])


def test_ignored_pair_costs_the_others_nothing_if_it_need_not():
    """Classes 0 and 2 can both be opposite to class 1 if they are similar, and their own pair is ignored."""
    wishes = {(0, 1): "apart", (1, 2): "apart", (0, 2): "ignore"}
    D = allocate(np.ones((3, 3)) - np.eye(3), wishes=wishes)
    assert D[0, 2] > 0.98
    assert project(D).distance < 0.02


def test_ignored_pair_is_filled_with_what_disturbs_the_others_least():
    rng = np.random.default_rng(5)
    distances = rng.uniform(1, 2, (5, 5))
    distances = np.triu(distances, 1) + np.triu(distances, 1).T
    D = allocate(distances, "hard", wishes={(1, 3): "ignore"})

    def disturbance(value):
        trial = D.copy()
        trial[1, 3] = trial[3, 1] = value
        return project(trial).distance

    grid = np.linspace(-1, 1, 201)
    assert disturbance(D[1, 3]) <= min(map(disturbance, grid)) + 1e-4
    assert disturbance(D[1, 3]) < disturbance(0.0) - 1e-3


def test_ignored_class_leaves_the_others_their_projection():
    D = allocate(DISTANCES, "hard", wishes={3: "ignore"})
    rest = allocate(DISTANCES, "hard")[:3, :3]
    np.testing.assert_array_equal(D[:3, :3], rest)
    np.testing.assert_allclose(nearest_correlation(D)[:3, :3], nearest_correlation(rest), atol=1e-3)


def test_the_given_distances_stay_as_they_are():
    before = DISTANCES.copy()
    allocate(DISTANCES, lambda d: np.tanh(d) - 0.5, wishes={(0, 1): "apart"})
    np.testing.assert_array_equal(DISTANCES, before)


@pytest.mark.parametrize(
    ("distances", "options", "message"),
    [
        (np.eye(3), {}, r"zero on the diagonal; distances\[0, 0\] is 1.*similarities"),
        (-DISTANCES, {}, r"must not be negative; distances\[0, 2\] is -5"),
        (DISTANCES[:3], {}, "square"),
        (np.triu(DISTANCES), {}, "symmetric"),
        (DISTANCES, {"allocation": "medium"}, "'hard', 'easy', 'equidistant', 'balanced'.*got 'medium'"),
        (DISTANCES, {"allocation": 1.5}, r"number in \[-1, 1\]; got 1.5"),
        (DISTANCES, {"allocation": True}, "got True"),
        (DISTANCES, {"allocation": None}, "got None"),
        (DISTANCES, {"allocation": np.nan}, "got nan"),
        (DISTANCES, {"allocation": lambda d: d}, r"must lie in \[-1, 1\].*entry \[0, 2\] is 5"),
        (
            DISTANCES,
            {"allocation": lambda d: d[:3, :3] / 9},
            r"a row for each of 4 classes; got shape \(3, 3\)",
        ),
        (DISTANCES, {"allocation": lambda d: d[0]}, "must be a matrix"),
        (DISTANCES, {"labels": ["a", "b"]}, "4 different names"),
        (DISTANCES, {"labels": ["a", "b", "a", "c"]}, "4 different names"),
        (DISTANCES, {"wishes": {(0, 1): "near"}}, "wishes for 0 and 1 must be 'apart', 'alike', 'ignore'"),
        (DISTANCES, {"wishes": {(0, 1): -2}}, "got -2"),
        (DISTANCES, {"wishes": {(0, 7): "apart"}}, "wishes names 7, which is not a class"),
        (DISTANCES, {"wishes": {(0, 1): "apart", (1, 0): "alike"}}, "contradicts itself"),
        (DISTANCES, {"labels": ["cat", "cow", "dog", "hen"], "wishes": {"cta": 0}}, "closest are 'cat'"),
    ],
)
def test_errors(distances, options, message):
    with pytest.raises(ValueError, match=message):
        allocate(distances, **options)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("glass", -0.43, 0.42), ("ecoli", -0.35, 0.65), ("yeast", -0.33, 0.86), ("segment", -0.44, 0.87)],
)
def test_ranges_of_real_designs(data_dir, load_dataset, name, low, high):
    """Known values, computed with hardly any shrinkage."""
    if data_dir is None:
        pytest.skip("the development sets are not at hand")
    D = nearest_correlation(allocate(class_distances(*load_dataset(name), shrinkage=1e-6), "hard"))
    off_diagonal = D[~np.eye(len(D), dtype=bool)]
    assert (off_diagonal.min(), off_diagonal.max()) == pytest.approx((low, high), abs=0.006)
