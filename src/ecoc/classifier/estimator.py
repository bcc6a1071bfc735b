"""The multi-class classifier built from binary ones: parameters, fit, predict, routing and tags."""

import time
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ecoc.classifier.additions import ClassChanges
from ecoc.classifier.fitted import FittedAttributes
from ecoc.classifier.fitting import Settings, column_seeds, fit_model, make_code
from ecoc.classifier.growth import announced_labels
from ecoc.classifier.inputs import allows_nan, check_probabilities, check_X, check_X_y, listed, make_samples, rows_of
from ecoc.classifier.least_cost import check_costs, labels_with_rejections, with_plain_costs, with_rejection
from ecoc.classifier.on_dask import OnDask, is_dask, lazily
from ecoc.classifier.out_of_core import FromBatches, check_alone
from ecoc.classifier.stream import Stream, check_first_batch
from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import ECF, Coding, OneVsAll, OneVsOne, Plain, get_coding
from ecoc.decoding import Decoding, get_decoding
from ecoc.decoding.choice import LEARNED
from ecoc.decoding.costs import least_expected_cost
from ecoc.policy import Plan, make_plan
from ecoc.training import TrainingCache
from ecoc.training.choosing import choose_path, on_numbered_rows
from ecoc.training.interfaces import Kind, Options, Task
from ecoc.training.plain import PlainStream
from ecoc.training.stream import Rivals, StreamDichotomizers
from ecoc.utils.batches import Batches
from ecoc.utils.estimators import Estimator
from ecoc.utils.interrupts import all_at_once, interruptible
from ecoc.utils.scikit import HasMethods, Interval, StrOptions, check_sample_weight, get_tags, routing_enabled

Array = NDArray[np.float64]

_MOST_PLANNED = 100  # classes up to which `plan` makes the code of one-vs-all and one-vs-one


def _has_probabilities(self: "ECOCClassifier") -> bool:
    """Tell whether there are probabilities: by the fitted decision, else by the parameters."""
    decision = self.fitted_.decision if "fitted_" in vars(self) else None
    calibrates = self._calibrates if decision is None else decision.calibrates
    if calibrates or (decision.decoding if decision else get_decoding(self.decoding)).gives_probabilities:
        return True
    raise AttributeError(f"predict_proba of decoding={self.decoding!r} needs probability=True in the constructor.")


def _can_partial_fit(self: "ECOCClassifier") -> bool:
    return all(hasattr(estimator, "partial_fit") for estimator in listed(self.estimator))


def _part_by_name(part: str, name: str) -> Coding | Decoding:
    """Return the coding or decoding with a name; for "auto", the one whose parameters can be set before fit."""
    if part == "coding":
        return ECF() if name == "auto" else get_coding(name)
    return get_decoding(LEARNED if name == "auto" else name)


