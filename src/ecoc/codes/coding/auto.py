"""Which coding suits the learner and the classes? A rule from measurements, with its reason in a sentence."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from ecoc.codes.coding.base import Coding
from ecoc.codes.coding.context import is_booster, is_linear, is_tree
from ecoc.codes.coding.ecf import ECF
from ecoc.codes.coding.grouped import Grouped
from ecoc.codes.coding.one_vs import OneVsAll, OneVsOne
from ecoc.utils.models import last_step

# Measured on glass, ecoli, yeast, vowel, pendigits, letter, traffic36 and orl40 (143 to 4,000 samples) with SVC,
# logistic regression, LinearSVC, a tree and a forest. One-vs-one is best on average with linear models (letter 88.3
# against 84.3 for ECF with 2k columns and 78.2 for one-vs-all), and takes 3 to 14 times as long as one-vs-all with
# forests, where it gains nothing. With half of _PAIRS, letter loses 10 points; with double, 60 classes train 1,770
# columns. With half of _FEW, yeast and pendigits gain nothing from ECF and take twice as long; with double, vowel loses
# 0.7. Single trees: ECF with 2k columns is best or level on seven sets (letter 90.6, one-vs-one 84.2, k columns 87.9;
# glass 77.1, 69.4 and 74.3; orl40 86.9, 57.5 and 82.5), and on synthetic data from four classes on.
_DISTINCT = 3  # classes up to which one-vs-all has all binary columns that exist
_FEW = 10  # classes up to which one-vs-all is as accurate as a designed code for other learners, and cheaper to fit
_PAIRS = 30  # classes up to which one-vs-one has few enough columns
_MOST_DOUBLED = 64  # classes up to which single trees train two columns for each class; not tuned
_LEAST_PER_CLASS = 8  # samples a class needs on average for classifiers of pairs
# Classes beyond which the length grows with log2 k only, and texts have groups. Half and double were not tried. SVC:
# 100 leaves 98.9 % with 42 columns and with 50; 200 characters in a new typeface 91.2 % with 48 columns in 24 s, 88.5 %
# with 100 in 55 s. Sparse texts, LinearSVC and logistic regression, 400 kinds of diseases: groups 86.2 and 85.9 % in
# 0.2 and 1.4 s, one-vs-all 86.5 and 85.4 % in 0.5 and 1.9 s, one ECF column for each class 86.9 and 86.9 % in 23 and
# 32 s. 1,589 kinds, LinearSVC: groups 89.9 % in 8 s, one-vs-all 89.1 % in 111 s. On dense features, groups lose up to
# 18 points.
_MANY = 64
# Boosters, measured on pendigits, letter, orl40 and traffic36 (10 to 40 classes, 50 rounds of XGBoost and LightGBM).
# With many samples a class, one-vs-all is nearest to multi-class boosting (letter: 90.5 and 90.6 against 90.2 and 90.4;
# on another split 89.1 and 89.4 against 89.7 and 90.3). LightGBM's trees of 31 leaves are too small for a code (88.8
# with 26 columns, 87.3 with 13). With few, a code wins (orl40, 7 samples a class, XGBoost: 90.8 with 20 columns, 80.8
# with one-vs-all, 75.8 by itself).
_BOOSTED = 50  # classes up to which boosters train one-vs-all
_MANY_PER_CLASS = 30  # samples a class has on average for that
_MOST_BOOSTED = 64  # columns; with 48 of them, 457 regions of cities are as accurate as with XGBoost itself


class Choice(NamedTuple):
    """A coding, and why it was chosen."""

    coding: Coding
    reason: str


def choose_coding(n_classes: int, y: NDArray[Any], estimator: Any, *, sparse: bool = False) -> Choice:
    """Choose a coding for a learner.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    y : ndarray of shape (n_samples,)
        Class labels.
    estimator : estimator
        The binary classifier; of a Pipeline, the last step counts.
    sparse : bool, default=False
        Whether the samples are a sparse matrix, such as counts of words.

    Returns
    -------
    Choice
        The coding and the reason.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.coding.auto import choose_coding
    >>> from sklearn.svm import SVC
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> y = np.repeat(np.arange(8), 20)
    >>> choose_coding(8, y, SVC()).coding, choose_coding(8, y, DecisionTreeClassifier()).coding
    (OneVsAll(), ECF(n_columns=2.0))
    """
    last = last_step(estimator)
    per_class = len(y) / n_classes
    if is_booster(last) and n_classes > _FEW:
        return _for_boosters(n_classes, per_class)
    if is_tree(last) and n_classes > _DISTINCT:
        length = 2.0 if n_classes <= _MOST_DOUBLED else 1.0
        return Choice(ECF(n_columns=length), f"{n_classes} classes and single trees: {length:g} columns for each class")
    kind = "linear models" if is_linear(last) else "flexible learners"
    if is_linear(last) and n_classes <= _PAIRS and per_class >= _LEAST_PER_CLASS:
        return Choice(OneVsOne(), f"{n_classes} classes and {kind}: pairs of classes are the easiest binary problems")
    if n_classes <= _FEW:
        return Choice(OneVsAll(), f"{n_classes} classes and {kind}: one-vs-all is as accurate and cheaper to fit")
    if n_classes > _MANY and is_linear(last) and sparse:
        return Choice(Grouped(), f"{n_classes} classes, {kind} and sparse features: groups of classes are cheap to fit")
    if n_classes > _MANY and not is_linear(last):
        return Choice(ECF(), f"{n_classes} classes and {kind}: a designed code of six columns for each bit")
    length = 1.0 if is_linear(last) else 0.5
    return Choice(
        ECF(n_columns=length), f"{n_classes} classes and {kind}: a designed code of {length:g} columns for each class"
    )


def _for_boosters(n_classes: int, per_class: float) -> Choice:
    if n_classes <= _BOOSTED and per_class >= _MANY_PER_CLASS:
        return Choice(OneVsAll(), f"{n_classes} classes and boosters: one-vs-all is nearest to multi-class boosting")
    length = min(-(-n_classes // 2), _MOST_BOOSTED)
    return Choice(ECF(n_columns=length), f"{n_classes} classes and boosters: a designed code of {length} columns")
