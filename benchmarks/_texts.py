"""Which data sets are texts? Descriptions of diseases, and how texts become features."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

_LEAST = 5  # texts of a class


def diseases_in(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the descriptions and synonyms of ICD-10-CM codes; the class is the three-character category of a code."""
    found = []
    for disease in ElementTree.parse(path).iter("diag"):
        category = (disease.findtext("name") or "")[:3]
        notes = disease.findall("inclusionTerm/note")
        found += [(category, text) for text in (disease.findtext("desc"), *(note.text for note in notes)) if text]
    counts = Counter(category for category, _ in found)
    rows = [(category, text) for category, text in found if counts[category] >= _LEAST]
    return np.array([text for _, text in rows], dtype=object), np.array([category for category, _ in rows])


def tfidf(train: Iterable[str], *others: Iterable[str], **parameters: Any) -> list[Any]:
    """Turn texts into tf-idf features of words and pairs of words, with weights of the training texts alone.

    `parameters` are those of scikit-learn's ``TfidfVectorizer``.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(**{"ngram_range": (1, 2), "sublinear_tf": True, "dtype": np.float32, **parameters})
    return [vectorizer.fit_transform(train), *map(vectorizer.transform, others)]
