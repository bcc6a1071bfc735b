"""
Boosted trees with a hundred classes: a tree for each class, or for each column?
================================================================================

Multi-class boosting grows one tree for each class in every round. With a hundred classes, most of these trees see a
handful of samples of their class among many others. A code grows one tree for each column in every round, and each
column has half of the samples on either side.
"""

import time

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from ecoc import ECF, ECOCClassifier

plt.style.use("tableau-colorblind10")
X, y = make_blobs(2200, n_features=16, centers=100, center_box=(-1, 1), cluster_std=0.3, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=1200, stratify=y, random_state=0)
booster = HistGradientBoostingClassifier(max_iter=8, early_stopping=False, random_state=0)

# %%
# Scikit-learn's booster stands for XGBoost, LightGBM and CatBoost here; ``ECOCClassifier`` takes all of them. The
# default decoding compares outputs with the class means of the training outputs, and needs no held-out outputs.

models = {"multi-class boosting": booster}
for n_columns in (12, 25, 50):
    models[f"{n_columns} columns"] = ECOCClassifier(
        booster, coding=ECF(n_columns=n_columns), probability=False, random_state=0
    )
seconds, accuracies = [], []
for name, model in models.items():
    start = time.perf_counter()
    model.fit(X_train, y_train)
    seconds.append(time.perf_counter() - start)
    accuracies.append(100 * model.score(X_test, y_test))
    print(f"{name}: {accuracies[-1]:.1f} % in {seconds[-1]:.1f} s")

# %%
# Each point is a model. A good model is high and on the left.

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.plot(seconds[1:], accuracies[1:], "o", label="codes")
ax.plot(seconds[:1], accuracies[:1], "s", color="black", label="multi-class boosting")
for name, x, height in list(zip(models, seconds, accuracies))[1:]:
    ax.annotate(name, (x, height), xytext=(0, 8), textcoords="offset points", fontsize=9, ha="center")
ax.set(xlabel="seconds to fit", ylabel="accuracy, %")
ax.margins(x=0.15, y=0.15)
ax.set_xlim(0)
ax.legend(loc="lower left")
plt.show()

# %%
# With 10 to 50 classes and many samples of each, multi-class boosting is the better choice.
