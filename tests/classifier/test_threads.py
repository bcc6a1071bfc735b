"""Do results depend on the number of BLAS threads?"""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ecoc import ECOCClassifier


@pytest.mark.parametrize("estimator", [SVC(), LogisticRegression()])
def test_scores_do_not_depend_on_blas_threads(estimator):
    X, y = make_classification(1500, 120, n_informative=40, n_classes=12, n_clusters_per_class=1, random_state=0)
    scores = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, "blas"):
            model = ECOCClassifier(estimator, coding="dense", decoding="discriminant", random_state=0)
            scores.append(model.fit(X, y).decision_function(X))
    assert np.array_equal(*scores)
