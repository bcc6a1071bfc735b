"""Train a node of a relaxed hierarchy: binary classifier and colouring in turns, from several starts."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor

from ecoc.utils.threads import one_blas_thread
from ecoc_paper._scikit import check_method_params
from ecoc_paper.hierarchy.colouring import Colouring, Indices, Matrix, Vector, colour, first_colourings, objective

_MIN_DECREASE = 1e-9  # a smaller decrease of the objective per sample is rounding
_MAX_OUTPUT = 1e100  # outputs are clipped to this, so that their sums are finite


class NodeData(NamedTuple):
    """The training data of all nodes."""

    X: Any
    y: Indices  # classes as 0, 1, …
    weight: Vector
    fit_params: dict[str, Any]  # parameters of the estimator's fit, for all samples
    gram: Matrix  # inner products of the class means
    pairwise: bool  # whether X is a kernel matrix, whose columns are samples, too

    def fit(self, estimator: Any, rows: Indices, signs: Colouring) -> Any:
        """Fit a clone of the estimator to the samples `rows`; a classifier gets labels 0 and 1, a regressor ±1."""
        targets = signs.astype(np.float64) if is_regressor(estimator) else (signs > 0).astype(np.int64)
        return clone(estimator).fit(
            self._take(rows, rows), targets, **check_method_params(self.X, self.fit_params, rows)
        )

    def outputs(self, model: Any, rows: Indices, trained_on: Indices) -> Vector:
        """Return the outputs of a fitted model for the samples `rows`."""
        return outputs(model, self._take(rows, trained_on))

    def _take(self, rows: Indices, columns: Indices) -> Any:
        return self.X[np.ix_(rows, columns)] if self.pairwise else self.X[rows]


class NodeSettings(NamedTuple):
    """Parameters of RelaxedHierarchyClassifier, and whether classes may be ignored (`relaxed`)."""

    rho: float
    balance: int | float | None
    n_folds: int | None
    n_init: int
    max_iter: int
    relaxed: bool = True

    def bound(self, k: int) -> int:
        """Return B for a node of k classes."""
        if self.balance is None:
            return k
        return self.balance if isinstance(self.balance, int | np.integer) else max(1, int(self.balance * k))


class TrainedNode(NamedTuple):
    """A fitted binary classifier with its colouring."""

    estimator: Any
    colouring: Colouring
    children: tuple[tuple[int, ...], tuple[int, ...]]
    history: tuple[float, ...]
    support: Indices | None
    columns: Indices | None


def train_node(
    estimator: Any, data: NodeData, classes: tuple[int, ...], settings: NodeSettings, seed: int
) -> TrainedNode:
    """Train the node of these classes from several colourings; return the result with the lowest objective."""
    rng = np.random.RandomState(seed)
    estimator = _seeded(estimator, rng.randint(np.iinfo(np.int32).max))
    k, place = len(classes), np.full(len(data.gram), -1)
    place[list(classes)] = np.arange(k)
    rows = np.flatnonzero(place[data.y] >= 0)
    y = place[data.y[rows]]
    if k == 2:  # there is one colouring; the second class is positive, as in scikit-learn
        colouring: Colouring = np.array([-1, 1], dtype=np.int8)
        best = _Round(data.fit(estimator, rows, colouring[y]), rows, colouring, ())
    else:
        with one_blas_thread():
            gram = data.gram[np.ix_(classes, classes)]
            starts = first_colourings(gram, settings.bound(k), settings.n_init, rng, settings.relaxed)
        folds = None if settings.n_folds is None else _folds(y, settings.n_folds, rng)
        tried: set[bytes] = set()
        found = [_alternate(estimator, data, rows, y, start, settings, folds, tried) for start in starts]
        best = min(filter(None, found), key=lambda last: round(last.history[-1] / _MIN_DECREASE))
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


def _seeded(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy; the seed replaces every `random_state` that is None, also those of nested estimators."""
    model = clone(estimator)
    unset = [name for name, value in model.get_params().items() if name.endswith("random_state") and value is None]
    return model.set_params(**dict.fromkeys(unset, seed))


class _Round(NamedTuple):
    """A model, the samples it was trained on, its best colouring, and the objectives so far."""

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
    """Train and colour in turns while the objective falls.

    The objective is Σ_k n_k[1{μ_k=+1}(mean ξ⁺ − ρ) + 1{μ_k=−1}(mean ξ⁻ − ρ)] / n. A colouring in `tried` ends the
    iteration, because the next steps are known: it is a fixed point, or another start came to it.
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
        if history and value > history[-1] - _MIN_DECREASE:
            break
        history = (*history, value)
        best = _Round(model, rows[used], colouring, history)
    return best


def _folds(y: Indices, n_folds: int, rng: np.random.RandomState) -> Indices:
    """Return the number of the fold of each sample, with every class spread evenly over the folds."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    rank = np.arange(len(y)) - np.searchsorted(y[order], y[order])
    folds = np.empty_like(y)
    folds[order] = (rank + y[order]) % n_folds
    return folds


def _replace_by_held_out(
    f: Vector, estimator: Any, data: NodeData, rows: Indices, used: Indices, signs: Colouring, folds: Indices
) -> None:
    """Replace outputs of training samples by cross-validated ones, except where a side would have no samples left."""
    for fold in np.unique(folds[used]):
        out = folds[used] == fold
        inside = used[~out]
        weighty = data.weight[rows[inside]] > 0
        if len(np.unique(signs[~out][weighty])) == 2:
            model = data.fit(estimator, rows[inside], signs[~out])
            f[used[out]] = data.outputs(model, rows[used[out]], rows[inside])


def outputs(model: Any, X: Any) -> Vector:
    """Return the outputs of a binary classifier, positive for +1, from margins, probabilities or labels."""
    if is_regressor(model):
        values = model.predict(X)
    elif hasattr(model, "decision_function"):
        values = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        values = 2.0 * model.predict_proba(X)[:, 1] - 1.0
    else:
        values = np.where(np.asarray(model.predict(X)) > 0, 1.0, -1.0)
    f: Vector = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(f) != X.shape[0]:
        raise ValueError(
            f"The hierarchy needs one output for each sample; {type(model).__name__} gave {np.shape(values)}."
        )
    if np.isnan(f).any():
        raise ValueError(
            f"{type(model).__name__} returned NaN for sample {np.isnan(f).argmax()}; the hierarchy needs numbers."
        )
    return np.clip(f, -_MAX_OUTPUT, _MAX_OUTPUT)


def _support_of(model: Any) -> Indices | None:
    """Return the support vectors of a model, a fitted search or a pipeline; None if it has none."""
    while not hasattr(model, "support_vectors_"):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps"):
            model = model.steps[-1][1]
        else:
            return None
    support: Indices = np.asarray(model.support_)
    return support
