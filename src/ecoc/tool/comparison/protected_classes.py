"""Protect pairs of classes with a column of their own, or with a smallest distance between codewords."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ecoc.utils.messages import some


@dataclass(frozen=True)
class Protection:
    """Pairs of classes that must not be confused."""

    apart: tuple[Hashable, ...] = ()  # classes, or pairs of them; a class stands for its pairs with all others
    distances: dict[Hashable, int] = field(default_factory=dict)  # least number of columns between two classes

    @classmethod
    def of(cls, protect: Any, labels: Sequence[Any]) -> "Protection":
        """Parse what users write: classes and pairs of classes, or a mapping from these to distances."""
        if isinstance(protect, Protection):
            return protect
        given = protect if isinstance(protect, Mapping) else dict.fromkeys(protect or ())
        known = set(labels)
        for key in given:
            pair = key if isinstance(key, tuple) and key not in known else (key,)
            if unknown := [label for label in pair if label not in known]:
                raise ValueError(f"protect names {unknown[0]!r}, which is no class; the classes are {some(labels)}.")
            if len(pair) > 2 or len(set(pair)) < len(pair):
                raise ValueError(f"protect takes classes and pairs of different classes; got {key!r}.")
        return cls(tuple(given), {key: int(value) for key, value in given.items() if value is not None})

    def __bool__(self) -> bool:
        return bool(self.apart)

    def pairs(self, labels: Iterable[Any]) -> list[tuple[Any, Any]]:
        """Return all pairs of classes that are protected, each once; the first of a pair comes first as text, too."""
        known = list(labels)
        keys = [
            pair
            for key in self.apart
            for pair in ([key] if isinstance(key, tuple) and key not in known else [(key, other) for other in known])
        ]
        return list(dict.fromkeys((a, b) if str(a) < str(b) else (b, a) for a, b in keys if a != b))

    def options(self, min_distance: int | None = None, *, as_wishes: bool = False) -> dict[str, Any]:
        """Return the parameters of :class:`ecoc.ECF` that ask for it; `min_distance` is that of all other pairs.

        With `as_wishes`, for a code without a learner, ask for distant codewords where no distance is given. A
        classifier gets a column of its own for each pair instead, as far as that helps.
        """
        own = () if as_wishes else tuple(key for key in self.apart if key not in self.distances)
        apart = [key for key in self.apart if key not in own]
        options: dict[str, Any] = {"wishes": dict.fromkeys(apart, "apart")} if apart else {}
        if own:
            options["protect"] = list(own)
        if self.distances:
            options["min_distance"] = {**self.distances, "default": min_distance or 1}
        elif min_distance is not None:
            options["min_distance"] = min_distance
        return options
