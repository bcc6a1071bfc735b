"""
What if a new class appears?
============================

A model knows eight digits. Then zeros and sixes come in, which it has never seen. This example finds them, has a few of
them named, and adds them to the model, without training anything.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from ecoc import ECOCClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = X[:900], X[900:], y[:900], y[900:]
new = [0, 6]
known = ~np.isin(y_train, new)
model = ECOCClassifier(SVC(), coding="ovo", random_state=0).fit(X_train[known], y_train[known])

# %%
# **Unknown.** The outputs of the binary classifiers are coordinates. `novelty_score` tells how far a sample is from all
# classes there. `is_novel` sets a threshold by held-out samples of the known classes.

unknown = np.isin(y_test, new)
scores = model.novelty_score(X_test)
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
bins = np.linspace(*np.quantile(scores, [0.005, 0.995]), 40)
ax.hist(scores[~unknown], bins, alpha=0.7, label="digits that the model knows")
ax.hist(scores[unknown], bins, alpha=0.7, label="zeros and sixes")
ax.set_xlabel("novelty score")
ax.set_ylabel("samples")
ax.legend()
plt.show()

# %%
novel = model.is_novel(X_test, false_alarms=0.05)
print(f"{novel[unknown].mean():.0%} of the unknown digits are found, {novel[~unknown].mean():.0%} of the others")

# %%
# **Collected and named.** Someone looks at a few of the samples that were found, and names their classes.
# **Added.** `add_classes` gives the new classes a place among the outputs, and a codeword.

places = {n: np.concatenate([np.flatnonzero(y_train == c)[:n] for c in new]) for n in (1, 2, 5, 10, 20)}
model.add_classes(X_train[places[5]], y_train[places[5]])
print(model.novelty_report())
model.code_book_

# %%
# How many samples does it take? The dashed lines are models that were trained anew with the same samples.

fresh = ECOCClassifier(SVC(), coding="ovo", random_state=0).fit(X_train[known], y_train[known])
accuracy = {"added: new digits": [], "added: old digits": [], "trained anew: new digits": [], "trained anew: old": []}
for rows in places.values():
    added = fresh.with_classes(X_train[rows], y_train[rows])
    both = np.concatenate([np.flatnonzero(known), rows])
    anew = ECOCClassifier(SVC(), coding="ovo", random_state=0).fit(X_train[both], y_train[both])
    for curve, (each, part) in zip(
        accuracy.values(), [(added, unknown), (added, ~unknown), (anew, unknown), (anew, ~unknown)]
    ):
        curve.append(100 * each.score(X_test[part], y_test[part]))
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for (name, curve), style in zip(accuracy.items(), ["C1-", "C0-", "C1--", "C0--"]):
    ax.plot(list(places), curve, style, marker="o", label=name)
ax.set_xscale("log")
ax.set_xticks(list(places), [str(n) for n in places])
ax.set_xlabel("samples of each new digit")
ax.set_ylabel("accuracy, %")
ax.legend()
plt.show()
