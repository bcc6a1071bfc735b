from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.svm import SVC

from ecoc import ECOCClassifier, OneVsAll, datasets, experiments
from ecoc.experiments import Backend, Protocol, Store, cells, summary
from ecoc.experiments.cells import Cell, Job, execute
from ecoc.experiments.fold import Fold
from ecoc.experiments.methods import Method, get_method
from ecoc.experiments.runner import plan
from ecoc.experiments.seeds import seed_of
from ecoc.experiments.summary import Point
from ecoc.experiments.tuning import Tuning, grid_search, run_searches

TINY = Protocol(
    "tiny",
    datasets=("toy",),
    folds=(0, 1),
    max_rows=140,
    Cs=(1.0, 100.0),
    gammas=(0.5,),
    max_iter=5000,
    min_distances=(1, 3),
    rhos=(0.4,),
    effort=0.02,
    trials=2,
    planted=((6, 3, 2, 2),),
    curves=("toy",),
)
METHODS = ("OVA", "RAND", "R-H", "ECF-H")


@pytest.fixture(scope="module")
def toy():
    return datasets.load("toy")


def job(toy, method="OVA", setting="", protocol=TINY, fold=0):
    return Job(Cell("accuracy", "toy", fold, method, setting), protocol, toy, get_method(method))


# The fold ---------------------------------------------------------------------------------------------------------


def test_every_row_is_tested_once_and_never_trained_on(toy):
    folds = [Fold(toy, i, replace(TINY, max_rows=None)) for i in range(5)]
    assert sum(fold.n_test for fold in folds) == len(toy.y)
    assert all(len(fold.y) + fold.n_test == len(toy.y) for fold in folds)
    rows = np.concatenate([fold.X_test * 0 + i for i, fold in enumerate(folds)])
    assert np.bincount(rows[:, 0].astype(int)).tolist() == [280] * 5


def test_numbers_do_not_depend_on_the_order_of_rows_nor_on_the_names_of_classes(toy):
    order = np.random.default_rng(0).permutation(len(toy.y))
    other = replace(toy, X=toy.X[order], y=np.array(list("nmlkjihgfedcba"))[toy.y[order]])
    one, two = Fold(toy, 0, TINY), Fold(other, 0, TINY)
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.y, two.y)


def test_a_coding_is_trained_and_decoded_as_the_classifier_does_it(toy):
    protocol = replace(TINY, Cs=(10.0,), decodings=("hamming", "loss_weighted"))
    result = execute(job(toy, protocol=protocol)).result
    fold = Fold(toy, 0, protocol)
    for decoding, correct in result["correct"].items():
        model = ECOCClassifier(SVC(C=10, gamma=0.5), coding=OneVsAll(), decoding=decoding, probability=False)
        model.fit(fold.X, fold.y)
        assert correct == (model.predict(fold.X_test) == fold.y_test).sum()
    assert result["n_support"] == model.n_support_


def test_columns_are_trained_once_whatever_their_sign(toy, monkeypatch):
    tuning, count = Tuning(Fold(toy, 0, TINY), TINY), []
    trained = tuning._trained
    monkeypatch.setattr(tuning, "_trained", lambda code: (count.append(code.shape[1]), trained(code))[1])
    column = np.where(np.arange(14) < 5, 1, -1).astype(np.int8)
    found = tuning.outputs(np.column_stack([column, -column]))
    for outputs in (found.test, found.train, found.held_out):
        assert np.array_equal(outputs[:, 0], -outputs[:, 1])
    tuning.outputs(-column[:, None])
    assert count == [1]


def test_the_search_finds_the_best_pair_and_held_out_outputs_are_held_out(toy):
    protocol = replace(TINY, Cs=(0.1, 1.0, 1000.0), gammas=(0.05, 2.0))
    fold = Fold(toy, 0, protocol)
    column = np.where(np.arange(14) % 3 == 0, 1, np.where(np.arange(14) == 1, 0, -1)).astype(np.int8)
    found = Tuning(fold, protocol).outputs(column[:, None])
    sides, best = column[fold.y], (-1.0, None)
    for gamma in protocol.gammas:  # the definition as a loop, on the features themselves
        for C in protocol.Cs:
            outputs = np.empty(len(sides))
            for train, test in fold.halves:
                used = train[sides[train] != 0]
                outputs[test] = SVC(C=C, gamma=gamma).fit(fold.X[used], sides[used]).decision_function(fold.X[test])
            margins = (outputs * sides)[sides != 0]
            score = (np.mean(margins > 0), -np.maximum(0, 1 - margins).mean())
            if best[1] is None or score > best[0]:
                best = score, outputs, C, gamma
    assert np.allclose(found.held_out[:, 0], best[1], atol=1e-2)
    whole = SVC(C=best[2], gamma=best[3]).fit(fold.X[sides != 0], sides[sides != 0])
    assert np.allclose(found.test[:, 0], whole.decision_function(fold.X_test), atol=1e-2)
    assert np.array_equal(found.support, np.sort(np.flatnonzero(sides != 0)[whole.support_]))


