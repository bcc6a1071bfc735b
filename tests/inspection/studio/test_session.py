"""What a page asks is answered: designs with certificates, sentences for bad input, exports that give the same code."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import ecoc
from ecoc.codes.codebook import CodeBook
from ecoc.inspection.studio.certificate import DRAFT, aligned, certify, from_words, nearest_length, words
from ecoc.inspection.studio.page import copy_page
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.state import State
from ecoc.inspection.studio.subject import Subject
from ecoc.inspection.studio.training import Job, Training
from ecoc.inspection.studio.widget import _widget_class, make_subject

X, Y = load_digits(return_X_y=True)
X, Y = X[:600] / 16, Y[:600]
NAMES = np.array(["zero", "one", "two", "three", "<b>four</b>", "five", 'six "6"', "seven", "eight", "nine " * 30])


@pytest.fixture(scope="module")
def subject():
    return Subject.from_samples(X, NAMES[Y])


def answers(session, **request):
    found = []
    session.answer(request, found.append)
    json.dumps(found, allow_nan=False)
    return found


def test_a_wish_changes_the_code_and_its_certificate(subject):
    session = Session(subject)
    *_, before = answers(session, ask="design", id=1, state={"n_columns": 9})
    wishes = {
        "n_columns": 9,
        "min_distance": 2,
        "wishes": [["three", "eight", "apart"]],
        "demands": [["one", "two", 7]],
    }
    draft, after = answers(session, ask="design", id=2, state=wishes, reference=before["code"])
    assert (draft["stage"], after["stage"], after["id"]) == ("draft", "final", 2)
    code = from_words(after["code"], 10)
    row = {label: i for i, label in enumerate(subject.labels)}
    distances = CodeBook(code).distances()
    assert (
        distances[row["three"], row["eight"]]
        > CodeBook(from_words(before["code"], 10)).distances()[row["three"], row["eight"]]
    )
    assert distances[row["one"], row["two"]] >= 7
    assert after["min_distance"] == CodeBook(code).min_distance >= 2
    found = ecoc.factorize(
        ecoc.nearest_correlation(
            ecoc.allocate(subject.distances, labels=subject.labels, wishes={("three", "eight"): "apart"})
        ),
        9,
        min_distance={("one", "two"): 7, "default": 2},
        labels=subject.labels,
        random_state=0,
    )
    assert after["objective"] == pytest.approx(found.objective)
    assert after["lower_bound"] == pytest.approx(found.lower_bound)
    assert {tuple(w[:2]): w[3:6] for w in after["wishes"]}[tuple(sorted((row["one"], row["two"])))][2]
    overlap = (code * from_words(before["code"], 10)).sum(axis=0)
    assert (overlap >= 0).all()  # signs agree with the code before


def test_wishes_that_no_code_meets_say_why(subject):
    apart = [[a, b, "apart"] for a, b in (("one", "two"), ("two", "three"), ("one", "three"))]
    *_, final = answers(Session(subject), ask="design", state={"n_columns": 9, "wishes": apart})
    missed = [row for row in final["wishes"] if not row[5]]
    assert missed
    assert "3 classes cannot all be apart" in missed[0][6]
    state = State.read({"n_columns": 9, "wishes": apart}, subject.labels)
    length = final["could"]["length"]
    assert length >= 14  # 27 columns between three codewords, of which a column gives two
    forced = {"n_columns": length, "demands": [[a, b, 9] for a, b, _ in apart]}
    *_, met = answers(Session(subject), ask="design", state=forced)
    assert all(row[5] for row in met["wishes"])
    assert nearest_length(subject, state, 9) == final["could"]
    *_, none = answers(Session(subject), ask="design", state={"n_columns": 5, "min_distance": 4})
    assert none["nearest_length"] > 5
    assert "no code book" in none["error"]


def test_the_python_lines_make_the_same_code(subject):
    numbers = Subject.from_samples(X, Y, SVC(C=3))
    state = {"n_columns": 8, "wishes": [["1", "8", "apart"], ["2", "3", 0.25]], "demands": [["0", "6", 5]]}
    for given in (numbers, Subject.from_distances(numbers.distances)):
        *_, final = answers(Session(given), ask="design", state=state)
        space = {"X": X, "y": Y, "distances": numbers.distances, "estimator": Ridge()}
        exec(final["python"], space)
        assert words(space["code"].matrix) == final["code"]
        assert ("SVC(C=3)" in final["python"]) == (given is numbers)
    many = {"wishes": [[str(i), str(j), -0.1] for i in range(12) for j in range(i)]}
    *_, final = answers(Session(Subject.from_distances(1 - np.eye(12))), ask="design", state=many)
    assert "CodeBook.load" in final["python"]  # more wishes than one wants to read


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ([], "a saved design is a JSON object"),
        ({"wishes": [["one", "two", "apart"], ["two", "one", 0.5]]}, "not symmetric"),
        ({"wishes": [["one", "one", "apart"]]}, "two different classes"),
        ({"wishes": [["one", "two", 3]]}, "from -1 to 1"),
        ({"wishes": [["one", "two"]]}, "two classes and a value"),
        ({"wishes": "apart"}, "must be a list"),
        ({"allocation": "soft"}, "from -1 to 1"),
        ({"n_columns": 0}, "whole number"),
        ({"min_distance": 1.5}, "whole number"),
        ({"groups": ["birds"]}, "a group is a name"),
    ],
)
def test_a_bad_state_is_answered_with_a_sentence(subject, state, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        State.read(state, subject.labels)
    if state:
        (error,) = answers(Session(subject), ask="design", id=3, state=state)
        assert (error["stage"], error["id"]) == ("error", 3)
        assert sentence in error["error"]


def test_classes_that_are_gone_are_named(subject):
    saved = {"wishes": [["one", "ten", "apart"], ["one", "two", "apart"]], "groups": [["odd", ["one", "eleven"]]]}
    state = State.read(saved, subject.labels)
    assert len(state.wishes) == len(state.groups[0][1]) == 1
    assert "'ten'" in state.notes[0]
    assert State.read(state.as_json(subject.labels), subject.labels).wishes == state.wishes


def test_what_a_studio_is_given():
    with pytest.raises(ValueError, match="3 to 300 classes; these are 2"):
        make_subject((X[Y < 2], Y[Y < 2]))
    with pytest.raises(ValueError, match="has no code book"):
        make_subject((GaussianNB().fit(X, Y),))
    with pytest.raises(TypeError, match="takes X and y"):
        make_subject((X, Y, X))
    with pytest.raises(ValueError, match="symmetric"):
        make_subject((np.arange(9.0).reshape(3, 3) * (1 - np.eye(3)),))
    with pytest.raises(TypeError, match="leave out learner"):
        make_subject((SVC(), X, Y), learner=SVC())
    frame = pd.DataFrame([[0, 1, 2], [1, 0, 2], [2, 2, 0]], index=list("abc"), columns=list("abc"))
    assert make_subject((frame,)).labels == ["a", "b", "c"]
    model = ecoc.ECOCClassifier(Ridge(), coding=ecoc.ECF(n_columns=8, effort=0.05), random_state=0).fit(
        X[:300], Y[:300]
    )
    alone, measured = make_subject((model,)), make_subject((model, X[300:], Y[300:]))
    assert "no samples" in alone.cannot_train
    assert not measured.cannot_train
    assert Session(alone).facts()["start_code"] == words(model.code_book_.matrix)
    found = next(a for a in answers(Session(measured), ask="predict", state={}) if a["stage"] == "confusions")
    assert found["accuracy"] == pytest.approx(model.score(X[300:], Y[300:]))
    with pytest.raises(ValueError, match="class 99"):
        make_subject((model, X[:2], [0, 99]))


def test_places_of_classes_keep_their_distances():
    points = np.random.default_rng(0).normal(size=(8, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    places = np.array(Subject.from_distances(distances).places)
    found = np.linalg.norm(places[:, None] - places, axis=2)
    np.testing.assert_allclose(found / found.max(), distances / distances.max(), atol=2e-3)
    assert places.min() >= 0
    assert places.max() <= 1
    equal = np.array(Subject.from_distances(1 - np.eye(5)).places)
    assert np.isfinite(equal).all()


def test_a_class_far_from_all_others_does_not_squeeze_them():
    points = np.random.default_rng(0).normal(size=(24, 2))
    points[7] = 100, 0
    subject = Subject.from_distances(np.linalg.norm(points[:, None] - points, axis=2))
    view, places = subject.first_view, np.delete(subject.places, 7, axis=0)
    seen = (places - [view["x"], view["y"]]) * view["zoom"]
    assert 0.5 < np.ptp(seen, axis=0).max() < 1.5
    few = Subject.from_distances(np.linalg.norm(points[:8, None] - points[:8], axis=2))
    assert few.first_view == {"x": 0.5, "y": 0.5, "zoom": 1.0}


def test_columns_are_put_beside_those_they_agree_with():
    rng = np.random.default_rng(0)
    code = rng.choice(np.array([-1, 1], dtype=np.int8), size=(12, 6))
    mixed = (code * rng.choice([-1, 1], size=6))[:, rng.permutation(6)].astype(np.int8)
    np.testing.assert_array_equal(aligned(mixed, code), code)
    assert aligned(mixed[:, :4], code).shape == (12, 4)
    assert aligned(code, mixed[:, :4]).shape == (12, 6)


def test_predictions_come_point_by_point_and_stop(subject):
    session, seen = Session(subject), []
    session.answer({"ask": "predict", "state": {"n_columns": 9}}, seen.append, lambda: len(seen) > 2)
    assert [message["stage"] for message in seen] == ["confusions", "point", "point"]
    assert seen[1]["n_columns"] == 9
    assert 0.5 < seen[1]["accuracy"] <= 1
    stopped = certify(subject, State(n_columns=9), DRAFT, stop=lambda: True)
    assert stopped["n_columns"] == 9


class Noisy(Ridge):
    """A learner that prints."""

    def fit(self, X, y, sample_weight=None):
        print("fitting")
        return super().fit(X, y, sample_weight)


class Failing(Ridge):
    """A learner that fails."""

    def fit(self, X, y, sample_weight=None):
        raise ValueError("no luck today")


def test_training_compares_and_keeps_the_model():
    X, y = load_iris(return_X_y=True)
    saved = []
    session = Session(Subject.from_samples(X, y, Noisy()), trained=lambda model: saved.append(model) or "Saved.")
    code = words(np.array([[1, 1, -1], [1, -1, 1], [-1, 1, 1]]))
    state = {"wishes": [["1", "2", "apart"]]}
    *progress, done = answers(session, ask="train", state=state, code=code)
    assert {message["stage"] for message in progress} == {"progress"}
    assert [message["share"] for message in progress] == sorted(message["share"] for message in progress)
    assert (done["stage"], done["saved"]) == ("done", "Saved.")
    assert done["pairs"][0][:2] == [1, 2]
    assert done["gain"] == pytest.approx(done["accuracy"][1] - done["accuracy"][0])
    assert session.model is saved[0]
    assert type(session.model.estimator) is Noisy
    np.testing.assert_array_equal(session.model.code_book_.matrix, from_words(code, 3))
    assert answers(session, ask="training")[-1]["stage"] == "done"  # after a reload
    (error,) = answers(session, ask="train", state=state, code=["+"])
    assert "wait for the certificate" in error["error"]


def test_training_that_fails_or_is_stopped():
    X, y = load_iris(return_X_y=True)
    model = ecoc.ECOCClassifier(Failing(), coding="ova")
    training = Training(Job(model, model, X, y, [0, 1, 2]))
    assert "no luck today" in list(training.follow(lambda: False))[-1]["error"]
    training = Training(Job(model, model, X, y, [0, 1, 2]))
    training.stop()
    assert list(training.follow(lambda: False))[-1]["error"].startswith("Training was stopped")
    assert training._process.poll() is not None


def test_a_page_that_is_a_copy(subject):
    text = copy_page("A <title>", Session(subject).snapshot({"wishes": [["one", "two", "apart"]], "n_columns": 8}))
    assert "<h1>A &lt;title&gt;</h1>" in text
    assert text.count("<script") == text.count("</script>") == 2
    assert "unsafe-inline" not in text
    assert not re.search(r"\b(src|href)\s*=\s*\"(?!data:)", text)
    data = json.loads(re.findall(r'id="data">(.*?)</script>', text)[0])
    assert data["readonly"]
    assert next(answer["ask"] for answer in data["answers"]) == "design"


def test_a_notebook_without_anywidget_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    _widget_class.cache_clear()
    with pytest.raises(ImportError, match=re.escape("pip install 'ecoc[studio]'")):
        ecoc.studio([[0, 1, 2], [1, 0, 2], [2, 2, 0]])
