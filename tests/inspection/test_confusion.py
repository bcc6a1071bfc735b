"""What the report counts against a plain loop over samples and pairs, a case counted by hand, and how it looks."""

import itertools
import sys
from math import isnan

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECOCClassifier
from ecoc.inspection.confusion import ConfusionReport, confusion_report
from ecoc.inspection.confusion.counting import count_confusions
from ecoc.inspection.fitted import blocks

DIGITS = load_digits(return_X_y=True)
WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
MATRICES = ("errors", "exceeded", "corrected", "made", "made_within")


def model_of(estimator=TREE, coding="dense", decoding="hamming", y=DIGITS[1], **options):
    X = DIGITS[0]
    return ECOCClassifier(
        estimator, coding=coding, decoding=decoding, probability=False, random_state=0, **options
    ).fit(X[:600], y[:600])


def plain_loop(model, X, y):
    """Every definition of the report, sample by sample and pair by pair."""
    code, classes = model.code_book_.matrix, model.classes_.tolist()
    k, l = code.shape
    margins, scores = model.outputs(X), model.decision_function(X)
    counts = {name: np.zeros((k, k), dtype=int) for name in MATRICES}
    wrong_in_column, asked_of_column = np.zeros(l), np.zeros(l)
    wrong_of_class = [[] for _ in range(k)]
    n_faulty = n_repaired = 0
    for sample, label in enumerate(y):
        i, chosen = classes.index(label), int(scores[sample].argmax())
        wrong = []
        for column in range(l):
            if code[i, column]:
                asked_of_column[column] += 1
                if (1 if margins[sample, column] > 0 else -1) != code[i, column]:
                    wrong.append(column)
                    wrong_in_column[column] += 1
        wrong_of_class[i].append(len(wrong))
        n_faulty += bool(wrong)
        n_repaired += bool(wrong) and chosen == i
        for j in range(k):
            if j == i:
                continue
            between = [column for column in range(l) if code[i, column] * code[j, column] == -1]
            n_wrong, promised = len(set(wrong) & set(between)), (len(between) - 1) // 2
            ahead = scores[sample, i] > scores[sample, j] or (scores[sample, i] == scores[sample, j] and i < j)
            counts["errors"][i, j] += n_wrong > 0
            counts["exceeded"][i, j] += n_wrong > promised
            counts["corrected"][i, j] += n_wrong > 0 and ahead
            counts["made"][i, j] += chosen == j
            counts["made_within"][i, j] += chosen == j and n_wrong <= promised
    with np.errstate(invalid="ignore"):
        rate = wrong_in_column / asked_of_column
    bits = [np.mean(values) if values else np.nan for values in wrong_of_class]
    return counts, rate, bits, n_faulty, n_repaired


@pytest.mark.parametrize(
    ("estimator", "coding", "decoding"),
    [
        (TREE, "dense", "hamming"),
        (TREE, "sparse", "loss_weighted"),
        (Ridge(), "ecf", "loss_weighted"),
        (GaussianNB(), "ovo", "hamming"),
        (GaussianNB(), "ova", "probabilistic"),
        (Ridge(), "minimal", "discriminant"),
    ],
)
def test_counts_are_those_of_a_plain_loop(estimator, coding, decoding):
    model = model_of(estimator, coding, decoding)
    X, y = DIGITS[0][600:900], DIGITS[1][600:900]
    report = confusion_report(model, X, y)
    counts, rate, bits, n_faulty, n_repaired = plain_loop(model, X, y)
    for name, expected in counts.items():
        np.testing.assert_array_equal(getattr(report, name), expected, err_msg=name)
    np.testing.assert_allclose(report.column_error_rate, rate)
    np.testing.assert_allclose(report.wrong_bits, bits)
    assert report.n_faulty == n_faulty
    assert report.share_corrected == n_repaired / n_faulty
    assert report.accuracy == model.score(X, y)
    assert report.bit_errors == pytest.approx(np.average(bits, weights=report.n_samples))
    book = model.code_book_
    np.testing.assert_array_equal(report.distance, book.distances())
    np.testing.assert_array_equal(report.promised, book.pairwise_correction("direct"))
    np.testing.assert_array_equal(report.promised_paper, book.pairwise_correction("paper"))
    confusion = confusion_matrix(y, model.predict(X), labels=model.classes_)
    np.testing.assert_array_equal(report.made + np.diag(np.diag(confusion)), confusion)


def test_hamming_decoding_of_a_binary_code_keeps_every_promise():
    report = confusion_report(model_of(), *DIGITS)
    assert not report.made_within.any()
    assert (report.errors - report.exceeded <= report.corrected).all()
    np.testing.assert_array_equal(report.made_beyond, report.made)
    assert report.errors.any()
    assert report.corrected.any()
    assert report.made.any()


