"""Every learner that scikit-learn's OneVsRestClassifier accepts is accepted, with the same predictions."""

import warnings
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import all_estimators

from ecoc import ECOCClassifier
from ecoc.training.choosing import choose_training
from ecoc.training.interfaces import Options, Task
from ecoc.training.stream import StreamDichotomizers

X, y = load_iris(return_X_y=True)
X, y = X[::3], y[::3]
OVA = (2 * np.eye(3) - 1).astype(np.int8)
BOOSTERS = {
    "xgboost": ("XGBClassifier", {"n_estimators": 5}),
    "lightgbm": ("LGBMClassifier", {"n_estimators": 5, "min_child_samples": 2, "verbose": -1}),
    "catboost": ("CatBoostClassifier", {"n_estimators": 5, "verbose": 0, "allow_writing_files": False}),
}


def learners():
    """Scikit-learn's classifiers that need no arguments, and boosters from other packages."""
    for name, kind in all_estimators("classifier"):
        try:
            yield pytest.param(kind(), id=name)
        except (TypeError, FutureWarning) as error:  # needs arguments, or is deprecated
            yield pytest.param(None, id=name, marks=pytest.mark.skip(str(error)))
    for package, (kind, parameters) in BOOSTERS.items():
        try:
            yield pytest.param(getattr(import_module(package), kind)(**parameters), id=kind)
        except ImportError:
            yield pytest.param(None, id=kind, marks=pytest.mark.skip(f"{package} is not installed"))


@pytest.mark.parametrize("learner", list(learners()))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_predictions_are_those_of_one_vs_rest(learner):
    if "random_state" in learner.get_params():
        learner = clone(learner).set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            expected = OneVsRestClassifier(learner).fit(X, y).predict(X)
        except Exception as error:
            pytest.skip(f"OneVsRestClassifier refuses it: {error}")
        models = choose_training(learner, Task(OVA, X, y)).fit()
    margins = models.margins(X)
    rows = np.arange(len(X))
    # Of equal outputs, scikit-learn's choice depends on its version: what it chose must be among the largest.
    np.testing.assert_array_equal(margins[rows, expected], margins.max(axis=1))
    if not isinstance(learner, RidgeClassifier):  # it is trained as the regression that it is
        assert all(model.classes_.tolist() == [0, 1] for model in models.estimators)


@pytest.mark.parametrize("learner", [MultinomialNB(), SGDClassifier(random_state=0)], ids=repr)
def test_streams_are_those_of_one_vs_rest(learner):
    ours, theirs = StreamDichotomizers(learner, OVA, None), OneVsRestClassifier(learner)
    for part in (slice(0, None, 2), slice(1, None, 2)):
        ours.learn(Task(OVA, X[part], y[part]))
        theirs.partial_fit(X[part], y[part], classes=[0, 1, 2])
    np.testing.assert_array_equal(ours.margins(X).argmax(axis=1), theirs.predict(X))


# X that only the learner can read -------------------------------------------------------------------------------------

WORDS = np.array(["stem leaf leaf", "root stem", "leaf root root"])


def test_texts():
    texts = [f"{WORDS[label]} {'soil ' * (i % 3)}" for i, label in enumerate(y)]
    for learner in (make_pipeline(CountVectorizer(), MultinomialNB()), make_pipeline(CountVectorizer(), SVC())):
        expected = OneVsRestClassifier(learner).fit(texts, y).predict(texts)
        task = Task(OVA, texts, y)
        np.testing.assert_array_equal(choose_training(learner, task).fit().margins(texts).argmax(axis=1), expected)
        folds = [(np.arange(0, 50, 2), np.arange(1, 50, 2)), (np.arange(1, 50, 2), np.arange(0, 50, 2))]
        held_out = choose_training(learner, task, Options()).out_of_fold(folds, "margins")
        assert (held_out.argmax(axis=1) == y).mean() > 0.9


@pytest.mark.parametrize(
    "learner",
    [
        SVC(),
        LogisticRegression(max_iter=1000),
        make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
        HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=5, min_samples_leaf=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_frames(learner):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X).set_axis(list("abcd"), axis=1)
    if isinstance(learner, HistGradientBoostingClassifier):
        frame = frame.assign(b=pd.cut(frame["b"], 4, labels=list("wxyz")), c=frame["c"].where(frame["c"] > 1.3))
    expected = OneVsRestClassifier(learner).fit(frame, y).predict(frame)
    models = choose_training(learner, Task(OVA, frame, y)).fit()
    np.testing.assert_array_equal(models.margins(frame).argmax(axis=1), expected)
    np.testing.assert_array_equal(models.outputs(frame, "signs"), np.where(models.margins(frame) > 0, 1, -1))


def test_missing_values():
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    learner = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2)
    expected = OneVsRestClassifier(learner).fit(holes, y).predict(holes)
    models = choose_training(learner, Task(OVA, holes, y)).fit()
    np.testing.assert_array_equal(models.margins(holes).argmax(axis=1), expected)


class FarFromAll(ClassifierMixin, BaseEstimator):
    """Like label propagation, it has no probability for a sample that is far from all others."""

    def fit(self, X, y):
        self.classes_, y = np.unique(y, return_inverse=True)
        self.means_ = np.array([X[y == c].mean() for c in range(len(self.classes_))])
        return self

    def predict_proba(self, X):
        near = np.exp(-((X - self.means_) ** 2))
        with np.errstate(invalid="ignore"):
            return near / near.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.parametrize("coding", ["auto", "ova", "ovo", "plain"])
def test_samples_without_probabilities_are_undecided(coding):
    X, y = np.repeat([0.0, 3.0, 6.0], 30)[:, None], np.repeat(np.arange(3), 30)
    model = ECOCClassifier(FarFromAll(), coding=coding, random_state=0).fit(X, y)
    far = np.array([[0.0], [1e3], [6.0]])
    assert model.predict(far).tolist()[::2] == [0, 2]
    assert coding == "ovo" or model.predict_proba(far)[1].max() < 0.5  # votes of 0 count for a side
    assert np.isfinite(model.predict_proba(far)).all()


class NotANumber(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize("decoding", ["hamming", "linear", "discriminant"])
@pytest.mark.parametrize("cv", ["auto", 3])
def test_outputs_that_are_not_numbers_name_their_cause(decoding, cv):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 3
    with pytest.raises(ValueError, match="the NotANumber of column 0 returned nan for sample 0"):
        ECOCClassifier(NotANumber(), coding="ova", decoding=decoding, cv=cv).fit(X, y).predict(X)
