"""Turn names, coding objects and matrices into codings."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sklearn.base import clone

from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding.coding import Coding
from ecoc.codes.coding.discriminant_tree import DiscriminantTree
from ecoc.codes.coding.ecf import ECF
from ecoc.codes.coding.grouped import Grouped
from ecoc.codes.coding.random import DenseRandom, FixedDistanceRandom, SparseRandom
from ecoc.codes.coding.spectral import Spectral
from ecoc.codes.coding.standard import Exhaustive, Fixed, Hadamard, Minimal, OneVsAll, OneVsOne, Ordinal, Plain
from ecoc.utils.deprecation import moved_name
from ecoc.utils.messages import unknown_name

CODINGS: Mapping[str, type[Coding]] = MappingProxyType(
    {
        "ecf": ECF,
        "ova": OneVsAll,
        "ovo": OneVsOne,
        "dense": DenseRandom,
        "sparse": SparseRandom,
        "rand": FixedDistanceRandom,
        "spectral": Spectral,
        "discriminant": DiscriminantTree,
        "exhaustive": Exhaustive,
        "ordinal": Ordinal,
        "hadamard": Hadamard,
        "grouped": Grouped,
        "minimal": Minimal,
        "plain": Plain,
    }
)
_registered: dict[str, type[Coding]] = {}  # codings of others

# The words that scikit-learn, MATLAB and the literature use, without the marks between words.
_WORDS = {
    "ova": "ovr onevsall onevsrest onevstherest oneagainstall oneagainstrest onevsallothers",
    "ovo": "onevsone oneagainstone allpairs pairwise roundrobin",
    "dense": "denserandom random",
    "sparse": "sparserandom",
    "rand": "fixeddistance fixeddistancerandom",
    "discriminant": "discriminanttree decoc tree",
    "exhaustive": "binarycomplete complete",
    "ordinal": "thresholds",
    "minimal": "binary",
    "ecf": "factorization errorcorrectingfactorization",
    "grouped": "labeltree",
    "plain": "native multiclass itself",
}
SYNONYMS: Mapping[str, str] = MappingProxyType({word: name for name in _WORDS for word in _WORDS[name].split()})


def get_coding(coding: Any) -> Coding:
    """Return a new coding: by name, as a clone, or from a matrix.

    Parameters
    ----------
    coding : str, Coding, CodeBook or array-like
        A key of `CODINGS` or another usual word for it, such as ``"one-vs-rest"``, or a name of
        :func:`register_coding`, for the coding with its default parameters; a coding; or a code.

    Returns
    -------
    Coding
        A new one, unfitted.

    Raises
    ------
    ValueError
        If there is no coding of that name; the message has the names, and the nearest.

    Examples
    --------
    >>> from ecoc.codes.coding import CODINGS, get_coding
    >>> get_coding("dense")
    DenseRandom()
    >>> get_coding([[1, 1], [1, -1], [-1, 1]])
    Fixed(matrix=[[1, 1], [1, -1], [-1, 1]])
    >>> list(CODINGS)
    ['ecf', 'ova', 'ovo', 'dense', 'sparse', 'rand', 'spectral', 'discriminant', 'exhaustive', 'ordinal', 'hadamard',
     'grouped', 'minimal', 'plain']
    """
    if isinstance(coding, str):
        name = canonical_name(coding)
        if name is None:
            moved = moved_name(coding)
            raise ValueError(moved or unknown_name("coding", coding, _known(), meanings=SYNONYMS))
        return _known()[name]()
    if isinstance(coding, Coding):
        cloned: Coding = clone(coding)
        return cloned
    if isinstance(coding, type) and issubclass(coding, Coding):
        raise TypeError(f"A coding must be an object, not its class: write {coding.__name__}().")
    if isinstance(coding, CodeBook | list | tuple) or hasattr(coding, "__array__") or hasattr(coding, "toarray"):
        return Fixed(coding)
    raise TypeError(
        f"A coding must be one of the names {', '.join(_known())}, an object of a subclass of ecoc.Coding, a CodeBook "
        f"or a matrix; got {coding!r}."
    )


def register_coding(name: str, coding: type[Coding]) -> None:
    """Register a name for a coding of your own, which classifiers and `get_coding` then accept.

    Parameters
    ----------
    name : str
        The name. Case and marks between words do not matter when it is looked up.
    coding : subclass of Coding
        The class. Without arguments, it makes the coding with its default parameters.

    Raises
    ------
    ValueError
        If another coding has that name.

    See Also
    --------
    ecoc.testing.check_coding : Check a coding of your own first.

    Examples
    --------
    >>> from ecoc import Ordinal
    >>> from ecoc.codes.coding import get_coding, register_coding
    >>> class Steps(Ordinal):
    ...     pass
    >>> register_coding("steps", Steps)
    >>> get_coding("steps")
    Steps()
    """
    if not (isinstance(coding, type) and issubclass(coding, Coding)):
        raise TypeError(f"register_coding takes a subclass of ecoc.codes.coding.Coding; got {coding!r}.")
    meant = canonical_name(name)
    if meant is not None and _known()[meant] is not coding:
        raise ValueError(f"{name!r} already means {_known()[meant].__name__}; choose another name.")
    _registered[name] = coding


def canonical_name(word: str) -> str | None:
    """Return the name of the coding that a word means; None if it means none."""
    known: dict[str, str] = {**{_plain(name): name for name in _known()}, **SYNONYMS}
    return known.get(_plain(word))


def _known() -> dict[str, type[Coding]]:
    return {**CODINGS, **_registered}


def _plain(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum())
