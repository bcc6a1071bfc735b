"""Discriminant decoding against scikit-learn's analysis, and where that one gives up."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.covariance import LedoitWolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from ecoc.decoding import Discriminant, decide
from ecoc.decoding.limits import LIMITS

BOOK = np.array([[1, 1, 1, -1], [1, -1, -1, -1], [-1, 1, -1, 1], [-1, -1, 1, 1]])
OVA = 2 * np.eye(4) - 1


def outputs_of(book, y, scale=0.5, seed=0):
    """Margins with errors that columns share, so that a distance is not the best one can do."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(book.shape[1],) * 2)
    return book[y] + scale * rng.normal(size=(len(y), book.shape[1])) @ mixing


@pytest.fixture
def many():
    y = np.random.default_rng(0).choice(4, size=2000, p=[0.1, 0.2, 0.3, 0.4])
    return outputs_of(BOOK, y), y


def test_is_linear_discriminant_analysis_where_samples_are_many(many):
    outputs, y = many
    ours = Discriminant(penalty=None).fit(BOOK, outputs, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(outputs, y)
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=0.02)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=0.05, atol=0.02)
    np.testing.assert_allclose(ours.probabilities(outputs), theirs.predict_proba(outputs), atol=0.05)
    assert ours.probabilities(outputs).sum(axis=1) == pytest.approx(1)


def test_shrinks_correlations_as_ledoit_and_wolf():
    y = np.repeat(np.arange(4), 4)
    outputs = outputs_of(BOOK, y)
    decoding = Discriminant().fit(BOOK, outputs, y)
    residuals = outputs - decoding.means_[y]
    reference = LedoitWolf(assume_centered=True).fit(residuals / np.sqrt(np.diag(decoding.covariance_)))
    assert 0 < decoding.shrinkage_ < 1
    assert decoding.shrinkage_ == pytest.approx(reference.shrinkage_)


def test_priors(many):
    outputs, y = many
    empirical, uniform, given = (Discriminant(p).fit(BOOK, outputs, y) for p in ("empirical", "uniform", [1, 1, 1, 7]))
    np.testing.assert_allclose(empirical.priors_, np.bincount(y) / len(y), atol=1e-3)
    np.testing.assert_allclose(uniform.priors_, 0.25)
    np.testing.assert_allclose(given.priors_, [0.1, 0.1, 0.1, 0.7])
    ratio = np.log(given.priors_ / uniform.priors_)
    np.testing.assert_allclose(given.intercept_ - uniform.intercept_, ratio)


@pytest.mark.parametrize("priors", [[1, 1], [1, 1, 1, 0], [1, 1, 1, np.nan]])
def test_bad_priors(priors, many):
    with pytest.raises(ValueError, match="priors must be 4 positive numbers, one for each class"):
        Discriminant(priors).fit(BOOK, *many)


