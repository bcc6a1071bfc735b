"""
How few classifiers do I need?
==============================

One-vs-all trains a model for every class and one-vs-one a model for every pair. A code can do with fewer than either.
How few are enough depends on how strong the models are, so this example counts twice: with support vector machines
and with logistic regression.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.svm import SVC

from ecoc import ECF, ECOCClassifier
from ecoc.inspection import LengthDisplay

plt.style.use("tableau-colorblind10")
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)

# %%
# A code of nine columns is trained once. Its best columns come first, so it can be cut to any length that still tells
# the digits apart, and nothing is trained again: that is :meth:`ecoc.ECOCClassifier.truncate`, and
# :class:`ecoc.inspection.LengthDisplay` draws the accuracy at all lengths. With ``n_columns="auto"``, ECF settles the
# length itself, before any model is trained.
#
# Random codes, as scikit-learn has them in ``OutputCodeClassifier``, are drawn three times for each length.


def compare(estimator, title, ax):
    """Draw accuracy against the number of binary models for one kind of model."""
    model = ECOCClassifier(estimator, coding=ECF(n_columns=9), random_state=0).fit(X_train, y_train)
    LengthDisplay.from_estimator(model, X_test, y_test, ax=ax, label="ECF, cut")
    auto = ECOCClassifier(estimator, coding=ECF(n_columns="auto"), random_state=0).fit(X_train, y_train)
    points = {f'ECF, n_columns="auto": {auto.n_columns_}': (auto.n_columns_, auto.score(X_test, y_test), "D")}
    for name, other, marker in (
        ("one-vs-all", OneVsRestClassifier(estimator), "s"),
        ("one-vs-one", OneVsOneClassifier(estimator), "^"),
    ):
        other.fit(X_train, y_train)
        points[name] = len(other.estimators_), other.score(X_test, y_test), marker
    for name, (n_models, accuracy, marker) in points.items():
        ax.plot(n_models, 100 * accuracy, marker, markersize=8, label=name)
        print(f"{title}, {name}: {n_models} models, {accuracy:.1%}")
    lengths = [5, 10, 15]
    drawn = [
        [
            OutputCodeClassifier(estimator, code_size=l / 10, random_state=seed).fit(X_train, y_train)
            for seed in range(3)
        ]
        for l in lengths
    ]
    accuracy = 100 * np.array([[code.score(X_test, y_test) for code in codes] for codes in drawn])
    ax.errorbar(lengths, accuracy.mean(axis=1), accuracy.std(axis=1), fmt="v:", capsize=3, label="random code")
    ax.set(title=title, xlabel="binary models", xscale="log", xlim=(3.5, 50), ylim=(60, 100))
    ax.set_xticks(ticks := [4, 5, 7, 10, 15, 45], ticks)
    ax.minorticks_off()


figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
compare(SVC(C=10), "support vector machines", axes[0])
compare(LogisticRegression(solver="liblinear"), "logistic regression", axes[1])
for ax in axes:
    ax.legend(loc="lower right", fontsize=8)
plt.show()

# %%
# With support vector machines, about half as many models as classes are as good as one-vs-all. A random code of that
# length loses many points, and how many depends on the draw: the bars are one standard deviation.
#
# With logistic regression every model counts. One-vs-one is the best here, since a linear model that has only two
# digits to tell apart does that well, and the short codes stay behind. If prediction time allows 45 models, take
# one-vs-one.
