"""Does the graph predict what the model predicts? Every decoding, coding and learner, run by ONNX Runtime."""

import warnings
from functools import cache
from itertools import cycle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from ecoc.decoding import DECODINGS, Probabilistic
from ecoc.tool.onnx import export

onnx = pytest.importorskip("onnx", reason="exporting needs onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="the graphs are run by onnxruntime")

CODINGS = {
    "ova": "ova",
    "ovo": "ovo",
    "ecf binary": ecoc.ECF(alphabet="binary", n_columns=6),
    "ecf ternary": ecoc.ECF(alphabet="ternary", n_columns=8),
    "grouped": ecoc.Grouped(n_groups=2),
    "plain": "plain",
}
LEARNERS = {
    "logistic": LogisticRegression(),
    "sgd": SGDClassifier(loss="log_loss"),
    "lda": LinearDiscriminantAnalysis(),
    "linear svc": LinearSVC(),
    "rbf": SVC(gamma=0.1),
    "rbf scaled": SVC(),
    "poly": SVC(kernel="poly", coef0=1.0),
    "sigmoid": NuSVC(kernel="sigmoid", nu=0.1, gamma=0.01),
    "linear kernel": SVC(kernel="linear"),
    "ridge classifier": RidgeClassifier(),
    "ridge": Ridge(),
    "kernel ridge": KernelRidge(kernel="rbf", gamma=0.01),
    "tree": DecisionTreeClassifier(max_depth=3),
    "forest": RandomForestClassifier(8),
    "forest regressor": RandomForestRegressor(5),
    "extra trees": ExtraTreesClassifier(8, bootstrap=True),
    "gradient boosting": GradientBoostingClassifier(n_estimators=4),
    "hist boosting": HistGradientBoostingClassifier(max_iter=4),
    "network": MLPClassifier((5, 4), max_iter=30),
    "network regressor": MLPRegressor(hidden_layer_sizes=(5,), activation="tanh", max_iter=30),
    "neighbours": KNeighborsClassifier(),
    "naive bayes": GaussianNB(),
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "pipeline of powers": make_pipeline(PowerTransformer(), SVC(gamma=0.1)),
    "search": GridSearchCV(RidgeClassifier(), {"alpha": [0.1, 1]}, cv=2),
}


@cache
def samples(n=150):
    X, y = make_blobs(n, 6, centers=5, cluster_std=5.0, random_state=3)
    return X, y, *make_blobs(300, 6, centers=5, cluster_std=5.0, random_state=4)


@cache
def fitted(learner, coding, decoding="auto", probability="auto"):
    X, y, *_ = samples()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ecoc.ECOCClassifier(
            LEARNERS[learner], coding=CODINGS[coding], decoding=decoding, probability=probability, random_state=0
        )
        return model.fit(X, y)


def run(content, X, **options):
    session = onnxruntime.InferenceSession(content)
    kind = {"tensor(float)": np.float32, "tensor(double)": np.float64}[session.get_inputs()[0].type]
    values = session.run(None, {session.get_inputs()[0].name: np.asarray(X).astype(kind)})
    return dict(zip((output.name for output in session.get_outputs()), values))


def converged(model, X, most):
    """Which samples have the same probabilities whatever the order of the columns?"""
    outputs, matrix = model.outputs(X, "probabilities"), model.code_book_.matrix
    same, found = np.ones(len(X), dtype=bool), model.decoding_.probabilities(outputs)
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(matrix.shape[1])
        decoding = clone(model.decoding_).set_params(max_iter=100 * (1 + seed)).fit(matrix[:, order])
        same &= np.abs(decoding.probabilities(outputs[:, order]) - found).max(axis=1) < most
    return same


def assert_same(model, content, X, dtype):
    """Labels are equal away from ties, and probabilities to 1e-5 or 1e-12, for samples that the export did not see."""
    X = X.astype(dtype).astype(np.float64)
    if isinstance(model.decoding_, Probabilistic):  # samples that converge slowly depend on rounding in Python, too
        X = X[converged(model, X, 1e-6 if dtype == "float32" else 1e-13)]
        assert len(X) > 20
    found = run(content, X)
    limit = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=limit, rtol=0)
    scores = np.sort(model.fitted_.scores(model.validate(X)), axis=1)
    clear = scores[:, -1] - scores[:, -2] > 1e-5
    assert clear.mean() > 0.5 or len(np.unique(scores.round(9))) < 0.5 * scores.size  # votes tie
    np.testing.assert_array_equal(found["label"][clear], model.predict(X)[clear])


