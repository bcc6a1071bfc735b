"""List the cells of a protocol, in the order of the tables."""

from collections.abc import Iterator, Sequence

from ecoc_paper.experiments.cells import Cell
from ecoc_paper.experiments.methods import get_method, method_names
from ecoc_paper.experiments.protocol import Protocol

_TOY = {
    "ECF-H": "12",
    "ECF-E": "12",
    "ECF-balanced": "12",
    "DENSE": "12",
    "OVA": "",
}  # the paper's 12, 12 and 14 columns
_DESIGNS = ("ECF-H", "ECF-balanced")
_RAW = ("OVA", "DENSE", "ECF-H", "ECF-E", "ECF-balanced")
_READINGS = [
    f"{allocation}, {reading}"
    for allocation in ("hard", "easy")
    for reading in (
        "mended, nearest, end",
        "mended, nearest, cycle",
        "printed, printed, end",
        "printed, printed, cycle",
        "products, printed, end",
        "products, printed, cycle",
    )
]


def plan(protocol: Protocol, methods: Sequence[str] | None = None) -> list[Cell]:
    """Return all cells of a repetition of a protocol; those of a fold are neighbours.

    What has runs of its own, or is an example, is in the first repetition only. So are Algorithm 1 with its restarts,
    designs that the paper cites, and classifiers without a code, unless they are named: they take most of the time.
    """
    names = method_names() if methods is None else list(methods)
    if methods is None and not protocol.is_first:
        names = [name for name in names if get_method(name).origin not in ("cited", "baseline", "solver")]
    cells = [
        cell
        for dataset in protocol.datasets
        for fold in protocol.folds
        for cell in _of_fold(protocol, dataset, fold, names)
    ]
    if not protocol.is_first:
        return list(dict.fromkeys(cells))
    for dataset in protocol.curves:
        cells += [
            Cell("design", dataset, 0, name, str(protocol.min_distances[0])) for name in _DESIGNS if name in names
        ]
        cells += [Cell("convergence", dataset, 0, order, str(protocol.trials)) for order in ("cyclic", "random")]
    if protocol.boundaries:
        cells += [Cell("boundaries", "toy", protocol.folds[0], name, _TOY[name]) for name in _TOY if name in names]
    for n_classes, n_columns, designs, runs in protocol.planted:
        cells += [Cell("planted", f"{n_classes}×{n_columns}", i, "cyclic", str(runs)) for i in range(designs)]
    return list(dict.fromkeys(cells))


def _of_fold(protocol: Protocol, dataset: str, fold: int, names: Sequence[str]) -> Iterator[Cell]:
    methods = [get_method(name) for name in names]
    for method in methods:
        for setting in method.settings_in(protocol):
            yield Cell("accuracy", dataset, fold, method.name, setting)
    for method in methods:
        if method.at_length is not None and method.name in (protocol.length_methods or names):
            for length in protocol.lengths:
                yield Cell("length", dataset, fold, method.name, length)
    if protocol.is_first and dataset in protocol.filtered:
        for method in methods:
            if method.name in _RAW:
                yield Cell("raw", dataset, fold, method.name, method.settings_in(protocol)[0])
    if protocol.is_first and protocol.readings and fold == protocol.folds[0] and "ECF-H" in names:
        for allocation in ("hard", "easy"):
            yield Cell("rank", dataset, fold, allocation, "")
            yield Cell("decomposition", dataset, fold, allocation, "")
        for reading in _READINGS:
            for distance in protocol.min_distances:
                yield Cell("reading", dataset, fold, reading, str(distance))
