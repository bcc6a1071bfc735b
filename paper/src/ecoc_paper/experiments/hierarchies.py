"""Relaxed hierarchies as ternary codes that are decoded by walking down, for three ways of tuning.

The hierarchy is grown with the fold's pair of C and γ. Its nodes are columns of a ternary code, and these are tuned and
trained like the columns of any code. A sample then walks from the root to a leaf by the signs of the margins.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ecoc_paper.experiments.fold import Array, Indices
from ecoc_paper.experiments.tuning import Tuner
from ecoc_paper.gaussian import fit_machines
from ecoc_paper.hierarchy import ClassHierarchy, RelaxedHierarchyClassifier


class GramMachine(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A binary support vector machine on a precomputed Gaussian kernel in single precision.

    Parameters
    ----------
    C : float, default=1.0
        Bound of the multipliers.
    max_iter : int, default=50000
        Most steps.
    """

    def __init__(self, C: float = 1.0, max_iter: int = 50_000) -> None:
        self.C = C
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a Gram matrix, with the larger of two labels as the positive one."""
        self.classes_ = np.unique(y)
        gram, signs = np.ascontiguousarray(X, dtype=np.float32), np.where(y == self.classes_[-1], 1, -1)
        self.machines_ = fit_machines(gram, signs[:, None], self.C, max_iter=self.max_iter)
        return self

    def decision_function(self, X: Any) -> Array:
        """Compute margins from kernel values with the training samples."""
        return self.machines_.margins(np.asarray(X, dtype=np.float32))[:, 0]

    def predict(self, X: Any) -> Any:
        """Predict one of the two labels."""
        return self.classes_[(self.decision_function(X) > 0).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def grow(tuner: Tuner, model: RelaxedHierarchyClassifier, seed: int) -> ClassHierarchy:
    """Grow the hierarchy that a model describes, with the fold's pair of C and γ."""
    C, gamma = tuner.fold_pair
    machine = GramMachine(C, tuner.protocol.max_iter)
    model.set_params(estimator=machine, random_state=seed).fit(tuner.gram(gamma)[0], tuner.fold.y)
    return model.tree_


def walk(tree: ClassHierarchy, margins: Array) -> Indices:
    """Return the class where each sample ends; columns of the margins are the inner nodes in order."""
    found = np.zeros(len(margins), dtype=np.intp)
    column = {node.index: j for j, node in enumerate(tree.inner)}
    for node, samples in tree.arrivals(len(margins), lambda node, rows: margins[rows, column[node.index]] > 0):
        if node.is_leaf:
            found[samples] = node.members[0]
    return found
