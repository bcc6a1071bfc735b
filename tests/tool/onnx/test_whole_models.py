"""Pipelines, tables with text, options of the graph, boosters, skl2onnx, and the command line."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from ecoc.decoding import Decoding, Hamming

onnx = pytest.importorskip("onnx", reason="exporting needs onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="the graphs are run by onnxruntime")

HOSTILE = ["label", "ecoc/columns/Gemm", "", 'x\' or "1"\n', "a/b", "\N{SNOWMAN}"]


def numbers(n=150):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    return np.eye(4, 6)[y] * 3 + rng.normal(size=(n, 6)), y


def table(n=150):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, n)
    colour = np.array(["red", "green", "blue"], dtype=object)[(y + (rng.random(n) < 0.2)) % 3]
    colour[::11] = np.nan
    size = np.where(rng.random(n) < 0.1, np.nan, y + rng.normal(size=n))
    return pd.DataFrame({"size": size, "colour": colour, "weight": 1e6 + rng.normal(size=n)}), y


def run(content, feeds):
    session = onnxruntime.InferenceSession(content)
    return dict(zip((output.name for output in session.get_outputs()), session.run(None, feeds)))


def feeds_of(frame):
    return {
        name: frame[name].fillna("").to_numpy(object)[:, None]
        if name == "colour"
        else frame[name].to_numpy(np.float32)[:, None]
        for name in frame.columns
    }


@pytest.mark.parametrize("inside", [False, True])
def test_table_with_text_and_missing_cells(inside):
    X, y = table()
    preparation = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["size", "weight"]),
        (
            make_pipeline(
                SimpleImputer(strategy="constant", fill_value="missing"), OneHotEncoder(handle_unknown="ignore")
            ),
            ["colour"],
        ),
    )
    learner = LogisticRegression()
    if inside:
        model = ecoc.ECOCClassifier(make_pipeline(preparation, learner), coding="ova", random_state=0).fit(X, y)
    else:
        model = make_pipeline(preparation, ecoc.ECOCClassifier(learner, coding="ova", random_state=0)).fit(X, y)
    content = ecoc.to_onnx(model, X)
    new = X.copy()
    new.loc[3, "colour"] = "never seen"
    new[["size", "weight"]] = new[["size", "weight"]].astype(np.float32).astype(float)
    found = run(content, feeds_of(new))
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), atol=1e-5)
    assert (found["label"] == model.predict(new)).all()


def test_pipeline_of_numbers():
    X, y = numbers()
    model = make_pipeline(MinMaxScaler(), PCA(4), ecoc.ECOCClassifier(SVC(), random_state=0)).fit(X, y)
    found = run(ecoc.to_onnx(model, X, dtype="float64"), {"X": X})
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-12)


def test_hostile_names_of_columns():
    X, y = numbers()
    frame = pd.DataFrame(X, columns=HOSTILE).astype({"a/b": object})
    frame["a/b"] = np.where(X[:, 4] > 0, "yes", "no")
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["a/b"]), remainder="passthrough"),
        ecoc.ECOCClassifier(LogisticRegression(), coding="ova", random_state=0),
    ).fit(frame, y)
    content = ecoc.to_onnx(model, frame)
    names = [value.name for value in onnx.load_from_string(content).graph.input]
    assert len(set(names)) == 6
    assert "label" not in names


def test_options():
    X, y = numbers()
    model = ecoc.ECOCClassifier(
        LogisticRegression(), random_state=0, costs={(0, 1): 20}, reject_cost=0.3, reject_label=-1
    )
    model.fit(X, y)
    outputs = ("label", "probabilities", "scores", "columns", "top", "sets")
    found = run(ecoc.to_onnx(model, X, outputs=outputs, dtype="float64", n_best=2, confidence=0.95), {"X": X})
    assert -1 in found["label"]
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_allclose(found["scores"], model.decision_function(X), atol=1e-9)
    labels, values = model.predict_top(X, 2, probabilities=True)
    np.testing.assert_array_equal(found["top_labels"], labels)
    np.testing.assert_allclose(found["top_values"], values, atol=1e-12)
    np.testing.assert_array_equal(found["sets"], model.predict_sets(X, 0.95))
    np.testing.assert_allclose(found["columns"], model.outputs(X, model.decoding_.needs), atol=1e-9)


def test_costs_of_the_graph():
    X, y = numbers()
    model = ecoc.ECOCClassifier(LogisticRegression(), random_state=0).fit(X, y)
    careful = ecoc.ECOCClassifier(LogisticRegression(), random_state=0, costs={(0, 1): 50}).fit(X, y)
    found = run(ecoc.to_onnx(model, X, costs={(0, 1): 50}, dtype="float64"), {"X": X})
    np.testing.assert_array_equal(found["label"], careful.predict(X))
    assert (found["label"] != model.predict(X)).any()


def test_no_probabilities():
    X, y = numbers()
    model = ecoc.ECOCClassifier(SVC(), decoding="hamming", probability=False).fit(X, y)
    assert list(run(ecoc.to_onnx(model, X), {"X": X.astype(np.float32)})) == ["label"]
    with pytest.raises(ValueError, match="probability=True"):
        ecoc.to_onnx(model, X, outputs=("probabilities",))


@pytest.mark.parametrize("name", ["xgboost.XGBClassifier", "lightgbm.LGBMClassifier", "catboost.CatBoostClassifier"])
@pytest.mark.parametrize("coding", ["ova", "ovo", "plain"])
def test_boosters(name, coding):
    package, kind = name.split(".")
    booster = getattr(pytest.importorskip(package), kind)
    quiet = {"xgboost": {}, "lightgbm": {"verbose": -1}, "catboost": {"verbose": 0, "allow_writing_files": False}}
    X, y = numbers()
    X[::7, 2] = np.nan
    model = ecoc.ECOCClassifier(booster(n_estimators=5, **quiet[package]), coding=coding, random_state=0).fit(X, y)
    if package == "catboost" and coding == "plain":
        with pytest.raises(ecoc.ExportError, match="coding='ova' can"):
            ecoc.to_onnx(model, X)
        return
    content = ecoc.to_onnx(model, X)
    single = X.astype(np.float32)
    found = run(content, {"X": single})
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(single.astype(float)), atol=1e-5)
    assert [node.op_type for node in onnx.load_from_string(content).graph.node].count("TreeEnsemble") == 1


class Other(Hamming):
    """A decoding of the user's own."""


