import pytest

from ecoc.utils.messages import nearest, some, unknown_name

NAMES = ["hamming", "inverse_hamming", "euclidean", "loss_weighted"]


@pytest.mark.parametrize(
    ("items", "total", "expected"),
    [
        ([], None, ""),
        (["a", 1], None, "'a', 1"),
        ([*range(5)], None, "0, 1, 2, 3, 4"),
        ([*range(7)], None, "0, 1, 2, 3, 4 ... and 2 more"),
        ([*range(5)], 1000, "0, 1, 2, 3, 4 ... and 995 more"),
    ],
)
def test_some(items, total, expected):
    assert some(items, total) == expected


def test_some_shows_items_as_told():
    assert some(["a", "b"], show=str.upper) == "A, B"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("haming", ["hamming"]),
        ("Loss-Weighted", ["loss_weighted"]),
        ("loss weighted", ["loss_weighted"]),
        ("xyz", []),
        (3, []),
    ],
)
def test_nearest(name, expected):
    assert nearest(name, NAMES) == expected


def test_nearest_gives_known_names_of_any_type():
    assert nearest("2018", [2017, 2018]) == [2018]
    assert len(nearest("hamming", NAMES, n=2)) == 2


def test_unknown_name():
    message = unknown_name("decoding", "haming", iter(NAMES), besides=" or an object")
    assert message == (
        "Unknown decoding 'haming'; the names are hamming, inverse_hamming, euclidean, loss_weighted or an object. "
        "Did you mean 'hamming'?"
    )
    assert unknown_name("decoding", "xyz", NAMES).endswith("loss_weighted.")
