"""Is this a decoding? The conformance suite for decodings, ours and yours."""

import pickle
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.codebook import CodeBook
from ecoc.decoding import Decoding, decide, get_decoding
from ecoc.decoding.base import Array

_SAMPLES = 100  # of each class, to learn from

_MADE_OF_SIGNS = {
    "signs": lambda signs: signs,
    "margins": lambda signs: signs,
    "probabilities": lambda signs: 0.5 + 0.4 * signs,
}


def check_decoding(decoding: str | Decoding | type[Decoding], *, random_state: int = 0) -> None:
    """Check that a decoding keeps the promises that classifiers rely on.

    On code books with and without zeros it must give finite scores of shape (n_samples, n_classes); decide for
    the right class if no dichotomizer errs, and, if it declares `keeps_correction`, if as many err as the code
    book corrects; give the same scores when columns change places or sides, classes change places, and samples
    come one at a time; leave its arguments and parameters as they are; refuse NaN, wrong shapes and, if it
    learns, missing outputs; survive `clone` and pickling; and have probabilities that sum to 1 and agree with
    the scores if it declares `gives_probabilities`.

    Parameters
    ----------
    decoding : str, Decoding, or a subclass of Decoding
        A class is called without parameters.
    random_state : int, default=0
        Seed of the outputs to decode and to learn from.

    Raises
    ------
    AssertionError
        At the first promise that is not kept, saying which, and on which code book.

    See Also
    --------
    ecoc.testing.check_coding : The same for codings.
    ecoc.decoding.Decoding : What a decoding has to write.

    Examples
    --------
    >>> from ecoc.decoding import Decoding
    >>> from ecoc.testing import check_decoding
    >>> check_decoding("hamming")
    >>> class Distance(Decoding):
    ...     def _scores(self, outputs):
    ...         return ((outputs[:, None, :] - self.codebook_.matrix) ** 2).sum(axis=2)
    >>> check_decoding(Distance)
    Traceback (most recent call last):
    ...
    AssertionError: Distance() on one-vs-all: takes outputs of class 0 without any error for class 1; ...
    """
    made: Any = decoding() if isinstance(decoding, type) else decoding
    assert isinstance(made, str | Decoding), f"{made!r} is of no subclass of ecoc.decoding.Decoding"
    checked = get_decoding(made) if isinstance(made, str) else made
    _check_declarations(checked)
    for name, book in _books(random_state).items():
        tried = _Tried(checked, book, f"{checked!r} on {name}", np.random.default_rng(random_state))
        _check_interface(tried)
        _check_faultless(tried)
        if checked.keeps_correction and not book.is_ternary:
            _check_correction(tried)
        _check_invariance(tried)
        _check_refusals(tried)
        if checked.gives_probabilities:
            _check_probabilities(tried)


class _Tried:
    """A decoding, a code book, and outputs of every sort for the two."""

    def __init__(self, decoding: Decoding, book: CodeBook, where: str, rng: np.random.Generator) -> None:
        self.decoding, self.book, self.where, self.rng = decoding, book, where, rng
        self.y = rng.permutation(np.repeat(np.arange(book.n_classes), _SAMPLES))
        self.seen = self.with_sizes(self.faultless(self.y))

    def faultless(self, y: NDArray[Any]) -> Array:
        """Signs of dichotomizers that do not err, of either side where a class is left out."""
        signs: Array = self.book.matrix[y].astype(np.float64)
        signs[signs == 0] = self.rng.choice([-1.0, 1.0], size=np.count_nonzero(signs == 0))
        return signs

    def with_sizes(self, signs: Array) -> Array:
        """Outputs with these signs, more or less sure of themselves."""
        size = 1.0 if self.decoding.needs == "signs" else self.rng.uniform(0.5, 1.2, size=signs.shape)
        return self.outputs(signs * size)

    def outputs(self, signs: Array) -> Array:
        made: Array = _MADE_OF_SIGNS[self.decoding.needs](signs)
        return made

    def fitted(self, decoding: Decoding | None = None) -> Decoding:
        learnt = () if self.decoding.fit_on is None else (self.seen, self.y)
        return (decoding or clone(self.decoding)).fit(self.book, *learnt)


