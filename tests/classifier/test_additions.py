"""Classes that are added to a fitted model, removed and renamed; novelty; streams in which classes appear."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import ecoc
from ecoc import ECF, ECOCClassifier, ExportError
from ecoc.codes.codebook.free import free_codewords, with_both_sides
from ecoc.decoding import Hamming
from ecoc.inspection.fitted import predictions_at

K, NEW = 12, (3, 7)
X, y = make_blobs(720, centers=K, n_features=8, cluster_std=1.8, random_state=1)
NAMES = np.array([f"class {c:02}" for c in range(K)])
Y = NAMES[y]
OLD = ~np.isin(y, NEW)
TRAIN, TEST = np.arange(360), np.arange(360, 720)
FEW = np.concatenate([TRAIN[y[TRAIN] == c][:5] for c in NEW])
CODES = {
    "ecf": ("ecf", "auto"),
    "hamming": ("dense", "hamming"),
    "ova": ("ova", "linear"),
    "pairs": ("ovo", "discriminant"),
}


@pytest.fixture(scope="module", params=CODES)
def model(request):
    coding, decoding = CODES[request.param]
    known = TRAIN[OLD[TRAIN]]
    return ECOCClassifier(SVC(), coding=coding, decoding=decoding, random_state=0).fit(X[known], Y[known])


@pytest.fixture(scope="module")
def more(model):
    return model.with_classes(X[FEW], Y[FEW])


def test_new_classes_are_found_and_old_ones_stay(model, more):
    """Few samples are enough where classes are apart; the original is as it was."""
    before, after = model.predict(X[TEST]), more.predict(X[TEST])
    old, new = OLD[TEST], ~OLD[TEST]
    assert list(model.classes_) == list(NAMES[np.setdiff1d(np.arange(K), NEW)])
    assert list(more.classes_) == list(NAMES)
    # Signs say less about classes that no column was trained on than margins do.
    assert np.mean(after[new] == Y[TEST][new]) > (0.3 if isinstance(model.decoding_, Hamming) else 0.7)
    assert np.mean(after[old] == Y[TEST][old]) > np.mean(before[old] == Y[TEST][old]) - 0.06
    assert more.added_classes_ == {NAMES[c]: 5 for c in NEW}


def test_the_order_of_additions_does_not_matter(model, more):
    """One by one, backwards, in another batch: the same model up to rounding, and the same codewords."""
    each = model.with_classes(X[FEW[-1:]], Y[FEW[-1:]])
    for i in FEW[-2::-1]:
        each.add_classes(X[[i]], Y[[i]])
    np.testing.assert_allclose(each.predict_proba(X[TEST]), more.predict_proba(X[TEST]), atol=1e-8)
    assert each.code_book_ == more.code_book_


def test_many_classes_one_by_one_are_the_same_as_all_at_once():
    """In any order, up to rounding."""
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(60), 8)
    Z = 2 * rng.normal(size=(60, 12))[classes] + rng.normal(size=(len(classes), 12))
    model = ECOCClassifier(SVC(), decoding="discriminant", random_state=0).fit(Z[:160], classes[:160])
    at_once = model.with_classes(Z[160:], classes[160:])
    for c in rng.permutation(np.arange(20, 60)):
        model.add_classes(Z[classes == c], classes[classes == c])
    assert len(model.classes_) == 60
    np.testing.assert_allclose(model.predict_proba(Z), at_once.predict_proba(Z), atol=1e-9)
    assert model.code_book_ == at_once.code_book_


def test_codewords_of_new_classes_are_valid(model, more):
    """They keep the distance of the code, and old codewords stay."""
    book = more.code_book_
    rows = np.isin(book.labels, model.classes_)
    np.testing.assert_array_equal(book.matrix[rows], model.code_book_.matrix)
    assert book.min_distance >= min(model.code_book_.min_distance, 1)


def test_saved_and_copied_models_learn_classes(model, more, tmp_path):
    """A file needs no training data to add a class, and one with classes predicts as before."""
    ecoc.save(model, tmp_path / "model.skops")
    loaded = ecoc.load(tmp_path / "model.skops").add_classes(X[FEW], Y[FEW])
    expected = more.predict_proba(X[TEST])
    np.testing.assert_allclose(loaded.predict_proba(X[TEST]), expected, atol=1e-9)
    ecoc.save(more, tmp_path / "more.skops")
    for copied in (ecoc.load(tmp_path / "more.skops"), pickle.loads(pickle.dumps(more))):
        np.testing.assert_allclose(copied.predict_proba(X[TEST]), expected, atol=1e-12)
        assert copied.code_book_ == more.code_book_


def test_everything_else_goes_on(model, more):
    """Probabilities, the best classes, sets, reports, distances, clones and shorter codes."""
    p = more.predict_proba(X[TEST])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(more.classes_[p.argmax(axis=1)], more.predict(X[TEST]))
    labels, values = more.predict_top(X[TEST], 3, probabilities=True)
    np.testing.assert_array_equal(labels[:, 0], more.predict(X[TEST]))
    assert (np.diff(values, axis=1) <= 0).all()
    assert ecoc.confusion_report(more, X[TEST], Y[TEST]).accuracy == more.score(X[TEST], Y[TEST])
    assert more.codeword_distance(X[TEST]).shape == (360,)
    assert not hasattr(clone(more), "fitted_")
    with pytest.raises(ExportError, match="Extended"):
        ecoc.to_onnx(more, X[:5])


def test_sets_keep_the_promise_for_old_classes(model, more):
    """Sets of old classes are those of before; new classes are in the sets of most of their samples."""
    before, after = model.predict_sets(X[TEST]), more.predict_sets(X[TEST])
    rows = np.isin(more.classes_, model.classes_)
    np.testing.assert_array_equal(after[:, rows], before)
    new = ~OLD[TEST]
    assert np.mean(after[new, y[TEST][new]]) > (0.3 if isinstance(model.decoding_, Hamming) else 0.6)
    with pytest.warns(UserWarning, match="too few training samples"):
        assert more.predict_sets(X[TEST], by_class=[NAMES[3]])[:, 3].all()


def test_classes_are_removed_and_renamed(model, more):
    """What is removed is not predicted; removing what was added gives the old answers; names may be exchanged."""
    back = pickle.loads(pickle.dumps(more)).remove_classes(NAMES[list(NEW)])
    np.testing.assert_allclose(back.predict_proba(X[TEST]), model.predict_proba(X[TEST]), atol=1e-9)
    fewer = model.with_classes(X[FEW], Y[FEW]).remove_classes(NAMES[[0, 3]])
    assert set(fewer.predict(X[TEST])) <= set(NAMES) - {NAMES[0], NAMES[3]}
    assert fewer.code_book_.n_classes == K - 2
    swapped = pickle.loads(pickle.dumps(more)).rename_classes({NAMES[0]: NAMES[3], NAMES[3]: NAMES[0]})
    swap = {NAMES[0]: NAMES[3], NAMES[3]: NAMES[0]}
    assert [swap.get(label, label) for label in more.predict(X[TEST])] == list(swapped.predict(X[TEST]))


def test_few_new_classes_with_many_samples_give_away_the_largest_odds(model, more):
    """They would take samples of the old classes; a single sample is unsure already."""
    single = model.with_classes(X[FEW[:1]], Y[FEW[:1]])
    many = model.with_classes(X[OLD][:100], [f"another {i % 50}" for i in range(100)])
    odds = [each.fitted_.decision.extended._distributions.log_priors.mean() for each in (more, single, many)]
    assert odds[0] < odds[1] < odds[2] < 0


@pytest.mark.filterwarnings("error")
def test_single_samples_of_many_classes_are_not_taken_for_a_regression():
    numbered = ECOCClassifier(SVC(), coding="ovo", decoding="discriminant", random_state=0).fit(X[:200], y[:200])
    assert len(numbered.with_classes(X[200:230], np.arange(100, 130)).classes_) == K + 30


def test_known_labels_refine_their_classes(more):
    """Further samples of an added class count for it, those of an old class for that."""
    again = more.with_classes(X[TRAIN[:60]], Y[TRAIN[:60]])
    n = int(np.isin(y[TRAIN[:60]], NEW).sum())
    assert sum(again.added_classes_.values()) == 10 + n
    assert again.score(X[TEST], Y[TEST]) > more.score(X[TEST], Y[TEST]) - 0.05


def test_novel_samples_are_found(model, more):
    """Samples of unknown classes stand out until the classes are added."""
    new = ~OLD[TEST]
    score = model.novelty_score(X[TEST])
    assert np.median(score[new]) > np.quantile(score[~new], 0.7)
    assert model.is_novel(X[TEST], 0.1)[~new].mean() < 0.3
    assert np.median(more.novelty_score(X[TEST])[new]) < np.median(score[new])
    report = more.novelty_report()
    assert report.classes == [NAMES[c] for c in NEW]
    assert report.n_samples == [5, 5]
    assert "Training again would" in str(report)


def test_false_alarms_are_as_rare_as_promised():
    """New samples of known classes are flagged as often as was asked for; where outputs say nothing, none is."""
    found, noise = [], []
    for seed in range(4):
        Z, classes = make_blobs(1200, centers=8, n_features=10, cluster_std=4.0, random_state=seed)
        model = ECOCClassifier(SVC(), random_state=0).fit(Z[:400], classes[:400])
        found.append(model.is_novel(Z[400:], 0.1).mean())
        rng = np.random.default_rng(seed)
        Z, classes = rng.normal(size=(1200, 20)), rng.integers(0, 10, 1200)
        model = ECOCClassifier(LogisticRegression(), random_state=0).fit(Z[:600], classes[:600])
        noise.append(model.is_novel(Z[600:]).mean())
    assert 0.05 < np.mean(found) < 0.13
    assert max(noise) <= 0.07


def test_a_model_that_will_grow_has_a_longer_code():
    """Other learners than linear ones get two columns for each class, and are not compared with their own fit."""
    X, y = make_blobs(200, centers=20, random_state=0)
    plan = ECOCClassifier(SVC(), new_classes="add").plan(X, y)
    assert plan.coding.n_columns == 2.0
    assert not plan.compares_plain
    assert ECOCClassifier(SVC()).plan(X, y).coding.n_columns != 2.0


def test_errors_leave_the_model_as_it_was(model):
    """Wrong input is named, and nothing has changed."""
    before = model.fitted_
    for wrong, match in (
        (lambda: model.add_classes(X[FEW], y[FEW]), "same type"),
        (lambda: model.add_classes(X[FEW], Y[FEW], priors="some"), "priors must be"),
        (lambda: model.add_classes(X[FEW][:, :3], Y[FEW]), "features"),
        (lambda: model.add_classes(X[FEW], Y[FEW][:3]), "inconsistent"),
        (lambda: model.add_classes(X[FEW], Y[FEW], costs={}), "has no costs"),
        (lambda: model.remove_classes(["none"]), "does not know"),
        (lambda: model.remove_classes(model.classes_[1:]), "two classes must stay"),
        (lambda: model.rename_classes({model.classes_[0]: model.classes_[1]}), "same label"),
        (lambda: model.is_novel(X, 2), "between 0 and 1"),
    ):
        with pytest.raises(ValueError, match=match):
            wrong()
    assert model.fitted_ is before


def test_models_that_cannot_say_what_to_do():
    """The learner's own fit, and a model without held-out outputs."""
    known = TRAIN[OLD[TRAIN]]
    for options, match in (
        ({"coding": "plain"}, "new_classes='add'"),
        ({"coding": "ova", "decoding": "hamming", "probability": False}, "decoding='auto' or probability=True"),
    ):
        model = ECOCClassifier(LogisticRegression(), **options).fit(X[known], Y[known])
        with pytest.raises(ValueError, match=match):
            model.add_classes(X[FEW], Y[FEW])


