"""Fits on a Dask cluster: two workers train the model of one, and predictions wait until they are needed."""

import logging
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression

from ecoc import ECF, ECOCClassifier
from ecoc.classifier.on_dask import is_dask
from ecoc.training.xgboosting import can_join

xgboost = pytest.importorskip("xgboost")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe", exc_type=ImportError)  # XGBoost needs it, and it needs pyarrow
if not can_join(xgboost.XGBClassifier()):
    pytest.skip("this version of XGBoost has one intercept for all outputs", allow_module_level=True)

SMALL = {"n_estimators": 5, "max_depth": 3, "n_jobs": 1}
CHUNK = 500


def clustered(n_workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
    )


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with clustered(2) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture(scope="module")
def table() -> tuple[Any, Any]:
    X, y = make_blobs(2500, 5, centers=8, cluster_std=2.0, random_state=0)
    X[::17, 2] = np.nan
    return X.astype(np.float32), np.array([f"class {label}" for label in y])


def model() -> ECOCClassifier:
    return ECOCClassifier(xgboost.XGBClassifier(**SMALL), coding=ECF(n_columns=8), random_state=0)


def test_no_client(table):  # before the tests that have one
    X, y = table
    with pytest.raises(ValueError, match=r"no client: dask\.distributed\.Client\(\)"):
        model().fit(da.from_array(X, CHUNK), da.from_array(y, CHUNK))


def test_two_workers_train_the_model_of_one(client, table):
    X, y = table
    lazy_X, lazy_y = da.from_array(X, (CHUNK, 3)), da.from_array(y, 700)
    two = model().fit(lazy_X, lazy_y)
    assert "workers of Dask" in repr(two.plan_)
    one_worker = [next(iter(client.scheduler_info()["workers"]))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client.retire_workers(one_worker)
    one = model().fit(lazy_X, lazy_y)
    client.cluster.scale(2)
    assert np.mean(one.predict(X) == two.predict(X)) >= 0.99
    local = model().fit(X, y)
    assert np.mean(two.predict(X) == y) > np.mean(local.predict(X) == y) - 0.02
    labels, probabilities = two.predict(lazy_X), two.predict_proba(lazy_X)
    assert is_dask(labels)
    assert probabilities.shape == (len(X), 8)
    assert labels.compute().tolist() == two.predict(X).tolist()
    np.testing.assert_array_equal(probabilities.compute(), two.predict_proba(X))
    assert two.truncate(6).predict(X[:5]).shape == (5,)

    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")).assign(label=y), chunksize=CHUNK)
    of_frame = model().fit(frame.drop(columns="label"), frame["label"])
    assert np.mean(of_frame.predict(X) == two.predict(X)) >= 0.99
    found = of_frame.predict(frame.drop(columns="label")).compute()
    assert found.tolist() == of_frame.predict(X).tolist()


def test_errors_say_what_works(client, table):
    X, y = table
    X, y = da.from_array(X, (CHUNK, -1)), da.from_array(y, CHUNK)
    with pytest.raises(ValueError, match="LogisticRegression cannot be trained on Dask"):
        ECOCClassifier(LogisticRegression()).fit(X, y)
    with pytest.raises(ValueError, match="early_stopping_rounds"):
        ECOCClassifier(xgboost.XGBClassifier(early_stopping_rounds=2)).fit(X, y)
    with pytest.raises(ValueError, match="y must be an array or a series of Dask"):
        model().fit(X, y.compute())
    with pytest.raises(ValueError, match="2000 labels"):
        model().fit(X, y[:2000])
    with pytest.raises(ValueError, match="labels are missing"):
        model().fit(X, da.full(len(X), np.nan, chunks=CHUNK))
    with pytest.raises(ValueError, match="without sample_weight"):
        model().fit(X, y, sample_weight=np.ones(len(y)))
