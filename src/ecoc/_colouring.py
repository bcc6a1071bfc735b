"""Which classes of a node go left, which right, and which both ways? Colouring and training of a relaxed hierarchy."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import clone, is_regressor
from sklearn.utils.validation import _check_method_params

from ecoc._threads import one_blas_thread

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Colouring = NDArray[np.int8]
Indices = NDArray[np.intp]

_PLUS, _MINUS = 1, 2  # bits of the signs that are present
_LLOYD = 20  # rounds of 2-means; a handful of them is usual
_GAIN = 1e-9  # least decrease of the objective per sample that is no rounding
_HUGE = 1e100  # bound of an output, whose sums shall be finite
_NARROW = 0.01  # least variance of a feature within the classes, relative to its total one
_BLOCK_ENTRIES = 2**22  # entries of X centred at once: 32 MB


def colour(plus: Vector, minus: Vector, bound: int, relaxed: bool = True) -> Colouring:
    """Minimise Σ plus_k over μ_k = +1 and minus_k over μ_k = −1, μ ∈ {−1,0,1}, |Σμ| ≤ bound, both signs present.

    The costs are finite, and there are two classes or more. If not `relaxed`, no class is left at 0; the sum is
    odd then if the number of classes is, and a bound of 0 is read as 1.
    """
    k = len(plus)
    if not relaxed:
        bound = max(bound, k % 2)
    # The best colour of every class for itself is the optimum unless it breaks a constraint.
    colouring = np.where(minus <= plus, -1, 1).astype(np.int8)
    if relaxed:
        colouring[np.minimum(minus, plus) > 0] = 0
    if abs(colouring.sum(dtype=int)) <= bound and colouring.min() < 0 < colouring.max():
        return colouring
    return _dynamic_programme(plus, minus, min(bound, k), relaxed)


def _dynamic_programme(plus: Vector, minus: Vector, bound: int, relaxed: bool) -> Colouring:
    """Best cost of the classes so far by (signs present, Σμ), class after class, and the way back."""
    k = len(plus)
    reach = (k + bound) // 2  # from a sum beyond it the remaining classes cannot lead back to the bound
    middle, inner = reach + 1, slice(1, 2 * reach + 2)  # a cell of +∞ on either side
    cost = np.full((4, 2 * reach + 3), np.inf)
    cost[0, middle] = 0
    way = np.empty((k, *cost.shape), dtype=np.int8)  # 4·(μ + 1) + signs present before
    for i in range(k):
        best = cost.copy() if relaxed else np.full_like(cost, np.inf)
        way[i] = 4 + np.arange(4)[:, None]
        for mu, sign, price in ((-1, _MINUS, minus[i]), (1, _PLUS, plus[i])):
            for before in range(4):
                offer = cost[before, inner.start - mu : inner.stop - mu] + price
                after = before | sign
                # On a tie a coloured class, for it leaves the smaller children; and −1 before +1.
                better = offer <= best[after, inner] if mu < 0 else offer < best[after, inner]
                best[after, inner][better] = offer[better]
                way[i, after, inner][better] = 4 * (mu + 1) + before
        cost = best
    signs = _PLUS | _MINUS
    position = middle - bound + int(cost[signs, middle - bound : middle + bound + 1].argmin())
    colouring = np.empty(k, dtype=np.int8)
    for i in reversed(range(k)):
        step, signs = divmod(int(way[i, signs, position]), 4)
        colouring[i] = step - 1
        position -= step - 1
    return colouring


def objective(plus: Vector, minus: Vector, colouring: Colouring) -> float:
    """The cost that `colour` minimises."""
    return float(plus[colouring > 0].sum() + minus[colouring < 0].sum())


def first_colourings(
    gram: Matrix, bound: int, n: int, rng: np.random.RandomState, relaxed: bool = True
) -> list[Colouring]:
    """Up to `n` different colourings to start from: 2-means of the classes, whose inner products are `gram`.

    The first starts from the sides of the leading principal direction, the others from two classes drawn. In
    each, the first class that has a colour is negative. None leaves a class out, unless a bound of 0 has to.
    """
    relaxed = relaxed and bound < len(gram) % 2
    centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    found: list[Colouring] = []
    for start in range(n):
        if start == 0:
            preference = np.linalg.eigh(centred)[1][:, -1]
        else:
            a, b = rng.choice(len(gram), 2, replace=False)
            preference = _nearer(centred, np.array([a]), np.array([b]))
        colouring = _two_means(centred, preference, bound, relaxed)
        if not any(np.array_equal(colouring, other) for other in found):
            found.append(colouring)
    return found


def _two_means(gram: Matrix, preference: Vector, bound: int, relaxed: bool) -> Colouring:
    """Lloyd's iterations in inner products; the assignment that keeps the bound is a colouring itself."""
    colouring = colour(-preference, preference, bound, relaxed)
    for _ in range(_LLOYD):
        before = colouring
        preference = _nearer(gram, np.flatnonzero(colouring > 0), np.flatnonzero(colouring < 0))
        colouring = colour(-preference, preference, bound, relaxed)
        if np.array_equal(colouring, before):
            break
    first = colouring[np.flatnonzero(colouring)[0]]
    oriented: Colouring = colouring * -first
    return oriented


