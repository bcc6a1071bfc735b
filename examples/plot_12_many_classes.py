"""
A hundred classes: does a code still pay?
=========================================

With a hundred classes, one-vs-all asks each binary classifier to find one class among a hundred. Decision trees are
bad at this, because one class has too few samples to split by. A code separates one half of the classes from the
other half. Each binary classifier then has enough samples on both sides, and the code corrects its errors.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, DenseRandom, ECOCClassifier, OneVsAll, confusion_report
from ecoc.inspection import LengthDisplay

plt.style.use("tableau-colorblind10")
X, y = make_blobs(2200, n_features=16, centers=100, center_box=(-1, 1), cluster_std=0.35, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=1200, stratify=y, random_state=0)

# %%
# We compare two codes of 64 columns: one is designed from the distances between the classes, the other is drawn at
# random. We decode by Hamming distance, because fully grown trees output only signs, not margins.

codings = {"ECF": ECF(n_columns=64), "dense random": DenseRandom(64), "one-vs-all": OneVsAll()}
models = {}
for name, coding in codings.items():
    start = time.perf_counter()
    model = ECOCClassifier(
        DecisionTreeClassifier(), coding=coding, decoding="hamming", probability=False, random_state=0
    )
    models[name] = model.fit(X_train, y_train)
    print(f"{name}: {model.n_columns_} trees in {time.perf_counter() - start:.1f} s")

# %%
# The left picture shows the accuracy of both codes when cut to their first columns, beside one-vs-all and classifiers
# that need no code. The right picture shows how often each tree is wrong.

figure, (ax, right) = plt.subplots(1, 2, figsize=(10, 4.2), width_ratios=(1.5, 1), layout="constrained")
for name in ("ECF", "dense random"):
    LengthDisplay.from_estimator(models[name], X_test, y_test, lengths=[16, 24, 32, 48, 64], ax=ax, label=name)
    errors = 100 * confusion_report(models[name], X_test, y_test).column_error_rate
    right.hist(errors, bins=np.arange(0, 52, 2), alpha=0.7, label=f"{name}, mean {errors.mean():.0f} %")
accuracy = models["one-vs-all"].score(X_test, y_test)
ax.plot(100, 100 * accuracy, "s", color="black", label=f"one-vs-all: {accuracy:.0%}")
plain = {
    "logistic regression": LogisticRegression(),
    "forest of 64 trees": ExtraTreesClassifier(64, random_state=0),
    "one tree": DecisionTreeClassifier(random_state=0),
}
for (name, model), style in zip(plain.items(), ("-", "--", ":")):
    accuracy = model.fit(X_train, y_train).score(X_test, y_test)
    ax.axhline(100 * accuracy, color="0.4", linestyle=style, linewidth=1, label=f"{name}: {accuracy:.0%}")
ax.set(xlabel="trees", ylim=(0, 101))
ax.legend(fontsize=8, loc="lower left", ncols=2)
right.set(xlabel="errors of a tree, %", ylabel="trees", xlim=(0, 50))
right.margins(y=0.3)
right.legend(fontsize=8)
plt.show()

# %%
# One tree for each class is the worst choice. Even one tree for all classes is better. In a code, trees that are wrong
# about one sample in four or five make a good classifier together. The designed code needs clearly fewer trees than the
# random one: it puts neighbouring classes on the same side, so its trees are wrong less often.
#
# A code is not the only solution. A forest of as many trees is better still. Straight lines separate these classes, so
# logistic regression is better than all trees. A code pays if you have to use a certain binary classifier.
#
# The design stays fast with more classes. This is the time for a code of 64 columns for 500 classes, designed from
# data.

X_more, y_more = make_blobs(5000, n_features=16, centers=500, center_box=(-1, 1), random_state=0)
start = time.perf_counter()
book = ECF(n_columns=64).build(500, X_more, y_more, random_state=0)
seconds = time.perf_counter() - start
print(f"{book.n_classes} classes, {book.n_columns} columns, minimum distance {book.min_distance}: {seconds:.1f} s")
