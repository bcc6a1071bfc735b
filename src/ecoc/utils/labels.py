"""How are class labels found and shown? Their positions among the classes, and short texts for pictures and tables."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.suggest import some


def class_indices(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each label in `classes`; a label that is not there is a ValueError.

    Labels are compared as Python compares them: 1 and "1" are different, though numpy would make both strings.
    """
    index = {label: i for i, label in enumerate(classes.tolist())}
    indices = np.array([index.get(label, -1) for label in y.tolist()], dtype=np.intp)
    if (indices < 0).any():
        unknown = list(dict.fromkeys(y[indices < 0].tolist()))
        raise ValueError(
            f"y has labels that the model was not trained on: {some(unknown)}; its classes are {some([*index])}."
        )
    return indices


def short_text(label: Any, most: int = 24) -> str:
    """Return a label on one line, with at most so many characters; control characters are shown as escapes."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(str(label).split()))
    return text if len(text) <= most else text[: most - 1] + "…"