def _nearer(gram: Matrix, positive: Indices, negative: Indices) -> Vector:
    """How much nearer each class is to the centre of the positive ones than of the negative, in squared distances."""

    def away(side: Indices) -> Vector:
        less_own_norm: Vector = gram[np.ix_(side, side)].mean() - 2 * gram[:, side].mean(axis=1)
        return less_own_norm

    return away(negative) - away(positive)


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
        return model.fit(self._take(rows, rows), target, **_check_method_params(self.X, self.fit_params, rows))

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
    estimator: Any, data: NodeData, classes: tuple[int, ...], settings: NodeSettings, seed: int
) -> TrainedNode:
    """Train the node of these classes, from several first colourings; the lowest objective wins."""
    rng = np.random.RandomState(seed)
    estimator = _seeded(estimator, rng)
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
    if is_regressor(model):
        values = model.predict(X)
    elif hasattr(model, "decision_function"):
        values = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        values = 2 * model.predict_proba(X)[:, 1] - 1
    else:
        values = model.predict(X)
    f: Vector = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(f) != X.shape[0]:
        raise ValueError(
            f"A dichotomizer has one output for each sample; {type(model).__name__} gave {np.shape(values)} for "
            f"{X.shape[0]} samples."
        )
    if np.isnan(f).any():
        raise ValueError(
            f"{type(model).__name__} gave an output that is not a number, for sample {np.isnan(f).argmax()}."
        )
    return np.clip(f, -_HUGE, _HUGE)


def gram_of_means(X: Any, y: Indices, weight: Vector) -> Matrix:
    """Inner products of the class means, whose features are scaled by their deviation within the classes."""
    n = weight.sum()
    members = csr_array((weight, (y, np.arange(len(y)))), shape=(y.max() + 1, len(y)))
    sizes = np.bincount(y, weight)
    if issparse(X):
        X = X.astype(np.float64)
        X.data = np.nan_to_num(X.data)
        means = (members @ X).toarray() / sizes[:, None]
        squares = weight @ X.multiply(X) / n
        within = np.maximum(squares - sizes @ means**2 / n, 0)
    else:
        X = _without_nan(X.astype(np.float64, copy=False), weight)
        means = (members @ X) / sizes[:, None]
        within = np.zeros(X.shape[1])
        block = max(1, _BLOCK_ENTRIES // X.shape[1])
        for start in range(0, len(X), block):
            part = slice(start, start + block)
            within += weight[part] @ (X[part] - means[y[part]]) ** 2 / n
    centred = means - sizes @ means / n
    scale = np.maximum(within, _NARROW * (within + sizes @ centred**2 / n))
    centred /= np.sqrt(np.where(scale > 0, scale, 1))
    gram: Matrix = centred @ centred.T
    return gram


def _without_nan(X: Matrix, weight: Vector) -> Matrix:
    """X with the mean of its column for each entry that is missing."""
    missing = np.isnan(X)
    if not missing.any():
        return X
    filled = np.where(missing, 0, X)
    present = weight @ ~missing
    return np.where(missing, weight @ filled / np.where(present > 0, present, 1), X)


def _seeded(estimator: Any, rng: np.random.RandomState) -> Any:
    """A clone in which every random_state that was None is a number, so that one seed decides all."""
    model = clone(estimator)
    for name, value in sorted(model.get_params(deep=True).items(), key=lambda item: item[0]):
        if value is None and (name == "random_state" or name.endswith("__random_state")):
            model.set_params(**{name: rng.randint(np.iinfo(np.int32).max)})
    return model


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