def _check_declarations(decoding: Decoding) -> None:
    """A decoding is its parameters, until it is fitted; and says what it needs and gives."""
    for made, copy in {"clone": clone, "pickle": _pickled}.items():
        try:
            before, after = repr(decoding), repr(copy(decoding))
        except Exception as error:
            raise AssertionError(
                f"{type(decoding).__name__}: {made} failed with {type(error).__name__}: {error}. "
                "__init__ must store each parameter under its own name, as it is, and do nothing else."
            ) from error
        assert before == after, f"{before}: {made} turns it into {after}"
    for attribute, allowed in {
        "needs": tuple(_MADE_OF_SIGNS),
        "fit_on": (None, "training", "out_of_fold"),
        "gives_probabilities": (True, False),
        "keeps_correction": (True, False),
    }.items():
        value = getattr(decoding, attribute)
        assert value in allowed, f"{decoding!r}: {attribute} must be one of {allowed}, not {value!r}"


def _pickled(decoding: Decoding) -> Decoding:
    """A copy whose state was pickled; the class itself may be one that only a test or notebook knows."""
    copy: Decoding = clone(decoding)
    copy.__dict__.update(pickle.loads(pickle.dumps(decoding.__dict__)))
    return copy


def _check_interface(tried: _Tried) -> None:
    drawn = tried.rng.choice([-1.0, 1.0], size=(7, tried.book.n_columns))
    outputs = tried.with_sizes(np.vstack([drawn, tried.faultless(np.arange(tried.book.n_classes))]))
    weight = tried.rng.uniform(size=len(tried.y))
    given = {"outputs": tried.seen, "y": tried.y, "sample_weight": weight, "the outputs to decode": outputs}
    copies = {name: array.copy() for name, array in given.items()}
    decoding = clone(tried.decoding)
    parameters = decoding.get_params(deep=False)
    returned = decoding.fit(tried.book, tried.seen, tried.y, sample_weight=weight)
    assert returned is decoding, f"{tried.where}: fit must return self"
    tried.fitted(decoding)
    scores = decoding.scores(outputs)

    assert isinstance(scores, np.ndarray), f"{tried.where}: scores must be an array, not {type(scores).__name__}"
    expected = (len(outputs), tried.book.n_classes)
    assert scores.shape == expected, f"{tried.where}: scores have shape {scores.shape}, not {expected}"
    assert scores.dtype == np.float64, f"{tried.where}: scores must be float64, not {scores.dtype}"
    assert np.isfinite(scores).all(), f"{tried.where}: scores are not all finite"
    for name, array in given.items():
        assert np.array_equal(array, copies[name]), f"{tried.where}: changes {name}"
    after = decoding.get_params(deep=False)
    changed = [parameter for parameter, value in parameters.items() if after[parameter] is not value]
    assert not changed, f"{tried.where}: fit changes its parameters {changed}; what it learns ends in _, e.g. weights_"

    _assert_same(scores, decoding.scores(outputs), f"{tried.where}: a second call of scores")
    _assert_same(scores, tried.fitted().scores(outputs), f"{tried.where}: an object that was not fitted before")
    _assert_same(scores, _pickled(decoding).scores(outputs), f"{tried.where}: pickling")
    single = np.vstack([decoding.scores(row[None]) for row in outputs])
    _assert_same(scores, single, f"{tried.where}: decoding samples one at a time")


def _check_faultless(tried: _Tried) -> None:
    decided = decide(tried.fitted().scores(tried.outputs(tried.faultless(tried.y))))
    wrong = np.flatnonzero(decided != tried.y)
    assert not len(wrong), (
        f"{tried.where}: takes outputs of class {tried.y[wrong].min()} without any error for class "
        f"{decided[wrong[tried.y[wrong].argmin()]]}; is a higher score better, and a 0 in the code book no error?"
    )


def _check_correction(tried: _Tried) -> None:
    decoding, x = tried.fitted(), tried.book.matrix.astype(np.float64)
    for n_wrong in range(1, tried.book.correction + 1):
        columns = np.array(list(combinations(range(tried.book.n_columns), n_wrong)))
        flips = np.ones((len(columns), tried.book.n_columns))
        np.put_along_axis(flips, columns, -1, axis=1)
        for i, codeword in enumerate(x):
            lost = np.flatnonzero(decide(decoding.scores(tried.outputs(codeword * flips))) != i)
            assert not len(lost), (
                f"{tried.where}: does not correct the {n_wrong} wrong signs in columns {columns[lost[0]].tolist()} of "
                f"class {i}, though the code book can; if it does not promise that, set keeps_correction = False"
            )


