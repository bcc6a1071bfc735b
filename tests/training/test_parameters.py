"""Every parameter of every learner that has a fast way of training: the models are those of plain fits.

A parameter that is missing in the table fails the test. So a parameter that a new version of a library adds is noticed.
"""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from ecoc.training.binary import margins
from ecoc.training.choosing import choose_training
from ecoc.training.interfaces import Task

rng = np.random.default_rng(0)
y = np.arange(72) % 4
X = np.round(rng.normal(size=(4, 5))[y] * 1.5 + rng.normal(size=(72, 5)), 2)
new = np.round(rng.normal(size=(30, 5)) * 2, 2)
CODE = np.array([[1, -1, 1], [1, -1, -1], [-1, 1, 1], [-1, 1, -1]], dtype=np.int8)  # two columns are opposite
LONGER = np.column_stack([CODE, [[1, 1, 1, -1, 0, 1], [1, -1, 1, -1, 1, -1], [1, 1, -1, 1, -1, 0], [-1] * 6]])

WEIGHTS = [None, "balanced", {0: 1, 1: 20}, {0: 1, 5: 2}]
INVALID = object()  # given to every parameter, beside the values of the table
YES_NO = [True, False]
SEEDS = [0, 7]


def scalar_product(a, b):
    return float(a @ b)