# All of them with all learners: `python -m benchmarks onnx`.
PAIRS = [(decoding, coding) for decoding in DECODINGS for coding in ("ecf binary", "ecf ternary")]
PAIRS += [(decoding, coding) for decoding in ("hamming", "discriminant") for coding in ("ova", "ovo", "grouped")]


@pytest.mark.parametrize(("decoding", "coding"), PAIRS)
def test_every_decoding(decoding, coding):
    model, (X, _, X_new, _) = fitted("logistic", coding, decoding), samples()
    dtype = "float32" if coding in ("ova", "ecf ternary") else "float64"
    assert_same(model, ecoc.to_onnx(model, X, dtype=dtype), X_new, dtype)


@pytest.mark.parametrize(("learner", "coding"), list(zip(LEARNERS, cycle(["ova", "ovo"]))))
def test_every_learner(learner, coding):
    model, (X, _, X_new, _) = fitted(learner, coding), samples()
    dtype = "float32" if coding == "ova" or learner == "pipeline of powers" else "float64"
    assert_same(model, ecoc.to_onnx(model, X, dtype=dtype), X_new, dtype)


@pytest.mark.parametrize("learner", ["lda", "tree", "forest", "network", "hist boosting", "naive bayes"])
def test_probabilities_of_columns(learner):
    model, (X, _, X_new, _) = fitted(learner, "ovo", "probabilistic"), samples()
    assert_same(model, ecoc.to_onnx(model, X), X_new, "float32")


PLAIN = ("logistic", "linear svc", "rbf", "forest", "bagging", "gradient boosting", "hist boosting", "network")


@pytest.mark.parametrize("learner", [*PLAIN, "neighbours", "naive bayes"])
def test_the_learner_itself(learner):
    model, (X, _, X_new, _) = fitted(learner, "plain"), samples()
    for dtype in ("float32", "float64"):
        assert_same(model, ecoc.to_onnx(model, X, dtype=dtype), X_new, dtype)


@pytest.mark.parametrize("learner", ["logistic", "lda", "rbf", "tree", "network", "hist boosting", "search"])
def test_the_learner_itself_for_two_classes(learner):
    X, y, X_new, _ = samples()
    model = ecoc.ECOCClassifier(LEARNERS[learner], coding="plain", random_state=0).fit(X, y > 2)
    assert_same(model, ecoc.to_onnx(model, X, dtype="float64"), X_new, "float64")


def test_a_class_that_the_learner_does_not_know():
    X, y, X_new, _ = samples()
    model = ecoc.ECOCClassifier(LogisticRegression(), coding="plain", random_state=0).fit(X, y)
    models, known = model.fitted_.dichotomizers, np.flatnonzero(y != 3)
    models.model.fit(X[known], np.unique(y[known], return_inverse=True)[1])
    models.classes = np.array([0, 1, 2, 4])
    assert_same(model, ecoc.to_onnx(model, X), X_new, "float32")


def test_one_node_for_all_columns():
    X = samples()[0]
    nodes = {name: [node.op_type for node in graph_of(name).node] for name in ("logistic", "rbf", "tree", "forest")}
    assert nodes["logistic"].count("Gemm") <= 2
    assert "MatMul" not in nodes["rbf"][: nodes["rbf"].index("Exp")]
    assert [op for op in nodes["rbf"] if op in ("Gemm", "Exp")][:3] == ["Gemm", "Exp", "Gemm"]
    assert nodes["tree"].count("TreeEnsemble") == nodes["forest"].count("TreeEnsemble") == 1
    vectors = [tensor for tensor in graph_of("rbf").initializer if list(tensor.dims)[:1] == [X.shape[1]]]
    assert len(vectors) <= 2  # the support vectors once, and the centre


def graph_of(learner):
    return onnx.load_from_string(ecoc.to_onnx(fitted(learner, "ova"), samples()[0])).graph


def test_the_same_bytes():
    X, y, *_ = samples()
    model = ecoc.ECOCClassifier(SVC(), random_state=0)
    assert ecoc.to_onnx(model.fit(X, y), X) == ecoc.to_onnx(model.fit(X, y), X)


