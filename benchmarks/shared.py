"""What does sharing work between columns save? Fit and predict against scikit-learn, with the same columns."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._datasets import load
from benchmarks._measure import in_fresh_process, in_turn, peak_megabytes, timed
from benchmarks._report import Goal, Results, Table
from ecoc import ECF, ECOCClassifier

COLUMNS = ("model", "fit s", "predict s", "accuracy", "model MB", "peak MB above data")


class Case(NamedTuple):
    """Models to compare on some data; the last model is ours."""

    title: str
    models: dict[str, Callable[[], Any]]
    data: tuple[Any, Any, Any, Any]
    repeats: int = 3


def run(quick: bool) -> Results:
    """Compare kernels, one-vs-all on traffic signs, linear models, and two jobs."""
    fit, predict, table = race(kernels, quick)
    yield table
    yield goal("fit", fit, 8)
    yield goal("predict", predict, 80)
    fit, predict, table = race(one_vs_all, quick)
    yield table
    yield goal("fit against OneVsRestClassifier", fit, 1)
    yield goal("predict against OneVsRestClassifier", predict, 20)
    yield goal("predict against SVC", predict, 5, peer=1)
    yield race(linear, quick)[2]
    yield from two_jobs(quick)


def kernels(quick: bool) -> Case:
    """RBF SVC with a dense random code, against OutputCodeClassifier with the same columns."""
    n, d, k, l = (600, 32, 8, 8) if quick else (4000, 256, 20, 20)
    X, y, new, truth = blobs(n, n // 2, d, k, spread=0.35)

    def peer() -> Any:
        return OutputCodeClassifier(SVC(), code_size=l / k, random_state=0)

    code = peer().fit(X[: 5 * k], y[: 5 * k]).code_book_  # drawn before training, so it does not depend on the samples
    code = np.where(code > 0, 1, -1)
    models = {
        "OutputCodeClassifier(SVC())": peer,
        "ECOCClassifier(SVC())": lambda: ECOCClassifier(SVC(), coding=code, decoding="euclidean", probability=False),
    }
    title = f"RBF SVC, n={n}, d={d}, {k} classes, {l} dense random columns; {len(new)} rows predicted"
    return Case(title, models, (X, y, new, truth))


def one_vs_all(quick: bool) -> Case:
    """One-vs-all on traffic signs if the data are available, else on digits."""
    X, y, name = signs()
    if quick:
        X, y = X[:400], y[:400]
    half = len(X) * 2 // 3
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:half], order[half:]
    pca = PCA(min(100, X.shape[1], half), random_state=0).fit(X[train])
    A, B = pca.transform(X[train]), pca.transform(X[test])
    learner = SVC(C=10)
    models = {
        "OneVsRestClassifier(SVC())": lambda: OneVsRestClassifier(learner),
        "SVC(), one-vs-one in C++": lambda: SVC(C=10),
        "ECOCClassifier(SVC(), ova)": lambda: ECOCClassifier(
            learner, coding="ova", decoding="linear", probability=False
        ),
    }
    title = f"{name}, PCA {A.shape[1]}, n={half}, one-vs-all columns; {len(B)} rows predicted"
    return Case(title, models, (A, y[train], B, y[test]))


def linear(quick: bool) -> Case:
    """Many classes and a linear learner; no goal."""
    n, d, k, l = (2000, 32, 50, 16) if quick else (100_000, 128, 1000, 128)

    def ours(coding: Any) -> Callable[[], Any]:
        return lambda: ECOCClassifier(
            Ridge(), coding=coding, decoding="discriminant", probability=False, random_state=0
        )

    models = {
        "OneVsRestClassifier(RidgeClassifier())": lambda: OneVsRestClassifier(RidgeClassifier()),
        "RidgeClassifier()": RidgeClassifier,
        f"ECOCClassifier(Ridge()), dense, l={l}": ours(random_code(k, l)),
        f"ECOCClassifier(Ridge()), ECF, l={l}": ours(ECF(n_columns=l)),
    }
    title = f"Linear, n={n:,}, d={d}, {k:,} classes; {n // 10:,} rows predicted"
    return Case(title, models, blobs(n, n // 10, d, k, spread=1.0), 1)


def two_jobs(quick: bool) -> Results:
    """Compare two jobs with one, and check that the models are the same."""
    k, l = (6, 6) if quick else (12, 16)
    rows = []
    learners = {LogisticRegression(max_iter=200): (100_000, 100), DecisionTreeClassifier(max_depth=12): (5000, 50)}
    for estimator, size in learners.items():
        n, d = (1000, 20) if quick else size
        X, y, _, _ = blobs(n, 0, d, k, spread=0.3)

        def fit(jobs: int, estimator: Any = estimator, X: Any = X, y: Any = y) -> Any:
            options = {"coding": random_code(k, l), "decoding": "linear", "probability": False, "random_state": 0}
            return ECOCClassifier(estimator, n_jobs=jobs, **options).fit(X, y)

        fit(2)  # starts the workers
        taken = in_turn(
            {"1": lambda fit=fit: timed(fit, 1)[1], "2": lambda fit=fit: timed(fit, 2)[1]}, 1 if quick else 3
        )
        one, two = (float(np.median(taken[jobs])) for jobs in "12")
        same = bool(np.array_equal(fit(1).decision_function(X), fit(2).decision_function(X)))
        rows.append((type(estimator).__name__, n, d, one, two, one / two, same))
    yield Table(
        f"Two jobs against one, {l} columns", ("estimator", "n", "d", "1 job s", "2 jobs s", "ratio", "identical"), rows
    )
    yield Goal("2 jobs ≥ 1.7 × as fast", ", ".join(f"{row[5]:.2f}" for row in rows), all(row[5] >= 1.7 for row in rows))
    yield Goal("identical models", str(all(row[6] for row in rows)), all(row[6] for row in rows))


def race(case: Callable[[bool], Case], quick: bool) -> tuple[list[float], list[float], Table]:
    """Measure median seconds to fit and to predict, models in turn; return both with a table."""
    title, models, (X, y, new, truth), repeats = case(quick)
    repeats = 1 if quick else repeats
    fitted: dict[str, Any] = {}

    def fit(name: str) -> float:
        fitted[name], seconds = timed(models[name]().fit, X, y)
        return seconds

    fits = in_turn({name: lambda name=name: fit(name) for name in models}, repeats)
    predicts = in_turn({name: lambda name=name: timed(fitted[name].predict, new)[1] for name in models}, repeats)
    fit_s = [float(np.median(fits[name])) for name in models]
    predict_s = [float(np.median(predicts[name])) for name in models]
    scores = [float(np.mean(fitted[name].predict(new) == truth)) for name in models]
    sizes = [megabytes(fitted[name]) for name in models]
    peaks = [
        None if seconds > 60 else in_fresh_process(peak_of, case=case.__name__, model=name, quick=quick)
        for name, seconds in zip(models, fit_s)
    ]
    return fit_s, predict_s, Table(title, COLUMNS, list(zip(models, fit_s, predict_s, scores, sizes, peaks)))


def peak_of(case: str, model: str, quick: bool) -> float:
    """Measure the peak memory of fit and predict, above what the process held with the data."""
    _, models, (X, y, new, _), _ = globals()[case](quick)
    models[model]().fit(X[: 2 * len(np.unique(y))], np.arange(2 * len(np.unique(y))) % len(np.unique(y)))  # imports
    before = peak_megabytes()
    models[model]().fit(X, y).predict(new)
    return peak_megabytes() - before


def goal(what: str, seconds: list[float], least: float, peer: int = 0) -> Goal:
    """Compare our time, the last one, with that of a peer."""
    ratio = seconds[peer] / seconds[-1]
    return Goal(f"{what} ≥ {least} ×", f"{ratio:.1f} ×", ratio >= least)


def blobs(n: int, n_new: int, d: int, k: int, spread: float) -> tuple[Any, Any, Any, Any]:
    """Draw samples and labels of Gaussian classes, and new samples and labels."""
    rng = np.random.default_rng(0)
    centres = spread * rng.standard_normal((k, d))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n + n_new - k)])
    X = centres[y] + rng.standard_normal((n + n_new, d))
    return X[:n], y[:n], X[n:], y[n:]


def random_code(k: int, l: int) -> Any:
    """Draw a dense random code."""
    return np.random.default_rng(0).choice([-1, 1], size=(k, l))


def signs() -> tuple[Any, Any, str]:
    """Load traffic signs if the data folder has them, else digits."""
    if (found := load("traffic36")) is not None:
        return found[0] / 255, found[1], "traffic36"
    X, y = load_digits(return_X_y=True)
    return X / 16, y, "digits (traffic36 is not available)"


def megabytes(model: Any) -> float:
    """Return the pickled size of a fitted model."""
    import pickle

    return len(pickle.dumps(model)) / 1e6
