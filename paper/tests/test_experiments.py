from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from ecoc import ECOCClassifier, FixedDistanceRandom, OneVsAll
from ecoc_paper import datasets, experiments
from ecoc_paper.experiments import Backend, Protocol, Store, cells
from ecoc_paper.experiments.cells import Cell, Job, execute
from ecoc_paper.experiments.fold import Fold
from ecoc_paper.experiments.hierarchies import GramMachine, grow, walk
from ecoc_paper.experiments.images import circle, diffused, equalised, filtered
from ecoc_paper.experiments.lengths import sure_distance
from ecoc_paper.experiments.methods import Method, get_method
from ecoc_paper.experiments.plan import plan
from ecoc_paper.experiments.protocol import columns_at
from ecoc_paper.experiments.search import full_search, pruned_search, run_searches
from ecoc_paper.experiments.seeds import seed_of
from ecoc_paper.experiments.tuning import Tuner

TINY = Protocol(
    "tiny",
    datasets=("toy",),
    folds=(0, 1),
    max_rows=140,
    Cs=(1.0, 100.0),
    gammas=(0.5,),
    max_iter=5000,
    min_distances=(1, 3),
    lengths=("1/2",),
    rhos=(0.4,),
    effort=0.02,
    starts=3,
    trials=2,
    planted=((6, 3, 2, 2),),
    curves=("toy",),
)
METHODS = ("OVA", "RAND", "R-H", "ECF-H")
SMALL = replace(TINY, curves=(), planted=(), boundaries=False, readings=False, lengths=(), folds=(0,))


@pytest.fixture(scope="module")
def toy():
    return datasets.load("toy")


def job(toy, method="OVA", setting="", protocol=TINY, fold=0, experiment="accuracy"):
    return Job(Cell(experiment, "toy", fold, method, setting), protocol, toy, get_method(method))


def by_products(code):
    return lambda margins: (margins @ code.T).argmax(axis=1)


# The fold ---------------------------------------------------------------------------------------------------------


def test_every_row_is_tested_once_and_never_trained_on(toy):
    folds = [Fold(toy, i, replace(TINY, max_rows=None)) for i in range(5)]
    assert sum(fold.n_test for fold in folds) == len(toy.y)
    assert all(len(fold.y) + fold.n_test == len(toy.y) for fold in folds)


def test_numbers_do_not_depend_on_the_order_of_rows_nor_on_the_names_of_classes(toy):
    order = np.random.default_rng(0).permutation(len(toy.y))
    other = replace(toy, X=toy.X[order], y=np.array(list("nmlkjihgfedcba"))[toy.y[order]])
    one, two = Fold(toy, 0, TINY), Fold(other, 0, TINY)
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.y, two.y)


def test_the_halves_have_half_of_every_class(toy):
    fold = Fold(toy, 0, TINY)
    first, second = (np.bincount(fold.y[half], minlength=14) for half in fold.halves)
    assert (np.abs(first - second) <= 1).all()
    assert abs(first.sum() - second.sum()) <= 14


def test_a_class_without_training_rows_counts_as_wrong():
    X = np.random.default_rng(0).normal(size=(41, 2))
    y = np.repeat([0, 1, 2, 3], [20, 10, 10, 1])
    data = datasets.Data(X, y, None, datasets.Card("rare"), "rare", "here")
    protocol = replace(TINY, datasets=("rare",))
    folds = [Fold(data, i, protocol) for i in range(5)]
    assert sorted(fold.n_classes for fold in folds) == [3, 4, 4, 4, 4]
    lost = next(fold for fold in folds if fold.n_classes == 3)
    assert (lost.y_test == -1).sum() == 1


def test_principal_components_come_from_the_training_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(256, size=(60, 30)).astype(np.uint8), np.repeat([0, 1, 2], 20)
    data = datasets.Data(X, y, None, datasets.Card("images", pca=5), "images", "here")
    fold = Fold(data, 0, TINY)
    assert fold.X.shape[1] == 5
    assert np.allclose(fold.X.mean(axis=0), 0, atol=1e-9)
    assert (fold.X**2).sum(axis=1).mean() == pytest.approx(10)


