"""Is this a coding? The conformance suite for codings, ours and yours."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.codebook import CodeBook
from ecoc.coding import Coding, get_coding


def check_coding(
    coding: str | Coding | type[Coding],
    ks: Iterable[int] = (2, 3, 4, 5, 7, 10, 16, 33, 50),
    *,
    with_data: bool = True,
    random_state: int = 0,
) -> None:
    """Check that a coding keeps the promises that classifiers rely on.

    For every number of classes it must make a valid code book of as many rows, all columns different unless it
    declares `allows_duplicates`; the same book for the same random state, and for labels of another type; and
    leave X, y and its own parameters as they are. It must refuse missing data if it needs data, and another number
    of classes than y has; survive `clone`; and give two classes one dichotomy.

    Parameters
    ----------
    coding : str, Coding, or a subclass of Coding
        A class is called without parameters.
    ks : iterable of int
        Numbers of classes to try.
    with_data : bool, default=True
        Build from data, too. If it is false, a coding that needs data is not built at all.
    random_state : int, default=0
        Seed of the data and of the coding.

    Raises
    ------
    AssertionError
        At the first promise that is not kept, saying which, and for how many classes.

    See Also
    --------
    ecoc.testing.check_decoding : The same for decodings.
    ecoc.Coding : What a coding has to write.

    Examples
    --------
    >>> from ecoc.coding import Coding
    >>> from ecoc.testing import check_coding
    >>> check_coding("ova")
    >>> class EqualCodewords(Coding):
    ...     def _build(self, n_classes, X, y, random_state):
    ...         return [[1, -1]] + [[-1, 1]] * (n_classes - 1)
    >>> check_coding(EqualCodewords)
    Traceback (most recent call last):
    ...
    AssertionError: EqualCodewords() with 3 classes: build failed with CodeBookError: classes with equal codewords...
    """
    tried: Any = coding
    if isinstance(coding, str):
        tried = get_coding(coding)
    elif isinstance(coding, type):
        tried = coding()
    assert isinstance(tried, Coding), f"{tried!r} is of no subclass of ecoc.coding.Coding"
    _check_parameters(tried)
    for k in ks:
        X, y = _data(k, random_state)
        _check_refusals(tried, k, X, y, random_state)
        if not tried.needs_data:
            _check_book(tried, k, None, None, random_state)
        elif with_data:
            _check_book(tried, k, X, y, random_state)
        if with_data:
            _check_labels(tried, k, X, y, random_state)


def _check_parameters(coding: Coding) -> None:
    """A coding is its parameters, and a clone has the same."""
    try:
        before, after = repr(coding), repr(clone(coding))
    except Exception as error:
        raise AssertionError(
            f"{type(coding).__name__}: clone failed with {type(error).__name__}: {error}. "
            "__init__ must store each parameter under its own name, as it is, and do nothing else."
        ) from error
    assert before == after, f"{before}: clone turns it into {after}"
    assert type(coding.needs_data) is bool, f"{coding!r}: needs_data must be True or False, not {coding.needs_data!r}"


def _check_refusals(coding: Coding, k: int, X: NDArray[Any], y: NDArray[Any], random_state: int) -> None:
    where = f"{coding!r} with {k} classes"
    if coding.needs_data:
        _refused(f"{where}: builds without the data it needs", coding, k, None, None, random_state)
    _refused(f"{where}: takes y of {k} classes for n_classes={k + 1}", coding, k + 1, X, y, random_state)


def _refused(complaint: str, coding: Coding, *arguments: Any) -> None:
    try:
        clone(coding).build(*arguments)
    except ValueError:
        return
    raise AssertionError(f"{complaint}; it should raise a ValueError. Does it override build instead of _build?")


def _check_book(coding: Coding, k: int, X: Any, y: Any, random_state: int) -> None:
    where = f"{coding!r} with {k} classes"
    tried = clone(coding)
    before = tried.get_params(deep=False)
    book = _build(tried, k, X, y, random_state)
    assert isinstance(book, CodeBook), f"{where}: build must return a CodeBook, not {type(book).__name__}"
    assert book.n_classes == k, f"{where}: the code book has {book.n_classes} rows"
    repeated = book.duplicate_columns()
    assert coding.allows_duplicates or not repeated, (
        f"{where}: columns {repeated[0]} are the same dichotomy; if that is meant, set allows_duplicates = True"
    )
    after = tried.get_params(deep=False)
    changed = [parameter for parameter, value in before.items() if after[parameter] is not value]
    assert not changed, f"{where}: build changes its parameters {changed}; results belong in attributes, e.g. design_"
    for which, other in (("the same object", tried), ("a clone", clone(coding))):
        again = _build(other, k, X, y, random_state)
        assert again == book, f"{where}: {which} gives another code for the same random_state"


def _check_labels(coding: Coding, k: int, X: NDArray[Any], y: NDArray[Any], random_state: int) -> None:
    where = f"{coding!r} with {k} classes"
    names = np.array([f"class {i:05d}" for i in range(k)])  # in the order of the numbers
    by_number = _build(clone(coding), k, X, y, random_state)
    by_name = _build(clone(coding), k, X, names[y], random_state)
    assert np.array_equal(by_number.matrix, by_name.matrix), f"{where}: labels that are strings change the code"
    assert by_name.labels.tolist() == names.tolist(), f"{where}: rows must be labelled in the order of np.unique(y)"


def _build(coding: Coding, k: int, X: Any, y: Any, random_state: int) -> CodeBook:
    where = f"{coding!r} with {k} classes"
    given = {name: (values, values.copy()) for name, values in (("X", X), ("y", y)) if values is not None}
    try:
        book = coding.build(k, X, y, random_state=random_state)
    except Exception as error:
        raise AssertionError(f"{where}: build failed with {type(error).__name__}: {error}") from error
    for name, (values, copy) in given.items():
        assert np.array_equal(values, copy), f"{where}: build changes {name}"
    return book


def _data(k: int, random_state: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A Gaussian a class, of one to four samples, in no order."""
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.repeat(np.arange(k), 1 + np.arange(k) % 4))
    return 3 * rng.normal(size=(k, 5))[y] + rng.normal(size=(len(y), 5)), y
