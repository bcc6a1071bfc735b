import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecoc.codes.design import projection
from ecoc.codes.design.projection import Spectrum


def symmetric(k, seed):
    A = np.random.default_rng(seed).normal(size=(k, k))
    return A + A.T


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 40), st.integers(0, 1000), st.floats(0.1, 3), st.floats(-3, 3))
def test_equals_all_eigenvectors(k, seed, factor, shift):
    A = symmetric(k, seed)
    spectrum = Spectrum.of(A).moved(factor, shift)
    A = factor * A + shift * np.eye(k)
    w = np.linalg.eigvalsh(A)
    np.testing.assert_allclose(spectrum.eigenvalues, w, atol=1e-12 * k)
    for first, last in [(0, k // 3), (k // 2, k), (0, k)]:
        found = spectrum.vectors(first, last)
        np.testing.assert_allclose(found.T @ found, np.eye(last - first), atol=1e-10)
        np.testing.assert_allclose(A @ found, found * w[first:last], atol=1e-10)
    B = np.random.default_rng(seed).normal(size=(k, 2))
    shifts = np.array([w[0] - 1, w[-1] + 0.5])
    expected = [np.linalg.solve(A - s * np.eye(k), b) for s, b in zip(shifts, B.T)]
    np.testing.assert_allclose(spectrum.solve(shifts, B), np.transpose(expected), atol=1e-9)


def test_a_singular_system_gives_zero():
    spectrum = Spectrum.of(np.eye(3))
    np.testing.assert_array_equal(spectrum.solve(np.ones(1), np.ones((3, 1))), np.zeros((3, 1)))


@pytest.mark.parametrize("k", [9, 40])
def test_vectors_if_the_fast_driver_fails(k, monkeypatch):
    import scipy.linalg

    fast = scipy.linalg.eigh_tridiagonal

    def fails(*args, lapack_driver, **options):
        if lapack_driver == "stemr":
            raise np.linalg.LinAlgError("stemr did not converge")
        return fast(*args, lapack_driver=lapack_driver, **options)

    monkeypatch.setattr(scipy.linalg, "eigh_tridiagonal", fails)
    A = symmetric(k, 0)
    P = Spectrum.of(A).vectors(0, k)
    np.testing.assert_allclose(P.T @ A @ P, np.diag(np.linalg.eigvalsh(A)), atol=1e-10)


@pytest.mark.parametrize("shift", [-4, 0, 4])
def test_the_newton_step_equals_that_of_all_eigenvectors(shift):
    """V h = diag P (Ω ∘ (Pᵀ Diag(h) P)) Pᵀ, where Ω is 1, 0, or λᵢ/(λᵢ − λⱼ) for a positive λᵢ and another λⱼ."""
    k = 30
    D = symmetric(k, 1) / 2
    y = np.full(k, float(shift))
    point = projection._evaluate(D, y)
    w, P = np.linalg.eigh(D + np.diag(y))
    positive = np.maximum(w, 0)
    np.testing.assert_allclose(point.gradient, P**2 @ positive - 1, atol=1e-10)
    assert point.value == pytest.approx(positive @ positive / 2 - y.sum())
    assert point.is_positive == (2 * np.count_nonzero(w > 0) <= k)
    point = point._replace(gradient=1e-6 * point.gradient)  # a step is as precise as the gradient is small
    gaps = np.subtract.outer(w, w) + np.eye(k)
    omega = np.subtract.outer(positive, positive) / gaps + np.diag(w > 0)
    V = np.einsum("ai,bi,aj,bj,ij->ab", P, P, P, P, omega, optimize=True)
    V += 1e-3 * np.linalg.norm(point.gradient) / max(1, -w[0]) * np.eye(k)
    residual = V @ projection._newton_step(point, 0) + point.gradient
    assert np.linalg.norm(residual) <= 2e-5 * np.linalg.norm(point.gradient)