# Images -----------------------------------------------------------------------------------------------------------


def test_diffusion_smooths_noise_and_keeps_edges():
    rng = np.random.default_rng(0)
    image = np.where(np.arange(32) < 16, 0.0, 100.0) + rng.normal(size=(1, 32, 32))
    smooth = diffused(image)
    assert smooth[0, :, 2:12].std() < 0.5 * image[0, :, 2:12].std()
    assert smooth[0, :, 20].mean() - smooth[0, :, 10].mean() > 95
    assert smooth.sum() == pytest.approx(image.sum())  # nothing is lost over the border


def test_equalised_pixels_are_ranks_whatever_the_light():
    pixels = np.random.default_rng(0).random((3, 50))
    assert np.allclose(equalised(pixels), equalised(3 * pixels**2 + 7))
    assert equalised(pixels).min() == 0
    assert equalised(pixels).max() == 1


def test_filtered_images_have_the_pixels_of_a_circle():
    X = np.random.default_rng(0).integers(256, size=(4, 64))
    data = datasets.Data(X, np.array([0, 0, 1, 1]), None, datasets.Card("signs"), "d", "here")
    found = filtered(data)
    assert found.X.shape == (4, circle(8).sum())
    assert not circle(8)[0, 0]
    assert circle(8)[4].all()
    assert found.digest != "d"
    with pytest.raises(ValueError, match="no square number of pixels"):
        filtered(replace(data, X=X[:, :60]))


# Tuning -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tuning", ["column", "code", "fold"])
def test_a_coding_is_trained_and_decoded_as_the_classifier_does_it(toy, tuning):
    protocol = replace(TINY, Cs=(10.0,), decodings=("hamming", "loss_weighted"), tunings=(tuning,))
    result = execute(job(toy, protocol=protocol)).result
    fold = Fold(toy, 0, protocol)
    for decoding, correct in result["correct"][tuning].items():
        model = ECOCClassifier(SVC(C=10, gamma=0.5), coding=OneVsAll(), decoding=decoding, probability=False)
        model.fit(fold.X, fold.y)
        assert correct == (model.predict(fold.X_test) == fold.y_test).sum()
    assert result["n_support"][tuning] == model.n_support_


def test_columns_are_trained_once_whatever_their_sign(toy, monkeypatch):
    tuner, count = Tuner(Fold(toy, 0, TINY), TINY), []
    tune = tuner._tune_columns
    monkeypatch.setattr(tuner, "_tune_columns", lambda columns: (count.append(len(columns.keys)), tune(columns))[1])
    column = np.where(np.arange(14) < 5, 1, -1).astype(np.int8)
    found = tuner.outputs(np.column_stack([column, -column]), "column", by_products(np.zeros((14, 2))))
    for outputs in (found.test, found.train, found.held_out):
        assert np.array_equal(outputs[:, 0], -outputs[:, 1])
    tuner.outputs(-column[:, None], "column", by_products(np.zeros((14, 1))))
    assert count == [1, 0]


