"""Choose how to train the columns, and compute the outputs that a decoding learns from.

`PATHS` is the table of ways to train. A fast way lists the estimators and the parameter values that it supports; every
other estimator is trained in the plain way, and so is one with a parameter that a later version adds.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc.training.binary import for_two_classes, is_pairwise
from ecoc.training.boosters import (
    LIGHTGBM_STOPPING,
    CatBoostTraining,
    HistTraining,
    LightGBMTraining,
)
from ecoc.training.interfaces import Array, Dichotomizers, Kind, Options, Task, Trained, Training, is_numeric
from ecoc.training.kernel import KernelTraining, MachineTraining
from ecoc.training.linear import LinearTraining
from ecoc.training.pairwise import OnNumberedRows
from ecoc.training.plain import PlainTraining
from ecoc.training.separate import SeparateTraining
from ecoc.training.sparse import SparseLinearTraining
from ecoc.training.together import JointTraining
from ecoc.training.trees import ForestTraining, TreeTraining
from ecoc.training.xgboosting import MultiLabelTraining, XGBoostTraining, can_join
from ecoc.utils.estimators import last_step
from ecoc.utils.folds import make_folds
from ecoc.utils.scikit import get_tags

Values = Callable[[Any], bool]

# Features up to which Newton's method trains the columns: 3 times as fast as scikit-learn's solvers with 16 to 101
# features (logistic regression and LinearSVC on pendigits, letter, traffic36), 3 and 12 times with 120 (orl40).
_MOST_FEATURES = 256
_LEAST_COLUMNS = 8  # of sparse samples; with fewer, there is nothing to share
_SHARE_OF_FREE = 0.25  # of the free memory that a Gram matrix may take by default
# Training that is asked to stop earlier than usual ends at a point that depends on the solver: LIBLINEAR must do it.
_USUAL_TOL, _USUAL_MAX_ITER = 1e-4, 1000


def one_of(*values: Any) -> Values:
    """Accept these values only."""
    return lambda value: isinstance(value, str | int | float | None) and value in values


def finite(value: Any) -> bool:
    """Accept a finite number, valid or not."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


def honoured(names: str) -> dict[str, Values]:
    """Accept every value of the named parameters, which are honoured or have no effect on two classes."""
    return dict.fromkeys(names.split(), lambda value: True)


