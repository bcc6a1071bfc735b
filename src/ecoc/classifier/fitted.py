"""The fitted model (code book, trained binary classifiers, decision), and its attributes in the classifier."""

import warnings
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from ecoc.classifier.decision import Decision
from ecoc.classifier.linear_choice import LinearChoice
from ecoc.codes.codebook import CodeBook
from ecoc.decoding import Decoding
from ecoc.decoding.evidence import Classes
from ecoc.training.interfaces import Dichotomizers, Kind
from ecoc.utils.codewords import shortest_prefix
from ecoc.utils.interrupts import interruptible
from ecoc.utils.messages import some

Array = NDArray[np.float64]


@dataclass(eq=False)
class FittedModel:
    """Code book, binary classifiers and decision of a fitted :class:`~ecoc.ECOCClassifier`.

    Its methods take X as :meth:`ecoc.ECOCClassifier.validate` returns it.
    """

    codebook: CodeBook
    dichotomizers: Dichotomizers
    decision: Decision
    _joined: Any = field(default=None, init=False, repr=False)

    @interruptible()
    def outputs(self, X: Any, kind: Kind = "margins") -> Array:
        """Return an output for each sample and column."""
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be {', '.join(map(repr, get_args(Kind)))}; got {kind!r}.")
        return self.dichotomizers.outputs(X, kind)

    def outputs_to_decode(self, X: Any) -> Array:
        """Return outputs of the kind that the decoding needs."""
        return self.outputs(X, self.decision.decoding.needs)

    def of_longer(self, outputs: Array) -> Array:
        """Return what this model decodes of a longer code's outputs."""
        return outputs[:, : self.codebook.n_columns]

    @interruptible()
    def scores(self, X: Any) -> Array:
        """Return a score for each sample and class."""
        return self.decision.scores(self.outputs_to_decode(X))

    @interruptible()
    def probabilities(self, X: Any) -> Array:
        """Return a probability for each sample and class."""
        return self.decision.probabilities(self.outputs_to_decode(X))

    @interruptible()
    def choose(self, X: Any) -> Classes:
        """Return the class of each sample, as a row of the code book."""
        is_dense = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == np.float64
        if not is_dense or (linear := self._linear_choice()) is None:
            return self.decision.choose(self.outputs_to_decode(X))
        classes, unsure = linear.choose(X)
        if len(unsure):
            classes[unsure] = self.decision.choose(self.outputs_to_decode(X[unsure]))
        return classes

    def _linear_choice(self) -> LinearChoice | None:
        """Return linear models and decoding joined into one product, which is made once and never copied or saved."""
        parts = (self.dichotomizers, self.decision.decoding)
        joined: tuple[Any, LinearChoice | None] | None = self._joined
        if joined is None or any(a is not b for a, b in zip(parts, joined[0])):
            self._joined = joined = parts, LinearChoice.of(*parts)
        return joined[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_joined": None}

    @interruptible()
    def top(self, X: Any, n_best: int, probabilities: bool) -> tuple[Classes, Array]:
        """Return the best classes of each sample, with their scores or probabilities."""
        k = self.codebook.n_classes
        if isinstance(n_best, bool) or not isinstance(n_best, Integral) or not 1 <= n_best <= k:
            raise ValueError(f"n_best must be an integer from 1 to {k}, the number of classes; got {n_best!r}.")
        return self.decision.top(self.outputs_to_decode(X), int(n_best), probabilities)

    def set_members(self, X: Any, confidence: float, classes: Any = ()) -> NDArray[np.bool_]:
        """Tell which classes belong to the set of each sample."""
        if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < confidence < 1:
            raise ValueError(f"confidence must be a number between 0 and 1; got {confidence!r}.")
        thresholds = self.decision.set_predictor().thresholds(float(confidence), classes)
        rare = self.codebook.labels[[c for c in classes if np.isinf(thresholds[c])]].tolist()
        if rare:
            warnings.warn(
                f"Classes {some(rare)} had too few training samples for a promise of their own, and are in every set; "
                f"{confidence:.0%} for a class takes about {1 / (1 - confidence):.0f} samples.",
                UserWarning,
                stacklevel=3,
            )
        return np.asarray(1.0 - self.decision.set_probabilities(self.outputs_to_decode(X)) <= thresholds)

    def disagreements(self, X: Any) -> NDArray[np.int64]:
        """Count the columns whose output disagrees with the codeword of the chosen class."""
        codewords = self.codebook.matrix[self.choose(X)]
        return np.asarray((self.outputs(X, "signs") * codewords < 0).sum(axis=1))

    def first(self, n_columns: int) -> "FittedModel":
        """Return the model of the first columns; its decision is fitted to the outputs of these columns."""
        if isinstance(n_columns, bool) or not isinstance(n_columns, Integral) or n_columns < 1:
            raise ValueError(f"n_columns must be a positive integer; got {n_columns!r}.")
        n_columns, matrix = int(n_columns), self.codebook.matrix
        least = shortest_prefix(matrix)
        if least is None or not least <= n_columns <= matrix.shape[1]:
            raise ValueError(
                f"n_columns={n_columns} is not possible: of this code's {matrix.shape[1]} columns, the first {least} "
                "are needed to tell the classes apart."
            )
        codebook = CodeBook(matrix[:, :n_columns], self.codebook.labels)
        return FittedModel(codebook, self.dichotomizers.first(n_columns), self.decision.first(codebook))


class FittedAttributes:
    """Attributes of the classifier that exist after `fit`, read from the fitted model."""

    fitted_: FittedModel
    coding_: Any
    predict_proba: Any

    @property
    def code_book_(self) -> CodeBook:
        """The code book, with class labels."""
        return self._fitted("code_book_").codebook

    @property
    def decoding_(self) -> Decoding:
        """The fitted decoding."""
        return self._fitted("decoding_").decision.decoding

    @property
    def decoding_trials_(self) -> dict[str, list[Any]] | None:
        """What ``decoding="auto"`` compared."""
        return self._fitted("decoding_trials_").decision.trials

    @property
    def temperature_(self) -> float:
        """Factor of the scores in `predict_proba`."""
        return self._fitted("temperature_").decision.calibration.temperature

    @property
    def doubt_(self) -> float:
        """Share of the probability in `predict_proba` that all classes share equally."""
        return self._fitted("doubt_").decision.calibration.doubt

    @property
    def design_(self) -> Array | None:
        """Design matrix, if the coding has one."""
        self._fitted("design_")
        return getattr(self.coding_, "design_", None)

    @property
    def factorization_(self) -> Any:
        """The factorization behind the code book, if the coding has one."""
        self._fitted("factorization_")
        return getattr(self.coding_, "factorization_", None)

    @property
    def estimators_(self) -> list[Any]:
        """The fitted binary classifiers, one for each column."""
        return list(self._fitted("estimators_").dichotomizers.estimators)

    @property
    def n_columns_(self) -> int:
        """Number of columns of the code book."""
        return self._fitted("n_columns_").codebook.n_columns

    @property
    def n_support_per_column_(self) -> NDArray[np.int64]:
        """Number of support vectors of each binary classifier, if these have any."""
        return np.array([len(support) for support in self._supports("n_support_per_column_")])

    @property
    def n_support_(self) -> int:
        """Number of different support vectors over all binary classifiers, if any (the paper's complexity)."""
        return len(np.unique(np.concatenate(self._supports("n_support_"))))

    @available_if(lambda self: hasattr(self, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of the probabilities of `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms, −inf for a probability of zero.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _fitted(self, name: str) -> FittedModel:
        if "fitted_" not in self.__dict__:
            raise AttributeError(f"{name} is there after fit.")
        fitted: FittedModel = self.fitted_
        return fitted

    def _supports(self, name: str) -> list[NDArray[np.intp]]:
        supports = self._fitted(name).dichotomizers.supports()
        if supports is None:
            raise AttributeError(f"{name} is there after fit of an estimator with support vectors.")
        return supports