def _check_invariance(tried: _Tried) -> None:
    book, rng = tried.book, tried.rng
    outputs = tried.with_sizes(rng.choice([-1.0, 1.0], size=(30, book.n_columns)))
    scores = tried.fitted().scores(outputs)
    columns, classes = rng.permutation(book.n_columns), rng.permutation(book.n_classes)
    sides = rng.choice([-1, 1], size=book.n_columns)

    def decoded(matrix: NDArray[Any], move: Any, y: NDArray[Any]) -> Array:
        learnt = () if tried.decoding.fit_on is None else (move(tried.seen), y)
        fitted: Decoding = clone(tried.decoding).fit(matrix, *learnt)
        return fitted.scores(move(outputs))

    def turned(given: Array) -> Array:
        return np.where(sides > 0, given, 1 - given) if tried.decoding.needs == "probabilities" else given * sides

    matrix, y = book.matrix, tried.y
    other = decoded(matrix[:, columns], lambda given: given[:, columns], y)
    _assert_same(scores, other, f"{tried.where}: another order of the columns")
    _assert_same(scores, decoded(matrix * sides, turned, y), f"{tried.where}: swapping the sides of some columns")
    other = decoded(matrix[classes], lambda given: given, np.argsort(classes)[y])
    _assert_same(scores[:, classes], other, f"{tried.where}: another order of the classes")


def _check_refusals(tried: _Tried) -> None:
    decoding, good = tried.fitted(), tried.seen[:2]
    missing = good.copy()
    missing[0, 0] = np.nan
    for complaint, bad in {
        "scores NaN": missing,
        "scores outputs with a column too many": np.hstack([good, good[:, :1]]),
        "scores outputs of one dimension": good[0],
    }.items():
        _assert_refused(f"{tried.where}: {complaint}", decoding.scores, bad)
    if decoding.fit_on is not None:
        _assert_refused(f"{tried.where}: fits without the outputs it needs", clone(decoding).fit, tried.book)


def _check_probabilities(tried: _Tried) -> None:
    decoding = tried.fitted()
    outputs = tried.with_sizes(tried.rng.choice([-1.0, 1.0], size=(30, tried.book.n_columns)))
    scores, probabilities = decoding.scores(outputs), decoding.probabilities(outputs)
    assert probabilities.shape == scores.shape, f"{tried.where}: probabilities have shape {probabilities.shape}"
    assert (probabilities >= 0).all(), f"{tried.where}: some probabilities are negative"
    assert np.allclose(probabilities.sum(axis=1), 1), f"{tried.where}: probabilities do not sum to 1"
    same = np.array_equal(probabilities.argmax(axis=1), decide(scores))
    assert same, f"{tried.where}: the most probable class is not the one with the highest score"


def _assert_same(expected: Array, scores: Array, change: str) -> None:
    assert np.allclose(expected, scores, rtol=1e-6, atol=1e-8), (
        f"{change} changes the scores, by up to {np.abs(expected - scores).max():.2g}"
    )


def _assert_refused(complaint: str, method: Any, *arguments: Any) -> None:
    try:
        method(*arguments)
    except ValueError:
        return
    raise AssertionError(f"{complaint}; it should raise a ValueError. Does it override the public method?")


def _books(random_state: int) -> dict[str, CodeBook]:
    """Small code books of every sort: long and short, with zeros and without, as many in each row or not."""
    rng = np.random.default_rng(random_state)
    pairs = np.zeros((5, 10), dtype=int)
    for j, (plus, minus) in enumerate(combinations(range(5), 2)):
        pairs[plus, j], pairs[minus, j] = 1, -1
    tree = [[1, 1, 0, 0], [1, -1, 0, 0], [-1, 0, 1, 0], [-1, 0, -1, 1], [-1, 0, -1, -1]]
    every = np.array([(1, *rest) for rest in product([1, -1], repeat=4)][1:]).T
    drawn = (CodeBook(_drawn(rng, 6, 14)) for _ in range(100))
    return {
        "one-vs-all": CodeBook(2 * np.eye(5) - 1),
        "one-vs-one": CodeBook(pairs),
        "a tree of dichotomies": CodeBook(tree),
        "an exhaustive code": CodeBook(every),
        "a random code": max(drawn, key=lambda book: book.min_distance),
        "two classes": CodeBook([[1], [-1]]),
    }


def _drawn(rng: np.random.Generator, k: int, l: int) -> NDArray[Any]:
    """Random columns with both sides, all codewords different."""
    while True:
        x = rng.choice([-1, 1], size=(k, l))
        if (np.abs(x.sum(axis=0)) < k).all() and len(np.unique(x, axis=0)) == k:
            return x
