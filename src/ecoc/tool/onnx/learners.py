"""Nodes of the learners that ecoc exports itself: linear models, kernel machines, neural networks and neighbours.

Each function takes several fitted models and returns their outputs side by side, by as few nodes as possible.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    ARDRegression,
    BayesianRidge,
    ElasticNet,
    ElasticNetCV,
    HuberRegressor,
    Lars,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.svm import SVC, SVR, LinearSVR, NuSVC, NuSVR

from ecoc.tool.onnx.forest import Link
from ecoc.tool.onnx.graph import Graph
from ecoc.utils.exceptions import ExportError
from ecoc.utils.scikit import LinearClassifierMixin, effective_gamma

_LINEAR_REGRESSORS = (
    *(ARDRegression, BayesianRidge, ElasticNet, ElasticNetCV, HuberRegressor, Lars, Lasso, LassoCV, LinearRegression),
    *(LinearSVR, Ridge, RidgeCV, SGDRegressor),
)
_LOGISTIC = (LogisticRegression, LogisticRegressionCV, LinearDiscriminantAnalysis)
_MACHINES = (SVC, NuSVC, SVR, NuSVR)
_ACTIVATIONS = {"logistic": "Sigmoid", "tanh": "Tanh", "relu": "Relu", "softmax": "Softmax"}


class Kernel(NamedTuple):
    """Name and parameters of a kernel."""

    kind: str
    gamma: float
    degree: float
    coef0: float


def dense(matrix: Any) -> Any:
    """Return a matrix without sparsity."""
    return matrix.toarray() if issparse(matrix) else np.asarray(matrix)


def is_linear(model: Any) -> bool:
    """Tell whether the output is a scalar product, or several."""
    if type(model) in _LINEAR_REGRESSORS:
        return True
    return is_linear_classifier(model) and np.atleast_2d(dense(model.coef_)).shape[0] == 1


def is_linear_classifier(model: Any) -> bool:
    """Tell whether a classifier decides by a scalar product for each class, or one for two classes."""
    if type(model) is LinearDiscriminantAnalysis:  # its decision function is the usual one, with other checks
        return True
    usual = LinearClassifierMixin.decision_function
    return isinstance(model, LinearClassifierMixin) and type(model).decision_function is usual


def link_of_linear(model: Any) -> Link:
    """Return what the scalar product is."""
    logistic = type(model) in _LOGISTIC or (type(model) is SGDClassifier and model.loss == "log_loss")
    return "log_odds" if logistic else "margin"


def linear(graph: Graph, X: str, weights: Any, intercepts: Any) -> str:
    """Return X·weights + intercepts, for all columns in one product."""
    weights, intercepts = graph.number(dense(weights)), graph.number(intercepts)
    return str(graph.add("Gemm", X, weights, intercepts))


def linear_models(graph: Graph, X: str, models: Sequence[Any]) -> str:
    """Return the outputs of linear models."""
    rows = [np.atleast_2d(dense(model.coef_)) for model in models]
    intercepts = [np.broadcast_to(np.ravel(model.intercept_), len(row)) for model, row in zip(models, rows)]
    return linear(graph, X, np.vstack(rows).T, np.concatenate(intercepts))


def kernel_machine(graph: Graph, X: str, kernel: Kernel, vectors: Any, coefficients: Any, intercepts: Any) -> str:
    """Return the outputs of machines that share their vectors: a product, an exponential, a product."""
    values = _kernel_values(graph, kernel, _products(graph, X, kernel, dense(vectors)))
    return str(graph.add("Gemm", values, graph.number(dense(coefficients)), graph.number(intercepts)))


def is_machine(model: Any) -> bool:
    """Tell whether a model is a support vector machine with a kernel that has a name."""
    return type(model) in _MACHINES and isinstance(model.kernel, str) and model.kernel != "precomputed"


def kernel_machines(graph: Graph, X: str, models: Sequence[Any]) -> str:
    """Return the outputs of machines with kernels of their own; vectors that several have are there once."""
    kernels = [Kernel(m.kernel, effective_gamma(m), m.degree, m.coef0) for m in models]
    each = [dense(model.support_vectors_) for model in models]
    vectors, places = np.unique(np.vstack(each), axis=0, return_inverse=True)
    rows = np.split(np.ravel(places), np.cumsum([len(e) for e in each])[:-1])
    duals = [dense(model.dual_coef_).ravel() for model in models]
    intercepts = [float(model.intercept_[0]) for model in models]
    if len(set(kernels)) == 1:
        coefficients = np.zeros((len(vectors), len(models)))
        for j, (row, dual) in enumerate(zip(rows, duals)):
            np.add.at(coefficients[:, j], row, dual)
        return kernel_machine(graph, X, kernels[0], vectors, coefficients, intercepts)
    plain = {kernel: kernel._replace(gamma=1.0) for kernel in kernels}  # products do not depend on gamma
    products = {key: _products(graph, X, key, vectors) for key in dict.fromkeys(plain.values())}
    columns = []
    for kernel, row, dual, intercept in zip(kernels, rows, duals, intercepts):
        chosen = graph.columns(products[plain[kernel]], row)
        values = _kernel_values(graph, kernel, graph.add("Mul", chosen, graph.number(kernel.gamma)))
        columns.append(graph.add("Gemm", values, graph.number(dual[:, None]), graph.number([intercept])))
    return str(graph.add("Concat", *columns, axis=1)) if len(columns) > 1 else columns[0]


def _products(graph: Graph, X: str, kernel: Kernel, vectors: Any) -> str:
    """Return γ times what the kernel is a function of: −|x − v|² for the Gaussian, the scalar product for others."""
    if kernel.kind not in ("linear", "poly", "polynomial", "rbf", "sigmoid"):
        raise ExportError(f"kernel={kernel.kind!r} cannot be exported; kernel='rbf', 'poly', 'sigmoid', 'linear' can.")
    if kernel.kind != "rbf":
        gamma = 1.0 if kernel.kind == "linear" else kernel.gamma
        return str(graph.add("MatMul", X, graph.number(vectors.T * gamma)))
    # As in training: both are centred at the mean of the vectors, so that squares are small differences.
    centre, scale = vectors.mean(axis=0), np.sqrt(2.0 * kernel.gamma)
    A = graph.add("Mul", graph.add("Sub", X, graph.number(centre)), graph.number(scale))
    V = (vectors - centre) * scale
    squares = graph.reduce("ReduceSumSquare", A)
    products = graph.add("Gemm", A, graph.number(V.T), graph.number(-0.5 * (V**2).sum(axis=1)))
    exponent = graph.add("Sub", products, graph.add("Mul", squares, graph.number(0.5)))
    return str(graph.add("Min", exponent, graph.number(0.0)))


def _kernel_values(graph: Graph, kernel: Kernel, products: str) -> str:
    if kernel.kind == "rbf":
        return str(graph.add("Exp", products))
    if kernel.kind == "linear":
        return products
    shifted = graph.add("Add", products, graph.number(kernel.coef0)) if kernel.coef0 else products
    if kernel.kind == "sigmoid":
        return str(graph.add("Tanh", shifted))
    graph.needs_double = True  # values grow with the power of a sample's length
    return str(graph.add("Pow", shifted, graph.number(float(kernel.degree))))


def is_network(model: Any) -> bool:
    """Tell whether a model is a neural network."""
    return type(model) in (MLPClassifier, MLPRegressor)


def networks(graph: Graph, X: str, models: Sequence[Any]) -> str:
    """Return the outputs of neural networks of the same layers: each layer is one product for all of them."""
    first = models[0]
    value = X
    for layer, (weights, biases) in enumerate(
        zip(zip(*(m.coefs_ for m in models)), zip(*(m.intercepts_ for m in models)))
    ):
        product = graph.add("MatMul", value, graph.number(np.stack(weights)))
        value = graph.add("Add", product, graph.number(np.stack(biases)[:, None, :]))
        kind = first.out_activation_ if layer == first.n_layers_ - 2 else first.activation
        if kind != "identity":
            value = graph.add(_ACTIVATIONS[kind], value)
    # networks × samples × outputs
    turned = graph.add("Transpose", value, perm=[1, 0, 2])
    return str(graph.add("Reshape", turned, np.array([0, -1])))


def is_neighbours(model: Any) -> bool:
    """Tell whether a model gives the shares of the classes among the nearest samples by Euclidean distance."""
    return (
        type(model) is KNeighborsClassifier
        and model.weights in ("uniform", None)
        and model.effective_metric_ == "euclidean"
        and not issparse(model._fit_X)
    )


def neighbours(graph: Graph, X: str, models: Sequence[Any], n_classes: int = 2) -> str:
    """Return the share of each class but the first, of models that have the same samples; X is in double precision."""
    samples = np.asarray(models[0]._fit_X, dtype=np.float64)
    centre = samples.mean(axis=0)  # so that squares are small differences
    samples = samples - centre
    A = graph.add("Sub", X, graph.number(centre, np.float64))
    halves = graph.number(0.5 * (samples**2).sum(axis=1), np.float64)
    nearness = graph.add("Gemm", A, graph.number(samples.T, np.float64), halves, alpha=-1.0)  # (|x − s|² − |x|²) / 2
    count = np.array([models[0].n_neighbors])
    _, places = graph.add("TopK", nearness, count, n_outputs=2, axis=1, largest=0)
    classes = np.column_stack([model._y[:, None] == np.arange(1, n_classes) for model in models])
    sides = graph.cast(graph.add("Gather", graph.constant(classes), places), np.float64)
    return graph.reduce("ReduceMean", sides, keepdims=False)
