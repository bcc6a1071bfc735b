"""Fits from batches: the columns are those of a fit in memory, and what grows with the table stays in files."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.svm import SVC

import ecoc
from ecoc import ECF, Batches, ECOCClassifier
from ecoc.classifier.out_of_core import TrainingBatches, first_pass
from ecoc.training.choosing import choose_training
from ecoc.training.interfaces import Task
from ecoc.training.xgboosting import can_join

xgboost = pytest.importorskip("xgboost")
SMALL = {"n_estimators": 4, "max_depth": 3, "n_jobs": 1}
if not can_join(xgboost.XGBClassifier()):
    pytest.skip("this version of XGBoost has one intercept for all outputs", allow_module_level=True)


def table(k=12, n=2400):
    X, y = make_blobs(n, 5, centers=k, cluster_std=2.0, random_state=0)
    X = X.astype(np.float32)
    X[::17, 2] = np.nan
    return X, np.array([f"class {label:02}" for label in y])


def in_batches(X, y, rows=500):
    return [(X[i : i + rows], y[i : i + rows]) for i in range(0, len(y), rows)]


@pytest.mark.parametrize("k", [12, 60])
@pytest.mark.parametrize("extra", [{}, {"early_stopping_rounds": 2, "n_estimators": 12}])
def test_columns_are_those_of_a_fit_in_memory(k, extra, tmp_path):
    X, y = table(k)
    learner = xgboost.XGBClassifier(**{**SMALL, **extra})
    model = ECOCClassifier(learner, coding=ECF(n_columns=12), random_state=0)
    model.fit(Batches(in_batches(X, y), folder=tmp_path))
    assert not list(tmp_path.iterdir())
    assert "half" not in repr(model.plan_)
    assert "at most a tenth" in repr(model.plan_)
    seed = int(np.random.RandomState(0).randint(np.iinfo(np.int32).max))
    found = first_pass(Batches(in_batches(X, y)), seed)
    used, of_used = (np.concatenate(each) for each in zip(*TrainingBatches(in_batches(X, y), found)))
    assert 0.85 * len(y) < len(of_used) < 0.95 * len(y)
    if not extra:  # with early stopping, the samples that stop are others
        own = choose_training(learner, Task(model.code_book_.matrix, used, of_used)).fit()
        np.testing.assert_allclose(model.outputs(X), own.margins(X), atol=1e-4)  # the drawn samples are all
    in_memory = ECOCClassifier(learner, coding=ECF(n_columns=12), random_state=0).fit(X, y)
    assert np.mean(model.predict(X) == y) > np.mean(in_memory.predict(X) == y) - 0.05
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    for batches in (in_batches(X, y), [X[:700], X[700:]]):
        assert model.predict(Batches(batches)).tolist() == model.predict(X).tolist()
    few = ECOCClassifier(learner, coding=ECF(n_columns=12), random_state=0)
    few.fit(Batches(in_batches(X, y), max_memory=3e5))  # the columns are trained in parts
    assert few.outputs(X).shape == (len(X), 12)


def test_batches_from_files(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = table(4, 90)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(label=y)
    frame.to_csv(tmp_path / "a.csv", index=False)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    sources = [
        Batches(tmp_path / "a.csv", "label", rows=40),
        Batches(str(tmp_path / "x.npy"), tmp_path / "y.npy", rows=40),
    ]
    try:
        frame.to_parquet(tmp_path / "a.parquet")
        sources.append(Batches([tmp_path / "a.parquet"], "label", rows=40))
    except ImportError:
        pass
    for source in sources:
        for _ in range(2):
            Xs, ys = zip(*source)
            assert max(map(len, ys)) == 40
            np.testing.assert_allclose(np.concatenate(Xs), X, rtol=1e-6)
            assert np.concatenate(ys).tolist() == y.tolist()
    with pytest.raises(ecoc.DataError, match=r"column 'label' .* not numbers"):
        list(Batches(tmp_path / "a.csv", "e"))
    with pytest.raises(ecoc.DataError, match=r"\.parquet, \.csv, \.npy"):
        Batches("a.xlsx")


def test_what_cannot_be_trained_from_batches():
    X, y = table(4, 200)
    for learner in (SVC(), xgboost.XGBClassifier(subsample=0.5, **SMALL)):
        with pytest.raises(ValueError, match="cannot be trained from batches"):
            ECOCClassifier(learner, coding="ova").fit(Batches(in_batches(np.nan_to_num(X), y)))
    model = ECOCClassifier(xgboost.XGBClassifier(**SMALL), coding="ova")
    with pytest.raises(ValueError, match="several times"):
        Batches(iter(in_batches(X, y)))
    with pytest.raises(ValueError, match="at least two"):
        model.fit(Batches([(X, np.zeros(200))]))
    with pytest.raises(ValueError, match="without y"):
        model.fit(Batches(in_batches(X, y)), y)
    with pytest.raises(ValueError, match="column of labels"):
        model.fit(Batches([X]))
    with pytest.raises(ValueError, match="no batches"):
        model.fit(Batches([]))


def test_command_line(tmp_path):
    testing = pytest.importorskip("typer.testing")
    pd = pytest.importorskip("pandas")
    from ecoc.tool.cli.app import app

    X, y = table(4, 300)
    data, model, out = (tmp_path / name for name in ("a.csv", "model.skops", "out.csv"))
    pd.DataFrame(X, columns=list("abcde")).assign(label=y).to_csv(data, index=False)
    run = testing.CliRunner().invoke
    given = ["fit", str(data), "-o", str(model), "--learner", "xgboost", "--coding", "ova", "--out-of-core"]
    assert "needs --target" in run(app, given).output
    assert "does not support --drop" in run(app, [*given, "--drop", "a"]).output
    assert "4 classes" in run(app, [*given, "--target", "label"]).output
    trust = ["--trust", "xgboost.core.Booster", "--trust", "xgboost.sklearn.XGBClassifier"]
    asked = ["predict", str(model), str(data), "-o", str(out), "--out-of-core", *trust]
    assert "300 predictions" in run(app, asked).output
    assert np.mean(pd.read_csv(out).prediction.to_numpy() == y) > 0.6
