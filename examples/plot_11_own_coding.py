"""
My classes lie on a circle: can the code know?
==============================================

Hours of the day, months and directions of the wind are classes on a circle, and to be one off is better than to be
six off. No coding in the package knows that, but one of your own takes a few lines. So does a decoding.
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
# A coding writes ``_build``, which returns the matrix. Here each column is a half of the circle against the other
# half. For an even number of classes, halves that begin opposite to each other are the same dichotomy, and one is
# enough.


class HalfCircles(Coding):
    """Each column is one half of the circle against the other."""

    def _build(self, n_classes, X, y, random_state):
        n_columns = n_classes if n_classes % 2 else n_classes // 2
        steps = (np.arange(n_classes)[:, None] - np.arange(n_columns)) % n_classes
        return np.where(steps < n_classes // 2, 1, -1)


# %%
# A decoding writes ``_scores``, and ``_fit`` for what it computes of the code book once. This one does not take the
# most probable class but the one that will be off by the least, on average, counted by the distance of codewords. It
# may prefer a class between two likely ones, and so does not promise to correct as many errors as the code could.


class LeastOff(Decoding):
    """Score each class by minus its expected distance from the right one."""

    keeps_correction = False

    def _fit(self):
        self.distances_ = self.codebook_.distances().astype(float)

    def _scores(self, outputs):
        probabilities = softmax(outputs @ self.codebook_.matrix.T, axis=1)
        return -probabilities @ self.distances_


# %%
# :func:`ecoc.testing.check_coding` and :func:`ecoc.testing.check_decoding` try them on many code books and raise an
# error at the first promise that is not kept. They find nothing here, so both will work in every classifier.

check_coding(HalfCircles)
check_decoding(LeastOff)

# %%
# In the code for twelve hours, any two are as many columns apart as they are hours apart.

book = HalfCircles().build(12)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), width_ratios=(1, 1.3), layout="constrained")
CodeBookDisplay.from_codebook(book, ax=axes[0]).ax_.set_ylabel("hour")
DistanceDisplay.from_codebook(book, ax=axes[1], order="given").ax_.set(xlabel="hour", ylabel="hour")
plt.show()

# %%
# To try it, put the hours around a circle in two features and add twenty features that are nothing but noise.

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
    "half circles, least off": {"coding": HalfCircles(), "decoding": LeastOff()},
}
hours = range(1, 5)
figure, ax = plt.subplots(figsize=(6.6, 4), layout="constrained")
for (name, scheme), marker in zip(schemes.items(), "s^Dov"):
    model = ECOCClassifier(LogisticRegression(), **scheme, probability=False, random_state=0).fit(X_train, y_train)
    off = np.abs(model.predict(X_test) - y_test)
    off = np.minimum(off, 12 - off)
    label = f"{name}: {model.n_columns_} models, {off.mean():.2f} off on average"
    ax.plot(hours, [100 * np.mean(off >= least) for least in hours], marker=marker, label=label)
ax.set(xlabel="hours off, at least", ylabel="test samples, %", yscale="log", xticks=hours)
ax.grid(alpha=0.25)
ax.legend(fontsize=8)
plt.show()

# %%
# Six half circles are off by less than twelve models of one-vs-all and the 66 of one-vs-one. A line through the
# centre cuts the circle in halves, so these dichotomies are just what a linear model can learn, and each learns from
# all samples. ECF with its discriminant, which was told nothing of a circle, finds it in the data and does about as
# well.
#
# The decoding of our own hardly matters. With this code, the most probable hour and the one that is least off are
# nearly always the same.
