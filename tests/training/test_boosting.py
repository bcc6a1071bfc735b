"""Boosters that share binned features say what the library's own classifier says."""

import pickle
from importlib import import_module
from inspect import signature

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from ecoc import TrainingCache
from ecoc.training.binary import Constant, margins
from ecoc.training.boosting import BoostingTraining
from ecoc.training.choosing import choose_training, train
from ecoc.training.interfaces import CoarseBins, HeldOut, Options, Task
from ecoc.training.separate import SeparateTraining
from ecoc.training.xgboosting import MultiLabelTraining, can_join
from ecoc.utils.folds import make_folds

X, y = load_digits(return_X_y=True)
X, new, y = X[:200, 10:30], X[200:260, 10:30], y[:200] % 4
CODE = np.array([[1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1]], dtype=np.int8)
OVO = np.array([[1, 0], [-1, 1], [0, -1], [1, 1]], dtype=np.int8)
SMALL = {"n_estimators": 8, "max_depth": 3}
LIBRARIES = {
    "xgboost": ("XGBClassifier", {**SMALL, "n_jobs": 1}),
    "lightgbm": ("LGBMClassifier", {**SMALL, "n_jobs": 1, "verbose": -1}),
    "catboost": ("CatBoostClassifier", {**SMALL, "verbose": 0, "allow_writing_files": False, "thread_count": 1}),
    "sklearn.ensemble": ("HistGradientBoostingClassifier", {"max_iter": 8, "max_depth": 3}),
}
SAMPLED = {
    "xgboost": {"subsample": 0.5, "colsample_bytree": 0.5},
    "lightgbm": {"subsample": 0.5, "subsample_freq": 1, "colsample_bytree": 0.5},
    "catboost": {"random_strength": 2.0},
    "sklearn.ensemble": {"max_features": 0.5},
}
STOPPING = {
    "xgboost": {"early_stopping_rounds": 2},
    "lightgbm": {"early_stopping_round": 2},
    "catboost": {"early_stopping_rounds": 2},
    "sklearn.ensemble": {"early_stopping": True, "n_iter_no_change": 2, "validation_fraction": 0.2},
}

ROUNDS = {
    "xgboost": "n_estimators",
    "lightgbm": "n_estimators",
    "catboost": "n_estimators",
    "sklearn.ensemble": "max_iter",
}


def evaluation_of_lightgbm(X, y):
    """From 4.7 on, the samples that stop boosting have names of their own."""
    new = "eval_X" in signature(import_module("lightgbm").LGBMClassifier.fit).parameters
    return {"eval_X": X, "eval_y": y} if new else {"eval_set": [(X, y)]}


AGAINST = {  # how each library takes the samples that stop boosting
    "xgboost": lambda X, y: {"eval_set": [(X, y)], "verbose": False},
    "lightgbm": evaluation_of_lightgbm,
    "catboost": lambda X, y: {"eval_set": (X, y)},
    "sklearn.ensemble": lambda X, y: {"X_val": X, "y_val": y},
}


@pytest.fixture(params=LIBRARIES)
def library(request):
    pytest.importorskip(request.param)
    return request.param


def learner(library, **parameters):
    name, usual = LIBRARIES[library]
    return getattr(import_module(library), name)(**usual, **parameters)


