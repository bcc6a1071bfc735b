import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecoc import CodeBookError, Factorization, InfeasibleError, code_length, factorize, factorize_paper
from ecoc.codes.factorization.problem import Problem

LITTLE = 0.004


@st.composite
def designs(draw, most_classes=14):
    """Design matrices of all kinds: of any rank, definite or not, with extreme or tiny entries, or all ones."""
    k = draw(st.integers(2, most_classes), label="k")
    kind = draw(
        st.sampled_from(["random", "low rank", "rank one", "indefinite", "identity", "ones", "tiny", "nearly one"]),
        label="kind",
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    if kind in ("random", "low rank"):
        F = rng.normal(size=(k, k if kind == "random" else min(k, 3)))
        F /= np.linalg.norm(F, axis=1, keepdims=True)
        D = F @ F.T
    elif kind == "rank one":
        signs = rng.choice([-1.0, 1.0], size=k)
        D = np.outer(signs, signs)
    elif kind == "identity":
        D = np.eye(k)
    elif kind == "ones":
        D = np.ones((k, k))
    elif kind == "nearly one":
        D = 1 - 1e-12 * rng.uniform(size=(k, k))
    else:
        D = rng.uniform(-1, 1, (k, k)) * (1 if kind == "indefinite" else 1e-200)
    D = (D + D.T) / 2
    np.fill_diagonal(D, 1)
    return D


@settings(deadline=None, max_examples=120)
@given(D=designs(), data=st.data(), seed=st.integers(0, 2**31))
def test_every_design_gets_a_valid_code_of_the_length_asked_for(assert_valid, D, data, seed):
    k = len(D)
    least, most = (k - 1).bit_length(), min(2 ** (k - 1) - 1, 40)
    l = data.draw(st.none() | st.integers(least, most), label="l")
    result = factorize(D, l, random_state=seed, effort=LITTLE)
    assert_valid(result.code, int(code_length(D)) if l is None else l)
    assert result.verify()
    assert result.codebook.n_distinct_columns == result.n_columns
    assert result.lower_bound <= result.objective
    gram = result.code.astype(float) @ result.code.T
    assert result.objective == pytest.approx(((result.n_columns * D - gram) ** 2).sum(), abs=1e-9)


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(D=designs(most_classes=5), data=st.data(), seed=st.integers(0, 2**31))
def test_tiny_problems_are_solved_exactly_or_shown_to_have_no_solution(brute_force, assert_valid, D, data, seed):
    k = len(D)
    l = data.draw(st.integers(1, min(7, 2 ** (k - 1) - 1)), label="l")
    if data.draw(st.booleans(), label="one demand for all"):
        demands = data.draw(st.integers(1, l), label="min_distance")
    else:
        demands = np.triu(np.random.default_rng(seed).integers(1, max(2, l), (k, k)), 1)
        demands = demands + demands.T
    optimum = brute_force(D, l, demands)
    if optimum is None:
        with pytest.raises(InfeasibleError):
            factorize(D, l, min_distance=demands, random_state=seed)
    else:
        result = factorize(D, l, min_distance=demands, random_state=seed)
        assert_valid(result.code, l, demands)
        assert result.verify()
        assert result.proven
        assert result.stopped_by == "optimal"
        assert result.objective == pytest.approx(optimum, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(D=designs(), scale=st.floats(1.1, 1e300))
def test_huge_entries_are_refused_with_advice(D, scale):
    with pytest.raises(ValueError, match=r"unit diagonal and entries in \[-1, 1\].*nearest_correlation"):
        factorize(D * scale)


@pytest.mark.parametrize("l", [1, 2])
def test_two_classes_have_one_column(l):
    D = np.array([[1, 0.3], [0.3, 1]])
    if l == 1:
        result = factorize(D, 1)
        assert sorted(result.code.ravel().tolist()) == [-1, 1]
        assert result.objective == pytest.approx(2 * 1.3**2)
        assert result.proven
    else:
        with pytest.raises(InfeasibleError, match="2 classes allow at most 1 different columns") as caught:
            factorize(D, l)
        assert caught.value.nearest_length == 1


class TestDistances:
    def test_a_number(self, correlation, assert_valid):
        for c in (1, 2, 5, np.int64(5), 5.0):
            assert_valid(factorize(correlation(12, 4), 14, min_distance=c, effort=LITTLE, random_state=0).code, 14, c)

    @pytest.mark.parametrize(("k", "l"), [(12, 14), (230, 20)])
    def test_a_matrix(self, correlation, assert_valid, k, l):
        demands = np.ones((k, k), dtype=int)
        demands[:3, :3] = 9
        demands[3:6] = demands[:, 3:6] = 4
        assert_valid(
            factorize(correlation(k, 4), l, min_distance=demands, effort=LITTLE, random_state=0).code, l, demands
        )

    def test_a_mapping_of_labels(self, correlation):
        names = ["bus", "car", "cat", "cow", "dog", "hen", "tram", "van"]
        wishes = {("dog", "cat"): 8, "van": 5, ("van", "car"): 7, "default": 2}
        book = factorize(
            correlation(8, 3), 12, min_distance=wishes, labels=names, effort=LITTLE, random_state=0
        ).codebook
        assert book.labels.tolist() == names
        H = pd.DataFrame(book.distances(), index=names, columns=names)
        assert H.loc["cat", "dog"] >= 8
        assert H.loc["van", "car"] >= 7
        assert H.loc["van"].drop("van").min() >= 5
        assert book.min_distance >= 2

    def test_a_mapping_of_numbers_where_there_are_no_labels(self, correlation):
        book = factorize(correlation(6, 3), 8, min_distance={(0, 5): 6}, effort=LITTLE, random_state=0).codebook
        assert not book.is_labelled
        assert book.distances()[0, 5] >= 6

    def test_a_frame_brings_its_labels(self, correlation):
        names = ["cat", "cow", "dog", "hen"]
        frame = pd.DataFrame(correlation(4, 3), index=names, columns=names)
        book = factorize(frame, 5, min_distance={("cat", "hen"): 4}, effort=LITTLE, random_state=0).codebook
        assert book.labels.tolist() == names
        assert book.distances()[0, 3] >= 4

    def test_length_follows_from_distance(self, correlation):
        D = correlation(8, 2)
        result = factorize(D, min_distance=4, effort=LITTLE, random_state=0)
        assert result.n_columns == code_length(D, 4) == 7
        assert result.codebook.min_distance >= 4


def test_no_kernel_is_compiled_for_an_unusual_layout(correlation):
    from ecoc.codes.factorization import _descent_kernels, _search_kernels, _tree_kernels

    def signatures():
        modules = (_descent_kernels, _search_kernels, _tree_kernels)
        return {name: len(f.signatures) for m in modules for name, f in vars(m).items() if hasattr(f, "signatures")}

    def run(arrange, k, l):
        demands = np.ones((k, k), dtype=int)
        demands[0, 1] = demands[1, 0] = 3
        factorize(arrange(correlation(k, 4)), l, min_distance=arrange(demands), random_state=0, effort=LITTLE)

    for k, l in ((8, 6), (210, 20)):
        run(np.ascontiguousarray, k, l)
    before = signatures()
    for k, l in ((8, 6), (210, 20)):
        run(np.asfortranarray, k, l)
        run(pd.DataFrame, k, l)
    assert signatures() == before
    assert sum(before.values()) >= 5


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"method": "best"}, r"method must be one of \['auto', 'paper'\]; got 'best'"),
            ({"effort": -1}, "effort must be positive; got -1"),
            ({"effort": 0}, "effort must be positive; got 0"),
            ({"effort": np.nan}, "effort must be positive; got nan"),
            ({"effort": np.inf}, "effort must be finite if there is no time_limit"),
            ({"time_limit": 0}, "time_limit must be positive; got 0"),
            ({"time_limit": -2.5}, "time_limit must be positive; got -2.5"),
            ({"method": "paper", "max_cycles": 0}, "max_cycles must be positive; got 0"),
            ({"method": "paper", "time_limit": 0}, "time_limit must be positive; got 0"),
            ({"max_cycles": 100}, "max_cycles is a parameter of method='paper' and has no effect with method='auto'"),
            (
                {"method": "paper", "effort": 1},
                "effort is a parameter of method='auto' and has no effect with method='paper'",
            ),
            ({"n_columns": 0}, "n_columns must be a positive integer or None; got 0"),
            ({"n_columns": 2.0}, "n_columns must be a positive integer or None; got 2.0"),
            ({"labels": ["a", "b"]}, "labels must be 3 different names, one for each class; got 2"),
            (
                {"labels": ["a", "b", "b"]},
                "labels must be 3 different names, one for each class; got 3 labels, 2 of them different",
            ),
            ({"min_distance": 0}, "min_distance must be at least 1"),
            ({"min_distance": np.ones((2, 2))}, "min_distance must have a row for each of 3 classes"),
            ({"min_distance": {(0, 7): 2}}, "min_distance names 7, which is not a class"),
        ],
        ids=str,
    )
    def test_bad_arguments(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            factorize(np.eye(3), **arguments)

    @pytest.mark.parametrize("method", ["auto", "paper"])
    @pytest.mark.parametrize(
        ("D", "arguments", "message"),
        [
            ([[1, 0.5, 0], [0.1, 1, 0], [0, 0, 1]], {}, r"symmetric.*\(D \+ D.T\) / 2"),
            ([[1, np.nan], [np.nan, 1]], {}, r"finite; D\[0, 1\] is nan"),
            ([[1, 0, 0], [0, 1, 0]], {"factor": False}, r"square.*got shape \(2, 3\)"),
            ([[2, 0], [0, 2]], {}, r"unit diagonal.*spans \[2, 2\]"),
            ([[1, 0, 0], [0, 0, 0]], {}, "no zero row"),
            ([[1]], {}, "at least two classes"),
            (np.zeros((2, 2, 2)), {}, "must be a matrix"),
        ],
    )
    def test_bad_designs(self, method, D, arguments, message):
        with pytest.raises(ValueError, match=message):
            factorize(D, method=method, **arguments)

    def test_too_many_classes_for_the_paper(self):
        with pytest.raises(ValueError, match=r"at most 4096 classes.*got 5000 classes. Use method='auto'"):
            factorize(np.ones((5000, 1)), 20, method="paper")


class TestFactors:
    @pytest.mark.parametrize(("k", "l"), [(4, 3), (9, 6), (30, 12), (50, 20)])
    def test_a_factor_gives_what_its_product_gives(self, k, l):
        F = np.random.default_rng(k).normal(size=(k, 7))
        unit = F / np.linalg.norm(F, axis=1, keepdims=True)
        D = unit @ unit.T
        np.fill_diagonal(D, 1)
        dense = factorize((D + D.T) / 2, l, random_state=0, effort=0.02)
        factored = factorize(F, l, random_state=0, effort=0.02)
        assert factored.verify()
        assert factored.objective == pytest.approx(dense.objective)
        assert factored.relative_error == pytest.approx(dense.relative_error)

    def test_by_rows_as_well(self):
        F = np.random.default_rng(0).normal(size=(210, 6))
        unit = F / np.linalg.norm(F, axis=1, keepdims=True)
        D = unit @ unit.T
        np.fill_diagonal(D, 1)
        dense = factorize((D + D.T) / 2, 20, random_state=0, effort=0.02)
        factored = factorize(F, 20, random_state=0, effort=0.02)
        assert factored.objective == pytest.approx(dense.objective, rel=0.05)

    def test_a_square_factor_has_to_be_said(self):
        F = np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 1]])
        with pytest.raises(ValueError, match="symmetric"):
            factorize(F, 3)
        assert factorize(F, 3, factor=True, effort=LITTLE, random_state=0).verify()

    def test_no_square_matrix_is_formed_of_many_classes(self, monkeypatch):
        def refuse(self):
            raise AssertionError("a k × k matrix")

        for name in ("target", "cap"):
            monkeypatch.setattr(Problem, name, property(refuse))
        F = np.random.default_rng(0).normal(size=(1100, 9))
        result = factorize(F, 24, min_distance=2, random_state=0, effort=LITTLE)
        assert result.verify()
        assert result.verify().min_distance >= 2
        assert result.objective < result.history[0]
        assert result.relative_error < 1
        assert result.lower_bound >= 0
        assert "valid" in repr(result)

    def test_nor_is_that_much_memory_used(self):
        import tracemalloc

        F = np.random.default_rng(0).normal(size=(6000, 4))
        factorize(F[:1100], 16, random_state=0, effort=LITTLE)  # so that imports are not counted
        tracemalloc.start()
        result = factorize(F, 16, random_state=0, effort=LITTLE)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert result.n_classes == 6000
        assert peak < 6000**2  # bytes: an eighth of a matrix of floats