def test_linear_models_with_many_columns_do_not_collapse():
    """Outputs of more columns than features lie in a plane; new classes must not take all samples."""
    known = TRAIN[OLD[TRAIN]]
    model = ECOCClassifier(LogisticRegression(), coding="ovo", random_state=0).fit(X[known], Y[known])
    old = TEST[OLD[TEST]]
    before = model.score(X[old], Y[old])
    assert model.add_classes(X[FEW], Y[FEW]).score(X[old], Y[old]) > before - 0.06


def test_costs_of_new_classes():
    """A mapping of costs goes on; a matrix needs to be told."""
    known = TRAIN[OLD[TRAIN]]
    costs = {(NAMES[0], NAMES[1]): 50.0}
    model = ECOCClassifier(SVC(), coding="ova", decoding="linear", costs=costs, reject_cost=0.5, reject_label="?").fit(
        X[known], Y[known]
    )
    more = model.with_classes(X[FEW], Y[FEW], costs={(NAMES[3], NAMES[0]): 9.0})
    assert more.cost_matrix_[[0, 3, 7], [1, 0, 3]].tolist() == [50, 9, 1]
    assert set(more.predict(X[TEST])) <= {*NAMES, "?"}
    matrix = ECOCClassifier(SVC(), coding="ova", decoding="linear", costs=1 - np.eye(10)).fit(X[known], Y[known])
    with pytest.raises(ValueError, match="costs of this model are a matrix"):
        matrix.add_classes(X[FEW], Y[FEW])
    assert matrix.add_classes(X[FEW], Y[FEW], costs={}).cost_matrix_.shape == (K, K)


