"""The checks behind `check_decoding`."""

import pickle
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.codes.codebook import CodeBook
from ecoc.decoding import Decoding, decide, get_decoding
from ecoc.decoding.interface import Array

_OUTPUTS_OF_SIGNS = {
    "signs": lambda signs: signs,
    "margins": lambda signs: signs,
    "probabilities": lambda signs: 0.5 + 0.4 * signs,
}


def check_decoding(decoding: str | Decoding | type[Decoding], *, random_state: int = 0) -> None:
    """Check that a decoding does what classifiers rely on.

    The checks use code books with and without zeros.

    - Scores are finite and have the shape (n_samples, n_classes).
    - The right class has the highest score if all binary classifiers are right. If the decoding declares
      `keeps_correction`, this also holds if as many of them are wrong as the code book can correct.
    - Scores do not change if columns are reordered or change their signs, if classes are reordered, or if samples are
      decoded one at a time.
    - Arguments and parameters do not change, and `clone` and pickling work.
    - NaN, wrong shapes and, if the decoding is fitted to outputs, missing outputs raise a ValueError.
    - If the decoding declares `gives_probabilities`, these sum to 1 and agree with the scores.

    Parameters
    ----------
    decoding : str, Decoding, or a subclass of Decoding
        The decoding to check. A class is called without parameters.
    random_state : int, default=0
        Seed of the outputs.

    Raises
    ------
    AssertionError
        At the first check that fails. The message says which one, and for which code book.

    See Also
    --------
    ecoc.testing.check_coding : The same for codings.
    ecoc.decoding.Decoding : The base class of decodings.

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
    AssertionError: Distance() on one-vs-all: decides for class 1 though all outputs are right for class 0; ...
    """
    made: Any = decoding() if isinstance(decoding, type) else decoding
    assert isinstance(made, str | Decoding), f"{made!r} must be an instance of a subclass of ecoc.decoding.Decoding"
    checked = get_decoding(made) if isinstance(made, str) else made
    _check_declarations(checked)
    for name, book in _books(random_state).items():
        case = _Case(checked, book, f"{checked!r} on {name}", np.random.default_rng(random_state))
        _check_interface(case)
        _check_right_outputs(case)
        if checked.keeps_correction and not book.is_ternary:
            _check_correction(case)
        _check_invariance(case)
        _check_refusals(case)
        if checked.gives_probabilities:
            _check_probabilities(case)


class _Case:
    """A decoding with a code book, and outputs for both."""

    def __init__(self, decoding: Decoding, book: CodeBook, where: str, rng: np.random.Generator) -> None:
        n_per_class = 100  # training samples of each class
        self.decoding, self.book, self.where, self.rng = decoding, book, where, rng
        self.y = rng.permutation(np.repeat(np.arange(book.n_classes), n_per_class))
        self.seen = self.with_sizes(self.right_signs(self.y))

    def right_signs(self, y: NDArray[Any]) -> Array:
        """Return the signs of binary classifiers that are always right; random where a class is left out."""
        signs: Array = self.book.matrix[y].astype(np.float64)
        signs[signs == 0] = self.rng.choice([-1.0, 1.0], size=np.count_nonzero(signs == 0))
        return signs

    def with_sizes(self, signs: Array) -> Array:
        """Return outputs with these signs and random sizes."""
        size = 1.0 if self.decoding.needs == "signs" else self.rng.uniform(0.5, 1.2, size=signs.shape)
        return self.outputs(signs * size)

    def outputs(self, signs: Array) -> Array:
        made: Array = _OUTPUTS_OF_SIGNS[self.decoding.needs](signs)
        return made

    def fitted(self, decoding: Decoding | None = None) -> Decoding:
        training = () if self.decoding.fit_on is None else (self.seen, self.y)
        return (decoding or clone(self.decoding)).fit(self.book, *training)


