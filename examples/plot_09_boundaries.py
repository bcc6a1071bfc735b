"""
What do the boundaries look like?
=================================

In the plane one can see what a code does. Here eight classes lie in a ring around a ninth. A straight line parts any
two of them, but no line parts the one in the middle from all the others. Do codes of linear models fail there?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from ecoc import ECF, ECOCClassifier, OneVsAll, OneVsOne
from ecoc.inspection import BoundaryDisplay

angles = np.arange(8) * np.pi / 4
centres = np.vstack([np.zeros(2), 3.2 * np.column_stack([np.cos(angles), np.sin(angles)])])
X, y = make_blobs(900, centers=centres, cluster_std=0.75, random_state=0)
X_test, y_test = make_blobs(9000, centers=centres, cluster_std=0.75, random_state=1)
names = np.array(["middle", "E", "NE", "N", "NW", "W", "SW", "S", "SE"])
y, y_test = names[y], names[y_test]

# %%
# Nobody can be right about all samples: the best possible answer is the nearest centre.

nearest = names[np.linalg.norm(X_test[:, None] - centres, axis=2).argmin(axis=1)]
print(f"best possible accuracy: {np.mean(nearest == y_test):.1%}")

# %%
# Each row of pictures has one kind of binary model, each column one code. One-vs-all decides for the largest output
# and one-vs-one by votes, as usual; the code of six columns is decoded by the discriminant, or by its codewords
# alone.

schemes = {
    "one-vs-all, 9 models": {"coding": OneVsAll(), "decoding": "linear"},
    "one-vs-one, 36 models": {"coding": OneVsOne(), "decoding": "hamming"},
    "ECF, 6 models, codewords": {"coding": ECF(n_columns=6), "decoding": "linear"},
    "ECF, 6 models, discriminant": {"coding": ECF(n_columns=6), "decoding": "discriminant"},
}
estimators = {"logistic regression": LogisticRegression(), "support vector machine": SVC()}
colours = None  # those of the first picture for all
figure, axes = plt.subplots(2, 4, figsize=(12, 6.4), sharex=True, sharey=True, layout="constrained")
middle = y_test == "middle"
for row, (learner, estimator) in zip(axes, estimators.items()):
    row[0].set_ylabel(learner)
    for ax, (name, scheme) in zip(row, schemes.items()):
        model = ECOCClassifier(estimator, **scheme, probability=False, random_state=0).fit(X, y)
        display = BoundaryDisplay.from_estimator(model, X, y, resolution=120, ax=ax, colours=colours)
        colours = display.colours_
        predicted = model.predict(X_test)
        accuracy, recall = np.mean(predicted == y_test), np.mean(predicted[middle] == "middle")
        ax.set_title(f"{name}\n{accuracy:.1%}, of the middle {recall:.1%}", fontsize=10)
        ax.set(xticks=[], yticks=[])
plt.show()

# %%
# - One-vs-one has a line for each pair and gets everything right that can be.
# - One-vs-all does better than one might think. No line parts the middle from the others, and its model says no
#   everywhere; but around the middle all others say no more loudly. What it gets wrong is where the border runs.
# - The short code fails if each output is compared with the codewords. Its dichotomies put several classes of the
#   ring on either side, a line cannot do that, and many signs are wrong.
# - Yet all that a linear model could tell is in these outputs. The discriminant asks where the outputs of each class
#   lie, whatever side they should be on, and six lines are more than enough to tell places in the plane apart.
# - Machines with a Gaussian kernel can part any classes from any others, and then the code matters little. Far from
#   all samples, where nothing is known, their boundaries bend.
