"""Compose the report of a model: sections about its code, its classes and pairs, its lengths, and its probabilities."""

import html
import os
import pickle
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import column_or_1d

from ecoc.codes.codebook import CodeBook
from ecoc.codes.codebook.book import count_differences
from ecoc.inspection.fitted import class_order, find_codebook
from ecoc.inspection.reporting.measuring import Indices, Measured, measure
from ecoc.inspection.reporting.page import Section, page, source
from ecoc.inspection.studio.page import copy_script, module_style
from ecoc.utils.codewords import column_keys
from ecoc.utils.estimators import unwrap
from ecoc.utils.files import replace_file
from ecoc.utils.labels import distinct_names, short_text
from ecoc.utils.persistence.saving import saved_size


@dataclass(frozen=True)
class Limits:
    """Sizes that keep the page of any model below 3 MB, and the time to make it short.

    Parameters
    ----------
    classes : int, default=500
        Largest number of classes to show; those with the most errors.
    entries : int, default=1_200_000
        Largest code book that is shown. An entry takes one character.
    confusions : int, default=60_000
        Pairs of classes over all lengths. A pair takes about ten characters.
    saved_columns : int, default=100
        Largest number of columns for which the size of the saved file is measured, in a fraction of a second.
    saved_bytes : int, default=2**20
        Largest size of such a model in memory.

    Examples
    --------
    >>> from ecoc.inspection.reporting import Limits
    >>> Limits(classes=50).entries
    1200000
    """

    classes: int = 500
    entries: int = 1_200_000
    confusions: int = 60_000
    saved_columns: int = 100
    saved_bytes: int = 2**20


