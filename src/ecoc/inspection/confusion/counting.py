"""Count confusions class by class, in blocks of samples."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from ecoc.inspection.confusion.report import Array, ConfusionReport
from ecoc.inspection.fitted import blocks, classifier_of
from ecoc.utils.labels import class_indices
from ecoc.utils.scikit import safe_indexing
from ecoc.utils.threads import one_blas_thread


def confusion_report(model: Any, X: Any, y: ArrayLike) -> ConfusionReport:
    """Compare, for each pair of classes, what the code promised with what happened on some samples.

    If h columns separate two classes, Hamming decoding tells them apart as long as at most ⌊(h − 1) / 2⌋ of the h
    binary classifiers are wrong. The report counts how often binary classifiers were wrong, how often more were wrong
    than the code allows, and how often the decoding scored the right class higher anyway. It shows which pairs need a
    larger distance (``ECF(wishes=..., min_distance=...)``) and which columns need a better estimator.

    Parameters
    ----------
    model : ECOCClassifier, or a Pipeline or search that ends in one
        A fitted model.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples. Use samples that the model was not trained on.
    y : array-like of shape (n_samples,)
        Their labels. Not every class needs to occur.

    Returns
    -------
    ConfusionReport
        Matrices over pairs of classes. It prints as a table of the worst pairs.

    See Also
    --------
    ecoc.report : Write the same with pictures, as one HTML file.
    ecoc.inspection.ColumnDisplay : Plot which columns are difficult.

    Notes
    -----
    Errors are counted on the signs of the margins, whatever outputs the decoding uses. A decoding that uses margins
    may correct more errors than promised, and may be wrong although no binary classifier was. If a third class wins,
    a sample of class i counts as corrected with respect to j if i was scored above j. `costs` and `reject_cost` of the
    model decide how a sample is classified, and do not change scores.
    Besides the matrices over pairs, the memory needed is that of one block of samples.

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
    classifier, X = classifier_of(model, X)
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    indices = class_indices(labels, classifier.classes_)
    return count_confusions(classifier, X, indices, blocks(len(indices), max(classifier.code_book_.shape)))


def count_confusions(classifier: Any, X: Any, y: NDArray[np.intp], blocks: Iterable[slice]) -> ConfusionReport:
    """Return the report on validated samples, given the positions of their classes and blocks of rows."""
    codebook = classifier.code_book_
    counter = _Counter(codebook.matrix, codebook.pairwise_correction("direct"))
    for rows in blocks:
        counter.add(y[rows], *_answers(classifier, safe_indexing(X, rows)))
    return counter.report(classifier.classes_.copy(), codebook.distances(), codebook.pairwise_correction("paper"))


def _answers(classifier: Any, X: Any) -> tuple[NDArray[np.int8], Array, NDArray[np.intp]]:
    """Return the signs of the outputs, the scores of the classes, and the predicted class or −1."""
    fitted = classifier.fitted_
    decoding = fitted.decision.decoding
    outputs = fitted.outputs_to_decode(X)
    # Probabilities have no sign; margins and signs have.
    signed = fitted.outputs(X, "signs") if decoding.needs == "probabilities" else fitted.of_longer(outputs)
    scores = decoding.scores(outputs)
    chosen = scores.argmax(axis=1) if classifier.cost_matrix_ is None else classifier.choose(outputs)
    return np.where(signed > 0, np.int8(1), np.int8(-1)), scores, chosen


class _Counter:
    """Counts over blocks of samples."""

    def __init__(self, code: NDArray[np.int8], promised: NDArray[np.int32]) -> None:
        k, l = code.shape
        self.code, self.promised = code, promised
        self.n_samples, self.rejected = np.zeros((2, k), dtype=np.int64)
        self.wrong = np.zeros((k, l), dtype=np.int64)
        self.errors, self.exceeded, self.corrected, self.made, self.made_within = np.zeros((5, k, k), dtype=np.int64)
        self.n_faulty = self.n_repaired = 0

    def add(self, y: NDArray[np.intp], signs: NDArray[np.int8], scores: Array, predicted: NDArray[np.intp]) -> None:
        """Count a block. One matrix product per class gives the wrong columns that separate it from each other one."""
        k = len(self.code)
        for i in np.unique(y):
            rows = np.flatnonzero(y == i)
            used = np.flatnonzero(self.code[i])
            wrong = signs[np.ix_(rows, used)] != self.code[i, used]
            separates = self.code[:, used] == -self.code[i, used]
            with one_blas_thread():  # the products are too small for several threads
                n_wrong = wrong.astype(np.float32) @ separates.T.astype(np.float32)  # exact to 2**24
            own, others = scores[rows, i][:, None], scores[rows]
            # The rule of `predict`: of equal scores, the first class wins.
            ahead = (own > others) | ((own == others) & (i < np.arange(k)))
            chosen = predicted[rows]
            answered = chosen >= 0
            within = answered & (n_wrong[np.arange(len(rows)), chosen] <= self.promised[i, chosen])
            faulty = wrong.any(axis=1)
            self.n_samples[i] += len(rows)
            self.wrong[i, used] += wrong.sum(axis=0)
            self.n_faulty += int(faulty.sum())
            self.n_repaired += int((faulty & (chosen == i)).sum())
            self.errors[i] += (n_wrong > 0).sum(axis=0)
            self.exceeded[i] += (n_wrong > self.promised[i]).sum(axis=0)
            self.corrected[i] += ((n_wrong > 0) & ahead).sum(axis=0)
            self.rejected[i] += np.count_nonzero(~answered)
            self.made[i] += np.bincount(chosen[answered], minlength=k)
            self.made_within[i] += np.bincount(chosen[within], minlength=k)

    def report(
        self, classes: NDArray[Any], distance: NDArray[np.int32], promised_paper: NDArray[np.int32]
    ) -> ConfusionReport:
        """Return the report of everything counted so far, with arrays that cannot be written to."""
        n = int(self.n_samples.sum())
        right = int(np.trace(self.made))
        for counts in (self.made, self.made_within):
            np.fill_diagonal(counts, 0)
        n_outputs = self.n_samples @ (self.code != 0)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, for a column or class without samples
            column_error_rate = self.wrong.sum(axis=0) / n_outputs
            wrong_bits = self.wrong.sum(axis=1) / self.n_samples
        names = ("n_samples", "promised", "errors", "exceeded", "corrected", "made", "made_within", "rejected")
        arrays = {name: getattr(self, name) for name in names} | {
            "classes": classes,
            "distance": distance,
            "promised_paper": promised_paper,
            "column_error_rate": column_error_rate,
            "wrong_bits": wrong_bits,
        }
        for array in arrays.values():
            array.setflags(write=False)
        return ConfusionReport(
            **arrays,
            accuracy=right / n,
            bit_errors=float(self.wrong.sum() / n),
            n_faulty=self.n_faulty,
            share_corrected=self.n_repaired / self.n_faulty if self.n_faulty else float("nan"),
        )
