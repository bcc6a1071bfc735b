"""Every coding keeps what `check_coding` asks, for every number of classes, and `check_coding` sees what does not."""

from warnings import catch_warnings, simplefilter

import numpy as np
import pytest

from ecoc.codes.coding import CODINGS, ECF, DenseRandom, Fixed, SparseRandom, get_coding, registry
from ecoc.codes.coding.coding import Coding
from ecoc.testing import check_coding

# Few draws: every draw is valid, so that many only cost time here.
FAST = {
    "dense": DenseRandom(n_draws=5),
    "sparse": SparseRandom(n_draws=5),
    "ecf": ECF(effort=0.01),
}
EVERY = range(3, 201)
SAMPLED = (3, 4, 6, 9, 17, 33, 65, 130)  # on both sides of 64, beyond which codings work differently


@pytest.mark.parametrize("name", CODINGS)
@pytest.mark.filterwarnings("ignore:The .* thresholded eigenvectors")
def test_conformance(name):
    check_coding(FAST.get(name, name))


@pytest.mark.parametrize(
    "coding",
    [
        ECF("hard", n_columns=0.5, effort=0.01),
        ECF("easy", min_distance=2, effort=0.01),
        ECF("equidistant", effort=0.01),
        DenseRandom(n_columns=0.5, n_draws=5),
        SparseRandom(n_columns=0.5, n_draws=5),
    ],
    ids=repr,
)
def test_conformance_of_variants(coding):
    check_coding(coding, ks=(2, 4, 5, 11, 32, 50))


def test_conformance_of_a_fixed_code():
    check_coding(Fixed([[1, 1], [1, -1], [-1, 1]]), ks=[3])
    check_coding(Fixed(np.array([[1, 1], [-1, -1]])), ks=[2])


def test_without_data_nothing_is_built_that_needs_it():
    check_coding("spectral", with_data=False)


@pytest.mark.parametrize("name", CODINGS)
def test_valid_for_every_number_of_classes(name):
    slow = name in ("ecf", "rand", "ovo", "exhaustive", "discriminant")
    for k in SAMPLED if slow else EVERY:
        rng = np.random.default_rng(k)
        y = np.arange(2 * k) % k
        X = rng.normal(size=(k, 4))[y] + 0.2 * rng.normal(size=(2 * k, 4))
        with catch_warnings():
            simplefilter("ignore", UserWarning)
            book = get_coding(FAST.get(name, name)).build(k, X, y, random_state=0)
        assert book.n_classes == k
        assert book.min_distance >= 1
        assert not book.duplicate_columns()


class Good(Coding):
    def _build(self, n_classes, X, y, random_state):
        return 2 * np.eye(n_classes) - 1


class ChangesWithTime(Good):
    times = 0

    def _build(self, n_classes, X, y, random_state):
        type(self).times += 1
        return np.roll(super()._build(n_classes, X, y, random_state), self.times, axis=1)


class Repeats(Good):
    def _build(self, n_classes, X, y, random_state):
        code = super()._build(n_classes, X, y, random_state)
        return np.hstack([code, -code[:, :1]])


class Spoils(Good):
    needs_data = True

    def _build(self, n_classes, X, y, random_state):
        X -= X.mean(axis=0)
        return super()._build(n_classes, X, y, random_state)


class Overwrites(Good):
    def __init__(self, n_columns=None):
        self.n_columns = n_columns

    def _build(self, n_classes, X, y, random_state):
        self.n_columns = n_classes
        return super()._build(n_classes, X, y, random_state)


class ForgetsParameters(Good):
    def __init__(self, n_columns=None):
        pass


class AsksForNothing(Good):
    needs_data = True

    def build(self, n_classes, X=None, y=None, random_state=None):
        return Good().build(n_classes, X, y, random_state)


class TooFewRows(Good):
    def _build(self, n_classes, X, y, random_state):
        return super()._build(n_classes - 1, X, y, random_state)


@pytest.mark.parametrize(
    ("coding", "complaint"),
    [
        (ChangesWithTime, "another code for the same random_state"),
        (Repeats, "columns .0, 3. are equal up to sign"),
        (Spoils, "build changes X"),
        (Overwrites, r"build changes its parameters \['n_columns'\]"),
        (ForgetsParameters, "clone failed with AttributeError"),
        (AsksForNothing, "builds without the data it needs"),
        (TooFewRows, "the code book has 2 rows"),
        ("nonsense", "Unknown coding"),
        (int, "instance of a subclass"),
    ],
)
def test_check_coding_sees(coding, complaint):
    with pytest.raises(ValueError if coding == "nonsense" else AssertionError, match=complaint):
        check_coding(coding)


def test_check_coding_accepts_what_is_declared():
    class RepeatsOnPurpose(Repeats):
        allows_duplicates = True

    check_coding(Good)
    coding = RepeatsOnPurpose()
    assert coding.build(3).duplicate_columns() == [(0, 3)]


def test_a_coding_of_ones_own_has_a_name(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    registry.register_coding("all_others", Good)
    registry.register_coding("all_others", Good)  # a module may be imported again
    assert isinstance(get_coding("All others"), Good)
    with pytest.raises(ValueError, match="'one-vs-rest' already means OneVsAll"):
        registry.register_coding("one-vs-rest", Good)
    with pytest.raises(TypeError, match=r"takes a subclass of .*Coding; got Good\(\)"):
        registry.register_coding("good", Good())


@pytest.mark.parametrize("name", ["gao_koller", "Zhao-Xing", "crammer_singer", "minimal_search"])
def test_a_coding_that_moved_says_where_it_is(name, monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})  # without those of ecoc_paper
    with pytest.raises(ValueError, match=f"^{name} moved to the package ecoc_paper"):
        get_coding(name)
