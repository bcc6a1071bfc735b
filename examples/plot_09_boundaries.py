"""
What do the boundaries look like?
=================================

With two features, you can see what a code does. Here eight classes lie in a ring around a ninth class. A straight
line separates any two of them, but no line separates the middle class from all others. Do codes of linear models fail
here?
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
# The classes overlap, so no classifier is right about all samples. The best possible prediction is the class with the
# nearest centre.

nearest = names[np.linalg.norm(X_test[:, None] - centres, axis=2).argmin(axis=1)]
print(f"best possible accuracy: {np.mean(nearest == y_test):.1%}")

# %%
# Each row of pictures shows one learner, each column one code. One-vs-all predicts the class with the largest output,
# and one-vs-one uses votes, as usual. The code of six columns is decoded in two ways: by its codewords alone, and by
# the discriminant.

schemes = {
    "one-vs-all, 9 columns": {"coding": OneVsAll(), "decoding": "linear"},
    "one-vs-one, 36 columns": {"coding": OneVsOne(), "decoding": "hamming"},
    "ECF, 6 columns, codewords": {"coding": ECF(n_columns=6), "decoding": "linear"},
    "ECF, 6 columns, discriminant": {"coding": ECF(n_columns=6), "decoding": "discriminant"},
}
estimators = {"logistic regression": LogisticRegression(), "support vector machine": SVC()}
colours = None  # all pictures take those of the first
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
        ax.set_title(f"{name}\n{accuracy:.1%}, middle class {recall:.1%}", fontsize=10)
        ax.set(xticks=[], yticks=[])
plt.show()

# %%
# - One-vs-one has a line for each pair and almost reaches the best possible accuracy.
# - One-vs-all does better than expected. No line separates the middle class from the others, so its binary classifier
#   outputs −1 everywhere. But near the middle, all other binary classifiers output even lower values. One-vs-all only
#   puts the border in a slightly wrong place.
# - The short code fails if the outputs are compared with the codewords. Its columns put several classes of the ring on
#   each side. No line can do that, so many signs are wrong.
# - But these outputs hold all that a linear model can know. The discriminant learns where the outputs of each class
#   lie, whatever their sign should be. Six lines are more than enough to locate a point in the plane.
# - Support vector machines with a Gaussian kernel can separate any classes, so the code matters little. Far from all
#   samples, where there is no data, their boundaries bend.
