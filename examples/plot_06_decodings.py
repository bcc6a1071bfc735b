"""
Which decoding?
===============

A decoding predicts a class from the outputs of the binary classifiers. ``ecoc`` has seventeen decodings, from counting
signs to a discriminant that learns from held-out outputs. All of them can share the same trained binary classifiers,
so it is cheap to try them all.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from ecoc import ECF, DenseRandom, ECOCClassifier, OneVsAll, OneVsOne, TrainingCache
from ecoc.decoding import DECODINGS

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)

# %%
# All classifiers get the same :class:`ecoc.TrainingCache`. A column that was trained for one of them is not trained
# again for the next. The same holds for the inner folds, from which some decodings learn.

codings = {
    "one-vs-all": OneVsAll(),
    "one-vs-one": OneVsOne(),
    "random, 15": DenseRandom(15),
    "ECF, 9": ECF(n_columns=9),
}
cache = TrainingCache()
accuracy, seconds = np.empty((2, len(DECODINGS), len(codings)))
for j, coding in enumerate(codings.values()):
    book = coding.build(10, X_train, y_train, random_state=0)
    for i, decoding in enumerate(DECODINGS):
        start = time.perf_counter()
        model = ECOCClassifier(
            LogisticRegression(), coding=book, decoding=decoding, probability=False, warm_start=cache, random_state=0
        )
        accuracy[i, j] = 100 * model.fit(X_train, y_train).score(X_test, y_test)
        seconds[i, j] = time.perf_counter() - start
for name, (first, *others) in zip(codings, seconds.T):
    print(f"{name}: {first:.2f} s for the first decoding, {np.median(others):.2f} s for another")

# %%
# A frame marks the best decodings of each coding. All values below 85 % have the same colour.

order = np.argsort(-accuracy.mean(axis=1))
figure, ax = plt.subplots(figsize=(6.4, 6.2), layout="constrained")
image = ax.imshow(accuracy[order], cmap="cividis", vmin=85, aspect="auto")
for row, i in enumerate(order):
    for j in range(len(codings)):
        colour = "black" if accuracy[i, j] > np.mean(image.get_clim()) else "white"
        is_best = accuracy[i, j] == accuracy[:, j].max()
        frame = {"boxstyle": "square", "fill": False, "edgecolor": colour} if is_best else None
        ax.text(j, row, f"{accuracy[i, j]:.1f}", ha="center", va="center", color=colour, bbox=frame)
ax.set_xticks(range(len(codings)), list(codings))
ax.set_yticks(range(len(order)), [list(DECODINGS)[i] for i in order])
figure.colorbar(image, label="accuracy, %", extend="min")
plt.show()

# %%
# - For codes, the decodings that learn, ``structured`` and ``discriminant``, are best. A linear model is weak at
#   separating five digits from the other five, and the signs hold only a part of the information in its outputs.
#   ``decoding="auto"``, the default, tries both.
# - For one-vs-one, plain voting (``hamming``) is nearly as good as ``structured``. The discriminant has to learn from
#   45 outputs with only a hundred samples for each class.
# - For one-vs-all, all decodings that use margins are about equal. Decodings that use only signs lose: often no binary
#   classifier says +1, or two of them do.
# - ``squared`` and ``attenuated_euclidean`` expect margins around ±1. The log-odds of a logistic regression are far
#   larger. If a column leaves classes out, as in one-vs-one, these two decodings then choose the class about which the
#   binary classifiers are *least* certain. With ridge regression or kernel methods, whose outputs stay near ±1, they do
#   well there too.