def report(model: Any, X: Any, y: ArrayLike, path: str | os.PathLike[str] | None = None, title: str = "") -> str:
    """Show on one HTML page how a model behaves on some samples.

    The page needs no network and no other file. It shows the code book; for every pair of classes its distance, its
    correction, its confusions and the columns that separate it; tables of classes and pairs to sort and filter; the
    accuracy and the confusions of the model when it is cut to fewer columns; and how well its probabilities are
    calibrated. With more than 500 classes, it shows those with the most errors. The page of a classifier without a code
    has everything but the code.

    Parameters
    ----------
    model : classifier
        A fitted model: an ECOCClassifier, any other classifier, or a Pipeline or search that ends in one.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples. Use samples that the model was not trained on.
    y : array-like of shape (n_samples,)
        Their labels. Not every class needs to occur.
    path : path-like, default=None
        File to write. It is replaced in one step: if anything fails, an earlier file stays as it was.
    title : str, default=""
        Heading of the page. By default it names the model.

    Returns
    -------
    str
        The text of the page.

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
    sections = model_sections(model, X, y)
    codebook, inner = find_codebook(model), unwrap(model)[0]
    of = f" of {type(inner.estimator).__name__}" if hasattr(inner, "estimator") else ""
    parts = "" if codebook is None else f", {codebook.n_columns} binary classifiers"
    name = title or type(inner).__name__ + of
    note = f"{len(inner.classes_)} classes{parts}; measured on {len(column_or_1d(y))} samples."
    text = page(name, sections, note)
    if path is not None:
        replace_file(Path(path), text.encode("utf-8", "replace"))
    return text


def model_sections(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    fit_seconds: float | None = None,
    saved_bytes: int | None = None,
    limits: Limits = Limits(),
) -> list[Section]:
    """Make the sections of a model's report, the summary first, for a page with other sections.

    Parameters
    ----------
    model, X, y : estimator, {array-like, sparse matrix}, array-like
        As for :func:`ecoc.report`.
    fit_seconds : float, default=None
        Duration of the fit, for the summary.
    saved_bytes : int, default=None
        Size of the model's file, for the summary. None measures it for small models, if skops is installed.
    limits : Limits, default=Limits()
        Sizes that keep the page small.

    Returns
    -------
    list of Section
        Parts of a page, from top to bottom.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.inspection.reporting import model_sections, page, table
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="ova").fit(X, y)
    >>> summary, *details = model_sections(model, X, y)
    >>> rows = [{"coding": "ova", "accuracy": 0.83}, {"coding": "ovo", "accuracy": 0.97}]
    >>> text = page("Iris", [summary, table("tried", "Tried", rows, percent=["accuracy"]), *details])
    """
    codebook = find_codebook(model)
    fits = codebook is not None and min(codebook.n_classes, limits.classes) * codebook.n_columns <= limits.entries
    measured = measure(model, X, y, cut=fits)
    costs = {}
    if fit_seconds is not None:
        costs["seconds to fit"] = f"{fit_seconds:.3g}"
    size = _small_size(model, codebook, limits) if saved_bytes is None else saved_bytes
    if size is not None:
        costs["size of the saved file"] = f"{size / 1000:,.{0 if size >= 10_000 else 1}f} kB"
    return _sections(measured, costs, limits)


def _small_size(model: Any, codebook: CodeBook | None, limits: Limits) -> int | None:
    """Return the size of the saved file in bytes, or None if the model is not small."""
    if codebook is not None and codebook.n_columns > limits.saved_columns:
        return None
    try:
        # Pickling takes a tenth of the time of saving, and it stops at the first megabyte.
        pickle.Pickler(_SmallFile(limits.saved_bytes)).dump(model)
        return saved_size(model)
    except Exception:  # too large, or not saveable, or no skops: the report goes without
        return None


@dataclass
class _SmallFile:
    """A file that refuses more bytes than it has room for."""

    room: int

    def write(self, content: bytes) -> None:
        self.room -= len(content)
        if self.room < 0:
            raise OverflowError


def _sections(measured: Measured, costs: dict[str, str], limits: Limits) -> list[Section]:
    drawn = partial(Section, script=source("model.js"))
    k, codebook = len(measured.classes), measured.codebook
    summary = (
        "Results of the model."
        if codebook is None
        else f"Results of the whole model with {codebook.n_columns} columns."
    )
    if len(measured.lengths) > 1:
        summary += " The accuracy and its standard error follow the slider below."
    shown = f" The {limits.classes} of {k} classes with the most errors are shown." if k > limits.classes else ""
    matrix = "Point at a pair to see its details. Click to keep them, or move with the arrow keys."
    sections = [
        drawn("summary", "", summary, body=_summary(measured, costs), draw="summary"),
        *_code_sections(measured, _data(measured, limits), shown),
        drawn("matrix", "Pairs of classes", matrix + shown * (codebook is None), draw="matrix"),
        drawn("classes", "Classes", "Click on a column's name to sort.", draw="classes"),
        drawn("pairs", "Pairs", "Click on a row to see the pair in the matrix above.", draw="pairs"),
    ]
    if calibration := measured.calibration:
        confidence = (
            "Accuracy of the predictions at each confidence. On the dashed line, the confidence equals the accuracy. "
            f"Expected calibration error {calibration['error']:.3f}, log-loss {calibration['loss']:.3f}."
        )
        sections.append(drawn("calibration", "Probabilities", confidence, data=calibration, draw="calibration"))
        answers = "Accuracy if the model answers only the samples it is most confident about (reject_cost)."
        sections.append(drawn("coverage", '"Don\'t know"', answers, data=measured.coverage, draw="coverage"))
    return sections


def _code_sections(measured: Measured, data: dict[str, Any], shown: str) -> list[Section]:
    """Return the sections about the code; without a code, only the data of the others, which nobody sees."""
    drawn = partial(Section, script=source("model.js"))
    if measured.codebook is None:
        return [drawn("model", data=data)]
    length = "Accuracy of the model cut to its first columns, without new training. The slider cuts all sections below."
    code = "One row per class, one column per binary classifier. Similar codewords are side by side."
    if len(measured.lengths) > 1:
        cut = drawn("model", "Length", length, data=data, draw="length")
    else:
        cut = drawn("model", "Length", f"This model is shown with all its columns only. {measured.whole}", data=data)
    book = drawn("code", "Code book", code + shown, draw="code", module=copy_script(), style=module_style())
    return [cut, book]


def _summary(measured: Measured, costs: dict[str, str]) -> str:
    """Return tiles with numbers, and a table of the model's settings, as HTML."""
    follows = {"accuracy": "accuracy", "standard error of the accuracy": "error"}  # change with the slider
    tiles = "".join(
        (f'<div data-follows="{follows[name]}">' if name in follows else "<div>")
        + f"<b>{html.escape(str(value))}</b><span>{html.escape(name)}</span></div>"
        for name, value in (_numbers(measured) | costs).items()
    )
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(short_text(repr(value), 1000))}</td></tr>"
        for name, value in _settings(measured).items()
        if value is not None
    )
    return f'<div class="tiles">{tiles}</div><div class="card"><table class="facts">{rows}</table></div>'


