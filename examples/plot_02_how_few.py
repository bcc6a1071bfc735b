"""
How few classifiers do I need?
==============================

One-vs-all trains one binary classifier for each class, one-vs-one trains one for each pair of classes. A code can
need fewer than both. How few are enough depends on the learner, so this example uses two: support vector machines and
logistic regression.
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
# We train a code of nine columns once. Its best columns come first. :meth:`ecoc.ECOCClassifier.truncate` cuts it to its
# first columns without training anything again, and :class:`ecoc.inspection.LengthDisplay` draws the accuracy at all
# lengths. With ``n_columns="auto"``, ECF chooses the length itself, before any binary classifier is trained.
#
# For comparison, scikit-learn's ``OutputCodeClassifier`` draws three random codes for each length.


def compare(estimator, title, ax):
    """Draw accuracy against the number of binary classifiers for one learner."""
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
        print(f"{title}, {name}: {n_models} binary classifiers, {accuracy:.1%}")
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
    ax.set(title=title, xlabel="binary classifiers", xscale="log", xlim=(3.5, 50), ylim=(60, 100))
    ax.set_xticks(ticks := [4, 5, 7, 10, 15, 45], ticks)
    ax.minorticks_off()


figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
compare(SVC(C=10), "support vector machines", axes[0])
compare(LogisticRegression(solver="liblinear"), "logistic regression", axes[1])
for ax in axes:
    ax.legend(loc="lower right", fontsize=8)
plt.show()

# %%
# With support vector machines, half as many binary classifiers as classes are about as good as one-vs-all. A random
# code of that length loses many points. How many depends on the draw: the error bars are one standard deviation.
#
# With logistic regression, each additional binary classifier helps. One-vs-one is best here, because a linear model
# separates two digits well. The short codes are behind. If you can afford 45 binary classifiers at prediction time,
# take one-vs-one.