def test_the_search_finds_the_best_pair_and_held_out_outputs_are_held_out(toy):
    protocol = replace(TINY, Cs=(0.1, 1.0, 1000.0), gammas=(0.05, 2.0), max_iter=100_000)
    fold = Fold(toy, 0, protocol)
    column = np.where(np.arange(14) % 3 == 0, 1, np.where(np.arange(14) == 1, 0, -1)).astype(np.int8)
    found = Tuner(fold, protocol).outputs(column[:, None], "column", by_products(column[:, None]))
    sides, best = column[fold.y], (-1.0, None)
    rows = np.arange(len(sides))
    for gamma in protocol.gammas:  # the definition as a loop, on the features themselves
        for C in protocol.Cs:
            outputs = np.empty(len(sides))
            for train, test in (fold.halves, fold.halves[::-1]):
                used = rows[train][sides[train] != 0]
                outputs[test] = SVC(C=C, gamma=gamma).fit(fold.X[used], sides[used]).decision_function(fold.X[test])
            margins = (outputs * sides)[sides != 0]
            score = (np.mean(margins > 0), -np.maximum(0, 1 - margins).mean())
            if best[1] is None or score > best[0]:
                best = score, outputs, C, gamma
    assert found.pairs == [best[2:]]
    assert np.allclose(found.held_out[:, 0], best[1], atol=1e-2)
    whole = SVC(C=best[2], gamma=best[3]).fit(fold.X[sides != 0], sides[sides != 0])
    assert np.allclose(found.test[:, 0], whole.decision_function(fold.X_test), atol=1e-2)
    assert np.array_equal(found.support, np.sort(np.flatnonzero(sides != 0)[whole.support_]))


def test_a_code_has_the_pair_with_the_most_correct_held_out_classes(toy):
    protocol = replace(TINY, Cs=(0.01, 10.0), gammas=(0.01, 1.0))
    tuner = Tuner(Fold(toy, 0, protocol), protocol)
    code = OneVsAll().build(14).matrix
    decide = by_products(code)
    found = tuner.outputs(code, "code", decide)
    hits = {}
    for C in protocol.Cs:
        for gamma in protocol.gammas:
            one = replace(protocol, Cs=(C,), gammas=(gamma,))
            outputs = Tuner(Fold(toy, 0, protocol), one).outputs(code, "column", decide)
            hits[C, gamma] = np.mean(decide(outputs.held_out) == tuner.fold.y)
    assert len(set(found.pairs)) == 1
    assert hits[found.pairs[0]] == max(hits.values())
    assert len(set(tuner.outputs(code, "fold", decide).pairs)) == 1


def test_forgotten_margins_are_computed_again(toy, monkeypatch):
    tuner = Tuner(Fold(toy, 0, TINY), TINY)
    code = OneVsAll().build(14).matrix
    before = tuner.outputs(code, "column", by_products(code))
    monkeypatch.setattr("ecoc_paper.experiments.tuning._MOST_BYTES", 0)
    tuner._forget_if_too_much()
    after = tuner.outputs(code, "column", by_products(code))
    assert np.array_equal(before.test, after.test)
    assert np.array_equal(before.held_out, after.held_out)


# Search -----------------------------------------------------------------------------------------------------------


def answer_from(table, Cs, gammas):
    """Scores of a table (search × C × γ), for all searches."""

    def evaluate(pair, places):
        return [((table[place, Cs.index(pair[0]), gammas.index(pair[1])], 0.0), True) for place in places]

    return evaluate


def test_searches_run_side_by_side_and_each_ends_where_it_would_alone():
    tables = np.random.default_rng(0).random((5, 3, 4))
    Cs, gammas, asked = (1.0, 10.0, 100.0), (0.1, 0.2, 0.3, 0.4), []

    def evaluate(pair, places):
        asked.append(pair)
        return answer_from(tables, Cs, gammas)(pair, places)

    found = run_searches([full_search(Cs, gammas) for _ in tables], evaluate)
    best = [np.unravel_index(table.argmax(), table.shape) for table in tables]
    assert found == [(Cs[i], gammas[j]) for i, j in best]


def test_a_search_raises_C_only_while_that_can_change_the_model():
    search = full_search((1.0, 10.0, 100.0), (0.1, 0.2))
    asked = [next(search)]
    asked += [search.send(((0.5, 0.0), is_bounded)) for is_bounded in (True, False)]
    assert asked == [(1.0, 0.1), (10.0, 0.1), (1.0, 0.2)]
    with pytest.raises(StopIteration) as end:
        search.send(((0.5, 0.0), False))
    assert end.value.value[1] == (1.0, 0.1)