def test_searches_run_side_by_side_and_each_ends_where_it_would_alone():
    tables = np.random.default_rng(0).random((5, 3, 4))  # search × C × γ
    Cs, gammas, asked = (1.0, 10.0, 100.0), (0.1, 0.2, 0.3, 0.4), []

    def evaluate(pair, places):
        asked.append(pair)
        C, gamma = Cs.index(pair[0]), gammas.index(pair[1])
        return [((tables[place, C, gamma], 0.0), True) for place in places]

    found = run_searches([grid_search(Cs, gammas) for _ in tables], evaluate)
    best = [np.unravel_index(table.argmax(), table.shape) for table in tables]
    assert found == [(Cs[i], gammas[j]) for i, j in best]
    assert len(asked) == 12  # one call for each pair


def test_a_search_raises_C_only_while_that_can_change_the_model():
    search = grid_search((1.0, 10.0, 100.0), (0.1, 0.2))
    asked = [next(search)]
    asked += [search.send(((0.5, 0.0), is_bounded)) for is_bounded in (True, False)]
    assert asked == [(1.0, 0.1), (10.0, 0.1), (1.0, 0.2)]
    with pytest.raises(StopIteration) as end:
        search.send(((0.5, 0.0), False))
    assert end.value.value == (1.0, 0.1)


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


# Methods ----------------------------------------------------------------------------------------------------------


def test_every_method_runs(toy):
    for name in experiments.method_names():
        for setting in get_method(name).settings_in(TINY):
            outcome = execute(job(toy, name, setting))
            assert outcome.error is None, (name, outcome.error)
            assert outcome.result["n_columns"] >= 4
            assert 0 < outcome.result["n_support"] <= outcome.result["n_train"]


def test_ecf_keeps_the_distance_of_its_setting(toy):
    found = {s: execute(job(toy, "ECF-H", s)).result for s in ("1", "3")}
    assert found["3"]["min_distance"] >= 3
    assert found["3"]["n_columns"] >= found["1"]["n_columns"]


def test_a_classifier_of_another_kind_is_given_the_features(toy):
    from sklearn.neighbors import KNeighborsClassifier

    method = Method("KNN", KNeighborsClassifier, (3, 5))
    outcome = execute(Job(Cell("accuracy", "toy", 0, "KNN", "5"), TINY, toy, method))
    fold = Fold(toy, 0, TINY)
    expected = KNeighborsClassifier(5).fit(fold.X, fold.y).predict(fold.X_test) == fold.y_test
    assert outcome.result["correct"] == {"own": expected.sum()}


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
    assert replace(TINY, min_distances=(1, 3, 5), folds=(0, 1, 2)).key == TINY.key
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
    kinds = ("accuracy", "boundaries", "design", "convergence", "planted")
    return [(row.cell, row.result) for kind in kinds for row in store.rows(protocol.key, kind)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("run") / "results.sqlite")
    experiments.run(TINY, store, methods=METHODS)
    return results(store)


def test_every_planned_cell_is_there(undisturbed):
    assert {cell for cell, _ in undisturbed} == set(plan(TINY, METHODS))


@pytest.mark.parametrize("name", ["loky", "threading"])
def test_numbers_do_not_depend_on_the_number_of_jobs(tmp_path, undisturbed, name):
    store = Store(tmp_path / "results.sqlite")
    experiments.run(TINY, store, methods=METHODS, backend=Backend(2, name))
    assert results(store) == undisturbed


def test_nor_on_where_they_are_computed(tmp_path, undisturbed):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        store = Store(tmp_path / "results.sqlite")
        backend = Backend(name="dask", scheduler=cluster.scheduler_address)
        experiments.run(replace(TINY, folds=(0,)), store, methods=METHODS, backend=backend)
    expected = [(cell, result) for cell, result in undisturbed if cell.experiment != "accuracy" or cell.fold == 0]
    assert results(store) == expected


def test_dask_without_a_scheduler_says_what_is_missing(tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match="address of a scheduler"):
        experiments.run(TINY, Store(tmp_path / "x.sqlite"), methods=METHODS, backend=Backend(name="dask"))


