"""One pass through the trees of all columns gives the outputs of one model at a time, to the last bit."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils import get_tags

from ecoc import ECOCClassifier, load, save
from ecoc.training.interfaces import Options, Task
from ecoc.training.separate import SeparateDichotomizers, SeparateTraining, TreeDichotomizers

X, y = make_classification(180, 8, n_informative=6, n_classes=6, n_clusters_per_class=1, random_state=0)
CODE = np.array([[1, 1, 1, 0], [1, -1, -1, 1], [-1, 1, -1, -1], [-1, -1, 1, 0], [1, 1, -1, 1], [-1, -1, 1, -1]])
HOLES = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
tree = DecisionTreeClassifier(random_state=0)
LEARNERS = [
    tree,
    DecisionTreeClassifier(max_leaf_nodes=6, class_weight={0: 1, 1: 30}, random_state=0),  # best first
    DecisionTreeClassifier(monotonic_cst=[1] + [0] * 7, random_state=0),
    ExtraTreeClassifier(random_state=0),
    RandomForestClassifier(7, class_weight="balanced_subsample", random_state=0),
    ExtraTreesClassifier(5, random_state=0),
    BaggingClassifier(tree, 6, max_features=0.5, bootstrap_features=True, random_state=0),
    BaggingClassifier(ExtraTreeClassifier(max_depth=3), 9, max_samples=2, random_state=0),  # bags of one side
]


def fitted(learner, X=X, y=y):
    return SeparateTraining(learner, Task(CODE, X, y), Options()).fit()


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("holes", [False, True])
def test_equal_to_one_model_at_a_time(learner, holes):
    takes_nan = get_tags(learner).input_tags.allow_nan
    if holes and not takes_nan:
        pytest.skip("takes no missing values")
    models = fitted(learner, HOLES if holes else X)
    assert isinstance(models, TreeDichotomizers)
    thresholds = X + np.random.default_rng(1).choice([0, 1e-9, -1e-9], X.shape)  # at thresholds, as single precision
    for new in (X, thresholds, X[:1], X[:6] * 3, np.round(X * 4).astype(np.int16), X.astype(np.float32), HOLES):
        if new is HOLES and not takes_nan:
            continue
        for each in (models, models.first(2)):
            np.testing.assert_array_equal(each.margins(new), SeparateDichotomizers.margins(each, new))
            np.testing.assert_array_equal(each.probabilities(new), SeparateDichotomizers.probabilities(each, new))


def test_blocks_of_rows():
    models, many = fitted(tree), np.tile(X, (60, 1))
    np.testing.assert_array_equal(models.margins(many), np.tile(models.margins(X), (60, 1)))


def test_what_scikit_learn_refuses_is_refused():
    models = fitted(tree)
    for wrong, message in [
        (np.clip(X, 1, None) * 1e300, "float32"),
        (X[:, :3], "features"),
        (np.full((1, 8), np.inf), "infinity"),
    ]:
        with pytest.raises(ValueError, match=message), np.errstate(over="ignore"):
            models.margins(wrong)


def test_plain_path():
    class Own(DecisionTreeClassifier):
        pass

    for learner in (Own(random_state=0), RandomForestClassifier(2, verbose=1, random_state=0)):
        assert not isinstance(fitted(learner), TreeDichotomizers)
    models = fitted(tree)
    np.testing.assert_array_equal(models.margins(csr_array(X)), models.margins(X))
    only = y == 1
    constant = fitted(tree, X[only], y[only])  # a column without samples
    np.testing.assert_array_equal(constant.margins(X[:1]), [[1, -1, -1, 1]])
    some = np.isin(y, [0, 1])
    models = fitted(tree, X[some], y[some])  # a column with one side beside others
    assert isinstance(models, TreeDichotomizers)
    np.testing.assert_array_equal(models.margins(X), SeparateDichotomizers.margins(models, X))
    np.testing.assert_array_equal(models.probabilities(X), SeparateDichotomizers.probabilities(models, X))


def test_what_the_pass_needs_is_not_saved(tmp_path):
    model = ECOCClassifier(RandomForestClassifier(3, random_state=0), coding="ova", random_state=0).fit(X, y)
    before = len(pickle.dumps(fitted(tree)))
    models = fitted(tree)
    expected = model.outputs(X)
    models.margins(X)
    assert len(pickle.dumps(models)) == before
    save(model, tmp_path / "model.skops")
    for copy in (load(tmp_path / "model.skops", trusted="sklearn.tree._tree.Tree"), pickle.loads(pickle.dumps(model))):
        assert isinstance(copy.fitted_.dichotomizers, TreeDichotomizers)
        np.testing.assert_array_equal(copy.outputs(X), expected)
