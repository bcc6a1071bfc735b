"""Figures show what they name, and nothing is cut off."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ecoc_paper.experiments import figures, pictures
from ecoc_paper.experiments.curves import GRID
from ecoc_paper.experiments.points import MEASURES, Point
from ecoc_paper.experiments.ranks import Ranking
from ecoc_paper.experiments.wins import PAPER, as_results, duels, win_table

METHODS = ("OVA", "OVO", "DENSE", "RAND", "S-ECOC", "R-H", "ECF-H", "ECF-E", "ECF-balanced", "ECF-auto", "R-H held out")


def point(method, dataset, accuracy=0.8, decoding="loss_weighted", complexity=0.8):
    relative = {"support": complexity, "columns": complexity}
    correct = (round(1000 * accuracy),)
    return Point(dataset, "column", decoding, method, "", correct, (1000,), 10.0, 100.0, relative, np.nan, (method,))


def drawn():
    """Figures with one or two data sets, which are the narrowest."""
    some = [point(m, d, 0.6 + i / 50, complexity=0.5 + i / 25) for d in "ab" for i, m in enumerate(METHODS)]
    shares = {f"{kind} {what}": 5.0 for kind in ("wins by", "paper: wins by") for what in MEASURES.values()}
    parts = dict.fromkeys(("optimisation", "discretisation", "trace", "total"), 0.1)
    yield figures.accuracy(some, "support"), len(METHODS)
    yield figures.accuracy(some, "columns"), len(METHODS)
    yield figures.exchanged([{"method": m, **shares} for m in PAPER]), len(PAPER)
    yield pictures.decomposition([("a, hard", parts)]), len(parts)
    yield pictures.convergence({("a", order): np.ones((50, 9)) for order in ("cyclic", "random")}), 2


def test_legends_fit():
    for figure, n_labels in drawn():
        figure.draw_without_rendering()
        (box,) = (legend.get_window_extent() for legend in figure.legends)
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
        assert len(figure.legends[0].get_texts()) == n_labels


def test_an_axis_of_support_vectors_has_ticks_however_narrow_it_is():
    figure = figures.accuracy([point("OVA", "a", complexity=0.99), point("OVO", "a", complexity=1.0)], "support")
    low, high = figure.axes[0].get_xlim()
    assert sum(low <= tick <= high for tick in figure.axes[0].get_xticks()) >= 2


def test_the_bar_of_the_critical_difference_ends_with_its_axis():
    figure = figures.critical_difference(Ranking(list("ABCD"), np.array([1.5, 2, 3, 3.5]), 2, 0.4, 7.5))
    (bar,) = (each for each in figure.axes[0].collections if np.allclose(each.get_segments()[0][:, 1], 1.4))
    assert bar.get_segments()[0][:, 0].max() == 4
    assert any("more than the axis" in text.get_text() for text in figure.axes[0].texts)


@pytest.mark.parametrize("k", [4, 15, 16, 27, 40])
def test_numbers_of_ranks_do_not_overlap(k):
    figure = figures.critical_difference(Ranking([f"M{i}" for i in range(k)], np.arange(1.0, k + 1), 8, 0.4, 2.0))
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text().isdigit()]
    assert len(boxes) > 3
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_a_method_that_always_wins_is_inside_the_axes():
    shares = {f"{kind} {what}": 100.0 for kind in ("wins by", "paper: wins by") for what in MEASURES.values()}
    axis = figures.exchanged([{"method": "RAND", **shares}]).axes[0]
    assert min(axis.get_xlim()[1], axis.get_ylim()[1]) > 103  # half a marker


def test_the_legend_of_wins_has_what_has_points():
    some = [point("ECF-H", "a"), point("OVA", "a", 0.7)]
    figure = figures.wins({"support": duels(as_results(some, "support"))}, ["ECF-H", "OVA"])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["LWD"]


def test_titles_of_wins_are_those_of_the_table():
    """Means over seeds: they may have different numbers of points with a rival."""
    some = [replace(point(m, d), correct=(n,), seed=0) for d in "ab" for m, n in (("ECF-H", 900), ("OVA", 700))]
    some += [replace(point(m, "a"), correct=(n,), seed=1) for m, n in (("ECF-H", 700), ("OVA", 900))]
    results = as_results(some, "support")
    figure = figures.wins({"support": duels(results)}, ["ECF-H", "OVA"])
    shares = [f"{row['method']}: {row['wins']:.0f} % wins" for row in win_table(results)]
    assert [axis.get_title() for axis in figure.axes] == shares == ["ECF-H: 50 % wins", "OVA: 50 % wins"]


def test_the_toy_figure_has_the_code_of_each_method():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    code = np.array([[1, 1], [1, -1], [-1, 1]])
    figure = pictures.boundaries(
        X, y, [("one", np.zeros(GRID * GRID, int), code), ("two", np.zeros(GRID * GRID, int), -code)]
    )
    shown = [axis.images[0].get_array() for axis in figure.axes[2:]]
    assert np.array_equal(shown[0], code)
    assert np.array_equal(shown[1], -code)