class ECOCClassifier(FittedAttributes, ClassChanges, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multi-class classifier built from binary ones, by error-correcting output codes.

    A coding gives every class a codeword. One binary classifier is trained for every column of the code book. A
    decoding finds the class whose codeword fits the outputs of the binary classifiers best.

    Parameters
    ----------
    estimator : estimator, or list of estimators
        Binary classifier, or regressor, which is trained on targets ±1 (on all columns in one call if it takes several
        targets). A list has one estimator for each column.
    coding : str, Coding, CodeBook or array-like, default="auto"
        How to make the code book: a name (``ecf ova ovo dense sparse rand spectral discriminant exhaustive ordinal
        hadamard minimal plain``), a coding such as ``ECF(allocation="hard")``, or the code book itself. ``"auto"``
        chooses by the number of classes, the samples and the kind of learner: `plan` gives the choice and its reasons
        before anything is trained. ``"plain"`` is the learner's own multi-class fit. Where a code may be worse,
        held-out samples choose between the two, and `coding_trials_` has the figures. `coding_` is the chosen coding.
    decoding : str or Decoding, default="auto"
        How to score classes from outputs: a name (``hamming euclidean attenuated_euclidean inverse_hamming laplacian
        beta_density linear exponential hinge logistic squared loss_weighted loss_weighted_linear centroid probabilistic
        discriminant structured``) or a decoding. ``"auto"`` chooses between ``"linear"``, which compares outputs with
        codewords (votes, if the code leaves classes out), ``"discriminant"``, which learns what the outputs of each
        class look like, and ``"structured"``, which starts from the code and learns as many corrections as the samples
        allow. A learned decoding is considered if it predicts held-out samples better than the class frequencies do, by
        more than three standard errors. It is taken if its log-loss or accuracy is then better than that of codewords
        by more than a standard error, and the other metric is not significantly worse. `decoding_trials_` has the
        figures. Some learners and codes are decoded without trying; `plan` says when.
    costs : mapping, DataFrame or array-like of shape (n_classes, n_classes), default=None
        What errors cost: rows are true classes, columns are predictions. A mapping from pairs ``(true, predicted)`` has
        the cost 1 for all errors that it does not name. `predict` then returns the class of least expected cost;
        `predict_proba` does not change. None: every error costs 1, and `predict` returns the most probable class.
    reject_cost : float, default=None
        Cost of the answer "don't know". `predict` gives this answer, `reject_label`, if every class is expected
        to cost more. None: `predict` always names a class.
    reject_label : object, default=None
        Label of that answer. Labels that are numbers need a number, e.g. −1.
    probability : bool or "auto", default="auto"
        Whether to calibrate probabilities for a decoding that has only scores, such as ``"linear"`` or ``"hamming"``.
        Its scores are calibrated on held-out outputs, which may take more training; see `cv`. ``"auto"`` postpones this
        until you first ask for probabilities, or copy or save the classifier, and keeps a copy of the training samples
        until then. True does it in `fit`. False: there are no probabilities. Decoding ``"auto"``, and decodings that
        give probabilities, always have them.
    cv : "auto", int, splitter or list of pairs, default="auto"
        How to get held-out outputs, which choose the decoding, calibrate probabilities and sets, and train learned
        decodings. Each comes from a model that was trained without the sample. ``"auto"`` uses stratified folds: ten
        with fewer than 100 samples, five with fewer than 500, three otherwise; ridge regression and kernel ridge
        regression with fewer than 500 samples use 20. Three kinds of learners differ: forests and bagging with 20
        members or more use out-of-bag outputs. Boosters use the samples that stop boosting early; without early
        stopping, boosters of one half of the samples predict the other half, from 200 samples on. Single trees always
        use three folds, and the mean of the three trees is the classifier of the column. A number means that many
        stratified folds. A splitter, or pairs of training and test rows, are your own folds: all choices that compare
        held-out samples use them. See also `groups` of :meth:`fit`.
    kernel_memory : float, default=None
        Bytes that the Gram matrix of an `SVC` may take. If it fits, all binary classifiers share it. None: a quarter of
        the free memory.
    keep_outputs : bool, default=False
        Whether copies and saved files of the fitted classifier hold the outputs and labels of its training samples.
        `truncate` needs them if the decoding learns. The fitted object itself always has them.
    warm_start : bool or TrainingCache, default=False
        Whether a refit on the same samples reuses earlier work: the designed code, the trained columns that both codes
        have, and the Gram matrix of support vector classifiers that differ only in C. Results equal those of a fresh
        fit. A :class:`TrainingCache` is shared by several classifiers.
    new_classes : {"error", "add"}, default="error"
        What :meth:`partial_fit` does with labels that were not announced. ``"add"`` adds them as classes. Only a code
        can do this, so ``coding="auto"`` is then never the learner's own fit. See :meth:`add_classes`.
    n_jobs : int, default=None
        Number of binary classifiers trained in parallel. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the coding, of the folds, and of estimators whose own `random_state` is None.
    verbose : int, default=0
        From 1 on, print progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    code_book_ : CodeBook
        The code, with the class labels.
    n_columns_ : int
        Number of columns of the code, and of binary classifiers.
    estimators_ : list of estimators
        The fitted binary classifiers, one for each column. Equal columns share one. All columns
        share one if the estimator takes several targets in one call.
    coding_, decoding_ : Coding, Decoding
        The fitted coding and decoding.
    coding_trials_ : dict of lists or None
        What ``coding="auto"`` compared: the code and the learner's own multi-class fit, with their accuracy on held-out
        samples and its standard error. None if it did not compare.
    decoding_trials_ : dict of lists or None
        What ``decoding="auto"`` compared: decodings, their log-loss and accuracy on held-out samples, and the standard
        error of the accuracy.
    design_ : ndarray of shape (n_classes, n_classes), or None
        Design matrix, if the coding has one.
    design_features_ : str
        How a coding that needs data got its features, if not from X itself: by the steps of a pipeline, or by imputing
        and encoding for the design alone.
    factorization_ : Factorization or None
        The factorization behind the code book, if the coding has one.
    protection_ : ProtectionReport or None
        The effect of ``ECF(protect=…)``: confusions of the pairs and accuracy on held-out samples, without and with the
        protecting columns, and whether they were kept. None if no pair is protected.
    cost_matrix_ : ndarray of shape (n_classes, n_classes) or None
        Costs of true classes (rows) when a class (column) is predicted; None without `costs` and `reject_cost`.
    temperature_, doubt_ : float
        How scores become probabilities in `predict_proba`: the factor of the scores, and the share of the probability
        that all classes share equally, because confident scores may be wrong.
    plan_ : Plan
        What the rules decided, and why: coding, decoding and held-out outputs. `plan` returns it before `fit`.
    fitted_ : FittedModel
        Code book, binary classifiers and decision together.
    n_support_ : int
        Number of different support vectors over all binary classifiers. Only if the estimator has any.
    n_support_per_column_ : ndarray of shape (n_columns,)
        Number of support vectors of each binary classifier. Only if the estimator has any.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if X has them.

    See Also
    --------
    ecoc.confusion_report : Compare what the code promised each pair of classes with what happened.
    ecoc.TrainingCache : Share trained binary classifiers between classifiers.
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
        "costs": [object],
        "reject_cost": [None, Interval(Real, 0, None, closed="left")],
        "reject_label": [object],
        "probability": ["boolean", StrOptions({"auto"})],
        "cv": [
            StrOptions({"auto"}),
            Interval(Integral, 2, None, closed="left"),
            HasMethods(["split", "get_n_splits"]),
            list,
            tuple,
        ],
        "kernel_memory": [None, Real],
        "keep_outputs": ["boolean"],
        "warm_start": ["boolean", TrainingCache],
        "new_classes": [StrOptions({"error", "add"})],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    # The estimator, not this class, requests the weights that `fit` hands on.
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}
    __metadata_request__partial_fit: ClassVar = {"sample_weight": UNUSED}

    def __init__(
        self,
        estimator: Estimator | Sequence[Estimator],
        *,
        coding: Coding | CodeBook | str | ArrayLike = "auto",
        decoding: Decoding | str = "auto",
        costs: Any = None,
        reject_cost: float | None = None,
        reject_label: Any = None,
        probability: bool | str = "auto",
        cv: Any = "auto",
        kernel_memory: float | None = None,
        keep_outputs: bool = False,
        warm_start: bool | TrainingCache = False,
        new_classes: str = "error",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.coding = coding
        self.decoding = decoding
        self.costs = costs
        self.reject_cost = reject_cost
        self.reject_label = reject_label
        self.probability = probability
        self.cv = cv
        self.kernel_memory = kernel_memory
        self.keep_outputs = keep_outputs
        self.warm_start = warm_start
        self.new_classes = new_classes
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
        for part in ("coding", "decoding"):
            given = params.get(part, getattr(self, part))
            if isinstance(given, str) and any(name.startswith(f"{part}__") for name in params):
                params[part] = _part_by_name(part, given)
        super().set_params(**params)
        return self

    @all_at_once
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Make the code book and train its binary classifiers.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), texts, or Batches
            Training data. A pipeline, or a learner that is not scikit-learn's own, gets data frames and texts as they
            are. :class:`ecoc.Batches`, and Dask arrays and data frames of numbers, need not fit into memory; the
            learner must be XGBClassifier. Dask needs a client, and a Dask array or series for `y`.
        y : array-like of shape (n_samples,)
            Class labels; None for batches, which have them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, given to every binary classifier and to all that held-out samples decide. With metadata routing
            enabled, the estimator must request them.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples that are alike, such as frames of one film. Whole groups are then held out to make choices
            and to calibrate probabilities and sets: in five folds if `cv` is ``"auto"``, or in as many as `cv` says. A
            learned decoding still learns from outputs that ignore groups, which makes it more accurate. If `cv` is a
            splitter, it gets the groups, and its folds are used for everything.
        **fit_params : dict
            With metadata routing enabled, whatever the estimator requests.

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

        Samples with weight 0 are left out:

        >>> import numpy as np
        >>> model = ECOCClassifier(RidgeClassifier(), random_state=0)
        >>> by_weight = model.fit(X, y, sample_weight=np.arange(150) % 2).predict(X)
        >>> np.array_equal(by_weight, model.fit(X[1::2], y[1::2]).predict(X))
        True
        """
        start = time.perf_counter()
        self._validate_params()
        if isinstance(X, Batches):
            check_alone(y, sample_weight, groups, fit_params or None)
            return self._fit_by_parts(FromBatches(X))
        if is_dask(X):
            return self._fit_by_parts(OnDask(self.estimator, X, y, sample_weight, groups, fit_params or None))
        X, y = check_X_y(self, X, y, listed(self.estimator), reset=True)
        self.classes_, indices = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"The data has one class only, {self.classes_.tolist()[0]!r}; a classifier needs at least two."
            )
        self._note_costs()
        weight, params = self._routed("fit", X, sample_weight, fit_params)
        settings = self._settings()
        pairwise = bool(get_tags(self).input_tags.pairwise)
        samples = make_samples(X, y, indices, weight, params, self.cv, groups, pairwise)
        made = fit_model(settings, self._planned(X, samples.task.y), samples)
        self.plan_, (self.coding_, _, self.design_features_), self.fitted_, self.protection_, self.coding_trials_ = made
        self._stream: Stream | None = None
        if self.verbose:
            print(f"[ECOCClassifier] trained in {time.perf_counter() - start:.1f} s", flush=True)
        return self

    def plan(self, X: Any, y: Any) -> Plan:
        """Say what `fit` would do with these samples, and why, without training anything.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or texts
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        Plan
            Coding, decoding and held-out outputs, with a reason for each that you did not choose yourself.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> ECOCClassifier(SVC()).plan(*load_iris(return_X_y=True))
        Plan for SVC (kernel machine), 3 classes, 150 samples
          coding: OneVsAll(), because one-vs-all is as accurate as a designed code, and cheaper to fit
          training: on one Gram matrix
          held-out outputs: 5 folds, because each fold takes a smaller share of the samples
          decoding: LossBased(), because a learned decoding gains nothing from so few samples
        """
        self._validate_params()
        asked = copy(self)
        X, y = check_X_y(asked, X, y, listed(self.estimator), reset=True)
        asked.classes_, indices = np.unique(y, return_inverse=True)
        plan, k = asked._planned(X, indices), len(asked.classes_)
        if not isinstance(plan.coding, OneVsAll | OneVsOne | Plain) or k > _MOST_PLANNED:
            return plan.with_code(None)
        code = plan.coding.build(k).matrix
        path = choose_path(
            on_numbered_rows(self.estimator),
            Task(code, X, indices),
            Options(kernel_memory=self.kernel_memory, plain=plan.coding.trains_one_model),
        )
        return replace(plan.with_code(code), training=path.name)

    @available_if(_can_partial_fit)  # type: ignore[untyped-decorator]
    @all_at_once
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Learn from one batch of a stream.

        After `fit`, batches train the binary classifiers only: the code and the decoding stay those of `fit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The batch.
        y : array-like of shape (n_samples,)
            Its labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed at the first call. ``coding="auto"`` is one-vs-all, or naive Bayes by
            itself where this is clearly better on samples that it has not learned yet. A coding that needs data (such
            as ECF) sees the first batch only, which must then hold every class. With ``new_classes="add"``, other
            labels may come at any time, and ``coding="auto"`` is a dense random code.
        sample_weight : array-like of shape (n_samples,), default=None
            As for `fit`.
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
        self._validate_params()
        first = not hasattr(self, "fitted_")
        X, y = check_X_y(self, X, y, listed(self.estimator), reset=first)
        announced, is_new = announced_labels(y, classes, None if first else self.classes_, self.new_classes)
        if not first and self._learns_extended(is_new):
            self._learn_extended(X, y, sample_weight, fit_params)
            return self
        weight, params = self._routed("partial_fit", X, sample_weight, fit_params)
        if first:
            self.classes_ = announced
            self._note_costs()
            codebook, models = self._begin_stream(X, y, self._planned(X, np.searchsorted(announced, y), streams=True))
            self._stream, decision = None, None
        else:
            decision = self.fitted_.decision
            codebook, models, self._stream = self._resumed(X, y)
            if is_new:
                self.classes_ = announced
                self._note_costs()
        task = Task(codebook.matrix, X, np.searchsorted(self.classes_, y), weight, params)
        plan = self._planned(X, task.y, self.coding_, streams=True).with_code(codebook.matrix)
        self.plan_ = replace(plan, training="by partial_fit")
        stream = self._stream or Stream(self.keep_outputs)
        judging = plan.with_held_out(stream.n_recent + len(y)).judging
        self._stream, self.fitted_ = stream.learn(
            models, codebook, decision, task, self.plan_.decoding, calibrates=self._calibrates, judging=judging
        )
        if isinstance(models, Rivals):
            self.coding_ = Plain() if isinstance(self.fitted_.dichotomizers, PlainStream) else OneVsAll()
            why = f"on samples not learned yet, the learner itself is {models.gain.mean():+.1%} above one-vs-all"
            self.plan_ = replace(self.plan_, coding=self.coding_).because_of("coding", why)
        return self

    def truncate(self, n_columns: int) -> "ECOCClassifier":
        """Return a classifier with the first columns only, for faster prediction, without training anything.

        A refined :class:`~ecoc.ECF` code (with fewer columns than classes) has its best columns first, so its first
        columns are about as good as a code designed for that length. The decoding is fitted to the outputs of these
        columns. A copy of the classifier, such as a saved one, holds these outputs only with ``keep_outputs=True``.

        Parameters
        ----------
        n_columns : int
            Number of columns to keep; they must tell all classes apart.

        Returns
        -------
        ECOCClassifier
            A fitted classifier; the original stays as it is.

        See Also
        --------
        ecoc.inspection.LengthDisplay : Plot how accurate the classifier is at each length.

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
        check_is_fitted(self, "fitted_")
        model = copy(self)
        model.fitted_ = self.fitted_.first(n_columns)
        model._stream = None if self._stream is None else self._stream.first(int(n_columns))
        return model

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or Batches
            Samples. For a Dask array or data frame, the result is a Dask array, which is computed when it is needed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels: the most probable classes or, with `costs`, those of least expected cost; `reject_label`
            where "don't know" costs less.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import RidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> ECOCClassifier(RidgeClassifier(), coding="ovo").fit(X, y).predict(X[::50])
        array([0, 1, 2])
        """
        if isinstance(X, Batches):
            return np.concatenate([self.predict(part) for part, _ in X])
        if is_dask(X):
            return lazily(self, "predict", X)
        X, fitted = self.validate(X), self.fitted_
        chosen = fitted.choose(X) if self.cost_matrix_ is None else self.choose(fitted.outputs_to_decode(X))
        return labels_with_rejections(self.classes_, chosen, self._rejection[1])

    @interruptible()
    def choose(self, outputs: Array) -> NDArray[np.intp]:
        """Decide as `predict` does, from outputs.

        Parameters
        ----------
        outputs : ndarray of shape (n_samples, n_columns)
            Outputs of the kind that the decoding needs, from `fitted_`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Rows of the code book; −1 for a sample that is rejected.
        """
        decision = self.fitted_.decision
        if self.cost_matrix_ is None:
            return decision.choose(outputs)
        return least_expected_cost(decision.probabilities(outputs), self.cost_matrix_, self._rejection[0])

    def decision_function(self, X: Any) -> Array:
        """Score each class for each sample; the highest wins.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, the score of the second minus the score of the first.

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
        X = self.validate(X)
        scores = self.fitted_.scores(X)
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Estimate the probability of each class for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. As with `predict`, the result for a Dask collection is a Dask array.

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
        >>> model = ECOCClassifier(RidgeClassifier(), coding="ova", random_state=0).fit(X, y)
        >>> model.predict_proba(X[[0, 133]]).round(1)
        array([[1. , 0. , 0. ],
               [0. , 0.7, 0.3]])
        """
        if is_dask(X):
            return lazily(self, "predict_proba", X)
        X = self.validate(X)
        return self.fitted_.probabilities(X)

    def predict_top(self, X: Any, n_best: int = 5, *, probabilities: bool = False) -> tuple[NDArray[Any], Array]:
        """Predict the best classes of each sample, without a matrix of the scores of all samples and classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        n_best : int, default=5
            Number of classes for each sample.
        probabilities : bool, default=False
            Whether to return probabilities, as `predict_proba` does, instead of scores, as `decision_function` does.

        Returns
        -------
        labels : ndarray of shape (n_samples, n_best)
            Class labels, the best first. `costs` is ignored.
        values : ndarray of shape (n_samples, n_best)
            Scores or probabilities of these classes.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import RidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(RidgeClassifier(), coding="ova", random_state=0).fit(X, y)
        >>> labels, values = model.predict_top(X[[0, 133]], 2, probabilities=True)
        >>> labels, values.round(1)
        (array([[0, 1],
               [1, 2]]), array([[1. , 0. ],
               [0.7, 0.3]]))
        """
        X = self.validate(X)
        if probabilities:
            _has_probabilities(self)
        chosen, values = self.fitted_.top(X, n_best, probabilities)
        return self.classes_[chosen], values

    def predict_sets(self, X: Any, confidence: float = 0.9, *, by_class: bool | ArrayLike = False) -> NDArray[np.bool_]:
        """Predict, for each sample, a set of classes that holds the true class with a promised probability.

        The promise holds for samples like the training samples: of many sets, a share of about `confidence` or more
        holds the true class; with `sample_weight`, a share of the weighted population. If there are too few training
        samples for the promise, every set has all classes. An empty set means that no class is plausible, e.g. for a
        sample of an unknown class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        confidence : float, default=0.9
            Promised share of sets that hold the true class, between 0 and 1.
        by_class : bool or array-like of labels, default=False
            Classes for which the promise holds for their own samples, not only on average: all with True, or those
            named. A warning names classes that have too few samples for any promise; they are in every set.

        Returns
        -------
        bool ndarray of shape (n_samples, n_classes)
            Members of each set, in the order of `classes_`.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(SVC(), random_state=0).fit(X, y)
        >>> sets = model.predict_sets(X[[0, 70]], confidence=0.99)
        >>> [model.classes_[members].tolist() for members in sets]
        [[0], [1, 2]]
        """
        X = self.validate(X)
        return self.fitted_.set_members(X, confidence, rows_of(by_class, self.classes_, "by_class"))

    def codeword_distance(self, X: Any) -> NDArray[np.int64]:
        """Count the columns whose output disagrees with the codeword of the most probable class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of columns. Large numbers mean that the outputs resemble no codeword.
        """
        X = self.validate(X)
        return self.fitted_.disagreements(X)

    def outputs(self, X: Any, kind: Kind = "margins") -> Array:
        """Return the outputs of the binary classifiers, from which the decoding decides.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        kind : {"margins", "signs", "probabilities"}, default="margins"
            Decision values, positive for the +1 side of a column; only their signs, where zero counts as −1; or
            probabilities of the +1 side, if the estimators have them.

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
        return self.fitted_.outputs(self.validate(X), kind)

    def validate(self, X: Any) -> Any:
        """Check samples as `predict` does.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray or sparse matrix
            The samples as the binary classifiers take them, and as the methods of `fitted_` do.
        """
        if not hasattr(self, "fitted_"):  # else the check would collect the tags of the learner, as long as a row takes
            check_is_fitted(self, "fitted_")
        return check_X(self, X, listed(self.estimator), reset=False)

    def _fit_by_parts(self, table: FromBatches | OnDask) -> Self:
        """Fit to data that need not fit into memory."""
        found = table.survey(int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)))
        (X, y, _), self.classes_ = found.design, found.classes
        check_X_y(self, X, self.classes_[y], listed(self.estimator), reset=True)
        self._note_costs()
        made = table.fit(self._settings(), self._planned(X, y), found)
        self.plan_, (self.coding_, _, self.design_features_), self.fitted_, self.protection_, self.coding_trials_ = made
        self._stream = Stream(self.keep_outputs)
        return self

    def _routed(
        self, method: str, X: Any, weight: ArrayLike | None, fit_params: dict[str, Any]
    ) -> tuple[Array | None, dict[str, Any]]:
        """Return sample weights, and other parameters meant for the binary classifiers."""
        params = fit_params
        if routing_enabled():
            given = fit_params if weight is None else {**fit_params, "sample_weight": weight}
            params = dict(process_routing(self, method, **given).estimator[method])
            weight = params.pop("sample_weight", None)
        elif params:
            raise TypeError(
                f"{method} got {sorted(params)}; sklearn.set_config(enable_metadata_routing=True) and "
                "estimator.set_fit_request(...) pass them on to the binary classifiers."
            )
        return (None if weight is None else check_sample_weight(weight, X, dtype=np.float64)), params

    def _planned(self, X: Any, y: NDArray[np.intp], coding: Any = None, streams: bool = False) -> Plan:
        """Return the plan for samples of numbered classes."""
        coding, k = self.coding if coding is None else coding, len(self.classes_)
        adds = self.new_classes == "add"
        plan = make_plan(
            *(self.estimator, coding, self.decoding, y, k), sparse=issparse(X), cv=self.cv, streams=streams, grows=adds
        )
        if not self._is_auto and plan.decoding is not None:
            check_probabilities(self.estimator, plan.decoding)
        return plan

    def _begin_stream(self, X: Any, y: Any, plan: Plan) -> tuple[CodeBook, StreamDichotomizers | PlainStream | Rivals]:
        """Return the code book and untrained models; a coding that needs data makes its code from the first batch."""
        check_first_batch(plan.coding, self.classes_, y)
        settings = self._settings()
        uncached = replace(settings, options=replace(settings.options, cache=None))
        code = make_code(uncached, plan, X, y if plan.coding.needs_data else self.classes_)
        self.coding_, self.design_features_ = code.coding, code.features
        self.protection_ = self.coding_trials_ = None
        seeds = column_seeds(code.book.matrix, settings.seeds[1]) if settings.seeds_columns else None
        if not (code.coding.trains_one_model or plan.compares_plain):
            return code.book, StreamDichotomizers(self.estimator, code.book.matrix, seeds)
        plain = PlainStream.begin(self.estimator, code.book.matrix, None if seeds is None else seeds[0])
        if code.coding.trains_one_model:
            return code.book, plain
        return code.book, Rivals(StreamDichotomizers(self.estimator, code.book.matrix, seeds), plain)

    def _settings(self) -> Settings:
        """Return the settings of a fit; with `warm_start=True`, keep its cache for the next fit."""
        cache: TrainingCache | None = None
        if isinstance(self.warm_start, TrainingCache):
            cache = self.warm_start
        elif self.warm_start:
            cache = getattr(self, "_cache", None) or TrainingCache()
        self._cache = cache
        design_seed, seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=2).tolist()
        return Settings(
            estimator=self.estimator,
            classes=self.classes_,
            cv=self.cv,
            options=Options(None, self.n_jobs, self.verbose, self.kernel_memory, cache),
            seeds=(design_seed, seed),
            seeds_columns=self.random_state is not None,
            calibrates=self._calibrates,
            calibrates_now=self.probability is True or self.cost_matrix_ is not None,
            keeps_outputs=self.keep_outputs,
            costs=self.cost_matrix_,
            reject_cost=self.reject_cost,
        )

    def _note_costs(self) -> None:
        """Check costs and rejection, and keep them as they are now."""
        self.cost_matrix_, self._rejection = None, (self.reject_cost, self.reject_label)
        if self.costs is None and self.reject_cost is None:
            return
        self.cost_matrix_ = check_costs(self.costs, self.reject_cost, self.reject_label, self.classes_)
        if not (self._calibrates or get_decoding(self.decoding).gives_probabilities):
            raise ValueError("costs and reject_cost need probabilities: set probability=True.")

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.decoding, str) and self.decoding == "auto"

    @property
    def _calibrates(self) -> bool:
        return bool(self.probability) or self._is_auto

    def __getstate__(self) -> dict[str, Any]:
        return with_plain_costs({name: value for name, value in super().__getstate__().items() if name != "_cache"})

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_rejection(state))

    def get_metadata_routing(self) -> MetadataRouter:
        """Route fit parameters to the estimator.

        Returns
        -------
        MetadataRouter
            What `fit` and `partial_fit` pass on.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit").add(caller="partial_fit", callee="partial_fit")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=listed(self.estimator)[0], method_mapping=mapping)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        estimators = listed(self.estimator)
        inner = [get_tags(each).input_tags for each in estimators if hasattr(each, "__sklearn_tags__")]
        tags.input_tags.sparse = all(each.sparse for each in inner)
        tags.input_tags.pairwise = any(each.pairwise for each in inner)
        tags.input_tags.allow_nan = all(map(allows_nan, estimators))
        return tags
