"""Binary classifiers for all columns of a code: how they are trained, and what their outputs are."""

from ecoc.training.base import Dichotomizers, Options, Task, Trained, Training
from ecoc.training.cache import TrainingCache
from ecoc.training.choosing import choose_training, fit_dichotomizers, out_of_fold_outputs, train

__all__ = [
    "Dichotomizers",
    "Options",
    "Task",
    "Trained",
    "Training",
    "TrainingCache",
    "choose_training",
    "fit_dichotomizers",
    "out_of_fold_outputs",
    "train",
]
