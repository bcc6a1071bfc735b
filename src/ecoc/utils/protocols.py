"""The methods that the package expects of a learner, which every scikit-learn estimator has."""

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