def test_fewer_columns():
    """A model with added classes can be cut; their place is then that in the outputs of the columns that stay."""
    known = TRAIN[OLD[TRAIN]]
    model = ECOCClassifier(SVC(), coding=ECF(n_columns=10), random_state=0).fit(X[known], Y[known])
    more = model.add_classes(X[FEW], Y[FEW])
    cut = more.truncate(8)
    assert cut.code_book_.shape == (K, 8)
    assert cut.score(X[TEST], Y[TEST]) > more.score(X[TEST], Y[TEST]) - 0.15
    cut.add_classes(X[FEW], Y[FEW])


@pytest.mark.parametrize("coding", ["auto", "ova"])
def test_classes_appear_in_a_stream(coding):
    """Labels that nobody announced get codewords, and the columns learn them."""
    model = ECOCClassifier(
        SGDClassifier(random_state=0), coding=coding, decoding="linear", new_classes="add", random_state=0
    )
    for start in range(0, 360, 60):
        rows = TRAIN[start : start + 60]
        rows = rows[y[rows] < 4 + start // 30]
        model.partial_fit(X[rows], Y[rows])
    assert list(model.classes_) == list(NAMES)
    assert model.score(X[TEST], Y[TEST]) > 0.5
    closed = ECOCClassifier(SGDClassifier(), coding="ova").partial_fit(X[y < 11], Y[y < 11], classes=NAMES[:11])
    with pytest.raises(ValueError, match="new_classes='add'"):
        closed.partial_fit(X[y == 11], Y[y == 11])


def test_further_columns_of_a_stream_start_with_outputs_of_the_usual_size():
    """With zeros they had no variance, and the next class took half of the samples."""
    model = ECOCClassifier(SGDClassifier(random_state=0), new_classes="add", random_state=0)
    model.partial_fit(X[y < 6], y[y < 6])
    n_columns = model.code_book_.n_columns
    model.partial_fit(X[y < 8], y[y < 8])
    assert model.code_book_.n_columns > n_columns
    sizes = model._stream.recent.outputs[: np.sum(y < 6)].std(axis=0)
    assert sizes.min() > sizes[:n_columns].min() / 2


def test_a_fitted_model_goes_on_with_new_classes():
    """After fit, batches train the columns with the classes that they know, and add the others."""
    known = TRAIN[OLD[TRAIN]]
    model = ECOCClassifier(
        SGDClassifier(random_state=0), coding="ova", decoding="linear", new_classes="add", random_state=0
    )
    model.fit(X[known], Y[known])
    for rows in np.array_split(TRAIN, 4):
        model.partial_fit(X[rows], Y[rows])
    assert sum(model.added_classes_.values()) == (~OLD[TRAIN]).sum()
    new = TEST[~OLD[TEST]]
    assert model.score(X[new], Y[new]) > 0.5


def test_free_codewords_are_the_nearest_that_keep_the_distance():
    """Against all words of a short code; and of a long one, where words are searched for."""
    rng = np.random.default_rng(0)
    for l, k in ((5, 4), (40, 60)):
        matrix = np.unique(rng.choice([-1, 1], (k, l)).astype(np.int8), axis=0)
        means = rng.normal(size=(3, l))
        words = free_codewords(matrix, means, l // 4)
        every = np.vstack([matrix, words])
        for i in range(len(matrix), len(every)):
            assert (every[:i] != every[i]).sum(axis=1).min() >= l // 4
    full = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=np.int8)
    with pytest.raises(ecoc.CodeBookError, match="no codeword is left"):
        free_codewords(full, np.ones((1, 2)), 1)
    lost = with_both_sides(np.array([[-1, 1], [-1, -1]], dtype=np.int8), np.array([[-0.1, 0], [-2, 0]]))
    np.testing.assert_array_equal(lost, [[1, 1], [-1, -1]])


def faces(n_classes: int, n_each: int, n_features: int, noise: float = 0.7):
    """Classes that differ in many directions, with few samples of each, in order of the classes."""
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(n_classes), n_each)
    centres = rng.normal(size=(n_classes, n_features))
    return centres[classes] + noise * rng.normal(size=(len(classes), n_features)), classes


