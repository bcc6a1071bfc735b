"""Report how well added classes are told apart from the others, and whether training again would pay."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ecoc.decoding.evidence import Array
from ecoc.decoding.extended import Extended


@dataclass(frozen=True)
class NoveltyReport:
    """How well added classes are told apart from the others.

    Attributes
    ----------
    classes : list
        Labels of the added classes.
    n_samples : list of int
        Number of samples of each.
    nearest : list
        The class that each is nearest to.
    separation : list of float
        Distance to that class, in standard deviations of the outputs.
    usual_separation : float
        Median of the same distance for the classes that the columns were trained on.
    share : float
        Share of the classes that were added.
    retrain : bool
        Whether training again with the samples of all classes would probably pay.
    why : str
        The reason.
    """

    classes: list[Any]
    n_samples: list[int]
    nearest: list[Any]
    separation: list[float]
    usual_separation: float
    share: float
    retrain: bool
    why: str

    @classmethod
    def of(cls, decoding: Extended) -> "NoveltyReport":
        """Make the report."""
        k, distance = decoding.n_old, decoding.distances()
        nearest = distance.argmin(axis=1)
        apart = distance.min(axis=1)
        usual, sizes = float(np.median(apart[:k])), decoding.sizes()[k:]
        share, weak = len(sizes) / len(distance), float(np.mean(apart[k:] < usual / 2)) if len(sizes) else 0.0
        order = np.argsort(decoding.names_[k:], kind="stable")
        retrain, why = advice(share, weak, sizes)
        return cls(
            decoding.names_[k:][order].tolist(),
            sizes[order].astype(int).tolist(),
            decoding.names_[nearest[k:]][order].tolist(),
            apart[k:][order].tolist(),
            usual,
            share,
            retrain,
            why,
        )

    def __str__(self) -> str:
        lines = [f"{len(self.classes)} added classes, {self.share:.0%} of all"]
        rows = sorted(zip(self.separation, self.classes, self.n_samples, self.nearest), key=lambda row: row[0])
        for apart, label, n, nearest in rows[:10]:
            lines.append(f"  {label}: {n} samples; nearest class {nearest}, {apart:.1f} standard deviations away")
        if len(rows) > 10:
            lines.append(f"  and {len(rows) - 10} more, which are farther from all others")
        lines.append(f"Classes in training: {self.usual_separation:.1f} standard deviations away (median)")
        lines.append(f"Training again would {'' if self.retrain else 'not '}pay: {self.why}.")
        return "\n".join(lines)


def advice(share: float, weak: float, sizes: Array) -> tuple[bool, str]:
    """Tell whether training again pays, and why."""
    half, many = 0.5, 20.0
    if not len(sizes):
        return False, "nothing was added"
    if share >= half:
        return True, f"{share:.0%} of the classes are new, and no column was made for them"
    if weak > half:
        return True, f"{weak:.0%} of the new classes are close to another class in the outputs"
    if np.median(sizes) >= many:
        return True, f"with {np.median(sizes):.0f} samples a class, there is enough to train with"
    return False, "the outputs tell new classes apart about as well as old ones"
