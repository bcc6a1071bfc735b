"""The protocol of learners, the estimator at the end of pipelines and searches, and estimators as Python code."""

from inspect import signature
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Estimator(Protocol):
    """A learner: it is fitted to X and y, and its parameters can be read and set."""

    def fit(self, X: Any, y: Any, /, **params: Any) -> Any:
        """Learn from samples."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters."""

    def set_params(self, **params: Any) -> Any:
        """Set parameters."""


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, fitted or not; any other estimator itself."""
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    return estimator


def expression(value: Any) -> str:
    """Return Python code of an estimator with the parameters that differ from their defaults.

    The repr of XGBoost has all of them, and that of scikit-learn is cut where it is long.
    """
    if isinstance(value, list | tuple):
        inside = ", ".join(map(expression, value)) + "," * (type(value) is tuple and len(value) == 1)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if not isinstance(value, Estimator) or isinstance(value, type):
        return repr(value)
    defaults: dict[str, str] = {}  # XGBoost leaves most parameters to its base class
    for base in type(value).__mro__[:-1]:
        for name, parameter in signature(base.__init__).parameters.items():  # type: ignore[misc]
            defaults.setdefault(name, repr(parameter.default))
    given = value.get_params(deep=False)
    changed = {
        name: given[name]
        for name in sorted(given, key=[*defaults, *given].index)
        if repr(given[name]) not in (defaults.get(name), "nan")
    }
    return f"{type(value).__name__}({', '.join(f'{name}={expression(one)}' for name, one in changed.items())})"


def innermost(model: Any, X: Any = None) -> tuple[Any, Any]:
    """Return the fitted model at the end of pipelines and searches, and X as that model receives it."""
    from sklearn.pipeline import Pipeline

    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline):
            X = X if X is None or len(model.steps) == 1 else model[:-1].transform(X)
            model = model.steps[-1][1]
        else:
            return model, X


def unwrap(model: Any, X: Any = None, *, expected: type | None = None) -> tuple[Any, Any]:
    """Return the same as :func:`innermost`, and check that this model is fitted.

    With `expected`, a model of another class is a TypeError.
    """
    from sklearn.utils.validation import check_is_fitted

    inner, X = innermost(model, X)
    if expected is not None and not isinstance(inner, expected):
        got = type(model).__name__ + (f" ending in {type(inner).__name__}" if inner is not model else "")
        raise TypeError(
            f"expected a fitted {expected.__name__}, or a fitted pipeline or search that ends in one; got {got}"
        )
    check_is_fitted(inner)
    return inner, X