def test_nothing_is_computed_twice(tmp_path, monkeypatch):
    protocol, count = replace(TINY, curves=(), planted=(), boundaries=False, folds=(0,)), []
    monkeypatch.setattr("ecoc.experiments.runner.execute", lambda job: (count.append(job.cell), cells.execute(job))[1])
    store = Store(tmp_path / "results.sqlite")
    for _ in range(2):
        experiments.run(protocol, store, methods=["OVA"])
    assert len(count) == 1
    experiments.run(replace(protocol, folds=(0, 1)), store, methods=["OVA"])
    assert len(count) == 2


def test_failed_cells_are_kept_as_failed_and_retried_on_request(tmp_path):
    protocol = replace(TINY, curves=(), planted=(), boundaries=False, folds=(0,))
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
    assert row[0] == seed_of(TINY, "accuracy", "toy", 0, "OVA", "")
    assert row[1] > 0
    assert {"machine", "python", "ecoc", "numpy", "scikit-learn", "source"} <= set(
        next(store.rows(TINY.key, "accuracy")).facts
    )


# Summary ----------------------------------------------------------------------------------------------------------


def point(method, accuracy, complexity, dataset="d", decoding="hamming", setting=""):
    measures = {"support": complexity, "columns": complexity}
    return Point(
        dataset, decoding, method, setting, 1, 100, accuracy, 0, 1, 10 * complexity, 100 * complexity, measures
    )


def test_wins_are_counted_within_five_percent_of_the_complexity():
    some = [point("A", 0.8, 0.60), point("B", 0.9, 0.64), point("C", 0.7, 0.62), point("D", 0.5, 1.0)]
    found = {win.point.method: win for win in summary.wins(some, "support")}
    assert found["A"].rival.method == "C"  # B is 6.7 % away
    assert found["A"].won
    assert found["C"].rival.method == "B"  # 0.02 away, of 0.031
    assert not found["C"].won
    assert found["D"].near  # nobody within 5 %: the nearest is B
    assert found["D"].rival.method == "B"


def test_equal_accuracy_wins_nothing_and_own_settings_are_no_rivals():
    some = [point("A", 0.8, 0.5, setting="1"), point("A", 0.9, 0.5, setting="2"), point("B", 0.8, 0.5)]
    assert [win.won for win in summary.wins(some, "support")] == [False, True, False]


def test_methods_meet_on_the_same_data_and_decoding_only():
    some = [point("A", 0.8, 0.5), point("B", 0.9, 0.5, dataset="other"), point("B", 0.9, 0.5, decoding="linear")]
    assert summary.wins(some, "support") == []


def test_points_are_pooled_over_folds_and_complexity_is_relative(tmp_path):
    def row(method, fold, correct, support, columns):
        result = {"correct": correct, "n_test": 10, "n_columns": columns, "n_support": support}
        return summary.Row(Cell("accuracy", "d", fold, method, ""), result, 1.0, {})

    rows = [
        row("A", 0, {"hamming": 7, "linear": 5}, 40, 4),
        row("A", 1, {"hamming": 8, "linear": 5}, 60, 4),
        row("B", 0, {"own": 6}, 100, 8),
    ]
    found = {(p.method, p.decoding): p for p in summary.points(rows)}
    assert found["A", "hamming"].accuracy == 0.75
    assert found["A", "hamming"].complexity == {"support": 0.5, "columns": 0.5}
    assert found["B", "hamming"].accuracy == found["B", "linear"].accuracy == 0.6


def test_intervals_are_wilsons():
    for right, n in ((0, 10), (7, 10), (430, 1000)):
        expected = binomtest(right, n).proportion_ci(method="wilson")
        assert summary.interval(right, n) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_critical_difference_is_nemenyis():
    # Demšar (2006), section 3.2.2: q = 2.569 for four classifiers, 14 data sets, CD = 1.25
    rng = np.random.default_rng(0)
    some = [point(m, rng.random(), 1, dataset=str(d)) for d in range(14) for m in "ABCD"]
    found = summary.ranking(some, "hamming")
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert found.ranks.sum() == pytest.approx(10)


def test_runs_that_converge_early_stay_where_they_are():
    cell = Cell("planted", "6×3", 0, "cyclic", "0")
    rows = [summary.Row(cell, {"history": h}, 0.0, {}) for h in ([4.0, 1.0], [4.0, 2.0, 1e-12])]
    ((_, runs),) = summary.histories(rows).items()
    assert runs.tolist() == [[4, 1, 1], [4, 2, 1e-12]]
    assert summary.cycles_to(runs, 1e-10).tolist() == [np.inf, 2]
