"""How does a model behave on some samples? Its code, its classes and pairs, its lengths, its probabilities."""

import html
import os
import pickle
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codebook import CodeBook
from ecoc.codebook.comparing import count_differences
from ecoc.inspection.models import class_order, codebook_of, possible_lengths, predictions_at
from ecoc.persistence import saved_size
from ecoc.reporting.page import Section, page, source
from ecoc.utils.files import replace_file
from ecoc.utils.labels import class_indices, short_text
from ecoc.utils.models import unwrap

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# What keeps a file of any model under 3 MB.
_MOST_CLASSES = 500  # that are shown; of more, those with the most errors
_MOST_ENTRIES = 1_200_000  # of the code book, a character each
_MOST_CONFUSIONS = 60_000  # pairs of classes over all lengths, about ten characters each
_LENGTHS = 9, 33  # fewest and most that are tried; a cut of a large model takes a second
_LONGEST_LABEL = 80
_MOST_WORK = 2e10  # k²l, a second or two, above which the smallest distance is left out
_MOST_SAVED_COLUMNS, _MOST_SAVED_BYTES = 100, 2**20  # of a model whose file's size is measured; a fraction of a second
_BLOCK_ENTRIES = 2**24  # of probabilities held at once: 128 MB


def report(model: Any, X: Any, y: ArrayLike, path: str | os.PathLike[str] | None = None, title: str = "") -> str:
    """Tell in one HTML page how a model behaves on some samples.

    The page needs no network and no other file. It has the code book, every pair of classes with its distance,
    correction, confusions and the dichotomies that separate it, tables of classes and pairs to sort and filter, the
    accuracy and confusions of the model cut to fewer columns, and how well its probabilities are calibrated. With more
    than 500 classes, those with the most errors are shown.

    Parameters
    ----------
    model : ECOCClassifier, RelaxedHierarchyClassifier, or Pipeline that ends in one
        A fitted model.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, best ones that the model was not trained on.
    y : array-like of shape (n_samples,)
        Their labels. Classes may be missing.
    path : path-like, default=None
        File to write, in one step: whatever fails, an earlier one stays as it was.
    title : str, default=""
        Heading of the page; by default it says what the model is.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import ecoc
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ecoc.ECOCClassifier(Ridge(), coding="hadamard").fit(X[:900], y[:900])
    >>> page = ecoc.report(model, X[900:], y[900:])
    >>> page.startswith("<!doctype html>"), len(page) < 3e6
    (True, True)
    """
    from sklearn.utils.validation import column_or_1d

    sections = model_sections(model, X, y)
    book, inner = codebook_of(model), unwrap(model)[0]
    name = title or f"{type(inner).__name__} of {type(getattr(inner, 'estimator', None)).__name__}"
    note = f"{book.n_classes} classes, {book.n_columns} dichotomizers; measured on {len(column_or_1d(y))} samples."
    text = page(name, sections, note)
    if path is not None:
        replace_file(Path(path), text.encode("utf-8", "replace"))
    return text


def model_sections(
    model: Any, X: Any, y: ArrayLike, *, fit_seconds: float | None = None, saved_bytes: int | None = None
) -> list[Section]:
    """Make the sections of a model's report, the summary first, to be put on a page with others.

    Parameters
    ----------
    model, X, y : estimator, {array-like, sparse matrix}, array-like
        As of :func:`ecoc.report`.
    fit_seconds : float, default=None
        How long the fit took, if that is known, for the summary.
    saved_bytes : int, default=None
        Size of the model's file. None: that of a small model is measured, if skops is installed.

    Returns
    -------
    list of Section
        Parts of a page, from top to bottom.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.reporting import model_sections, page, table
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="ova").fit(X, y)
    >>> summary, *details = model_sections(model, X, y)
    >>> rows = [{"coding": "ova", "accuracy": 0.83}, {"coding": "ovo", "accuracy": 0.97}]
    >>> text = page("Iris", [summary, table("tried", "Tried", rows, percent=["accuracy"]), *details])
    """
    found = _look(model, X, y)
    costs = {}
    if fit_seconds is not None:
        costs["seconds to fit"] = f"{fit_seconds:.3g}"
    size = _small_size(model, found.book) if saved_bytes is None else saved_bytes
    if size is not None:
        costs["size of the saved file"] = f"{size / 1000:,.{0 if size >= 10_000 else 1}f} kB"
    return _sections(found, costs)


@dataclass(frozen=True)
class _Found:
    """A model, its samples, and what it says about them."""

    model: Any
    book: CodeBook
    X: Any
    y: Indices
    lengths: list[int]
    chosen: Indices  # (n_lengths, n)
    signs: NDArray[np.int8] | None  # (n, l)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which samples the whole model classifies right."""
        right: NDArray[np.bool_] = self.chosen[-1] == self.y
        return right


