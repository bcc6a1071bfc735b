"""What does a comparison try? Bare learners and subclasses alike, with a reason."""

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc.policy.trials import PLAIN_MODELS, parameters_to_try, plan_trials
from ecoc.tool.comparison.learners import BASELINES


class MySVC(SVC):
    pass


def test_every_plain_model_can_be_made():
    assert list(BASELINES) == list(PLAIN_MODELS)


def test_a_subclass_is_tried_like_its_class():
    assert parameters_to_try(MySVC()) == parameters_to_try(SVC()) != {}
    mine, theirs = plan_trials(MySVC(), 5), plan_trials(SVC(), 5)
    assert (mine.plain, mine.lengths, mine.models) == (theirs.plain, theirs.lengths, theirs.models)


def test_parameters_that_a_subclass_does_not_have_are_not_tried():
    assert parameters_to_try(LogisticRegressionCV()) == {}


@pytest.mark.parametrize(("learner", "n_models"), [(NuSVC(), 10), (LinearSVC(), 5), (KNeighborsClassifier(), 1)])
def test_models_of_the_learner_itself(learner, n_models):
    assert plan_trials(learner, 5).models["native"] == n_models


@pytest.mark.parametrize(
    ("learner", "k", "lengths"),
    [
        (SVC(), 10, ("auto", 0.25, 0.5, 1.0)),
        (LogisticRegression(), 10, ("auto", 0.5, 1.0, 2.0)),
        (DecisionTreeClassifier(), 100, (0.5, 1.0, 2.0)),
        (RandomForestClassifier(), 100, (0.25, 0.5, 1.0)),
    ],
)
def test_lengths(learner, k, lengths):
    trials = plan_trials(learner, k)
    assert trials.lengths == lengths
    assert trials.reason


def test_what_is_tuned_by_its_own_fit():
    assert plan_trials(KNeighborsClassifier(), 5).tuned_alone
    assert not plan_trials(SVC(), 5).tuned_alone