MACHINE = {
    "kernel": ["linear", "poly", "rbf", "sigmoid", "precomputed", laplacian_kernel],
    "gamma": ["scale", "auto", 0.3, 0, -1.0],
    "degree": [2, -1],
    "coef0": [0.5],
    "class_weight": WEIGHTS,
    "tol": [1e-2, 1e-6, -1],
    "max_iter": [5, 1000, -5, -1],
    "shrinking": YES_NO,
    "cache_size": [50, -1],
    "probability": [False],
    "verbose": [False],
    "random_state": SEEDS,
    "decision_function_shape": ["ovo", "ovr"],
    "break_ties": YES_NO,
}
LINEAR = {
    "C": [0.01, 10.0, 0, -1, np.inf],
    "class_weight": WEIGHTS,
    "dual": [*YES_NO, "auto"],
    "fit_intercept": YES_NO,
    "intercept_scaling": [3.0, -1],
    "max_iter": [0, 2, 5, 1000, -5],
    "penalty": ["l1", "l2", "elasticnet", None],
    "random_state": SEEDS,
    "tol": [0.5, 1e-2, 1e-9, -1],
    "verbose": [0],
}
LINEAR_SVC = {**LINEAR, "loss": ["hinge", "squared_hinge"], "multi_class": ["ovr", "crammer_singer"]}
TREE = {
    "criterion": ["gini", "entropy", "log_loss"],
    "splitter": ["best", "random"],
    "max_depth": [1, 3, 0],
    "min_samples_split": [5, 0.3],
    "min_samples_leaf": [3, 0.1],
    "min_weight_fraction_leaf": [0.1],
    "max_features": ["sqrt", 2, 0.5, 0],
    "random_state": SEEDS,
    "max_leaf_nodes": [3, 1],
    "min_impurity_decrease": [0.01],
    "class_weight": WEIGHTS,
    "ccp_alpha": [0.01, -1],
    "monotonic_cst": [[1, 0, 0, 0, -1]],
}
FOREST = {
    **{name: values[:2] for name, values in TREE.items() if name not in ("splitter", "min_samples_split")},
    "min_samples_split": [5],
    "class_weight": [*WEIGHTS, "balanced_subsample"],
    "n_estimators": [3, 12, 0],
    "bootstrap": YES_NO,
    "oob_score": [False],
    "n_jobs": [1],
    "verbose": [0],
    "warm_start": YES_NO,
    "max_samples": [0.5, 20],
}
RIDGE = {
    "alpha": [0.1, 0, -1],
    "fit_intercept": YES_NO,
    "copy_X": YES_NO,
    "max_iter": [3, 1000, -5],
    "tol": [1e-8, -1],
    "solver": ["auto", "svd", "cholesky", "lsqr", "sparse_cg", "lbfgs"],
    "positive": YES_NO,
    "random_state": SEEDS,
}
XGBOOST = {
    "objective": ["binary:logistic", "binary:hinge", "binary:logitraw"],
    "base_score": [0.3],
    "booster": ["gbtree", "gblinear", "dart"],
    "callbacks": [],
    "colsample_bylevel": [0.6],
    "colsample_bynode": [0.6],
    "colsample_bytree": [0.6],
    "device": ["cpu"],
    "early_stopping_rounds": [],  # the plain fit needs samples of its own
    "enable_categorical": YES_NO,
    "eval_metric": ["auc", ["error", "logloss"]],
    "feature_types": [["q"] * 5],
    "feature_weights": [np.arange(1.0, 6.0)],
    "gamma": [0.5],
    "grow_policy": ["depthwise", "lossguide"],
    "importance_type": ["weight"],
    "interaction_constraints": [[[0, 1], [2, 3, 4]]],
    "learning_rate": [0.1, 1.0],
    "max_bin": [4],
    "max_cat_threshold": [3],
    "max_cat_to_onehot": [2],
    "max_delta_step": [0.1],
    "max_depth": [1, 4],
    "max_leaves": [3],
    "min_child_weight": [3],
    "missing": [0.0, -1.0],
    "monotone_constraints": [(1, 0, 0, 0, -1)],
    "multi_strategy": ["one_output_per_tree"],
    "n_estimators": [2],
    "n_jobs": [1],
    "num_parallel_tree": [2],
    "random_state": SEEDS,
    "reg_alpha": [1.0],
    "reg_lambda": [0.0, 5.0],
    "sampling_method": ["uniform"],
    "scale_pos_weight": [5.0],
    "subsample": [0.5],
    "tree_method": ["auto", "exact", "approx", "hist"],
    "validate_parameters": YES_NO,
    "verbosity": [0],
    "num_class": [1],
    "not_a_parameter": [],
}
LIGHTGBM = {
    "boosting_type": ["gbdt", "dart", "rf"],
    "class_weight": WEIGHTS[:3],
    "colsample_bytree": [0.6],
    "importance_type": ["gain"],
    "learning_rate": [0.3],
    "max_depth": [1, 3],
    "min_child_samples": [1, 10],
    "min_child_weight": [2.0],
    "min_split_gain": [0.5],
    "n_estimators": [2],
    "n_jobs": [1],
    "num_leaves": [3],
    "objective": ["binary", "cross_entropy", None],
    "random_state": SEEDS,
    "reg_alpha": [1.0],
    "reg_lambda": [5.0],
    "subsample": [0.5],
    "subsample_for_bin": [20],
    "subsample_freq": [1],
    # and some of those that the classifier hands on:
    "verbose": [-1],
    "verbosity": [-1],
    "bagging_fraction": [0.5],
    "bagging_freq": [1],
    "deterministic": [True],
    "extra_trees": [True],
    "feature_fraction": [0.5],
    "force_col_wise": [True],
    "force_row_wise": [True],
    "is_unbalance": [True],
    "lambda_l1": [1.0],
    "lambda_l2": [1.0],
    "max_bin": [5],
    "max_delta_step": [0.1],
    "metric": ["auc"],
    "min_data_in_leaf": [10],
    "path_smooth": [1.0],
    "scale_pos_weight": [5.0],
    "sigmoid": [2.0],
    "num_iterations": [3],
}
CATBOOST = {
    "n_estimators": [2],
    "max_depth": [2],
    "verbose": [0],
    "allow_writing_files": [False],
    "thread_count": [1],
    "random_state": SEEDS,
    "loss_function": ["Logloss", "CrossEntropy", "Focal:focal_alpha=0.5;focal_gamma=2"],
    "objective": ["Logloss", "CrossEntropy"],
    "scale_pos_weight": [5.0],
    "auto_class_weights": ["Balanced"],
    "l2_leaf_reg": [1.0],
    "eval_metric": ["AUC"],
    "border_count": [5],
    "boost_from_average": YES_NO,
    "nan_mode": ["Max"],
}
HIST = {
    "loss": ["log_loss"],
    "learning_rate": [0.5, -1],
    "max_iter": [2, 0],
    "max_leaf_nodes": [3, 1],
    "max_depth": [1],
    "min_samples_leaf": [3],
    "l2_regularization": [1.0, -1],
    "max_features": [0.5],
    "max_bins": [5],
    "categorical_features": [None],
    "monotonic_cst": [[1, 0, 0, 0, -1]],
    "interaction_cst": ["pairwise", "no_interactions"],
    "warm_start": YES_NO,
    "early_stopping": ["auto", False],  # with True, one part of the samples stops all columns: tests of boosting
    "scoring": ["accuracy"],
    "validation_fraction": [0.2],
    "n_iter_no_change": [2],
    "tol": [0.1],
    "verbose": [0],
    "random_state": SEEDS,
    "class_weight": WEIGHTS[:3],
}
TABLE = {
    "SVC": (SVC(tol=1e-6), {**MACHINE, "C": [0.1, 10.0, -1, 0]}),
    "NuSVC": (NuSVC(nu=0.3, tol=1e-5), {**MACHINE, "nu": [0.1, 0.4, -1], "class_weight": WEIGHTS[:2]}),
    "LinearSVC": (LinearSVC(tol=1e-10, max_iter=10**6, random_state=0), LINEAR_SVC),
    "sparse LinearSVC": (LinearSVC(tol=1e-10, max_iter=10**6, random_state=0), LINEAR_SVC),
    "LogisticRegression": (
        LogisticRegression(tol=1e-9, max_iter=10**5),
        {
            **LINEAR,
            "solver": ["lbfgs", "newton-cg", "newton-cholesky", "liblinear", "sag", "saga"],
            "l1_ratio": [0, 0.5, 1, None],
            "multi_class": ["ovr", "auto", "multinomial"],
            "n_jobs": [1],
            "warm_start": YES_NO,
        },
    ),
    "Ridge": (Ridge(), RIDGE),
    "RidgeClassifier": (RidgeClassifier(), {**RIDGE, "class_weight": WEIGHTS}),
    "KernelRidge": (
        KernelRidge(kernel="rbf"),
        {
            "alpha": [0.1, -1],
            "kernel": ["linear", "rbf", "polynomial", "laplacian", scalar_product],
            "gamma": [0.3, -1],
            "degree": [2, -1],
            "coef0": [0.5],
            "kernel_params": [None],
        },
    ),
    "DecisionTreeClassifier": (DecisionTreeClassifier(random_state=0), TREE),
    "ExtraTreeClassifier": (ExtraTreeClassifier(random_state=0), TREE),
    "RandomForestClassifier": (RandomForestClassifier(4, random_state=0), FOREST),
    "ExtraTreesClassifier": (ExtraTreesClassifier(4, random_state=0), FOREST),
    "BaggingClassifier": (
        BaggingClassifier(DecisionTreeClassifier(max_depth=2), 4, random_state=0),
        {
            **{name: FOREST[name] for name in ("n_estimators", "bootstrap", "oob_score", "n_jobs", "verbose")},
            "estimator": [None, LogisticRegression()],
            "bootstrap_features": YES_NO,
            "max_features": [0.5],
            "max_samples": [0.5],
            "random_state": SEEDS,
            "warm_start": YES_NO,
        },
    ),
    "HistGradientBoostingClassifier": (HistGradientBoostingClassifier(max_iter=3, random_state=0), HIST),
    "XGBClassifier": ("xgboost", {"n_estimators": 3, "n_jobs": 1}, XGBOOST),
    "LGBMClassifier": (
        "lightgbm",
        {"n_estimators": 3, "n_jobs": 1, "min_child_samples": 3, "verbose": -1, "random_state": 0},
        LIGHTGBM,
    ),
    "CatBoostClassifier": (
        "catboost",
        {"n_estimators": 3, "max_depth": 2, "verbose": 0, "allow_writing_files": False, "thread_count": 1},
        CATBOOST,
    ),
}


