"""How few classifiers do the data need? Codings × lengths × decodings by cross-validation, and what each costs."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.cli.models import Wishes, make_coding
from ecoc.cli.outcomes import COSTS, Candidate, Comparison, Outcome
from ecoc.persistence import saved_size
from ecoc.tables import Samples, make_preparation

_MOST_ONE_VS_ONE = 50  # classes, beyond which one-vs-one is tried only if asked for


def make_candidates(
    k: int, codings: Sequence[str], lengths: Sequence[str], decodings: Sequence[str], protects: bool, asked: bool
) -> tuple[list[Candidate], dict[Candidate, str]]:
    """All combinations that differ.

    Parameters
    ----------
    k : int
        Number of classes.
    codings, lengths, decodings : sequence of str
        Names; a length is a number, a share of k, or ``auto`` or ``rank``, which only ECF knows.
    protects : bool
        Whether there are wishes, so that ECF is tried with them too.
    asked : bool
        Whether the codings are the user's own choice.

    Returns
    -------
    list of Candidate, dict of Candidate to str
        What to try, and what not, and why.
    """
    from ecoc.cli.models import parse_columns
    from ecoc.coding import get_coding
    from ecoc.coding.base import resolve_length

    if k == 2:
        return [Candidate("ova", None, "auto")], {}
    found: dict[Candidate, None] = {}
    left_out: dict[Candidate, str] = {}
    for coding in codings:
        if coding == "ovo" and k > _MOST_ONE_VS_ONE and not asked:
            why = f"{k * (k - 1) // 2:,} classifiers; --codings {','.join(codings)} tries them nevertheless"
            left_out = {Candidate(coding, None, decoding): why for decoding in decodings}
            continue
        kinds: list[int | str | None] = [None]
        if "n_columns" in get_coding(coding).get_params():
            parsed = [parse_columns(length) for length in lengths]
            kinds = [
                value if isinstance(value, str | int) else resolve_length(value, k, k)
                for value in parsed
                if coding == "ecf" or not isinstance(value, str)
            ]
        for columns in kinds:
            for decoding in decodings:
                found[Candidate(coding, columns, decoding)] = None
                if protects and coding == "ecf":
                    found[Candidate(coding, columns, decoding, True)] = None
    return list(found), left_out


def compare(
    samples: Samples,
    candidates: Sequence[Candidate],
    learner: Any,
    *,
    n_folds: int = 3,
    wishes: Wishes,
    left_out: Mapping[Candidate, str] | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    tell: Callable[[float, str], None] = lambda share, note: None,
) -> Comparison:
    """Cross-validate all candidates.

    On the last fold, when all code is warm, each is fitted on its own, so that its time is its own. On the others they
    share what they have in common: trained columns, Gram matrices and, of one coding, the code book. Results do not
    depend on it.

    Parameters
    ----------
    samples : Samples
        The data.
    candidates : sequence of Candidate
        What to try.
    learner : estimator
        The binary learner.
    n_folds : int, default=3
        Stratified folds.
    wishes : Wishes
        For candidates that protect.
    left_out : mapping of Candidate to str, default=None
        What is not tried, and why, to be told with the results.
    seed : int, default=0
        Of folds, codings and learners.
    n_jobs : int, default=None
        Dichotomizers trained at once.
    tell : callable, default=None
        Called with the share that is done and a note.

    Returns
    -------
    Comparison
    """
    from ecoc import ECOCClassifier, TrainingCache

    folds = _folds(samples.y, n_folds, seed)
    labels = np.unique(samples.y).tolist()
    outcomes = {candidate: Outcome(candidate, np.empty_like(samples.y)) for candidate in candidates}
    failures = dict(left_out or {})
    for fold, (train, test) in enumerate(folds):
        preparation = make_preparation(samples.is_text).fit(samples.X[train])
        X, X_test = preparation.transform(samples.X[train]), preparation.transform(samples.X[test])
        cache = False if fold == len(folds) - 1 else TrainingCache()
        books: dict[Any, Any] = {}
        for place, candidate in enumerate(candidates):
            tell((fold + place / len(candidates)) / len(folds), f"fold {fold + 1}: {candidate.name}")
            if candidate in failures:
                continue
            kind = (candidate.coding, candidate.columns, candidate.protects)
            outcome = outcomes[candidate]
            start = time.perf_counter()
            try:
                coding = books.get(kind) or make_coding(
                    candidate.coding,
                    labels,
                    None if candidate.columns is None else str(candidate.columns),
                    wishes=wishes if candidate.protects else None,
                )
                model = ECOCClassifier(
                    learner,
                    coding=coding,
                    decoding=candidate.decoding,
                    warm_start=cache,
                    n_jobs=n_jobs,
                    random_state=seed,
                ).fit(X, samples.y[train])
            except (ValueError, TypeError) as error:
                failures[candidate] = " ".join(str(error).split())
                continue
            if cache:
                books[kind] = model.code_book_
            else:
                outcome.fit_seconds = time.perf_counter() - start
                outcome.model_bytes = _size(model)
            start = time.perf_counter()
            outcome.predicted[test] = model.predict(X_test)
            outcome.predict_times.append((time.perf_counter() - start) * 1000 / len(test))
            outcome.n_columns.append(model.n_columns_)
            if (support := getattr(model, "n_support_", None)) is not None:
                outcome.n_support.append(support)
    done = [outcome for candidate, outcome in outcomes.items() if candidate not in failures]
    if not done:
        raise ValueError(f"nothing could be fitted: {next(iter(failures.values()))}")
    pairs = {frozenset(pair) for pair in wishes.pairs(labels)}
    for outcome in done:
        _count(outcome, samples.y, pairs)
    _mark_frontiers(done)
    done.sort(key=lambda outcome: (outcome.cost("classifiers"), -outcome.accuracy))
    return Comparison(done, failures, samples.y, folds, pairs)


def sample_rows(samples: Samples, most: int, seed: int) -> Samples:
    """At most so many rows, as many of each class as its share, and two at least."""
    n = len(samples.y)
    if n <= most:
        return samples
    rng = np.random.default_rng(seed)
    kept = []
    for label in np.unique(samples.y):
        members = rng.permutation(np.flatnonzero(samples.y == label))
        kept.append(members[: max(2, round(len(members) * most / n))])
    return samples.rows(np.sort(np.concatenate(kept)))


def _folds(y: NDArray[Any], n_folds: int, seed: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    from sklearn.model_selection import StratifiedKFold

    largest = int(np.unique(y, return_counts=True)[1].max())
    if largest < 2:
        raise ValueError(
            "each class has one row alone; to compare, a class needs rows to learn from and rows to test on."
        )
    if not 2 <= n_folds <= largest:
        raise ValueError(
            f"--folds {n_folds} is not possible: it must be 2 at least, and at most the rows of the largest class, "
            f"which are {largest}."
        )
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        return list(splitter.split(y, y))


def _size(model: Any) -> int | None:
    """Bytes of the file that the classifier would be saved to, if skops is installed."""
    try:
        return saved_size(model)
    except ImportError:
        return None


def _count(outcome: Outcome, y: NDArray[Any], protected: set[frozenset[Any]]) -> None:
    hits = y == outcome.predicted
    outcome.accuracy = float(hits.mean())
    outcome.standard_error = sqrt(outcome.accuracy * (1 - outcome.accuracy) / len(y))
    if protected:
        wrong = zip(y[~hits].tolist(), outcome.predicted[~hits].tolist())
        outcome.protected_errors = sum(frozenset(pair) in protected for pair in wrong)


def _mark_frontiers(outcomes: Sequence[Outcome]) -> None:
    """For each cost, mark those of which none is at least as accurate and as cheap, and better in one."""
    for name in COSTS:
        points = [(-outcome.accuracy, outcome.cost(name)) for outcome in outcomes]
        for outcome, (error, cost) in zip(outcomes, points):
            if cost is not None and not any(
                c is not None and e <= error and c <= cost and (e, c) != (error, cost) for e, c in points
            ):
                outcome.frontier.append(name)
