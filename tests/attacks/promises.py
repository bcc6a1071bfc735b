"""What a model claims about itself, on noise and on weak signal: accuracy, probabilities and sets of classes.

Each attack draws a learner, the strength of its regularisation, a coding, a number of samples and a kind of data from
the tables of ``benchmarks/trust.py``, which runs the whole grid with repeats and stricter bounds. A single fit varies
by chance, so hardly any fit of an honest model exceeds the bounds here.
"""

import numpy as np

from benchmarks import trust
from ecoc import ECOCClassifier

CHEAP = (
    "SVC rbf",
    "SVC narrow",
    "SVC poly",
    "SVC sigmoid",
    "logistic",
    "ridge",
    "kernel ridge",
    "narrow kernel ridge",
    "tree",
    "naive Bayes",
    "kNN",
)
DEAR = tuple(name for name in trust.LEARNERS if name not in CHEAP)
SIZES, CONFIDENCE = (20, 40, 60, 150, 300), 0.9
MOST_ERRORS, LEAST_COVERED, MOST_LOSS = 5.0, 0.7, 0.3  # standard errors, share of sets from 300 samples on, nats


def attack(seed):
    rng = np.random.default_rng(seed)
    names = DEAR if rng.random() < 0.05 else CHEAP
    learner, strength = str(rng.choice(names)), str(rng.choice(trust.STRENGTHS))
    coding, n = str(rng.choice(trust.CODINGS)), int(rng.choice(SIZES))
    if learner == "kNN" and strength == "huge":
        n = SIZES[-1]  # a column of one-vs-one must have as many samples as neighbours
    kind = str(rng.choice(list(trust.KINDS)))
    X, y, new, truth = trust.samples(kind, n, seed)
    model = ECOCClassifier(trust.with_strength(learner, strength), coding=coding, random_state=seed).fit(X, y)
    check(model, new, truth, n, noise=kind != "weak signal", where=f"{learner}, {strength}, {coding}, {n} of {kind}")
    return f"{kind}: promises kept"


def check(model, X, y, n, *, noise, where):
    """Compare what a model of n samples claims with what it does on new samples of classes 0, 1, …"""
    rows, p = np.arange(len(y)), model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-9, err_msg=where)  # fails for NaN, too
    accuracy, claimed = float(np.mean(model.predict(X) == y)), trust.claim(model)
    if claimed is not None:
        error = np.sqrt(accuracy * (1 - accuracy) * (1 / n + 1 / len(y)))
        excess = (claimed - accuracy) / max(error, 1 / n)
        assert excess < MOST_ERRORS, f"{where}: claimed {claimed:.2f}, true {accuracy:.2f}"
    covered = model.predict_sets(X, CONFIDENCE)[rows, y].mean()
    assert n < 300 or covered > LEAST_COVERED, f"{where}: sets cover {covered:.2f}"
    loss = -np.log(np.maximum(p[rows, y], 1e-300)).mean()
    most = np.log(p.shape[1]) + MOST_LOSS
    assert not noise or loss < most, f"{where}: log-loss {loss:.2f} on noise"