def _numbers(measured: Measured) -> dict[str, Any]:
    k, codebook = len(measured.classes), measured.codebook
    accuracy, answered = float(measured.right.mean()), measured.predicted[-1] >= 0
    numbers: dict[str, Any] = {
        "accuracy": f"{accuracy:.1%}",
        "standard error of the accuracy": f"{np.sqrt(accuracy * (1 - accuracy) / len(measured.y)):.1%}",
        "classes": k,
    }
    if not answered.all():
        numbers["of the samples are answered; no answer is an error"] = f"{answered.mean():.1%}"
        numbers["of the answers are correct"] = f"{measured.right[answered].mean():.1%}" if answered.any() else "–"
    if codebook is not None:
        numbers[f"binary classifiers; one-vs-all {k}, one-vs-one {k * (k - 1) // 2}"] = codebook.n_columns
        if k * k * codebook.n_columns <= 2e10:  # a second or two
            numbers["smallest distance of codewords"] = codebook.min_distance
            numbers["wrong outputs that every class tolerates"] = codebook.correction
    if measured.wrong_signs is not None:
        faulty = measured.wrong_signs.any(axis=1)
        numbers["wrong outputs per sample"] = f"{measured.wrong_signs.sum(axis=1).mean():.2f}"
        if faulty.any():
            share = f"{measured.right[faulty].mean():.1%}"
            numbers["of the samples with wrong outputs are classified correctly"] = share
    support = getattr(measured.model, "n_support_", None)
    if support is not None:
        numbers["support vectors"] = int(np.sum(support))  # an SVC by itself has a number for each class
    if measured.calibration:
        numbers["expected calibration error"] = f"{measured.calibration['error']:.3f}"
    return numbers


def _settings(measured: Measured) -> dict[str, Any]:
    model = measured.model
    if measured.codebook is None:
        return {"estimator": getattr(model, "estimator", model)}
    factorization = getattr(model, "factorization_", None)
    settings = {name.rstrip("_"): getattr(model, name, None) for name in ("estimator", "coding_", "decoding_")}
    # ECF may refine its code, or choose another length. Then the factorization is not about this code.
    matrix = measured.codebook.matrix
    if factorization is not None and sorted(column_keys(factorization.code)) == sorted(column_keys(matrix)):
        settings["factorization"] = factorization
    return settings


def _data(measured: Measured, limits: Limits) -> dict[str, Any]:
    """Return what the page computes everything from: the code, and the confusions at every length."""
    y, k = measured.y, len(measured.classes)
    rows = _shown(measured, limits.classes)
    position = np.full(k + 1, -1)  # the last one is that of no answer
    position[rows] = np.arange(len(rows))
    most = limits.confusions // len(measured.lengths)
    labels = measured.classes[rows].tolist()
    return {
        "labels": [short_text(label, 80) for label in labels],
        "names": distinct_names(labels, 22),
        **_code_data(measured, rows, limits),
        "total": len(y),
        "samples": np.bincount(y, minlength=k)[rows].tolist(),
        "lengths": measured.lengths,
        "whole": measured.whole,
        "accuracy": (measured.predicted == y).mean(axis=1).tolist(),
        "hits": [np.bincount(y[p == y], minlength=k)[rows].tolist() for p in measured.predicted],
        "confusions": [_confusions(position[y], position[p], most) for p in measured.predicted],
    }


def _code_data(measured: Measured, rows: Indices, limits: Limits) -> dict[str, Any]:
    """Return the code, or the distances of a large one, and the errors of its columns, as far as there is a code."""
    codebook = measured.codebook
    if codebook is None:
        return {"code": None, "distances": None, "ternary": False, "order": [*range(len(rows))], "columnErrors": None}
    code = codebook.matrix[rows]
    distances = count_differences(code, code, codebook.is_ternary)[0].astype(np.float64)
    small = code.size <= limits.entries
    errors = None
    if measured.wrong_signs is not None:
        used = np.count_nonzero(codebook.matrix[measured.y], axis=0)
        unused = np.full(codebook.n_columns, np.nan)
        errors = np.divide(measured.wrong_signs.sum(axis=0), used, out=unused, where=used > 0)
    return {
        "code": ["".join("0+-"[side] for side in word) for word in code.tolist()] if small else None,
        "distances": None if small else distances[np.triu_indices(len(rows), 1)].astype(int).tolist(),
        "ternary": bool(codebook.is_ternary),
        "order": class_order("clustered", distances).tolist(),
        "columnErrors": None if errors is None or not small else np.round(errors, 4).tolist(),
    }


def _shown(measured: Measured, most: int) -> Indices:
    """Return the rows of the classes with the most errors, counting their samples and samples classified as them."""
    k = len(measured.classes)
    wrong = ~measured.right
    said = measured.predicted[-1, wrong]
    errors = np.bincount(measured.y[wrong], minlength=k) + np.bincount(said[said >= 0], minlength=k)
    return np.sort(np.argsort(-errors, kind="stable")[:most])


def _confusions(true: Indices, predicted: Indices, most: int) -> list[int]:
    """Return class, predicted class and count of the most frequent confusions, one after another.

    Classes at −1 are not shown and not counted, like samples without an answer.
    """
    wrong = (true != predicted) & (true >= 0) & (predicted >= 0)
    pairs, counts = np.unique(np.column_stack([true[wrong], predicted[wrong]]), axis=0, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:most]
    flat: list[int] = np.column_stack([pairs[frequent], counts[frequent]]).ravel().tolist()
    return flat
