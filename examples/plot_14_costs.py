"""
What if some errors cost more?
==============================

A clinic sorts patients into *healthy*, *watch* and *urgent*. To send an urgent patient home is far worse than to
examine a healthy one. This example tells a classifier what its errors cost, lets it answer "don't know", and lets it
name several classes where one would be a guess.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

from ecoc import ECOCClassifier, cost_report
from ecoc.inspection import CoverageDisplay

X, y = make_classification(
    6000, 8, n_informative=5, n_classes=3, weights=[0.6, 0.25], class_sep=0.8, n_clusters_per_class=1, random_state=1
)
y = np.array(["healthy", "watch", "urgent"])[y]
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=2000, stratify=y, random_state=0)

# %%
# Costs are given for pairs of a true and a predicted class. Errors that are not named cost 1.

costs = {("urgent", "healthy"): 20, ("urgent", "watch"): 5, ("watch", "healthy"): 2, ("healthy", "urgent"): 2}
plain = ECOCClassifier(LogisticRegression(), random_state=0).fit(X_train, y_train)
careful = ECOCClassifier(LogisticRegression(), costs=costs, random_state=0).fit(X_train, y_train)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
order = ["healthy", "watch", "urgent"]
for ax, (name, model) in zip(axes, {"most probable class": plain, "least expected cost": careful}.items()):
    report = cost_report(model, X_test, y_test, costs=costs)
    ConfusionMatrixDisplay.from_estimator(model, X_test, y_test, labels=order, cmap="Blues", colorbar=False, ax=ax)
    ax.set_title(f"{name}\naccuracy {report.accuracy:.1%}, cost {report.total:,.0f}")
plt.show()

# %%
# The second model sends far fewer urgent patients home, and examines more healthy ones. It is less accurate, and its
# errors cost much less. Both models have the same probabilities: only the decisions differ.
#
# Don't know
# ----------
# The more samples a model may leave to somebody else, the more of its answers are right. ``reject_cost`` is what "don't
# know" costs. If all errors cost 1, a sample is left out if its largest probability is below 1 − ``reject_cost``.

figure, ax = plt.subplots(figsize=(5.4, 3.6), layout="constrained")
CoverageDisplay.from_estimator(plain, X_test, y_test, ax=ax)
for cost in (0.1, 0.2, 0.3, 0.4):
    model = ECOCClassifier(LogisticRegression(), reject_cost=cost, random_state=0).fit(X_train, y_train)
    report = cost_report(model, X_test, y_test)
    point = 100 * report.coverage, 100 * report.accuracy
    ax.plot(*point, "o", color="#D55E00")
    ax.annotate(f"reject_cost={cost}", point, (-6, -3), textcoords="offset points", fontsize=8, ha="right", va="top")
ax.set(xlim=(50, 101), ylim=(88, 101))
plt.show()

# %%
# Sets of classes
# ---------------
# A set may hold several classes. ``predict_sets`` promises how often the true class is among them. The promise holds
# for every confidence, and a surer promise needs larger sets. ``by_class=["urgent"]`` makes it for urgent patients
# alone, too.

confidences = np.linspace(0.7, 0.99, 12)
truth = np.searchsorted(plain.classes_, y_test)
found = [plain.predict_sets(X_test, confidence=c) for c in confidences]
urgent = [plain.predict_sets(X_test, confidence=c, by_class=["urgent"]) for c in confidences]
own = np.arange(len(truth)), truth
is_urgent = y_test == "urgent"

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot([0.7, 1], [0.7, 1], color="0.6", linewidth=1)
left.plot(confidences, [sets[own].mean() for sets in found], "o-", label="all patients")
left.plot(confidences, [sets[own][is_urgent].mean() for sets in found], "s--", label="urgent ones")
left.plot(confidences, [sets[own][is_urgent].mean() for sets in urgent], "^:", label="urgent ones, by class")
left.set(xlabel="promised coverage", ylabel="measured coverage")
left.legend(frameon=False)
right.plot(confidences, [sets.sum(axis=1).mean() for sets in found], "o-")
right.set(xlabel="promised coverage", ylabel="classes in a set, on average")
plt.show()

# %%
# Urgent patients are rare and hard to recognise. The promise for all patients does not hold for them alone, and the
# one by class does. Sets of less than one class on average mean that some are empty: no class is plausible there.
