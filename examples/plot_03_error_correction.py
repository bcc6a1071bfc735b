"""
What does error correction do?
==============================

If all codewords differ in at least *h* columns, the code corrects ⌊(*h* − 1) / 2⌋ wrong binary classifiers. To show
this, we train codes of several distances on the digits. Then we break binary classifiers on purpose, by changing the
sign of their outputs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from ecoc import ECF, ECOCClassifier, OneVsAll
from ecoc.decoding import Hamming, decide

plt.style.use("tableau-colorblind10")
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)
rng = np.random.default_rng(0)
codings = {"one-vs-all": OneVsAll()}
codings |= {f"ECF, distance {h}": ECF(min_distance=h, refine=False) for h in (3, 5, 7)}

# %%
# We compute the signs of the outputs on the test digits once. Then we change the signs of *b* random columns.
# :class:`ecoc.decoding.Hamming` predicts the digit whose codeword differs from the signs in the fewest columns.


def accuracy_with_broken(signs, book, n_broken, n_draws=40):
    """Return the accuracy for each of several random draws of broken columns."""
    decoding = Hamming().fit(book)
    hits = []
    for _ in range(n_draws):
        broken = signs.copy()
        broken[:, rng.permutation(book.n_columns)[:n_broken]] *= -1
        hits.append(np.mean(decide(decoding.scores(broken)) == y_test))
    return np.array(hits)


breaks = np.arange(7)
models = {}
figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for (name, coding), marker in zip(codings.items(), "so^D"):
    model = ECOCClassifier(SVC(C=10), coding=coding, decoding="hamming", probability=False, random_state=0)
    models[name] = model.fit(X_train, y_train)
    signs = model.outputs(X_test, "signs")
    accuracy = 100 * np.array([accuracy_with_broken(signs, model.code_book_, b) for b in breaks])
    label = f"{name}: {model.n_columns_} columns, corrects {model.code_book_.correction}"
    (line,) = ax.plot(breaks, accuracy.mean(axis=1), marker=marker, label=label)
    ax.plot(breaks, accuracy.min(axis=1), ":", color=line.get_color())
ax.plot([], ":", color="black", label="worst draw")
ax.set(xlabel="broken binary classifiers", ylabel="accuracy, %", ylim=(0, 102))
figure.legend(loc="outside upper center", ncols=2, fontsize=8)
plt.show()

# %%
# Solid lines are means over the draws. If no more binary classifiers are broken than the code corrects, even the worst
# draw costs little. The small loss comes from binary classifiers that are wrong by themselves, in addition to the
# broken ones. With more broken binary classifiers, the accuracy falls.
#
# The correction also holds for each pair of classes. To show this, take the code of distance 3 and perfect outputs,
# which are the codewords themselves. Then break a number of columns in all possible ways. How often does another class,
# *h* columns away, get a higher score than the right class? A tie does not count.

breaks = np.arange(5)
book = models["ECF, distance 3"].code_book_
distances = book.distances()
patterns = 1 - 2 * (np.arange(2**book.n_columns)[:, None] >> np.arange(book.n_columns) & 1)
patterns = patterns[(patterns < 0).sum(axis=1) <= breaks.max()]
n_broken = (patterns < 0).sum(axis=1)
decoding = Hamming().fit(book)
beaten = np.zeros((len(patterns), *distances.shape), dtype=bool)
for i, codeword in enumerate(book.matrix):
    scores = decoding.scores(codeword * patterns)
    beaten[:, i] = scores > scores[:, [i]]

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for h, marker in zip(np.unique(distances[distances > 0]), "ov^sD*P"):
    share = [100 * beaten[n_broken == b][:, distances == h].mean() for b in breaks]
    ax.plot(breaks, share, marker=marker, label=f"{h} columns apart, corrects {(h - 1) // 2}")
ax.set(xlabel="broken binary classifiers", ylabel="other class scores higher, %", ylim=(-1, None), xticks=breaks)
ax.legend(fontsize=8)
plt.show()

# %%
# No pair is confused before more binary classifiers are broken than the pair corrects. A pair with distant codewords
# survives many. A code can therefore give more distance to the pairs that need it. The design matrix says which pairs
# these are.
