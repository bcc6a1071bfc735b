"""
Are four binary classifiers for a sample enough? A relaxed hierarchy
====================================================================

A tree of binary classifiers splits ten classes into halves, then each half again. A sample needs only about four
binary classifiers. The weakness of a tree is that an early mistake cannot be corrected. A *relaxed* hierarchy
postpones difficult decisions: a class that a binary classifier would confuse goes to both sides.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from ecoc import ECF, ECOCClassifier, OneVsAll, OneVsOne
from ecoc_paper import HierarchyDisplay, RelaxedHierarchyClassifier

plt.style.use("tableau-colorblind10")
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)
estimator = SVC(kernel="linear")

# %%
# ``rho`` is the largest mean slack that a class may have on its side. With more slack, the class goes to both sides.
# With the default, 0.4, no digit does, and the hierarchy is a plain tree. With 0.1 some digits do, and they appear in
# several leaves.

hierarchies = [
    RelaxedHierarchyClassifier(estimator, rho=rho, random_state=0).fit(X_train, y_train)
    for rho in (0.4, 0.2, 0.1, 0.05)
]
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for ax, model in zip(axes, (hierarchies[0], hierarchies[2])):
    HierarchyDisplay.from_estimator(model, ax=ax)
    ax.set_xlabel(f"rho = {model.rho}")
plt.show()
print(hierarchies[2].tree_)

# %%
# A sample needs only the binary classifiers on its path through the tree. Their mean number, and the accuracy, depend
# on ``rho``. ``decision_path`` returns the nodes that a sample passes, with a leaf at the end.

codes = {
    "one-vs-all": ECOCClassifier(estimator, coding=OneVsAll(), decoding="linear", probability=False),
    "one-vs-one": ECOCClassifier(estimator, coding=OneVsOne(), decoding="hamming", probability=False),
    "ECF": ECOCClassifier(estimator, coding=ECF(n_columns=7), random_state=0),
}
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
asked = [model.decision_path(X_test).sum(axis=1).mean() - 1 for model in hierarchies]
accuracy = [100 * model.score(X_test, y_test) for model in hierarchies]
ax.plot(asked, accuracy, "o-", label="relaxed hierarchy")
for model, x, height in zip(hierarchies, asked, accuracy):
    text = f"rho {model.rho}, {model.n_dichotomizers_} in the tree"
    ax.annotate(text, (x, height), (8, -3), textcoords="offset points", fontsize=8)
for (name, model), marker in zip(codes.items(), "s^D"):
    model.fit(X_train, y_train)
    ax.plot(model.n_columns_, 100 * model.score(X_test, y_test), marker, markersize=8, label=name)
ax.set(xlabel="binary classifiers asked about a sample", ylabel="accuracy, %", xscale="log")
ax.set_xticks(ticks := [3, 4, 5, 7, 10, 20, 45], ticks)
ax.minorticks_off()
ax.grid(alpha=0.25)
ax.legend(fontsize=8, loc="lower right")
plt.show()

# %%
# With linear support vector machines, postponing decisions pays. A hierarchy that asks four or five binary classifiers
# is more accurate than one-vs-all, which asks ten, and than a code of seven columns. The plain tree is the worst of
# all. One-vs-one remains the most accurate, and asks by far the most binary classifiers.
#
# Support vector machines with a Gaussian kernel have almost no slack on their training samples, so no class seems to be
# confused. ``n_folds`` measures the slack on held-out samples instead.

for n_folds in (None, 3):
    model = RelaxedHierarchyClassifier(SVC(C=10), rho=0.1, n_folds=n_folds, random_state=0).fit(X_train, y_train)
    print(f"n_folds={n_folds}: {model.n_dichotomizers_} binary classifiers, accuracy {model.score(X_test, y_test):.1%}")
