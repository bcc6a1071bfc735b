"""How is it measured? Data sets, folds, grids and operating points, all in one frozen object."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Literal

PAPER_DATASETS = ("toy", "glass", "ecoli", "vowel", "yeast", "segment", "traffic36", "faces")


@dataclass(frozen=True)
class Protocol:
    """The settings of an experiment; two that differ in what changes numbers never share results.

    Parameters
    ----------
    name : str
        What results are filed under.
    datasets : tuple of str, default=those of the paper
        Names of data sets, or paths of files.
    n_splits : int, default=5
        Number of stratified folds.
    folds : tuple of int, default=(0, 1, 2, 3, 4)
        Those of them that are run.
    max_rows : int or None, default=None
        Rows kept of a larger data set, in the proportions of its classes.
    Cs : tuple of float, default=(1.0, 1e2, 1e4, 1e6, 1e8, 1e10)
        Values of C in the grid of the inner 2-fold search.
    gammas : tuple of float, default=(0.1, 0.3, 0.5, 0.7, 0.9)
        Values of γ in it.
    search : {"column", "fold"}, default="column"
        Whether each dichotomizer has a C and γ of its own, or all of a fold the pair that suits plain one-vs-one best.
    max_iter : int, default=100000
        Most steps of a support vector machine, which a huge C would otherwise keep busy for ever.
    min_distances : tuple of int, default=(1, 3, 5, 7, 10)
        Of ECF and RAND.
    rhos : tuple of float, default=(0.1, 0.4, 0.7, 0.9)
        Of the relaxed hierarchy.
    decodings : tuple of str, default=("hamming", "loss_weighted", "discriminant")
        Decodings of every code.
    effort : float, default=1.0
        Of each factorization, see :func:`ecoc.factorize`.
    trials : int, default=50
        Runs of the relaxation, cyclic and random, of which the mean is shown.
    planted : tuple of (int, int, int, int), default=((10, 4, 100, 30), (100, 7, 10, 30), (500, 9, 1, 30))
        Planted designs: classes, columns, how many designs, and runs of each.
    curves : tuple of str, default=("vowel", "faces")
        Data sets whose design and convergence are shown.
    boundaries : bool, default=True
        Whether to show what is learned on the Toy problem.
    seed : int, default=0
        From which all others are derived.

    See Also
    --------
    ecoc.experiments.reproduce : Run one.
    ecoc.experiments.PRESETS : Those that have a name.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from ecoc.experiments import PRESETS, Protocol
    >>> mine = Protocol("mine", datasets=("glass", "ecoli"), Cs=(1.0, 10.0), gammas=(0.1,))
    >>> len(mine.folds), mine.min_distances
    (5, (1, 3, 5, 7, 10))

    A preset with something changed:

    >>> replace(PRESETS["quick"], name="quick-glass", datasets=("glass",)).max_rows
    800
    """

    name: str
    datasets: tuple[str, ...] = PAPER_DATASETS
    n_splits: int = 5
    folds: tuple[int, ...] = (0, 1, 2, 3, 4)
    max_rows: int | None = None
    Cs: tuple[float, ...] = (1.0, 1e2, 1e4, 1e6, 1e8, 1e10)
    gammas: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    search: Literal["column", "fold"] = "column"
    max_iter: int = 100_000
    min_distances: tuple[int, ...] = (1, 3, 5, 7, 10)
    rhos: tuple[float, ...] = (0.1, 0.4, 0.7, 0.9)
    decodings: tuple[str, ...] = ("hamming", "loss_weighted", "discriminant")
    effort: float = 1.0
    trials: int = 50
    planted: tuple[tuple[int, int, int, int], ...] = ((10, 4, 100, 30), (100, 7, 10, 30), (500, 9, 1, 30))
    curves: tuple[str, ...] = ("vowel", "faces")
    boundaries: bool = True
    seed: int = 0

    @property
    def key(self) -> str:
        """What results are filed under: the name, and a digest of the settings that matter to a cell.

        Examples
        --------
        Results of the same settings are shared, whichever data sets and folds are run:

        >>> from ecoc.experiments import Protocol
        >>> Protocol("mine", datasets=("glass",)).key == Protocol("mine", datasets=("ecoli",), folds=(0,)).key
        True
        >>> Protocol("mine", seed=1).key == Protocol("mine").key
        False
        """
        choices = {"datasets", "folds", "min_distances", "rhos", "trials", "planted", "curves", "boundaries"}
        settings = {name: value for name, value in asdict(self).items() if name not in choices}
        return f"{self.name}-{hashlib.sha256(repr(sorted(settings.items())).encode()).hexdigest()[:8]}"

    def describe(self) -> str:
        """Tell in a sentence what was run, for every table.

        Returns
        -------
        str
            Folds, rows, grid, operating points and seed.

        Examples
        --------
        >>> from ecoc.experiments import PRESETS
        >>> PRESETS["quick"].describe()
        'Preset quick: 2 of 5 stratified folds, at most 800 rows a data set; inner 2-fold search of 2 values of C ...'
        """
        rows = "all rows" if self.max_rows is None else f"at most {self.max_rows:,} rows a data set"
        each = "for each dichotomizer" if self.search == "column" else "once a fold"
        return (
            f"Preset {self.name}: {len(self.folds)} of {self.n_splits} stratified folds, {rows}; inner 2-fold search "
            f"of {len(self.Cs)} values of C ({self.Cs[0]:g} to {self.Cs[-1]:g}) and {len(self.gammas)} of γ "
            f"({self.gammas[0]:g} to {self.gammas[-1]:g}) {each}; minimum distances "
            f"{', '.join(map(str, self.min_distances))}; ρ {', '.join(map(str, self.rhos))}; seed {self.seed}."
        )


PRESETS: dict[str, Protocol] = {
    "quick": Protocol(
        "quick",
        folds=(0, 1),
        max_rows=800,
        Cs=(1.0, 1e2),
        gammas=(0.1, 0.5),
        max_iter=20_000,
        min_distances=(1, 3, 5),
        rhos=(0.1, 0.7),
        effort=0.3,
        trials=10,
        planted=((10, 4, 5, 6), (100, 7, 1, 10), (500, 9, 1, 3)),
    ),
    "medium": Protocol("medium", max_rows=800, Cs=(1.0, 1e2, 1e4), gammas=(0.1, 0.5), max_iter=20_000, effort=0.3),
    "paper": Protocol("paper"),
}
