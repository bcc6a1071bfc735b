"""What does sharing save? Fit and predict against scikit-learn's meta-estimators, same columns, in turn."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._datasets import load
from benchmarks._measure import in_turn, timed
from benchmarks._report import Goal, Results, Table
from ecoc import ECOCClassifier

COLUMNS = ("model", "fit s", "predict s", "accuracy")


def run(quick: bool) -> Results:
    """Kernels, one-vs-all on signs, linear models, two jobs."""
    yield from kernels(quick)
    yield from one_vs_all(quick)
    yield from linear(quick)
    yield from two_jobs(quick)


def kernels(quick: bool) -> Results:
    """RBF machines under a dense random code, against OutputCodeClassifier with the same columns."""
    n, d, k, l, repeats = (600, 32, 8, 8, 1) if quick else (4000, 256, 20, 20, 3)
    X, y = blobs(n + n // 2, d, k, spread=0.35)
    X, y, new, truth = X[:n], y[:n], X[n:], y[n:]

    def peer() -> Any:
        return OutputCodeClassifier(SVC(), code_size=l / k, random_state=0)

    code = peer().fit(X[: 5 * k], y[: 5 * k]).code_book_  # drawn before any training: the same for all samples
    code = np.where(code > 0, 1, -1)
    models = {
        "OutputCodeClassifier(SVC())": peer,
        "ECOCClassifier(SVC())": lambda: ECOCClassifier(SVC(), coding=code, decoding="euclidean", probability=False),
    }
    fit, predict, rows = race(models, X, y, new, truth, repeats)
    yield Table(
        f"RBF SVC, n={n}, d={d}, {k} classes, {l} dense random columns; {len(new)} rows predicted", COLUMNS, rows
    )
    yield goal("fit", fit, 8)
    yield goal("predict", predict, 80)


def one_vs_all(quick: bool) -> Results:
    """Traffic signs where the data is there, else digits."""
    X, y, name = signs()
    if quick:
        X, y = X[:400], y[:400]
    half = len(X) * 2 // 3
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:half], order[half:]
    pca = PCA(min(100, X.shape[1], half), random_state=0).fit(X[train])
    A, B = pca.transform(X[train]), pca.transform(X[test])
    machine = SVC(C=10)
    models = {
        "OneVsRestClassifier(SVC())": lambda: OneVsRestClassifier(machine),
        "SVC(), one-vs-one in C++": lambda: SVC(C=10),
        "ECOCClassifier(SVC(), ova)": lambda: ECOCClassifier(
            machine, coding="ova", decoding="linear", probability=False
        ),
    }
    fit, predict, rows = race(models, A, y[train], B, y[test], 1 if quick else 3)
    yield Table(f"{name}, PCA {A.shape[1]}, one-vs-all columns", COLUMNS, rows)
    yield goal("fit against OneVsRestClassifier", fit, 1)
    yield goal("predict against OneVsRestClassifier", predict, 20)
    yield goal("predict against SVC", predict, 5, peer=1)


def linear(quick: bool) -> Results:
    """Many classes and a linear learner: figures, no goal."""
    n, d, k, l = (2000, 32, 50, 16) if quick else (100_000, 128, 1000, 128)
    X, y = blobs(n + n // 10, d, k, spread=1.0)
    X, y, new, truth = X[:n], y[:n], X[n:], y[n:]
    models: dict[str, Callable[[], Any]] = {
        "RidgeClassifier()": RidgeClassifier,
        f"ECOCClassifier(Ridge()), dense, l={l}": lambda: ECOCClassifier(
            Ridge(), coding=random_code(k, l), decoding="euclidean", probability=False
        ),
    }
    if quick:
        models["OneVsRestClassifier(RidgeClassifier())"] = lambda: OneVsRestClassifier(RidgeClassifier())
    _, _, rows = race(models, X, y, new, truth, 1)
    sized = [(*row, megabytes(models[row[0]]().fit(X[: 10 * k], np.arange(10 * k) % k))) for row in rows]
    yield Table(f"Linear, n={n:,}, d={d}, {k:,} classes; {len(new):,} rows predicted", (*COLUMNS, "model MB"), sized)
    if not quick:
        yield "OneVsRestClassifier(RidgeClassifier()) would fit 1,000 models on 100,000 samples: left out in full."


def two_jobs(quick: bool) -> Results:
    """Two jobs against one, and the same models."""
    n, d, k, l = (1000, 20, 6, 6) if quick else (5000, 50, 12, 16)
    X, y = blobs(n, d, k, spread=0.8)
    rows = []
    for estimator in (LogisticRegression(max_iter=200), DecisionTreeClassifier(max_depth=12)):

        def fit(jobs: int, estimator: Any = estimator) -> Any:
            options = {"coding": random_code(k, l), "decoding": "linear", "probability": False, "random_state": 0}
            return ECOCClassifier(estimator, n_jobs=jobs, **options).fit(X, y)

        fit(2)  # starts the workers
        taken = in_turn(
            {"1": lambda fit=fit: timed(fit, 1)[1], "2": lambda fit=fit: timed(fit, 2)[1]}, 1 if quick else 3
        )
        one, two = (float(np.median(taken[jobs])) for jobs in "12")
        same = bool(np.array_equal(fit(1).decision_function(X), fit(2).decision_function(X)))
        rows.append((type(estimator).__name__, one, two, one / two, same))
    yield Table(
        f"n_jobs, n={n:,}, d={d}, {l} columns", ("estimator", "1 job s", "2 jobs s", "ratio", "identical"), rows
    )
    yield Goal("2 jobs ≥ 1.7 × as fast", ", ".join(f"{row[3]:.2f}" for row in rows), all(row[3] >= 1.7 for row in rows))
    yield Goal("identical models", str(all(row[4] for row in rows)), all(row[4] for row in rows))


def race(
    models: dict[str, Callable[[], Any]], X: Any, y: Any, new: Any, truth: Any, repeats: int
) -> tuple[list[float], list[float], list[tuple[Any, ...]]]:
    """Median seconds to fit and to predict, models in turn, and a row each; the last model is ours."""
    fitted: dict[str, Any] = {}

    def fit(name: str) -> float:
        fitted[name], seconds = timed(models[name]().fit, X, y)
        return seconds

    fits = in_turn({name: lambda name=name: fit(name) for name in models}, repeats)
    predicts = in_turn({name: lambda name=name: timed(fitted[name].predict, new)[1] for name in models}, repeats)
    fit_s = [float(np.median(fits[name])) for name in models]
    predict_s = [float(np.median(predicts[name])) for name in models]
    scores = [float(np.mean(fitted[name].predict(new) == truth)) for name in models]
    return fit_s, predict_s, list(zip(models, fit_s, predict_s, scores))


def goal(what: str, seconds: list[float], least: float, peer: int = 0) -> Goal:
    """Ours, the last, against a peer."""
    ratio = seconds[peer] / seconds[-1]
    return Goal(f"{what} ≥ {least} ×", f"{ratio:.1f} ×", ratio >= least)


def blobs(n: int, d: int, k: int, spread: float) -> tuple[Any, Any]:
    """Gaussian classes."""
    rng = np.random.default_rng(0)
    centres = spread * rng.standard_normal((k, d))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    return centres[y] + rng.standard_normal((n, d)), y


def random_code(k: int, l: int) -> Any:
    """A dense random code."""
    return np.random.default_rng(0).choice([-1, 1], size=(k, l))


def signs() -> tuple[Any, Any, str]:
    """Traffic signs if the data folder has them."""
    if (found := load("traffic36")) is not None:
        return found[0] / 255, found[1], "traffic36"
    X, y = load_digits(return_X_y=True)
    return X / 16, y, "digits (traffic36 is not there)"


def megabytes(model: Any) -> float:
    """Size of a fitted model's arrays, pickled."""
    import pickle

    return len(pickle.dumps(model)) / 1e6
