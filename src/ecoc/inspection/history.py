"""How did the factorization get there?"""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ecoc.inspection._drawing import MINUS, PLUS, axes, count_ticks
from ecoc.inspection._models import Matrix, unwrapped


@dataclass(repr=False, eq=False)
class HistoryDisplay:
    """The objective ‖l·D − XXᵀ‖² of a factorization as it fell, and what no code can be below.

    Parameters
    ----------
    history : ndarray of shape (n_cycles,)
        The objective after each round; of the paper's method, that of the relaxation, before rounding.
    objective : float
        That of the code.
    lower_bound : float
        No code of this length has a smaller one.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import factorize
    >>> from ecoc.inspection import HistoryDisplay
    >>> HistoryDisplay.from_factorization(factorize(np.eye(4), 3, random_state=0)).objective  # 3 is odd
    12.0
    """

    history: Matrix
    objective: float
    lower_bound: float
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)

    @classmethod
    def from_factorization(cls, factorization: Any, **options: Any) -> Self:
        """Draw the history of a Factorization; `options` are those of `plot`."""
        history = np.asarray(factorization.history, dtype=np.float64)
        return cls(history, float(factorization.objective), float(factorization.lower_bound)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the history of the factorization behind a fitted model's code."""
        factorization = getattr(unwrapped(model)[0], "factorization_", None)
        if factorization is None:
            raise ValueError("this model's code is not factorized; one with coding='ecf' is")
        return cls.from_factorization(factorization, **options)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where; None makes a figure.

        Returns
        -------
        self
        """
        self.ax_ = axes(ax, (5.2, 3.4))
        self.figure_ = self.ax_.figure
        rounds = np.arange(len(self.history))
        marker = "o" if len(rounds) <= 40 else None
        self.ax_.step(rounds, self.history, where="post", color=PLUS, marker=marker, markersize=4, label="so far")
        self.ax_.axhline(self.objective, color="black", linewidth=1, label=f"the code: {self.objective:.4g}")
        self.ax_.axhline(self.lower_bound, color=MINUS, linestyle="--", label=f"lower bound: {self.lower_bound:.4g}")
        positive = self.history[self.history > 0]
        if len(positive) and positive.max() > 100 * max(self.objective, positive.min(), 1e-300):
            self.ax_.set_yscale("log" if min(self.objective, self.lower_bound) > 0 else "symlog")
        self.ax_.set(xlabel="round", ylabel="‖l·D − XXᵀ‖²")
        self.ax_.legend(frameon=False, fontsize=8)
        count_ticks(self.ax_.xaxis)
        return self
