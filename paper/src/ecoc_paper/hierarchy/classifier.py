"""The estimator for relaxed hierarchies."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ecoc import CodeBook
from ecoc.utils.threads import one_blas_thread
from ecoc_paper._scikit import (
    HasMethods,
    Interval,
    RealNotInt,
    check_sample_weight,
    fit_context,
    raise_for_params,
    routing_enabled,
)
from ecoc_paper.hierarchy.colouring import Indices, Vector, gram_of_means
from ecoc_paper.hierarchy.growth import grow
from ecoc_paper.hierarchy.node import NodeData, NodeSettings, outputs
from ecoc_paper.hierarchy.tree import HierarchyNode


class RelaxedHierarchyClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A tree of binary classifiers that may postpone the decision about a class.

    Each node splits its classes in two. Classes that its binary classifier would confuse are ignored: they go to both
    children, which separate them from the others. The colouring μ (-1: left, +1: right, 0: both) and the decision
    function f of a node are found in turns: f is trained on the classes with μ ≠ 0, and μ is the exact minimum of::

        Σ_k n_k [ 1{μ_k = +1} (mean ξ⁺ - ρ) + 1{μ_k = -1} (mean ξ⁻ - ρ) ],   |Σ_k μ_k| ≤ B,   both signs present,

    over the classes k of the node. n_k is the number of samples of class k, ξ⁺ = max(0, 1 - f) and ξ⁻ = max(0, 1 + f)
    are their slacks. Predicting a sample takes about log2(n_classes) binary classifiers.

    Parameters
    ----------
    estimator : estimator object
        The binary classifier, which is cloned for each node. A classifier is trained on labels 0 and 1, and f is its
        `decision_function`, or 2p - 1 from `predict_proba`, or `predict`, as ±1. The f of a regressor is `predict`.
    rho : float, default=0.4
        Largest mean slack of a class that is not ignored, ρ above. With a smaller value, more classes go to both
        children, which gives a larger, slower and often more accurate tree.
    balance : int, float or None, default=1
        Largest difference between the numbers of classes on both sides, B above. A float in (0, 1) is a share of the
        classes of the node, of at least one class; None means no limit. With 0, a node with an odd number of classes
        has to ignore a class; 1 is the most balanced split that does not force this.
    n_folds : int or None, default=None
        Number of folds for cross-validated slacks. With None, as in the paper, the slacks are those of the training
        samples; an estimator without training errors then ignores no class.
    n_init : int, default=4
        Number of colourings to start from at each node; the result with the lowest objective is used. The starts are
        2-means clusterings of the class means, the first from their principal direction, the others from random
        classes. Equal starts are used once.
    max_iter : int, default=10
        Largest number of rounds of training and colouring from each start. Two are usual.
    max_dichotomizers : int or None, default=None
        Largest number of binary classifiers, at least n_classes - 1. A node that would exceed it ignores no class,
        even if `balance=0` would require it. By default as many as one-vs-one has, n_classes * (n_classes - 1) / 2.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and folds, and of every `random_state` of the estimator that is None.
    n_jobs : int or None, default=None
        Number of nodes of a level that are trained in parallel; -1 means all processors. The model does not depend on
        it.
    verbose : int, default=0
        If positive, print a line for each level.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    tree_ : ClassHierarchy
        The nodes with their classes, colourings, children and binary classifiers; ``print(model.tree_)`` draws them.
    estimators_ : list of estimators
        The binary classifiers, starting with the root.
    code_book_ : CodeBook
        The colourings as a ternary code book, with a column for each binary classifier.
    n_dichotomizers_ : int
        Number of binary classifiers.
    n_nodes_ : int
        Number of nodes: one for each binary classifier, and a leaf for each class.
    depth_ : int
        Largest number of binary classifiers that a sample may need.
    n_iter_ : int
        Largest number of rounds of training and colouring that lowered the objective of a node.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors of any binary classifier, if the estimator has support
        vectors.
    n_support_ : int
        Number of these rows, a measure of the complexity of the model.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of features seen during fit, if X has any.

    See Also
    --------
    ecoc.ECOCClassifier : Uses all binary classifiers and decodes their outputs.
    ecoc_paper.HierarchyDisplay : Plot the hierarchy.
    sklearn.multiclass.OneVsOneClassifier : One binary classifier for each pair of classes.

    Notes
    -----
    Both signs are present in a colouring, so each child has fewer classes than its parent, and every path ends at a
    leaf. Nodes with the same classes are merged, so the hierarchy is a directed acyclic graph. Its size could still be
    exponential in the number of classes for a `rho` near 0, so it is limited by `max_dichotomizers`.

    Training may increase the slack, because most estimators minimise another loss. The node uses the round with the
    lowest objective. A sample with an output of exactly 0 goes left.

    Metadata other than `sample_weight` is passed to the estimator if metadata routing is enabled. A precomputed kernel
    can be used if the estimator accepts one.

    References
    ----------
    T. Gao and D. Koller, "Discriminative learning of relaxed hierarchy for large-scale visual recognition", ICCV
    2011.

    M. Marszałek and C. Schmid, "Constructing category hierarchies for visual recognition", ECCV 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc_paper import RelaxedHierarchyClassifier
    >>> from sklearn.svm import SVC
    >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
    >>> y = np.repeat(["cold", "mild", "warm"], 3)
    >>> model = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y)
    >>> print(model.tree_)
    #0 {cold} | {warm}, both {mild}
    ├─ #1 {cold} | {mild}
    │  ├─ cold
    │  └─ mild
    └─ #2 {mild} | {warm}
       ├─ mild
       └─ warm
    >>> model.predict([[-2], [0], [2]])
    array(['cold', 'mild', 'warm'], dtype='<U4')

    With a larger `rho`, no class goes both ways:

    >>> print(model.set_params(rho=0.8).fit(X, y).export_text())
    #0 {cold, mild} | {warm}
    ├─ #1 {cold} | {mild}
    │  ├─ cold
    │  └─ mild
    └─ warm
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "rho": [Interval(Real, 0, None, closed="left")],
        "balance": [Interval(Integral, 0, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither"), None],
        "n_folds": [Interval(Integral, 2, None, closed="left"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_dichotomizers": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        rho: float = 0.4,
        balance: int | float | None = 1,
        n_folds: int | None = None,
        n_init: int = 4,
        max_iter: int = 10,
        max_dichotomizers: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.rho = rho
        self.balance = balance
        self.n_folds = n_folds
        self.n_init = n_init
        self.max_iter = max_iter
        self.max_dichotomizers = max_dichotomizers
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Train the nodes, level by level.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data; may be sparse if the estimator accepts sparse data. A kernel of shape
            (n_samples, n_samples) if the estimator takes a precomputed one.
        y : array-like of shape (n_samples,)
            Labels of at least two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for the colouring and for the estimator, whose `fit` must accept them.
        **fit_params : dict
            Parameters of the estimator's `fit`, if metadata routing is enabled.

        Returns
        -------
        self
            The fitted classifier.
        """
        weighted = sample_weight is not None
        params = self._estimator_params(sample_weight, fit_params)
        X, labels = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite=self._finite())
        check_classification_targets(labels)
        self.classes_, target = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"RelaxedHierarchyClassifier needs samples of at least 2 classes; y has 1 class only, "
                f"{self.classes_.tolist()[0]!r}."
            )
        pairwise = get_tags(self.estimator).input_tags.pairwise
        if pairwise and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"The estimator takes a precomputed kernel, so X should be a square matrix; got shape {X.shape}."
            )
        weight = np.asarray(check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
        if weighted and not (shares := np.bincount(target, weight)).all():
            raise ValueError(
                "Every class needs a sample with positive sample_weight; class "
                f"{self.classes_[shares == 0].tolist()[0]!r} has none. Remove its samples, or give them a weight."
            )
        with one_blas_thread():
            gram = gram_of_means(X, target, weight)
        data = NodeData(X, target, weight, params, gram, pairwise)
        settings = NodeSettings(self.rho, self.balance, self.n_folds, self.n_init, self.max_iter)
        rng = check_random_state(self.random_state)
        self.tree_ = grow(
            self.estimator, data, self.classes_, settings, self.max_dichotomizers, rng, self.n_jobs, self.verbose
        )
        self.n_nodes_ = len(self.tree_)
        self.n_dichotomizers_ = len(self.tree_.inner)
        self.depth_ = self.tree_.depth
        self.n_iter_ = max(1, *(len(node.history) for node in self.tree_))
        self._count_support()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each sample, by the binary classifiers on its path from the root to a leaf.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        X = self._validated(X)
        labels = np.empty(X.shape[0], dtype=self.classes_.dtype)
        for node, samples in self._arrivals(X):
            if node.is_leaf:
                labels[samples] = node.classes[0]
        return labels

    def decision_path(self, X: Any) -> csr_array:
        """Return the nodes on the path of each sample, from the root to a leaf.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        csr_array of shape (n_samples, n_nodes)
            1 for the nodes on the path of the sample, the leaf included, 0 elsewhere.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc_paper import RelaxedHierarchyClassifier
        >>> from sklearn.svm import SVC
        >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
        >>> y = np.repeat(["cold", "mild", "warm"], 3)
        >>> model = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y)
        >>> model.decision_path([[-2], [2]]).toarray()
        array([[1, 1, 0, 1, 0, 0],
               [1, 0, 1, 0, 0, 1]])
        """
        X = self._validated(X)
        visits = [(node.index, samples) for node, samples in self._arrivals(X)]
        rows = np.concatenate([samples for _, samples in visits])
        columns = np.repeat([index for index, _ in visits], [len(samples) for _, samples in visits])
        return csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(X.shape[0], self.n_nodes_))

    def decision_function(self, X: Any) -> Vector:
        """Score each class by how much the outputs would have to change to predict it.

        A sample reaches another leaf if the signs of some outputs change. The cost of a leaf is the smallest sum of the
        absolute values of such outputs. The score of a class is minus the cost of its leaf. The predicted class has no
        cost; its score is the smallest cost of any other class. So the predicted class has the highest score. This
        method needs all binary classifiers, `predict` only those on one path.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) if there are two classes
            Scores. For two classes, the output of the only binary classifier, which is positive for ``classes_[1]``.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc_paper import RelaxedHierarchyClassifier
        >>> from sklearn.svm import SVC
        >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
        >>> y = np.repeat(["cold", "mild", "warm"], 3)
        >>> model = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y)
        >>> model.decision_function([[-2], [0], [2]]).round(1)
        array([[ 1., -1., -5.],
               [-1.,  1., -1.],
               [-5., -1.,  1.]])
        """
        X = self._validated(X)
        if len(self.classes_) == 2:
            return outputs(self.tree_[0].estimator, _known_columns(X, self.tree_[0]))
        change = np.empty((X.shape[0], len(self.classes_)))
        arrivals: dict[int, Vector] = {0: np.zeros(X.shape[0])}
        for node in self.tree_:
            so_far = arrivals.pop(node.index)
            if node.is_leaf:
                change[:, node.members[0]] = so_far
                continue
            output = outputs(node.estimator, _known_columns(X, node))
            output[output == 0] = -np.finfo(np.float64).tiny  # 0 goes left, so going right has a cost
            for child, margin in ((node.left, -output), (node.right, output)):
                needed = so_far + np.maximum(0, -margin)
                arrivals[child] = np.minimum(arrivals[child], needed) if child in arrivals else needed
        scores = -change
        scores[np.arange(len(scores)), change.argmin(axis=1)] = np.partition(change, 1, axis=1)[:, 1]
        return scores

    def export_text(self) -> str:
        """Draw the hierarchy as text: for each node, the classes that go left, right, and both ways.

        Returns
        -------
        str
            A line for each node, below its parent. A node with two parents is drawn once and then referred to.
        """
        check_is_fitted(self)
        return str(self.tree_)

    @property
    def estimators_(self) -> list[Any]:
        """The binary classifiers, starting with the root."""
        return [node.estimator for node in self.tree_.inner]

    @property
    def code_book_(self) -> CodeBook:
        """The colourings as a ternary code book, with a column for each binary classifier."""
        return self.tree_.codebook()

    def _arrivals(self, X: Any) -> Iterator[tuple[HierarchyNode, Indices]]:
        """Yield each node that samples reach, with the rows of these samples; parents come before children."""

        def goes_right(node: HierarchyNode, samples: Indices) -> NDArray[np.bool_]:
            right: NDArray[np.bool_] = outputs(node.estimator, _known_columns(X[samples], node)) > 0
            return right

        return self.tree_.arrivals(X.shape[0], goes_right)

    def get_metadata_routing(self) -> Any:
        """Return the metadata routing of this estimator, see scikit-learn's user guide.

        Returns
        -------
        MetadataRouter
            The metadata that `fit` accepts and passes to the estimator.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own, inner = tags.input_tags, get_tags(self.estimator).input_tags
        for name in ("sparse", "pairwise", "allow_nan", "positive_only"):
            setattr(own, name, getattr(inner, name))
        return tags

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self.estimator).input_tags.allow_nan else True

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", ensure_all_finite=self._finite(), reset=False)

    def _estimator_params(self, sample_weight: ArrayLike | None, fit_params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters for the estimator's `fit`, with values for all samples."""
        if routing_enabled():
            if sample_weight is not None:
                fit_params = {**fit_params, "sample_weight": sample_weight}
            routed: dict[str, Any] = process_routing(self, "fit", **fit_params).estimator.fit
            return routed
        raise_for_params(fit_params, self, "fit")
        if sample_weight is None:
            return {}
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"{type(self.estimator).__name__}.fit does not accept sample_weight. Fit without it, or use an "
                "estimator that accepts it, e.g. SVC() or LogisticRegression(). A Pipeline accepts it if metadata "
                "routing is enabled."
            )
        return {"sample_weight": sample_weight}

    def _count_support(self) -> None:
        for name in ("support_", "n_support_"):
            self.__dict__.pop(name, None)
        supports = [node.support for node in self.tree_.inner]
        known = [support for support in supports if support is not None]
        if len(known) == len(supports):
            self.support_ = np.unique(np.concatenate(known))
            self.n_support_ = len(self.support_)


def _known_columns(X: Any, node: HierarchyNode) -> Any:
    """Return the input of the node's binary classifier: X, or the columns of a kernel that it was trained on."""
    return X if node.columns is None else X[:, node.columns]
