"""What does a code bring? 124 letters in an unseen typeface: learners by themselves, in one-vs-rest, in a code."""

import time
import warnings

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks._report import Figure, Results, Table
from tools.demo import WAYS, learners, letters, measured

KEYS = {"decision tree": "tree", "RBF SVC": "svc", "XGBoost, 20 rounds": "xgboost"}


def run(quick: bool) -> Results:
    """Fit each learner in three ways."""
    data = letters()
    chosen = learners()
    if quick:
        chosen = {"decision tree": chosen["decision tree"]}
    else:
        chosen["random forest"] = RandomForestClassifier(100, random_state=0)
        chosen["logistic regression"] = LogisticRegression(max_iter=300)
    rows = []
    for name, learner in chosen.items():
        row = [name]
        for way in WAYS:
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore")
                model, accuracy, fit, predict = measured(learner, way, data, time.process_time)
            row += [round(accuracy, 1), f"{fit:.1f}", f"{predict:.2f}"]
            if name in KEYS and way != "one-vs-rest":
                yield Figure(f"{KEYS[name]}_{way}", accuracy)
        rows.append((*row, model.n_columns_))
    columns = ("learner", *(f"{way}, {what}" for way in WAYS for what in ("%", "fit s", "predict s")), "columns")
    yield Table("accuracy and CPU seconds", columns, rows)