@pytest.fixture(params=TABLE)
def learner(request, monkeypatch):
    """An estimator, the values of each parameter to try, and the samples."""
    *given, values = TABLE[request.param]
    if len(given) == 2:
        given = [getattr(pytest.importorskip(given[0]), request.param)(**given[1])]
    if request.param != "sparse LinearSVC":
        return given[0], values, Task(CODE, X, y), new
    return given[0], values, Task(LONGER, csr_array(X), y), csr_array(new)


def outputs(fit):
    """Return outputs, or the error that refuses the parameter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fit()
        except Exception as error:
            return error


def plain(estimator, task, new):
    """Train a copy for each column."""
    found = []
    for column in task.code.T:
        used = np.flatnonzero(column[task.y])
        sides = column[task.y[used]]
        labels = sides.astype(float) if is_regressor(estimator) else (sides > 0).astype(int)
        found.append(margins(clone(estimator).fit(task.X[used], labels), new))
    return np.column_stack(found)


def slack(estimator):
    """Return how much outputs may differ: for machines of opposite columns, which share one, what `tol` allows."""
    return max(1e-4, 10 * estimator.tol) if isinstance(estimator, SVC | NuSVC) else 1e-4


def test_models_are_those_of_plain_fits(learner):
    estimator, values, task, new = learner
    known = set(estimator.get_params(deep=False))
    assert known <= set(values), f"add the parameters {known - set(values)} to the table"
    takes_any = type(estimator).__module__.partition(".")[0] != "sklearn"
    wrong = []
    for name, tried in values.items():
        if name not in known and not takes_any:  # of another version of scikit-learn
            continue
        for value in tried if takes_any else [*tried, INVALID]:
            asked = clone(estimator).set_params(**{name: value})
            expected = outputs(lambda asked=asked: plain(asked, task, new))
            found = outputs(lambda asked=asked: choose_training(asked, task).fit().margins(new))
            refused = [type(each).__name__ for each in (expected, found) if isinstance(each, Exception)]
            if len(refused) == 1:
                wrong.append(f"{name}={value!r}: only one refuses, with {refused[0]}")
            elif not refused and not np.allclose(found, expected, rtol=1e-4, atol=slack(asked)):
                wrong.append(f"{name}={value!r}: outputs differ by up to {np.abs(found - expected).max():.2g}")
    assert not wrong, "\n".join(wrong)
