"""Which methods are compared? A table of names, each with the way to make it from one of its settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ecoc.experiments.protocol import Protocol
from ecoc.utils.suggest import unknown_name

Make = Callable[..., Any]


@dataclass(frozen=True)
class Method:
    """A method of the comparison.

    Parameters
    ----------
    name : str
        What tables and figures call it.
    make : callable
        From a setting (or nothing, if there are none), a coding or a classifier.
    settings : str or sequence, default=()
        Its operating points: the values, or the attribute of the protocol that has them.
    ours : bool, default=False
        Whether it is no method of the paper.

    See Also
    --------
    ecoc.experiments.register_method : Add one to the comparison.

    Examples
    --------
    >>> from ecoc import FixedDistanceRandom
    >>> from ecoc.experiments import PRESETS, Method
    >>> method = Method("RAND", FixedDistanceRandom, settings="min_distances")
    >>> method.settings_in(PRESETS["quick"])
    ['1', '3', '5']
    >>> method.build("3", PRESETS["quick"])
    FixedDistanceRandom(min_distance=3)
    """

    name: str
    make: Make
    settings: str | Sequence[Any] = ()
    ours: bool = False

    def settings_in(self, protocol: Protocol) -> list[str]:
        """List the settings a protocol asks for, as the text they are filed under.

        Parameters
        ----------
        protocol : Protocol
            The settings of an experiment.

        Returns
        -------
        list of str
            The settings; a single ``""`` if there are none.

        Examples
        --------
        >>> from ecoc import OneVsAll, SparseRandom
        >>> from ecoc.experiments import PRESETS, Method
        >>> Method("SPARSE", SparseRandom, settings=(10, 20)).settings_in(PRESETS["quick"])
        ['10', '20']
        >>> Method("OVA", OneVsAll).settings_in(PRESETS["quick"])
        ['']
        """
        return [str(value) for value in self._values(protocol)] or [""]

    def build(self, setting: str, protocol: Protocol) -> Any:
        """Make the coding or classifier of a setting.

        Parameters
        ----------
        setting : str
            One of `settings_in`.
        protocol : Protocol
            The settings of an experiment.

        Returns
        -------
        Coding or classifier
            What the method's function made.

        Examples
        --------
        >>> from ecoc import SparseRandom
        >>> from ecoc.experiments import PRESETS, Method
        >>> Method("SPARSE", SparseRandom, settings=(10, 20)).build("20", PRESETS["quick"])
        SparseRandom(n_columns=20)
        """
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
        The decorator. The function returns a :class:`~ecoc.Coding`, which is trained and decoded like all others, or
        any other classifier, which is trained on the features.

    See Also
    --------
    ecoc.experiments.method_names : The methods there are.
    ecoc.experiments.Method : What is registered.

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
    """List the names of the methods.

    Returns
    -------
    list of str
        The paper's methods first, then ours and those that were registered.

    Examples
    --------
    >>> from ecoc.experiments import method_names
    >>> method_names()[:8]
    ['OVA', 'OVO', 'DENSE', 'RAND', 'S-ECOC', 'R-H', 'ECF-H', 'ECF-E']
    """
    return list(_METHODS)


def get_method(name: str) -> Method:
    """The method of a name; an unknown one is answered with the list."""
    if name not in _METHODS:
        raise ValueError(unknown_name("method", name, _METHODS))
    return _METHODS[name]


def _ecf(allocation: str, refine: Any = False) -> Callable[[int], Any]:
    def make(min_distance: int) -> Any:
        from ecoc.coding import ECF

        return ECF(allocation, min_distance=min_distance, refine=refine)

    return make


def _hierarchy(rho: float) -> Any:
    from sklearn.svm import SVC

    from ecoc.hierarchy import RelaxedHierarchyClassifier

    return RelaxedHierarchyClassifier(SVC(), rho=rho, n_init=1)


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
