"""What can go wrong, as types a caller can catch."""


class CodeBookError(ValueError):
    """A matrix is not a valid code book; the message names the offending rows or columns."""


class InfeasibleError(ValueError):
    """No code book of this size can keep the distances asked for.

    Attributes
    ----------
    bound : str
        The bound that excludes it, e.g. ``"Plotkin"``, or ``"search"`` when no bound excludes the demand but none
        of the searches within the budget met it.
    nearest_length : int or None
        The nearest number of columns at which the demand is feasible as far as is known; None if there is none.
    """

    def __init__(self, message: str, *, bound: str, nearest_length: int | None = None) -> None:
        super().__init__(message)
        self.bound = bound
        self.nearest_length = nearest_length
