"""Confusion report: counts for every pair of classes, and a table of the worst pairs."""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.labels import short_text
from ecoc.utils.optional import optional

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

PRINTED = 10  # pairs of classes, or kinds of errors, in the text of a report


class ConfusedPair(NamedTuple):
    """Counts of a :class:`ConfusionReport` for two classes, both directions together.

    Attributes
    ----------
    first, second : label
        The classes.
    n_samples : int
        Samples of the two classes together.
    distance, promised, promised_paper, errors, corrected, exceeded, made, made_within : int
        As in the report. The counts are the sums of both directions.
    first_as_second, second_as_first : int
        The two parts of `made`.
    rejected : int
        Samples of the two classes that were rejected.

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
    rejected: int


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionReport:
    """Promise of the code and errors of the model for each pair of classes; see :func:`ecoc.confusion_report`.

    Entry (i, j) of a matrix of counts is about samples of class i, compared with class j. It looks only at the columns
    that separate the two classes: those in which one codeword is +1 and the other −1. An output is wrong if its sign
    is not that of the codeword.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, in the order of the rows and columns of all matrices.
    n_samples : ndarray of shape (n_classes,)
        Samples of each class.
    distance : ndarray of shape (n_classes, n_classes)
        Number h of columns that separate two classes.
    promised : ndarray of shape (n_classes, n_classes)
        Number of wrong outputs in these columns after which i is still nearer than j: ⌊(h − 1) / 2⌋.
    promised_paper : ndarray of shape (n_classes, n_classes)
        The paper's pair-wise correction: number of wrong outputs after which i and j are still the nearest class of
        their samples.
    errors : ndarray of shape (n_classes, n_classes)
        Samples of i with at least one wrong output in these columns.
    exceeded : ndarray of shape (n_classes, n_classes)
        Samples of i with more wrong outputs than `promised`.
    corrected : ndarray of shape (n_classes, n_classes)
        Samples of i with at least one wrong output for which i was still scored above j.
    made : ndarray of shape (n_classes, n_classes)
        Samples of i that were classified as j: the confusion matrix without its diagonal.
    made_within : ndarray of shape (n_classes, n_classes)
        Samples of i that were classified as j although no more outputs were wrong than `promised`. Hamming decoding of
        a code without zeros would have scored i above j, so this is a fault of the decoding and not of the code.
    column_error_rate : ndarray of shape (n_columns,)
        Share of wrong outputs in each column, over the samples of classes that the column does not leave out. NaN if
        there are none.
    wrong_bits : ndarray of shape (n_classes,)
        Mean number of wrong outputs for a sample of each class. NaN for a class without samples.
    accuracy : float
        Share of samples that were classified correctly.
    bit_errors : float
        Mean number of wrong outputs per sample.
    n_faulty : int
        Samples with at least one wrong output.
    share_corrected : float
        Share of these that were classified correctly. NaN if there are none.
    rejected : ndarray of shape (n_classes,)
        Samples of each class that were rejected, with `reject_cost`; they are neither correct nor in `made`.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, confusion_report
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="ova", decoding="hamming", probability=False).fit(X[::2], y[::2])
    >>> report = confusion_report(model, X[1::2], y[1::2])
    >>> report
    ConfusionReport: 75 samples, 3 classes, 3 columns
    accuracy 77.3%, 0.29 wrong outputs per sample; 5.6% of the 18 samples with wrong outputs were classified correctly
      classes  samples  distance  promised (paper)  errors  exceeded  corrected  made  →   ←  within
      0 | 1         50         2             0 (0)      14        14          1    11  0  11       0
      1 | 2         50         2             0 (0)      17        17         11     6  2   4       0
      0 | 2         50         2             0 (0)       2         2          0     0  0   0       0

    Codewords of one-vs-all have distance 2, which corrects nothing. The second column needs a better estimator:

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
    rejected: Counts

    @property
    def made_beyond(self) -> Counts:
        """Samples of i that were classified as j after more wrong outputs than `promised`."""
        return self.made - self.made_within

    def pairs(self, n: int | None = None) -> list[ConfusedPair]:
        """List the pairs of classes, the worst first.

        Parameters
        ----------
        n : int, default=None
            How many pairs. None lists all.

        Returns
        -------
        list of ConfusedPair
            Sorted by `made`, then by errors that were not corrected, then by errors.
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
            (self.rejected[i] + self.rejected[j]).tolist(),
        )
        return [ConfusedPair(*values) for values in zip(*columns)]

    def to_frame(self) -> Any:
        """Return `pairs` as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per pair, the worst first.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return optional("pandas", "to_frame makes a pandas DataFrame", "pandas").DataFrame(self.pairs())

    def __repr__(self) -> str:
        header, *rows = self._table()
        widths = [max(map(len, cells)) for cells in zip(header, *rows)]
        lines = [
            "  ".join([cells[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(cells[1:], widths[1:]))])
            for cells in (header, *rows)
        ]
        return "\n".join([*self._summary(), *(f"  {line}" for line in lines if rows), *self._ending(len(rows))])

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
        caption = "<br>".join(text.strip() for text in (*self._summary(), *self._ending(len(rows))))
        caption = f'<caption style="text-align:left">{caption}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _summary(self) -> Iterator[str]:
        n, l = self.n_samples.sum(), len(self.column_error_rate)
        yield f"ConfusionReport: {n} samples, {len(self.classes)} classes, {l} column{'s' * (l != 1)}"
        text = f"accuracy {self.accuracy:.1%}, {self.bit_errors:.2f} wrong outputs per sample"
        if self.n_faulty:
            share = f"{self.share_corrected:.1%} of the {self.n_faulty} samples with wrong outputs"
            text += f"; {share} were classified correctly"
        yield text
        if self.rejected.any():
            yield f"{self.rejected.sum()} of the {n} samples were rejected"

    def _table(self) -> list[tuple[str, ...]]:
        """Return a header and the worst pairs, as texts."""
        rows = [
            (
                f"{short_text(p.first)} | {short_text(p.second)}",
                *map(str, (p.n_samples, p.distance, f"{p.promised} ({p.promised_paper})", p.errors, p.exceeded)),
                *map(str, (p.corrected, p.made, p.first_as_second, p.second_as_first, p.made_within)),
            )
            for p in self.pairs(PRINTED)
            if p.errors or p.made
        ]
        header = ("classes", "samples", "distance", "promised (paper)", "errors", "exceeded", "corrected", "made")
        return [(*header, "→", "←", "within"), *rows]

    def _ending(self, n_printed: int) -> Iterator[str]:
        if not n_printed:
            yield "no output was wrong, and every sample was classified correctly"
            return
        affected = (self.errors > 0) | (self.made > 0)
        more = int(np.triu(affected | affected.T, 1).sum()) - n_printed
        if more:
            yield f"  … {more} more pairs with errors; pairs() lists all"
