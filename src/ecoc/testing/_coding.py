"""The checks behind `check_coding`."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import Coding, get_coding


def check_coding(
    coding: str | Coding | type[Coding],
    ks: Iterable[int] = (2, 3, 4, 5, 7, 10, 16, 33),
    *,
    with_data: bool = True,
    random_state: int = 0,
) -> None:
    """Check that a coding does what classifiers rely on.

    For every number of classes, the coding must make a valid code book with a row for each class. The columns must be
    different, unless the coding declares `allows_duplicates`. The code book must be the same for the same random state
    and for labels of another type. The coding must not change X, y or its own parameters, and `clone` must copy it. It
    must raise a ValueError if it needs data and gets none, or if y has another number of classes.

    Parameters
    ----------
    coding : str, Coding, or a subclass of Coding
        The coding to check. A class is called without parameters.
    ks : iterable of int
        Numbers of classes to check.
    with_data : bool, default=True
        Whether to build from data. If false, a coding that needs data is not built at all.
    random_state : int, default=0
        Seed of the data and of the coding.

    Raises
    ------
    AssertionError
        At the first check that fails. The message says which one, and for how many classes.

    See Also
    --------
    ecoc.testing.check_decoding : The same for decodings.
    ecoc.Coding : The base class of codings.

    Examples
    --------
    >>> from ecoc.codes.coding import Coding
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
    assert isinstance(tried, Coding), f"{tried!r} must be an instance of a subclass of ecoc.codes.coding.Coding"
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
    """Check that a clone has the same parameters."""
    try:
        before, after = repr(coding), repr(clone(coding))
    except Exception as error:
        raise AssertionError(
            f"{type(coding).__name__}: clone failed with {type(error).__name__}: {error}. "
            "__init__ must store each parameter unchanged under its own name and do nothing else."
        ) from error
    assert before == after, f"{before}: clone turns it into {after}"
    assert type(coding.needs_data) is bool, f"{coding!r}: needs_data must be True or False, not {coding.needs_data!r}"


def _check_refusals(coding: Coding, k: int, X: NDArray[Any], y: NDArray[Any], random_state: int) -> None:
    where = f"{coding!r} with {k} classes"
    if coding.needs_data:
        _refused(f"{where}: builds without the data it needs", coding, k, None, None, random_state)
    _refused(f"{where}: accepts y of {k} classes for n_classes={k + 1}", coding, k + 1, X, y, random_state)


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
        f"{where}: columns {repeated[0]} are equal up to sign; if this is intended, set allows_duplicates = True"
    )
    after = tried.get_params(deep=False)
    changed = [parameter for parameter, value in before.items() if after[parameter] is not value]
    assert not changed, (
        f"{where}: build changes its parameters {changed}; store results in other attributes, e.g. design_"
    )
    for which, other in (("the same object", tried), ("a clone", clone(coding))):
        repeated_book = _build(other, k, X, y, random_state)
        assert repeated_book == book, f"{where}: {which} gives another code for the same random_state"


def _check_labels(coding: Coding, k: int, X: NDArray[Any], y: NDArray[Any], random_state: int) -> None:
    where = f"{coding!r} with {k} classes"
    names = np.array([f"class {i:05d}" for i in range(k)])  # in the order of the numbers
    by_number = _build(clone(coding), k, X, y, random_state)
    by_name = _build(clone(coding), k, X, names[y], random_state)
    assert np.array_equal(by_number.matrix, by_name.matrix), f"{where}: string labels change the code"
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
    """Draw one to four samples of each class from Gaussians, in random order."""
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.repeat(np.arange(k), 1 + np.arange(k) % 4))
    return 3 * rng.normal(size=(k, 5))[y] + rng.normal(size=(len(y), 5)), y
