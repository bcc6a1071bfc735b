"""ECOCClassifier against scikit-learn, against plain loops over the formulas, and against what it promises."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, ShuffleSplit, StratifiedKFold
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, CodeBook, DenseRandom, ECOCClassifier
from ecoc.decoding import DECODINGS, Discriminant, LossWeighted, Probabilistic, decide
from ecoc.decoding.evidence import Judging
from ecoc.decoding.limits import LIMITS
from ecoc.policy import Rule, Rules

DATASETS = ["glass", "ecoli", "vowel", "segment"]
LINEAR = LogisticRegression(C=0.1, solver="liblinear")
# By default, LIBLINEAR stops too far from the minimum to vote as our solver does.
CONVERGED = LinearSVC(dual=False, tol=1e-8, max_iter=10_000)


@pytest.fixture(scope="module")
def dataset(load_dataset):
    """``dataset(name)`` gives standardised (X, y) of 200 samples to train with, and 200 others if there are so many."""

    def load(name):
        X, y = load_dataset(name)
        order = np.random.default_rng(0).permutation(len(y))[:400]
        X = StandardScaler().fit_transform(X[order])
        return X[:200], y[order][:200], X[-200:], y[order][-200:]

    return load


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300] / 16, y[:300]


# Equality with scikit-learn


@pytest.mark.parametrize("estimator", [LINEAR, CONVERGED, SVC(), Ridge()], ids=repr)
@pytest.mark.parametrize("name", DATASETS)
def test_one_vs_all_is_one_vs_rest(dataset, name, estimator):
    X, y, X_new, _ = dataset(name)
    ours = ECOCClassifier(estimator, coding="ova", decoding="linear", probability=False).fit(X, y)
    theirs = OneVsRestClassifier(estimator).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X_new), theirs.predict(X_new))


@pytest.mark.parametrize("estimator", [LINEAR, CONVERGED, SVC()], ids=repr)
@pytest.mark.parametrize("name", DATASETS)
def test_one_vs_one_is_voting(dataset, name, estimator):
    X, y, X_new, _ = dataset(name)
    ours = ECOCClassifier(estimator, coding="ovo", decoding="hamming", probability=False).fit(X, y)
    classes = np.unique(y)
    votes = np.zeros((len(X_new), len(classes)))
    for i, j in combinations(range(len(classes)), 2):
        pair = np.isin(y, classes[[i, j]])
        model = clone(estimator).fit(X[pair], y[pair] == classes[j])
        votes[np.arange(len(X_new)), np.where(model.predict(X_new), j, i)] += 1
    np.testing.assert_array_equal(ours.predict(X_new), classes[votes.argmax(axis=1)])  # the first of the best
    np.testing.assert_allclose(ours.decision_function(X_new), votes / (len(classes) - 1))

    ahead = np.sort(votes, axis=1)
    untied = ahead[:, -1] > ahead[:, -2]
    assert untied.mean() > 0.8
    theirs = OneVsOneClassifier(estimator).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X_new[untied]), theirs.predict(X_new[untied]))


@pytest.mark.parametrize("estimator", [LINEAR, SVC(), GaussianNB(), DecisionTreeClassifier(random_state=0)], ids=repr)
def test_two_classes_are_the_estimator_itself(dataset, estimator):
    X, y, X_new, _ = dataset("segment")
    y = np.where(y < np.median(y) if y.dtype.kind in "if" else y < np.sort(y)[len(y) // 2], "a", "b")
    ours = ECOCClassifier(estimator).fit(X, y)
    alone = clone(estimator).fit(X, y)
    assert ours.n_columns_ == 1
    np.testing.assert_array_equal(ours.predict(X_new), alone.predict(X_new))
    assert ours.decision_function(X_new).shape == (len(X_new),)
    np.testing.assert_array_equal(ours.classes_[(ours.decision_function(X_new) > 0).astype(int)], ours.predict(X_new))


# Plain loops over the formulas


def margins_by_column(model, X):
    return np.column_stack([estimator.decision_function(X) for estimator in model.estimators_])


@pytest.mark.parametrize("coding", ["dense", "ovo", "sparse"])
@pytest.mark.parametrize(
    ("decoding", "loss"), [("loss_weighted", lambda t: np.exp(-t)), ("loss_weighted_linear", lambda t: -t)]
)
def test_loss_weighted_by_the_formula(dataset, coding, decoding, loss):
    X, y, X_new, _ = dataset("glass")
    model = ECOCClassifier(LINEAR, coding=coding, decoding=decoding, probability=False, random_state=0).fit(X, y)
    x, f_train, f = model.code_book_.matrix, margins_by_column(model, X), margins_by_column(model, X_new)
    k, l = x.shape
    losses = np.zeros((len(f), k))
    for i, label in enumerate(model.classes_):
        H = [np.mean(np.sign(f_train[y == label, j]) == x[i, j]) if x[i, j] else 0 for j in range(l)]
        M = np.array(H) / sum(H)
        for s in range(len(f)):
            losses[s, i] = sum(M[j] * loss(x[i, j] * f[s, j]) for j in range(l))
    np.testing.assert_array_equal(model.predict(X_new), model.classes_[losses.argmin(axis=1)])
    scores = -np.log(losses) if decoding == "loss_weighted" else -losses
    np.testing.assert_allclose(model.decision_function(X_new), scores, atol=1e-9)


@pytest.mark.parametrize("coding", ["dense", "sparse"])
def test_beta_density_by_the_formula(dataset, coding):
    X, y, X_new, _ = dataset("ecoli")
    model = ECOCClassifier(LINEAR, coding=coding, decoding="beta_density", probability=False, random_state=0).fit(X, y)
    signs = np.sign(margins_by_column(model, X_new[:15]))

    def lower_end(alpha, beta):
        """a with ∫ ψ from a to the mode = 1/3 of ∫ ψ from 0 to 1, ψ(ν) = ν^α (1 − ν)^β."""
        psi = lambda v: v**alpha * (1 - v) ** beta  # noqa: E731
        mode, third = alpha / (alpha + beta), quad(psi, 0, 1)[0] / 3
        missing = lambda a: quad(psi, a, mode, epsabs=0)[0] - third  # noqa: E731
        return brentq(missing, 0, mode) if missing(0) > 0 else 0

    expected = [[lower_end((s * x > 0).sum(), (s * x < 0).sum()) for x in model.code_book_.matrix] for s in signs]
    np.testing.assert_allclose(model.decision_function(X_new[:15]), expected, atol=1e-6)


# Probabilities


@pytest.mark.parametrize("coding", ["ecf", "ovo"])
@pytest.mark.parametrize("decoding", DECODINGS)
def test_probabilities(digits, coding, decoding):
    X, y = digits
    model = ECOCClassifier(GaussianNB(var_smoothing=0.1), coding=coding, decoding=decoding, random_state=0)
    p = model.fit(X[:200], y[:200]).predict_proba(X[200:])
    assert p.shape == (100, 10)
    assert p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X[200:]))
    assert -np.log(p[np.arange(100), y[200:]]).mean() < np.log(10)  # better than knowing nothing


def test_without_probability_only_decodings_with_their_own_have_them(iris):
    X, y = iris
    for decoding in DECODINGS:
        model = ECOCClassifier(GaussianNB(), coding="ova", decoding=decoding, probability=False).fit(X, y)
        assert hasattr(model, "predict_proba") == (decoding in ("probabilistic", "discriminant", "structured"))
    with pytest.raises(AttributeError, match="predict_proba") as error:
        ECOCClassifier(GaussianNB(), decoding="linear", probability=False).predict_proba(X)
    assert "probability=True" in str(error.value.__cause__)


@pytest.mark.parametrize("decoding", ["auto", "loss_weighted", "linear"])
def test_probability_does_not_change_predictions(digits, decoding):
    X, y = digits
    models = [
        ECOCClassifier(LINEAR, coding="ova", decoding=decoding, probability=p, random_state=0).fit(X[:200], y[:200])
        for p in (True, False)
    ]
    np.testing.assert_array_equal(*(model.decision_function(X) for model in models))


def test_probabilities_are_calibrated_on_held_out_outputs(digits):
    """A tree is always right about what it has seen; probabilities calibrated on that would be 0 or 1."""
    X, y = digits
    tree = DecisionTreeClassifier(random_state=0)
    model = ECOCClassifier(tree, coding="ova", decoding="linear").fit(X[:200], y[:200])
    assert model.score(X[:200], y[:200]) == 1
    sure = model.predict_proba(X[200:]).max(axis=1).mean()
    assert abs(sure - model.score(X[200:], y[200:])) < 0.15


@pytest.mark.parametrize("probability", [True, False])
def test_probabilities_that_a_decoding_learned_are_calibrated_too(digits, probability):
    """Discriminant analysis takes the outputs for normally distributed, which they are not, and is too sure."""
    X, y = digits
    model = ECOCClassifier(SVC(), coding="ova", decoding="discriminant", probability=probability).fit(X[:200], y[:200])
    own = model.decoding_.probabilities(margins_by_column(model, X[200:]))
    calibrated = model.predict_proba(X[200:])
    assert model.temperature_ < 1
    assert log_loss(y[200:], calibrated) < log_loss(y[200:], own) - 0.02
    np.testing.assert_array_equal(calibrated.argmax(axis=1), own.argmax(axis=1))


def test_probabilistic_couples_what_the_estimators_say(iris):
    X, y = iris
    model = ECOCClassifier(GaussianNB(), coding="ovo", decoding="probabilistic", probability=False).fit(X, y)
    r = np.column_stack([estimator.predict_proba(X)[:, 1] for estimator in model.estimators_])
    expected = Probabilistic().fit(model.code_book_).probabilities(r)
    np.testing.assert_allclose(model.predict_proba(X), expected)


# Outputs from whatever the estimator offers


class Labels(ClassifierMixin, BaseEstimator):
    """Nearest class mean, and nothing but its label."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


