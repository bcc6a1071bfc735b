"""Attributes of a fitted classifier: code book, decoding, binary classifiers and support vectors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.classifier.fitted import FittedModel
from ecoc.codes.codebook import CodeBook
from ecoc.decoding import Decoding

Array = NDArray[np.float64]


class FittedAttributes:
    """Attributes that are there after `fit`, read from the fitted model."""

    fitted_: FittedModel
    coding_: Any

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
        """Number of different support vectors over all binary classifiers, if they have any: the paper's complexity."""
        return len(np.unique(np.concatenate(self._supports("n_support_"))))

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
