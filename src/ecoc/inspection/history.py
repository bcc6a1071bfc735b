"""Plot how the factorization approached its design: the objective after each round."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ecoc.inspection.drawing import MINUS, PLUS, count_ticks, marker, new_axes
from ecoc.inspection.fitted import Matrix
from ecoc.utils.estimators import unwrap


@dataclass(repr=False, eq=False)
class HistoryDisplay:
    """Objective ‖l·D − XXᵀ‖² of a factorization after each round, and a lower bound of it.

    Parameters
    ----------
    history : ndarray of shape (n_cycles,)
        The objective after each round. For the paper's method it is that of the relaxation, before rounding.
    objective : float
        The objective of the code.
    lower_bound : float
        No code of this length has a smaller objective.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.

    See Also
    --------
    ecoc.Factorization : The result that is drawn.
    ecoc.inspection.DesignDisplay : The design matrix beside the code.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import factorize
    >>> from ecoc.inspection import HistoryDisplay
    >>> display = HistoryDisplay.from_factorization(factorize(np.eye(4), 3, random_state=0))
    >>> display.objective  # not 0, for two codewords of three columns cannot be orthogonal
    12.0
    """

    history: Matrix
    objective: float
    lower_bound: float
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)

    @classmethod
    def from_factorization(cls, factorization: Any, **options: Any) -> Self:
        """Draw the history of a factorization.

        Parameters
        ----------
        factorization : Factorization
            A factorization of either method.
        **options : dict
            Options of `plot`.

        Returns
        -------
        HistoryDisplay
            The display, with its picture.
        """
        history = np.asarray(factorization.history, dtype=np.float64)
        return cls(history, float(factorization.objective), float(factorization.lower_bound)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the history of the factorization behind a fitted model's code.

        Parameters
        ----------
        model : ECOCClassifier, or a Pipeline or search that ends in one
            A fitted model whose code comes from a factorization, such as one with ``coding="ecf"``.
        **options : dict
            Options of `plot`.

        Returns
        -------
        HistoryDisplay
            The display, with its picture.

        Raises
        ------
        ValueError
            If the model's code does not come from a factorization.
        """
        factorization = getattr(unwrap(model)[0], "factorization_", None)
        if factorization is None:
            raise ValueError("this model's code does not come from a factorization; a model with coding='ecf' has one")
        return cls.from_factorization(factorization, **options)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve, the code's objective and the lower bound.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.

        Returns
        -------
        self
            The display, with its picture.
        """
        self.ax_ = new_axes(ax, (5.2, 3.4))
        self.figure_ = self.ax_.figure
        rounds = np.arange(len(self.history))
        style = {"color": PLUS, "marker": marker(len(rounds)), "markersize": 4}
        self.ax_.step(rounds, self.history, where="post", label="after each round", **style)
        self.ax_.axhline(self.objective, color="black", linewidth=1, label=f"code: {self.objective:.4g}")
        self.ax_.axhline(self.lower_bound, color=MINUS, linestyle="--", label=f"lower bound: {self.lower_bound:.4g}")
        positive = self.history[self.history > 0]
        if len(positive) and positive.max() > 100 * max(self.objective, positive.min(), 1e-300):
            self.ax_.set_yscale("log" if min(self.objective, self.lower_bound) > 0 else "symlog")
        self.ax_.set(xlabel="round", ylabel="‖l·D − XXᵀ‖²")
        self.ax_.legend(frameon=False, fontsize=8)
        count_ticks(self.ax_.xaxis)
        return self