_OF_SVC: dict[str, Values] = {
    "kernel": lambda kernel: callable(kernel) or one_of("linear", "poly", "rbf", "sigmoid")(kernel),
    "probability": one_of(False, "deprecated"),
    "verbose": one_of(False),
    **honoured("C nu gamma degree coef0 class_weight shrinking tol max_iter"),
    **honoured("cache_size random_state decision_function_shape break_ties"),
}
_OF_LINEAR_SVC: dict[str, Values] = {
    "C": finite,
    "penalty": one_of("l2"),
    "loss": one_of("squared_hinge"),
    "multi_class": one_of("ovr"),
    "class_weight": one_of(None),
    "verbose": one_of(0),
    "dual": one_of(True, False, "auto"),
    "tol": lambda tol: finite(tol) and tol <= _USUAL_TOL,
    "max_iter": lambda limit: finite(limit) and limit >= _USUAL_MAX_ITER,
    **honoured("fit_intercept intercept_scaling random_state"),
}
_BY_NEWTON: dict[type, dict[str, Values]] = {
    LogisticRegression: {
        "C": finite,
        "penalty": one_of("l2", "deprecated"),
        "l1_ratio": one_of(None, 0),
        "solver": one_of("lbfgs", "newton-cg", "newton-cholesky", "liblinear"),  # those without random order
        "tol": _OF_LINEAR_SVC["tol"],  # Newton's method finds the minimum itself, which fulfils smaller tolerances, too
        "multi_class": one_of("deprecated"),
        "class_weight": one_of(None),
        "dual": one_of(False),
        "verbose": one_of(0),
        **honoured("max_iter fit_intercept intercept_scaling random_state n_jobs warm_start"),
    },
    LinearSVC: {**_OF_LINEAR_SVC, **honoured("max_iter")},
}
_OF_XGBOOST: dict[str, Values] = {
    "tree_method": one_of(None, "auto", "hist"),
    "booster": one_of(None, "gbtree"),
    "device": one_of(None, "cpu"),
    "objective": one_of("binary:logistic"),
    "eval_metric": lambda metric: metric is None or all(isinstance(m, str) for m in np.atleast_1d(metric)),
    **dict.fromkeys(("callbacks", "feature_weights", "multi_strategy", "sampling_method"), one_of(None)),
    **honoured("base_score colsample_bylevel colsample_bynode colsample_bytree early_stopping_rounds"),
    **honoured("enable_categorical feature_types gamma grow_policy importance_type interaction_constraints"),
    **honoured("learning_rate max_bin max_cat_threshold max_cat_to_onehot max_delta_step max_depth max_leaves"),
    **honoured("min_child_weight missing monotone_constraints n_estimators n_jobs num_parallel_tree random_state"),
    **honoured("reg_alpha reg_lambda scale_pos_weight subsample validate_parameters verbosity"),
}
# Samples or features that are drawn at random would be other ones than in separate training.
_AS_ONE_XGBOOST: dict[str, Values] = {
    **_OF_XGBOOST,
    **dict.fromkeys(("subsample", "colsample_bylevel", "colsample_bynode", "colsample_bytree"), one_of(None, 1)),
}
_OF_LIGHTGBM: dict[str, Values] = {
    "objective": one_of(None, "binary"),
    "class_weight": one_of(None),
    **honoured("boosting_type colsample_bytree importance_type learning_rate max_depth min_child_samples"),
    **honoured("min_child_weight min_split_gain n_estimators n_jobs num_leaves random_state reg_alpha reg_lambda"),
    **honoured("subsample subsample_for_bin subsample_freq"),
    # Further parameters of LightGBM, which the classifier takes, too:
    **honoured("bagging_fraction bagging_freq deterministic extra_trees feature_fraction force_col_wise"),
    **honoured("force_row_wise is_unbalance lambda_l1 lambda_l2 max_bin max_delta_step metric min_data_in_leaf"),
    **honoured("path_smooth scale_pos_weight verbose verbosity early_stopping_min_delta"),
    **honoured(" ".join(LIGHTGBM_STOPPING)),
}


def supports(parameters: Mapping[str, Values], estimator: Any) -> bool:
    """Tell whether every parameter of the estimator is listed, with a supported value."""
    given = estimator.get_params(deep=False)
    return all(name in parameters and parameters[name](value) for name, value in given.items())


def takes_all_columns(estimator: Any, task: Task, _: Options) -> bool:
    """Tell whether one call can train all columns: a regressor with several targets, and no class left out."""
    if type(estimator) is RidgeClassifier:
        joint = estimator.class_weight is None
    else:
        joint = is_regressor(estimator) and get_tags(estimator).target_tags.multi_output
    return joint and bool(np.all(task.code))


def is_machine(estimator: Any, task: Task, _: Options) -> bool:
    """Tell whether support vectors, coefficients and an intercept describe the trained estimator."""
    return (
        type(estimator) in (SVC, NuSVC)
        and supports(_OF_SVC, estimator)
        and is_numeric(task.X)
        and not (callable(estimator.kernel) and issparse(task.X))
    )