def _look(model: Any, X: Any, y: ArrayLike) -> _Found:
    from sklearn.utils import check_consistent_length
    from sklearn.utils.validation import column_or_1d

    from ecoc.classifier import ECOCClassifier

    book = codebook_of(model)
    model, X = unwrap(model, X)
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    indices = class_indices(labels, model.classes_)
    if not isinstance(model, ECOCClassifier):
        chosen = np.searchsorted(model.classes_, model.predict(X))[None]
        return _Found(model, book, X, indices, [book.n_columns], chosen, None)
    X = model.validate(X)
    small = min(book.n_classes, _MOST_CLASSES) * book.n_columns <= _MOST_ENTRIES
    tried = int(np.clip(2e7 / (book.n_classes * len(indices)), *_LENGTHS))
    lengths = possible_lengths(book, tried) if small else [book.n_columns]
    signs = np.where(model.fitted_.outputs(X, "margins") > 0, np.int8(1), np.int8(-1))
    return _Found(model, book, X, indices, lengths, predictions_at(model, X, lengths), signs)


def _small_size(model: Any, book: CodeBook) -> int | None:
    """Bytes of the saved file, if the model is so small that this takes no time worth mentioning."""
    if book.n_columns > _MOST_SAVED_COLUMNS:
        return None
    try:
        pickle.Pickler(_Small()).dump(model)  # a tenth of the time that saving takes, and ended by the first large part
        return saved_size(model)
    except Exception:  # too large, or a part that no file can hold; a report does without
        return None


class _Small:
    """A file that refuses more than a megabyte."""

    def __init__(self) -> None:
        self._room = _MOST_SAVED_BYTES

    def write(self, content: bytes) -> int:
        self._room -= len(content)
        if self._room < 0:
            raise OverflowError
        return len(content)


def _sections(found: _Found, costs: dict[str, str]) -> list[Section]:
    k = found.book.n_classes
    probabilities = _calibration(found)
    drawn = partial(Section, script=source("model.js"))
    length = "Accuracy of the model cut to its first columns, nothing trained again. The slider cuts all that follows."
    code = "A row a class, a column a dichotomy; near codewords side by side."
    if k > _MOST_CLASSES:
        code += f" The {_MOST_CLASSES} of {k} classes with the most errors are shown."
    about = f"Figures of the whole model, {found.book.n_columns} columns"
    about += "; accuracy and its standard error follow the slider below." if len(found.lengths) > 1 else "."
    matrix = "Point at a pair to see what keeps it apart; a click stays with it, and arrow keys move."
    parts = [
        drawn("summary", "", about, body=_summary(found, probabilities, costs), draw="summary"),
        drawn("model", "Length", length, data=_data(found), draw="length"),
        drawn("code", "Code book", code, draw="code"),
        drawn("matrix", "Pairs of classes", matrix, draw="matrix"),
        drawn("classes", "Classes", "A click on a head sorts.", draw="classes"),
        drawn("pairs", "Pairs", "A click on a row shows the pair in the matrix above.", draw="pairs"),
    ]
    if probabilities:
        sure = "How often the model is right when it is so sure; on the dashed line it is as sure as it should be."
        sure += f" Expected calibration error {probabilities['error']:.3f}, log-loss {probabilities['loss']:.3f}."
        parts.append(drawn("calibration", "Probabilities", sure, data=probabilities, draw="calibration"))
    return parts


def _summary(found: _Found, probabilities: dict[str, Any] | None, costs: dict[str, str]) -> str:
    model, book, n = found.model, found.book, len(found.y)
    k, l = book.shape
    accuracy = float(found.right.mean())
    follows = {"accuracy": "accuracy", "standard error of the accuracy": "error"}
    tiles = {
        "accuracy": f"{accuracy:.1%}",
        "standard error of the accuracy": f"{np.sqrt(accuracy * (1 - accuracy) / n):.1%}",
        "classes": k,
        f"dichotomizers; one-vs-all {k}, one-vs-one {k * (k - 1) // 2}": l,
    }
    if k * k * l <= _MOST_WORK:
        tiles["smallest distance"] = book.min_distance
        tiles["wrong dichotomizers every class survives"] = book.correction
    if found.signs is not None:
        wrong = found.signs * book.matrix[found.y] < 0
        faulty = wrong.any(axis=1)
        tiles["wrong dichotomizers a sample"] = f"{wrong.sum(axis=1).mean():.2f}"
        if faulty.any():
            tiles["of samples with a wrong one, classified right"] = f"{found.right[faulty].mean():.1%}"
    support = getattr(model, "n_support_", None)
    if support is not None:
        tiles["support vectors"] = int(support)
    tiles |= costs
    if probabilities:
        tiles["expected calibration error"] = f"{probabilities['error']:.3f}"
    settings = {
        "estimator": getattr(model, "estimator", None),
        "coding": getattr(model, "coding_", None),
        "decoding": getattr(model, "decoding_", None),
        "factorization": getattr(model, "factorization_", None),
        "hierarchy": getattr(model, "tree_", None),
    }
    boxes = "".join(
        (f'<div data-follows="{follows[name]}">' if name in follows else "<div>")
        + f"<b>{html.escape(str(value))}</b><span>{html.escape(name)}</span></div>"
        for name, value in tiles.items()
    )
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(short_text(repr(value), 1000))}</td></tr>"
        for name, value in settings.items()
        if value is not None
    )
    return f'<div class="tiles">{boxes}</div><div class="card"><table class="facts">{rows}</table></div>'