@pytest.mark.parametrize("case", ["plain", "missing values", "weights", "sampling"])
def test_equal_to_separate_training(library, case):
    data, weight, seeds = X.copy(), None, None
    estimator = learner(library)
    if case == "missing values":
        data[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    elif case == "weights":
        weight = np.random.default_rng(0).uniform(0.2, 2, len(y))
    elif case == "sampling":
        estimator, seeds = learner(library, **SAMPLED[library]), [3, 4, 5]
    training = choose_training(estimator, Task(CODE, data, y, weight), Options(seeds=seeds))
    assert isinstance(training, BoostingTraining)
    models = training.fit()
    for j in range(3):
        own = clone(estimator)
        if seeds is not None and library != "catboost":  # its seed is 0 unless one is given
            own.set_params(random_state=seeds[j])
        own.fit(data, (CODE[y, j] > 0).astype(int), sample_weight=weight)
        np.testing.assert_allclose(models.margins(new)[:, j], margins(own, new), atol=1e-6)
        np.testing.assert_allclose(models.probabilities(new)[:, j], own.predict_proba(new)[:, 1], atol=1e-6)
        np.testing.assert_array_equal(models.estimators[j].predict(new), own.predict(new))
        assert models.estimators[j].classes_.tolist() == [0, 1]


def test_categories(library):
    pd = pytest.importorskip("pandas")
    if library == "catboost":
        pytest.skip("is told about categories by its parameter cat_features")
    frame = pd.DataFrame(X[:, :4]).set_axis(list("abcd"), axis=1)
    frame["kind"] = pd.Categorical(np.array(["x", "y", "z"])[(y + np.arange(len(y)) % 2) % 3])
    options = {"xgboost": {"enable_categorical": True}, "sklearn.ensemble": {"categorical_features": "from_dtype"}}
    estimator = learner(library, **options.get(library, {}))
    models = choose_training(estimator, Task(CODE, frame, y)).fit()
    for j in range(3):
        own = clone(estimator).fit(frame, (CODE[y, j] > 0).astype(int))
        np.testing.assert_allclose(models.margins(frame)[:, j], margins(own, frame), atol=1e-6)


def test_one_part_stops_all_columns_and_gives_the_held_out_outputs(library):
    estimator = learner(library, **STOPPING[library])
    task = Task(CODE, X, y)
    trained = train(estimator, task, Options(), held_out=True, cv="auto", random_state=0)
    stop = trained.rows
    assert 0.08 * len(y) < len(stop) < 0.22 * len(y)
    rest = np.setdiff1d(np.arange(len(y)), stop)
    for j in range(3):
        labels = (CODE[y, j] > 0).astype(int)
        own = clone(estimator).fit(X[rest], labels[rest], **AGAINST[library](X[stop], labels[stop]))
        np.testing.assert_allclose(trained.models.margins(new)[:, j], margins(own, new), atol=1e-6)
        np.testing.assert_allclose(trained.held_out[:, j], margins(own, X[stop]), atol=1e-6)
    again = choose_training(estimator, task).fit()  # the part is there without held-out outputs, too
    np.testing.assert_array_equal(again.margins(new), trained.models.margins(new))


def test_without_early_stopping_one_half_is_held_out(library):
    estimator, task = learner(library), Task(CODE, X, y)
    trained = train(estimator, task, Options(held_out=HeldOut("part", 5)), held_out=True, cv="auto", random_state=5)
    half, rest = make_folds(2, y, 5)[0]
    np.testing.assert_array_equal(trained.rows, rest)
    of_half = choose_training(estimator, task.part(half)).fit()
    np.testing.assert_allclose(trained.held_out, of_half.margins(X[rest]), atol=1e-6)
    np.testing.assert_allclose(trained.models.margins(new), choose_training(estimator, task).fit().margins(new))


@pytest.mark.parametrize("case", ["plain", "sampling", "early stopping", "sure"])
def test_outputs_for_training_samples(library, case):
    """Boosting ends with them; they are those of a prediction."""
    estimator = {
        "plain": lambda: learner(library),
        "sampling": lambda: learner(library, **SAMPLED[library]),
        "early stopping": lambda: learner(library, **STOPPING[library]),
        "sure": lambda: learner(library).set_params(**{ROUNDS[library]: 150, "learning_rate": 0.9}),
    }[case]()
    code = np.column_stack([CODE, -CODE[:, :1], np.ones(4, dtype=np.int8)])  # an equal column, and a constant one
    for columns in (code, code[:, :4]):
        for kind in ("margins", "signs", "probabilities"):
            task = Task(columns, X, y)
            trained = train(estimator, task, Options(seeds=range(5)), kind, seen=True)
            np.testing.assert_allclose(trained.seen, trained.models.outputs(X, kind), rtol=1e-5, atol=1e-5)


def test_cached_boosters_predict_training_samples(library):
    cache = TrainingCache()
    first, again = (train(learner(library), Task(CODE, X, y), Options(cache=cache), seen=True).seen for _ in range(2))
    np.testing.assert_allclose(first, again, rtol=1e-5, atol=1e-5)


def test_folds_of_the_user(library):
    estimator, task = learner(library), Task(CODE, X, y)
    trained = train(estimator, task, Options(), held_out=True, cv=KFold(4))
    assert trained.rows is None
    for rows, test in KFold(4).split(X):
        expected = choose_training(estimator, task.part(rows)).fit().margins(X[test])
        np.testing.assert_allclose(trained.held_out[test], expected, atol=1e-6)


def test_jobs_change_nothing(library):
    estimator = learner(library, **SAMPLED[library])
    one, two = (
        choose_training(estimator, Task(CODE, X, y), Options(seeds=[1, 2, 3], n_jobs=n)).fit().margins(new)
        for n in (None, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_workers_use_one_thread(library, monkeypatch):
    name, usual = LIBRARIES[library]
    parameter = {"catboost": "thread_count", "sklearn.ensemble": None}.get(library, "n_jobs")
    if parameter is None:
        pytest.skip("joblib limits the threads of its worker processes")
    unset = {key: value for key, value in usual.items() if key != parameter}
    estimator = getattr(import_module(library), name)(**unset)
    training = choose_training(estimator, Task(CODE, X, y), Options(n_jobs=2))
    seen = []
    boost = type(training).boost_together.__func__

    def watched(cls, estimator, seeds, *rest):
        seen.extend([estimator.get_params().get(parameter)] * len(seeds))
        return boost(cls, estimator, seeds, *rest)

    monkeypatch.setattr(type(training), "boost_together", classmethod(watched))
    training.fit()
    assert seen == [1, 1, 1]
    seen.clear()
    choose_training(estimator, Task(CODE, X, y), Options()).fit()
    assert seen == [None] * 3


def test_equal_columns_share_a_booster(library):
    models = choose_training(learner(library), Task(CODE[:, [0, 1, 2, 1]], X, y)).fit()
    assert len(models.models) == 3
    np.testing.assert_array_equal(models.margins(new)[:, 3], models.margins(new)[:, 1])
    np.testing.assert_array_equal(models.probabilities(new)[:, 3], models.probabilities(new)[:, 1])
    first = models.first(2)
    assert type(first) is type(models)
    np.testing.assert_array_equal(first.margins(new), models.margins(new)[:, :2])


def test_models_outlive_pickling(library):
    models = choose_training(learner(library), Task(CODE, X, y)).fit()
    again = pickle.loads(pickle.dumps(models))
    np.testing.assert_array_equal(again.margins(new), models.margins(new))


def test_a_fold_without_a_class(library):
    rows = y < 2  # column 0 sees one side only
    models = choose_training(learner(library), Task(CODE, X[rows], y[rows])).fit()
    assert isinstance(models.estimators[0], Constant)
    assert set(models.margins(new)[:, 0]) == {1.0}
    assert set(models.probabilities(new)[:, 0]) == {1.0}
    only = choose_training(learner(library), Task(CODE, X[y == 0], y[y == 0])).fit()
    np.testing.assert_array_equal(only.margins(new), np.tile(CODE[0].astype(float), (60, 1)))


LONG = np.where(np.random.default_rng(1).random((4, 9)) < 0.5, -1, 1).astype(np.int8)
LONG[:, :2] = np.array([[1, 1, -1, -1], [1, -1, 1, -1]]).T
LONG[:, 4] = 1


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("case", ["plain", "early stopping", "categories"])
def test_columns_of_xgboost_are_one_model(case, n_jobs):
    pd, xgboost = pytest.importorskip("pandas"), pytest.importorskip("xgboost")
    if not can_join(learner("xgboost")):
        pytest.skip("this version of XGBoost has one intercept for all outputs")
    options = {"early_stopping_rounds": 3, "n_estimators": 60, "max_depth": 2} if case == "early stopping" else {}
    usual = LIBRARIES["xgboost"][1] | options
    data, weight, rng = X.copy(), np.random.default_rng(0).uniform(0.2, 2, len(y)), np.random.default_rng(1)
    data[rng.random(X.shape) < 0.1] = np.nan
    if case == "categories":
        data = pd.DataFrame(data[:, :5]).set_axis(list("abcde"), axis=1)
        data["kind"] = pd.Categorical(np.array(["x", "y", "z"])[(y + np.arange(len(y)) % 2) % 3])
        usual = {**usual, "enable_categorical": True}
    estimator = xgboost.XGBClassifier(**usual)
    training = choose_training(estimator, Task(LONG, data, y, weight), Options(n_jobs=n_jobs))
    assert type(training) is MultiLabelTraining
    models, stop = training.fit(), training.stopping_rows()
    real = [model for model in models.estimators if not isinstance(model, Constant)]
    assert len({id(model.outputs) for model in real}) == 1
    rest = np.arange(len(y)) if stop is None else np.setdiff1d(np.arange(len(y)), stop)
    part = data.iloc if case == "categories" else data
    rounds = set()
    for j in range(9):
        labels = (LONG[y, j] > 0).astype(int)
        if labels.all():
            assert isinstance(models.estimators[j], Constant)
            continue
        against = {}
        if stop is not None:
            against = {"eval_set": [(part[stop], labels[stop])], "sample_weight_eval_set": [weight[stop]]}
        own = clone(estimator).fit(part[rest], labels[rest], sample_weight=weight[rest], verbose=False, **against)
        np.testing.assert_array_equal(models.margins(data)[:, j], margins(own, data))
        alone = models.estimators[j].booster
        assert alone.num_boosted_rounds() == (own.best_iteration + 1 if stop is not None else own.n_estimators)
        np.testing.assert_array_equal(models.estimators[j].decision_function(data), margins(own, data))
        rounds.add(alone.num_boosted_rounds())
    assert len(rounds) > 2 or stop is None  # columns stop at different rounds
    for n_columns in (2, 6):
        first = models.first(n_columns)
        np.testing.assert_array_equal(first.margins(data), models.margins(data)[:, :n_columns])
        assert len(pickle.dumps(first)) < len(pickle.dumps(models))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(models)).margins(data), models.margins(data))


def test_columns_of_earlier_fits_and_new_ones(library):
    cache, new_code = TrainingCache(), np.column_stack([CODE[:, 2], [1, 1, -1, -1], CODE[:, 0]]).astype(np.int8)
    choose_training(learner(library), Task(CODE, X, y), Options(cache=cache)).fit()
    again = choose_training(learner(library), Task(new_code, X, y), Options(cache=cache)).fit()
    expected = choose_training(learner(library), Task(new_code, X, y)).fit()
    np.testing.assert_array_equal(again.margins(new), expected.margins(new))
    np.testing.assert_array_equal(again.first(2).margins(new), expected.margins(new)[:, :2])


def test_columns_that_leave_classes_out_are_trained_separately(library):
    training = choose_training(learner(library), Task(OVO, X, y))
    assert type(training) is SeparateTraining
    models, used = training.fit(), np.flatnonzero(OVO[y, 1])
    own = clone(learner(library)).fit(X[used], OVO[y[used], 1] > 0)
    np.testing.assert_allclose(models.margins(new)[:, 1], margins(own, new), atol=1e-6)
    p = own.predict_proba(new)[:, 1]
    np.testing.assert_allclose(expit(models.margins(new)[:, 1]), p, atol=1e-6)  # log-odds here, too


@pytest.mark.parametrize(
    ("library", "parameters"),
    [
        ("xgboost", {"tree_method": "exact"}),
        ("xgboost", {"booster": "dart"}),
        ("xgboost", {"objective": "binary:hinge"}),
        ("lightgbm", {"class_weight": "balanced"}),
        ("lightgbm", {"objective": "cross_entropy"}),
        ("catboost", {"loss_function": "CrossEntropy"}),
    ],
)
def test_other_settings_are_trained_by_the_library_itself(library, parameters):
    pytest.importorskip(library)
    assert type(choose_training(learner(library, **parameters), Task(CODE, X, y))) is SeparateTraining


def test_boosting_without_a_validation_part_stops_by_itself():
    estimator = HistGradientBoostingClassifier(max_iter=8, early_stopping=True, validation_fraction=None)
    trained = train(estimator, Task(CODE, X, y), Options(held_out=HeldOut("part", 5)), held_out=True, cv="auto")
    assert len(trained.rows) == pytest.approx(len(y) / 2, abs=5)


MULTICLASS = [
    ("xgboost", {"objective": "multi:softprob"}),
    ("xgboost", {"objective": "multi:softmax", "num_class": 4}),
    ("xgboost", {"num_class": 4}),
    ("xgboost", {"eval_metric": "mlogloss"}),
    ("xgboost", {"eval_metric": ["auc", "merror"]}),
    *(("lightgbm", {"objective": name}) for name in ("multiclass", "softmax", "multiclassova", "ovr")),
    *(("lightgbm", {name: "multiclass", "num_class": 4}) for name in ("objective_type", "app", "application", "loss")),
    ("lightgbm", {"num_classes": 4}),
    ("lightgbm", {"metric": ["multi_logloss", "multi_error", "auc_mu"]}),
    *(("catboost", {name: "MultiClass"}) for name in ("objective", "loss_function", "eval_metric")),
    ("catboost", {"objective": "MultiClassOneVsAll", "classes_count": 4, "custom_metric": "MultiClass"}),
    ("catboost", {"eval_metric": "MultiClass:hints=skip_train~false"}),
]


@pytest.mark.filterwarnings("ignore:Found .* in params:UserWarning")
@pytest.mark.parametrize(("library", "parameters"), MULTICLASS, ids=str)
@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: make_pipeline("passthrough", model)])
def test_objectives_for_many_classes_become_those_for_two(library, parameters, wrap):
    pytest.importorskip(library)
    given = learner(library, **parameters)
    before = given.get_params()
    for code in (CODE, OVO):
        expected = choose_training(learner(library), Task(code, X, y)).fit()
        models = choose_training(wrap(given), Task(code, X, y)).fit()
        np.testing.assert_allclose(models.margins(new), expected.margins(new), atol=1e-6)
        np.testing.assert_allclose(models.probabilities(new), expected.probabilities(new), atol=1e-6)
    assert given.get_params() == before


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: make_pipeline("passthrough", model)])
def test_a_booster_that_was_fitted_by_itself_is_as_good_as_new(library, wrap):
    fitted = wrap(learner(library)).fit(X, y)
    expected = choose_training(learner(library), Task(CODE, X, y)).fit().margins(new)
    np.testing.assert_allclose(choose_training(fitted, Task(CODE, X, y)).fit().margins(new), expected, atol=1e-6)
    listed = choose_training([fitted] * 3, Task(CODE, X, y)).fit().margins(new)
    np.testing.assert_allclose(listed, expected, atol=1e-6)


