"""Which model is inside? The fitted estimator at the end of pipelines and searches, and the samples it receives."""

from typing import Any


def unwrap(model: Any, X: Any = None, *, expected: type | None = None) -> tuple[Any, Any]:
    """Return the fitted model at the end of pipelines and searches, and X as that model receives it.

    With `expected`, a model of another class is a TypeError.
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import check_is_fitted

    inner = model
    while True:
        if hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        elif isinstance(inner, Pipeline):
            X = X if X is None or len(inner.steps) == 1 else inner[:-1].transform(X)
            inner = inner.steps[-1][1]
        else:
            break
    if expected is not None and not isinstance(inner, expected):
        got = type(model).__name__ + (f" ending in {type(inner).__name__}" if inner is not model else "")
        raise TypeError(
            f"expected a fitted {expected.__name__}, or a fitted pipeline or search that ends in one; got {got}"
        )
    check_is_fitted(inner)
    return inner, X
