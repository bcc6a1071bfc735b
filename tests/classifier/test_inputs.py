"""What ECOCClassifier takes as data and labels, and how it refuses the rest."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import CodeBook, ECOCClassifier
from ecoc.codes.coding import CODINGS, OneVsAll
from ecoc.decoding import DECODINGS, Hamming
from ecoc.utils.exceptions import CodeBookError

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]


def model(**params):
    return ECOCClassifier(**{"estimator": LogisticRegression(solver="liblinear"), "random_state": 0, **params})


# Labels


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (NAMES, "U"),
        (NAMES.astype(object), "O"),
        (y.astype(float), "f"),
        (y - 5, "i"),
        (y.astype(np.uint8), "u"),
        (y > 0, "b"),
        (pd.Series(NAMES), "O"),
        (pd.Series(NAMES, dtype="category"), "O"),
        (y.tolist(), "i"),
    ],
    ids=["str", "object", "float", "negative", "uint8", "bool", "series", "categorical", "list"],
)
def test_labels(labels, kind):
    fitted = model().fit(X, labels)
    expected = np.unique(np.asarray(labels))
    assert fitted.classes_.tolist() == expected.tolist() == fitted.code_book_.labels.tolist()
    predicted = fitted.predict(X)
    assert predicted.dtype.kind == fitted.classes_.dtype.kind == kind
    assert np.mean(predicted == np.asarray(labels)) > 0.9


def test_labels_are_only_names():
    numbers, names = model().fit(X, y), model().fit(X, NAMES)
    np.testing.assert_array_equal(numbers.decision_function(X), names.decision_function(X))


# Tables


def test_pandas():
    table = pd.DataFrame(X, columns=list("abcd"))
    fitted = model().fit(table, y)
    assert fitted.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(fitted.predict_proba(table), model().fit(X, y).predict_proba(X))
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(table[list("dcba")])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(X)


def test_polars():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(X, schema=list("abcd"))
    fitted = model().fit(table, polars.Series(NAMES.tolist()))
    assert fitted.feature_names_in_.tolist() == list("abcd")
    assert fitted.classes_.tolist() == np.unique(NAMES).tolist()
    np.testing.assert_array_equal(fitted.predict_proba(table), model().fit(X, y).predict_proba(X))


# Sparse


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.coo_array])
@pytest.mark.parametrize(
    ("estimator", "coding", "decoding"),
    [
        (LogisticRegression(solver="liblinear"), "ecf", "loss_weighted"),
        (SVC(), "ova", "discriminant"),
        (SVC(), "ovo", "hamming"),
        (Ridge(solver="lsqr", tol=1e-12), "dense", "linear"),
    ],
)
def test_sparse_is_dense(make, estimator, coding, decoding):
    Z = np.maximum(X - np.median(X), 0)
    dense = ECOCClassifier(estimator, coding=coding, decoding=decoding, random_state=0, probability=False).fit(Z, y)
    thin = ECOCClassifier(estimator, coding=coding, decoding=decoding, random_state=0, probability=False).fit(
        make(Z), y
    )
    np.testing.assert_array_equal(dense.code_book_.matrix, thin.code_book_.matrix)
    np.testing.assert_allclose(dense.decision_function(Z), thin.decision_function(make(Z)), atol=1e-2, rtol=1e-2)
    np.testing.assert_allclose(thin.decision_function(Z), thin.decision_function(make(Z)), atol=1e-8)


@pytest.mark.parametrize("coding", ["spectral", "discriminant", "ecf"])
def test_codings_from_sparse_data(coding):
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    assert model(estimator=tree, coding=coding).fit(sparse.csr_array(X), y).score(X, y) > 0.8


def test_the_estimator_says_whether_it_takes_sparse_data():
    from sklearn.utils import get_tags

    class TakesSparse(GaussianNB):  # the oldest scikit-learn we support sets this tag in none of its own classifiers
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = True
            return tags

    assert get_tags(ECOCClassifier(TakesSparse())).input_tags.sparse
    assert not get_tags(ECOCClassifier(GaussianNB())).input_tags.sparse
    assert not get_tags(ECOCClassifier([TakesSparse(), GaussianNB()])).input_tags.sparse
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        ECOCClassifier(GaussianNB()).fit(sparse.csr_array(X), y)


def test_missing_values_where_the_estimator_takes_them():
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    fitted = ECOCClassifier(tree, coding="ova").fit(holes, y)
    assert fitted.score(holes, y) > 0.8
    designed = ECOCClassifier(tree, coding="ecf").fit(holes, y)
    assert designed.design_features_ == "missing values of 4 columns replaced by the median"
    assert designed.score(holes, y) > 0.8


# Bad data


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    ("value", "match"), [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")], ids=["nan", "inf"]
)
def test_not_finite(method, value, match):
    bad = X.copy()
    bad[7, 2] = value
    options = {"classes": [0, 1, 2]} if method == "partial_fit" else {}
    with pytest.raises(ValueError, match=match):
        getattr(model(estimator=SGDClassifier()), method)(bad, y, **options)
    with pytest.raises(ValueError, match=match):
        model(coding="ova").fit(X, y).predict(bad)


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "error", "match"),
    [
        (X, np.zeros(150), ValueError, "one class only, 0.0; .* at least two"),
        (X, NAMES[:1].repeat(150), ValueError, "one class only, 'setosa'; .* at least two"),
        (X[:0], y[:0], ValueError, r"0 sample\(s\)"),
        (X[:, :0], y, ValueError, r"0 feature\(s\)"),
        (X, y[:-1], ValueError, "inconsistent numbers of samples"),
        (X, None, ValueError, "requires y to be passed"),
        (X, X[:, 0], ValueError, "Unknown label type: continuous"),
        (X, np.eye(3)[y], ValueError, "multilabel targets are not supported"),
        (X[:3], [["a", "b"], ["a"], ["c"]], ValueError, "multilabel targets are not supported"),
        (X, np.c_[y, y], ValueError, "y should be a 1d array"),
        (X, np.where(y > 1, np.nan, y), ValueError, "Input y contains NaN"),
        (X[0], y[:1], ValueError, "Expected 2D array"),
        (NAMES[:, None], y, ValueError, "not compatible with arrays of bytes/strings"),
    ],
    ids=[
        "one class",
        "one name",
        "empty",
        "no features",
        "lengths",
        "no y",
        "continuous",
        "multilabel y",
        "lists of labels",
        "2d y",
        "nan y",
        "1d X",
        "text",
    ],
)
def test_bad_training_data(bad_X, bad_y, error, match):
    with pytest.raises(error, match=match):
        model().fit(bad_X, bad_y)


def test_bad_data_to_predict():
    with pytest.raises(NotFittedError, match="not fitted"):
        model().predict(X)
    fitted = model().fit(X, y)
    for method in (fitted.predict, fitted.decision_function, fitted.predict_proba):
        with pytest.raises(ValueError, match="X has 3 features, but ECOCClassifier is expecting 4"):
            method(X[:, :3])
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            method(X[:0])


def test_unseen_labels_count_as_errors():
    """To score they are labels like any other, which no prediction can meet."""
    fitted = model().fit(X, y)
    assert fitted.score(X, np.full(150, 9)) == 0


@pytest.mark.parametrize(
    ("weight", "match"),
    [
        (np.ones(149), "sample_weight.shape == "),
        (np.ones((150, 2)), "must be 1D array or scalar"),
        (np.linspace(-1, 1, 150), "Negative values"),
        (np.full(150, np.nan), "contains NaN"),
        ((y == 1).astype(float), "samples of one class only"),
    ],
    ids=["short", "2d", "negative", "nan", "one class"],
)
def test_bad_weights(weight, match):
    with pytest.raises(ValueError, match=match):
        model(coding="ova", decoding="hamming").fit(X, y, sample_weight=weight)


def test_unknown_fit_parameters():
    with pytest.raises(TypeError, match=r"fit got \['wieght'\].*enable_metadata_routing"):
        model().fit(X, y, wieght=np.ones(150))


# Bad parameters


def test_unknown_names_are_answered_with_the_list():
    with pytest.raises(ValueError, match=r"Unknown coding 'ekf'; the names are .*Did you mean 'ecf'\?") as error:
        model(coding="ekf").fit(X, y)
    assert all(name in str(error.value) for name in CODINGS)
    with pytest.raises(
        ValueError, match=r"Unknown decoding 'haming'; the names are .*Did you mean 'hamming'\?"
    ) as error:
        model(decoding="haming").fit(X, y)
    assert all(name in str(error.value) for name in DECODINGS)


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"coding": OneVsAll}, TypeError, r"write OneVsAll\(\)"),
        ({"coding": None}, TypeError, "A coding must be one of the names"),
        ({"decoding": Hamming}, TypeError, r"write Hamming\(\)"),
        ({"decoding": None}, TypeError, "A decoding must be one of the names"),
        ({"estimator": "svc"}, ValueError, "'estimator' .* must be an object implementing 'fit'"),
        ({"estimator": None}, ValueError, "'estimator' .* must be an object implementing 'fit'"),
        ({"estimator": SVC}, TypeError, "instance"),
        ({"probability": "yes"}, ValueError, "'probability'"),
        ({"cv": 1}, ValueError, "'cv' .* in the range"),
        ({"cv": "loo"}, ValueError, "'cv'"),
        ({"n_jobs": 1.5}, ValueError, "'n_jobs'"),
        ({"random_state": "x"}, ValueError, "'random_state'"),
        ({"verbose": -1}, ValueError, "'verbose'"),
        ({"coding": [[1, -1], [-1, 1]]}, ValueError, "has 2 rows, one for each class, but there are 3 classes"),
        ({"coding": "dense", "estimator": LogisticRegression(C=-1)}, ValueError, "'C' parameter of LogisticRegression"),
        ({"coding": [[1, 1], [1, 1], [-1, -1]]}, CodeBookError, "0, 1"),
        ({"coding": CodeBook([[1, 1], [1, -1], [-1, 1]], labels=["a", "b", "c"])}, ValueError, "must name the classes"),
        (
            {"estimator": [SVC()] * 4, "coding": "ova"},
            ValueError,
            "lists 4 estimators, but the code book has 3 columns",
        ),
    ],
)
def test_bad_parameters(params, error, match):
    with pytest.raises(error, match=match):
        model(**params).fit(X, y)


@pytest.mark.parametrize("estimator", [SVC(), Ridge(), [LogisticRegression(), SVC(), LogisticRegression()]])
def test_a_decoding_that_needs_probabilities(estimator):
    lacking = "Ridge" if isinstance(estimator, Ridge) else "SVC"
    with pytest.raises(
        ValueError, match=rf"Probabilistic decoding needs probabilities, and {lacking}\(\) has no predict_proba.*Calib"
    ):
        ECOCClassifier(estimator, coding="ova", decoding="probabilistic").fit(X, y)


def test_parameters_numpy_has():
    assert model(n_jobs=np.int64(1), cv=np.int64(2), coding="ova").fit(X, y).score(X, y) > 0.8


def test_set_params_says_what_it_does_not_know():
    with pytest.raises(ValueError, match="Invalid parameter 'alocation' for estimator ECF"):
        model().set_params(coding__alocation="hard")
    with pytest.raises(ValueError, match="Invalid parameter 'codding'"):
        model().set_params(codding="ecf")


def test_weights_of_classes_are_refused_and_their_translation_is_named():
    X, y = load_iris(return_X_y=True)
    learner = make_pipeline(StandardScaler(), LogisticRegression(class_weight={0: 1, 1: 5, 2: 1}))
    with pytest.raises(ValueError, match="compute_sample_weight"):
        ECOCClassifier(learner).fit(X, y)


def test_weights_of_the_sides_of_columns_are_no_weights_of_classes():
    """0 and 1 may mean both; what is weighted is said, unless no other meaning is possible."""
    learner = LogisticRegression(class_weight={0: 1, 1: 5})
    with pytest.warns(UserWarning, match="weights the two sides of each column") as told:
        model(estimator=learner, coding="ova").fit(X, y)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model(estimator=learner, coding="ova").fit(X, NAMES)
        model(estimator=learner).fit(X[:100], y[:100])
    forests = [RandomForestClassifier(class_weight=each) for each in (None, {0: 1, 1: 5})]
    assert [model(estimator=each, coding="auto").plan(X, NAMES).compares_plain for each in forests] == [True, False]
    with pytest.raises(ValueError, match="compute_sample_weight"):
        model(estimator=learner, coding="plain").fit(X, NAMES)


def test_logarithms_of_probabilities():
    X, y = load_iris(return_X_y=True)
    model = ECOCClassifier(LogisticRegression(), random_state=0).fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_rows_that_pass_every_check_are_not_checked_again(monkeypatch):
    fitted = model(coding="ova", decoding="linear").fit(X, y)
    expected = fitted.predict(X)
    odd = [X[:, :3], X[0], X[:0], np.where(X > 7, np.nan, X), np.where(X > 7, np.inf, X), X.astype(str)]
    for each in odd:
        with pytest.raises(ValueError, match=r"."):
            fitted.predict(each)
    monkeypatch.setattr("ecoc.classifier.inputs.validate_data", None)
    assert fitted.validate(X) is X
    np.testing.assert_array_equal(fitted.predict(X), expected)
    for each in (X.astype(np.float32), X.tolist(), *odd):
        with pytest.raises(TypeError):
            fitted.predict(each)
    fitted.feature_names_in_ = np.array(list("abcd"))
    with pytest.raises(TypeError):
        fitted.predict(X)