def statistics_of(model):
    return model.fitted_.decision.extended.statistics_


def test_features_find_new_classes_that_the_outputs_do_not_tell_apart():
    """Columns of trees ask for few features. A sparse matrix has outputs only."""
    Z, classes = faces(20, 20, 30)
    known, few = classes < 10, (classes >= 10) & (np.arange(400) % 20 < 5)
    test = ~known & ~few
    model = ECOCClassifier(RandomForestClassifier(10, random_state=0), new_classes="add", random_state=0)
    found = model.fit(Z[known], classes[known]).add_classes(Z[few], classes[few])
    by_outputs = clone(model).fit(csr_array(Z[known]), classes[known]).add_classes(csr_array(Z[few]), classes[few])
    assert statistics_of(found).n_features == 30
    assert statistics_of(by_outputs).n_features == 0
    assert found.score(Z[test], classes[test]) > by_outputs.score(csr_array(Z[test]), classes[test]) + 0.2


def test_features_that_are_constant_missing_or_far_away_do_no_harm():
    """Probabilities stay finite, and a feature that only new classes have is no reason to refuse them."""
    Z, classes = faces(12, 20, 6)
    Z = np.hstack([Z, np.full((len(Z), 1), 0.1), np.where(classes > 8, 5.0, 0.1)[:, None]])
    known = classes < 9
    learner = HistGradientBoostingClassifier(max_iter=10, random_state=0)
    model = ECOCClassifier(learner, new_classes="add", random_state=0).fit(Z[known], classes[known])
    model.add_classes(Z[~known], classes[~known])
    assert statistics_of(model).n_features == 8
    assert model.score(Z, classes) > 0.8
    broken = Z.copy()
    broken[::3, 0], broken[::5, 1] = np.nan, 1e300
    assert np.isfinite(model.predict_proba(broken)).all()


