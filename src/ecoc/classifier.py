"""A multi-class classifier from binary ones: code book, dichotomizers, decoding."""

import time
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self, get_args
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ecoc.calibration import fit_temperature
from ecoc.codebook import CodeBook
from ecoc.coding import get_coding
from ecoc.decoding import get_decoding
from ecoc.dichotomies import Dichotomizers, Options, Task, Training, TrainingCache, choose_training, out_of_fold_outputs
from ecoc.dichotomies.base import Kind
from ecoc.dichotomies.binary import offers_probabilities
from ecoc.utils.scikit import HasMethods, Interval, check_sample_weight, routing_enabled

Array = NDArray[np.float64]
_RECENT = 4096  # samples of a stream whose outputs a decoding is fitted to
_MOST_OUTPUTS = 2**20  # that a classifier keeps of its training
_MOST_SCORES = 2**22  # to calibrate probabilities by
_BLOCK_SCORES = 2**24  # of classes that predict holds at once: 128 MB


def _has_probabilities(self: "ECOCClassifier") -> bool:
    if self._wants_probabilities or self._wanted_decoding().gives_probabilities:
        return True
    raise AttributeError("predict_proba needs probability=True, or a decoding that gives probabilities.")


def _can_partial_fit(self: "ECOCClassifier") -> bool:
    estimators = self.estimator if isinstance(self.estimator, Sequence) else [self.estimator]
    return all(hasattr(estimator, "partial_fit") for estimator in estimators)


def _decoding_by_name(name: str) -> Any:
    return get_decoding("discriminant" if name == "auto" else name)


def _folds_among(cv: Any, used: NDArray[np.intp], n: int) -> Any:
    """Folds of the rows that are used: pairs of rows are counted anew, all else is as it was."""
    if isinstance(cv, Integral) or hasattr(cv, "split"):
        return cv
    place = np.full(n, -1)
    place[used] = np.arange(len(used))
    return [tuple(place[rows][place[rows] >= 0] for rows in pair) for pair in cv]


@dataclass(frozen=True)
class Decision:
    """Temporary."""

    decoding: Any
    temperature: float


@dataclass(frozen=True)
class FittedModel:
    """Temporary."""

    codebook: CodeBook
    dichotomizers: Dichotomizers
    decision: Decision

    def outputs(self, X: Any, kind: Kind) -> Array:
        """Temporary."""
        return self.dichotomizers.outputs(X, kind)

    def outputs_to_decode(self, X: Any) -> Array:
        """Temporary."""
        return self.outputs(X, self.decision.decoding.needs)


class ECOCClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multi-class classifier from binary ones, by error-correcting output codes.

    A coding gives every class a codeword; a dichotomizer is trained for every column of the code book, and a
    decoding finds the class whose codeword suits the dichotomizers' outputs best.

    Parameters
    ----------
    estimator : estimator, or list of them
        Binary classifier, or regressor, which is trained on targets ±1 (all columns in one call if it takes several
        targets). A list has an estimator for each column.
    coding : str, Coding, CodeBook or array-like, default="ecf"
        How to make the code book: a name (``ecf ova ovo dense sparse rand spectral discriminant exhaustive ordinal
        hadamard minimal``), a coding such as ``ECF(allocation="hard")``, or the code book itself.
    decoding : str or Decoding, default="auto"
        How to score classes from outputs: a name (``hamming euclidean attenuated_euclidean inverse_hamming laplacian
        beta_density linear exponential hinge logistic squared loss_weighted loss_weighted_linear probabilistic
        discriminant``) or a decoding. ``"auto"`` is ``"discriminant"``, the most accurate on average; but ``"linear"``
        for two classes, which then are told apart by the estimator itself, and where more than half of the classes
        have a single sample, so that nothing can be learned from held-out outputs.
    probability : bool, default=True
        Whether `predict_proba` is wanted from a decoding that has no probabilities of its own. They are then calibrated
        on out-of-fold outputs, which takes `cv` more trainings. Decoding ``"auto"`` has them always.
    cv : int, splitter or list of pairs, default=3
        Folds for out-of-fold outputs, where a decoding or the probabilities need them: a number of stratified folds, a
        splitter, or pairs of training and test rows, by which samples that belong together are held out together.
        Ridge regression has outputs in closed form, leaving out one sample at a time, if `cv` is a number.
    kernel_memory : float, default=None
        Bytes that the Gram matrix of an `SVC` may take; up to that, all dichotomizers share one. None: a quarter of the
        memory that is free.
    warm_start : bool or TrainingCache, default=False
        Whether a refit on the same samples keeps what the last ones trained: columns that their codes had are not
        trained again, and machines that differ in C only share the Gram matrix. Results are those of a fresh fit. A
        :class:`TrainingCache` is shared by several classifiers.
    n_jobs : int, default=None
        Dichotomizers trained at once. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the coding, the folds, and of estimators whose own `random_state` is None.
    verbose : int, default=0
        From 1 on, tell about progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    code_book_ : CodeBook
        The code, with the class labels.
    n_columns_ : int
        Number of columns of the code, and of dichotomizers.
    estimators_ : list of estimators
        The fitted dichotomizers, one a column; columns equal up to sign share one, and so do all columns if the
        estimator takes several targets in one call.
    coding_, decoding_ : Coding, Decoding
        As fitted.
    design_ : ndarray of shape (n_classes, n_classes), or None
        Design matrix, if the coding has one.
    factorization_ : Factorization or None
        The factorization behind the code book, if the coding has one.
    temperature_ : float
        Scale of the scores in `predict_proba`, where these are calibrated.
    n_support_ : int
        Number of different support vectors over all dichotomizers. Only if the estimator has any.
    n_support_per_column_ : ndarray of shape (n_columns,)
        Number of support vectors of each dichotomizer. Only if the estimator has any.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if X has them.

    See Also
    --------
    ecoc.RelaxedHierarchyClassifier : A hierarchy of dichotomizers, of which a sample needs a few only.
    ecoc.confusion_report : What the code promised each pair of classes, and what happened.
    ecoc.TrainingCache : Share trained dichotomizers between classifiers.
    sklearn.multiclass.OutputCodeClassifier : Random codes with real-valued decoding.

    Examples
    --------
    >>> from ecoc import ECF, ECOCClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(SVC(), random_state=0).fit(X, y)
    >>> model.predict(X[::50])
    array([0, 1, 2])
    >>> model.predict_proba(X[::50]).argmax(axis=1)
    array([0, 1, 2])

    A coding with parameters of its own, and a decoding by name; labels may be of any kind:

    >>> model = ECOCClassifier(SVC(), coding=ECF(allocation="hard"), decoding="hamming", random_state=0)
    >>> model = model.fit(X, load_iris().target_names[y])
    >>> model.code_book_.labels
    array(['setosa', 'versicolor', 'virginica'], dtype='<U10')
    >>> model.predict(X[:1])
    array(['setosa'], dtype='<U10')
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  as scikit-learn has it
        "estimator": [HasMethods("fit"), list, tuple],
        "coding": [object],
        "decoding": [object],
        "probability": ["boolean"],
        "cv": [
            Interval(Integral, 2, None, closed="left"),
            HasMethods(["split", "get_n_splits"]),
            list,
            tuple,
        ],
        "kernel_memory": [None, Real],
        "warm_start": ["boolean", TrainingCache],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        coding: Any = "ecf",
        decoding: Any = "auto",
        probability: bool = True,
        cv: Any = 3,
        kernel_memory: float | None = None,
        warm_start: bool | TrainingCache = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.coding = coding
        self.decoding = decoding
        self.probability = probability
        self.cv = cv
        self.kernel_memory = kernel_memory
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the classifier and of its parts.

        ``coding__allocation`` and the like work also where the coding or decoding is given by name.

        Parameters
        ----------
        **params : dict
            Names of parameters, and values.

        Returns
        -------
        self
            The classifier.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.svm import SVC
        >>> ECOCClassifier(SVC()).set_params(coding__allocation="hard", estimator__C=10)
        ECOCClassifier(coding=ECF(allocation='hard'), estimator=SVC(C=10))
        """
        for name, make in (("coding", get_coding), ("decoding", _decoding_by_name)):
            if any(key.startswith(f"{name}__") for key in params) and isinstance(
                params.get(name, getattr(self, name)), str
            ):
                params = {
                    name: make(params.get(name, getattr(self, name))),
                    **{k: v for k, v in params.items() if k != name},
                }
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Make the code book and train its dichotomizers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.
        **fit_params : dict
            ``sample_weight``, given to every dichotomizer; and, with metadata routing enabled, whatever the estimator
            requests.

        Returns
        -------
        self
            The fitted classifier.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import RidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(RidgeClassifier(), coding="ovo").fit(X, y)
        >>> model.code_book_
        CodeBook 3 × 3 (classes × columns), 33% zeros, min distance 1, correction 0
          0  --·
          1  +·-
          2  ·++

        Samples of weight 0 are left out:

        >>> import numpy as np
        >>> model = ECOCClassifier(RidgeClassifier(), random_state=0)
        >>> by_weight = model.fit(X, y, sample_weight=np.arange(150) % 2).predict(X)
        >>> np.array_equal(by_weight, model.fit(X[1::2], y[1::2]).predict(X))
        True
        """
        start = time.perf_counter()
        self._validate_params()
        X, y = self._validate(X, y, reset=True)
        self.classes_, indices = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"The data has one class only, {self.classes_.tolist()[0]!r}; a classifier needs at least two."
            )
        weight, params = self._routed("fit", X, fit_params)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=2)
        used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
        n_used = len(np.unique(indices[used]))
        if n_used < 2:
            raise ValueError("sample_weight leaves samples of one class only; a classifier needs at least two.")
        # A class with no weight is designed for all the same.
        designed = used if len(used) < len(y) and n_used == len(self.classes_) else slice(None)
        cv = _folds_among(self.cv, used, len(y))
        same_rows = len(used) == len(y) or designed is used
        self._set_code(X[designed], y[designed], int(seeds[0]), cv if same_rows else None)
        task = Task(self.code_book_.matrix, X, indices, weight, params)
        if len(used) < len(y):
            task = task.part(used)
        options = Options(
            self._column_seeds(int(seeds[1])), self.n_jobs, self.verbose, self.kernel_memory, self._training_cache()
        )
        self._tell(f"{len(self.classes_)} classes, {self.n_columns_} columns: training the dichotomizers")
        training = choose_training(self.estimator, task, options)
        self._dichotomizers: Dichotomizers = training.fit()
        self._recent: tuple[Any, ...] | None = None  # of a stream: outputs, classes, weights
        self._fit_decoding(training, cv, int(seeds[1]))
        self._tell(f"trained in {time.perf_counter() - start:.1f} s")
        return self

    @available_if(_can_partial_fit)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Learn from one batch of a stream, also after `fit`, which then has settled the code and the decoding.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The batch.
        y : array-like of shape (n_samples,)
            Its labels.
        classes : array-like of shape (n_classes,), default=None
            All labels there will be; needed at the first call. A coding from data (such as ECF) sees the first batch
            only, which must then hold every class.
        **fit_params : dict
            As for `fit`.

        Returns
        -------
        self
            The fitted classifier.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import SGDClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(SGDClassifier(random_state=0), coding="ova")
        >>> for batch in np.array_split(np.random.default_rng(0).permutation(150), 5):
        ...     model = model.partial_fit(X[batch], y[batch], classes=[0, 1, 2])
        >>> model.predict(X[[0, 149]])
        array([0, 2])
        """
        from ecoc.dichotomies.stream import StreamDichotomizers

        self._validate_params()
        first = not hasattr(self, "_dichotomizers")
        X, y = self._validate(X, y, reset=first)
        if first and classes is None:
            raise ValueError("The first call of partial_fit needs classes, all labels that will ever come.")
        announced = self.classes_ if classes is None else np.unique(classes)
        if not (first or np.array_equal(announced, self.classes_)):
            raise ValueError("classes must stay those of the first call; they may be left out.")
        unknown = np.setdiff1d(y, announced)
        if len(unknown):
            raise ValueError(f"y has labels that classes did not announce: {unknown[:5].tolist()}.")
        weight, params = self._routed("partial_fit", X, fit_params)
        if first:
            self.classes_ = announced
            self._begin_stream(X, y)
        elif not isinstance(self._dichotomizers, StreamDichotomizers):
            self._dichotomizers = StreamDichotomizers.resume(
                self._dichotomizers, self.estimator, self.code_book_.matrix, None
            )
        stream = self._dichotomizers
        assert isinstance(stream, StreamDichotomizers)
        indices = np.searchsorted(self.classes_, y)
        task = Task(self.code_book_.matrix, X, indices, weight, params)
        if self._recent is None:
            stream.learn(task)
            return self
        decoding = self._wanted_decoding()
        # Outputs before learning from a batch are those of a model that has not seen it.
        ahead = None if first else stream.outputs(X, decoding.needs)
        stream.learn(task)
        batch = (
            stream.outputs(X, decoding.needs) if ahead is None else ahead,
            indices,
            np.ones(len(indices)) if weight is None else weight,
        )
        known = batch if first else tuple(map(np.concatenate, zip(self._recent, batch)))
        self._recent = tuple(values[-_RECENT:] for values in known)
        self.decoding_ = decoding.fit(self.code_book_, *self._recent)
        self._calibrate(*self._recent)
        return self

    def truncate(self, n_columns: int) -> "ECOCClassifier":
        """Cut the classifier to its first columns, for faster prediction; nothing is trained again.

        A refined :class:`~ecoc.ECF` code (of fewer columns than classes) has its best columns first, so that what is
        left is about as good as a code designed for the length. The decoding is fitted to the outputs of these columns.

        Parameters
        ----------
        n_columns : int
            Columns to keep; they must tell all classes apart.

        Returns
        -------
        ECOCClassifier
            A fitted classifier; this one stays as it is.

        See Also
        --------
        ecoc.inspection.LengthDisplay : How accurate the classifier is at each length.

        Examples
        --------
        >>> from ecoc import ECF, ECOCClassifier
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.linear_model import RidgeClassifier
        >>> X, y = load_digits(return_X_y=True)
        >>> model = ECOCClassifier(RidgeClassifier(), coding=ECF(n_columns=8), random_state=0).fit(X, y)
        >>> model.truncate(5).n_columns_
        5
        >>> model.n_columns_
        8
        """
        check_is_fitted(self, "decoding_")
        columns = self.code_book_.matrix
        if isinstance(n_columns, bool) or not isinstance(n_columns, Integral) or n_columns < 1:
            raise ValueError(f"n_columns must be a positive integer; got {n_columns!r}.")
        k, l = columns.shape
        least = next(m for m in range(1, l + 1) if len(np.unique(columns[:, :m], axis=0)) == k)
        if not least <= n_columns <= l:
            raise ValueError(
                f"n_columns={n_columns} is not possible: of this code's {l} columns, the first {least} are needed to "
                "tell the classes apart."
            )
        model = copy(self)
        model.code_book_ = CodeBook(columns[:, :n_columns], self.code_book_.labels)
        model._dichotomizers = self._dichotomizers.first(int(n_columns))
        if self._recent:
            model._recent = (self._recent[0][:, :n_columns], *self._recent[1:])
            fitted_to, held_out, y, weight = model._recent[0], *model._recent
        else:
            fitted_to, held_out, y, weight = self._decoded
            fitted_to, held_out = (None if o is None else o[:, :n_columns] for o in (fitted_to, held_out))
            model._decoded = (fitted_to, held_out, y, weight)
        model.decoding_ = clone(self.decoding_).fit(model.code_book_, fitted_to, y, weight)
        model._calibrate(held_out, y, weight)
        return model

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each sample.

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
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import RidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> ECOCClassifier(RidgeClassifier(), coding="ovo").fit(X, y).predict(X[::50])
        array([0, 1, 2])
        """
        outputs = self._outputs_to_decode(X)
        rows = max(1, _BLOCK_SCORES // len(self.classes_))
        blocks = (outputs[start : start + rows] for start in range(0, len(outputs), rows))
        labels: NDArray[Any] = self.classes_[np.concatenate([self.decoding_.scores(f).argmax(axis=1) for f in blocks])]
        return labels

    def decision_function(self, X: Any) -> Array:
        """Score each class for each sample; the highest wins.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, the second one's score less the first one's.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import RidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(RidgeClassifier(), coding="ovo", decoding="hamming").fit(X, y)
        >>> model.decision_function(X[::50])  # share of the codeword's signs that the outputs have
        array([[1. , 0.5, 0. ],
               [0. , 1. , 0.5],
               [0. , 0.5, 1. ]])
        """
        scores = self._scores(X)
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Estimate the probability of each class for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one; the largest entry is that of the predicted class.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import RidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(RidgeClassifier(), coding="ova").fit(X, y)
        >>> model.predict_proba(X[[0, 133]]).round(1)
        array([[1. , 0. , 0. ],
               [0. , 0.6, 0.4]])
        """
        scores = self._scores(X)
        return np.asarray(softmax(scores * self.temperature_, axis=1))

    def outputs(self, X: Any, kind: Kind = "margins") -> Array:
        """Ask the dichotomizers: what a decoding is given to decide by.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        kind : {"margins", "signs", "probabilities"}, default="margins"
            Decision values, positive for the +1 side of a column; only their signs, where a zero is −1; or
            probabilities of the +1 side, of estimators that have them.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            The outputs, in the order of the code book's columns.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(LogisticRegression(max_iter=1000), coding="ovo").fit(X, y)
        >>> model.outputs(X[::50], "signs")
        array([[-1., -1., -1.],
               [ 1.,  1., -1.],
               [ 1.,  1.,  1.]])
        """
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be {', '.join(map(repr, get_args(Kind)))}; got {kind!r}.")
        check_is_fitted(self)
        return self._dichotomizers.outputs(self._validate(X, reset=False), kind)

    def validate(self, X: Any) -> Any:
        """Check samples as `predict` does."""
        return self._validate(X, reset=False)

    @property
    def fitted_(self) -> "FittedModel":
        """The trained parts."""
        check_is_fitted(self, "decoding_")
        return FittedModel(self.code_book_, self._dichotomizers, Decision(self.decoding_, self.temperature_))

    def _outputs_to_decode(self, X: Any) -> Array:
        check_is_fitted(self, "decoding_")
        return self._dichotomizers.outputs(self._validate(X, reset=False), self.decoding_.needs)

    def _scores(self, X: Any) -> Array:
        outputs = self._outputs_to_decode(X)
        scores: Array = self.decoding_.scores(outputs)
        return scores

    def _validate(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
        options: dict[str, Any] = {
            "accept_sparse": ["csr", "csc"],
            "ensure_all_finite": "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True,
            "reset": reset,
        }
        if isinstance(y, str) and y == "no_validation":
            return validate_data(self, X, **options)
        X, y = validate_data(self, X, y, **options)
        check_classification_targets(y)
        return X, y

    def _routed(self, method: str, X: Any, fit_params: dict[str, Any]) -> tuple[Array | None, dict[str, Any]]:
        """Sample weights and other parameters meant for the dichotomizers."""
        if routing_enabled():
            params = dict(process_routing(self, method, **fit_params).estimator[method])
            weight = params.pop("sample_weight", None)
        else:
            params = dict(fit_params)
            weight = params.pop("sample_weight", None)
            if params:
                raise TypeError(
                    f"{method} got {sorted(params)}; sklearn.set_config(enable_metadata_routing=True) and "
                    "estimator.set_fit_request(...) pass them on to the dichotomizers."
                )
        return (None if weight is None else check_sample_weight(weight, X, dtype=np.float64)), params

    def _begin_stream(self, X: Any, y: Any) -> None:
        """Make the code book, from the first batch if it has to come from data, and untrained dichotomizers."""
        from ecoc.dichotomies.stream import StreamDichotomizers

        needs_data = get_coding(self.coding).needs_data
        missing = np.setdiff1d(self.classes_, y)
        if needs_data and len(missing):
            raise ValueError(
                f"{type(get_coding(self.coding)).__name__} designs its code from the first batch, which lacks "
                f"{missing[:5].tolist()}; "
                "give a first batch with every class, or a coding that needs no data, e.g. coding='dense'."
            )
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=2)
        self._set_code(X if needs_data else None, y if needs_data else self.classes_, int(seeds[0]))
        self._dichotomizers = StreamDichotomizers(
            self.estimator, self.code_book_.matrix, self._column_seeds(int(seeds[1]))
        )
        self._recent = ()

    def _set_code(self, X: Any, y: Any, seed: int, cv: Any = None) -> None:
        """Build the code book and check that the estimators suit it and the decoding."""
        coding = get_coding(self.coding)
        learner = self.estimator[0] if isinstance(self.estimator, Sequence) else self.estimator
        book = coding.build(len(self.classes_), X, y, seed, learner, None if isinstance(cv, Integral) else cv)
        self.code_book_: CodeBook = book.with_labels(self.classes_.tolist())
        self.coding_ = coding
        self.design_ = getattr(coding, "design_", None)
        self.factorization_ = getattr(coding, "factorization_", None)
        listed = isinstance(self.estimator, Sequence)
        estimators = self.estimator if listed else [self.estimator]
        if listed and len(estimators) != self.code_book_.n_columns:
            raise ValueError(
                f"estimator lists {len(estimators)} estimators, but the code book has {self.n_columns_} columns."
            )
        if self._wanted_decoding().needs == "probabilities":
            lacking = [e for e in estimators if not offers_probabilities(e)]
            if lacking:
                raise ValueError(
                    f"decoding {self.decoding!r} needs probabilities, and {lacking[0]!r} has no predict_proba. Wrap it "
                    "in sklearn.calibration.CalibratedClassifierCV, or use another decoding, e.g. 'loss_weighted'."
                )

    def _training_cache(self) -> TrainingCache | None:
        if self.warm_start is True:
            self._cache = getattr(self, "_cache", None) or TrainingCache()
            return self._cache
        self._cache = None
        return self.warm_start or None

    @property
    def _wants_probabilities(self) -> bool:
        return self.probability or self._is_auto

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.decoding, str) and self.decoding == "auto"

    def _wanted_decoding(self, y: NDArray[np.intp] | None = None) -> Any:
        """The decoding, unfitted; "auto" is settled by what is known of the classes."""
        if not self._is_auto:
            return get_decoding(self.decoding)
        binary = len(getattr(self, "classes_", ())) == 2
        single = y is not None and 2 * np.count_nonzero(np.bincount(y) == 1) > len(self.classes_)
        return get_decoding("linear" if binary or single else "discriminant")

    def _column_seeds(self, seed: int) -> list[int] | None:
        """A seed for every column, of its own content and not its place; of equal ones each has another."""
        if self.random_state is None:
            return None
        seen: Counter[bytes] = Counter()
        seeds = []
        for column in (column.tobytes() for column in self.code_book_.matrix.T):
            seeds.append((seed + crc32(column, seen[column])) % 2**31)
            seen[column] += 1
        return seeds

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_cache"}

    def _fit_decoding(self, training: Training, cv: Any, seed: int) -> None:
        decoding, task = self._wanted_decoding(training.task.y), training.task
        calibrated = self._wants_probabilities and not decoding.gives_probabilities
        held_out = outputs = None
        if calibrated or decoding.fit_on == "out_of_fold":
            self._tell("computing out-of-fold outputs")
            held_out = outputs = out_of_fold_outputs(training, decoding.needs, cv, seed)
        if decoding.fit_on == "training":
            outputs = self._dichotomizers.outputs(task.X, decoding.needs)
        self.decoding_ = decoding.fit(self.code_book_, outputs, task.y, task.sample_weight)
        self._calibrate(held_out, task.y, task.sample_weight)
        # What a decoding of fewer columns is to be fitted to; of very many samples some.
        rows = slice(None, None, 1 + len(task.y) * self.n_columns_ // _MOST_OUTPUTS)
        parts = (outputs, None if held_out is outputs else held_out, task.y, task.sample_weight)
        kept = [None if part is None else part[rows].copy() for part in parts]
        self._decoded: tuple[Any, ...] = (kept[0], kept[0] if held_out is outputs else kept[1], *kept[2:])

    def _calibrate(self, outputs: Array | None, y: NDArray[np.intp], weight: Array | None = None) -> None:
        self.temperature_ = 1.0
        # Probabilities that a decoding learned from held-out outputs are still too sure, and calibrating them is free.
        learned = self.decoding_.fit_on == "out_of_fold"
        if outputs is not None and (learned if self.decoding_.gives_probabilities else self._wants_probabilities):
            some = slice(None, None, 1 + len(y) * len(self.classes_) // _MOST_SCORES)  # one number needs no more
            weight = None if weight is None else weight[some]
            self.temperature_ = fit_temperature(self.decoding_.scores(outputs[some]), y[some], weight)

    def _tell(self, news: str) -> None:
        if self.verbose:
            print(f"[ECOCClassifier] {news}", flush=True)

    @property
    def estimators_(self) -> list[Any]:
        """The fitted dichotomizers, one a column.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> model = ECOCClassifier(LogisticRegression(), coding="ova").fit(*load_iris(return_X_y=True))
        >>> [estimator.coef_.shape for estimator in model.estimators_]
        [(1, 4), (1, 4), (1, 4)]
        """
        if not hasattr(self, "_dichotomizers"):
            raise AttributeError("estimators_ is there after fit.")
        return list(self._dichotomizers.estimators)

    @property
    def n_columns_(self) -> int:
        """Number of columns of the code book."""
        if not hasattr(self, "code_book_"):
            raise AttributeError("n_columns_ is there after fit.")
        return self.code_book_.n_columns

    @property
    def n_support_per_column_(self) -> NDArray[np.int64]:
        """Number of support vectors of each dichotomizer, if these have any.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(SVC(), coding="ova", decoding="linear", probability=False).fit(X, y)
        >>> per_column = model.n_support_per_column_
        >>> per_column.shape, model.n_support_ <= sum(per_column.tolist())  # a sample may support several
        ((3,), True)
        """
        if not hasattr(self, "_dichotomizers") or (supports := self._dichotomizers.supports()) is None:
            raise AttributeError("n_support_per_column_ is there after fit of an estimator with support vectors.")
        return np.array([len(support) for support in supports])

    @property
    def n_support_(self) -> int:
        """Number of different support vectors over all dichotomizers, if these have any: the paper's complexity."""
        if not hasattr(self, "_dichotomizers") or (supports := self._dichotomizers.supports()) is None:
            raise AttributeError("n_support_ is there after fit of an estimator with support vectors.")
        return len(np.unique(np.concatenate(supports)))

    def get_metadata_routing(self) -> MetadataRouter:
        """Route fit parameters to the estimator.

        Returns
        -------
        MetadataRouter
            What `fit` and `partial_fit` hand on.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit").add(caller="partial_fit", callee="partial_fit")
        estimator = self.estimator[0] if isinstance(self.estimator, Sequence) else self.estimator
        return MetadataRouter(owner=self).add(estimator=estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        estimators = self.estimator if isinstance(self.estimator, Sequence) else [self.estimator]
        inner = [get_tags(estimator).input_tags for estimator in estimators]
        tags.input_tags.sparse = all(tag.sparse for tag in inner)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in inner)
        return tags
