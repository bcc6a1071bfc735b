"""Do refactored classifiers predict what they predicted before? Run ``write`` before a change and ``check`` after it.

python tools/reference.py write before.npz
python tools/reference.py check before.npz
"""

import sys
import warnings

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, DenseRandom, ECOCClassifier

DIGITS = tuple(part[:900] for part in load_digits(return_X_y=True))
IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)
MANY = make_blobs(1200, 8, centers=80, random_state=0)

CONFIGURATIONS = {
    "svc ecf half": (DIGITS, SVC(C=10), {"coding": ECF(n_columns=0.5), "decoding": "discriminant"}),
    "svc ecf auto": (DIGITS, SVC(C=10), {"coding": ECF(n_columns="auto"), "decoding": "discriminant"}),
    "svc ecf rank": (DIGITS, SVC(), {"decoding": "loss_weighted"}),
    "svc ecf allocation auto": (DIGITS, SVC(), {"coding": ECF("auto", n_columns=6), "decoding": "discriminant"}),
    "svc ecf hard": (DIGITS, SVC(), {"coding": ECF("hard", n_columns=8), "decoding": "hamming"}),
    "svc ecf wishes": (DIGITS, SVC(), {"coding": ECF(wishes={(1, 8): "apart"}), "decoding": "linear"}),
    "svc ecf distance": (DIGITS, SVC(), {"coding": ECF(min_distance=3), "decoding": "exponential"}),
    "svc ovo": (DIGITS, SVC(), {"coding": "ovo", "decoding": "hamming", "probability": False}),
    "svc ova auto": (IRIS, SVC(), {"coding": "ova", "decoding": "discriminant"}),
    "linear svc dense": (DIGITS, LinearSVC(), {"coding": DenseRandom(n_columns=15), "decoding": "hinge"}),
    "logistic ecf": (WINE, make_pipeline(StandardScaler(), LogisticRegression()), {"decoding": "probabilistic"}),
    "logistic sparse": (DIGITS, LogisticRegression(max_iter=500), {"coding": "sparse", "decoding": "beta_density"}),
    "ridge ecf": (DIGITS, RidgeClassifier(), {"coding": ECF(n_columns=7), "decoding": "discriminant"}),
    "ridge regressor": (DIGITS, Ridge(), {"coding": "hadamard", "decoding": "euclidean"}),
    "tree ecf": (DIGITS, DecisionTreeClassifier(max_depth=8), {"decoding": "laplacian"}),
    "tree spectral": (DIGITS, DecisionTreeClassifier(max_depth=8), {"coding": "spectral", "decoding": "linear"}),
    "bayes discriminant tree": (DIGITS, GaussianNB(), {"coding": "discriminant", "decoding": "attenuated_euclidean"}),
    "sgd ordinal": (IRIS, SGDClassifier(), {"coding": "ordinal", "decoding": "logistic"}),
    "ridge many classes": (MANY, RidgeClassifier(), {"coding": ECF(n_columns=20), "decoding": "discriminant"}),
    "ridge many wishes": (MANY, RidgeClassifier(), {"coding": "rand", "decoding": "inverse_hamming"}),
    "svc grouped folds": (DIGITS, SVC(), {"coding": ECF(n_columns=6), "decoding": "discriminant"}),
}


def predictions() -> dict[str, np.ndarray]:
    """Predicted labels and scores of every configuration, trained on two thirds of its samples."""
    found = {}
    for name, ((X, y), estimator, parameters) in CONFIGURATIONS.items():
        test = np.arange(len(y)) % 3 == 0
        model = ECOCClassifier(estimator, random_state=0, **parameters)
        if "grouped" in name:
            groups = np.arange((~test).sum()) // 4
            model.set_params(cv=list(GroupKFold(3).split(X[~test], y[~test], groups)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X[~test], y[~test])
        found[name] = model.predict(X[test])
        if hasattr(model, "decision_function"):
            found[f"{name}: scores"] = model.decision_function(X[test])
    return found


def main(action: str, path: str) -> int:
    """Write predictions to a file, or compare them with a file; the exit code is the number of differences."""
    now = predictions()
    if action == "write":
        np.savez_compressed(path, **now)
        return 0
    with np.load(path) as before:
        differ = 0
        for name, values in now.items():
            equal = np.array_equal(values, before[name])
            close = not equal and values.dtype.kind == "f" and np.allclose(values, before[name], rtol=1e-12)
            differ += not (equal or close)
            if not equal:
                share = np.mean(values != before[name])
                print(f"{name}: {'differs in the last bits' if close else f'{share:.1%} of the entries differ'}")
    print(f"{len(now) - differ} of {len(now)} arrays as before")
    return differ


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
