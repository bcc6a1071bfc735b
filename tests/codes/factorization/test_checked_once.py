"""From data to a code book: the design is checked once, projected once, and the code book is validated once."""

import sys
from collections import Counter
from contextlib import contextmanager

from sklearn.datasets import load_digits
from sklearn.svm import SVC

from ecoc import CodeBook, ECOCClassifier, allocate, class_distances
from ecoc.codes.design import checks, projection
from ecoc.codes.design.length import projected_length
from ecoc.codes.design.projection import project_checked
from ecoc.codes.factorization.factorize import factorize_problem
from ecoc.codes.factorization.problem import Problem

COUNTED = {
    checks.check_between_classes.__code__: "check",
    projection._solve.__code__: "projection",
    CodeBook._check_codewords.__code__: "validation",
}
ONCE = {"check": 1, "projection": 1, "validation": 1}


@contextmanager
def counted_calls():
    calls = Counter()

    def count(frame, event, _):
        if event == "call" and frame.f_code in COUNTED:
            calls[COUNTED[frame.f_code]] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def test_the_steps_of_a_design_check_nothing_twice():
    distances = class_distances(*load_digits(return_X_y=True))
    with counted_calls() as calls:
        projected = project_checked(allocate(distances, "hard"))
        length = projected_length(projected, 2)
        problem = Problem(design=projected.matrix, n_columns=length, demands=2, labels=tuple("abcdefghij"))
        book = factorize_problem(problem, random_state=0, effort=0.01).codebook
        renamed = CodeBook(book, labels=range(10)).with_labels(range(10, 20))
    assert calls == ONCE
    assert renamed.labels.tolist() == list(range(10, 20))
    assert renamed.min_distance >= 2


def test_a_fit_checks_projects_and_validates_once():
    X, y = load_digits(return_X_y=True)
    model = ECOCClassifier(SVC(), coding="ecf", random_state=0)
    with counted_calls() as calls:
        model.fit(X, y)
    assert calls == ONCE
