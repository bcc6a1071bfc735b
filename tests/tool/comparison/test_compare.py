"""Is the comparison that Python gets the right one? Accuracies against scikit-learn's, baselines, learners, errors."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ecoc
from ecoc.policy.trials import plan_trials
from ecoc.tool.comparison.candidates import CodeCandidate, code_candidates
from ecoc.tool.comparison.learners import make_baseline, make_learner

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def names(comparison):
    return {result.candidate.name for result in comparison.results}


def test_predictions_are_those_of_an_independent_cross_validation(wine, comparison):
    X, y = wine
    assert len(comparison.results) == 12
    for result in comparison.results:
        expected = cross_val_predict(result.estimator, X, y, cv=FOLDS)
        assert (result.predicted == expected).all(), result.candidate
        assert result.accuracy == np.mean(expected == y)
        assert result.balanced_accuracy == pytest.approx(balanced_accuracy_score(y, expected))
        assert result.macro_f1 == pytest.approx(f1_score(y, expected, average="macro"))


def test_the_same_seed_gives_the_same_table(wine, comparison, quick):
    again = ecoc.compare(*wine, "ridge", **quick)
    measured = {"fit_seconds", "predict_seconds", "model_bytes", "pareto"}
    for name in comparison.table.keys() - measured:
        assert comparison.table[name] == again.table[name], name
    assert comparison.recommended.candidate == again.recommended.candidate
    assert comparison.expected_accuracy == again.expected_accuracy


def test_baselines_are_there(comparison, wine, quick):
    expected = {
        "majority class",
        "LDA",
        "logistic regression",
        "linear SVC",
        "random forest",
        "extra trees",
        "RidgeClassifier",
    }
    assert expected | {"one-vs-rest RidgeClassifier", "one-vs-one RidgeClassifier"} < names(comparison)
    none = ecoc.compare(*wine, "ridge", baselines=False, **quick)
    assert all(isinstance(result.candidate, CodeCandidate) for result in none.results)
    some = ecoc.compare(*wine, "ridge", **{**quick, "codings": []}, baselines=["lda", "native"])
    assert names(some) == {"LDA", "RidgeClassifier"}


def test_several_learners_share_folds_and_baselines(wine, quick):
    X, y = wine
    options = {**quick, "baselines": ["lda", "native"]}
    found = ecoc.compare(X, y, ["ridge", "knn:n_neighbors=3"], **options)
    both = {f"{code} ({learner})" for code in ("ova", "ecf") for learner in ("ridge", "knn:n_neighbors=3")}
    tried = names(found) | {candidate.name for candidate in found.left_out}
    assert tried == {"LDA", "RidgeClassifier", "KNeighborsClassifier (knn:n_neighbors=3)"} | both
    assert set(found.contenders) == {"ridge", "knn:n_neighbors=3"}
    for result in found.results:
        expected = cross_val_predict(result.estimator, X, y, cv=FOLDS)
        assert (result.predicted == expected).all(), result.candidate
    assert found.learner.__class__.__name__ == "RidgeClassifier"
    alone = ecoc.compare(X, y, ["ridge"], **options)
    assert names(alone) == {"LDA", "RidgeClassifier", "ova", "ecf"}


def test_codes_of_a_learner_that_is_clearly_worse_are_not_tried(wine, quick):
    found = ecoc.compare(*wine, ["ridge", "tree:min_samples_leaf=55"], **{**quick, "baselines": ["native"]})
    left_out = {candidate.name for candidate in found.left_out}
    assert left_out
    assert all(name.endswith("(tree:min_samples_leaf=55)") for name in left_out)
    assert set(found.left_out.values()) == {"other learners were clearly better in the first fold"}
    assert any(result.candidate.name == "ecf (tree:min_samples_leaf=55)" for result in found.results)  # one code is


def test_lists_of_learners_that_cannot_be(wine):
    with pytest.raises(ValueError, match="There is no learner"):
        ecoc.compare(*wine, [])
    with pytest.raises(ValueError, match="give what goes in front as preparation"):
        ecoc.compare(*wine, [SVC(), make_pipeline(StandardScaler(), RidgeClassifier())])


def test_one_vs_one_is_measured_as_people_run_it():
    assert "one-vs-one" not in plan_trials(SVC(), 5).plain  # an SVC by itself is it
    assert "one-vs-one" in plan_trials(RidgeClassifier(), 5).plain
    assert "logistic" not in plan_trials(LogisticRegression(), 5).plain
    assert "native" not in plan_trials(Ridge(), 5).plain
    many = plan_trials(RidgeClassifier(), 80)
    assert "one-vs-one" not in many.plain
    assert "3,160 models" in many.left_out["one-vs-one"]


@pytest.mark.parametrize(("learner", "k", "count"), [(SVC(), 5, 10), (SVC(), 2, 1), (RidgeClassifier(), 5, 1)])
def test_models_of_the_learner_itself(learner, k, count):
    assert plan_trials(learner, k).models["native"] == count


def test_baselines_by_name_take_parameters():
    assert make_baseline("logistic:C=3", None)[-1].C == 3
    assert make_baseline("forest:n_estimators=5", None, seed=1).random_state == 1
    with pytest.raises(ValueError, match="Did you mean 'lda'"):
        make_baseline("ldaa", None)
    with pytest.raises(ValueError, match=r"takes its parameters from the learner, e\.g\. svc:C=3"):
        make_baseline("native:C=3", SVC())


def test_two_classes_are_the_learner_by_itself(wine, quick):
    X, y = wine
    found = ecoc.compare(X[y != "red"], y[y != "red"], "ridge", **quick)
    plain = {"majority class", "LDA", "logistic regression", "linear SVC", "random forest", "extra trees"}
    assert names(found) == {*plain, "RidgeClassifier"}
    assert found.best_code is None
    alone = ecoc.compare(X[y != "red"], y[y != "red"], "ridge", baselines=False, **quick)
    assert [result.classifiers for result in alone.results] == [1]


def test_preparation_is_fitted_in_each_fold(wine, quick):
    X, y = wine[0] * 10.0 ** np.arange(13), wine[1]
    for learner, preparation in (
        ("ridge", StandardScaler()),
        (make_pipeline(StandardScaler(), RidgeClassifier()), None),
    ):
        found = ecoc.compare(X, y, learner, preparation=preparation, **{**quick, "columns": [3]})
        for result in found.results:
            assert type(result.estimator).__name__ == "Pipeline"
            expected = cross_val_predict(result.estimator, X, y, cv=FOLDS)
            assert (result.predicted == expected).all(), result.candidate


def test_names_and_objects_are_the_same_learner(wine, quick):
    named, given = (ecoc.compare(*wine, learner, **quick) for learner in ("ridge:alpha=2", RidgeClassifier(alpha=2)))
    assert named.table["accuracy"] == given.table["accuracy"]


def test_sparse_samples(wine, quick):
    found = ecoc.compare(csr_matrix(wine[0]), wine[1], "ridge", **quick)
    assert "logistic regression" in names(found)
    (reason,) = [reason for candidate, reason in found.left_out.items() if candidate.name == "LDA"]
    assert "dense" in reason


def test_folds_of_the_users_own(wine, quick):
    X, y = wine
    pairs = list(StratifiedKFold(2).split(X, y))
    found = ecoc.compare(X, y, "ridge", cv=pairs, **quick)
    assert all((a[1] == b[1]).all() for a, b in zip(found.folds, pairs))


def test_log_loss_on_request(wine, quick):
    X, y = wine
    found = ecoc.compare(X, y, "ridge", metrics=["log_loss"], **quick)
    by_name = {result.candidate.name: result for result in found.results}
    lda = by_name["LDA"]
    expected = cross_val_predict(lda.estimator, X, y, cv=FOLDS, method="predict_proba")
    assert lda.log_loss == pytest.approx(log_loss(y, expected))
    assert by_name["RidgeClassifier"].log_loss is None
    assert by_name["ova"].log_loss > 0


def test_a_candidate_that_cannot_be_fitted_is_left_out(wine):
    options = {"codings": ["ova"], "baselines": False, "tune": False}
    found = ecoc.compare(*wine, "ridge", decodings=["linear", "probabilistic"], **options)
    ((candidate, reason),) = found.left_out.items()
    assert candidate.decoding == "probabilistic"
    assert "needs probabilities" in reason
    with pytest.raises(ValueError, match=r"No candidate could be fitted: .*needs probabilities"):
        ecoc.compare(*wine, "ridge", decodings=["probabilistic"], **options)


def test_a_learner_that_breaks_is_left_out(wine, quick):
    class Broken(RidgeClassifier):
        def fit(self, X, y):
            raise RuntimeError

    found = ecoc.compare(*wine, Broken(), **quick)
    assert names(found) == {
        "majority class",
        "LDA",
        "logistic regression",
        "linear SVC",
        "random forest",
        "extra trees",
    }
    assert set(found.left_out.values()) == {"RuntimeError"}


def test_classes_that_are_rarer_than_folds_are_named(wine, quick):
    X, y = wine
    rows = np.r_[0:60, 60:100, 130:132]
    with pytest.warns(UserWarning, match=r"1 of 3 classes have fewer rows than there are folds \(3\): 'white'"):
        ecoc.compare(X[rows], y[rows], "ridge", **{**quick, "codings": ["ova"]})


def test_identifiers_and_dates_in_a_frame_are_named(wine, quick):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(wine[0]).rename(columns=str).assign(patient_id=np.arange(178))
    with pytest.warns(UserWarning, match="identifiers or dates: 'patient_id'"):
        ecoc.compare(frame, wine[1], "ridge", **{**quick, "codings": ["ova"]})


def test_candidates_differ():
    found = code_candidates(8, ["ecf", "ova", "dense"], ["auto", 0.5, 4], ["linear", "hamming"], protects=True)
    assert len(set(found)) == len(found)
    assert {(c.coding, c.columns) for c in found} == {("ecf", "auto"), ("ecf", 4), ("ova", None), ("dense", 4)}
    assert {c.coding for c in found if c.protected} == {"ecf"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"learner": "svm"}, "Did you mean 'svc'"),
        ({"codings": ["ecof"]}, "Unknown coding 'ecof'"),
        ({"codings": [], "baselines": False}, "nothing to compare"),
        ({"metrics": ["logloss"]}, "Did you mean 'log_loss'"),
        ({"cv": 1}, "1 folds are not possible"),
        ({"cv": 500}, "at most as many as the largest class has rows, 50"),
        ({"protect": [("setosa", "rosa")]}, "protect names 'setosa'"),
        ({"protect": [(0, 0)]}, "pairs of different classes"),
        ({"codings": ["ova"], "protect": [0]}, "ecf is not among the codings"),
    ],
)
def test_errors_say_what_to_do(arguments, message, quick):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        ecoc.compare(X, y, **{"learner": "ridge", **quick, **arguments})


def test_one_class_is_an_error():
    with pytest.raises(ValueError, match="one class only"):
        ecoc.compare(np.zeros((4, 1)), np.zeros(4), "ridge")


def test_learners_by_name():
    assert make_learner("svc:C=10,gamma=0.1").get_params()["gamma"] == 0.1
    with pytest.raises(ValueError, match="has no parameter 'D=1'"):
        make_learner("svc:D=1")
