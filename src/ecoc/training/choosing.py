"""Choose how to train the columns, and compute held-out outputs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ecoc.training.base import Array, Dichotomizers, Kind, Options, Task, Trained, Training
from ecoc.training.boosting_lightgbm import LightGBMTraining
from ecoc.training.boosting_others import CatBoostTraining, HistTraining
from ecoc.training.boosting_xgboost import XGBoostTraining
from ecoc.training.forest import ForestTraining
from ecoc.training.kernel import KernelTraining, MachineTraining, is_machine
from ecoc.training.linear import LinearTraining
from ecoc.training.objectives import for_two_classes
from ecoc.training.pairwise import OnNumberedRows, is_pairwise
from ecoc.training.separate import SeparateTraining
from ecoc.training.sparse import SparseLinearTraining
from ecoc.training.together import JointTraining
from ecoc.training.tree import TreeTraining
from ecoc.utils.folds import make_folds

_BOOSTING = (XGBoostTraining, LightGBMTraining, CatBoostTraining, HistTraining)
_SEPARATE = (LinearTraining, SparseLinearTraining, ForestTraining, TreeTraining, *_BOOSTING)


def choose_training(estimator: Any, task: Task, options: Options | None = None) -> Training:
    """Choose how to train: columns share computations if the estimator allows it, else each is trained on its own.

    Parameters
    ----------
    estimator : estimator, or sequence of estimators, one for each column
        Binary classifier, which is trained on 0 and 1, or regressor, which is trained on −1 and +1.
    task : Task
        The code and the samples.
    options : Options, default=None
        Seeds, parallelism, memory.

    Returns
    -------
    Training
        The training; call its `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.training import Task, choose_training
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> one_vs_all = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> from sklearn.svm import SVC
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> problems = Task(one_vs_all, X, y)
    >>> [type(choose_training(model, problems)).__name__ for model in (Ridge(), SVC(), DecisionTreeClassifier())]
    ['JointTraining', 'KernelTraining', 'TreeTraining']
    """
    options = Options() if options is None else options
    if not isinstance(estimator, Sequence):
        estimator = for_two_classes(estimator)
        if JointTraining.suits(estimator, task):
            return JointTraining(estimator, task, options)
        if KernelTraining.suits(estimator, task, options):
            return KernelTraining(estimator, task, options)
        if is_machine(estimator, task):
            return MachineTraining(estimator, task, options)
        for separate in _SEPARATE:
            if separate.suits(estimator, task):
                return separate(estimator, task, options)
    return SeparateTraining(estimator, task, options)


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
) -> Trained:
    """Train a binary classifier for every column, and compute the outputs that a decoding learns from.

    Parameters
    ----------
    estimator : estimator, or sequence of estimators, one for each column
        Binary classifier, which is trained on 0 and 1, or regressor, which is trained on −1 and +1.
    task : Task
        The code and the samples.
    options : Options
        Seeds, parallelism, memory.
    kind : {"signs", "margins", "probabilities"}, default="margins"
        Which outputs.
    seen, held_out : bool, default=False
        Whether to compute outputs of the trained models, and held-out outputs.
    cv : "auto", int, splitter or list of pairs, default=3
        Folds of held-out outputs. ``"auto"`` chooses the cheapest way that is as good as folds: out-of-bag outputs for
        forests, the part that stops boosting, and folds for all others; folds of linear models start from the model of
        all samples. Then `Trained.rows` tells which samples have held-out outputs.
    random_state : int, default=None
        Seed of the folds.

    Returns
    -------
    Trained
        The models and the outputs.
    """
    if isinstance(estimator, Sequence):
        estimator = [OnNumberedRows(each) if is_pairwise(each) else each for each in estimator]
    elif is_pairwise(estimator):
        estimator = OnNumberedRows(estimator)
    training = choose_training(estimator, task, options)
    if held_out and isinstance(cv, str):
        trained = training.fit_held_out(kind, random_state)
    elif held_out:
        outputs = out_of_fold_outputs(training, kind, cv, random_state)
        trained = Trained(training.fit(), None, outputs)
    else:
        return training.fit_seen(kind) if seen else Trained(training.fit(), None, None)
    return trained._replace(seen=trained.models.outputs(task.X, kind)) if seen else trained


def fit_dichotomizers(estimator: Any, task: Task, options: Options | None = None) -> Dichotomizers:
    """Train a binary classifier for every column of a code.

    Parameters
    ----------
    estimator : estimator, or sequence of estimators, one for each column
        Binary classifier, which is trained on 0 and 1, or regressor, which is trained on −1 and +1.
    task : Task
        The code and the samples.
    options : Options, default=None
        Seeds, parallelism, memory.

    Returns
    -------
    Dichotomizers
        A trained model for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.training import Task, fit_dichotomizers
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> one_vs_all = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> fit_dichotomizers(Ridge(), Task(one_vs_all, X, y)).outputs(X[:1], "margins").round(1)
    array([[ 1. , -0.7, -1.2]])
    """
    return choose_training(estimator, task, options).fit()


def out_of_fold_outputs(training: Training, kind: Kind, cv: Any = 3, random_state: int | None = None) -> Array:
    """Compute outputs for every sample by binary classifiers that were trained without this sample.

    If a fold holds out all samples of a class, its models do not know this class.

    Parameters
    ----------
    training : Training
        How to train, and on what.
    kind : {"signs", "margins", "probabilities"}
        Which outputs.
    cv : int, splitter or list of pairs, default=3
        A number of stratified folds, a splitter, or pairs of training and test rows.
    random_state : int, default=None
        Seed of the folds.

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
        The outputs.

    Raises
    ------
    ValueError
        If a sample is in no test fold.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.training import Task, choose_training, out_of_fold_outputs
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> one_vs_all = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> training = choose_training(Ridge(), Task(one_vs_all, X, y))
    >>> held_out, seen = out_of_fold_outputs(training, "margins"), training.fit().margins(X)
    >>> sides = one_vs_all[y]
    >>> bool((held_out * sides).mean() < (seen * sides).mean())  # training samples look too good
    True
    """
    folds = make_folds(cv, training.task.y, random_state)
    if len(np.unique(np.concatenate([test for _, test in folds]))) < len(training.task.y):
        raise ValueError("cv must put every sample into a test fold; use KFold, StratifiedKFold or GroupKFold.")
    return training.out_of_fold(folds, kind)
