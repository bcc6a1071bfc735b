import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.result import lower_bound, parity_bound, spectral_bound


def indefinite(k, seed):
    """Any symmetric matrix with unit diagonal and entries in [−1, 1]."""
    D = np.random.default_rng(seed).uniform(-1, 1, (k, k))
    D = np.triu(D, 1)
    return D + D.T + np.eye(k)


@settings(deadline=None, max_examples=80)
@given(
    k=st.integers(2, 5),
    rank=st.integers(0, 4),
    l=st.integers(1, 7),
    c=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_code_is_better_than_a_bound(brute_force, correlation, k, rank, l, c, seed):
    D = correlation(k, rank, seed) if rank else indefinite(k, seed)
    optimum = brute_force(D, l, c)
    if optimum is None:
        return
    problem = make_problem(D, l, c)
    assert spectral_bound(problem) <= optimum + 1e-9
    assert parity_bound(problem) <= optimum + 1e-9
    best = lower_bound(problem)
    assert best.value == max(spectral_bound(problem), parity_bound(problem))
    assert best.source in ("spectral", "parity", "none")


@pytest.mark.parametrize(("k", "l"), [(6, 3), (20, 5), (30, 24)])
def test_spectral_is_never_below_eckart_young(correlation, k, l):
    """The best approximation of rank l drops all but l eigenvalues; the trace of a code is also fixed at k·l."""
    D = correlation(k, 2 * k)
    cut = np.sort(np.linalg.eigvalsh(l * D))[: k - l]
    eckart_young = (cut**2).sum()
    bound = spectral_bound(make_problem(D, l, 1))
    assert bound >= eckart_young * (1 - 1e-12)
    # the trace of the dropped eigenvalues is distributed evenly over the other l, as long as none is negative
    assert bound == pytest.approx(eckart_young + cut.sum() ** 2 / l)


def test_spectral_is_attained_where_eigenvalues_can_be_matched(planted):
    X = planted(20, 6)
    assert spectral_bound(make_problem(X @ X.T / 6, 6, 1)) == 0


def test_spectral_by_numerical_minimisation(correlation):
    """Against a general solver: min Σ(l·λ_i − μ_i)², μ ≥ 0, Σμ = k·l, at most l of them."""
    from scipy.optimize import minimize

    k, l = 7, 4
    D = indefinite(k, 3)
    values = np.sort(l * np.linalg.eigvalsh(D))[::-1]
    found = minimize(
        lambda mu: ((values[:l] - mu) ** 2).sum(),
        np.full(l, float(k)),
        jac=lambda mu: 2 * (mu - values[:l]),
        bounds=[(0, None)] * l,
        constraints={"type": "eq", "fun": lambda mu: mu.sum() - k * l},
        options={"ftol": 1e-14},
        method="SLSQP",
    )
    assert spectral_bound(make_problem(D, l, 1)) == pytest.approx(found.fun + (values[l:] ** 2).sum(), rel=1e-6)


@pytest.mark.parametrize(("rank", "l"), [(3, 2), (3, 6), (5, 5), (9, 20)])
def test_a_factor_has_the_bounds_of_its_product(rank, l):
    F = np.random.default_rng(rank).normal(size=(12, rank))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    D = F @ F.T
    np.fill_diagonal(D, 1)
    dense, factored = make_problem((D + D.T) / 2, l, 1), make_problem(F, l, 1)
    assert spectral_bound(factored) == pytest.approx(spectral_bound(dense), abs=1e-6)
    assert parity_bound(factored) == pytest.approx(parity_bound(dense))


def test_parity_by_hand():
    # two codewords of odd length have an odd inner product, at most 3 − 2c
    D = np.array([[1, 0.2], [0.2, 1]])
    for c, nearest in ((1, 1), (2, -1), (3, -3)):
        assert parity_bound(make_problem(D, 3, c)) == pytest.approx(2 * (0.6 - nearest) ** 2)
    assert parity_bound(make_problem([[1, -1], [-1, 1]], 3, 1)) == 0


def test_very_many_classes_get_no_bound_from_pairs(monkeypatch):
    from ecoc.codes.factorization import result as lower_bounds

    def refuse(problem):
        raise AssertionError("a k × k matrix")

    monkeypatch.setattr(lower_bounds, "parity_bound", refuse)
    F = np.random.default_rng(0).normal(size=(1100, 40))
    found = lower_bound(make_problem(F, 12, 1))
    assert found.source == "spectral"
    assert found.value > 0
