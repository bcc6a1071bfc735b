"""Decisions of least expected cost, rejections, sets of classes with a promise, and what is refused."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from ecoc import ECOCClassifier, LeastCostClassifier, compare, cost_report, cost_scorer
from ecoc.decoding.costs import cost_matrix, least_expected_cost

X, Y = make_blobs(900, 4, centers=6, cluster_std=3.5, random_state=1)
TRAIN, TEST = slice(0, 500), slice(500, 900)
NAMES = np.array(["ant", "bee", "cat", "dog", "eel", "fox"])


def fitted(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return ECOCClassifier(GaussianNB(), coding="ova", random_state=0, **options).fit(X[TRAIN], NAMES[Y[TRAIN]])


def test_expected_costs_by_hand():
    rng = np.random.default_rng(0)
    p, costs = rng.dirichlet(np.ones(4), 50), rng.uniform(0, 9, (4, 4))
    np.fill_diagonal(costs, 0)
    by_hand = [min(range(4), key=lambda j: sum(row[i] * costs[i, j] for i in range(4))) for row in p]
    assert least_expected_cost(p, costs).tolist() == by_hand
    assert (least_expected_cost(p, 1 - np.eye(4)) == p.argmax(axis=1)).all()


def test_predict_decides_by_cost_and_the_rest_stays():
    plain = fitted()
    costs = {("ant", "bee"): 30, ("bee", "cat"): 5}
    model = fitted(costs=costs)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    expected = model.predict_proba(X[TEST]) @ cost_matrix(costs, NAMES.tolist())
    np.testing.assert_array_equal(model.predict(X[TEST]), NAMES[expected.argmin(axis=1)])
    y = NAMES[Y[TEST]]
    assert cost_report(model, X[TEST], y).total < cost_report(plain, X[TEST], y, costs=costs).total
    assert model.score(X[TEST], y) == np.mean(model.predict(X[TEST]) == y)


def test_a_frame_is_put_in_order():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    matrix = rng.integers(1, 9, (6, 6)) * (1 - np.eye(6))
    order = rng.permutation(6)
    frame = pandas.DataFrame(matrix[order][:, order[::-1]], index=NAMES[order], columns=NAMES[order[::-1]])
    np.testing.assert_array_equal(cost_matrix(frame, NAMES.tolist()), matrix)
    with pytest.raises(ValueError, match=r"the columns of costs must name every class once; it lacks 'fox'"):
        cost_matrix(pandas.DataFrame(matrix[:, :5], index=NAMES, columns=NAMES[:5]), NAMES.tolist())


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        ({("ant", "bea"): 2}, ValueError, "'bea', which is not a class; the most similar classes are 'bee'"),
        ({"ant": 2}, ValueError, r"must be a pair \(true label, predicted label\)"),
        ({("ant", "ant"): 2}, ValueError, "a correct prediction costs nothing"),
        ({("ant", "bee"): -1}, ValueError, "not negative; 'ant' as 'bee' costs -1"),
        ({("ant", "bee"): "much"}, TypeError, "must be a number; got 'much'"),
        (np.ones((6, 6)), ValueError, "zero on the diagonal"),
        (1 - np.eye(5), ValueError, r"costs must have shape \(6, 6\)"),
        ([["a"]], TypeError, "costs must be numbers"),
    ],
    ids=str,
)
def test_what_is_no_cost(costs, error, message):
    with pytest.raises(error, match=message):
        fitted(costs=costs)


def test_costs_need_probabilities():
    with pytest.raises(ValueError, match="set probability=True"):
        fitted(costs={("ant", "bee"): 2}, decoding="hamming", probability=False)


def test_several_labels_for_a_sample_are_refused_in_those_words():
    for fit in (LeastCostClassifier(GaussianNB()).fit, partial(compare, learner="ridge")):
        with pytest.raises(ValueError, match="multilabel targets are not supported"):
            fit(X, np.eye(6, dtype=int)[Y])


def test_rejection():
    model = fitted(reject_cost=0.2)
    predicted = model.predict(X[TEST])
    rejected = np.array([label is None for label in predicted])
    p = model.predict_proba(X[TEST])
    np.testing.assert_array_equal(rejected, 1 - p.max(axis=1) > 0.2)
    report = cost_report(model, X[TEST], NAMES[Y[TEST]])
    assert report.coverage == 1 - rejected.mean()
    assert report.accuracy > np.mean(fitted().predict(X[TEST]) == NAMES[Y[TEST]])
    assert "rejected" in repr(report)
    numbers = ECOCClassifier(GaussianNB(), coding="ova", reject_cost=0.2, reject_label=-1, random_state=0)
    answer = numbers.fit(X[TRAIN], Y[TRAIN]).predict(X[TEST])
    assert answer.dtype.kind == "i"
    np.testing.assert_array_equal(answer == -1, rejected)
    with pytest.raises(ValueError, match="reject_label must be a number"):
        numbers.set_params(reject_label=None).fit(X, Y)
    with pytest.raises(ValueError, match="reject_label=3 is a class"):
        numbers.set_params(reject_label=3).fit(X, Y)


def test_a_class_that_costs_keep_from_being_predicted_is_named():
    costs = {(name, "dog"): 1000 for name in NAMES if name != "dog"}
    with pytest.warns(UserWarning, match="with these costs, 'dog' would never be predicted"):
        ECOCClassifier(GaussianNB(), coding="ova", costs=costs, random_state=0).fit(X[TRAIN], NAMES[Y[TRAIN]])


def test_scorer_in_a_search():
    costs = {("ant", "bee"): 20}
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, scoring=cost_scorer(costs), cv=3)
    search.fit(X, NAMES[Y])
    best = search.best_estimator_
    report = cost_report(best, X, NAMES[Y], costs=costs)
    assert cost_scorer(costs)(best, X, NAMES[Y]) == pytest.approx(-report.mean)


@pytest.mark.parametrize("decoding", ["auto", "linear", "discriminant"])
def test_sets_keep_their_promise(decoding):
    """On average over splits, the share of sets that hold the true class is the promised one."""
    rng = np.random.default_rng(0)
    shares, sizes = [], []
    for _ in range(8):
        rows = rng.permutation(900)
        model = ECOCClassifier(GaussianNB(), coding="ova", decoding=decoding, random_state=0)
        model.fit(X[rows[:500]], Y[rows[:500]])
        sets = model.predict_sets(X[rows[500:]], 0.9)
        shares.append(sets[np.arange(400), Y[rows[500:]]].mean())
        sizes.append(sets.sum(axis=1).mean())
    assert 0.87 < np.mean(shares) < 0.93
    assert np.mean(sizes) < 3


def test_sets_by_class():
    model = fitted()
    sets = model.predict_sets(X[TEST], 0.9, by_class=True)
    named = model.predict_sets(X[TEST], 0.9, by_class=["ant"])
    plain = model.predict_sets(X[TEST], 0.9)
    np.testing.assert_array_equal(named[:, 0], sets[:, 0])
    np.testing.assert_array_equal(named[:, 1:], plain[:, 1:])
    assert min(sets[Y[TEST] == c, c].mean() for c in range(6)) > 0.75
    assert (model.predict_sets(X[TEST], 0.99).sum(axis=1) >= plain.sum(axis=1)).all()
    with pytest.raises(ValueError, match="by_class names 'ape'"):
        model.predict_sets(X, by_class=["ape"])
    for confidence in (0, 1, 1.5, "0.9", True):
        with pytest.raises(ValueError, match="confidence must be a number between 0 and 1"):
            model.predict_sets(X, confidence)


def test_sets_of_too_few_samples_are_whole():
    few = np.arange(0, 60)
    model = ECOCClassifier(GaussianNB(), coding="ova", random_state=0).fit(X[few], Y[few])
    assert model.predict_sets(X[TEST], 0.999, by_class=True).all()


def test_sets_without_held_out_outputs():
    model = fitted(decoding="hamming", probability=False)
    with pytest.raises(ValueError, match="sets of classes need held-out outputs"):
        model.predict_sets(X)


def test_codeword_distance():
    digits, y = load_digits(return_X_y=True)
    model = ECOCClassifier(LogisticRegression(max_iter=50), coding="dense", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(digits[:400] / 16, y[:400])
    new = digits[400:700] / 16
    predicted = np.searchsorted(model.classes_, model.predict(new))
    by_hand = (model.outputs(new, "signs") != model.code_book_.matrix[predicted]).sum(axis=1)
    np.testing.assert_array_equal(model.codeword_distance(new), by_hand)
    assert model.codeword_distance(np.random.default_rng(0).uniform(size=(300, 64))).mean() > by_hand.mean()
