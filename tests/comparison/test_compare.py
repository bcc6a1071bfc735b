"""Is the comparison that Python gets the right one? Accuracies against scikit-learn's, the front by definition."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

import ecoc
from ecoc.comparison import COSTS, Candidate, CandidateResult, Comparison, Protection, make_candidates, make_learner

QUICK = {"codings": ["ecf", "ova"], "columns": [2, 3], "decodings": ["linear"], "random_state": 0}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["red", "rose", "white"])[y]


@pytest.fixture(scope="module")
def comparison(wine):
    return ecoc.compare(*wine, "ridge", **QUICK)


def test_predictions_are_those_of_an_independent_cross_validation(wine, comparison):
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for result in comparison.results:
        expected = cross_val_predict(result.estimator, *wine, cv=folds)
        assert (result.predicted == expected).all()
        assert result.accuracy == np.mean(expected == wine[1])


def test_the_table_is_one_row_a_candidate(comparison):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(comparison.table)
    assert len(frame) == len(comparison.results) == 3
    assert {"coding", "columns", "decoding", "accuracy", "standard_error", *COSTS} <= set(frame.columns)
    assert frame["classifiers"].is_monotonic_increasing


def test_the_front_by_definition(comparison):
    for cost in ("classifiers", "fit_seconds"):
        points = {result: (result.accuracy, result.cost(cost)) for result in comparison.results}
        for result, (accuracy, price) in points.items():
            better = [a >= accuracy and c <= price and (a, c) != (accuracy, price) for a, c in points.values()]
            assert (result in comparison.front(cost)) == (not any(better))


def test_the_recommended_one_fits_and_predicts(wine, comparison):
    best, chosen = comparison.best, comparison.recommended
    good = [r for r in comparison.results if r.accuracy >= best.accuracy - best.standard_error]
    assert chosen.cost("classifiers") == min(r.cost("classifiers") for r in good)
    model = chosen.estimator.fit(*wine)
    assert model.score(*wine) > 0.9


def test_preparation_is_fitted_in_each_fold(wine):
    X, y = wine
    X = X * 1000 ** np.arange(X.shape[1] % 4 + 9)[: X.shape[1]].sum()  # far from unit scale
    options = {"codings": ["ova"], "decodings": ["linear"], "random_state": 0}
    result = ecoc.compare(X, y, "ridge", preparation=StandardScaler(), **options).recommended
    expected = cross_val_predict(result.estimator, X, y, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    assert (result.predicted == expected).all()
    assert type(result.estimator).__name__ == "Pipeline"


def test_names_and_objects_are_the_same_learner(wine):
    named, given = (ecoc.compare(*wine, learner, **QUICK) for learner in ("ridge:alpha=2", RidgeClassifier(alpha=2)))
    assert named.table["accuracy"] == given.table["accuracy"]


def test_folds_of_the_users_own(wine):
    X, y = wine
    pairs = list(StratifiedKFold(2).split(X, y))
    found = ecoc.compare(X, y, "ridge", cv=pairs, **QUICK)
    assert all((a[1] == b[1]).all() for a, b in zip(found.folds, pairs))


def test_a_candidate_that_cannot_be_fitted_is_left_out(wine):
    found = ecoc.compare(*wine, "ridge", codings=["ova"], decodings=["linear", "probabilistic"], random_state=0)
    ((candidate, reason),) = found.left_out.items()
    assert candidate.decoding == "probabilistic"
    assert "needs probabilities" in reason
    with pytest.raises(ValueError, match=r"No candidate could be fitted: .*needs probabilities"):
        ecoc.compare(*wine, "ridge", codings=["ova"], decodings=["probabilistic"])


def test_protection_is_compared_with_none(wine):
    found = ecoc.compare(*wine, "ridge", protect={("red", "rose"): 2}, **QUICK)
    protecting = [result for result in found.results if result.candidate.protected]
    assert len(protecting) == 2
    assert found.protected == {frozenset(("red", "rose"))}
    for result in found.results:
        confused = {(a, b): n for a, b, n in found.confused(result)}
        assert result.protected_errors == confused.get(("red", "rose"), 0)
    book = protecting[0].estimator.fit(*wine).code_book_
    assert book.distances()[0, 1] >= 2


def test_a_difference_that_chance_may_make():
    y = np.array(["a", "b"] * 50)

    def wrong(*rows):
        predicted = y.copy()
        predicted[list(rows)] = np.where(y[list(rows)] == "a", "b", "a")
        return CandidateResult(Candidate("ecf", 2, "hamming"), None, predicted)

    few, more, many = wrong(1), wrong(1, 2), wrong(*range(20))
    result = Comparison([few, more, many], {}, y, [], {frozenset("ab")})
    assert [result.effect_of_protection(few, other) for other in (few, more, many)] == [0, 0, 1]
    assert result.effect_of_protection(many, few) == -1
    assert Comparison([few, many], {}, y, [], {frozenset("ac")}).effect_of_protection(few, many) == 0


def test_candidates_differ():
    found = make_candidates(8, ["ecf", "ova", "dense"], ["auto", 0.5, 4], ["linear", "hamming"], protects=True)
    assert len(set(found)) == len(found)
    assert {(c.coding, c.columns) for c in found} == {("ecf", "auto"), ("ecf", 4), ("ova", None), ("dense", 4)}
    assert {c.coding for c in found if c.protected} == {"ecf"}
    assert len(make_candidates(2, ["ecf", "ova"], [0.5], ["linear"])) == 1


def test_protection_of_single_classes_and_pairs():
    protection = Protection.of(["a", ("b", "c")], ["a", "b", "c"])
    assert protection.pairs(["a", "b", "c"]) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert not Protection.of(None, ["a"])
    assert Protection.of({("b", "c"): 3}, ["b", "c"]).options(2)["min_distance"] == {("b", "c"): 3, "default": 2}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"learner": "svm"}, "Did you mean 'svc'"),
        ({"codings": ["ecof"]}, "Unknown coding 'ecof'"),
        ({"codings": []}, "nothing to compare"),
        ({"cv": 1}, "1 folds are not possible"),
        ({"cv": 500}, "at most as many as the largest class has rows, 50"),
        ({"protect": [("setosa", "rosa")]}, "protect names 'setosa'"),
        ({"protect": [(0, 0)]}, "pairs of different classes"),
        ({"codings": ["ova"], "protect": [0]}, "ecf is not among the codings"),
    ],
)
def test_errors_say_what_to_do(arguments, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        ecoc.compare(X, y, **{"learner": "ridge", **QUICK, **arguments})


def test_one_class_is_an_error():
    with pytest.raises(ValueError, match="one class only"):
        ecoc.compare(np.zeros((4, 1)), np.zeros(4), "ridge")


def test_learners_by_name():
    assert make_learner("svc:C=10,gamma=0.1").get_params()["gamma"] == 0.1
    with pytest.raises(ValueError, match="has no parameter 'D=1'"):
        make_learner("svc:D=1")


def test_plot(comparison):
    pytest.importorskip("matplotlib")
    ax = comparison.plot("fit_seconds")
    assert ax.get_xlabel() == "fit seconds"
    assert "recommended" in ax.get_legend_handles_labels()[1]
    assert comparison.plot(ax=ax) is ax
    with pytest.raises(ValueError, match="cost must be one of classifiers"):
        comparison.plot("money")