class Feature(ClassifierMixin, BaseEstimator):
    """A binary classifier whose margin is a feature."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, self.column]

    def predict(self, X):
        return np.where(X[:, self.column] > 0, 1, -1)


def test_a_case_counted_by_hand():
    code = [[1, 1, 1, 1], [-1, -1, -1, 1], [1, -1, 0, -1]]
    model = ECOCClassifier([Feature(j) for j in range(4)], coding=code, decoding="linear", probability=False)
    model.fit(np.array(code, dtype=float), ["a", "b", "c"])
    X = [
        [1, 1, -0.5, 1],  # a; one wrong, of three to b and none to c: corrected
        [1, 0.1, 0.1, -5],  # a; one wrong, none to b and one of two to c: taken for c, beyond the promise of 0
        [-9, 1, 1, 1],  # a; one wrong, within the promise of 1 to b, but so sure that the decoding takes it for b
    ]
    report = confusion_report(model, X, ["a", "a", "a"])
    assert report.distance[0].tolist() == [0, 3, 2]
    assert report.promised[0].tolist() == [0, 1, 0]
    assert report.n_samples.tolist() == [3, 0, 0]
    assert report.errors[0].tolist() == [0, 2, 1]
    assert report.exceeded[0].tolist() == [0, 0, 1]
    assert report.corrected[0].tolist() == [0, 1, 0]
    assert report.made[0].tolist() == [0, 1, 1]
    assert report.made_within[0].tolist() == [0, 1, 0]
    assert report.column_error_rate.tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    assert report.accuracy == pytest.approx(1 / 3)
    assert report.share_corrected == pytest.approx(1 / 3)
    assert report.bit_errors == report.wrong_bits[0] == 1
    assert np.isnan(report.wrong_bits[1:]).all()
    assert not report.errors[1:].any()


def in_blocks(model, X, y, entries):
    rows = blocks(len(y), max(model.code_book_.shape), entries)
    return count_confusions(model, X, np.searchsorted(model.classes_, y), rows)


def test_blocks_of_samples_change_nothing():
    model = model_of(coding="ovo", decoding="loss_weighted")
    whole = confusion_report(model, *DIGITS)
    parts = in_blocks(model, *DIGITS, 45 * 100)
    for name in (*MATRICES, "n_samples", "column_error_rate", "wrong_bits"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_memory_is_bounded():
    """No array of samples × classes × columns: twice the samples in blocks take no more than the blocks do."""
    import tracemalloc

    rng = np.random.default_rng(0)
    k, n = 200, 10_000
    y = np.arange(n) % k
    X = rng.normal(size=(k, 20))[y] + rng.normal(size=(n, 20))
    model = ECOCClassifier(Ridge(), coding="dense", decoding="hamming", probability=False, random_state=0)
    model.fit(X[:1000], y[:1000])
    tracemalloc.start()
    report = in_blocks(model, X, y, 2**18)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
    assert report.n_samples.sum() == n


def test_a_pipeline_is_followed_to_its_classifier():
    X, y = DIGITS[0], WORDS[DIGITS[1]]
    classifier = ECOCClassifier(Ridge(), coding="dense", probability=False, random_state=0)
    nested = make_pipeline(MinMaxScaler(), make_pipeline(StandardScaler(), classifier)).fit(X[:600], y[:600])
    inner = nested[-1][-1]
    expected = confusion_report(inner, nested[-1][:-1].transform(nested[:-1].transform(X)), y)
    found = confusion_report(nested, X, y)
    np.testing.assert_array_equal(found.made, expected.made)
    assert found.accuracy == nested.score(X, y)
    assert confusion_report(make_pipeline(inner), X, y).accuracy == inner.score(X, y)


def test_input_is_validated_as_in_predict():
    model = model_of(Ridge())
    X, y = DIGITS[0][600:700], DIGITS[1][600:700]
    expected = confusion_report(model, X, y)
    for same in (X.tolist(), csr_matrix(X)):
        np.testing.assert_array_equal(confusion_report(model, same, y).made, expected.made)
    np.testing.assert_array_equal(confusion_report(model, X, pd.Series(y)).made, expected.made)
    with pytest.raises(ValueError, match="features"):
        confusion_report(model, X[:, :5], y)
    with pytest.raises(ValueError, match="NaN"):
        confusion_report(model, np.where(X > 10, np.nan, X), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        confusion_report(model, X, y[:-1])
    with pytest.raises(ValueError, match="0 sample"):
        confusion_report(model, X[:0], y[:0])
    with pytest.raises(NotFittedError):
        confusion_report(ECOCClassifier(Ridge()), X, y)


def test_labels():
    model = model_of(y=WORDS[DIGITS[1]])
    X, y = DIGITS[0][600:], WORDS[DIGITS[1]][600:]
    some = np.isin(y, ["one", "two"])
    report = confusion_report(model, X[some], y[some].tolist())
    assert set(report.classes[report.n_samples > 0]) == {"one", "two"}
    assert np.isnan(report.wrong_bits).sum() == 8
    with pytest.raises(ValueError, match=r"not trained on: 'eleven', 7; its classes are 'eight', 'five'.* 5 more"):
        confusion_report(model, X[:3], np.array(["eleven", 7, "one"], dtype=object))
    # Numbers are no strings, though numpy would compare them as such.
    with pytest.raises(ValueError, match="not trained on: '1'"):
        confusion_report(model_of(), X[:1], ["1"])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(), "got LogisticRegression"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "got Pipeline ending in LogisticRegression"),
        (Pipeline([("only", "passthrough")]), "got Pipeline ending in str"),
        (GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, cv=2), "got GridSearchCV ending in GaussianNB"),
        (ECOCClassifier, "got ABCMeta|got type"),
    ],
)
def test_other_models_are_refused(model, message):
    if isinstance(model, GridSearchCV) or (isinstance(model, Pipeline) and len(model) > 1):
        model.fit(*load_iris(return_X_y=True))
    with pytest.raises(TypeError, match=message):
        confusion_report(model, *load_iris(return_X_y=True))


def test_a_search_is_followed_to_its_best_estimator():
    data = load_iris(return_X_y=True)
    piped = make_pipeline(StandardScaler(), ECOCClassifier(Ridge(), coding="ova", probability=False))
    search = GridSearchCV(piped, {"ecocclassifier__estimator__alpha": [1]}, cv=2)
    with pytest.raises(TypeError, match="fitted pipeline or search that ends in one; got GridSearchCV"):
        confusion_report(search, *data)
    search.fit(*data)
    assert confusion_report(search, *data).accuracy == search.score(*data)
    np.testing.assert_array_equal(
        confusion_report(search, *data).made, confusion_report(search.best_estimator_, *data).made
    )


def test_pairs_are_worst_first():
    report = confusion_report(model_of(), *DIGITS)
    pairs = report.pairs()
    assert len(pairs) == 45
    assert report.pairs(3) == pairs[:3]
    keys = [(-p.made, p.corrected - p.errors, -p.errors) for p in pairs]
    assert keys == sorted(keys)
    assert {(p.first, p.second) for p in pairs} == set(itertools.combinations(range(10), 2))
    for p in pairs:
        i, j = p.first, p.second
        assert p.made == p.first_as_second + p.second_as_first == report.made[i, j] + report.made[j, i]
        assert p.errors == report.errors[i, j] + report.errors[j, i]
        assert p.corrected == report.corrected[i, j] + report.corrected[j, i]
        assert p.exceeded == report.exceeded[i, j] + report.exceeded[j, i]
        assert p.n_samples == report.n_samples[i] + report.n_samples[j]
        assert (p.distance, p.promised) == (report.distance[i, j], report.promised[i, j])
        assert p.promised_paper <= p.promised
        assert type(p.made) is int
    assert sum(p.made for p in pairs) == round((1 - report.accuracy) * len(DIGITS[1]))


def test_frame(monkeypatch):
    report = confusion_report(model_of(), *DIGITS)
    frame = report.to_frame()
    assert list(frame.columns[:4]) == ["first", "second", "n_samples", "distance"]
    assert [tuple(row) for row in frame.itertuples(index=False)] == [tuple(pair) for pair in report.pairs()]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        report.to_frame()


def test_repr_is_a_table_of_the_worst():
    report = confusion_report(model_of(y=WORDS[DIGITS[1]]), DIGITS[0], WORDS[DIGITS[1]])
    first, second, header, *rows, rest = repr(report).splitlines()
    assert first == f"ConfusionReport: 1797 samples, 10 classes, {len(report.column_error_rate)} columns"
    assert f"accuracy {report.accuracy:.1%}" in second
    assert f"{report.share_corrected:.1%} of the {report.n_faulty} samples" in second
    assert len(rows) == 10
    assert len({len(row) for row in [header, *rows]}) == 1, "aligned"
    worst = report.pairs()[0]
    assert rows[0].split()[:5] == [worst.first, "|", worst.second, str(worst.n_samples), str(worst.distance)]
    assert rest == "  … 35 more pairs with errors; pairs() lists all"


def test_repr_of_a_model_without_errors():
    X, y = np.array([[0.0], [1.0]]), ["no", "yes"]
    report = confusion_report(ECOCClassifier(DecisionTreeClassifier(), probability=False).fit(X, y), X, y)
    assert isnan(report.share_corrected)
    assert repr(report).splitlines() == [
        "ConfusionReport: 2 samples, 2 classes, 1 column",
        "accuracy 100.0%, 0.00 wrong outputs per sample",
        "no output was wrong, and every sample was classified correctly",
    ]
    assert "every sample was classified correctly" in report._repr_html_()


def test_html_escapes_labels_and_long_ones_are_cut():
    names = np.array([f"<b>{i}</b>" for i in range(9)] + ["&" * 100])
    report = confusion_report(model_of(y=names[DIGITS[1]]), DIGITS[0], names[DIGITS[1]])
    page = report._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert page.count("<tr>") == 11
    assert max(len(line) for line in repr(report).splitlines()) < 150


def test_the_report_is_read_only():
    report = confusion_report(model_of(), *DIGITS)
    assert isinstance(report, ConfusionReport)
    with pytest.raises(AttributeError):
        report.accuracy = 1
    for array in (report.made, report.classes, report.distance):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
