"""What did the code promise each pair of classes, and what happened? The paper's pair-wise view on real samples."""

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ecoc.classifier import ECOCClassifier
from ecoc.utils.suggest import some
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

_BLOCK_ENTRIES = 2**24  # of outputs or scores held at once: 128 MB
_DRAWN_PAIRS, _DRAWN_LABEL = 10, 24


class ConfusedPair(NamedTuple):
    """What a :class:`ConfusionReport` says about two classes, both directions together.

    Attributes
    ----------
    first, second : label
        The classes.
    n_samples : int
        Samples of either.
    distance, promised, promised_paper, errors, corrected, exceeded, made, made_within : int
        As in the report; counts are those of both directions.
    first_as_second, second_as_first : int
        The two parts of `made`.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, confusion_report
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="ova", decoding="hamming", probability=False).fit(X[::2], y[::2])
    >>> for pair in confusion_report(model, X[1::2], y[1::2]).pairs():
    ...     print(pair.first, pair.second, pair.first_as_second, pair.second_as_first)
    0 1 0 11
    1 2 2 4
    0 2 0 0
    """

    first: Any
    second: Any
    n_samples: int
    distance: int
    promised: int
    promised_paper: int
    errors: int
    corrected: int
    exceeded: int
    made: int
    made_within: int
    first_as_second: int
    second_as_first: int


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionReport:
    """For each pair of classes, what the code promised and what happened; see :func:`ecoc.confusion_report`.

    Entry (i, j) of a matrix of counts is about samples of class i in view of class j. Only the columns that separate
    the two count there: those in which one codeword is +1 and the other −1.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, in the order of rows and columns.
    n_samples : ndarray of shape (n_classes,)
        Samples of each class.
    distance : ndarray of shape (n_classes, n_classes)
        Number of columns that separate two classes, h.
    promised : ndarray of shape (n_classes, n_classes)
        Wrong dichotomizers, among those that separate i and j, after which i is still nearer than j: ⌊(h − 1) / 2⌋.
    promised_paper : ndarray of shape (n_classes, n_classes)
        The paper's pair-wise correction: wrong dichotomizers after which neither i nor j is taken for any class.
    errors : ndarray of shape (n_classes, n_classes)
        Samples of i for which at least one dichotomizer that separates i and j was wrong.
    exceeded : ndarray of shape (n_classes, n_classes)
        Of these, samples for which more were wrong than `promised`.
    corrected : ndarray of shape (n_classes, n_classes)
        Of the errors, samples for which i was scored above j nevertheless.
    made : ndarray of shape (n_classes, n_classes)
        Samples of i that were taken for j; the confusion matrix without its diagonal.
    made_within : ndarray of shape (n_classes, n_classes)
        Of these, samples for which no more dichotomizers were wrong than `promised`: Hamming decoding of a code without
        zeros would have scored i above j, and the decoding is to blame, not the code.
    column_error_rate : ndarray of shape (n_columns,)
        Share of wrong outputs of each dichotomizer, over samples of classes that it does not leave out; NaN if none.
    wrong_bits : ndarray of shape (n_classes,)
        Mean number of wrong dichotomizers for a sample of each class; NaN for a class without samples.
    accuracy : float
        Share of samples that were classified right.
    bit_errors : float
        Mean number of wrong dichotomizers for a sample.
    n_faulty : int
        Samples with at least one wrong dichotomizer.
    share_corrected : float
        Share of these that were classified right; NaN if there are none.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, confusion_report
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="ova", decoding="hamming", probability=False).fit(X[::2], y[::2])
    >>> report = confusion_report(model, X[1::2], y[1::2])
    >>> report
    ConfusionReport: 75 samples, 3 classes, 3 dichotomies
    accuracy 77.3%, 0.29 wrong dichotomizers a sample; 5.6% of the 18 samples with any were classified right
      classes  samples  distance  promised (paper)  errors  exceeded  corrected  made  →   ←  within
      0 | 1         50         2             0 (0)      14        14          1    11  0  11       0
      1 | 2         50         2             0 (0)      17        17         11     6  2   4       0
      0 | 2         50         2             0 (0)       2         2          0     0  0   0       0

    One-vs-all keeps classes at distance 2, which corrects nothing. The second dichotomizer needs a better estimator:

    >>> report.column_error_rate.round(2)
    array([0.  , 0.24, 0.05])
    """

    classes: NDArray[Any]
    n_samples: Counts
    distance: NDArray[np.int32]
    promised: NDArray[np.int32]
    promised_paper: NDArray[np.int32]
    errors: Counts
    exceeded: Counts
    corrected: Counts
    made: Counts
    made_within: Counts
    column_error_rate: Array
    wrong_bits: Array
    accuracy: float
    bit_errors: float
    n_faulty: int
    share_corrected: float

    @property
    def made_beyond(self) -> Counts:
        """Samples of i that were taken for j after more wrong dichotomizers than `promised`.

        Examples
        --------
        >>> from ecoc import ECOCClassifier, confusion_report
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ova", decoding="hamming", probability=False).fit(X[::2], y[::2])
        >>> report = confusion_report(model, X[1::2], y[1::2])
        >>> report.made_beyond
        array([[ 0,  0,  0],
               [11,  0,  2],
               [ 0,  4,  0]])
        >>> (report.made_beyond + report.made_within == report.made).all().item()
        True
        """
        return self.made - self.made_within

    def pairs(self, n: int | None = None) -> list[ConfusedPair]:
        """List the pairs of classes, worst first.

        Parameters
        ----------
        n : int, default=None
            How many; None lists all.

        Returns
        -------
        list of ConfusedPair
            Sorted by errors made, then by errors not corrected, then by errors.

        Examples
        --------
        >>> from ecoc import ECOCClassifier, confusion_report
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ova", decoding="hamming", probability=False).fit(X[::2], y[::2])
        >>> worst = confusion_report(model, X[1::2], y[1::2]).pairs(1)[0]
        >>> worst.first, worst.second, worst.distance
        (0, 1, 2)
        >>> worst.made == worst.first_as_second + worst.second_as_first
        True
        """
        first, second = np.triu_indices(len(self.classes), 1)
        both = {
            name: (matrix := getattr(self, name))[first, second] + matrix[second, first]
            for name in ("errors", "corrected", "exceeded", "made", "made_within")
        }
        order = np.lexsort((-both["errors"], both["corrected"] - both["errors"], -both["made"]))[:n]
        i, j = first[order], second[order]
        labels = self.classes.tolist()
        columns = (
            [labels[row] for row in i],
            [labels[row] for row in j],
            (self.n_samples[i] + self.n_samples[j]).tolist(),
            self.distance[i, j].tolist(),
            self.promised[i, j].tolist(),
            self.promised_paper[i, j].tolist(),
            *(counts[order].tolist() for counts in both.values()),
            self.made[i, j].tolist(),
            self.made[j, i].tolist(),
        )
        return [ConfusedPair(*values) for values in zip(*columns)]

    def to_frame(self) -> Any:
        """Give `pairs` as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            A row a pair, worst first.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from ecoc import ECOCClassifier, confusion_report
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ova", decoding="hamming", probability=False).fit(X[::2], y[::2])
        >>> frame = confusion_report(model, X[1::2], y[1::2]).to_frame()
        >>> frame[["first", "second", "distance", "promised"]]
           first  second  distance  promised
        0      0       1         2         0
        1      1       2         2         0
        2      0       2         2         0
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame makes a pandas DataFrame: pip install pandas; pairs() needs nothing") from error
        return pd.DataFrame(self.pairs())

    def __repr__(self) -> str:
        header, *rows = self._table()
        widths = [max(map(len, cells)) for cells in zip(header, *rows)]
        lines = [
            "  ".join([cells[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(cells[1:], widths[1:]))])
            for cells in (header, *rows)
        ]
        return "\n".join([*self._summary(), *(f"  {line}" for line in lines if rows), *self._rest(len(rows))])

    def _repr_html_(self) -> str:
        header, *rows = self._table()
        cell = 'style="padding:0 .6em;text-align:{}"'
        body = "".join(
            f"<tr><th {cell.format('left')}>{html.escape(cells[0])}</th>"
            + "".join(f"<td {cell.format('right')}>{text}</td>" for text in cells[1:])
            + "</tr>"
            for cells in rows
        )
        head = "".join(f"<th {cell.format('right')}>{text}</th>" for text in header)
        caption = "<br>".join(text.strip() for text in (*self._summary(), *self._rest(len(rows))))
        caption = f'<caption style="text-align:left">{caption}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _summary(self) -> Iterator[str]:
        n, l = self.n_samples.sum(), len(self.column_error_rate)
        dichotomies = "1 dichotomy" if l == 1 else f"{l} dichotomies"
        yield f"ConfusionReport: {n} samples, {len(self.classes)} classes, {dichotomies}"
        text = f"accuracy {self.accuracy:.1%}, {self.bit_errors:.2f} wrong dichotomizers a sample"
        if self.n_faulty:
            text += f"; {self.share_corrected:.1%} of the {self.n_faulty} samples with any were classified right"
        yield text

    def _table(self) -> list[tuple[str, ...]]:
        """The worst pairs as texts, after a header."""
        rows = [
            (
                f"{_short(p.first)} | {_short(p.second)}",
                *map(str, (p.n_samples, p.distance, f"{p.promised} ({p.promised_paper})", p.errors, p.exceeded)),
                *map(str, (p.corrected, p.made, p.first_as_second, p.second_as_first, p.made_within)),
            )
            for p in self.pairs(_DRAWN_PAIRS)
            if p.errors or p.made
        ]
        header = ("classes", "samples", "distance", "promised (paper)", "errors", "exceeded", "corrected", "made")
        return [(*header, "→", "←", "within"), *rows]

    def _rest(self, n_drawn: int) -> Iterator[str]:
        if not n_drawn:
            yield "no dichotomizer was wrong, and no class taken for another"
            return
        touched = (self.errors > 0) | (self.made > 0)
        more = int(np.triu(touched | touched.T, 1).sum()) - n_drawn
        if more:
            yield f"  … {more} more pairs with errors; pairs() has all"


def confusion_report(model: ECOCClassifier | Pipeline, X: Any, y: ArrayLike) -> ConfusionReport:
    """Tell for each pair of classes what the code promised and what happened on some samples.

    A code with h columns between two classes survives ⌊(h − 1) / 2⌋ wrong dichotomizers there. This counts, for
    samples with known labels, how often dichotomizers were wrong, whether the wrong ones were too many, and whether
    the decoding told the classes apart all the same: which pairs deserve longer distances (``ECF(wishes=...,
    min_distance=...)``), and which dichotomizers a better estimator.

    Parameters
    ----------
    model : ECOCClassifier, or Pipeline that ends in one
        A fitted model.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, best ones that the model was not trained on.
    y : array-like of shape (n_samples,)
        Their labels. Classes may be missing.

    Returns
    -------
    ConfusionReport
        Matrices over pairs of classes, which print as a table of the worst pairs.

    See Also
    --------
    ecoc.report : The same with pictures, as one HTML file.
    ecoc.inspection.DichotomyDisplay : Which dichotomies are difficult.

    Notes
    -----
    Errors are counted on the signs of the dichotomizers' margins, whatever outputs the decoding uses. A decoding of
    margins may repair more of them than promised, and may err where none was wrong. For a third class that wins, an
    error is neither corrected nor made if j was scored above i too. Memory is O(n_classes²) beside a block of samples.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, confusion_report
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="hadamard", decoding="hamming", probability=False).fit(X[:900], y[:900])
    >>> report = confusion_report(model, X[900:], y[900:])
    >>> report.accuracy == model.score(X[900:], y[900:])
    True
    >>> worst = report.pairs()[0]
    >>> worst.made == worst.first_as_second + worst.second_as_first
    True
    """
    model, X = _classifier_and_input(model, X)
    check_is_fitted(model, "decoding_")
    X = model.validate(X)
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    indices = _class_indices(labels, model.classes_)
    book = model.code_book_
    tally = _Tally(book.matrix, book.pairwise_correction("direct"))
    step = max(1, _BLOCK_ENTRIES // max(book.shape))
    for start in range(0, len(indices), step):
        rows = slice(start, start + step)
        tally.add(indices[rows], *_signs_and_scores(model, X[rows]))
    return tally.report(model.classes_.copy(), book.distances(), book.pairwise_correction("paper"))


@dataclass
class _Tally:
    """Counts over blocks of samples."""

    code: NDArray[np.int8]
    promised: NDArray[np.int32]
    n_samples: Counts = field(init=False)
    wrong: Counts = field(init=False)
    n_faulty: int = 0
    n_repaired: int = 0

    def __post_init__(self) -> None:
        k, l = self.code.shape
        self.n_samples = np.zeros(k, dtype=np.int64)
        self.wrong = np.zeros((k, l), dtype=np.int64)
        self.errors, self.exceeded, self.corrected, self.made, self.made_within = np.zeros((5, k, k), dtype=np.int64)

    def add(self, y: NDArray[np.intp], signs: NDArray[np.int8], scores: Array) -> None:
        """Count a block. For each class a matrix product gives the wrong columns that separate it from the others."""
        k = len(self.code)
        for i in np.unique(y):
            rows = np.flatnonzero(y == i)
            used = np.flatnonzero(self.code[i])
            wrong = signs[np.ix_(rows, used)] != self.code[i, used]
            separates = self.code[:, used] == -self.code[i, used]
            with one_blas_thread():  # products too small to share
                n_wrong = wrong.astype(np.float32) @ separates.T.astype(np.float32)  # exact to 2**24
            own, others = scores[rows, i][:, None], scores[rows]
            # As predict has it: of equal scores the first class wins.
            ahead = (own > others) | ((own == others) & (i < np.arange(k)))
            chosen = others.argmax(axis=1)
            kept = n_wrong[np.arange(len(rows)), chosen] <= self.promised[i, chosen]
            faulty = wrong.any(axis=1)
            self.n_samples[i] += len(rows)
            self.wrong[i, used] += wrong.sum(axis=0)
            self.n_faulty += int(faulty.sum())
            self.n_repaired += int((faulty & (chosen == i)).sum())
            self.errors[i] += (n_wrong > 0).sum(axis=0)
            self.exceeded[i] += (n_wrong > self.promised[i]).sum(axis=0)
            self.corrected[i] += ((n_wrong > 0) & ahead).sum(axis=0)
            self.made[i] += np.bincount(chosen, minlength=k)
            self.made_within[i] += np.bincount(chosen[kept], minlength=k)

    def report(
        self, classes: NDArray[Any], distance: NDArray[np.int32], promised_paper: NDArray[np.int32]
    ) -> ConfusionReport:
        """What the counts amount to."""
        n = int(self.n_samples.sum())
        right = int(np.trace(self.made))
        for counts in (self.made, self.made_within):
            np.fill_diagonal(counts, 0)
        asked = self.n_samples @ (self.code != 0)
        with np.errstate(invalid="ignore"):  # 0 / 0, where nothing was asked, is NaN
            column_error_rate = self.wrong.sum(axis=0) / asked
            wrong_bits = self.wrong.sum(axis=1) / self.n_samples
        arrays = (
            self.errors,
            self.exceeded,
            self.corrected,
            self.made,
            self.made_within,
            column_error_rate,
            wrong_bits,
        )
        matrices = (self.n_samples, distance, self.promised, promised_paper, *arrays)
        for array in (classes, *matrices):
            array.setflags(write=False)
        share_corrected = self.n_repaired / self.n_faulty if self.n_faulty else float("nan")
        return ConfusionReport(
            classes, *matrices, right / n, float(self.wrong.sum() / n), self.n_faulty, share_corrected
        )


def _classifier_and_input(model: Any, X: Any) -> tuple[ECOCClassifier, Any]:
    """The classifier at the end, and what it is given."""
    given = model
    while isinstance(model, Pipeline):
        if len(model.steps) > 1:
            X = model[:-1].transform(X)
        model = model.steps[-1][1]
    if not isinstance(model, ECOCClassifier):
        what = type(given).__name__ + (f" ending in {type(model).__name__}" if model is not given else "")
        hint = "; give its best_estimator_" if hasattr(given, "best_estimator_") else ""
        raise TypeError(f"confusion_report takes an ECOCClassifier, or a Pipeline that ends in one; got {what}{hint}.")
    return model, X


def _class_indices(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    index = {label: i for i, label in enumerate(classes.tolist())}
    indices = np.array([index.get(label, -1) for label in y.tolist()], dtype=np.intp)
    if (indices < 0).any():
        unknown = list(dict.fromkeys(y[indices < 0].tolist()))
        raise ValueError(
            f"y has labels that the model was not trained on: {some(unknown)}; its classes are {some([*index])}."
        )
    return indices


def _signs_and_scores(model: ECOCClassifier, X: Any) -> tuple[NDArray[np.int8], Array]:
    needs = model.decoding_.needs
    outputs = model.fitted_.outputs(X, needs)
    sided = model.fitted_.outputs(X, "signs") if needs == "probabilities" else outputs
    return np.where(sided > 0, np.int8(1), np.int8(-1)), model.decoding_.scores(outputs)


def _short(label: Any) -> str:
    text = " ".join(str(label).split())
    return text if len(text) <= _DRAWN_LABEL else text[: _DRAWN_LABEL - 1] + "…"