def test_a_wrong_graph_is_named(monkeypatch):
    model, X = fitted("logistic", "ova", "discriminant"), samples()[0]
    monkeypatch.setattr(export, "probabilities_of", too_sure)
    with pytest.raises(ecoc.ExportError, match=r"node ecoc/probabilities/.*differ.*by up to 0\.00"):
        ecoc.to_onnx(model, X)


PROBABILITIES = export.probabilities_of


def too_sure(graph, scores, calibration, n_classes):
    wrong = calibration._replace(temperature=1.01 * calibration.temperature)
    return PROBABILITIES(graph, scores, wrong, n_classes)


def test_wrong_columns_are_named(monkeypatch):
    model, X = fitted("logistic", "ova", "hamming"), samples()[0]
    outputs_of = export.outputs_of
    monkeypatch.setattr(export, "outputs_of", lambda graph, *given: graph.add("Neg", outputs_of(graph, *given)))
    with pytest.raises(ecoc.ExportError, match=r"node ecoc/Neg \(Neg\): columns of the graph differ.*by up to 2"):
        ecoc.to_onnx(model, X)


def test_double_precision_where_single_is_not_enough():
    X, y, *_ = samples()
    model = ecoc.ECOCClassifier(SVC(C=1e6, gamma=1e-4), coding="ova", random_state=0).fit(X + 1000, y)
    content = ecoc.to_onnx(model, X + 1000)
    assert facts(content)["arithmetic"] == "float64"
    assert_same(model, content, X + 1000, "float32")
    with pytest.raises(ecoc.ExportError, match="node"):
        ecoc.to_onnx(model, X + 1000, arithmetic="float32")


def facts(content):
    return {each.key.removeprefix("ecoc."): each.value for each in onnx.load_from_string(content).metadata_props}


def test_code_book_and_classes_are_in_the_file():
    model, X = fitted("tree", "ecf ternary"), samples()[0]
    found = facts(ecoc.to_onnx(model, X))
    rows = [["-0+".index(sign) - 1 for sign in row] for row in found["code_book"].split("\n")]
    np.testing.assert_array_equal(rows, model.code_book_.matrix)
    assert found["classes"] == "[0, 1, 2, 3, 4]"
    assert found["version"] == ecoc.__version__
    assert '"ai.onnx.ml": 5' in found["opset"]
    assert found["verified"] == "150 rows, to 1e-05"


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "b", "", "\N{SNOWMAN}" * 200, "'\"\\\n{}<script>"], dtype=object),
        np.array([-5, 0, 7, 2**62, 9]),
        np.array([0.0, 1.0, -2.0, 1e6, 3.0]),
    ],
)
def test_labels(labels):
    X, y, *_ = samples()
    model = ecoc.ECOCClassifier(LogisticRegression(), coding="ova", decoding="linear", random_state=0)
    model.fit(X, labels[y])
    assert run(ecoc.to_onnx(model, X), X)["label"].tolist() == model.predict(X.astype(np.float32)).tolist()


def test_two_truth_values():
    X, y, *_ = samples()
    model = ecoc.ECOCClassifier(LogisticRegression(), random_state=0).fit(X, y > 2)
    found = run(ecoc.to_onnx(model, X, outputs=("label", "scores")), X)
    assert found["label"].dtype == bool
    assert found["scores"].shape == (len(X), 2)


def test_missing_values_go_where_the_trees_send_them():
    X, y, *_ = samples()
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    for learner in (DecisionTreeClassifier(max_depth=4), HistGradientBoostingClassifier(max_iter=5)):
        model = ecoc.ECOCClassifier(learner, coding="ova", random_state=0).fit(X, y)
        assert_same(model, ecoc.to_onnx(model, X), X, "float32")


def test_constant_columns():
    """A class with one sample is missing in folds, so that trees of some folds know one side only."""
    X, y, *_ = samples()
    X, y = np.vstack([X, X[:1] + 30]), np.append(y, 5)
    model = ecoc.ECOCClassifier(DecisionTreeClassifier(), coding="ova", decoding="discriminant", random_state=0)
    assert_same(model.fit(X, y), ecoc.to_onnx(model, X), X, "float32")


def test_truncated_and_joint_models():
    X, y, X_new, _ = samples()
    for learner in (RidgeClassifier(), RandomForestRegressor(3), SVC()):
        model = ecoc.ECOCClassifier(learner, coding="dense", random_state=0).fit(X, y).truncate(10)
        assert_same(model, ecoc.to_onnx(model, X), X_new, "float32")
