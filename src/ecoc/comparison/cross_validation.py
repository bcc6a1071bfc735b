"""How accurate is each candidate, and what does it cost? Cross-validation in which candidates share their work."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.comparison.candidates import MOST_ONE_VS_ONE, Candidate, Length, make_candidates
from ecoc.comparison.learners import make_learner
from ecoc.comparison.protection import Protection
from ecoc.comparison.results import CandidateResult, Comparison, mark_fronts, summarize
from ecoc.persistence import saved_size
from ecoc.utils.folds import Folds, is_number_of_folds, make_folds
from ecoc.utils.random import generator

Callback = Callable[[float, str], None]


def compare(
    X: Any,
    y: ArrayLike,
    learner: Any = "svc",
    *,
    codings: Iterable[str] | None = None,
    columns: Sequence[Length] = ("auto", 0.25, 0.5, 1.0),
    decodings: Sequence[str] = ("discriminant", "loss_weighted"),
    protect: Protection | Mapping[Any, int | None] | Iterable[Any] | None = None,
    preparation: Any = None,
    cv: Any = 3,
    n_jobs: int | None = None,
    random_state: Any = None,
    callback: Callback | None = None,
) -> Comparison:
    """Find out how few binary classifiers the data need.

    All candidates, which are codings of several lengths with several decodings, are cross-validated on the same folds.
    The recommended one has the fewest classifiers within one standard error of the most accurate. The accuracies also
    made this choice, so expect a little less on new samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Class labels.
    learner : str or estimator, default="svc"
        The binary learner: an estimator, or a name such as ``svc`` or ``svc:C=10``; the names are ``svc linear_svc
        logistic ridge knn tree forest boosting``.
    codings : iterable of str, default=None
        Names of codings. None: ``ecf``, ``ova``, ``dense``, and for at most 50 classes ``ovo``.
    columns : sequence of int, float or str, default=("auto", 0.25, 0.5, 1.0)
        Lengths of codes: numbers of columns, shares of the number of classes, and for ECF ``"auto"`` and ``"rank"``.
    decodings : sequence of str, default=("discriminant", "loss_weighted")
        Names of decodings.
    protect : mapping or iterable, default=None
        Classes that must not be confused: pairs of classes, or classes, which stand for all their pairs. A mapping
        says how many columns must separate them, or None. ECF is tried with this protection and without it.
    preparation : transformer, default=None
        Fitted to the training samples of each fold, and applied in front of every candidate.
    cv : int, splitter or iterable of pairs, default=3
        Number of stratified folds, a splitter, or pairs of training and test rows.
    n_jobs : int, default=None
        Binary classifiers trained at once.
    random_state : int, RandomState, Generator or None, default=None
        Seed of folds, codings and learners.
    callback : callable, default=None
        Called with the share of the work that is done and a note.

    Returns
    -------
    Comparison
        The table, the Pareto fronts and the recommendation.

    See Also
    --------
    ecoc.ECOCClassifier : The classifier that is compared.

    Notes
    -----
    In the last fold, when all code has been used before, each candidate is fitted on its own, and the time of that is
    what `fit_seconds` says. In the other folds candidates share trained columns, Gram matrices and code books. The
    accuracies do not depend on it.

    Examples
    --------
    >>> import ecoc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = ecoc.compare(X, y, "ridge", codings=["ova", "ovo"], random_state=0)
    >>> comparison.recommended.accuracy > 0.9
    True
    >>> model = comparison.recommended.estimator.fit(X, y)
    >>> model.code_book_.shape
    (3, 3)
    """
    from sklearn.utils.validation import column_or_1d

    target: NDArray[Any] = column_or_1d(y)
    X = X if hasattr(X, "shape") else np.asarray(X)
    labels = np.unique(target).tolist()
    if len(labels) < 2:
        raise ValueError(f"The data has one class only, {labels[0]!r}; a comparison needs at least two.")
    protection = Protection.of(protect, labels)
    candidates, left_out = _candidates(labels, codings, columns, decodings, protection)
    seed = random_state if isinstance(random_state, int) else int(generator(random_state).integers(2**31))
    setting = Setting(
        X=X,
        y=target,
        folds=_check_folds(cv, target, seed),
        learner=make_learner(learner) if isinstance(learner, str) else learner,
        preparation=preparation,
        protection=protection,
        n_jobs=n_jobs,
        seed=seed,
    )
    return _run(setting, candidates, left_out, callback or (lambda share, note: None))


@dataclass(frozen=True)
class Setting:
    """What all candidates have in common."""

    X: Any
    y: NDArray[Any]
    folds: Folds
    learner: Any
    preparation: Any
    protection: Protection
    n_jobs: int | None
    seed: int

    def classifier(self, candidate: Candidate, **options: Any) -> Any:
        """Make the classifier of a candidate, unfitted."""
        options = {"n_jobs": self.n_jobs, "random_state": self.seed, **options}
        return candidate.make(self.learner, self.protection, **options)

    def estimator(self, candidate: Candidate) -> Any:
        """Make the classifier of a candidate with the preparation in front of it, unfitted."""
        from sklearn.base import clone
        from sklearn.pipeline import Pipeline

        classifier = self.classifier(candidate)
        if self.preparation is None:
            return classifier
        return Pipeline([("preparation", clone(self.preparation)), ("classifier", classifier)])

    def fold(self, train: Any, test: Any) -> tuple[Any, Any]:
        """Return the features of training and test rows, prepared."""
        from sklearn.base import clone

        from ecoc.utils.scikit import safe_indexing

        X_train, X_test = safe_indexing(self.X, train), safe_indexing(self.X, test)
        if self.preparation is None:
            return X_train, X_test
        preparation = clone(self.preparation)
        return preparation.fit_transform(X_train, self.y[train]), preparation.transform(X_test)


def _candidates(
    labels: list[Any],
    codings: Iterable[str] | None,
    columns: Sequence[Length],
    decodings: Sequence[str],
    protection: Protection,
) -> tuple[list[Candidate], dict[Candidate, str]]:
    """Return what to try, and what not, and why."""
    k, left_out = len(labels), {}
    if codings is None:
        codings = ["ecf", "ova", "ovo", "dense"]
        if k > MOST_ONE_VS_ONE:
            codings.remove("ovo")
            reason = f"{k * (k - 1) // 2:,} classifiers; name ovo among the codings to try it nevertheless"
            left_out = {Candidate("ovo", None, decoding): reason for decoding in decodings}
    candidates = make_candidates(k, codings, columns, decodings, bool(protection))
    if protection and not any(candidate.protected for candidate in candidates):
        why = "there are only two classes" if k == 2 else "ecf is not among the codings"
        raise ValueError(f"Only the coding ecf can protect classes, and {why}; add ecf, or protect nothing.")
    if not candidates:
        raise ValueError("There is nothing to compare; give codings, columns and decodings, or leave them out.")
    return candidates, left_out


def _check_folds(cv: Any, y: NDArray[Any], seed: int) -> Folds:
    if is_number_of_folds(cv):
        largest = int(np.unique(y, return_counts=True)[1].max())
        if largest < 2:
            raise ValueError("Every class has a single row; a comparison needs rows to learn from and rows to test on.")
        if not 2 <= cv <= largest:
            raise ValueError(
                f"{cv} folds are not possible: there must be at least 2, and at most as many as the largest class has "
                f"rows, {largest}."
            )
    return make_folds(cv, y, seed)


def _run(
    setting: Setting, candidates: list[Candidate], left_out: dict[Candidate, str], callback: Callback
) -> Comparison:
    from ecoc.dichotomies import TrainingCache

    y, folds = setting.y, setting.folds
    results = {
        candidate: CandidateResult(candidate, setting.estimator(candidate), np.empty_like(y))
        for candidate in candidates
    }
    for number, (train, test) in enumerate(folds):
        X_train, X_test = setting.fold(train, test)
        cache = False if number == len(folds) - 1 else TrainingCache()
        books: dict[Any, Any] = {}
        for place, candidate in enumerate(candidates):
            callback((number + place / len(candidates)) / len(folds), f"fold {number + 1}: {candidate.name}")
            if candidate in left_out:
                continue
            kind = (candidate.coding, candidate.columns, candidate.protected)
            shared = {"warm_start": cache, **({"coding": books[kind]} if kind in books else {})}
            start = time.perf_counter()
            try:
                model = setting.classifier(candidate, **shared).fit(X_train, y[train])
            except (ValueError, TypeError) as error:
                left_out[candidate] = " ".join(str(error).split())
                continue
            if cache:
                books[kind] = model.code_book_
            else:
                results[candidate].fit_seconds = time.perf_counter() - start
                results[candidate].model_bytes = _size(model)
            _predict(results[candidate], model, X_test, test)
    return _finish(setting, [result for result in results.values() if result.candidate not in left_out], left_out)


def _predict(result: CandidateResult, model: Any, X_test: Any, test: NDArray[np.intp]) -> None:
    start = time.perf_counter()
    result.predicted[test] = model.predict(X_test)
    result.predict_times.append((time.perf_counter() - start) * 1000 / len(test))
    result.n_columns.append(model.n_columns_)
    if (support := getattr(model, "n_support_", None)) is not None:
        result.n_support.append(support)


def _finish(setting: Setting, results: list[CandidateResult], left_out: dict[Candidate, str]) -> Comparison:
    if not results:
        raise ValueError(f"No candidate could be fitted: {next(iter(left_out.values()))}")
    protected = {frozenset(pair) for pair in setting.protection.pairs(np.unique(setting.y).tolist())}
    for result in results:
        summarize(result, setting.y, protected)
    mark_fronts(results)
    results.sort(key=lambda result: (result.cost("classifiers"), -result.accuracy))
    return Comparison(results, left_out, setting.y, setting.folds, protected)


def _size(model: Any) -> int | None:
    """Return the bytes of the file that the classifier would be saved to, if skops is installed."""
    try:
        return saved_size(model)
    except ImportError:
        return None
