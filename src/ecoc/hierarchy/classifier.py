"""Which half of the classes is it, and which half of those? A relaxed hierarchy of dichotomizers."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ecoc.codebook import CodeBook
from ecoc.dichotomies import Options
from ecoc.dichotomies.parallel import run_parallel, share
from ecoc.hierarchy.colouring import Indices, Vector, gram_of_means
from ecoc.hierarchy.growth import Growth, Key
from ecoc.hierarchy.node import NodeData, NodeSettings, TrainedNode, outputs, train_node
from ecoc.hierarchy.tree import ClassHierarchy, HierarchyNode
from ecoc.utils.scikit import (
    HasMethods,
    Interval,
    RealNotInt,
    check_sample_weight,
    fit_context,
    get_tags,
    raise_for_params,
    routing_enabled,
)
from ecoc.utils.threads import one_blas_thread


class RelaxedHierarchyClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A hierarchy of dichotomizers that puts a decision off where it would come too early.

    Each node parts its classes in two, except those that its dichotomizer would confuse: they go both ways, and
    are told from the others further down. Colouring μ (-1: left, +1: right, 0: both) and dichotomizer f are
    found together, in turns: f is trained on the classes of μ ≠ 0, and μ is the exact minimum of::

        Σ_k n_k [ 1{μ_k = +1} (mean ξ⁺ - ρ) + 1{μ_k = -1} (mean ξ⁻ - ρ) ],   |Σ_k μ_k| ≤ B,   both signs present,

    over the classes k of the node, with the slacks ξ⁺ = max(0, 1 - f) and ξ⁻ = max(0, 1 + f) of their samples. A
    sample is classified with about log2(n_classes) dichotomizers, which is what a hierarchy is for.

    Parameters
    ----------
    estimator : estimator object
        The dichotomizer, cloned for each node: a classifier, trained on labels -1 and +1, of which f is
        `decision_function`, else 2p - 1 of `predict_proba`, else `predict`; or a regressor, of which it is `predict`.
    rho : float, default=0.4
        Mean slack that a class may have on its side before it is better ignored. The smaller, the more classes go
        both ways: a larger, slower and often more accurate hierarchy.
    balance : int, float or None, default=1
        B, how many classes more one side may have than the other: a number; a share of the node's classes, at least
        one of them, if a float in (0, 1); or None, no bound. By default the sides are as equal as can be without
        ignoring a class for it, as 0 does wherever the number of classes is odd.
    n_folds : int or None, default=None
        Number of folds for slacks of samples that f was not trained on. With None, as in the paper, slacks are those
        of the training samples, and an estimator that fits these without a fault finds no class confusing.
    n_init : int, default=4
        Colourings each node is started from, of which the one of the lowest objective is kept: 2-means of the class
        means, from their principal direction and then from random classes. Equal ones are tried once.
    max_iter : int, default=10
        Most rounds of training and colouring from each start. Two are usual.
    max_dichotomizers : int or None, default=None
        Most dichotomizers to keep, at least n_classes - 1. A node that would need more ignores no class, even if its
        sides are one more unequal than `balance=0` would have it. By default as many as one-vs-one has,
        n_classes * (n_classes - 1) / 2.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and folds, and of every `random_state` of the estimator that is None.
    n_jobs : int or None, default=None
        Number of nodes of a level that are trained at the same time; -1 means all processors. The model does not
        depend on it.
    verbose : int, default=0
        Print a line for each level if positive.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    tree_ : ClassHierarchy
        The nodes with their classes, colourings, children and dichotomizers; ``print(model.tree_)`` draws them.
    estimators_ : list of estimators
        The dichotomizers, the root's first.
    code_book_ : CodeBook
        The colourings as a ternary code book, a column for each dichotomizer.
    n_dichotomizers_ : int
        Number of dichotomizers.
    n_nodes_ : int
        Number of nodes: the dichotomizers, and a leaf for each class.
    depth_ : int
        Most dichotomizers that a sample may need.
    n_iter_ : int
        Most rounds of training and colouring that lowered the objective of a node.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are a support vector of some dichotomizer. Only if the estimator has any.
    n_support_ : int
        Their number, which measures how complex the model is. Only if the estimator has any.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of features seen during fit, if X has any.

    See Also
    --------
    ecoc.ECOCClassifier : All dichotomizers asked, and their outputs decoded.
    ecoc.inspection.HierarchyDisplay : Draw the hierarchy.
    sklearn.multiclass.OneVsOneClassifier : A dichotomizer for each pair of classes.

    Notes
    -----
    Both signs are present in a colouring, so each child has fewer classes than its node, and every way down ends at
    a leaf. Nodes of the same classes would be trained alike and are one node: the hierarchy is a directed acyclic
    graph. Without the bound on its size it might still be exponential in the number of classes as `rho` goes to 0.

    Training may raise the slack, since an estimator minimises something else besides; the pair of dichotomizer and
    colouring of the lowest objective is the one that is kept. An output of exactly 0 goes left.

    Metadata other than `sample_weight` is passed on if metadata routing is enabled. A precomputed kernel works with
    an estimator that takes one.

    References
    ----------
    T. Gao and D. Koller, "Discriminative learning of relaxed hierarchy for large-scale visual recognition", ICCV
    2011.

    M. Marszałek and C. Schmid, "Constructing category hierarchies for visual recognition", ECCV 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import RelaxedHierarchyClassifier
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

    With more patience, no class goes both ways:

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
        """Grow the hierarchy.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data; sparse if the estimator takes that. A kernel of shape (n_samples, n_samples) if the
            estimator takes a precomputed one.
        y : array-like of shape (n_samples,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for the colouring and for the estimator, which has to take them.
        **fit_params : dict
            Parameters of the estimator's `fit`, if metadata routing is enabled.

        Returns
        -------
        self
            The fitted classifier.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import RelaxedHierarchyClassifier
        >>> from sklearn.svm import SVC
        >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
        >>> y = np.repeat(["cold", "mild", "warm"], 3)
        >>> model = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y)
        >>> model.n_dichotomizers_, model.depth_
        (3, 2)
        """
        weighted = sample_weight is not None
        passed = self._passed_on(sample_weight, fit_params)
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
                f"The estimator takes a precomputed kernel, so X should be a square matrix; got {X.shape}."
            )
        weight = np.asarray(check_sample_weight(sample_weight, X, dtype=np.float64))
        if weighted and not (shares := np.bincount(target, weight)).all():
            raise ValueError(
                "Every class needs a sample of positive sample_weight, or has to be left out of y; class "
                f"{self.classes_[shares == 0].tolist()[0]!r} has none."
            )
        with one_blas_thread():
            gram = gram_of_means(X, target, weight)
        data = NodeData(X, target, weight, passed, gram, pairwise)
        self.tree_ = self._grow(data)
        self.n_nodes_ = len(self.tree_)
        self.n_dichotomizers_ = len(self.tree_.inner)
        self.depth_ = self.tree_.depth
        self.n_iter_ = max(1, *(len(node.history) for node in self.tree_))
        self._count_support()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes, each with the dichotomizers on one way down the hierarchy.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import RelaxedHierarchyClassifier
        >>> from sklearn.svm import SVC
        >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
        >>> y = np.repeat(["cold", "mild", "warm"], 3)
        >>> RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y).predict([[-2], [0], [2]])
        array(['cold', 'mild', 'warm'], dtype='<U4')
        """
        X = self._validated(X)
        found = np.empty(X.shape[0], dtype=np.intp)
        for node, samples in self._arrivals(X):
            if node.is_leaf:
                found[samples] = node.members[0]
        labels: NDArray[Any] = self.classes_[found]
        return labels

    def decision_path(self, X: Any) -> csr_array:
        """Tell which nodes each sample comes by, from the root to the leaf of its class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        csr_array of shape (n_samples, n_nodes)
            1 where a sample comes by, 0 elsewhere. A row has one entry more than the dichotomizers that it asks.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import RelaxedHierarchyClassifier
        >>> from sklearn.svm import SVC
        >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
        >>> y = np.repeat(["cold", "mild", "warm"], 3)
        >>> model = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y)
        >>> model.decision_path([[-2], [2]]).toarray()
        array([[1, 1, 0, 1, 0, 0],
               [1, 0, 1, 0, 0, 1]])
        """
        X = self._validated(X)
        passed = [(node.index, samples) for node, samples in self._arrivals(X)]
        rows = np.concatenate([samples for _, samples in passed])
        columns = np.repeat([index for index, _ in passed], [len(samples) for _, samples in passed])
        return csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(X.shape[0], self.n_nodes_))

    def decision_function(self, X: Any) -> Vector:
        """Score the classes by how far the outputs are from leading to them.

        Outputs of other signs lead another way. The score of a class is, negative, the least sum of magnitudes of
        outputs whose signs would have to change for the sample to arrive there. The class predicted needs no change;
        its score is, positive, the least sum that leads to any other class. So `predict` is the class of the highest
        score, always. All dichotomizers are asked for this, where `predict` asks those on one way.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) if there are two classes
            Scores. Of two classes, the output of the one dichotomizer: positive for ``classes_[1]``.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import RelaxedHierarchyClassifier
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
            output[output == 0] = -np.finfo(np.float64).tiny  # leads left, so right is a change
            for child, margin in ((node.left, -output), (node.right, output)):
                needed = so_far + np.maximum(0, -margin)
                arrivals[child] = np.minimum(arrivals[child], needed) if child in arrivals else needed
        scores = -change
        scores[np.arange(len(scores)), change.argmin(axis=1)] = np.partition(change, 1, axis=1)[:, 1]
        return scores

    def export_text(self) -> str:
        """Draw the hierarchy as text: at each node the classes that go left, right, and both ways.

        Returns
        -------
        str
            A line a node, each below its parent; a node with two parents is drawn once and then referred to.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import RelaxedHierarchyClassifier
        >>> from sklearn.svm import SVC
        >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
        >>> y = np.repeat(["cold", "mild", "warm"], 3)
        >>> print(RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y).export_text())
        #0 {cold} | {warm}, both {mild}
        ├─ #1 {cold} | {mild}
        │  ├─ cold
        │  └─ mild
        └─ #2 {mild} | {warm}
           ├─ mild
           └─ warm
        """
        check_is_fitted(self)
        return str(self.tree_)

    @property
    def estimators_(self) -> list[Any]:
        """The dichotomizers, the root's first."""
        return [node.estimator for node in self.tree_.inner]

    @property
    def code_book_(self) -> CodeBook:
        """The colourings as a ternary code book, a column for each dichotomizer.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import RelaxedHierarchyClassifier
        >>> from sklearn.svm import SVC
        >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
        >>> y = np.repeat(["cold", "mild", "warm"], 3)
        >>> RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y).code_book_
        CodeBook 3 × 3 (classes × columns), 33% zeros, min distance 1, correction 0
          cold  --·
          mild  ·+-
          warm  +·+
        """
        return self.tree_.code_book()

    def _arrivals(self, X: Any) -> Iterator[tuple[HierarchyNode, Indices]]:
        """Each node that samples come by, and which these are; parents first."""
        arrivals: dict[int, list[Indices]] = {0: [np.arange(X.shape[0])]}
        for node in self.tree_:  # parents first, so all samples of a node have arrived at its turn
            if node.index not in arrivals:
                continue
            samples = np.concatenate(arrivals.pop(node.index))
            yield node, samples
            if not node.is_leaf:
                right = outputs(node.estimator, _known_columns(X[samples], node)) > 0
                for child, there in ((node.left, samples[~right]), (node.right, samples[right])):
                    if len(there):
                        arrivals.setdefault(child, []).append(there)

    def get_metadata_routing(self) -> Any:
        """Tell which metadata is asked for and passed on, see scikit-learn's guide to metadata routing.

        Returns
        -------
        MetadataRouter
            What `fit` takes and hands on.
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

    def _passed_on(self, sample_weight: ArrayLike | None, fit_params: dict[str, Any]) -> dict[str, Any]:
        """Parameters of the estimator's fit, for all samples."""
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
                f"{type(self.estimator).__name__}.fit takes no sample_weight; fit without it, or take an estimator "
                "that does, e.g. SVC() or LogisticRegression(). A Pipeline does if metadata routing is enabled."
            )
        return {"sample_weight": sample_weight}

    def _grow(self, data: NodeData) -> ClassHierarchy:
        k = len(self.classes_)
        limit = k * (k - 1) // 2 if self.max_dichotomizers is None else self.max_dichotomizers
        if limit < k - 1:
            raise ValueError(
                f"max_dichotomizers={limit} is too few: a hierarchy of {k} classes has {k - 1} at least, and more "
                "wherever a class is ignored."
            )
        rng = check_random_state(self.random_state)
        growth = Growth(k, limit)
        shared = share(*data)

        def train(keys: list[Key], relaxed: bool) -> list[TrainedNode]:
            settings = NodeSettings(self.rho, self.balance, self.n_folds, self.n_init, self.max_iter, relaxed)
            seeds = rng.randint(np.iinfo(np.int32).max, size=len(keys)).tolist()
            jobs = (delayed(train_node)(self.estimator, shared, key, settings, s) for key, s in zip(keys, seeds))
            return run_parallel(jobs, Options(n_jobs=self.n_jobs), total=len(keys)) if keys else []

        while growth.waiting:
            level, growth.waiting = growth.waiting, []
            trained = train(level, growth.promised < limit)
            late = [key for key, node in zip(level, trained) if not growth.admit(key, node)]
            for key, node in zip(late, train(late, False)):
                growth.admit(key, node)
            if self.verbose:
                done, left = len(growth.trained), len(growth.waiting)
                print(f"[RelaxedHierarchyClassifier] {done} dichotomizers trained, {left} or more to come")
        return growth.hierarchy(self.classes_)

    def _count_support(self) -> None:
        for name in ("support_", "n_support_"):
            self.__dict__.pop(name, None)
        supports = [node.support for node in self.tree_.inner]
        known = [support for support in supports if support is not None]
        if len(known) == len(supports):
            self.support_ = np.unique(np.concatenate(known))
            self.n_support_ = len(self.support_)


def _known_columns(X: Any, node: HierarchyNode) -> Any:
    """What of X the node's dichotomizer takes: of a kernel, the columns of the samples it was trained on."""
    return X if node.columns is None else X[:, node.columns]
