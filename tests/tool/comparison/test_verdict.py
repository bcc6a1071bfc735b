"""Which candidate is recommended? By definition, on made-up predictions; protection, fronts, words, plots."""

from dataclasses import replace

import numpy as np
import pytest

import ecoc
from ecoc.tool.comparison import Comparison
from ecoc.tool.comparison.candidates import BaselineCandidate, CodeCandidate
from ecoc.tool.comparison.protected_classes import Protection
from ecoc.tool.comparison.results import COSTS, Judge, Record
from ecoc.tool.comparison.selection import Pool, choose, expected_merit, on_front
from ecoc.tool.comparison.showing import floor_warning, plain_is_enough, protection_effect, recommendation

N = 400
Y = np.array(["a", "b", "c", "d"] * (N // 4))
PAIRS = {frozenset("ab")}


def result(candidate, count, n_right, folds=1, first=0):
    """A result that is right on some samples, the first ones or later, and takes others for the next class."""
    record = Record.of(candidate, Y)
    record.tested[:] = True
    record.predicted[:] = np.roll(Y, -1)
    record.predicted[first : first + n_right] = Y[first : first + n_right]
    record.counts += [count] * folds
    record.predict_seconds.append(0.1)
    return record.result(Judge(Y), PAIRS, None, {})


def code(columns, n_right, protected=False, folds=1, first=0):
    return result(CodeCandidate("ecf", columns, "auto", protected), columns, n_right, folds, first)


def plain(name, count, n_right, first=0):
    return result(BaselineCandidate(name, name), count, n_right, first=first)


def comparison(*results, protected=()):
    return Comparison(list(results), {}, Judge(Y), [], set(protected))


# Models that are right on the first 360 samples, and on 356 from the 21st on, differ on 36; the root of that is 6.
@pytest.mark.parametrize(
    ("candidates", "chosen"),
    [
        ([code(2, 300), code(4, 355, first=20), code(8, 360)], 1),  # fewest of those that tie
        ([code(2, 300), code(4, 350, first=20), code(8, 360)], 2),
        ([code(2, 300), code(4, 355), code(8, 360)], 2),  # worse on five samples, better on none
        ([plain("lda", 1, 356, first=20), code(8, 360)], 0),  # plain ties with fewer models
        ([plain("lda", 1, 350), code(8, 360)], 1),
        ([plain("native", 6, 360), code(2, 357, first=20)], 0),  # plain wins with less training: 3 against 4
        ([plain("native", 6, 356), code(2, 357)], 1),  # plain is not better
        ([plain("forest", 100, 360), code(2, 357, first=20)], 1),  # plain is more work
        ([plain("majority", 0, 360), code(2, 357)], 0),  # nothing beats the floor
        ([plain("majority", 0, 300), code(2, 357)], 1),
    ],
)
def test_the_recommended_one(candidates, chosen):
    assert comparison(*candidates).recommended is candidates[chosen]


def test_what_is_dropped_early_is_not_recommended():
    early, late = code(2, 400), code(4, 300, folds=2)
    found = comparison(early, late)
    assert found.complete == [late]
    assert found.recommended is found.best is late
    assert found.front() == [late]


def test_protection_is_recommended_only_if_it_clearly_helps():
    without, same, better = code(4, 300), code(4, 304, True), code(4, 390, True)
    for protecting, recommended, effect in (
        (same, without, "makes no clear difference"),
        (better, better, "helps"),
    ):
        found = comparison(without, protecting, protected=PAIRS)
        assert found.recommended is recommended
        told = protection_effect(found)
        assert f"Protecting a | b {effect}" in told
        assert ("The model without protection is recommended" in told) == (recommended is without)
    assert protection_effect(comparison(without)) == ""


def test_a_difference_that_chance_may_make():
    few, more, many = (code(2, N - n) for n in (4, 8, 80))
    found = comparison(few, more, many, protected=PAIRS)
    assert [found.effect_of_protection(few, other) for other in (few, more, many)] == [0, 0, 1]
    assert found.effect_of_protection(many, few) == -1
    assert comparison(few, many, protected={frozenset("ac")}).effect_of_protection(few, many) == 0


def test_words():
    tie = comparison(plain("lda", 1, 356, first=20), code(8, 360))
    assert recommendation(tie).endswith("ties with the most accurate (ecf, 90.0%), with fewer models.")
    assert "most accurate code is ecf with auto decoding, 8 classifiers, accuracy 90.0%" in plain_is_enough(tie)
    slow = comparison(replace(plain("lda", 1, 356, first=20), predict_seconds=1.5, model_bytes=30), code(8, 360))
    assert recommendation(slow).endswith("with fewer models, though 15 × slower than it.")
    several = comparison(plain("lda", 1, 370), code(4, 350, first=20), code(8, 355))
    assert several.best_code is several.results[2]  # the best in the table
    win = comparison(plain("lda", 1, 300), code(8, 360))
    assert recommendation(win).endswith("accuracy 90.0%: the most accurate.")
    assert plain_is_enough(win) == ""
    floor = comparison(plain("majority", 0, 110), plain("lda", 1, 115))
    assert "clearly better than always predicting the most frequent class (27.5%)" in floor_warning(floor)
    assert floor_warning(comparison(plain("majority", 0, 110), plain("lda", 1, 200))) == ""
    nothing = comparison(plain("majority", 0, 110), plain("lda", 1, 110))
    assert recommendation(nothing) == (
        "majority, 0 models, accuracy 27.5%: nothing that was tried is clearly better than always predicting the most "
        "frequent class."
    )
    assert nothing.expected_accuracy == pytest.approx(0.275)  # whatever was chosen
    assert "say little about the classes" in floor_warning(nothing)


def test_choosing_is_corrected_for():
    rng = np.random.default_rng(0)
    guesses = rng.random((200, 50)) < 0.6
    pool = Pool(1.0 * guesses, np.ones(50), np.ones(50), np.zeros(50, dtype=bool))
    chosen = guesses[:, choose(pool)].mean()
    assert chosen > 0.65
    assert abs(expected_merit(pool) - 0.6) < abs(chosen - 0.6)
    alone = Pool(1.0 * guesses[:, :1], np.ones(1), np.ones(1), np.zeros(1, dtype=bool))
    assert expected_merit(alone) == pytest.approx(guesses[:, 0].mean(), abs=0.01)


@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_the_correction_is_as_large_as_the_bias(gap):
    """Ten candidates, about as good as each other: the estimate is right on average, not too low."""
    rng, off, bias = np.random.default_rng(0), [], []
    true = 0.7 - gap * np.arange(10) / 10
    for seed in range(60):
        merits = 1.0 * (rng.random((200, 10)) < true)
        pool = Pool(merits, np.arange(10.0), np.arange(10.0), np.ones(10, dtype=bool))
        chosen = choose(pool)
        bias.append(merits[:, chosen].mean() - true[chosen])
        off.append(expected_merit(pool, seed, 100) - true[chosen])
    assert np.mean(bias) > 0.015
    assert abs(np.mean(off)) < 0.008


def test_fronts_by_definition(comparison):
    for cost in COSTS:
        known = [r for r in comparison.results if r.cost(cost) is not None]
        for one in known:
            dominated = any(
                other.accuracy >= one.accuracy
                and other.cost(cost) <= one.cost(cost)
                and (other.accuracy, other.cost(cost)) != (one.accuracy, one.cost(cost))
                for other in known
            )
            assert (one in comparison.front(cost)) == (not dominated)
    assert on_front([0.5, 0.9], [None, 2]) == [False, True]


def test_the_table_is_one_row_a_candidate(comparison):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(comparison.table)
    assert len(frame) == len(comparison.results)
    assert {"model", "coding", "decoding", "accuracy", "balanced_accuracy", "tuned", *COSTS} <= set(frame.columns)
    assert frame["classifiers"].is_monotonic_increasing
    assert frame["classifiers"].dtype.kind == "i"


def test_text(comparison):
    lines = str(comparison).splitlines()
    assert lines[0].startswith(f"Recommended: {comparison.recommended.candidate.name}")
    assert sum(line.startswith("→") for line in lines) == 1
    assert "recommended" in repr(comparison)


def test_protection_is_compared_with_none(wine, quick):
    found = ecoc.compare(*wine, "ridge", protect={("red", "rose"): 2}, **quick)
    protecting = [one for one in found.results if one.candidate.protected]
    assert len(protecting) == 2
    assert found.protected == {frozenset(("red", "rose"))}
    for one in found.results:
        confused = {(a, b): n for a, b, n in found.confused(one)}
        assert one.protected_errors == confused.get(("red", "rose"), 0)
    assert protecting[0].estimator.fit(*wine).code_book_.distances()[0, 1] >= 2


def test_protection_of_single_classes_and_pairs():
    protection = Protection.of(["a", ("b", "c")], ["a", "b", "c"])
    assert protection.pairs(["a", "b", "c"]) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert not Protection.of(None, ["a"])
    assert Protection.of({("b", "c"): 3}, ["b", "c"]).options(2)["min_distance"] == {("b", "c"): 3, "default": 2}


def test_plot(comparison):
    pytest.importorskip("matplotlib")
    ax = comparison.plot()
    assert ax.get_xlabel() == "classifiers"
    assert {"recommended", "front", "LDA", "ecf"} <= set(ax.get_legend_handles_labels()[1])
    assert comparison.plot("predict_seconds", ax=ax) is ax
    assert ax.get_xlabel() == "predict seconds"
    with pytest.raises(ValueError, match="cost must be one of classifiers"):
        comparison.plot("money")
