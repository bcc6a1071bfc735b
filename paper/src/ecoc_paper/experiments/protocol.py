"""Protocols: data sets, folds, grids and operating points in one frozen object."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Literal

PAPER_DATASETS = ("toy", "glass", "ecoli", "vowel", "yeast", "segment", "traffic36", "faces")
TUNINGS = {"column": "each column", "code": "each code", "fold": "each fold"}
Tuning = Literal["column", "code", "fold"]


def in_order(tunings: Iterable[str]) -> list[str]:
    """Sort ways of tuning as the tables show them: columns first. Stored results have them in order of the alphabet."""
    known = list(TUNINGS)
    return sorted(dict.fromkeys(tunings), key=lambda name: known.index(name) if name in known else len(known))


_NOT_IN_KEY = {  # settings that add or remove cells and change no number in a cell
    "datasets",
    "folds",
    "seeds",
    "min_distances",
    "lengths",
    "length_methods",
    "rhos",
    "trials",
    "planted",
    "curves",
    "boundaries",
    "readings",
}


@dataclass(frozen=True)
class Protocol:
    """The settings of an experiment. Protocols with different numbers never share results.

    Parameters
    ----------
    name : str
        Results are stored under this name.
    datasets : tuple of str, default=those of the paper
        Names of data sets, or paths of files.
    n_splits : int, default=5
        Number of stratified folds.
    folds : tuple of int, default=(0, 1, 2, 3, 4)
        The folds that are run.
    max_rows : int or None, default=None
        Rows to keep of a larger data set, in the proportions of its classes.
    filtered : tuple of str, default=("traffic36",)
        Data sets of square images that are filtered, equalised and masked before use, as the paper did with Traffic.
    Cs : tuple of float, default=(1.0, 1e2, 1e4, 1e6, 1e8, 1e10)
        Values of C in the grid of the inner 2-fold search.
    gammas : tuple of float, default=(0.1, 0.3, 0.5, 0.7, 0.9)
        Values of γ in that grid.
    tunings : tuple of {"column", "code", "fold"}, default=("column", "code", "fold")
        What has a pair of C and γ of its own. Every method is run with each: a pair for each column, one for all
        columns of a code, or one for all methods of a fold.
    max_iter : int, default=50000
        Most steps of a support vector machine. A huge C would need millions.
    min_distances : tuple of int, default=(1, 3, 5, 7, 10)
        Operating points of ECF and RAND in the paper's own experiment.
    lengths : tuple of str, default=("log2", "1/4", "1/2", "3/4", "1", "3/2", "2")
        Operating points of all methods with a free length, as shares of the number of classes; "log2" is ⌈log2 k⌉ + 1.
    length_methods : tuple of str or None, default=None
        Methods of that experiment. None: all that have a free length.
    rhos : tuple of float, default=(0.1, 0.4, 0.7, 0.9)
        Operating points of the relaxed hierarchy.
    decodings : tuple of str, default=("hamming", "loss_weighted", "discriminant")
        Decodings of every code.
    effort : float, default=1.0
        Effort of each factorization, see :func:`ecoc.factorize`.
    starts : int, default=20
        Random starts of the paper's factorization. It may take so many until a code is valid.
    trials : int, default=50
        Runs of the relaxation, cyclic and random, for the figure of its convergence.
    planted : tuple of (int, int, int, int)
        Designs with a known factor: classes, columns, number of designs, and runs of each.
    curves : tuple of str, default=("vowel", "traffic36", "faces")
        Data sets whose design and convergence are shown.
    boundaries : bool, default=True
        Whether to show the regions of the classes on the Toy problem.
    readings : bool, default=True
        Whether to compare the readings of the paper's constraint on distances, and the parts of the error.
    seed : int, default=0
        All other seeds of a repetition follow from this one: rows, folds, inner folds and codes.
    seeds : tuple of int, default=()
        Seeds of the repetitions; if there are none, `seed` is the only one.

    See Also
    --------
    ecoc_paper.experiments.reproduce : Run a protocol.
    ecoc_paper.experiments.PRESETS : The protocols that have a name.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from ecoc_paper.experiments import PRESETS, Protocol
    >>> mine = Protocol("mine", datasets=("glass", "ecoli"), Cs=(1.0, 10.0), gammas=(0.1,))
    >>> len(mine.folds), mine.min_distances
    (5, (1, 3, 5, 7, 10))

    Change a preset:

    >>> replace(PRESETS["quick"], name="quick-glass", datasets=("glass",)).max_rows
    400
    """

    name: str
    datasets: tuple[str, ...] = PAPER_DATASETS
    n_splits: int = 5
    folds: tuple[int, ...] = (0, 1, 2, 3, 4)
    max_rows: int | None = None
    filtered: tuple[str, ...] = ("traffic36",)
    Cs: tuple[float, ...] = (1.0, 1e2, 1e4, 1e6, 1e8, 1e10)
    gammas: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    tunings: tuple[Tuning, ...] = ("column", "code", "fold")
    max_iter: int = 50_000
    min_distances: tuple[int, ...] = (1, 3, 5, 7, 10)
    lengths: tuple[str, ...] = ("log2", "1/4", "1/2", "3/4", "1", "3/2", "2")
    length_methods: tuple[str, ...] | None = None
    rhos: tuple[float, ...] = (0.1, 0.4, 0.7, 0.9)
    decodings: tuple[str, ...] = ("hamming", "loss_weighted", "discriminant")
    effort: float = 1.0
    starts: int = 20
    trials: int = 50
    planted: tuple[tuple[int, int, int, int], ...] = (
        (10, 4, 100, 30),
        (10, 8, 100, 30),
        (100, 7, 100, 30),
        (100, 14, 100, 30),
        (500, 9, 100, 30),
        (500, 18, 100, 30),
    )
    curves: tuple[str, ...] = ("vowel", "traffic36", "faces")
    boundaries: bool = True
    readings: bool = True
    seed: int = 0
    seeds: tuple[int, ...] = ()

    @property
    def repetitions(self) -> "list[Protocol]":
        """The protocol with each of its seeds.

        Examples
        --------
        >>> from ecoc_paper.experiments import Protocol
        >>> [protocol.seed for protocol in Protocol("mine", seeds=(0, 1)).repetitions]
        [0, 1]
        """
        return [replace(self, seed=seed) for seed in self.seeds or (self.seed,)]

    @property
    def is_first(self) -> bool:
        """Whether this is the first repetition, which has what is run once."""
        return not self.seeds or self.seed == self.seeds[0]

    @property
    def key(self) -> str:
        """Name under which results are stored: the protocol's name, and a digest of the settings that change numbers.

        Examples
        --------
        Protocols that differ only in their data sets and folds share results:

        >>> from ecoc_paper.experiments import Protocol
        >>> Protocol("mine", datasets=("glass",)).key == Protocol("mine", datasets=("ecoli",), folds=(0,)).key
        True
        >>> Protocol("mine", seed=1).key == Protocol("mine").key
        False
        """
        settings = {name: value for name, value in asdict(self).items() if name not in _NOT_IN_KEY}
        return f"{self.name}-{hashlib.sha256(repr(sorted(settings.items())).encode()).hexdigest()[:8]}"

    def describe(self) -> str:
        """Describe what was run in a sentence, for every table.

        Returns
        -------
        str
            Folds, rows, grid, operating points and seed.

        Examples
        --------
        >>> from ecoc_paper.experiments import PRESETS
        >>> PRESETS["quick"].describe()
        'Preset quick: 1 of 5 stratified folds, at most 400 rows of a data set; inner 2-fold search of 2 values ...'
        """
        rows = "all rows" if self.max_rows is None else f"at most {self.max_rows:,} rows of a data set"
        return (
            f"Preset {self.name}: {len(self.folds)} of {self.n_splits} stratified folds, {rows}; inner 2-fold search "
            f"of {len(self.Cs)} values of C ({self.Cs[0]:g} to {self.Cs[-1]:g}) and {len(self.gammas)} of γ "
            f"({self.gammas[0]:g} to {self.gammas[-1]:g}); minimum distances "
            f"{', '.join(map(str, self.min_distances))}; lengths {', '.join(self.lengths)} of the number of classes; "
            f"ρ {', '.join(map(str, self.rhos))}; {_named('seed', self.seeds or (self.seed,))}."
        )


def _named(what: str, values: tuple[int, ...]) -> str:
    return f"{what}{'s' if len(values) > 1 else ''} {', '.join(map(str, values))}"


def columns_at(length: str, n_classes: int) -> int | None:
    """Return the number of columns that a length of a protocol means; None if so few cannot tell the classes apart."""
    least, most = (n_classes - 1).bit_length(), int(2 ** (n_classes - 1)) - 1
    if length == "log2":
        return min(least + 1, most)
    over, _, under = length.partition("/")
    columns = ceil(int(over) * n_classes / int(under or 1))
    return min(columns, most) if columns >= least else None


PRESETS: dict[str, Protocol] = {
    "quick": Protocol(
        "quick",
        folds=(0,),
        seeds=(0, 1),
        max_rows=400,
        Cs=(1.0, 1e2),
        gammas=(0.1, 0.5),
        tunings=("column", "fold"),
        max_iter=10_000,
        min_distances=(1, 5),
        lengths=("1/2", "1"),
        rhos=(0.1, 0.7),
        effort=0.1,
        starts=2,
        trials=10,
        planted=((10, 4, 10, 10), (100, 7, 3, 10), (500, 9, 1, 10)),
    ),
    "medium": Protocol(
        "medium",
        max_rows=800,
        Cs=(1.0, 1e2, 1e4),
        gammas=(0.1, 0.3, 0.5),
        max_iter=20_000,
        effort=0.3,
        planted=((10, 4, 100, 30), (100, 7, 20, 30), (500, 9, 5, 30)),
    ),
    "paper": Protocol("paper", seeds=(0, 1, 2, 3, 4)),
}
