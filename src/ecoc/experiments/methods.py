"""Which methods are compared? A table of names, each with the way to make it from one of its settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ecoc.experiments.protocol import Protocol

Make = Callable[..., Any]


@dataclass(frozen=True)
class Method:
    """A method of the comparison.

    Attributes
    ----------
    name : str
        What tables and figures call it.
    make : callable
        From a setting (or nothing, if there are none) and the keyword arguments it takes, a coding or a classifier.
    settings : str or sequence
        Its operating points: the values, or the attribute of the protocol that has them.
    ours : bool
        Whether it is no method of the paper.
    """

    name: str
    make: Make
    settings: str | Sequence[Any] = ()
    ours: bool = False

    def settings_in(self, protocol: Protocol) -> list[str]:
        """The settings a protocol asks for, as the text they are filed under; ``""`` if there are none."""
        return [str(value) for value in self._values(protocol)] or [""]

    def build(self, setting: str, protocol: Protocol) -> Any:
        """The coding or classifier of a setting."""
        return self.make(*(value for value in self._values(protocol) if str(value) == setting))

    def _values(self, protocol: Protocol) -> Sequence[Any]:
        values: Sequence[Any] = getattr(protocol, self.settings) if isinstance(self.settings, str) else self.settings
        return values


_METHODS: dict[str, Method] = {}


def register_method(
    name: str,
    settings: str | Sequence[Any] = (),
    *,
    ours: bool = True,
) -> Callable[[Make], Make]:
    """Add a method to the comparison: decorate a function that makes it.

    Parameters
    ----------
    name : str
        What tables and figures call it.
    settings : str or sequence, default=()
        Its operating points, with each of which the function is called; or the attribute of the
        :class:`~ecoc.experiments.Protocol` that has them, such as ``"min_distances"``. Empty: it is called without.
    ours : bool, default=True
        Whether it is left out of the tables that have the paper's methods only.

    Returns
    -------
    callable
        The decorator. The function returns a :class:`~ecoc.Coding`, which is trained and decoded as all others are, or
        a classifier of its own kind: one that takes a precomputed kernel is given it, any other the features.

    Examples
    --------
    >>> from ecoc import SparseRandom
    >>> from ecoc.experiments import method_names, register_method
    >>> @register_method("SPARSE", settings=(10, 20))
    ... def sparse(n_columns):
    ...     return SparseRandom(n_columns)
    >>> "SPARSE" in method_names()
    True
    """

    def add(make: Make) -> Make:
        _METHODS[name] = Method(name, make, settings, ours)
        return make

    return add


def method_names() -> list[str]:
    """Names of the methods.

    Returns
    -------
    list of str
    """
    return list(_METHODS)


def get_method(name: str) -> Method:
    """The method of a name; an unknown one is answered with the list."""
    if name not in _METHODS:
        close = get_close_matches(name.upper(), [known.upper() for known in _METHODS], n=1)
        hint = next((f" Did you mean {known!r}?" for known in _METHODS if [known.upper()] == close), "")
        raise ValueError(f"Unknown method {name!r}; the names are {', '.join(_METHODS)}.{hint}")
    return _METHODS[name]


def _ecf(allocation: str, refine: Any = False) -> Callable[[int], Any]:
    def make(min_distance: int) -> Any:
        from ecoc.coding import ECF

        return ECF(allocation, min_distance=min_distance, refine=refine)

    return make


def _hierarchy(rho: float) -> Any:
    from sklearn.svm import SVC

    from ecoc.hierarchy import RelaxedHierarchyClassifier

    return RelaxedHierarchyClassifier(SVC(kernel="precomputed"), rho=rho, n_init=1)


def _coding(name: str) -> Callable[..., Any]:
    def make(*setting: int) -> Any:
        from ecoc.coding import get_coding

        coding = get_coding(name)
        return coding.set_params(min_distance=setting[0]) if setting else coding

    return make


register_method("OVA", ours=False)(_coding("ova"))
register_method("OVO", ours=False)(_coding("ovo"))
register_method("DENSE", ours=False)(_coding("dense"))
register_method("RAND", "min_distances", ours=False)(_coding("rand"))
register_method("S-ECOC", ours=False)(_coding("spectral"))
register_method("R-H", "rhos", ours=False)(_hierarchy)
register_method("ECF-H", "min_distances", ours=False)(_ecf("hard"))
register_method("ECF-E", "min_distances", ours=False)(_ecf("easy"))
register_method("ECF-balanced", "min_distances")(_ecf("balanced"))
register_method("ECF-auto", "min_distances")(_ecf("auto", refine="auto"))