def _check_declarations(decoding: Decoding) -> None:
    """Check that copies have the same parameters and that the declared attributes have allowed values."""
    for made, copy in {"clone": clone, "pickle": _pickled}.items():
        try:
            before, after = repr(decoding), repr(copy(decoding))
        except Exception as error:
            raise AssertionError(
                f"{type(decoding).__name__}: {made} failed with {type(error).__name__}: {error}. "
                "__init__ must store each parameter unchanged under its own name and do nothing else."
            ) from error
        assert before == after, f"{before}: {made} turns it into {after}"
    for attribute, allowed in {
        "needs": tuple(_OUTPUTS_OF_SIGNS),
        "fit_on": (None, "training", "out_of_fold"),
        "gives_probabilities": (True, False),
        "keeps_correction": (True, False),
    }.items():
        value = getattr(decoding, attribute)
        assert value in allowed, f"{decoding!r}: {attribute} must be one of {allowed}, not {value!r}"


def _pickled(decoding: Decoding) -> Decoding:
    """Return a copy with pickled attributes. The class may be local to a test, so it is not pickled itself."""
    copy: Decoding = clone(decoding)
    copy.__dict__.update(pickle.loads(pickle.dumps(decoding.__dict__)))
    return copy


def _check_interface(case: _Case) -> None:
    drawn = case.rng.choice([-1.0, 1.0], size=(7, case.book.n_columns))
    outputs = case.with_sizes(np.vstack([drawn, case.right_signs(np.arange(case.book.n_classes))]))
    weight = case.rng.uniform(size=len(case.y))
    given = {"outputs": case.seen, "y": case.y, "sample_weight": weight, "the outputs to decode": outputs}
    copies = {name: array.copy() for name, array in given.items()}
    decoding = clone(case.decoding)
    parameters = decoding.get_params(deep=False)
    returned = decoding.fit(case.book, case.seen, case.y, sample_weight=weight)
    assert returned is decoding, f"{case.where}: fit must return self"
    case.fitted(decoding)
    scores = decoding.scores(outputs)

    assert isinstance(scores, np.ndarray), f"{case.where}: scores must be an array, not {type(scores).__name__}"
    expected = (len(outputs), case.book.n_classes)
    assert scores.shape == expected, f"{case.where}: scores have shape {scores.shape}, not {expected}"
    assert scores.dtype == np.float64, f"{case.where}: scores must be float64, not {scores.dtype}"
    assert np.isfinite(scores).all(), f"{case.where}: scores are not all finite"
    for name, array in given.items():
        assert np.array_equal(array, copies[name]), f"{case.where}: changes {name}"
    after = decoding.get_params(deep=False)
    changed = [parameter for parameter, value in parameters.items() if after[parameter] is not value]
    assert not changed, (
        f"{case.where}: fit changes its parameters {changed}; store results in names that end in _, e.g. weights_"
    )

    _assert_same(scores, decoding.scores(outputs), f"{case.where}: a second call of scores")
    _assert_same(scores, case.fitted().scores(outputs), f"{case.where}: an object that was not fitted before")
    _assert_same(scores, _pickled(decoding).scores(outputs), f"{case.where}: pickling")
    single = np.vstack([decoding.scores(row[None]) for row in outputs])
    _assert_same(scores, single, f"{case.where}: decoding samples one at a time")


def _check_right_outputs(case: _Case) -> None:
    decided = decide(case.fitted().scores(case.outputs(case.right_signs(case.y))))
    wrong = np.flatnonzero(decided != case.y)
    assert not len(wrong), (
        f"{case.where}: decides for class {decided[wrong[case.y[wrong].argmin()]]} though all outputs are right for "
        f"class {case.y[wrong].min()}; the highest score must win, and a 0 in the code book must not count as an error"
    )


