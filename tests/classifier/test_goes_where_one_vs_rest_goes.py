"""Whatever scikit-learn's OneVsRestClassifier takes, ECOCClassifier takes; each case has the two side by side."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedGroupKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, ECOCClassifier, LeastCostClassifier
from ecoc.codes.coding import get_coding

X, Y = load_iris(return_X_y=True)
GROUPS = np.arange(150) // 5
CODINGS = ["ova", ECF(effort=0.01)]


def missing():
    holes = X.copy()
    holes[::7, 1] = np.nan
    return holes


def frame():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcd"))
    table["size"] = pandas.Categorical(np.where(X[:, 0] > 5.5, "big", "small"))
    return table


def texts():
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice([f"word{label}{i}" for i in range(5)], 6)) for label in Y]


def score(model, X):
    return model.fit(X, Y).score(X, Y)


@pytest.mark.parametrize("coding", CODINGS, ids=["ova", "ecf"])
@pytest.mark.parametrize(
    ("make", "learner"),
    [
        (missing, HistGradientBoostingClassifier(max_iter=5)),
        (frame, HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype")),
        (
            frame,
            make_pipeline(
                make_column_transformer((OneHotEncoder(), ["size"]), (StandardScaler(), list("abcd"))),
                LogisticRegression(),
            ),
        ),
        (texts, make_pipeline(TfidfVectorizer(), LogisticRegression())),
    ],
    ids=["NaN", "categories", "mixed frame", "texts"],
)
def test_inputs_that_only_the_learner_understands(make, learner, coding):
    data = make()
    ours = ECOCClassifier(learner, coding=coding, random_state=0)
    assert score(ours, data) >= score(OneVsRestClassifier(learner), data) - 0.03
    assert (ours.design_features_ != "") == (coding != "ova")  # a coding that needs no data never looks at X
    proba = ours.predict_proba(data)
    np.testing.assert_array_equal(ours.classes_[proba.argmax(axis=1)], ours.predict(data))


@pytest.mark.parametrize(
    "learner",
    [LogisticRegression(), LinearSVC(), GaussianNB(), DecisionTreeClassifier(), KNeighborsClassifier()],
    ids=str,
)
def test_learners(learner):
    assert (
        score(ECOCClassifier(learner, coding="ova", random_state=0), X) >= score(OneVsRestClassifier(learner), X) - 0.02
    )


@pytest.mark.parametrize("library", ["xgboost:XGBClassifier", "lightgbm:LGBMClassifier", "catboost:CatBoostClassifier"])
def test_boosters(library):
    module, name = library.split(":")
    booster = getattr(pytest.importorskip(module), name)
    options = {"xgboost": {}, "lightgbm": {"verbose": -1}, "catboost": {"verbose": False}}[module]
    learner = booster(n_estimators=5, random_state=0, **options)
    model = ECOCClassifier(learner, coding="ova", random_state=0)
    assert score(model, X) > 0.9
    assert model.predict_proba(X).shape == (150, 3)


def test_missing_values_are_refused_where_the_learner_refuses_them():
    for model in (ECOCClassifier(LogisticRegression()), OneVsRestClassifier(LogisticRegression())):
        with pytest.raises(ValueError, match="NaN"):
            model.fit(missing(), Y)


def test_features_are_those_of_fit():
    table = frame()
    learner = HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype")
    model = ECOCClassifier(learner, coding="ova", random_state=0).fit(table, Y)
    assert model.feature_names_in_.tolist() == [*"abcd", "size"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.rename(columns={"a": "z"}))


@pytest.mark.parametrize("cv", [GroupKFold(3), StratifiedGroupKFold(3), 3], ids=str)
def test_groups_in_fit(cv):
    model = ECOCClassifier(LogisticRegression(max_iter=500), coding="ova", cv=cv, random_state=0)
    assert model.fit(X, Y, groups=GROUPS).score(X, Y) > 0.9
    if cv == 3:
        stratified = ECOCClassifier(LogisticRegression(max_iter=500), coding="ova", random_state=0).fit(X, Y)
        assert model.temperature_ != stratified.temperature_  # other folds
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, Y, groups=GROUPS[:10])


def test_groups_by_metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        model = ECOCClassifier(LogisticRegression(max_iter=500), coding="ova", cv=GroupKFold(3))
        model.set_fit_request(groups=True)
        scores = cross_val_score(model, X, Y, cv=GroupKFold(3), params={"groups": GROUPS})
        search = GridSearchCV(model, {"estimator__C": [0.1, 1.0]}, cv=GroupKFold(2)).fit(X, Y, groups=GROUPS)
    assert scores.min() > 0.85
    assert search.best_score_ > 0.85


def test_groups_that_are_missing():
    with pytest.raises(ValueError, match=r"needs groups: call fit\(X, y, groups=...\)"):
        ECOCClassifier(LogisticRegression(), cv=GroupKFold(3)).fit(X, Y)
    pairs = list(GroupKFold(3).split(X, Y, GROUPS))
    with pytest.raises(ValueError, match="fixed pairs do not match its training part"):
        cross_val_score(ECOCClassifier(LogisticRegression(), cv=pairs), X, Y, error_score="raise")


def test_weights_come_through_other_estimators():
    model = ECOCClassifier(GaussianNB(), coding="ova", random_state=0)
    assert AdaBoostClassifier(model, n_estimators=3, random_state=0).fit(X, Y).score(X, Y) > 0.9
    light = np.where(Y == 1, 1e-6, 1.0)
    calibrated = CalibratedClassifierCV(model, cv=3)
    assert (clone(calibrated).fit(X, Y).predict(X) == 1).any()
    assert not (clone(calibrated).fit(X, Y, sample_weight=light).predict(X) == 1).any()


def test_weights_by_metadata_routing():
    light = np.where(Y == 1, 1e-6, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = ECOCClassifier(GaussianNB().set_fit_request(sample_weight=True), coding="ova", random_state=0)
        assert not (asking.fit(X, Y, light).predict(X) == 1).any()
        asking.set_score_request(sample_weight=True)
        search = GridSearchCV(asking, {"decoding": ["linear"]}, cv=3).fit(X, Y, sample_weight=light)
        assert not (search.predict(X) == 1).any()
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        assert not (make_pipeline(scaler, asking).fit(X, Y, sample_weight=light).predict(X) == 1).any()
        inner = GaussianNB().set_fit_request(sample_weight=True)
        equal = LeastCostClassifier(inner).set_score_request(sample_weight=True)  # all errors cost the same
        for model in (equal, GridSearchCV(equal, {"reject_label": [-1]}, cv=3)):
            expected = GaussianNB().fit(X, Y, light).predict(X)
            np.testing.assert_array_equal(model.fit(X, Y, sample_weight=light).predict(X), expected)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            LeastCostClassifier(GaussianNB()).fit(X, Y, sample_weight=light)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            ECOCClassifier(GaussianNB()).fit(X, Y, sample_weight=light)  # the estimator does not say


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("ovr", "OneVsAll"),
        ("one_vs_rest", "OneVsAll"),
        ("One-vs-Rest", "OneVsAll"),
        ("one vs all", "OneVsAll"),
        ("one-vs-one", "OneVsOne"),
        ("all-pairs", "OneVsOne"),
        ("dense_random", "DenseRandom"),
        ("complete", "Exhaustive"),
    ],
)
def test_usual_words(word, name):
    assert type(get_coding(word)).__name__ == name


@pytest.mark.parametrize(
    ("word", "suggestion"), [("one_vs_al", "ova"), ("onevsrst", "ova"), ("pair wise", "ovo"), ("hadmard", "hadamard")]
)
def test_a_wrong_word_is_answered_by_its_meaning(word, suggestion):
    if word == "pair wise":
        assert type(get_coding(word)).__name__ == "OneVsOne"
        return
    with pytest.raises(ValueError, match=f"Did you mean '{suggestion}'"):
        get_coding(word)
