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

    See Also
    --------
    ecoc.ECOCClassifier : Takes it as ``warm_start``.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, TrainingCache
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> cache = TrainingCache()
    >>> first = ECOCClassifier(LogisticRegression(), coding="ova", warm_start=cache, random_state=0).fit(X, y)

    Another decoding of the same code trains nothing:

    >>> second = ECOCClassifier(LogisticRegression(), coding="ova", decoding="linear", warm_start=cache, random_state=0)
    >>> second = second.fit(X, y)
    >>> all(a is b for a, b in zip(first.estimators_, second.estimators_))
    True
    """

    def __init__(self, n_sets: int = 32) -> None:
        self.n_sets = n_sets
        self._sets: OrderedDict[str, dict[Hashable, Any]] = OrderedDict()

    def kept(self, *samples: Any) -> dict[Hashable, Any]:
        """Give what is kept of a sample set, to be used and added to.

        Parameters
        ----------
        *samples : object
            What makes the set: features, labels, weights. It is known by their content.

        Returns
        -------
        dict
            Trained models and Gram matrices; a new one for a set not seen before.

        Examples
        --------
        >>> from ecoc import TrainingCache
        >>> cache = TrainingCache(n_sets=1)
        >>> cache.kept([1, 2])["model"] = "trained"
        >>> cache.kept([1, 2])
        {'model': 'trained'}
        >>> cache.kept([3]), cache.kept([1, 2])  # another set, for which the first one was forgotten
        ({}, {})
        """
        name = joblib.hash(samples)
        self._sets.setdefault(name, {})
        self._sets.move_to_end(name)
        while len(self._sets) > self.n_sets:
            self._sets.popitem(last=False)
        return self._sets[name]

    def clear(self) -> None:
        """Forget everything.

        Examples
        --------
        >>> from ecoc import TrainingCache
        >>> cache = TrainingCache()
        >>> cache.kept("samples")["model"] = "trained"
        >>> cache.clear()
        >>> cache.kept("samples")
        {}
        """
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