def test_the_pruned_search_asks_for_less_and_finds_the_same_on_a_hill():
    Cs, gammas = tuple(10.0**i for i in range(6)), (0.1, 0.3, 0.5, 0.7, 0.9)
    i, j = np.meshgrid(range(6), range(5), indexing="ij")
    tables = np.array([0.9 - 0.02 * ((i - a) ** 2 + (j - b) ** 2) for a in range(4) for b in range(5)])
    asked = []

    def evaluate(pair, places):
        asked.extend(places)
        return answer_from(tables, Cs, gammas)(pair, places)

    found = run_searches([pruned_search(Cs, gammas, 1000) for _ in tables], evaluate)
    assert found == run_searches([full_search(Cs, gammas) for _ in tables], answer_from(tables, Cs, gammas))
    assert len(asked) < 0.6 * tables.size


def test_the_pruned_search_chooses_as_the_full_grid_does(toy):
    protocol = replace(TINY, Cs=(1.0, 1e2, 1e4, 1e6), gammas=(0.1, 0.3, 0.5, 0.7, 0.9), max_rows=280)
    tuner = Tuner(Fold(toy, 0, protocol), protocol)
    code = np.where(np.random.default_rng(0).random((14, 12)) < 0.5, 1, -1).astype(np.int8)
    code *= code[0]
    n = len(tuner.fold.y)
    searches = {
        f: [f(protocol.Cs, protocol.gammas, *more) for _ in code.T]
        for f, more in ((full_search, ()), (pruned_search, (n,)))
    }
    full, pruned = (
        run_searches(s, lambda pair, at: tuner.column_answers(code[:, at], pair)) for s in searches.values()
    )
    assert full == pruned


# Methods ----------------------------------------------------------------------------------------------------------


def test_every_method_runs(toy):
    for name in experiments.method_names():
        for setting in get_method(name).settings_in(TINY)[:1]:
            outcome = execute(job(toy, name, setting))
            assert outcome.error is None, (name, outcome.error)
            if get_method(name).origin not in ("solver", "reading"):
                assert outcome.result["n_classes"] == 14
                assert set(outcome.result["correct"]) == {"column", "code", "fold"}


def test_every_method_with_a_length_keeps_it(toy):
    for name in experiments.method_names():
        if get_method(name).at_length is not None:
            result = execute(job(toy, name, "3/4", experiment="length")).result
            assert result["n_columns"] == result["wanted_columns"] == 11, name


def test_lengths_that_do_not_exist_are_left_out(toy):
    assert execute(job(toy, "S-ECOC", "1", experiment="length")).result == {}
    assert execute(job(toy, "DENSE", "1/7", experiment="length")).result == {}


@pytest.mark.parametrize(
    ("length", "k", "columns"),
    [("log2", 14, 5), ("1/2", 14, 7), ("3/2", 7, 11), ("2", 6, 12), ("1/4", 6, None), ("1/2", 6, 3), ("2", 3, 3)],
)
def test_lengths_are_shares_of_the_classes(length, k, columns):
    assert columns_at(length, k) == columns


def test_sure_distances_are_those_of_gilbert_and_varshamov():
    """RAND chooses its length for a distance by the same bound."""
    for distance in (1, 2, 3):
        length = FixedDistanceRandom(distance).build(6, random_state=0).n_columns
        assert sure_distance(6, length) == distance
        assert sure_distance(6, length - 1) < distance or distance == 1


def test_ecf_keeps_the_distance_of_its_setting(toy):
    found = {s: execute(job(toy, "ECF-H", s)).result for s in ("1", "3")}
    assert found["3"]["min_distance"] >= 3
    assert found["3"]["n_columns"] >= found["1"]["n_columns"]


