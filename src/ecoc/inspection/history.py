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

    See Also
    --------
    ecoc.Factorization : What is drawn.
    ecoc.inspection.DesignDisplay : How near the code is in the end.

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
        """Draw the history of a factorization.

        Parameters
        ----------
        factorization : Factorization
            Of either method.
        **options : dict
            Those of `plot`.

        Returns
        -------
        HistoryDisplay
            The display, drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import factorize
        >>> from ecoc.inspection import HistoryDisplay
        >>> result = factorize(np.eye(8), 6, method="paper", random_state=0)
        >>> display = HistoryDisplay.from_factorization(result)
        >>> bool(display.history[0] > display.history[-1])  # it falls
        True
        """
        history = np.asarray(factorization.history, dtype=np.float64)
        return cls(history, float(factorization.objective), float(factorization.lower_bound)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the history of the factorization behind a fitted model's code.

        Parameters
        ----------
        model : ECOCClassifier, or Pipeline that ends in one
            Fitted; its code is factorized, as that of ``ECF`` is.
        **options : dict
            Those of `plot`.

        Returns
        -------
        HistoryDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the model's code is not factorized.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from ecoc.inspection import HistoryDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ecf", random_state=0).fit(X, y)
        >>> HistoryDisplay.from_estimator(model).objective == model.factorization_.objective
        True
        """
        factorization = getattr(unwrapped(model)[0], "factorization_", None)
        if factorization is None:
            raise ValueError("this model's code is not factorized; one with coding='ecf' is")
        return cls.from_factorization(factorization, **options)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve, the code's objective and the lower bound.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where; None makes a figure.

        Returns
        -------
        self
            The display, drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc.inspection import HistoryDisplay
        >>> from matplotlib.figure import Figure
        >>> display = HistoryDisplay(np.array([30.0, 14.0, 12.0]), objective=12.0, lower_bound=10.0)
        >>> [line.get_label() for line in display.plot(Figure().subplots()).ax_.lines]
        ['so far', 'the code: 12', 'lower bound: 10']
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