@pytest.mark.parametrize("case", ["wide", "kernel", "words"])
def test_features_that_are_no_small_table_do_not_count(case):
    """More than 256 features, kernels and objects: classes are added by their outputs."""
    Z, classes = faces(9, 12, 300 if case == "wide" else 5)
    known = classes < 7
    base, learner = Z[known], SVC()
    new = Z[~known]
    if case == "kernel":
        base, new, learner = rbf_kernel(base), rbf_kernel(new, base), SVC(kernel="precomputed")
    if case == "words":
        base, new = (np.array([" ".join(f"w{int(v)}" for v in row) for row in part]) for part in (base, new))
        learner = make_pipeline(TfidfVectorizer(), LogisticRegression())
    model = ECOCClassifier(learner, coding="ovo", random_state=0).fit(base, classes[known])
    model.add_classes(new, classes[~known])
    assert statistics_of(model).scale is None
    assert model.predict(new).shape == (24,)


def test_a_shorter_code_keeps_the_features():
    """Reports cut a model with added classes to several lengths, and give what the cut models predict."""
    Z, classes = faces(20, 20, 8)
    known = classes < 15
    model = ECOCClassifier(SVC(), coding="dense", random_state=0).fit(Z[known], classes[known])
    model.add_classes(Z[~known], classes[~known])
    m = model.n_columns_ // 2
    shorter = model.truncate(m)
    assert statistics_of(shorter).n_features == statistics_of(model).n_features == 8
    np.testing.assert_array_equal(model.classes_[predictions_at(model, Z, [m])[0]], shorter.predict(Z))