def _data(found: _Found) -> dict[str, Any]:
    """What the page computes everything from: the code, and confusions at every length."""
    k, l = found.book.shape
    rows = _shown(found)
    place = np.full(k, -1)
    place[rows] = np.arange(len(rows))
    code = found.book.matrix[rows]
    distances = count_differences(code, code, found.book.is_ternary)[0].astype(np.float64)
    small = code.size <= _MOST_ENTRIES
    wrong = None
    if found.signs is not None:
        sides = found.book.matrix[found.y]
        used = np.count_nonzero(sides, axis=0)
        wrong = np.divide((found.signs * sides < 0).sum(axis=0), used, out=np.full(l, np.nan), where=used > 0)
    each = _MOST_CONFUSIONS // len(found.lengths)
    return {
        "labels": [short_text(label, _LONGEST_LABEL) for label in found.book.labels[rows].tolist()],
        "code": ["".join("0+-"[side] for side in word) for word in code.tolist()] if small else None,
        "distances": None if small else distances[np.triu_indices(len(rows), 1)].astype(int).tolist(),
        "ternary": bool(found.book.is_ternary),
        "order": class_order("clustered", distances).tolist(),
        "total": len(found.y),
        "samples": np.bincount(found.y, minlength=k)[rows].tolist(),
        "columnErrors": None if wrong is None or not small else np.round(wrong, 4).tolist(),
        "lengths": found.lengths,
        "accuracy": (found.chosen == found.y).mean(axis=1).tolist(),
        "hits": [np.bincount(found.y[c == found.y], minlength=k)[rows].tolist() for c in found.chosen],
        "confusions": [_confusions(place[found.y], place[c], each) for c in found.chosen],
    }


def _shown(found: _Found) -> Indices:
    """Rows of the classes with the most errors, both of their samples and of others taken for them."""
    k = found.book.n_classes
    wrong = ~found.right
    errors = np.bincount(found.y[wrong], minlength=k) + np.bincount(found.chosen[-1, wrong], minlength=k)
    return np.sort(np.argsort(-errors, kind="stable")[:_MOST_CLASSES])


def _confusions(true: Indices, chosen: Indices, most: int) -> list[int]:
    """Class, class it was taken for, and how often, one after another; the most frequent ones, of shown classes."""
    wrong = (true != chosen) & (true >= 0) & (chosen >= 0)
    pairs, counts = np.unique(np.column_stack([true[wrong], chosen[wrong]]), axis=0, return_counts=True)
    kept = np.argsort(-counts, kind="stable")[:most]
    flat: list[int] = np.column_stack([pairs[kept], counts[kept]]).ravel().tolist()
    return flat


def _calibration(found: _Found) -> dict[str, Any] | None:
    """How sure the model is and how often it is right, in ten bins; None if it has no probabilities."""
    model, n = found.model, len(found.y)
    if not hasattr(model, "predict_proba"):
        return None
    sure, own = np.empty(n), np.empty(n)
    step = max(1, _BLOCK_ENTRIES // found.book.n_classes)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        p = model.predict_proba(found.X[rows])
        sure[rows], own[rows] = p.max(axis=1), p[np.arange(len(p)), found.y[rows]]
    bins = np.minimum((10 * sure).astype(int), 9)
    count = np.bincount(bins, minlength=10)
    kept = count > 0
    means = [np.bincount(bins, values, minlength=10)[kept] / count[kept] for values in (sure, found.right)]
    return {
        "confidence": means[0].tolist(),
        "accuracy": means[1].tolist(),
        "count": count[kept].tolist(),
        "error": float(np.abs(means[0] - means[1]) @ count[kept] / n),
        "loss": float(-np.log(np.maximum(own, 1e-15)).mean()),
    }
