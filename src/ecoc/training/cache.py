"""Cache trained binary classifiers and Gram matrices by the content of their training sets."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from types import FunctionType
from typing import Any, Self

from joblib.hashing import NumpyHasher


class TrainingCache:
    """Trained binary classifiers and Gram matrices, shared by fits on the same samples.

    Give one cache to several classifiers as ``warm_start``. A code is designed only once for the same samples, coding
    and kind of learner, and a column is trained only once. Support vector classifiers that differ only in C share a
    Gram matrix. A sample set is recognised by its content. Results are the same as without a cache. A cloned classifier
    keeps its cache, so that a grid search in one process shares it. A copy in another process, and a saved copy, start
    with an empty cache.

    Parameters
    ----------
    n_sets : int, default=32
        Number of sample sets to remember. The set that was not used for the longest time is forgotten. Each fold of an
        inner cross-validation is a set, except for support vector classifiers with a shared kernel.

    See Also
    --------
    ecoc.ECOCClassifier : Takes a cache as ``warm_start``.

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
        self._sets: OrderedDict[Hashable, dict[Hashable, Any]] = OrderedDict()

    def entries(self, *samples: Any) -> dict[Hashable, Any]:
        """Return the entries of a sample set; the caller reads and adds to them.

        Parameters
        ----------
        *samples : object
            Features, labels, weights. Their content identifies the set.

        Returns
        -------
        dict
            Trained models and Gram matrices; empty for a new set.

        Examples
        --------
        >>> from ecoc import TrainingCache
        >>> cache = TrainingCache(n_sets=1)
        >>> cache.entries([1, 2])["model"] = "trained"
        >>> cache.entries([1, 2])
        {'model': 'trained'}
        >>> cache.entries([3]), cache.entries([1, 2])  # the second set replaces the first
        ({}, {})
        """
        name = content_key(samples)
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
        >>> cache.entries("samples")["model"] = "trained"
        >>> cache.clear()
        >>> cache.entries("samples")
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


class _ContentHasher(NumpyHasher):  # type: ignore[misc]
    """Hashes content. Functions and classes are collected instead, because their names do not tell what they do."""

    def __init__(self) -> None:
        super().__init__(hash_name="md5")
        self.definitions: dict[Any, int] = {}

    def save(self, obj: Any) -> None:
        """Hash a part of the content."""
        if isinstance(obj, FunctionType | type):
            obj = f"definition {self.definitions.setdefault(obj, len(self.definitions))}"
        super().save(obj)


def content_key(thing: Any) -> Hashable:
    """Return a key that two objects share if they have equal content and use the same functions and classes.

    The key holds these functions and classes. So one that is defined again under the same name has another key.
    """
    hasher = _ContentHasher()
    return hasher.hash(thing), *hasher.definitions


def get_or_make(
    entries: dict[Hashable, Any], keys: Sequence[Hashable], make: Callable[[list[int]], list[Any]]
) -> list[Any]:
    """Return the entry of each key. One call of `make` makes all missing ones, whose places it gets."""
    missing = [place for place, key in enumerate(keys) if key not in entries]
    if missing:
        entries.update(zip([keys[place] for place in missing], make(missing)))
    return [entries[key] for key in keys]