def shares_gram_matrix(estimator: Any, task: Task, options: Options) -> bool:
    """Tell whether one Gram matrix serves all columns, saves kernel values, and fits into memory."""
    if not is_machine(estimator, task, options):
        return False
    used = np.array([np.count_nonzero(task.sides(j)) for j in range(task.code.shape[1])], dtype=np.float64)
    of_its_own = estimator.gamma == "scale" and estimator.kernel != "linear" and not np.all(task.code)
    if task.code.shape[1] == 1 or of_its_own or (used**2).sum() < len(task.y) ** 2:
        return False
    needed, allowed = 8.0 * len(task.y) ** 2, options.kernel_memory
    if allowed is None:
        allowed = free_memory() * _SHARE_OF_FREE
    if needed > allowed and options.verbose > 1:
        print(
            f"The Gram matrix takes {needed / 2**20:,.0f} MB, more than the {allowed / 2**20:,.0f} MB of "
            "kernel_memory; every binary classifier computes its own kernel."
        )
    return needed <= allowed


def free_memory() -> float:
    """Return the bytes of free memory; 2 GB if the system does not say."""
    try:
        with open("/proc/meminfo") as info:
            fields = dict(line.split(":", 1) for line in info)
        return 1024.0 * float(fields["MemAvailable"].split()[0])
    except (OSError, KeyError):
        return 2.0**31


def has_smooth_loss(estimator: Any, task: Task, _: Options) -> bool:
    """Tell whether Newton's method finds the model: squared penalty, smooth loss, equal classes, few features."""
    return (
        type(estimator) in _BY_NEWTON
        and supports(_BY_NEWTON[type(estimator)], estimator)
        and is_numeric(task.X)
        and not issparse(task.X)
        and task.X.shape[1] <= _MOST_FEATURES
        and not task.params
    )


def is_linear_on_sparse(estimator: Any, task: Task, _: Options) -> bool:
    """Tell whether one pass trains all columns: squared penalty and squared hinge loss, and no weights of classes."""
    return (
        type(estimator) is LinearSVC
        and supports(_OF_LINEAR_SVC, estimator)
        and issparse(task.X)
        and not task.params
        and task.code.shape[1] >= _LEAST_COLUMNS
    )


def has_bags(estimator: Any, task: Task, _: Options) -> bool:
    """Tell whether the members see only a part of the samples each, and have probabilities."""
    return (
        type(estimator) in (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)
        and bool(estimator.bootstrap)
        and (getattr(estimator, "estimator", None) is None or hasattr(estimator.estimator, "predict_proba"))
        and is_numeric(task.X)
    )


def is_tree(estimator: Any, _: Task, __: Options) -> bool:
    """Tell whether the estimator is a single tree, or a pipeline that ends in one."""
    return isinstance(last_step(estimator), DecisionTreeClassifier)


def booster(package: str, name: str, understands: Values) -> Callable[[Any, Task, Options], bool]:
    """Accept a library's classifier with a supported loss, on columns that all see the same samples."""

    def suits(estimator: Any, task: Task, _: Options) -> bool:
        kind = type(estimator)
        same_samples = not task.params and bool(np.all(task.code))
        return (kind.__module__.partition(".")[0], kind.__name__) == (package, name) and (
            same_samples and understands(estimator)
        )

    return suits


def _has_log_loss(catboost: Any) -> bool:
    return {catboost.get_params().get(name) for name in ("loss_function", "objective")} <= {None, "Logloss"}


class Path(NamedTuple):
    """A way to train all columns: its name for users, the class that does it, and what it takes."""

    name: str
    training: type[Training]
    suits: Callable[[Any, Task, Options], bool]


