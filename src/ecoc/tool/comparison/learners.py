"""Make a learner from a name such as ``svc:C=10``."""

from collections.abc import Mapping
from inspect import signature
from types import MappingProxyType
from typing import Any

from ecoc.utils.messages import unknown_name
from ecoc.utils.optional import optional
from ecoc.utils.scikit import check_parameters

LEARNERS: Mapping[str, tuple[str, str, dict[str, Any]]] = MappingProxyType(
    {
        "svc": ("sklearn.svm", "SVC", {}),
        "linear_svc": ("sklearn.svm", "LinearSVC", {}),
        "logistic": ("sklearn.linear_model", "LogisticRegression", {"max_iter": 1000}),
        "ridge": ("sklearn.linear_model", "RidgeClassifier", {}),
        "knn": ("sklearn.neighbors", "KNeighborsClassifier", {"algorithm": "brute"}),
        "tree": ("sklearn.tree", "DecisionTreeClassifier", {}),
        "forest": ("sklearn.ensemble", "RandomForestClassifier", {}),
        "boosting": ("sklearn.ensemble", "HistGradientBoostingClassifier", {}),
        "xgboost": ("xgboost", "XGBClassifier", {"n_jobs": 1}),
        "lightgbm": ("lightgbm", "LGBMClassifier", {"n_jobs": 1, "verbose": -1}),
        "catboost": ("catboost", "CatBoostClassifier", {"thread_count": 1, "verbose": 0, "allow_writing_files": False}),
    }
)


def make_learner(text: str) -> Any:
    """Make the learner of a name, or of a name with parameters.

    Parameters
    ----------
    text : str
        A key of `LEARNERS`; after a colon, parameters with commas between them.

    Returns
    -------
    estimator
        Unfitted.

    Raises
    ------
    ValueError
        If there is no such learner or parameter, or the value is not possible.
    ImportError
        If the package of the learner is not installed.

    Examples
    --------
    >>> from ecoc.tool.comparison import make_learner
    >>> make_learner("svc:C=10,gamma=0.1")
    SVC(C=10, gamma=0.1)
    """
    name, _, rest = text.partition(":")
    if name not in LEARNERS:
        raise ValueError(unknown_name("learner", name, LEARNERS))
    module, kind, parameters = LEARNERS[name]
    package = optional(module, f"learner {name!r} needs the package {module}", "'ecoc[boosting]'")
    return with_settings(getattr(package, kind)(**parameters), rest, f"learner {name!r}")


def with_settings(estimator: Any, text: str, what: str) -> Any:
    """Set parameters that are written as ``C=10,gamma=0.1``; errors call the estimator `what`."""
    names = {**estimator.get_params(), **signature(type(estimator)).parameters}  # CatBoost gets only what is set
    for setting in filter(None, text.split(",")):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or key not in names:
            known = ", ".join(names)
            raise ValueError(f"{what} has no parameter {setting!r}; write e.g. svc:C=10, with one of {known}.")
        estimator.set_params(**{key: parse_value(value)})
    if hasattr(estimator, "_parameter_constraints"):  # boosters of other packages check theirs in fit
        check_parameters(estimator)
    return estimator


def parse_value(text: str) -> Any:
    """Return a number, true, false or none if the text reads like one, else the text."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