@pytest.mark.parametrize(
    "estimator",
    [
        Labels(),
        GaussianNB(),
        DecisionTreeClassifier(random_state=0),
        KNeighborsClassifier(3),
        SVR(),
        RandomForestRegressor(5, random_state=0),
        make_pipeline(StandardScaler(), SVC()),
        make_pipeline(StandardScaler(), Ridge()),
        CalibratedClassifierCV(LinearSVC(dual=False), cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.parametrize("coding", ["ecf", "ovo"])
def test_any_estimator(iris, estimator, coding):
    X, y = iris
    model = ECOCClassifier(estimator, coding=coding, random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.8
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


def test_a_regressor_is_trained_on_plus_and_minus_one(iris):
    X, y = iris
    model = ECOCClassifier(Ridge(), coding="ova", decoding="linear", probability=False).fit(X, y)
    expected = np.column_stack([Ridge().fit(X, np.where(y == c, 1.0, -1.0)).predict(X) for c in range(3)])
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))


def test_a_list_has_an_estimator_for_each_column(iris):
    X, y = iris
    estimators = [LogisticRegression(), SVC(), Ridge()]
    model = ECOCClassifier(estimators, coding="ova", decoding="linear", probability=False).fit(X, y)
    assert [type(estimator) for estimator in model.estimators_] == [LogisticRegression, SVC, Ridge]
    f = np.column_stack(
        [
            LogisticRegression().fit(X, y == 0).decision_function(X),
            SVC().fit(X, y == 1).decision_function(X),
            Ridge().fit(X, np.where(y == 2, 1, -1)).predict(X),
        ]
    )
    np.testing.assert_array_equal(model.predict(X), f.argmax(axis=1))
    assert clone(model).fit(X, y).score(X, y) == model.score(X, y)


class Counting(LogisticRegression):
    """Counts how often it is trained."""

    count = 0

    def fit(self, X, y, sample_weight=None):
        Counting.count += 1
        return super().fit(X, y, sample_weight)


CODE = np.array([[1, -1, 1, 1, 0], [-1, 1, 1, -1, 1], [-1, 1, -1, -1, -1]])  # 0 = -1 = 3


def test_equal_columns_are_trained_once(iris, monkeypatch):
    monkeypatch.setattr(Counting, "count", 0)
    X, y = iris
    model = ECOCClassifier(Counting(), coding=CODE, decoding="linear", probability=False).fit(X, y)
    assert Counting.count == 4
    first, second, _, fourth, _ = model.estimators_
    assert first is fourth
    assert second is not first  # only some learners are known to be symmetric
    # As if each had been trained on its own:
    each = [Counting() for _ in range(5)]
    apart = ECOCClassifier(each, coding=CODE, decoding="linear", probability=False).fit(X, y)
    assert Counting.count == 4 + 5
    np.testing.assert_allclose(model.decision_function(X), apart.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(
        ECOCClassifier(GaussianNB(), coding=CODE, decoding="probabilistic").fit(X, y).predict_proba(X).argmax(axis=1),
        ECOCClassifier([GaussianNB() for _ in range(5)], coding=CODE, decoding="probabilistic").fit(X, y).predict(X),
    )


# Hard cases


def test_a_class_with_one_sample(digits):
    X, y = digits
    rows = np.r_[np.flatnonzero(y < 4), np.flatnonzero(y == 4)[:1]]
    for decoding in DECODINGS:
        model = ECOCClassifier(GaussianNB(var_smoothing=0.1), coding="ovo", decoding=decoding, random_state=0)
        model.fit(X[rows], y[rows])
        assert model.score(X[rows], y[rows]) > 0.85, decoding
        np.testing.assert_allclose(model.predict_proba(X[rows]).sum(axis=1), 1)


@pytest.mark.parametrize("estimator", [LINEAR, SVC(), Ridge(), GaussianNB(var_smoothing=0.1)], ids=repr)
def test_every_class_has_one_sample(digits, estimator):
    X, y = digits
    rows = np.unique(y, return_index=True)[1]
    model = ECOCClassifier(estimator, random_state=0).fit(X[rows], y[rows])
    assert model.score(X, y) > 0.3
    assert model.predict_proba(X).max() < 0.9  # held out, every sample was of an unknown class


def test_a_column_of_one_class_in_a_fold(iris):
    """Of a pair with one sample each, a fold sees one or none: its model is constant, and nothing breaks."""
    X, y = iris
    X, y = np.r_[X[:40], X[60:61], X[120:121]], np.r_[y[:40], 1, 2]
    for cv in (2, 3, LeaveOneOut()):
        for decoding in ("loss_weighted", "discriminant", "probabilistic"):
            model = ECOCClassifier(GaussianNB(), coding="ovo", decoding=decoding, cv=cv, random_state=0).fit(X, y)
            assert np.isfinite(model.predict_proba(X)).all()
            assert decoding == "discriminant" or model.score(X, y) == 1


def test_cv_must_hold_every_sample_out(iris):
    X, y = iris
    with pytest.raises(ValueError, match="every sample into a test fold"):
        ECOCClassifier(LINEAR, coding="ova", cv=ShuffleSplit(2)).fit(X, y)
    split = StratifiedKFold(3, shuffle=True, random_state=0)
    assert ECOCClassifier(LINEAR, coding="ova", cv=split).fit(X, y).score(X, y) > 0.8


# What is there after fit


def test_attributes(digits):
    X, y = digits
    labels = np.array(list("abcdefghij"))[y]
    model = ECOCClassifier(LINEAR, coding=ECF(alphabet="binary"), random_state=0).fit(X, labels)
    k, l = model.code_book_.shape
    assert model.classes_.tolist() == model.code_book_.labels.tolist() == list("abcdefghij")
    assert (k, l) == (10, model.n_columns_)
    assert len(model.estimators_) == l
    assert model.n_features_in_ == 64
    assert model.design_.shape == (10, 10)
    assert bool(model.factorization_.verify())
    np.testing.assert_array_equal(model.factorization_.code, model.code_book_.matrix)
    assert model.temperature_ > 0
    assert isinstance(model.coding_, ECF)
    assert isinstance(model.decoding_, Discriminant)
    other = ECOCClassifier(LINEAR, coding="ova").fit(X, labels)
    assert other.design_ is None
    assert other.factorization_ is None
    for name in ("estimators_", "n_columns_", "code_book_"):
        assert not hasattr(clone(model), name)


def test_a_code_book_of_ones_own(iris):
    X, y = iris
    names = np.array(["x", "y", "z"])[y]
    book = CodeBook([[1, 1], [1, -1], [-1, 1]], labels=["z", "x", "y"])
    model = ECOCClassifier(SVC(), coding=book).fit(X, names)
    assert model.code_book_.codeword("z").tolist() == [1, 1]
    assert model.code_book_.labels.tolist() == ["x", "y", "z"]
    assert model.score(X, names) > 0.9


def test_weights_from_held_out_outputs(digits):
    X, y = digits
    tree = DecisionTreeClassifier(random_state=0)
    weights = {
        source: ECOCClassifier(tree, coding="ova", decoding=LossWeighted(weights_from=source))
        .fit(X, y)
        .decoding_.weights_
        for source in ("training", "out_of_fold")
    }
    np.testing.assert_allclose(weights["training"], 0.1)  # always right
    assert np.ptp(weights["out_of_fold"]) > 0.01


def test_score_takes_weights(iris):
    X, y = iris
    model = ECOCClassifier(LINEAR, coding="ova").fit(X, y)
    right = model.predict(X) == y
    assert model.score(X, y) == right.mean() < 1
    assert model.score(X, y, sample_weight=right) == 1


def test_random_state(digits):
    X, y = digits

    def scores(seed, estimator=SGDClassifier(max_iter=5, tol=None), **params):  # noqa: B008
        coding = DenseRandom(n_columns=6)
        model = ECOCClassifier(estimator, coding=coding, random_state=seed, **params).fit(X, y)
        return model.predict_proba(X)

    np.testing.assert_array_equal(scores(0), scores(0))
    np.testing.assert_array_equal(scores(0), scores(np.random.RandomState(0)))
    assert not np.array_equal(scores(0), scores(1))
    nested = make_pipeline(StandardScaler(), SGDClassifier(max_iter=5, tol=None))
    np.testing.assert_array_equal(scores(0, nested), scores(0, nested))
    # An estimator's own seed stays.
    model = ECOCClassifier(SGDClassifier(random_state=7), coding="ova", random_state=0).fit(X, y)
    assert {estimator.random_state for estimator in model.estimators_} == {7}


@pytest.mark.parametrize("estimator", [SGDClassifier(), SVC(), DecisionTreeClassifier()], ids=repr)
def test_results_do_not_depend_on_n_jobs(digits, estimator):
    X, y = digits
    one, two = (
        ECOCClassifier(estimator, coding="ova", n_jobs=n, random_state=0).fit(X, y).predict_proba(X) for n in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_verbose(iris, capsys):
    X, y = iris
    ECOCClassifier(LINEAR, coding="ova").fit(X, y)
    assert capsys.readouterr().out == ""
    ECOCClassifier(LINEAR, coding="ova", cv=3, verbose=1).fit(X, y)
    told = capsys.readouterr().out
    assert "3 classes, 3 columns" in told
    assert re.search(r"code [\d.]+ s, binary classifiers with held-out outputs [\d.]+ s, decoding [\d.]+ s", told)
    ECOCClassifier(LINEAR, coding="ova", decoding="linear", probability=False, verbose=1).fit(X, y)
    assert "held-out" not in capsys.readouterr().out


def test_auto_decoding(digits):
    X, y = digits
    model = ECOCClassifier(Ridge(), coding=ECF(n_columns=5, effort=0.05), random_state=0)
    assert hasattr(model.set_params(probability=False), "predict_proba")
    assert type(model.fit(X, y).decoding_).__name__ == "Discriminant"
    assert hasattr(model, "predict_proba")
    assert type(model.fit(X, y < 5).decoding_).__name__ != "Discriminant"
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))
    model.set_params(decoding__penalty=None)
    assert model.decoding.penalty is None


def test_of_very_many_scores_some_calibrate(digits, monkeypatch):
    X, y = digits
    all_scores = ECOCClassifier(Ridge(), coding="ova", random_state=0).fit(X, y, sample_weight=np.ones(len(y)))
    few = Rule(lambda p: True, "always", Judging(5, 3.0, most_scores=1000), "")
    monkeypatch.setattr("ecoc.policy.plan.JUDGING", Rules([few]))
    some = ECOCClassifier(Ridge(), coding="ova", random_state=0).fit(X, y, sample_weight=np.ones(len(y)))
    assert some.temperature_ != all_scores.temperature_
    np.testing.assert_array_equal(some.predict(X), all_scores.predict(X))
    np.testing.assert_allclose(some.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize(
    "estimator", [SVC(), LogisticRegression(max_iter=1000), Ridge()], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("coding", ["ovo", "dense"])
def test_outputs_are_those_that_the_decoding_decides_by(digits, estimator, coding):
    X, y = digits
    model = ECOCClassifier(estimator, coding=coding, decoding="hamming", probability=False, random_state=0).fit(X, y)
    signs = model.outputs(X, "signs")
    assert signs.shape == (len(X), model.n_columns_)
    np.testing.assert_array_equal(signs, np.where(model.outputs(X) > 0, 1, -1))
    np.testing.assert_array_equal(model.classes_[decide(model.decoding_.scores(signs))], model.predict(X))
    with pytest.raises(ValueError, match="kind must be 'signs', 'margins', 'probabilities'; got 'labels'"):
        model.outputs(X, "labels")


@pytest.mark.parametrize("decoding", ["hamming", "discriminant", "loss_weighted"])
def test_predicting_in_blocks_changes_nothing(digits, decoding):
    X, y = digits
    model = ECOCClassifier(Ridge(), coding="dense", decoding=decoding, random_state=0).fit(X, y)
    whole = model.predict(X)
    model.decoding_.limits = replace(LIMITS, block_scores=10 * 7)
    np.testing.assert_array_equal(model.predict(X), whole)
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], whole)
