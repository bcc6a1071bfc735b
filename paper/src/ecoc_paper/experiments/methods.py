"""Names of methods, each with the way to make it at one of its operating points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ecoc.utils.messages import unknown_name
from ecoc_paper.experiments.protocol import Protocol

Make = Callable[..., Any]
Origin = Literal["paper", "reading", "solver", "cited", "baseline", "ours"]


@dataclass(frozen=True)
class Method:
    """A method of the comparison.

    Parameters
    ----------
    name : str
        The name in tables and figures.
    make : callable or None
        Makes a coding or a classifier from a setting, or from nothing if there are no settings. None if the method
        takes part at given lengths only.
    settings : str or sequence, default=()
        The operating points: values, or the attribute of the protocol that has them.
    at_length : callable or None, default=None
        Makes a coding of a given number of columns.
    origin : {"paper", "reading", "solver", "cited", "baseline", "ours"}, default="paper"
        Where the method comes from: compared in the paper, one of these read in another way or by Algorithm 1 alone, a
        design that the paper cites, a classifier without a code, or added here. Tables of the paper's own methods leave
        out all others.

    See Also
    --------
    ecoc_paper.experiments.register_method : Add a method to the comparison.

    Examples
    --------
    >>> from ecoc import FixedDistanceRandom
    >>> from ecoc_paper.experiments import PRESETS, Method
    >>> method = Method("RAND", FixedDistanceRandom, settings="min_distances")
    >>> method.settings_in(PRESETS["quick"])
    ['1', '5']
    >>> method.build("5", PRESETS["quick"])
    FixedDistanceRandom(min_distance=5)
    """

    name: str
    make: Make | None
    settings: str | Sequence[Any] = ()
    at_length: Callable[[int], Any] | None = None
    origin: Origin = "paper"

    def settings_in(self, protocol: Protocol) -> list[str]:
        """List the settings that a protocol asks for, as they are stored.

        Parameters
        ----------
        protocol : Protocol
            The settings of an experiment.

        Returns
        -------
        list of str
            The settings; a single ``""`` if the method has none.

        Examples
        --------
        >>> from ecoc import OneVsAll, SparseRandom
        >>> from ecoc_paper.experiments import PRESETS, Method
        >>> Method("SPARSE", SparseRandom, settings=(10, 20)).settings_in(PRESETS["quick"])
        ['10', '20']
        >>> Method("OVA", OneVsAll).settings_in(PRESETS["quick"])
        ['']
        """
        if self.make is None:
            return []
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
            A new object.

        Examples
        --------
        >>> from ecoc import SparseRandom
        >>> from ecoc_paper.experiments import PRESETS, Method
        >>> Method("SPARSE", SparseRandom, settings=(10, 20)).build("20", PRESETS["quick"])
        SparseRandom(n_columns=20)
        """
        assert self.make is not None
        made = self.make(*(value for value in self._values(protocol) if str(value) == setting))
        if hasattr(made, "n_starts"):
            made.set_params(n_starts=protocol.starts)
        return made

    def _values(self, protocol: Protocol) -> Sequence[Any]:
        values: Sequence[Any] = getattr(protocol, self.settings) if isinstance(self.settings, str) else self.settings
        return values


_METHODS: dict[str, Method] = {}


def register_method(
    name: str,
    settings: str | Sequence[Any] = (),
    *,
    at_length: Callable[[int], Any] | None = None,
    origin: Origin = "ours",
) -> Callable[[Make], Make]:
    """Add a method to the comparison: decorate a function that makes it.

    Parameters
    ----------
    name : str
        The name in tables and figures.
    settings : str or sequence, default=()
        The operating points. The function is called with each of them. A string names an attribute of the
        :class:`~ecoc_paper.experiments.Protocol`, such as ``"min_distances"``. If there are none, the function is
        called without arguments.
    at_length : callable, default=None
        Makes the coding of a given number of columns, for the comparison at equal lengths.
    origin : {"paper", "reading", "solver", "cited", "baseline", "ours"}, default="ours"
        Where the method comes from.

    Returns
    -------
    callable
        The decorator. The function returns a :class:`~ecoc.Coding`, which is trained and decoded like all others, or
        any other classifier, which is trained on the features.

    See Also
    --------
    ecoc_paper.experiments.method_names : The registered methods.
    ecoc_paper.experiments.Method : What is registered.

    Examples
    --------
    >>> from ecoc import SparseRandom
    >>> from ecoc_paper.experiments import method_names, register_method
    >>> @register_method("SPARSE", settings=(10, 20), at_length=SparseRandom)
    ... def sparse(n_columns):
    ...     return SparseRandom(n_columns)
    >>> "SPARSE" in method_names()
    True
    """

    def add(make: Make) -> Make:
        _register_ours()  # first, so that a method of the same name replaces ours
        add_method(Method(name, make, settings, at_length, origin))
        return make

    return add


def add_method(method: Method) -> None:
    """Add a method to the comparison, in place of one of the same name."""
    _METHODS[method.name] = method


def method_names() -> list[str]:
    """List the names of the methods.

    Returns
    -------
    list of str
        The paper's methods first, then all others in the order of registration.

    Examples
    --------
    >>> from ecoc_paper.experiments import method_names
    >>> method_names()[:8]
    ['OVA', 'OVO', 'DENSE', 'RAND', 'S-ECOC', 'R-H', 'ECF-H', 'ECF-E']
    """
    _register_ours()
    return list(_METHODS)


def get_method(name: str) -> Method:
    """Return the method of a name; an unknown name is answered with the list."""
    _register_ours()
    if name not in _METHODS:
        raise ValueError(unknown_name("method", name, _METHODS))
    return _METHODS[name]


def _register_ours() -> None:
    from ecoc_paper.experiments import catalogue  # noqa: F401  it registers its methods when it is imported
