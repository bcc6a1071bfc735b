"""Does protection protect? Confusions of the most confused pair, and accuracy, before and after ``ECF(protect=…)``.

The pair is the one that half a code (k/2 binary columns) confuses most among held-out training samples. Confusions and
accuracies are those of test folds. A pair for which the classifier dropped the column counts as unchanged.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks._parts import LEARNERS, PARTS, ROWS, Part, parts
from benchmarks._report import Goal, Results, Table
from ecoc import ECF, ECOCClassifier, TrainingCache
from ecoc.classifier.pair_protection import held_out_choices

ON_REQUEST = True


def run(quick: bool) -> Results:
    """Protect the most confused pair of every fold."""
    sets = ("vowel", "pendigits") if quick else tuple(ROWS)
    n_parts = 1 if quick else PARTS
    simple: list[tuple[float, float]] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for learner in LEARNERS:
            rows = []
            for name in sets:
                found = np.array([protected(learner, part) for part in parts(name, n_parts)])
                if not len(found):
                    continue
                before, after = found[:, 0].sum(), found[:, 1].sum()
                fewer = 1 - after / before if before else 0.0
                gain = float((found[:, 3] - found[:, 2]).mean())
                rows.append((name, f"{found[:, 4].sum():.0f} of {len(found)}", before, after, 100 * fewer, gain))
                if learner != "RBF SVC":
                    simple.append((fewer, gain))
            columns = ("data", "kept", "confusions before", "after", "fewer, percent", "accuracy gained, points")
            yield Table(f"{learner}: the most confused pair, {n_parts} folds", columns, rows)
    fewer, gain = np.mean(simple, axis=0).tolist()
    yield Goal(
        "linear models and trees: confusions of the pair at least 30 % fewer on average",
        f"{100 * fewer:.0f} %",
        fewer >= 0.3,
    )
    yield Goal("linear models and trees: accuracy not lower on average", f"{gain:+.2f} points", gain >= 0)


def protected(learner: str, part: Part) -> tuple[float, float, float, float, float]:
    """Return confusions of the pair and accuracies in percent, both before and after, and whether columns were kept."""
    cache = TrainingCache()

    def fitted(**options: Any) -> Any:
        coding = ECF(n_columns=0.5, alphabet="binary", **options)
        model = ECOCClassifier(clone(LEARNERS[learner]), coding=coding, cv=part.cv, random_state=0, warm_start=cache)
        return model.fit(part.X, part.y)

    plain = fitted()
    evidence = plain.fitted_.decision.evidence
    pair = most_confused(evidence.y, held_out_choices(plain.fitted_.decision, evidence))
    model = fitted(protect=[pair])
    figures = []
    for each in (plain, model):
        predicted = each.predict(part.X_test)
        figures.append((confusions(part.y_test, predicted, *pair), 100 * float(np.mean(predicted == part.y_test))))
    return figures[0][0], figures[1][0], figures[0][1], figures[1][1], float(model.protection_.is_kept)


def most_confused(y: Any, predicted: Any) -> tuple[int, int]:
    """Return the two classes that are taken for each other most often."""
    k = int(max(y.max(), predicted.max())) + 1
    counts = np.zeros((k, k))
    np.add.at(counts, (y, predicted), 1)
    counts = np.triu(counts + counts.T, 1)
    a, b = np.unravel_index(counts.argmax(), counts.shape)
    return int(a), int(b)


def confusions(y: Any, predicted: Any, a: int, b: int) -> float:
    """Count samples of one class that are taken for the other."""
    return float((((y == a) & (predicted == b)) | ((y == b) & (predicted == a))).sum())