BINS = CoarseBins(n_bins=8, n_columns=2, n_rounds=3, learning_rate=0.3, tolerance=0.02, share=1.0)


@pytest.mark.parametrize(
    ("stripes", "parameters", "bins", "expected"),
    [
        (4, {}, BINS, 8),
        (32, {}, BINS, None),  # eight bins cannot tell 32 stripes apart
        (32, {"learning_rate": 0.001}, BINS, None),  # the first rounds of this booster tell nothing
        (4, {"max_bin": 100}, BINS, 100),
        (4, {"feature_types": ["q", "q"]}, BINS, None),
        (4, {}, BINS._replace(share=0.1), None),  # too short a fit for a trial
        (4, {}, None, None),
    ],
)
def test_coarse_bins_of_xgboost_only_where_they_suffice(stripes, parameters, bins, expected):
    booster = pytest.importorskip("xgboost").XGBClassifier(n_estimators=6, n_jobs=1, **parameters)
    rng = np.random.default_rng(0)
    samples = rng.random((400, 2))
    classes = np.floor(samples[:, 0] * stripes + 0.5 * rng.normal(size=400)).astype(int) % 4
    training = choose_training(booster, Task(CODE, samples, classes), Options(bins=bins))
    models = training.fit()
    assert training.estimator.max_bin == expected
    assert ("8 bins" in training.remark) == (expected == 8)
    alone = clone(booster).set_params(max_bin=expected).fit(samples, CODE[classes, 0] > 0)
    trained = train(booster, Task(CODE, samples, classes), Options(bins=bins))
    assert (trained.estimator is None) == (expected != 8)  # what calibrates later has these bins, too
    np.testing.assert_array_equal(models.margins(samples)[:, 0], margins(alone, samples))
