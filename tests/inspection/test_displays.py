"""Pictures show what they say: data is kept on the display, and what is drawn is that data in the order it tells."""

import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ecoc import ECF, CodeBook, DenseRandom, ECOCClassifier, OneVsOne, factorize, inspection
from ecoc.inspection import (
    BoundaryDisplay,
    CodeBookDisplay,
    ColumnDisplay,
    CoverageDisplay,
    DesignDisplay,
    DistanceDisplay,
    HistoryDisplay,
    LengthDisplay,
)
from ecoc.inspection.fitted import class_order, possible_lengths, predictions_at

mpl.use("Agg")
import matplotlib.pyplot as plt

X, Y = load_digits(return_X_y=True)
X, Y = X[:600] / 16, Y[:600]
NAMES = np.array(["zero", "one", "$two", "a_b", "<four>", "five\nlines", "six" * 20, "seven", "eight", "9"])


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    return ECOCClassifier(Ridge(), coding=ECF(n_columns=8, effort=0.05), random_state=0).fit(X[:300], NAMES[Y[:300]])


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_a_code_book_is_drawn_as_it_is(model):
    display = CodeBookDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.image_.get_array(), model.code_book_.matrix)
    names = ticks(display.ax_.yaxis)
    assert names[:2] == ["$two", "9"]  # in the order of classes_
    assert names[3] == "a_b"
    assert "five lines" in names
    assert max(map(len, names)) == 24
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["+1", "−1"]
    display.figure_.canvas.draw()  # a single $ is no mathematics


