from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from ecoc import CodeBookError, factorize
from ecoc.codes.factorization.result import lower_bound


@pytest.fixture(scope="module")
def result(correlation):
    """A result that is not proven to be optimal, so that its lower bound is a real bound."""
    return factorize(correlation(24, 8), 12, min_distance=3, random_state=0, effort=0.05)


def with_code(result, change):
    """Return the result with another code and the objective of that code."""
    code = result.code.copy()
    change(code)
    return replace(result, code=code, objective=result.problem.objective(code))


def test_a_result_is_what_it_says(result, assert_valid):
    assert (result.n_classes, result.n_columns, result.method) == (24, 12, "auto")
    assert_valid(result.code, 12, 3)
    target = 12 * result.problem.design
    gram = result.code.astype(float) @ result.code.T
    assert result.objective == pytest.approx(((target - gram) ** 2).sum())
    assert result.relative_error == pytest.approx(np.linalg.norm(target - gram) / np.linalg.norm(target))
    certificate = result.verify()
    assert certificate
    assert certificate.objective == pytest.approx(result.objective)
    assert certificate.objective_error <= 1e-9 * result.objective
    assert certificate.min_distance == result.codebook.min_distance >= 3
    assert (certificate.n_close_pairs, certificate.problems) == (0, ())
    assert str(certificate).startswith("valid: objective")


def test_it_cannot_be_changed(result):
    assert result.code.dtype == np.int8
    with pytest.raises(ValueError, match="read-only"):
        result.code[0, 0] = 1
    with pytest.raises(FrozenInstanceError):
        result.objective = 0.0


def test_a_wrong_objective_is_found(result):
    forged = replace(result, objective=result.objective - 0.01)
    certificate = forged.verify()
    assert not certificate
    assert certificate.objective_error == pytest.approx(0.01)
    assert certificate.problems == (f"the objective is {result.objective:.9g}, not {forged.objective:.9g}",)
    assert str(certificate).startswith("not valid: the objective is")


def test_a_flipped_entry_is_found(result):
    code = result.code.copy()
    code[3, 4] *= -1
    certificate = replace(result, code=code).verify()
    assert not certificate
    assert "the objective is" in str(certificate)
    assert certificate.objective == pytest.approx(result.problem.objective(code))


def test_codewords_too_near_are_found_and_named(result):
    def approach(code):
        code[7] = code[20]
        code[7, :2] *= -1

    certificate = with_code(result, approach).verify()
    distances = (12 - result.code[7].astype(int) @ result.code.T) / 2
    assert distances[20] >= 3
    assert certificate.min_distance == 2 - (certificate.min_distance < 2)
    assert "7 and 20: 2" in str(certificate)
    assert certificate.n_close_pairs >= 1

    certificate = with_code(result, lambda code: code.__setitem__(slice(0, 12), code[0])).verify()
    assert certificate.min_distance == 0
    assert certificate.n_close_pairs >= 66
    named = next(text for text in certificate.problems if "too close" in text)
    assert named.count(" and ") == 5
    assert named.endswith("…)")


def test_labels_are_used_to_name_them(correlation):
    names = [f"class {i}" for i in range(6)]
    result = factorize(correlation(6, 3), 5, labels=names, random_state=0)
    assert list(result.codebook.labels) == names
    certificate = with_code(result, lambda code: code.__setitem__(1, code[4])).verify()
    assert "'class 1' and 'class 4': 0" in str(certificate)


def test_demands_of_single_pairs_are_checked(correlation):
    demands = np.ones((6, 6), dtype=int)
    demands[2, 5] = demands[5, 2] = 4
    result = factorize(correlation(6, 3), 6, min_distance=demands, random_state=0)
    assert result.verify()

    def approach(code):
        apart = np.flatnonzero(code[2] != code[5])
        code[2, apart[3:]] *= -1

    certificate = with_code(result, approach).verify()
    assert "2 and 5: 3" in str(certificate)


def test_faulty_columns_are_found(result):
    def constant(code):
        code[:, 5] = 1

    def equal(code):
        code[:, 2] = code[:, 9]

    def complementary(code):
        code[:, 0] = -code[:, 11]

    for change, text in (
        (constant, "constant columns: [5]"),
        (equal, "columns equal or complementary: [[2, 9]]"),
        (complementary, "columns equal or complementary: [[0, 11]]"),
    ):
        assert text in with_code(result, change).verify().problems


def test_missing_columns_are_found(result):
    code = result.code[:, :11]
    shorter = replace(result, code=code, objective=result.problem.with_columns(11).objective(code))
    assert "11 columns instead of 12" in shorter.verify().problems


@pytest.mark.parametrize("l", [5, 64, 65, 100])
def test_distances_are_counted_right_at_any_length(correlation, l):
    result = factorize(correlation(30, 4), l, random_state=0, effort=0.01)
    H = (l - result.code.astype(int) @ result.code.T) // 2
    assert result.verify().min_distance == H[~np.eye(30, dtype=bool)].min()


def test_an_invalid_code_is_no_code_book(result):
    broken = with_code(result, lambda code: code.__setitem__(3, code[4]))
    with pytest.raises(CodeBookError, match=r"equal codewords: \(3, 4\)"):
        _ = broken.codebook
    assert repr(broken).startswith("Factorization(NOT valid, 24 × 12")


def test_the_lower_bound_and_where_it_comes_from(result, correlation):
    expected = lower_bound(result.problem)
    assert (result.lower_bound, result.bound_from) == expected
    assert 0 < result.lower_bound < result.objective
    assert not result.optimal
    text = repr(result)
    assert text.startswith("Factorization(valid, 24 × 12, method='auto'): objective ")
    assert f"at most {result.objective - expected.value:.4g} above the optimum ({expected.source} bound)" in text


def test_a_proof_is_the_best_bound(correlation):
    proven = factorize(correlation(6, 3), 4, random_state=0)
    assert proven.proven
    assert proven.optimal
    assert (proven.lower_bound, proven.bound_from) == (proven.objective, "exact")
    assert repr(proven).endswith("proven optimal")
    assert lower_bound(proven.problem).value <= proven.objective


def test_a_bound_that_is_met_is_a_proof_too(planted):
    X = planted(30, 8)
    result = factorize(X @ X.T / 8, 8, method="paper", random_state=0)
    assert result.objective == pytest.approx(0, abs=1e-9)
    assert not result.proven
    assert result.optimal