class OtherTree(DecisionTreeClassifier):
    """A learner of the user's own."""


def test_what_cannot_be_exported_is_named():
    X, y = numbers()
    model = ecoc.ECOCClassifier(LogisticRegression(), coding="ova", decoding=Other()).fit(X, y)
    with pytest.raises(ecoc.ExportError, match=r"Other decoding has no ONNX nodes.*hamming"):
        ecoc.to_onnx(model, X)
    model = ecoc.ECOCClassifier(OtherTree(), coding="ova", decoding="hamming", cv=2).fit(X, y)
    with pytest.raises(ecoc.ExportError, match=r"OtherTree cannot be exported.*What can"):
        ecoc.to_onnx(model, X)
    model = ecoc.ECOCClassifier(SVC(kernel=np.inner), coding="ova", decoding="hamming").fit(X, y)
    with pytest.raises(ecoc.ExportError, match="Python function"):
        ecoc.to_onnx(model, X)
    with pytest.raises(TypeError, match="skl2onnx"):
        ecoc.to_onnx(LogisticRegression().fit(X, y), X)
    assert issubclass(Other, Decoding)


def test_skl2onnx_knows_the_classifier():
    skl2onnx = pytest.importorskip("skl2onnx")
    from ecoc.tool.onnx import register

    register()
    X, y = numbers()
    model = make_pipeline(StandardScaler(), ecoc.ECOCClassifier(SVC(), random_state=0)).fit(X, y)
    made = skl2onnx.to_onnx(model, X[:1], options={"zipmap": False})
    found = run(made.SerializeToString(), {"X": X})
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-9)
    none = ecoc.ECOCClassifier(SVC(), decoding="hamming", probability=False).fit(X, y)
    with pytest.raises(ecoc.ExportError, match="probability=True"):
        skl2onnx.to_onnx(none, X[:1])


def test_skl2onnx_converts_what_contains_the_classifier():
    skl2onnx = pytest.importorskip("skl2onnx")
    from ecoc.tool.onnx import register

    register()
    X, y = numbers()
    X, labels = X.round().astype(np.int64), np.array(["a", "b", "c", "d"])[y]
    parts = {
        "tree": ecoc.ECOCClassifier(DecisionTreeClassifier(max_depth=3), random_state=0),
        "forest": ecoc.ECOCClassifier(RandomForestClassifier(5, max_depth=3), coding="plain", random_state=0),
        "careful": ecoc.ECOCClassifier(LogisticRegression(), coding="ova", random_state=0, costs={(0, 1): 20}),
        "wrapped": ecoc.LeastCostClassifier(ecoc.ECOCClassifier(SVC(), random_state=0), costs={(1, 0): 20}),
    }
    voting = VotingClassifier(list(parts.items()), voting="soft", flatten_transform=False).fit(X, labels)
    for model in (*voting.named_estimators_.values(), make_pipeline(StandardScaler(), voting).fit(X, labels)):
        made = skl2onnx.to_onnx(model, X[:1], options={"zipmap": False})
        found = run(made.SerializeToString(), {"X": X})
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-5)
        np.testing.assert_array_equal(found["label"], model.predict(X))


def ecoc_command(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "ecoc", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_command_line(tmp_path):
    pytest.importorskip("skops")
    X, y = table()
    X.assign(label=np.array(["a", "b", "c"])[y]).to_csv(tmp_path / "pets.csv", index=False)
    assert ecoc_command("fit", "pets.csv", "-o", "m.skops", "--learner", "logistic", cwd=tmp_path).returncode == 0
    done = ecoc_command("export", "m.skops", "m.onnx", "--outputs", "label,top", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outputs"] == ["label", "top_labels", "top_values"]
    shown = ecoc_command("show", "m.onnx", "--json", cwd=tmp_path)
    assert json.loads(shown.stdout)["codebook"]["classes"] == ["a", "b", "c"]
    assert json.loads(shown.stdout)["inputs"] == ["size", "colour", "weight"]
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    assert "no ONNX file that ecoc wrote" in ecoc_command("show", "broken.onnx", cwd=tmp_path).stderr
