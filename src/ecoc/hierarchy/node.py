"""How is a node of a relaxed hierarchy trained? Dichotomizer and colouring in turns, from several starts."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor

from ecoc.dichotomies.binary import margins, seeded_clone
from ecoc.dichotomies.parallel import Shared
from ecoc.hierarchy.colouring import Colouring, Indices, Matrix, Vector, colour, first_colourings, objective
from ecoc.utils.scikit import check_method_params
from ecoc.utils.threads import one_blas_thread

_GAIN = 1e-9  # least decrease of the objective per sample that is no rounding
_HUGE = 1e100  # bound of an output, whose sums shall be finite


class NodeData(NamedTuple):
    """What all nodes are trained from."""

    X: Any
    y: Indices  # classes as 0, 1, …
    weight: Vector
    fit_params: dict[str, Any]  # of all samples
    gram: Matrix  # inner products of the class means
    pairwise: bool  # X is a kernel, so that its columns are samples too

    def fit(self, estimator: Any, rows: Indices, signs: Colouring) -> Any:
        """Fit a clone to the samples `rows` with labels −1 and +1."""
        model = clone(estimator)
        target = signs.astype(np.float64 if is_regressor(model) else np.int64)
        return model.fit(self._take(rows, rows), target, **check_method_params(self.X, self.fit_params, rows))

    def outputs(self, model: Any, rows: Indices, trained_on: Indices) -> Vector:
        """Outputs of a fitted model for the samples `rows`."""
        return outputs(model, self._take(rows, trained_on))

    def _take(self, rows: Indices, columns: Indices) -> Any:
        return self.X[np.ix_(rows, columns)] if self.pairwise else self.X[rows]


class NodeSettings(NamedTuple):
    """How a node is trained: parameters of RelaxedHierarchyClassifier, and whether classes may be ignored."""

    rho: float
    balance: int | float | None
    n_folds: int | None
    n_init: int
    max_iter: int
    relaxed: bool

    def bound(self, k: int) -> int:
        """B, for a node of k classes."""
        if self.balance is None:
            return k
        return self.balance if isinstance(self.balance, int | np.integer) else max(1, int(self.balance * k))


class TrainedNode(NamedTuple):
    """A dichotomizer with its colouring."""

    estimator: Any
    colouring: Colouring
    children: tuple[tuple[int, ...], tuple[int, ...]]
    history: tuple[float, ...]
    support: Indices | None
    columns: Indices | None


def train_node(
    estimator: Any, shared: Shared, classes: tuple[int, ...], settings: NodeSettings, seed: int
) -> TrainedNode:
    """Train the node of these classes, from several first colourings; the lowest objective wins."""
    data = NodeData(*shared.values)
    rng = np.random.RandomState(seed)
    estimator = seeded_clone(estimator, rng.randint(np.iinfo(np.int32).max))
    k, place = len(classes), np.full(len(data.gram), -1)
    place[list(classes)] = np.arange(k)
    rows = np.flatnonzero(place[data.y] >= 0)
    y = place[data.y[rows]]
    if k == 2:  # nothing to choose; the second class is the positive one, as everywhere in scikit-learn
        colouring: Colouring = np.array([-1, 1], dtype=np.int8)
        best = _Round(data.fit(estimator, rows, colouring[y]), rows, colouring, ())
    else:
        with one_blas_thread():
            gram = data.gram[np.ix_(classes, classes)]
            starts = first_colourings(gram, settings.bound(k), settings.n_init, rng, settings.relaxed)
        folds = None if settings.n_folds is None else _folds(y, settings.n_folds, rng)
        tried: set[bytes] = set()
        found = [_alternate(estimator, data, rows, y, start, settings, folds, tried) for start in starts]
        best = min(filter(None, found), key=lambda last: round(last.history[-1] / _GAIN))
    support = _support_of(best.model)
    return TrainedNode(
        estimator=best.model,
        colouring=best.colouring,
        children=(
            tuple(c for c, mu in zip(classes, best.colouring) if mu <= 0),
            tuple(c for c, mu in zip(classes, best.colouring) if mu >= 0),
        ),
        history=best.history,
        support=None if support is None else best.trained_on[support],
        columns=best.trained_on if data.pairwise else None,
    )


class _Round(NamedTuple):
    """A model, the samples it was trained on, its best colouring, and the objectives up to here."""

    model: Any
    trained_on: Indices
    colouring: Colouring
    history: tuple[float, ...]


def _alternate(
    estimator: Any,
    data: NodeData,
    rows: Indices,
    y: Indices,
    colouring: Colouring,
    settings: NodeSettings,
    folds: Indices | None,
    tried: set[bytes],
) -> _Round | None:
    """Train and colour in turns while that lowers Σ_k n_k[1{μ_k=+1}(mean ξ⁺ − ρ) + 1{μ_k=−1}(mean ξ⁻ − ρ)] / n.

    A colouring that has been `tried` ends it: what follows is known, be it the fixed point or another start's way.
    """
    k = len(colouring)
    share = data.weight[rows] / data.weight[rows].sum()
    members = csr_array((share, (y, np.arange(len(y)))), shape=(k, len(y)))
    best: _Round | None = None
    history: tuple[float, ...] = ()
    while len(history) < settings.max_iter and colouring.tobytes() not in tried:
        tried.add(colouring.tobytes())
        used = np.flatnonzero(colouring[y])
        signs = colouring[y[used]]
        model = data.fit(estimator, rows[used], signs)
        f = data.outputs(model, rows, rows[used])
        if folds is not None:
            _replace_by_held_out(f, estimator, data, rows, used, signs, folds)
        plus, minus = (members @ (np.maximum(0, 1 - sign * f) - settings.rho) for sign in (1, -1))
        colouring = colour(plus, minus, settings.bound(k), settings.relaxed)
        value = objective(plus, minus, colouring)
        if history and value > history[-1] - _GAIN:
            break
        history = (*history, value)
        best = _Round(model, rows[used], colouring, history)
    return best


def _folds(y: Indices, n_folds: int, rng: np.random.RandomState) -> Indices:
    """Number each sample's fold, such that every class is spread over the folds as evenly as can be."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    rank = np.arange(len(y)) - np.searchsorted(y[order], y[order])
    folds = np.empty_like(y)
    folds[order] = (rank + y[order]) % n_folds
    return folds


def _replace_by_held_out(
    f: Vector, estimator: Any, data: NodeData, rows: Indices, used: Indices, signs: Colouring, folds: Indices
) -> None:
    """Put in outputs of models that were not trained on the sample; a sample that is all of its side keeps its own."""
    for fold in np.unique(folds[used]):
        out = folds[used] == fold
        inside = used[~out]
        weighty = data.weight[rows[inside]] > 0
        if len(np.unique(signs[~out][weighty])) == 2:
            model = data.fit(estimator, rows[inside], signs[~out])
            f[used[out]] = data.outputs(model, rows[used[out]], rows[inside])


def outputs(model: Any, X: Any) -> Vector:
    """Outputs of a dichotomizer, positive for +1, whatever it offers: margins, probabilities or labels."""
    f = margins(model, X)
    if np.isnan(f).any():
        raise ValueError(
            f"{type(model).__name__} gave an output that is not a number, for sample {np.isnan(f).argmax()}."
        )
    return np.clip(f, -_HUGE, _HUGE)


def _support_of(model: Any) -> Indices | None:
    """Which training samples are support vectors of a model, be it inside a search or at a pipeline's end."""
    while not hasattr(model, "support_vectors_"):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps"):
            model = model.steps[-1][1]
        else:
            return None
    support: Indices = np.asarray(model.support_)
    return support
