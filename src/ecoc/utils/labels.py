"""Find the positions of class labels, and shorten labels for pictures and tables."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.messages import printable, some


def class_indices(y: NDArray[Any], classes: NDArray[Any], name: str = "y") -> NDArray[np.intp]:
    """Return the position of each label in `classes`; a label that is not there is a ValueError.

    Labels are compared as Python compares them: 1 and "1" are different, though numpy would make both strings.
    """
    indices = known_indices(y, classes)
    if (indices < 0).any():
        unknown, known = list(dict.fromkeys(y[indices < 0].tolist())), some(classes.tolist())
        raise ValueError(
            f"{name} has labels that the model was not trained on: {some(unknown)}; its classes are {known}."
        )
    return indices


def known_indices(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each label in `classes`; −1 for a label that is not there, such as that of rejections."""
    index = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([index.get(label, -1) for label in y.tolist()], dtype=np.intp)


def short_text(label: Any, most: int = 24) -> str:
    """Return a label on one line, with at most so many characters; control characters are shown as escapes."""
    return _cut(_one_line(label), most)


def distinct_names(labels: Iterable[Any], most: int = 24) -> list[str]:
    """Return a short text for each label, so that no two are equal.

    Long labels lose the words that all labels begin with. Labels that are equal when they are cut at the end are cut in
    the middle. If that is not enough, they get a number, which is their position.
    """
    texts = [_one_line(label) for label in labels]
    if len(texts) > 1 and max(map(len, texts)) > most:
        shared = _shared_words(texts)
        if all(len(text) > shared for text in texts):
            texts = [text[shared:] for text in texts]
    head = most // 2

    def without_middle(i: int) -> str:
        return texts[i] if len(texts[i]) <= most else f"{texts[i][:head]}…{texts[i][head + 1 - most :]}"

    def numbered(i: int) -> str:
        return _cut(f"{i}: {texts[i]}", most)

    names = [_cut(text, most) for text in texts]
    for shorten in (without_middle, numbered):
        count = Counter(names)
        names = [name if count[name] == 1 else shorten(i) for i, name in enumerate(names)]
    return names


def _shared_words(texts: list[str]) -> int:
    """Return the number of characters in the words that all texts begin with."""
    first, last = min(texts), max(texts)  # every other text has what these two begin with
    equal = next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))
    words = re.match(r".*[\s_\-/.:,]", first[:equal])
    return words.end() if words else 0


def _one_line(label: Any) -> str:
    return printable(" ".join(str(label).split()))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
