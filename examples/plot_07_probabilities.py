"""
Can I trust the probabilities?
==============================

If a model predicts many classes with probability 0.8, four of five of these predictions should be right. Support
vector machines have no probabilities of their own. There are two ways to get them: from the outputs of the whole
code, or by calibrating each binary classifier and combining the results. This example compares both on classes that
overlap.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from ecoc import ECF, ECOCClassifier, OneVsOne

X, y = make_classification(
    3000,
    n_features=12,
    n_informative=6,
    n_redundant=0,
    n_classes=8,
    n_clusters_per_class=1,
    class_sep=1.2,
    flip_y=0,
    random_state=0,
)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=1000, stratify=y, random_state=0)

# %%
# - The default decoding and ``"linear"`` score the classes by the margins of the binary classifiers. Two numbers that
#   are fitted to held-out outputs turn scores into probabilities: a temperature, and a share for all classes equally.
# - ``"probabilistic"`` uses binary classifiers that are calibrated one by one. It finds the class probabilities that
#   agree best with theirs.
# - The last two classifiers are from scikit-learn.

calibrated = CalibratedClassifierCV(SVC(), ensemble=False)
code = ECF(n_columns=7)
models = {
    "ECF, default": ECOCClassifier(SVC(), coding=code, random_state=0),
    "ECF, linear": ECOCClassifier(SVC(), coding=code, decoding="linear", random_state=0),
    "ECF, probabilistic": ECOCClassifier(calibrated, coding=code, decoding="probabilistic", random_state=0),
    "one-vs-one, probabilistic": ECOCClassifier(
        calibrated, coding=OneVsOne(), decoding="probabilistic", random_state=0
    ),
    "OneVsRestClassifier": OneVsRestClassifier(calibrated),
    "CalibratedClassifierCV": calibrated,
}

# %%
# We put each test sample into one of ten bins, by the probability of its most probable class. In each bin, the share of
# right predictions should equal the mean probability, so that the point lies on the line. Points above the line are
# underconfident, points below the line are overconfident. The size of a point is the number of samples in its bin. The
# *calibration error* is the mean distance from the line.


def reliability(probabilities):
    """Return mean probability, share of right predictions and number of samples of each bin that is not empty."""
    surest = probabilities.max(axis=1)
    is_right = probabilities.argmax(axis=1) == y_test
    bins = np.minimum((10 * surest).astype(int), 9)
    n = np.bincount(bins, minlength=10)
    sums = [np.bincount(bins, values, minlength=10)[n > 0] for values in (surest, is_right)]
    return sums[0] / n[n > 0], sums[1] / n[n > 0], n[n > 0]


figure, axes = plt.subplots(2, 3, figsize=(9, 6.4), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items()):
    probabilities = model.fit(X_train, y_train).predict_proba(X_test)
    said, found, n = reliability(probabilities)
    error = np.average(np.abs(said - found), weights=n)
    accuracy = np.average(found, weights=n)
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.plot(said, found, color="#0072B2", linewidth=1)
    ax.scatter(said, found, s=2 + 300 * n / n.sum(), color="#0072B2")
    ax.set_title(name, fontsize=10)
    text = f"log-loss {log_loss(y_test, probabilities):.3f}\ncalibration error {error:.3f}\naccuracy {accuracy:.1%}"
    ax.text(0.98, 0.03, text, ha="right", va="bottom", transform=ax.transAxes, fontsize=9)
    ax.set(xlim=(0, 1.03), ylim=(0, 1.03))
figure.supxlabel("mean probability of the most probable class")
figure.supylabel("share of right predictions")
plt.show()

# %%
# The default decoding is nearest to the line. Below their surest predictions, the other codes and one-vs-one are
# overconfident. The classifiers from scikit-learn are underconfident where most of their predictions are. If each
# binary classifier is calibrated for its own column, this does not carry over to the classes. Very small points stand
# for a handful of samples and mean nothing.
#
# Which one should you take? One-vs-one has four times as many binary classifiers as the codes. It is the most accurate
# here and has the smallest log-loss, although it is overconfident. If calibration matters most, take the default.