def test_a_code_book_in_another_order():
    book = OneVsOne().build(4).with_labels("abcd")
    display = CodeBookDisplay.from_codebook(book, order=[2, 0, 3, 1], legend=False)
    assert ticks(display.ax_.yaxis) == ["c", "a", "d", "b"]
    np.testing.assert_array_equal(display.image_.get_array(), book.matrix[[2, 0, 3, 1]])
    assert display.ax_.get_legend() is None
    left_out = CodeBookDisplay(book).plot().ax_.get_legend().get_texts()[-1]
    assert left_out.get_text() == "0, left out"
    for wrong in ([0, 1, 2], [0, 0, 1, 2], "sorted", [0.0, 1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match="order must"):
            CodeBookDisplay.from_codebook(book, order=wrong)


def test_near_codewords_stand_side_by_side():
    rng = np.random.default_rng(0)
    code = np.repeat(rng.choice([-1, 1], size=(4, 40)), 6, axis=0)
    code[np.arange(24), rng.permutation(40)[:24]] *= -1
    book = CodeBook(code[rng.permutation(24)][:, np.abs(code.sum(axis=0)) < 24])
    order = DistanceDisplay.from_codebook(book).order_
    family = fcluster(linkage(squareform(book.distances()), "average"), 4, "maxclust")[order]
    assert np.count_nonzero(np.diff(family)) == 3
    assert sorted(order) == list(range(24))
    np.testing.assert_array_equal(class_order("given", book.distances()), range(24))


@pytest.mark.parametrize("kind", ["distance", "direct", "paper"])
def test_distances_and_correction(model, kind):
    display = DistanceDisplay.from_estimator(model, kind=kind)
    book = model.code_book_
    expected = book.distances() if kind == "distance" else book.pairwise_correction(kind)
    np.testing.assert_array_equal(display.values, expected)
    drawn = display.image_.get_array()
    order = display.order_
    assert drawn.mask.diagonal().all()
    assert not drawn.mask[0, 1]
    assert drawn[0, 1] == expected[order[0], order[1]]
    assert ticks(display.ax_.yaxis)[0] == ticks(display.ax_.xaxis)[0]
    written = {tuple(text.get_position()): text.get_text() for text in display.ax_.texts}
    assert len(written) == 90
    assert written[1, 0] == str(expected[order[0], order[1]])


@pytest.mark.parametrize(("k", "n_names"), [(5, 5), (26, 26), (120, 60), (500, 0)])
def test_names_are_thinned_and_then_left_out(k, n_names):
    book = (
        DenseRandom(n_columns=min(24, 3 * k), n_draws=1)
        .build(k, random_state=0)
        .with_labels([f"class {i}" for i in range(k)])
    )
    display = DistanceDisplay.from_codebook(book)
    names = ticks(display.ax_.yaxis)
    assert len(names) == pytest.approx(n_names, abs=20 * (k == 120))
    assert all(text.get_fontsize() >= 6.5 for text in display.ax_.get_yticklabels())
    assert bool(display.ax_.texts) == (k == 5)
    assert (display.ax_.get_ylabel() == "500 classes") == (k == 500)
    places = display.ax_.get_yticks().astype(int)
    assert names == [f"class {display.order_[place]}" for place in places]
    display.figure_.canvas.draw()
    boxes = [text.get_window_extent() for text in display.ax_.get_yticklabels()]
    assert all(a.y0 >= b.y1 - 1.5 for a, b in pairwise(boxes))  # they do not overlap


def test_long_names_are_told_apart():
    labels = [f"species of plant number {i:03d} of one hundred" for i in range(100)]
    book = DenseRandom(n_columns=24, n_draws=1).build(100, random_state=0).with_labels(labels)
    display = CodeBookDisplay.from_codebook(book)
    assert ticks(display.ax_.yaxis) == [f"{i:03d} of one hundred" for i in range(0, 100, 2)]


def test_design_beside_the_code(model):
    display = DesignDisplay.from_estimator(model)
    code = model.code_book_.matrix.astype(float)
    np.testing.assert_allclose(display.products, code @ code.T / 8)
    np.testing.assert_allclose(display.design, model.design_)
    drawn = [axis.images[0].get_array() for axis in display.ax_]
    rows = np.ix_(display.order_, display.order_)
    np.testing.assert_allclose(drawn[0], display.design[rows])
    np.testing.assert_allclose(drawn[1], display.products[rows])
    assert all(axis.images[0].get_clim() == (-1, 1) for axis in display.ax_)
    figure, axes = plt.subplots(1, 2)
    assert display.plot(ax=axes).figure_ is figure
    with pytest.raises(ValueError, match="2 axes"):
        display.plot(ax=axes[0])
    with pytest.raises(ValueError, match="has no design matrix"):
        DesignDisplay.from_estimator(ECOCClassifier(Ridge(), coding="ova").fit(X[:300], Y[:300]))
    with pytest.raises(ValueError, match="shape"):
        DesignDisplay.from_codebook(model.code_book_, np.eye(3))


def test_difficulty_of_columns(model):
    display = ColumnDisplay.from_estimator(model, X[300:], NAMES[Y[300:]])
    from ecoc import confusion_report

    expected = confusion_report(model, X[300:], NAMES[Y[300:]]).column_error_rate
    np.testing.assert_allclose(display.error, expected)
    np.testing.assert_allclose((display.margins < 0).mean(axis=0), expected)
    heights = [bar.get_height() for bar in display.ax_.patches]
    np.testing.assert_allclose(heights, 100 * np.sort(expected)[::-1])
    assert ticks(display.ax_.xaxis) == [str(j) for j in display.order_]
    display.plot(kind="margin", sort=False)
    np.testing.assert_array_equal(display.order_, range(8))
    medians = display.ax_.lines[-1].get_ydata()
    np.testing.assert_allclose(medians, np.median(display.margins, axis=0))
    with pytest.raises(ValueError, match="kind must be"):
        display.plot(kind="loss")


def test_samples_of_classes_left_out_do_not_count():
    ovo = ECOCClassifier(Ridge(), coding="ovo", decoding="hamming", probability=False).fit(X[:300], Y[:300])
    some = Y < 3
    display = ColumnDisplay.from_estimator(ovo, X[some], Y[some])
    assert np.isnan(display.margins).any(axis=0).all()
    unseen = (ovo.code_book_.matrix[:3] == 0).all(axis=0)
    np.testing.assert_array_equal(np.isnan(display.error), unseen)
    display.plot(kind="margin")
    assert len(display.ax_.lines[-1].get_xdata()) == np.count_nonzero(~unseen)


@pytest.mark.parametrize("decoding", ["discriminant", "loss_weighted", "hamming"])
def test_accuracy_at_a_length_is_that_of_the_cut_model(decoding):
    coding = ECF(n_columns=8, effort=0.05)
    model = ECOCClassifier(LogisticRegression(), coding=coding, decoding=decoding, random_state=0)
    model.fit(X[:300], Y[:300])
    display = LengthDisplay.from_estimator(model, X[300:], Y[300:], label="digits")
    expected = [model.truncate(m).score(X[300:], Y[300:]) for m in display.lengths]
    np.testing.assert_allclose(display.accuracy, expected)
    with pytest.raises(ValueError, match="are needed"):
        model.truncate(int(display.lengths[0]) - 1)
    np.testing.assert_allclose(display.ax_.lines[0].get_ydata(), 100 * display.accuracy)
    both = LengthDisplay.from_estimator(model, X[300:], Y[300:], lengths=[6, 8], label="two", ax=display.ax_)
    assert both.lengths.tolist() == [6, 8]
    assert [text.get_text() for text in both.ax_.get_legend().get_texts()] == ["digits", "two"]


def test_lengths_that_are_possible():
    assert possible_lengths(OneVsOne().build(4), 64) == [6]  # each pair has a column of its own
    code = DenseRandom(n_columns=200, n_draws=1).build(20, random_state=0)
    some = possible_lengths(code, 10)
    assert len(some) == 10
    assert some[-1] == 200
    assert len(np.unique(code.matrix[:, : some[0]], axis=0)) == 20
    assert len(np.unique(code.matrix[:, : some[0] - 1], axis=0)) < 20


def test_blocks_of_samples_change_nothing(model):
    whole = predictions_at(model, X[300:], [6, 8])
    np.testing.assert_array_equal(predictions_at(model, X[300:], [6, 8], entries=70), whole)


def test_boundaries():
    points, labels = load_iris(return_X_y=True)
    points, names = points[:, 2:], np.array(["_a", "$b", "c"])[labels]
    model = GaussianNB().fit(points, names)
    display = BoundaryDisplay.from_estimator(model, points, names, resolution=40)
    left, right, bottom, top = display.extent
    grid = [[x, y] for y in np.linspace(bottom, top, 40) for x in np.linspace(left, right, 40)]
    np.testing.assert_array_equal(model.classes_[display.regions].ravel(), model.predict(grid))
    assert left < points[:, 0].min() < points[:, 0].max() < right
    for text in display.ax_.texts:  # each name lies in its own region
        assert model.predict([text.get_position()]) == [text.get_text()]
    assert len(display.ax_.texts) == 3
    display.figure_.canvas.draw()
    assert BoundaryDisplay.from_estimator(model, points, resolution=10).y is None
    with pytest.raises(ValueError, match="two features"):
        BoundaryDisplay.from_estimator(model, X)


def test_neighbours_differ_in_colour():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    model = GaussianNB(priors=np.full(30, 1 / 30)).fit(np.repeat(points, 3, axis=0), np.repeat(np.arange(30), 3))
    model.var_[:] = 1  # regions of the nearest point
    display = BoundaryDisplay.from_estimator(model, points, np.arange(30), resolution=80)
    colours = np.array(display.colours_)[display.regions]
    for a, b in (((slice(1, None),), (slice(-1),)), ((slice(None), slice(1, None)), (slice(None), slice(-1)))):
        same = display.regions[a] == display.regions[b]
        np.testing.assert_array_equal(colours[a] == colours[b], same)


@pytest.mark.parametrize("options", [{"effort": 0.05}, {"method": "paper"}], ids=str)
def test_history(model, options):
    factorization = factorize(model.design_, 8, random_state=0, **options)
    display = HistoryDisplay.from_factorization(factorization)
    np.testing.assert_array_equal(display.history, factorization.history)
    curve, code, bound = display.ax_.lines
    np.testing.assert_array_equal(curve.get_ydata(), factorization.history)
    assert code.get_ydata()[0] == factorization.objective
    assert bound.get_ydata()[0] == factorization.lower_bound
    assert HistoryDisplay.from_estimator(model).objective == model.factorization_.objective
    with pytest.raises(ValueError, match="does not come from a factorization"):
        HistoryDisplay.from_estimator(ECOCClassifier(Ridge(), coding="ova").fit(X[:300], Y[:300]))


def test_models_inside_others(model):
    inner = ECOCClassifier(Ridge(), coding="hadamard", probability=False, decoding="hamming")
    search = GridSearchCV(make_pipeline(StandardScaler(), inner), {"ecocclassifier__decoding": ["hamming"]}, cv=2)
    search.fit(X[:300], Y[:300])
    assert CodeBookDisplay.from_estimator(search).codebook.shape == (10, 11)
    display = LengthDisplay.from_estimator(search, X[300:], Y[300:])
    assert display.accuracy[-1] == search.score(X[300:], Y[300:])
    with pytest.raises(TypeError, match="expected a model with a code book"):
        CodeBookDisplay.from_estimator(GaussianNB().fit(X, Y))
    with pytest.raises(TypeError, match="expected a fitted ECOCClassifier"):
        LengthDisplay.from_estimator(GaussianNB().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="was not trained on"):
        LengthDisplay.from_estimator(model, X, Y)


def test_matplotlib_comes_with_the_first_picture_and_is_asked_for_by_name():
    program = """
import sys
import ecoc.inspection
assert "matplotlib" not in sys.modules
sys.modules["matplotlib.pyplot"] = None
from ecoc import OneVsAll
try:
    ecoc.inspection.CodeBookDisplay.from_codebook(OneVsAll().build(3))
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "plots need matplotlib: pip install 'ecoc[plots]'", done.stderr


# In company


def test_displays_fit_into_subfigures(model):
    figure = plt.figure(layout="constrained")
    left, right = figure.subfigures(1, 2)
    code = CodeBookDisplay.from_estimator(model, ax=left.subplots())
    distances = DistanceDisplay.from_estimator(model, ax=right.subplots())
    figure.canvas.draw()
    assert plt.get_fignums() == [figure.number]  # no display has made a figure of its own
    assert (code.figure_, distances.figure_) == (left, right)
    assert len(left.axes) == 1
    assert len(right.axes) == 2  # the matrix and its colour bar
    for part in (left, right):
        for axis in part.axes:  # with its names, each stays inside its half
            box = axis.get_tightbbox()
            assert part.bbox.x0 - 1 <= box.x0 < box.x1 <= part.bbox.x1 + 1
            assert part.bbox.y0 - 1 <= box.y0 < box.y1 <= part.bbox.y1 + 1


def test_the_old_name_of_a_display_warns():
    with pytest.warns(FutureWarning, match=r"use ecoc\.inspection\.ColumnDisplay"):
        old = inspection.DichotomyDisplay
    assert old is ColumnDisplay
    with pytest.raises(AttributeError, match="no attribute 'Display'"):
        _ = inspection.Display


def test_length_curves_have_colours_of_their_own_and_take_others():
    first = LengthDisplay(np.array([4, 8]), np.array([0.5, 0.9]), n_samples=100).plot(label="one")
    second = LengthDisplay(np.array([4, 8]), np.array([0.4, 0.8]), n_samples=100).plot(first.ax_, label="two")
    third = LengthDisplay(np.array([4, 8]), np.array([0.4, 0.8]), n_samples=100).plot(first.ax_, c="black", ls=":")
    colours = [line.get_color() for line in third.ax_.lines]
    assert len(set(colours)) == 3
    assert colours[2] == "black"
    assert second.ax_.lines[2].get_linestyle() == ":"


def test_boundaries_in_the_colours_of_another_picture():
    regions = np.repeat([[0, 1]], 2, axis=0)
    plane = BoundaryDisplay(regions, (0, 2, 0, 2), np.array(["cat", "dog"]), X=np.array([[0.5, 1], [1.5, 1]]))
    assert plane.plot(colours=["#111111", "#eeeeee"]).colours_ == ["#111111", "#eeeeee"]
    with pytest.raises(ValueError, match="colours must be 2, one for each class; got 1"):
        plane.plot(colours=["red"])


def test_coverage():
    probability = np.array([0.9] * 30 + [0.6] * 30 + [0.5] * 40)
    right = np.arange(100) % 10 < np.where(probability == 0.9, 10, np.where(probability == 0.6, 9, 5))

    class Model:
        classes_ = np.array(["a", "b"])

        def predict_proba(self, X):
            return np.column_stack([1 - probability, probability])

    display = CoverageDisplay.from_estimator(Model(), np.zeros((100, 1)), np.where(right, "b", "a"), label="model")
    np.testing.assert_allclose(display.coverage, [0.3, 0.6, 1])
    np.testing.assert_allclose(display.accuracy, [1, 57 / 60, 77 / 100])
    np.testing.assert_allclose(display.threshold, [0.9, 0.6, 0.5])
    assert len(display.ax_.lines) == 1
    with pytest.raises(ValueError, match="X has 3 samples and y has 2"):
        CoverageDisplay.from_estimator(Model(), np.zeros((3, 1)), ["a", "b"])
    with pytest.raises(TypeError, match="no predict_proba"):
        CoverageDisplay.from_estimator(object(), [], [])
