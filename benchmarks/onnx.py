"""Does an exported model predict what the model predicts, and how fast? Learners × decodings × codings in ONNX."""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from benchmarks._report import Goal, Results, Table
from ecoc.decoding import DECODINGS
from ecoc.tool.onnx.verification import steady_rows
from ecoc.training.kernel import KernelDichotomizers

ON_REQUEST = True
_TIE = 1e-5
_CODINGS: dict[str, Any] = {
    "ova": "ova",
    "ovo": "ovo",
    "ecf binary": ecoc.ECF(alphabet="binary"),
    "ecf ternary": ecoc.ECF(alphabet="ternary"),
    "grouped": "grouped",
    "plain": "plain",
}


def _learners() -> dict[str, Any]:
    learners = {
        "logistic": LogisticRegression(),
        "LinearSVC": LinearSVC(),
        "SVC rbf": SVC(),
        "SVC poly": SVC(kernel="poly"),
        "ridge": RidgeClassifier(),
        "tree": DecisionTreeClassifier(),
        "forest": RandomForestClassifier(30),
        "extra trees": ExtraTreesClassifier(30),
        "MLP": MLPClassifier((20,), max_iter=100),
        "HistGradientBoosting": HistGradientBoostingClassifier(max_iter=20),
        "kNN": KNeighborsClassifier(),
        "naive Bayes": GaussianNB(),
    }
    try:
        from lightgbm import LGBMClassifier
        from xgboost import XGBClassifier
    except ImportError:
        return learners
    return {
        **learners,
        "XGBoost": XGBClassifier(n_estimators=20),
        "LightGBM": LGBMClassifier(n_estimators=20, verbose=-1),
    }


def run(quick: bool) -> Results:
    """Export every combination, run it on rows that neither the model nor the export has seen, and time some."""
    n_classes = 6
    X, y = make_classification(
        1400 if quick else 2400, 16, n_informative=10, n_classes=n_classes, n_clusters_per_class=1, random_state=0
    )
    X = X.astype(np.float32).astype(np.float64)
    n = 400 if quick else 1400
    learners, codings = _learners(), list(_CODINGS)
    if quick:
        learners = {name: learners[name] for name in ("logistic", "SVC rbf", "tree")}
        codings = ["ova", "ecf ternary"]
    rows, wrong, largest = [], 0, 0.0
    for name, learner in learners.items():
        found = dict(_each(learner, codings, X[:n], y[:n], X[n:]))
        for coding in codings:
            cells = [found[coding, decoding] for decoding in DECODINGS]
            measured = [cell for cell in cells if not isinstance(cell, str)]
            wrong += sum(cell[0] for cell in measured)
            largest = max([largest, *(cell[2] for cell in measured)])
            missing = [f"{decoding}: {cell}" for decoding, cell in zip(DECODINGS, cells) if isinstance(cell, str)]
            ties = sum(cell[1] for cell in measured)
            worst = max((cell[2] for cell in measured), default=0.0)
            rows.append((name, coding, f"{len(measured)} of {len(cells)}", ties, f"{worst:.1e}", "; ".join(missing)))
    header = ("learner", "coding", "decodings exported", "rows apart", "largest |Δp|", "not exported")
    yield Table(f"Export of {n_classes} classes, {len(X) - n} new rows, float32", header, rows)
    yield Goal("labels are equal away from ties", f"{wrong} differ", wrong == 0)
    yield Goal("probabilities differ by at most 1e-5", f"{largest:.1e}", largest <= 1e-5)
    yield from _speed(learners, X[:n], y[:n], quick)


