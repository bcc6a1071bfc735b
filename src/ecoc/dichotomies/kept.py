"""What need not be trained again? Dichotomizers and Gram matrices of training sets that were seen before."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self

import joblib


class TrainingCache:
    """Trained dichotomizers and Gram matrices, to be used again by fits on the same samples.

    Given to several classifiers as ``warm_start``, or to one that is refitted: columns that some earlier code had are
    not trained again, and machines that differ in C only share a Gram matrix. A sample set is known by its content, and
    results are the same as without. Cloning a classifier keeps its cache, so that a grid search in one process shares
    it; a copy sent to another process, or a saved one, begins empty.

    Parameters
    ----------
    n_sets : int, default=32
        Sample sets to remember; the one unused longest is forgotten. A fold of an inner cross-validation is a set of
        its own, except for support vector machines with a shared kernel.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, TrainingCache
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> cache = TrainingCache()
    >>> for coding in ("ova", "exhaustive"):  # whose columns, for three classes, are the same up to sign
    ...     model = ECOCClassifier(LogisticRegression(), coding=coding, warm_start=cache).fit(X, y)
    """

    def __init__(self, n_sets: int = 32) -> None:
        self.n_sets = n_sets
        self._sets: OrderedDict[str, dict[Hashable, Any]] = OrderedDict()

    def kept(self, *samples: Any) -> dict[Hashable, Any]:
        """What is kept of a sample set; to be added to."""
        name = joblib.hash(samples)
        self._sets.setdefault(name, {})
        self._sets.move_to_end(name)
        while len(self._sets) > self.n_sets:
            self._sets.popitem(last=False)
        return self._sets[name]

    def clear(self) -> None:
        """Forget everything."""
        self._sets.clear()

    def __repr__(self) -> str:
        return f"TrainingCache(n_sets={self.n_sets})"

    def __sklearn_clone__(self) -> Self:
        return self

    def __getstate__(self) -> dict[str, int]:
        return {"n_sets": self.n_sets}

    def __setstate__(self, state: dict[str, int]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def kept_or_made(
    kept: dict[Hashable, Any], keys: Sequence[Hashable], make: Callable[[list[int]], list[Any]]
) -> list[Any]:
    """What is kept under each key; what is not is made, all of it in one call with the places of its keys."""
    new = [place for place, key in enumerate(keys) if key not in kept]
    if new:
        kept.update(zip([keys[place] for place in new], make(new)))
    return [kept[key] for key in keys]
