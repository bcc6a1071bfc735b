import numpy as np

from ecoc import CodeBook
from ecoc.decoding import Discriminant, choice
from ecoc.decoding.evidence import Evidence


def test_with_very_many_scores_no_decodings_are_compared(monkeypatch):
    rng = np.random.default_rng(0)
    code = CodeBook([[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]])
    y = np.repeat(np.arange(4), 20)
    outputs = code.matrix[y] + rng.normal(size=(80, 3))
    evidence = Evidence(outputs, outputs, y, None, None)
    assert choice.fit_decoding(None, code, evidence, calibrates=True, seed=0).trials is not None
    monkeypatch.setattr(choice, "_MOST_COMPARED", 100)
    found = choice.fit_decoding(None, code, evidence, calibrates=True, seed=0)
    assert found.trials is None
    assert isinstance(found.decoding, Discriminant)
    assert found.temperature > 0