def test_files_hold_no_features_of_training_samples():
    """Even with the outputs, which let a copy be cut; added classes then go by outputs alone."""
    Z, classes = faces(12, 20, 8)
    known = classes < 9
    model = ECOCClassifier(SVC(), coding="dense", keep_outputs=True, random_state=0).fit(Z[known], classes[known])
    copied = pickle.loads(pickle.dumps(model.add_classes(Z[~known], classes[~known])))
    np.testing.assert_allclose(copied.predict_proba(Z), model.predict_proba(Z), atol=1e-12)
    assert copied.fitted_.base.decision.evidence.features is None
    shorter = copied.truncate(model.n_columns_ // 2)
    assert statistics_of(shorter).n_features == 0
    assert shorter.predict_proba(Z).shape == (240, 12)


def test_many_samples_of_new_classes_do_not_take_the_old_ones():
    """Held-out outputs of linear models with many columns vary more than those of new samples."""
    Z, classes = faces(30, 40, 68)
    Z[:, 8:] = np.random.default_rng(1).normal(size=(len(Z), 60))
    Z[:, :8] *= 3
    known, train = classes < 15, np.arange(len(Z)) % 2 == 0
    model = ECOCClassifier(LogisticRegression(max_iter=300), new_classes="add", random_state=0)
    model.fit(Z[known & train], classes[known & train])
    before = model.score(Z[known & ~train], classes[known & ~train])
    model.add_classes(Z[~known & train], classes[~known & train])
    assert model.score(Z[known & ~train], classes[known & ~train]) > before - 0.12


def test_false_alarms_are_as_rare_with_few_samples_in_many_dimensions():
    """A covariance suits the samples that it comes from best, so others judge the threshold."""
    Z, classes = faces(20, 40, 120, noise=1.5)
    train = np.arange(len(Z)) % 40 < 5
    model = ECOCClassifier(SVC(), coding="ecf", random_state=0).fit(Z[train], classes[train])
    assert model.is_novel(Z[~train], 0.1).mean() < 0.15


def test_boosters_that_will_grow_hold_out_every_sample_of_small_classes():
    plan = ECOCClassifier(HistGradientBoostingClassifier(), new_classes="add").plan(*faces(30, 10, 5))
    assert (plan.held_out.way, plan.held_out.n_folds) == ("folds", 3)
    assert ECOCClassifier(HistGradientBoostingClassifier()).plan(*faces(30, 10, 5)).held_out.way == "part"