PLAIN = Path("one multi-class model", PlainTraining, lambda _, __, options: options.plain)
SEPARATELY = Path("each column on its own", SeparateTraining, lambda *_: True)
PATHS = (  # the first that suits is taken
    PLAIN,
    Path("all columns in one call", JointTraining, takes_all_columns),
    Path("on one Gram matrix", KernelTraining, shares_gram_matrix),
    Path("each column on its own, with common support vectors", MachineTraining, is_machine),
    Path("by Newton's method", LinearTraining, has_smooth_loss),
    Path("all columns in one pass over sparse samples", SparseLinearTraining, is_linear_on_sparse),
    Path("each column on its own, with out-of-bag outputs", ForestTraining, has_bags),
    Path("each column on its own, as trees", TreeTraining, is_tree),
    Path(
        "all columns as one multi-label model",
        MultiLabelTraining,
        booster(
            "xgboost", "XGBClassifier", lambda estimator: supports(_AS_ONE_XGBOOST, estimator) and can_join(estimator)
        ),
    ),
    Path(
        "on features that are binned once",
        XGBoostTraining,
        booster("xgboost", "XGBClassifier", lambda estimator: supports(_OF_XGBOOST, estimator)),
    ),
    Path(
        "on features that are binned once",
        LightGBMTraining,
        booster("lightgbm", "LGBMClassifier", lambda estimator: supports(_OF_LIGHTGBM, estimator)),
    ),
    Path("each column on its own", CatBoostTraining, booster("catboost", "CatBoostClassifier", _has_log_loss)),
    Path("each column on its own", HistTraining, booster("sklearn", "HistGradientBoostingClassifier", lambda _: True)),
    SEPARATELY,
)


def choose_path(estimator: Any, task: Task, options: Options) -> Path:
    """Return the first row of `PATHS` that takes the estimator and the task; lists are trained one by one."""
    if options.plain or isinstance(estimator, Sequence):
        return PLAIN if options.plain else SEPARATELY
    estimator = for_two_classes(estimator)
    return next(path for path in PATHS if path.suits(estimator, task, options))


def choose_training(estimator: Any, task: Task, options: Options | None = None) -> Training:
    """Choose how to train: columns share computations if the estimator allows it, else each is trained on its own."""
    options = Options() if options is None else options
    path = choose_path(estimator, task, options)
    return path.training(estimator if path in (PLAIN, SEPARATELY) else for_two_classes(estimator), task, options)


def train(
    estimator: Any,
    task: Task,
    options: Options,
    kind: Kind = "margins",
    *,
    seen: bool = False,
    held_out: bool = False,
    cv: Any = 3,
    random_state: int | None = None,
    models: Dichotomizers | None = None,
) -> Trained:
    """Train a binary classifier for every column, and compute the outputs that a decoding learns from.

    `seen` and `held_out` say whether to compute outputs of the trained models, and held-out outputs. ``cv="auto"``
    computes the latter as ``options.held_out`` says; then `Trained.rows` tells which samples have them.
    `models` were trained before: held-out outputs only calibrate them.
    """
    training = choose_training(on_numbered_rows(estimator), task, options)
    if not held_out:
        trained = training.fit_seen(kind) if seen else Trained(training.fit(), None, None)
    elif not isinstance(cv, str):
        outputs = out_of_fold_outputs(training, kind, cv, random_state)
        trained = Trained(training.fit() if models is None else models, None, outputs)
    elif models is not None:
        trained = training.calibrating(models, kind, random_state)
    else:
        trained = training.fit_held_out(kind, random_state)
    if seen and trained.seen is None:
        trained = trained._replace(seen=trained.models.outputs(task.X, kind))
    name = next(path.name for path in PATHS if path.training is type(training))
    return trained._replace(path=name + training.remark, estimator=training.estimator if training.remark else None)


def on_numbered_rows(estimator: Any) -> Any:
    """Return estimators that take a matrix between samples as estimators of numbered rows, and others as they are."""
    if isinstance(estimator, Sequence):
        return [on_numbered_rows(each) for each in estimator]
    return OnNumberedRows(estimator) if is_pairwise(estimator) else estimator


def out_of_fold_outputs(training: Training, kind: Kind, cv: Any = 3, random_state: int | None = None) -> Array:
    """Compute outputs for every sample by binary classifiers that were trained without this sample.

    If a fold holds out all samples of a class, its models do not know this class.
    """
    folds = make_folds(cv, training.task.y, random_state)
    if len(np.unique(np.concatenate([test for _, test in folds]))) < len(training.task.y):
        raise ValueError("cv must put every sample into a test fold; use KFold, StratifiedKFold or GroupKFold.")
    return training.out_of_fold(folds, kind)