def test_sample_weight_is_repetition(many):
    outputs, y = (array[:200] for array in many)
    times = np.random.default_rng(1).integers(0, 4, size=200)
    once = Discriminant().fit(BOOK, outputs, y, times)
    repeated = Discriminant().fit(BOOK, np.repeat(outputs, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(once.priors_, repeated.priors_, rtol=0.05)
    np.testing.assert_allclose(once.means_, repeated.means_, atol=0.02)
    np.testing.assert_allclose(once.covariance_, repeated.covariance_, rtol=0.1, atol=0.05)


@pytest.mark.parametrize("book", [BOOK, OVA], ids=["dense", "ova"])
@pytest.mark.parametrize("n_rare", [0, 1])
def test_rare_classes_are_where_their_codewords_suggest(book, n_rare):
    y = np.repeat([0, 1, 2, 3], [50, 50, 50, n_rare])
    decoding = Discriminant().fit(book, 3 * outputs_of(book, y, scale=0.05), y)
    np.testing.assert_allclose(decoding.means_[3], 3 * book[3], atol=0.6)
    np.testing.assert_allclose(decoding.priors_[3], (n_rare + 1) / (len(y) + 4))
    assert decide(decoding.scores(3 * book)).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_handful_of_samples_will_do(n):
    y = np.arange(n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decoding = Discriminant().fit(BOOK, outputs_of(BOOK, y, scale=0.1), y)
    assert np.isfinite(decoding.scores(BOOK)).all()
    assert decide(decoding.scores(BOOK))[:n].tolist() == list(range(n))


def test_fewer_samples_than_columns():
    book = np.random.default_rng(0).permuted(np.repeat([[1], [-1]], 3, axis=0) * np.ones(80), axis=0)
    y = np.repeat(np.arange(6), 5)
    decoding = Discriminant().fit(book, outputs_of(book, y, scale=0.1), y)
    assert (decide(decoding.scores(outputs_of(book, y, scale=0.1, seed=1))) == y).mean() > 0.9
    assert np.linalg.eigvalsh(decoding.covariance_).min() > 0


@pytest.mark.parametrize("value", [0.0, 0.1, -3.7])
def test_constant_columns_tell_nothing(value, many):
    outputs, y = many
    reference = Discriminant().fit(BOOK[:, :3], outputs[:, :3], y).scores(outputs[:, :3])
    constant = np.c_[outputs[:, :3], np.full(len(y), value)]
    scores = Discriminant().fit(BOOK, constant, y).scores(constant)
    np.testing.assert_allclose(scores, reference, rtol=0.03, atol=1e-3)  # shrunk a little less


def test_faultless_outputs_are_no_problem():
    y = np.repeat(np.arange(4), 10)
    decoding = Discriminant().fit(BOOK, BOOK[y], y)
    assert decide(decoding.scores(BOOK)).tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(decoding.probabilities(BOOK), np.eye(4), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_scale_of_the_margins_does_not_matter(scale, many):
    outputs, y = many
    reference = Discriminant().fit(BOOK, outputs, y).scores(outputs)
    scores = Discriminant().fit(BOOK, scale * outputs, y).scores(scale * outputs)
    np.testing.assert_allclose(scores, reference, rtol=1e-6, atol=1e-6)


def test_beats_the_distance_where_errors_are_shared(many):
    outputs, y = many
    nearest = ((outputs[:, None] - BOOK) ** 2).sum(axis=2).argmin(axis=1)
    learnt = decide(Discriminant().fit(BOOK, outputs, y).scores(outputs))
    assert (learnt == y).mean() > (nearest == y).mean() + 0.05


def test_a_great_penalty_leaves_the_analysis_as_it_is(many):
    plain, held = (Discriminant(penalty=p).fit(BOOK, *many) for p in (None, 1e12))
    np.testing.assert_allclose(held.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(held.intercept_, plain.intercept_, atol=1e-6)
    assert plain.n_iter_ == 0


def test_a_small_penalty_is_logistic_regression(many):
    from sklearn.linear_model import LogisticRegression

    outputs, y = many
    ours = Discriminant(penalty=1e-3).fit(BOOK, outputs, y)
    theirs = LogisticRegression(C=1e6, max_iter=2000).fit(outputs, y)
    np.testing.assert_allclose(ours.probabilities(outputs), theirs.predict_proba(outputs), atol=0.05)
    assert ours.n_iter_ > 0


def test_learned_scores_lose_less_where_classes_scatter_differently():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 100)
    outputs = np.sign(BOOK)[y] + rng.normal(size=(400, np.shape(BOOK)[1])) * np.array([0.1, 0.3, 1, 2])[y, None]

    def loss(penalty):
        scores = Discriminant(penalty=penalty).fit(BOOK, outputs, y).scores(outputs)
        return -scores[np.arange(400), y].mean()

    assert loss(1.0) < loss(30.0) < loss(None)


def test_weights_count_in_the_scores_as_repetitions_do(many):
    outputs, y = many[0][:300], many[1][:300]
    weight = np.random.default_rng(0).integers(1, 4, size=300)
    once = Discriminant(penalty=5.0).fit(BOOK, outputs, y, weight * (300 / weight.sum()))
    repeated = Discriminant(penalty=5.0 * weight.sum() / 300).fit(BOOK, outputs.repeat(weight, 0), y.repeat(weight))
    apart = np.abs(once.probabilities(outputs) - repeated.probabilities(outputs))  # a class's one more sample differs
    assert apart.max() < 0.1
    assert apart.mean() < 0.003


def test_too_much_work_is_not_begun(many):
    class Impatient(Discriminant):
        limits = replace(LIMITS, most_discriminant_work=10)

    assert Discriminant().fit(BOOK, *many).n_iter_ > 0
    assert Impatient().fit(BOOK, *many).n_iter_ == 0


def test_a_class_without_samples_in_a_constant_column_spoils_nothing():
    """One-vs-all of a class that no sample has answers the same to all, and must not drown the other columns."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 50)
    outputs = np.c_[outputs_of(OVA[:3, :3], y, scale=0.3), np.full(len(y), -1.0)]
    outputs[:, 3] += 1e-13 * rng.normal(size=len(y))
    decoding = Discriminant().fit(OVA, outputs, y)
    reference = Discriminant().fit(OVA[:3, :3], outputs[:, :3], y)
    assert (decide(decoding.scores(outputs)) == y).mean() > 0.95
    np.testing.assert_allclose(
        decoding.probabilities(outputs)[:, :3], reference.probabilities(outputs[:, :3]), atol=0.02
    )
