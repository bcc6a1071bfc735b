"""What does a code bring? 124 letters in an unseen typeface: learners by themselves, in one-vs-rest, in a code.

Tuned, each way tries the settings of `GRIDS` with one of the training typefaces held out, and takes the best.
"""

import time
import warnings
from typing import Any

from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid
from threadpoolctl import threadpool_limits

import ecoc
from benchmarks._report import Figure, Results, Table
from tools.demo import CHOOSING, UNSEEN, WAYS, Data, learners, measured

KEYS = {"decision tree": "tree", "RBF SVC": "svc", "XGBoost, 20 rounds": "xgboost"}
GRIDS: dict[str, dict[str, list[Any]]] = {
    "decision tree": {"min_samples_leaf": [1, 3], "max_features": [None, "sqrt"]},
    "RBF SVC": {"C": [10, 100], "gamma": [0.07, 0.14, 0.28]},
    "XGBoost, 20 rounds": {"n_estimators": [20, 80], "max_depth": [2, 4]},
    "random forest": {"max_features": ["sqrt", 0.2]},
    "logistic regression": {"C": [0.1, 1, 10]},
}


def run(quick: bool) -> Results:
    """Fit each learner in three ways."""
    letters = ecoc.load_letters()
    data = split(letters, UNSEEN)
    chosen = learners()
    if quick:
        chosen = {"decision tree": chosen["decision tree"]}
    else:
        chosen["random forest"] = RandomForestClassifier(100, random_state=0)
        chosen["logistic regression"] = LogisticRegression(max_iter=300)
    rows, tuned = [], []
    for name, learner in chosen.items():
        row, best = [name], [name]
        for way in WAYS:
            model, accuracy, fit, predict = measure(learner, way, data)
            row += [round(accuracy, 1), f"{fit:.1f}", f"{predict:.2f}"]
            if name in KEYS and way != "one-vs-rest":
                yield Figure(f"{KEYS[name]}_{way}", accuracy)
            if not quick:
                setting = tune(learner, GRIDS[name], way, letters)
                accuracy = measure(clone(learner).set_params(**setting), way, data)[1]
                best += [round(accuracy, 1), ", ".join(f"{key}={value}" for key, value in setting.items())]
                if name in KEYS and way != "one-vs-rest":
                    yield Figure(f"{KEYS[name]}_{way}_tuned", accuracy)
        rows.append((*row, model.n_columns_))
        tuned.append(tuple(best))
    columns = ("learner", *(f"{way}, {what}" for way in WAYS for what in ("%", "fit s", "predict s")), "columns")
    yield Table("accuracy and CPU seconds", columns, rows)
    yield Table("tuned", ("learner", *(name for way in WAYS for name in (f"{way}, %", f"{way}, setting"))), tuned)


def split(letters: tuple[Any, Any, Any], held_out: str) -> Data:
    """Return the letters without a typeface, and those of that typeface."""
    X, y, typeface = letters
    out = typeface == held_out
    return X[~out], X[out], y[~out], y[out]


def measure(learner: Any, way: str, data: Data) -> tuple[Any, float, float, float]:
    """Fit and predict with one thread; return the model, the accuracy in percent, and the CPU seconds of both."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return measured(learner, way, data, time.process_time)


def tune(learner: Any, grid: dict[str, list[Any]], way: str, letters: tuple[Any, Any, Any]) -> dict[str, Any]:
    """Return the setting that is most accurate in a typeface which the learner was not trained on."""
    seen = letters[2] != UNSEEN
    data = split(tuple(part[seen] for part in letters), CHOOSING)
    return max(ParameterGrid(grid), key=lambda setting: measure(clone(learner).set_params(**setting), way, data)[1])
