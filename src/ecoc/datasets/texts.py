"""Which data sets are texts? Descriptions of diseases, and how texts become features."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ecoc.tables import Table

_LEAST = 5  # texts of a class


def diseases_in(path: Path) -> Table:
    """Read the descriptions and synonyms of ICD-10-CM codes; the class is the three-character category of a code."""
    found = []
    for disease in ElementTree.parse(path).iter("diag"):
        category = (disease.findtext("name") or "")[:3]
        notes = disease.findall("inclusionTerm/note")
        found += [(category, text) for text in (disease.findtext("desc"), *(note.text for note in notes)) if text]
    counts = Counter(category for category, _ in found)
    rows = [(category, text) for category, text in found if counts[category] >= _LEAST]
    return {
        "X": np.array([text for _, text in rows], dtype=object),
        "label": np.array([category for category, _ in rows]),
    }


def tfidf(train: Iterable[str], *others: Iterable[str], **parameters: Any) -> list[Any]:
    """Turn texts into tf-idf features, with words and weights of the training texts alone.

    Parameters
    ----------
    train : iterable of str
        Training texts.
    *others : iterables of str
        Other texts, such as those of a test set.
    **parameters : dict
        Parameters of scikit-learn's ``TfidfVectorizer``. By default, words and pairs of words count by the logarithm
        of their number, as 32-bit floats.

    Returns
    -------
    list of sparse matrices of shape (n_texts, n_terms)
        Features of `train`, then of each of `others`.

    See Also
    --------
    ecoc.datasets.load : Loads the texts of ``"icd10"``.

    Examples
    --------
    >>> from ecoc.datasets import tfidf
    >>> X_train, X_test = tfidf(["acute pain", "chronic pain"], ["pain, not acute"])
    >>> X_train.shape, X_test.shape, X_test.nnz
    ((2, 5), (1, 5), 2)
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(**{"ngram_range": (1, 2), "sublinear_tf": True, "dtype": np.float32, **parameters})
    return [vectorizer.fit_transform(train), *map(vectorizer.transform, others)]
