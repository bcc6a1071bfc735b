"""Compare codes and plain models on a table: the public function, which checks its arguments and starts the race."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import column_or_1d

from ecoc.decoding.costs import cost_matrix
from ecoc.policy.trials import OF_A_LEARNER, plan_trials, short_list
from ecoc.tool.comparison.candidates import Candidate, Length, baseline_candidate, code_candidates
from ecoc.tool.comparison.folds import Contender, Setting
from ecoc.tool.comparison.growth import sample_rows, with_growth
from ecoc.tool.comparison.learners import make_learner
from ecoc.tool.comparison.protected_classes import Protection
from ecoc.tool.comparison.race import Race, Step
from ecoc.tool.comparison.results import METRICS
from ecoc.tool.comparison.verdict import Comparison
from ecoc.tool.tables.doubts import doubtful_columns
from ecoc.utils.folds import Folds, is_number_of_folds, make_folds
from ecoc.utils.messages import some, unknown_name
from ecoc.utils.numerics import generator
from ecoc.utils.scikit import safe_indexing
from ecoc.utils.threads import one_blas_thread


def compare(
    X: Any,
    y: ArrayLike,
    learner: Any = None,
    *,
    baselines: bool | Iterable[str] = True,
    codings: Iterable[str] | None = None,
    columns: Sequence[Length] | None = None,
    decodings: Sequence[str] | None = None,
    tune: bool = True,
    budget: float | None = None,
    metrics: Iterable[str] = (),
    costs: Any = None,
    protect: Protection | Mapping[Any, int | None] | Iterable[Any] | None = None,
    preparation: Any = None,
    max_rows: int | None = None,
    cv: Any = 3,
    n_jobs: int | None = None,
    random_state: Any = None,
    callback: Callable[[Step], None] | None = None,
) -> Comparison:
    """Compare codes of several lengths and plain scikit-learn models, and recommend one.

    Codes and baselines are cross-validated on the same folds, with the same tuned learners. The recommended candidate
    has the fewest models of those that tie with the most accurate; if that is a baseline, no code is needed. Its
    `expected_accuracy` is that of a fit to all rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Class labels.
    learner : str, estimator, or list of these, default=None
        The learner: an estimator, or a name such as ``svc`` or ``svc:C=10``; the names are ``svc linear_svc logistic
        ridge knn tree forest boosting xgboost lightgbm catboost``. The transformers of a Pipeline go in front of all
        candidates. Several learners are compared on the same folds in the same time. None: ``svc``, ``logistic``, and
        ``xgboost`` and ``lightgbm`` if they are installed, else ``boosting``.
    baselines : bool or iterable of str, default=True
        Models without a code: ``majority`` (always the most frequent class), ``lda``, ``logistic``, ``linear_svc``,
        ``native`` (the learner by itself), ``one-vs-rest``, ``one-vs-one``, ``forest`` and ``extra_trees``. True: all
        distinct ones, or with several learners each learner by itself; False: none.
    codings : iterable of str, default=None
        Names of codings. None: ``ova``, ``ecf`` and, if there is only one learner, ``dense``.
    columns : sequence of int, float or str, default=None
        Lengths of codes: numbers of columns, shares of the number of classes, and for ECF ``"auto"`` and ``"rank"``.
        None: 0.25, 0.5 and 1 times the number of classes (for linear models and single trees 0.5, 1 and 2 times), and
        ``"auto"`` with up to 64 classes.
    decodings : sequence of str, default=None
        Names of decodings. None: ``auto`` and, if there is only one learner, ``loss_weighted``.
    tune : bool, default=True
        Whether to tune C, gamma, depth and so on, on the training samples of each fold, once for all candidates of the
        learner. Parameters that you have set stay as they are.
    budget : float, default=None
        Time limit in seconds. If it does not suffice for all folds of all candidates, as many of the most accurate as
        there is time for go on after each fold. None: no limit.
    metrics : iterable of str, default=()
        ``"log_loss"`` also evaluates probabilities. Accuracy, balanced accuracy and macro F1 are always there.
    costs : mapping, DataFrame or array-like, default=None
        What errors cost, as in :class:`ecoc.ECOCClassifier`. Candidates with probabilities then decide by cost, and all
        are ranked by the mean cost of their predictions.
    protect : mapping or iterable, default=None
        Classes that must not be confused: pairs of classes, or classes, which stand for all their pairs. A mapping
        says how many columns must separate them, or None. ECF is tried with this protection and without it.
    preparation : transformer, default=None
        Fitted to the training samples of each fold, and applied in front of every candidate.
    max_rows : int, default=None
        Maximum rows to cross-validate. The best candidates of different learners are then compared on as many more rows
        as there is time for, because their order may change. None: cross-validate all rows.
    cv : int, splitter or iterable of pairs, default=3
        Number of stratified folds, a splitter, or pairs of training and test rows.
    n_jobs : int, default=None
        Models trained at once.
    random_state : int, RandomState, Generator or None, default=None
        Seed of folds, codings and learners. The same seed gives the same accuracies, unless the budget cuts it short.
    callback : callable, default=None
        Called before each fit with the progress, the remaining time and the results so far.

    Returns
    -------
    Comparison
        The table, the Pareto fronts and the recommendation.

    See Also
    --------
    ecoc.ECOCClassifier : The classifier of the codes.

    Notes
    -----
    In each fold, candidates share trained columns, Gram matrices and code books; this does not change accuracies. In
    the last fold, the best candidates are fitted separately, which gives `fit_seconds`.

    Examples
    --------
    >>> import ecoc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = ecoc.compare(X, y, "ridge", codings=["ova", "ovo"], random_state=0)
    >>> comparison.recommended.candidate.name
    'LDA'
    >>> comparison.recommended.estimator.fit(X, y).score(X, y) > 0.97
    True
    """
    target: NDArray[Any] = column_or_1d(y)
    _warn_of_doubtful_columns(X)
    X = X if hasattr(X, "shape") else np.asarray(X)
    seed = random_state if isinstance(random_state, int) else int(generator(random_state).integers(2**31))
    sample = None if max_rows is None else sample_rows(target, max_rows, seed)
    table, n_rows = (None if sample is None else (X, target, sample)), len(target)
    if sample is not None:
        X, target = safe_indexing(X, sample), target[sample]
    labels = np.unique(target).tolist()
    if len(labels) < 2:
        raise ValueError(f"The data has one class only, {labels[0]!r}; a comparison needs at least two.")
    preparation, contenders = _contenders(learner, preparation, len(labels))
    setting = Setting(
        X=X,
        y=target,
        folds=_check_folds(cv, target, seed),
        contenders=contenders,
        preparation=preparation,
        protection=Protection.of(protect, labels),
        tune=tune,
        costs=_check_costs(costs, labels),
        log_loss="log_loss" in _check_metrics(metrics),
        n_jobs=n_jobs,
        seed=seed,
    )
    candidates, left_out = _baselines(baselines, contenders)
    several, plain = len(contenders) > 1, bool(candidates)
    codings = (("ova", "ecf") if several else ("ova", "ecf", "dense")) if codings is None else codings
    decodings = (("auto",) if several else ("auto", "loss_weighted")) if decodings is None else decodings
    for name, one in contenders.items():
        lengths = one.trials.lengths if columns is None else columns
        candidates += _codes(len(labels), codings, lengths, decodings, setting.protection, plain, name)
    if not candidates:
        raise ValueError("There is nothing to compare; give codings, columns and decodings, or leave them out.")
    with one_blas_thread():  # the problems are too small to share, and rounding must not depend on the machine
        seconds = inf if budget is None else float(budget)
        race = Race(setting, candidates, left_out, seconds if table is None else seconds / 2, callback)
        found = replace(race.run(), sample=sample, n_rows=n_rows)
        return with_growth(found, setting, table, seconds - race.elapsed)


def _contenders(learner: Any, preparation: Any, k: int) -> tuple[Any, dict[str, Contender]]:
    """Return what goes in front of all candidates, and the learners by name; one learner alone has no name."""
    if learner is None:
        learner = short_list()
    if not isinstance(learner, list | tuple):
        preparation, learner = _parts(learner, preparation)
        return preparation, {"": Contender(learner, plan_trials(learner, k))}
    if not learner:
        raise ValueError("There is no learner to compare; name one, or give None for a short list.")
    if len(learner) == 1:
        return _contenders(learner[0], preparation, k)
    found: dict[str, Contender] = {}
    for one in learner:
        front, estimator = _parts(one, None)
        if front is not None:
            raise ValueError("Pipelines cannot be compared side by side; give what goes in front as preparation.")
        name = one if isinstance(one, str) else type(estimator).__name__
        name = name if name not in found else f"{name} {len(found) + 1}"
        found[name] = Contender(estimator, plan_trials(estimator, k))
    return preparation, found


def _parts(learner: Any, preparation: Any) -> tuple[Any, Any]:
    """Split a pipeline into what goes in front of all candidates, and the learner."""
    if isinstance(learner, str):
        return preparation, make_learner(learner)
    if isinstance(learner, Pipeline) and len(learner.steps) > 1:
        front = learner[:-1]
        return (front if preparation is None else make_pipeline(preparation, front)), learner.steps[-1][1]
    return preparation, learner


def _baselines(
    wanted: bool | Iterable[str], contenders: Mapping[str, Contender]
) -> tuple[list[Candidate], dict[Candidate, str]]:
    """Return the baselines to try, and those left out with the reason; with several learners, each by itself."""
    (first, one), *others = contenders.items()
    names = one.trials.plain if wanted is True else tuple(wanted or ())
    left_out: dict[Candidate, str] = {}
    if not others:
        if wanted is True:
            left_out = {baseline_candidate(name, one.trials): why for name, why in one.trials.left_out.items()}
        return [baseline_candidate(name, one.trials, first) for name in names], left_out
    if wanted is True:
        same = [name for name in names if all(name in each.trials.plain for _, each in others)]
        names = tuple(name for name in same if name not in ("one-vs-rest", "one-vs-one"))
    found: list[Candidate] = []
    for name in names:
        owners = contenders if name in OF_A_LEARNER else {"": one}
        found += [baseline_candidate(name, owner.trials, title) for title, owner in owners.items()]
    return found, left_out


def _codes(
    k: int,
    codings: Iterable[str],
    columns: Sequence[Length],
    decodings: Sequence[str],
    protection: Protection,
    has_baselines: bool,
    learner: str,
) -> list[Any]:
    """Return the codes to try; two classes have one column, which is the learner by itself."""
    if k == 2 and has_baselines and not protection:
        return []
    candidates = code_candidates(k, codings, columns, decodings, bool(protection), learner)
    if protection and not any(candidate.protected for candidate in candidates):
        why = "there are only two classes" if k == 2 else "ecf is not among the codings"
        raise ValueError(f"Only the coding ecf can protect classes, and {why}; add ecf, or protect nothing.")
    return candidates


def _warn_of_doubtful_columns(X: Any) -> None:
    """Name the columns of a DataFrame that look like identifiers or dates."""
    if not hasattr(X, "columns"):
        return
    columns = {str(name): np.asarray(X[name]) for name in X.columns}
    dates = [name for name, column in columns.items() if column.dtype.kind == "M"]
    numbers = {name: column.astype(float) for name, column in columns.items() if column.dtype.kind in "biuf"}
    texts = {name: column.astype(object) for name, column in columns.items() if column.dtype.kind in "OU"}
    if found := [*doubtful_columns({**numbers, **texts}), *dates]:
        warn(f"X has columns that look like identifiers or dates: {some(found)}; leave them out.", stacklevel=3)


def _check_metrics(metrics: Iterable[str]) -> list[str]:
    names = list(metrics)
    for name in names:
        if name not in METRICS:
            raise ValueError(unknown_name("metric", name, METRICS))
    return names


def _check_costs(costs: Any, labels: list[Any]) -> dict[tuple[Any, Any], float] | None:
    """Return the cost of each error by its true and its predicted label."""
    if costs is None:
        return None
    matrix = cost_matrix(costs, labels).tolist()
    return {(a, b): cost for a, row in zip(labels, matrix) for b, cost in zip(labels, row) if a != b}


def _check_folds(cv: Any, y: NDArray[Any], seed: int) -> Folds:
    if is_number_of_folds(cv):
        labels, counts = np.unique(y, return_counts=True)
        largest = int(counts.max())
        if largest < 2:
            raise ValueError("Every class has a single row; a comparison needs rows to learn from and rows to test on.")
        if not 2 <= cv <= largest:
            raise ValueError(
                f"{cv} folds are not possible: there must be at least 2, and at most as many as the largest class has "
                f"rows, {largest}."
            )
        if (rare := labels[counts < cv]).size:
            warn(
                f"{len(rare)} of {len(labels)} classes have fewer rows than there are folds ({cv}): "
                f"{some(rare.tolist())}. They are missing in some folds, so do not trust their figures.",
                stacklevel=3,
            )
    return make_folds(cv, y, seed)
