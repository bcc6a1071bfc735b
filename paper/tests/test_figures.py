"""Figures show what they name, and nothing is cut off."""

import numpy as np
import pytest

from ecoc_paper.experiments import figures, pictures
from ecoc_paper.experiments.curves import GRID
from ecoc_paper.experiments.points import Point
from ecoc_paper.experiments.ranks import Ranking
from ecoc_paper.experiments.wins import as_results, duels

METHODS = ("OVA", "OVO", "DENSE", "RAND", "S-ECOC", "R-H", "ECF-H", "ECF-E", "ECF-balanced", "ECF-auto", "R-H held out")


def point(method, dataset, accuracy=0.8, decoding="loss_weighted", complexity=0.8):
    relative = {"support": complexity, "columns": complexity}
    correct = (round(1000 * accuracy),)
    return Point(dataset, "column", decoding, method, "", correct, (1000,), 10.0, 100.0, relative, np.nan, (method,))


@pytest.mark.parametrize("measure", ["support", "columns"])
def test_the_legend_fits_two_data_sets(measure):
    some = [point(m, d, 0.6 + i / 50, complexity=0.5 + i / 25) for d in "ab" for i, m in enumerate(METHODS)]
    figure = figures.accuracy(some, measure)
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width
    assert len(figure.legends[0].get_texts()) == len(METHODS)


def test_the_bar_of_the_critical_difference_ends_with_its_axis():
    figure = figures.critical_difference(Ranking(list("ABCD"), np.array([1.5, 2, 3, 3.5]), 2, 0.4, 7.5))
    (bar,) = (each for each in figure.axes[0].collections if np.allclose(each.get_segments()[0][:, 1], 1.4))
    assert bar.get_segments()[0][:, 0].max() == 4
    assert any("more than the axis" in text.get_text() for text in figure.axes[0].texts)


def test_the_legend_of_wins_has_what_has_points():
    some = [point("ECF-H", "a"), point("OVA", "a", 0.7)]
    figure = figures.wins({"support": duels(as_results(some, "support"))}, ["ECF-H", "OVA"])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["LWD"]


def test_the_toy_figure_has_the_code_of_each_method():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    code = np.array([[1, 1], [1, -1], [-1, 1]])
    figure = pictures.boundaries(
        X, y, [("one", np.zeros(GRID * GRID, int), code), ("two", np.zeros(GRID * GRID, int), -code)]
    )
    shown = [axis.images[0].get_array() for axis in figure.axes[2:]]
    assert np.array_equal(shown[0], code)
    assert np.array_equal(shown[1], -code)
