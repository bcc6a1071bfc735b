"""Operating points, wins, ranks and differences are what the tables say they are."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from ecoc_paper import experiments
from ecoc_paper.experiments.cells import Cell
from ecoc_paper.experiments.comparison import accuracies, equal_lengths
from ecoc_paper.experiments.equal_lengths import difference, length_table
from ecoc_paper.experiments.exchange import EXCHANGED, exchange_by_dataset, exchange_table, exchanged
from ecoc_paper.experiments.histories import cycles_to, histories
from ecoc_paper.experiments.page import Page
from ecoc_paper.experiments.points import Point, merged, points, pooled, wilson
from ecoc_paper.experiments.protocol import in_order
from ecoc_paper.experiments.ranks import ranking
from ecoc_paper.experiments.store import Row
from ecoc_paper.experiments.win_tables import variants
from ecoc_paper.experiments.wins import CLOSEST, PAPER, as_results, duels, paper_table


def point(
    method, accuracy, complexity, dataset="d", decoding="hamming", setting="", digest="", tuning="column", seed=0
):
    correct = (round(500 * accuracy), round(500 * accuracy))
    measures = {"support": complexity, "columns": complexity}
    sizes = (10 * complexity, 100 * complexity)
    return Point(
        dataset,
        tuning,
        decoding,
        method,
        setting,
        correct,
        (500, 500),
        *sizes,
        measures,
        np.nan,
        (digest or method + setting,),
        seed,
    )


def row(method, fold, correct, support, columns, setting=""):
    result = {
        "correct": {"column": correct},
        "predictions": {"column": {name: f"{method}{fold}{n}" for name, n in correct.items()}},
        "n_support": {"column": support},
        "n_test": 10,
        "n_columns": columns,
    }
    return Row(Cell("accuracy", "d", fold, method, setting), result, 1.0, {})


def test_points_are_pooled_over_folds_and_complexity_is_relative():
    rows = [
        row("A", 0, {"hamming": 7, "linear": 5}, 40, 4),
        row("A", 1, {"hamming": 8, "linear": 5}, 60, 4),
        row("B", 0, {"own": 6}, 100, 8),
        row("B", 1, {"own": 6}, 100, 8),
        row("C", 0, {"own": 6}, None, None),  # lacks a fold
    ]
    found = {(p.method, p.decoding): p for p in points(rows)}
    assert found["A", "hamming"].accuracy == 0.75
    assert found["A", "hamming"].complexity == {"support": 0.5, "columns": 0.5}
    assert found["B", "hamming"].accuracy == found["B", "linear"].accuracy == 0.6
    assert ("C", "hamming") not in found


def test_settings_that_predict_the_same_are_one_point():
    some = [row("A", 0, {"hamming": n}, 40, 4, setting) for setting, n in (("0.1", 7), ("0.4", 6), ("0.7", 6))]
    assert [(p.setting, p.accuracy) for p in merged(points(some))] == [("0.1", 0.7), ("0.4, 0.7", 0.6)]
    assert len(merged([point("A", 0.5, 1, digest="x"), point("B", 0.5, 1, digest="x")])) == 2


def test_wins_are_counted_within_five_percent_of_the_complexity():
    some = [point("A", 0.8, 0.60), point("B", 0.9, 0.64), point("C", 0.7, 0.62), point("D", 0.5, 1.0)]
    found = {duel.point["method"]: duel for duel in duels(as_results(some, "support"))}
    assert found["A"].rival["method"] == "C"  # B is 6.7 % away
    assert found["A"].margin > 0
    assert found["C"].rival["method"] == "B"  # 0.02 away, of 0.031
    assert found["C"].margin < 0
    assert "D" not in found  # nobody is within 5 %


def test_a_relaxed_hierarchy_meets_the_closest_point_of_each_other_method():
    """The footnote of Table 2."""
    some = [point("R-H", 0.8, 0.3), point("A", 0.7, 0.6), point("A", 0.9, 0.9, setting="2"), point("B", 0.75, 1.0)]
    found = duels(as_results(some, "support"), closest=CLOSEST)
    assert [(duel.point["method"], duel.rival["method"]) for duel in found] == [("R-H", "B")]
    assert paper_table(some)[0]["wins by support vectors"] == 100


def test_ties_are_no_wins_and_own_settings_are_no_rivals():
    some = [point("A", 0.8, 0.5, setting="1"), point("A", 0.9, 0.5, setting="2"), point("B", 0.8, 0.5)]
    table = {r["method"]: r for r in paper_table(some)}
    assert table["A"]["wins by support vectors"] == 50
    assert table["A"]["ties by support vectors"] == 50
    assert table["B"]["wins by support vectors"] == 0
    assert table["B"]["ties by support vectors"] == 0  # its best rival is better
    assert table["A"]["no rival by support vectors"] == 0


def test_methods_meet_on_the_same_data_decoding_tuning_and_seed_only():
    others = [{"dataset": "other"}, {"decoding": "linear"}, {"tuning": "fold"}, {"seed": 1}]
    some = [point("A", 0.8, 0.5), *(point("B", 0.9, 0.5, **other) for other in others)]
    assert duels(as_results(some, "support")) == []


def test_intervals_of_wins_cover_the_share_and_the_spread_is_over_seeds():
    rng = np.random.default_rng(0)
    some = [
        point(m, rng.uniform(0.5, 0.9), 1.0, dataset=str(d), seed=s) for d in range(8) for m in "ABC" for s in range(5)
    ]
    for line in paper_table(some):
        low, high = map(float, line["interval by support vectors"].split("–"))
        assert low <= line["wins by support vectors"] <= high
        low, high = map(float, line["seeds by support vectors"].split("–"))
        assert 0 <= low < line["wins by support vectors"] < high


def test_results_of_ones_own_may_be_a_table():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"method": ["a", "b", "c"], "dataset": "d", "accuracy": [3, 2, 1], "complexity": [1, 1, None]}
    )
    assert [(row["method"], row["wins"]) for row in experiments.win_table(table)] == [("a", 100), ("b", 0)]
    with pytest.raises(ValueError, match="row 0 has no 'complexity'"):
        experiments.win_table([{"method": "a", "dataset": "d", "accuracy": 1}])


def test_exchanged_names_agree_with_the_paper_if_the_paper_has_exchanged_them():
    """Points that win as often as Table 2 says, under the other name."""
    rng, some = np.random.default_rng(0), []
    for seed in range(2):
        for i in range(200):
            skill = {name: share / 100 + 0.5 * rng.random() for name, (_, share, _) in PAPER.items()}
            skill["ECF-H"], skill["ECF-E"] = skill["ECF-E"], skill["ECF-H"]
            some += [point(m, 0.3 + value / 3, 1.0, dataset=str(i), seed=seed) for m, value in skill.items()]
    line = next(row for row in exchange_table(some) if row["complexity"] == "classifiers")
    named, other = (float(line[name].split()[0]) for name in ("correlation", "correlation, exchanged"))
    assert other > 0.7 > 0.3 > named
    assert line["seeds nearer when exchanged"] == "2 of 2"
    assert [row["seeds"] for row in exchange_by_dataset(some)] == [2] * 200
    assert exchange_by_dataset([p for p in some if p.seed == 0])[0]["ECF-H by classifiers"] in ("0", "100")
    assert exchanged({"ECF-H": 1.0, "ECF-E": 2.0, "OVA": 3.0}) == {"ECF-E": 1.0, "ECF-H": 2.0, "OVA": 3.0}


def test_a_reading_is_compared_with_our_solver_where_both_have_a_point(tmp_path):
    some = [point("OVA", 0.5, 1.0, seed=s) for s in (0, 1)]
    some += [point(m, 0.8 - s / 10, 1.0, setting=s_, seed=s) for m in EXCHANGED for s_ in "13" for s in (0, 1)]
    some += [point(f"{m} literal", 0.7, 1.0, setting="1", seed=0) for m in EXCHANGED]
    page = Page(tmp_path, "", draw=False)
    variants(page, some)
    accuracies(page, some)
    with (tmp_path / "accuracy_column_hamming.csv").open() as file:
        assert [row["seeds"] for row in csv.DictReader(file)] == ["2"]
    with (tmp_path / "variants.csv").open() as file:
        first, _ = csv.DictReader(file)
    shown = ("ECF", "seeds", "points", "accuracy, %", "accuracy of our solver, %")
    assert [first[name] for name in shown] == ["ECF-H literal", "1", "1 of 2", "70.0", "80.0"]
    assert first["wins of our solver by classifiers"] == "0.0"
    some += [point(f"{m} literal", 0.7, 1.0, setting=s_, seed=1) for m, s_ in zip(EXCHANGED, "13")]
    variants(page, [p for p in some if p.method != "ECF-E literal"])
    with (tmp_path / "variants.csv").open() as file:
        assert next(csv.DictReader(file))["wins by classifiers"] == "100.0 (100–100)"
    with (tmp_path / "variants_exchanged.csv").open() as file:
        found = {(row["reading"], row["complexity"]): row for row in csv.DictReader(file)}
    assert found["literal", "classifiers"]["ECF-H"] == "100 (100 to 100)"
    assert found["our solver", "classifiers"]["correlation"] == ""  # all wins are 0


def test_columns_are_tuned_first_in_every_table_and_figure():
    """Stored results have the ways of tuning in order of the alphabet: code, column, fold."""
    result = {
        "correct": {t: {"hamming": i} for i, t in enumerate(("code", "column", "fold"))},
        "predictions": {t: {"hamming": t} for t in ("code", "column", "fold")},
        "n_support": dict.fromkeys(("code", "column", "fold"), 5),
        "n_test": 10,
        "n_columns": 3,
    }
    found = points([Row(Cell("accuracy", "d", 0, "A", ""), result, 1.0, {})])
    assert [p.tuning for p in found] == ["column", "code", "fold"]
    assert in_order({"fold": 0, "code": 0, "mine": 0, "column": 0}) == ["column", "code", "fold", "mine"]


def test_repetitions_are_pooled():
    one = [point("A", 0.5, 1, seed=0), point("A", 0.7, 3, seed=1)]
    (both,) = pooled(one)
    assert both.accuracy == pytest.approx(0.6)
    assert both.complexity["support"] == 2


def test_intervals_are_wilsons():
    for right, n in ((0, 10), (7, 10), (430, 1000)):
        expected = binomtest(right, n).proportion_ci(method="wilson")
        assert wilson(right, n) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_critical_difference_is_nemenyis():
    # Demšar (2006), section 3.2.2: q = 2.569 for four classifiers, 14 data sets, CD = 1.25
    scores = np.random.default_rng(0).random((14, 5))
    scores[3, 4] = np.nan  # E has no code on a data set, and does not take part
    found = ranking(list("ABCDE"), scores)
    assert (found.methods, found.n_datasets) == (list("ABCD"), 14)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert found.ranks.sum() == pytest.approx(10)


def test_differences_at_equal_length_are_means_over_data_sets():
    some = [point("A", 0.8, 1, dataset=d, setting="1/2") for d in "xyz"]
    some += [point("B", b, 1, dataset=d, setting="1/2") for d, b in zip("xyz", (0.7, 0.75, 0.82))]
    some += [point("A", 0.1, 1, setting="1")]
    found = difference(some, "1/2", "A", "B")
    assert found.mean == pytest.approx((10 + 5 - 2) / 3)
    assert (found.better, found.worse) == (2, 1)
    assert found.low < found.mean < found.high
    assert found.lowest == found.highest == pytest.approx(found.mean)
    assert difference(some, "2", "A", "B") is None
    (line, _) = length_table(some, ("1/2", "1"))
    assert (line["A"], line["B"]) == ("80.0 (1.3)", "75.7 (1.7)")


def test_correlations_at_equal_length_are_of_all_seeds(tmp_path):
    at = [replace(point("A", 0.8, 1, setting="1/2", seed=seed), correlation=c) for seed, c in ((0, 0.1), (1, 0.5))]
    equal_lengths(Page(tmp_path, "", draw=False), at)
    with (tmp_path / "correlations.csv").open() as file:
        assert next(csv.DictReader(file))["A"] == "+0.30"


def test_runs_that_converge_early_stay_where_they_are():
    cell = Cell("planted", "6×3", 0, "cyclic", "2")
    rows = [Row(cell, {"histories": [[4.0, 1.0], [4.0, 2.0, 1e-12]]}, 0.0, {})]
    ((_, runs),) = histories(rows).items()
    assert runs.tolist() == [[4, 1, 1], [4, 2, 1e-12]]
    assert cycles_to(runs, 1e-10).tolist() == [np.inf, 2]
