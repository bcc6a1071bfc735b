"""Outputs of binary classifiers and their decodings: the laws that scores and probabilities obey.

Seven of eight attacks take a random code book and a decoding. The eighth trains classifiers on random samples, which
takes twenty times as long. These go through all combinations of a coding, a decoding and a kind of learner.
"""

import warnings
from functools import cache

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import CodeBook, CodeBookError, ECOCClassifier
from ecoc.codes.coding import CODINGS
from ecoc.decoding import DECODINGS, get_decoding
from ecoc.policy.learner import offers_probabilities

# The scores of these compare the outputs with the codeword of the class itself, and with no other.
CODEWORD_DECODINGS = (
    "hamming",
    "euclidean",
    "attenuated_euclidean",
    "laplacian",
    "beta_density",
    "linear",
    "exponential",
)
CODEWORD_DECODINGS += ("hinge", "logistic", "squared", "loss_weighted", "loss_weighted_linear")
LEARNERS = (
    Ridge(),
    LogisticRegression(C=0.1, solver="liblinear"),
    SVC(),
    GaussianNB(),
    DecisionTreeClassifier(max_depth=2, random_state=0),
)
CLOSE = {"rtol": 1e-6, "atol": 1e-7}  # probabilistic decoding stops at a tolerance


def draw_book(rng):
    while True:
        k, l = int(rng.integers(2, 9)), int(rng.integers(2, 13))
        alphabet = [-1, 0, 1] if rng.random() < 0.4 else [-1, 1]
        try:
            return CodeBook(rng.choice(alphabet, size=(k, l)))
        except CodeBookError:
            continue


def draw_outputs(rng, needs, signs):
    """Outputs of the kind that a decoding needs, with errors in a tenth of the signs."""
    signs = np.where(rng.random(signs.shape) < 0.1, -1, 1) * np.where(
        signs == 0, rng.choice([-1, 1], signs.shape), signs
    )
    if needs == "signs":
        return signs.astype(float)
    values = signs * rng.uniform(0.05, 1, signs.shape)
    return (values + 1) / 2 if needs == "probabilities" else values


def attack(seed):
    rng = np.random.default_rng(seed)
    return attack_decoding(rng) if seed % 8 else attack_classifier(rng, seed // 8)


def attack_decoding(rng):
    name = list(DECODINGS)[rng.integers(len(DECODINGS))]
    book = draw_book(rng)
    X = book.matrix
    k, l = X.shape
    y = np.concatenate([np.arange(k), rng.integers(k, size=40)])
    decoding = get_decoding(name)
    train, outputs = (draw_outputs(rng, decoding.needs, X[each]) for each in (y, rng.integers(k, size=20)))

    def scores(matrix, train, y, outputs):
        return clone(decoding).fit(CodeBook(matrix), train, y).scores(outputs)

    expected = scores(X, train, y, outputs)
    assert np.isfinite(expected).all() or name in ("laplacian", "beta_density", "probabilistic"), "infinite scores"
    order = rng.permutation(k)  # row i of the new code book is the old row order[i]
    same(expected[:, order], scores(X[order], train, np.argsort(order)[y], outputs), name, "classes in another order")
    columns = rng.permutation(l)
    same(expected, scores(X[:, columns], train[:, columns], y, outputs[:, columns]), name, "columns in another order")
    sides = rng.choice([-1, 1], size=l)
    same(expected, scores(X * sides, *turned(train, y, outputs, sides, decoding.needs)), name, "other sides of columns")
    if name in CODEWORD_DECODINGS:
        check_monotone(rng, clone(decoding).fit(book, train, y), outputs)
    return "the laws hold for a decoding"


def same(expected, found, name, change):
    np.testing.assert_allclose(found, expected, err_msg=f"{name}: {change}", **CLOSE)


def turned(train, y, outputs, sides, needs):
    def turn(values):
        return np.where(sides > 0, values, 1 - values) if needs == "probabilities" else values * sides

    return turn(train), y, turn(outputs)


def check_monotone(rng, decoding, outputs):
    """Move an output of each sample toward the codeword of a class: its score must not fall."""
    X = decoding.codebook_.matrix
    moved, classes, rows = outputs.copy(), rng.integers(len(X), size=len(outputs)), range(len(outputs))
    for row, i in zip(moved, classes):
        j = int(rng.choice(np.flatnonzero(X[i])))
        row[j] = X[i, j] if decoding.needs == "signs" else row[j] + rng.random() * (X[i, j] - row[j])
    for before, after in zip(decoding.scores(outputs)[rows, classes], decoding.scores(moved)[rows, classes]):
        assert after >= before - 1e-9 * max(1, abs(before)), f"{decoding}: {before} fell to {after}"


@cache
def codes(k):
    """Code books of all codings."""
    X, y = draw_samples(np.random.default_rng(0), k)
    made = {}
    for name, coding in CODINGS.items():
        book = coding().build(k, X, y, random_state=0)
        made[name] = book.matrix
    return made


def draw_samples(rng, k):
    y = np.concatenate([np.arange(k).repeat(4), rng.integers(k, size=20)])
    return rng.normal(size=(len(y), 3)) + rng.normal(scale=2, size=(k, 3))[y], y


def attack_classifier(rng, number):
    k = int(rng.choice([3, 4, 5, 6], p=[0.4, 0.3, 0.2, 0.1]))
    number, coding = divmod(number, len(CODINGS))
    number, decoding = divmod(number, len(DECODINGS))
    coding, decoding, learner = list(CODINGS)[coding], list(DECODINGS)[decoding], LEARNERS[number % len(LEARNERS)]
    X, y = draw_samples(rng, k)
    matrix = codes(k)[coding]
    model = ECOCClassifier(learner, coding=matrix, decoding=decoding, random_state=0)
    if decoding == "probabilistic" and not offers_probabilities(learner):
        return "no probabilities to decode"
    # The parameters of the learners are right. To check them takes a quarter of the time.
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True):
        warnings.simplefilter("ignore")
        model.fit(X, y)
        renamed = clone(model).fit(X, np.array([f"class {i}" for i in range(k)])[y])
        order = rng.permutation(k)  # class i is called order[i]
        moved = clone(model).set_params(coding=matrix[np.argsort(order)]).fit(X, order[y])
    new = rng.normal(scale=3, size=(30, 3))
    probabilities, predicted = model.predict_proba(new), model.predict(new)
    where = f"{coding}, {decoding}, {learner}"
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-9, err_msg=where)
    assert (probabilities >= 0).all(), where
    assert np.array_equal(probabilities.argmax(axis=1), predicted), f"{where}: not the most probable class"
    assert np.array_equal(renamed.predict(new), [f"class {i}" for i in predicted]), f"{where}: other names"
    assert np.array_equal(renamed.predict_proba(new), probabilities), f"{where}: other names"
    by_scores = moved.predict_proba(new)[:, order]
    clear = np.sort(probabilities, axis=1)
    clear = clear[:, -1] - clear[:, -2] > 1e-3  # elsewhere the first of two equal classes wins
    agree = by_scores.argmax(axis=1) == predicted
    assert agree[clear].all(), f"{where}: other order of classes"
    return "the laws hold for a classifier"