def test_cells_tell_how_codewords_follow_the_classes(toy):
    hard, easy = (execute(job(toy, name, "1")).result["correlation"] for name in ("ECF-H", "ECF-E"))
    assert hard < -0.3
    assert easy > 0.5
    assert execute(job(toy)).result["correlation"] is None  # one-vs-all: all codewords are equally far apart


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), ("no", "yes")])
def test_the_machine_of_hierarchies_takes_any_two_labels(labels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.array(labels)[(X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)]
    gram = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    model, peer = GramMachine(C=10.0).fit(gram, y), SVC(C=10.0, kernel="precomputed", tol=1e-6).fit(gram, y)
    np.testing.assert_allclose(model.decision_function(gram), peer.decision_function(gram), atol=5e-3)
    assert np.array_equal(model.predict(gram), peer.predict(gram))


def test_a_hierarchy_grows_as_with_scikit_learn(toy):
    """The compiled machine in single precision finds the splits that SVC finds."""
    from ecoc_paper.hierarchy import RelaxedHierarchyClassifier

    fold = Fold(toy, 0, TINY)
    tuner = Tuner(fold, TINY)
    C, gamma = tuner.fold_pair
    ours = grow(tuner, RelaxedHierarchyClassifier(SVC(), rho=0.4, n_init=1), 0)
    peer = RelaxedHierarchyClassifier(SVC(C=C, kernel="precomputed"), rho=0.4, n_init=1, random_state=0)
    peer.fit(tuner.gram(gamma)[0].astype(np.float64), fold.y)
    assert [list(node.members) for node in ours] == [list(node.members) for node in peer.tree_]


def test_a_hierarchy_is_walked_as_its_classifier_does(toy):
    from ecoc_paper import RelaxedHierarchyClassifier

    fold = Fold(toy, 0, TINY)
    model = RelaxedHierarchyClassifier(SVC(), rho=0.2, random_state=0).fit(fold.X, fold.y)
    margins = np.column_stack([node.estimator.decision_function(fold.X_test) for node in model.tree_.inner])
    assert np.array_equal(walk(model.tree_, margins), model.predict(fold.X_test))


def test_algorithm_1_says_how_hard_it_tried(toy):
    easy = execute(job(toy, "ECF-E Alg. 1", "1"))  # no start is valid: that is a result
    assert easy.error is None
    assert easy.result["details"]["starts"] <= 3


def test_a_distance_that_no_code_has_is_no_failure(toy):
    protocol = replace(TINY, min_distances=(10,))
    data = replace(toy, X=toy.X[toy.y < 4], y=toy.y[toy.y < 4], digest="four")
    outcome = execute(
        Job(Cell("accuracy", "toy", 0, "ECF-H twice as long", "10"), protocol, data, get_method("ECF-H twice as long"))
    )
    assert (outcome.error, outcome.result) == (None, {})


def test_a_classifier_of_another_kind_is_given_the_features(toy):
    from sklearn.neighbors import KNeighborsClassifier

    method = Method("KNN", KNeighborsClassifier, (3, 5))
    outcome = execute(Job(Cell("accuracy", "toy", 0, "KNN", "5"), TINY, toy, method))
    fold = Fold(toy, 0, TINY)
    expected = KNeighborsClassifier(5).fit(fold.X, fold.y).predict(fold.X_test) == fold.y_test
    assert outcome.result["correct"]["column"] == {"own": expected.sum()}


@pytest.mark.parametrize("name", ["Crammer-Singer", "split classes"])
def test_C_and_gamma_of_methods_with_their_own_machines_are_chosen(name):
    grid = get_method(name).build("", TINY).param_grid
    assert {parameter.rpartition("__")[2] for parameter, values in grid.items() if len(values) > 1} == {"C", "gamma"}


def test_unknown_methods_are_answered_with_the_list():
    with pytest.raises(ValueError, match=r"Unknown method 'ecf-h'; the names are OVA, .*Did you mean 'ECF-H'\?"):
        get_method("ecf-h")


def test_a_failure_is_an_outcome(toy):
    def broken():
        raise RuntimeError("on purpose")

    outcome = execute(Job(Cell("accuracy", "toy", 0, "BROKEN", ""), TINY, toy, Method("BROKEN", broken)))
    assert outcome.result is None
    assert outcome.error.startswith("RuntimeError: on purpose (broken, line")


# Seeds and protocols ----------------------------------------------------------------------------------------------


def test_seeds_follow_from_what_they_are_for():
    assert seed_of(TINY, "toy", 0) == seed_of(TINY, "toy", 0)
    assert len({seed_of(TINY, "toy", i) for i in range(100)}) == 100
    assert seed_of(replace(TINY, seed=1), "toy", 0) != seed_of(TINY, "toy", 0)


def test_more_operating_points_keep_finished_cells_and_another_grid_does_not():
    assert replace(TINY, min_distances=(1, 3, 5), lengths=("1", "2"), folds=(0, 1, 2)).key == TINY.key
    assert replace(TINY, Cs=(1.0,)).key != TINY.key


def test_the_paper_preset_is_the_papers_protocol():
    paper = experiments.PRESETS["paper"]
    assert (paper.n_splits, len(paper.folds), paper.max_rows) == (5, 5, None)
    assert paper.min_distances == (1, 3, 5, 7, 10)
    assert paper.rhos == (0.1, 0.4, 0.7, 0.9)
    assert {"OVA", "OVO", "DENSE", "RAND", "S-ECOC", "R-H", "ECF-H", "ECF-E"} <= set(experiments.method_names())
    assert len(paper.datasets) == 8
    assert max(paper.Cs) == 1e10
    assert min(paper.gammas) > 0
    assert max(paper.gammas) <= 1


# Runner -----------------------------------------------------------------------------------------------------------


def results(store, protocol=TINY):
    kinds = dict.fromkeys(cell.experiment for cell in plan(protocol, METHODS))
    return [(row.cell, row.result) for kind in kinds for row in store.rows(protocol.key, kind)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("run") / "results.sqlite")
    experiments.run(TINY, store, methods=METHODS)
    return results(store)


def test_every_planned_cell_is_there(undisturbed):
    assert {cell for cell, _ in undisturbed} == set(plan(TINY, METHODS))


def expected(undisturbed, protocol):
    return [(cell, result) for cell, result in undisturbed if cell in plan(protocol, METHODS)]


@pytest.mark.parametrize("name", ["loky", "threading"])
def test_numbers_do_not_depend_on_the_number_of_jobs(tmp_path, undisturbed, name):
    protocol = replace(TINY, readings=False)
    store = Store(tmp_path / "results.sqlite")
    experiments.run(protocol, store, methods=METHODS, backend=Backend(2, name))
    assert results(store, protocol) == expected(undisturbed, protocol)


def test_nor_on_where_they_are_computed(tmp_path, undisturbed):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        store = Store(tmp_path / "results.sqlite")
        backend = Backend(name="dask", scheduler=cluster.scheduler_address)
        experiments.run(SMALL, store, methods=METHODS, backend=backend)
    assert results(store, SMALL) == expected(undisturbed, SMALL)


def test_dask_without_a_scheduler_says_what_is_missing(tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match="address of a scheduler"):
        experiments.run(TINY, Store(tmp_path / "x.sqlite"), methods=METHODS, backend=Backend(name="dask"))


def test_nothing_is_computed_twice(tmp_path, monkeypatch):
    protocol, count = SMALL, []
    monkeypatch.setattr(
        "ecoc_paper.experiments.runner.execute", lambda job: (count.append(job.cell), cells.execute(job))[1]
    )
    store = Store(tmp_path / "results.sqlite")
    for _ in range(2):
        experiments.run(protocol, store, methods=["OVA"])
    assert len(count) == 1
    experiments.run(replace(protocol, folds=(0, 1)), store, methods=["OVA"])
    assert len(count) == 2


def test_failed_cells_are_kept_as_failed_and_retried_on_request(tmp_path):
    protocol = SMALL
    fails = [True]

    @experiments.register_method("SOMETIMES")
    def sometimes():
        if fails[0]:
            raise RuntimeError("not today")
        return OneVsAll()

    store = Store(tmp_path / "results.sqlite")
    experiments.run(protocol, store, methods=["SOMETIMES"], backend=Backend(1))
    assert [error.split(" (")[0] for _, error in store.failures(protocol.key)] == ["RuntimeError: not today"]
    fails[0] = False
    experiments.run(protocol, store, methods=["SOMETIMES"])
    assert store.failures(protocol.key)
    experiments.run(protocol, store, methods=["SOMETIMES"], retry_failed=True)
    assert not store.failures(protocol.key)
    assert len(list(store.rows(protocol.key, "accuracy"))) == 1


def test_rows_hold_seed_versions_seconds_and_machine(tmp_path, toy):
    store = Store(tmp_path / "results.sqlite")
    store.add(TINY.key, execute(job(toy)))
    (row,) = store._base.execute("SELECT seed, seconds, facts, status FROM cells").fetchall()
    assert row[0] == seed_of(TINY, "toy", 0, "OVA")
    assert row[1] > 0
    assert {"machine", "python", "ecoc", "numpy", "scikit-learn", "source"} <= set(
        next(store.rows(TINY.key, "accuracy")).facts
    )


def test_every_repetition_has_folds_and_codes_of_its_own(toy, tmp_path):
    protocol = replace(SMALL, seeds=(0, 1))
    store = Store(tmp_path / "results.sqlite")
    experiments.run(protocol, store, methods=["OVA"])
    first, second = protocol.repetitions
    assert first.key == SMALL.key != second.key
    assert [len(store.known(each.key)) for each in (first, second)] == [1, 1]
    assert not np.array_equal(Fold(toy, 0, first).y_test, Fold(toy, 0, second).y_test)
    assert seed_of(first, "toy", 0, "RAND") != seed_of(second, "toy", 0, "RAND")
    whole = replace(TINY, seeds=(0, 1))
    kinds = [{cell.experiment for cell in plan(each)} for each in whole.repetitions]
    assert kinds[1] == {"accuracy", "length"} < kinds[0]  # examples and runs of their own are made once
    names = ["OVA", "kNN", "ECF-H literal"]  # what takes long runs with the first seed, unless it is named
    found = [{cell.method for cell in plan(each)} & {*names} for each in whole.repetitions]
    assert found == [{*names}, {"OVA"}]
    assert {cell.method for cell in plan(second, names)} == {*names}


def test_stopped_machines_are_counted(toy):
    few = execute(job(toy, protocol=replace(TINY, max_iter=3))).result
    assert few["n_stopped"]["column"] == 14
    assert execute(job(toy)).result["n_stopped"]["column"] == 0


def test_a_method_of_the_same_name_replaces_ours():
    import subprocess
    import sys

    program = (
        "from ecoc import OneVsAll\nfrom ecoc_paper.experiments import method_names, register_method\n"
        "from ecoc_paper.experiments.methods import get_method\n"
        "register_method('DENSE', settings=(7,))(OneVsAll)\n"
        "assert 'OVA' in method_names()\nprint(get_method('DENSE').settings)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "(7,)", done.stderr


def test_ctrl_c_in_compiled_code_is_no_failure_of_the_cell(monkeypatch):
    """Numba turns it into a SystemError, which was stored as a failure, and the cell was not computed again."""
    from ecoc_paper.experiments.tasks import EXPERIMENTS

    def interrupted(job):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setitem(EXPERIMENTS, "accuracy", interrupted)
    job = Job(Cell("accuracy", "toy", 0, "OVA", ""), Protocol("any"))
    with pytest.raises(KeyboardInterrupt):
        execute(job)