def _each(learner: Any, codings: list[str], X: Any, y: Any, new: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield (labels that differ, rows apart, largest difference of probabilities), or why there is nothing."""
    for coding in codings:
        cache = ecoc.TrainingCache()
        for decoding in DECODINGS:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = ecoc.ECOCClassifier(
                        learner, coding=_CODINGS[coding], decoding=decoding, random_state=0, warm_start=cache
                    ).fit(X, y)
            except (TypeError, ValueError, AttributeError):
                yield (coding, decoding), "not in Python"
                continue
            try:
                yield (coding, decoding), _compared(model, ecoc.to_onnx(model, X), new)
            except ecoc.ExportError as error:
                yield (coding, decoding), str(error)[:120]


def _compared(model: Any, content: bytes, X: Any) -> tuple[int, int, float]:
    from onnxruntime import InferenceSession

    labels, probabilities = InferenceSession(content).run(None, {"X": X.astype(np.float32)})
    scores = np.sort(model.fitted_.scores(model.validate(X)), axis=1)
    ties = scores[:, -1] - scores[:, -2] < _TIE * np.abs(scores).max(axis=1)
    # Iterations of "probabilistic" that did not converge depend on rounding in Python, too.
    outputs = model.fitted_.outputs_to_decode(model.validate(X))
    steady = steady_rows(model.decoding_, outputs, model.fitted_.decision.scores(outputs), np.float32)
    apart = ties | ~steady
    differ = int((labels != model.predict(X))[~apart].sum())
    return differ, int(apart.sum()), float(np.abs(probabilities - model.predict_proba(X))[steady].max(initial=0))


def _speed(learners: dict[str, Any], X: Any, y: Any, quick: bool) -> Results:
    from onnxruntime import InferenceSession, SessionOptions

    rows, ones, manies, sizes = [], [], [], []
    options = SessionOptions()
    options.intra_op_num_threads = 1  # as predict has one process
    many = np.tile(X, (10_000 // len(X) + 1, 1))[: 2000 if quick else 10_000]
    for name, learner in learners.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ecoc.ECOCClassifier(learner, coding="ova", decoding="linear", random_state=0).fit(X, y)
        try:
            content = ecoc.to_onnx(model, X, outputs="label")
        except ecoc.ExportError:
            continue
        session = InferenceSession(content, options)
        one = _ratio(lambda m=model: m.predict(X[:1]), lambda s=session: s.run(None, {"X": X[:1].astype("f4")}), 20)
        all_rows = _ratio(lambda m=model: m.predict(many), lambda s=session: s.run(None, {"X": many.astype("f4")}), 3)
        ones.append(one)
        manies.append(all_rows)
        of_model = _bytes_of_parameters(model)
        sizes += [] if of_model is None or of_model < 50_000 else [len(content) / of_model]
        rows.append((name, f"{one:.1f} ×", f"{all_rows:.1f} ×", len(content), of_model or ""))
    header = ("learner", "one row", f"{len(many):,} rows", "bytes", "bytes of the parameters")
    yield Table("Speed of ONNX Runtime against predict, on one thread each", header, rows)
    yield Goal("one row at least 5 × as fast as predict", f"{min(ones):.1f} ×", min(ones) >= 5)
    if sizes:
        yield Goal("files of 50 kB or more within 1.2 × of the parameters", f"{max(sizes):.2f} ×", max(sizes) <= 1.2)
    yield Goal(f"{len(many):,} rows not slower than predict", f"{min(manies):.1f} ×", min(manies) >= 1)


def _bytes_of_parameters(model: Any) -> int | None:
    """Count the numbers of kernel machines and trees: 4 bytes each in single precision, 8 in double precision."""
    models = model.fitted_.dichotomizers
    if isinstance(models, KernelDichotomizers):
        return 4 * (np.size(models.vectors) + np.size(models.coefficients) + np.size(models.intercepts))
    trees = [tree for each in model.estimators_ for tree in getattr(each, "estimators_", [each])]
    if not all(hasattr(tree, "tree_") for tree in trees):
        return None
    inner = [int((tree.tree_.children_left >= 0).sum()) for tree in trees]
    # feature, threshold and two children of an inner node, and the output of a leaf
    return int(sum(8 * (4 * n + n + 1) for n in inner))


def _ratio(first: Any, second: Any, repeats: int) -> float:
    """Return how many times as long the first takes, by the shortest of several runs in turn."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for each, times in zip((first, second), taken):
            start = time.perf_counter()
            each()
            times.append(time.perf_counter() - start)
    return min(taken[0]) / min(taken[1])