class TestPaper:
    @pytest.mark.parametrize(("k", "l"), [(10, 4), (50, 6)])
    @pytest.mark.parametrize("seed", range(4))
    def test_planted_codes_are_recovered(self, planted, k, l, seed):
        X = planted(k, l, seed)
        result = factorize(X @ X.T / l, l, method="paper", random_state=seed, max_cycles=30)
        assert result.history[-1] < 1e-8
        assert result.objective < 1e-8
        assert (np.diff(result.history) <= 1e-7 * result.history[0]).all()
        assert result.method == "paper"
        assert result.n_cycles == len(result.history) - 1 <= 30
        assert result.verify()

    def test_order_of_the_rows(self, correlation):
        D = correlation(20, 4)
        histories = {}
        for order in ("cyclic", "random"):
            result = factorize_paper(D, 6, order=order, random_state=0, max_cycles=8)
            assert (np.diff(result.history) <= 1e-7 * result.history[0]).all()
            again = factorize_paper(D, 6, order=order, random_state=0, max_cycles=8)
            np.testing.assert_array_equal(result.code, again.code)
            histories[order] = result.history
        assert histories["cyclic"][0] == histories["random"][0]  # the same start
        assert not np.array_equal(histories["cyclic"], histories["random"])
        usual = factorize(D, 6, method="paper", random_state=0, max_cycles=8)
        np.testing.assert_array_equal(usual.history, histories["cyclic"])
        with pytest.raises(ValueError, match="order must be 'cyclic' or 'random'; got 'sorted'"):
            factorize_paper(D, 6, order="sorted")

    def test_invalid_codes_are_returned_and_say_so(self):
        # all classes alike: the relaxation makes all codewords the same
        result = factorize(np.ones((6, 6)), 4, method="paper", random_state=0)
        certificate = result.verify()
        assert not certificate
        assert certificate.n_close_pairs > 0
        assert "pairs of codewords are too close (" in str(certificate)
        assert "NOT valid" in repr(result)
        with pytest.raises(CodeBookError):
            _ = result.codebook

    def test_repeated_columns_are_dropped_and_missed(self):
        # rank one: all columns are the same up to sign
        signs = np.array([1.0, -1, 1, 1, -1])
        result = factorize(np.outer(signs, signs), 4, method="paper", random_state=1)
        assert isinstance(result, Factorization)
        assert result.n_columns < 4
        assert f"{result.n_columns} columns instead of 4" in result.verify().problems
        shorter = result.problem.with_columns(result.n_columns)
        assert result.objective == pytest.approx(shorter.objective(result.code))
        overlap = np.abs(result.code.T.astype(int) @ result.code)
        np.fill_diagonal(overlap, 0)
        assert overlap.max() < 5

    def test_limits(self, correlation):
        D = correlation(30, 5)
        result = factorize(D, 8, method="paper", random_state=0, max_cycles=3)
        assert (result.n_cycles, result.stopped_by) == (3, "cycles")
        result = factorize(D, 8, method="paper", random_state=0, time_limit=1e-9)
        assert result.stopped_by == "time"
        assert result.code.shape[0] == 30

    def test_auto_is_never_worse(self, correlation):
        for seed in range(3):
            D = correlation(12, 4, seed)
            paper = factorize(D, 8, method="paper", random_state=seed)
            auto = factorize(D, 8, random_state=seed)
            assert auto.verify()
            if paper.verify():
                assert auto.objective <= paper.objective


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("method", "budget"), [("auto", {"effort": 0.3}), ("paper", {"max_cycles": 6})])
@pytest.mark.parametrize("progress", [True, False])
def test_a_long_run_shows_its_progress_if_it_may(monkeypatch, correlation, method, budget, progress):
    ticks = iter(range(10**9))
    monkeypatch.setattr("ecoc.utils.progress.time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    factorize(correlation(26, 5), 21, method=method, progress=progress, random_state=0, **budget)
    drawn = terminal.getvalue()
    assert ("objective" in drawn) is progress
    assert drawn == "" or drawn.endswith("\r")


def test_a_number_of_cycles_is_whole():
    with pytest.raises(TypeError, match="max_cycles must be an integer; got 2"):
        factorize(np.eye(4), 3, method="paper", max_cycles=2.5)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"effort": "much"}, TypeError, "effort must be a number"),
        ({"time_limit": True}, TypeError, "time_limit must be a number"),
        (
            {"n_columns": 10**9},
            ValueError,
            "1,000,000,000 columns for 40 classes are too many.* Ask for 40 columns or fewer",
        ),
    ],
)
def test_arguments_that_make_no_sense(arguments, kind, message):
    with pytest.raises(kind, match=message):
        factorize(np.eye(40), **{"n_columns": 12, **arguments})
