"""No code: the learner's own multi-class fit."""

from typing import Any

import numpy as np

from ecoc.codes.coding.coding import Code, Coding


class Plain(Coding):
    """The learner's own multi-class fit, behind the interface of a code.

    One model is trained on all classes. The code book is that of one-vs-all, and the output of a column is how far the
    score of its class is ahead of the best other one. So probabilities, sets, costs, rejection and reports work as with
    a code, and `predict` is the learner's own.

    See Also
    --------
    ecoc.OneVsAll : A model for each class.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(GaussianNB(), coding="plain").fit(X, y)
    >>> bool((model.predict(X) == GaussianNB().fit(X, y).predict(X)).all())
    True
    """

    trains_one_model = True
    usual_decoding = "linear"

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return 2 * np.eye(n_classes, dtype=np.int8) - 1
