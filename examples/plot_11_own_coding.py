"""
My classes lie on a circle: can the code know?
==============================================

Hours of the day, months and wind directions are classes on a circle. An error of one hour is better than an error of
six hours. No coding in the package knows this, but you can write your own coding in a few lines. The same is true of
a decoding.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from ecoc import ECF, Coding, ECOCClassifier, OneVsAll, OneVsOne
from ecoc.decoding import Decoding
from ecoc.inspection import CodeBookDisplay, DistanceDisplay
from ecoc.testing import check_coding, check_decoding

plt.style.use("tableau-colorblind10")

# %%
# A coding implements ``_build``, which returns the matrix. Here each column separates one half of the circle from the
# other half. With an even number of classes, two halves that start at opposite points give the same column up to sign,
# so we keep one of them.


class HalfCircles(Coding):
    """Each column separates one half of the circle from the other."""

    def _build(self, n_classes, X, y, random_state):
        n_columns = n_classes if n_classes % 2 else n_classes // 2
        steps = (np.arange(n_classes)[:, None] - np.arange(n_columns)) % n_classes
        return np.where(steps < n_classes // 2, 1, -1)


# %%
# A decoding implements ``_scores``. What depends only on the code book goes into ``_fit``. This decoding does not
# predict the most probable class, but the class with the smallest expected error, measured by the distance of
# codewords. It may prefer a class between two likely ones. It therefore does not guarantee the correction of the code,
# and says so with ``keeps_correction = False``.


class LeastOff(Decoding):
    """Score each class by its expected distance from the right class, with a minus sign."""

    keeps_correction = False

    def _fit(self):
        self.distances_ = self.codebook_.distances().astype(float)

    def _scores(self, outputs):
        probabilities = softmax(outputs @ self.codebook_.matrix.T, axis=1)
        return -probabilities @ self.distances_


# %%
# :func:`ecoc.testing.check_coding` and :func:`ecoc.testing.check_decoding` test them on many code books and raise an
# error at the first fault. They find none here, so both classes will work in every classifier.

check_coding(HalfCircles)
check_decoding(LeastOff)

# %%
# In the code for twelve hours, the distance of two codewords equals the number of hours between them.

book = HalfCircles().build(12)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), width_ratios=(1, 1.3), layout="constrained")
CodeBookDisplay.from_codebook(book, ax=axes[0]).ax_.set_ylabel("hour")
DistanceDisplay.from_codebook(book, ax=axes[1], order="given").ax_.set(xlabel="hour", ylabel="hour")
plt.show()

# %%
# For a test, we place the hours on a circle in two features and add twenty features of pure noise.

angles = 2 * np.pi * np.arange(12) / 12
centres = np.zeros((12, 22))
centres[:, :2] = 3 * np.column_stack([np.cos(angles), np.sin(angles)])
X, y = make_blobs(3600, centers=centres, cluster_std=1.2, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=600, stratify=y, random_state=0)
schemes = {
    "one-vs-all": {"coding": OneVsAll(), "decoding": "linear"},
    "one-vs-one": {"coding": OneVsOne(), "decoding": "hamming"},
    "ECF": {"coding": ECF(n_columns=6)},
    "half circles": {"coding": HalfCircles(), "decoding": "linear"},
    "half circles, LeastOff": {"coding": HalfCircles(), "decoding": LeastOff()},
}
hours = range(1, 5)
figure, ax = plt.subplots(figsize=(6.6, 4), layout="constrained")
for (name, scheme), marker in zip(schemes.items(), "s^Dov"):
    model = ECOCClassifier(LogisticRegression(), **scheme, probability=False, random_state=0).fit(X_train, y_train)
    off = np.abs(model.predict(X_test) - y_test)
    off = np.minimum(off, 12 - off)
    label = f"{name}: {model.n_columns_} columns, mean error {off.mean():.2f} h"
    ax.plot(hours, [100 * np.mean(off >= least) for least in hours], marker=marker, label=label)
ax.set(xlabel="error of at least … hours", ylabel="test samples, %", yscale="log", xticks=hours)
ax.grid(alpha=0.25)
ax.legend(fontsize=8)
plt.show()

# %%
# The six half circles have smaller errors than the twelve binary classifiers of one-vs-all and the 66 of one-vs-one. A
# line through the centre divides the circle into halves, so a linear model can learn these columns, and each binary
# classifier learns from all samples. ECF with its discriminant knows nothing of a circle, but finds it in the data and
# does about as well.
#
# Our own decoding hardly matters. With this code, the most probable hour and the hour with the smallest expected error
# are nearly always the same.