def _check_correction(case: _Case) -> None:
    decoding, x = case.fitted(), case.book.matrix.astype(np.float64)
    for n_wrong in range(1, case.book.correction + 1):
        columns = np.array(list(combinations(range(case.book.n_columns), n_wrong)))
        flips = np.ones((len(columns), case.book.n_columns))
        np.put_along_axis(flips, columns, -1, axis=1)
        for i, codeword in enumerate(x):
            wrong = np.flatnonzero(decide(decoding.scores(case.outputs(codeword * flips))) != i)
            assert not len(wrong), (
                f"{case.where}: does not correct the {n_wrong} wrong signs in columns {columns[wrong[0]].tolist()} of "
                f"class {i}, though the code book can; if this is intended, set keeps_correction = False"
            )


def _check_invariance(case: _Case) -> None:
    book, rng = case.book, case.rng
    outputs = case.with_sizes(rng.choice([-1.0, 1.0], size=(30, book.n_columns)))
    scores = case.fitted().scores(outputs)
    columns, classes = rng.permutation(book.n_columns), rng.permutation(book.n_classes)
    sides = rng.choice([-1, 1], size=book.n_columns)

    def decoded(matrix: NDArray[Any], move: Any, y: NDArray[Any]) -> Array:
        training = () if case.decoding.fit_on is None else (move(case.seen), y)
        fitted: Decoding = clone(case.decoding).fit(matrix, *training)
        return fitted.scores(move(outputs))

    def with_sides(given: Array) -> Array:
        return np.where(sides > 0, given, 1 - given) if case.decoding.needs == "probabilities" else given * sides

    matrix, y = book.matrix, case.y
    other = decoded(matrix[:, columns], lambda given: given[:, columns], y)
    _assert_same(scores, other, f"{case.where}: another order of the columns")
    _assert_same(scores, decoded(matrix * sides, with_sides, y), f"{case.where}: swapping the sides of some columns")
    other = decoded(matrix[classes], lambda given: given, np.argsort(classes)[y])
    _assert_same(scores[:, classes], other, f"{case.where}: another order of the classes")


def _check_refusals(case: _Case) -> None:
    decoding, good = case.fitted(), case.seen[:2]
    missing = good.copy()
    missing[0, 0] = np.nan
    for complaint, bad in {
        "accepts NaN": missing,
        "accepts outputs with one column too many": np.hstack([good, good[:, :1]]),
        "accepts outputs of one dimension": good[0],
    }.items():
        _assert_refused(f"{case.where}: {complaint}", decoding.scores, bad)
    if decoding.fit_on is not None:
        _assert_refused(f"{case.where}: fits without the outputs it needs", clone(decoding).fit, case.book)


def _check_probabilities(case: _Case) -> None:
    decoding = case.fitted()
    outputs = case.with_sizes(case.rng.choice([-1.0, 1.0], size=(30, case.book.n_columns)))
    scores, probabilities = decoding.scores(outputs), decoding.probabilities(outputs)
    assert probabilities.shape == scores.shape, f"{case.where}: probabilities have shape {probabilities.shape}"
    assert (probabilities >= 0).all(), f"{case.where}: some probabilities are negative"
    assert np.allclose(probabilities.sum(axis=1), 1), f"{case.where}: probabilities do not sum to 1"
    same = np.array_equal(probabilities.argmax(axis=1), decide(scores))
    assert same, f"{case.where}: the most probable class is not the one with the highest score"


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
    """Return small code books of different kinds: long and short, with and without zeros."""
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
        "a tree": CodeBook(tree),
        "an exhaustive code": CodeBook(every),
        "a random code": max(drawn, key=lambda book: book.min_distance),
        "two classes": CodeBook([[1], [-1]]),
    }


def _drawn(rng: np.random.Generator, k: int, l: int) -> NDArray[Any]:
    """Draw random columns with both sides and different codewords."""
    while True:
        x = rng.choice([-1, 1], size=(k, l))
        if (np.abs(x.sum(axis=0)) < k).all() and len(np.unique(x, axis=0)) == k:
            return x
