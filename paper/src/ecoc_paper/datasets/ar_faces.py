"""Read the AR faces, which may not be passed on, from your folder of images or MATLAB file.

The database (Martínez and Benavente, 1998) has 26 images of each of 126 persons. Image names say the person and the
picture, as in ``m-001-01.bmp``. The paper takes 50 persons.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc import DataError

Images = NDArray[np.float64]

N_PERSONS = 50
HEIGHT, WIDTH = 33, 24  # of an image as features: the aligned images of 165 × 120 pixels, shrunk five times

_NAME = re.compile(r"^([mwf])-?(\d{3})-(\d{1,2})\.(bmp|pgm|png|jpe?g|tiff?)$", re.IGNORECASE)


def read_ar_faces(path: str | Path, n_persons: int = N_PERSONS) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Read the AR faces from a folder of images, or from a MATLAB file.

    Parameters
    ----------
    path : path-like
        A folder with images whose names are like ``m-001-01.bmp``, in any sub-folders; or a ``.mat`` file with a matrix
        of images, one in each column or row, and a matrix or vector of labels.
    n_persons : int, default=50
        The first so many persons are taken.

    Returns
    -------
    X : ndarray of shape (n_images, n_pixels)
        Grey values. Images of a folder are shrunk to 33 × 24 pixels, those of a file are taken as they are.
    y : ndarray of shape (n_images,)
        The person of each image.

    Raises
    ------
    DataError
        If there is no such file, or if it holds no faces.

    Examples
    --------
    >>> from ecoc_paper.datasets import DataError, read_ar_faces
    >>> try:
    ...     X, y = read_ar_faces("AR.mat")
    ... except DataError as error:
    ...     print("no faces:", type(error).__name__)
    no faces: DataError
    """
    path = Path(path)
    if path.is_dir():
        X, y = _folder(path)
    elif path.suffix.lower() == ".mat" and path.is_file():
        X, y = _matlab(path)
    else:
        raise DataError(f"{path} is neither a folder of images nor a .mat file; give the place of the AR faces.")
    first = np.isin(y, np.unique(y)[:n_persons])
    return X[first], y[first]


def _folder(path: Path) -> tuple[Images, NDArray[Any]]:
    found = sorted((match, file) for file in path.rglob("*") if (match := _parts(file.name)) is not None)
    if not found:
        raise DataError(f"{path} has no image named like m-001-01.bmp (sex, person, picture).")
    X = np.array([_shrunk(_grey(file)).ravel() for _, file in found])
    return X, np.array([f"{sex}-{person}" for (sex, person, _), _ in found])


def _parts(name: str) -> tuple[str, str, int] | None:
    match = _NAME.match(name)
    return None if match is None else (match[1].lower(), match[2], int(match[3]))


def _grey(file: Path) -> Images:
    try:
        from matplotlib.image import imread
    except ImportError:
        raise DataError("Reading images needs matplotlib: pip install matplotlib") from None
    image = np.asarray(imread(file), dtype=np.float64)
    return image if image.ndim == 2 else np.asarray(image[..., :3].mean(axis=2))


def _shrunk(image: Images) -> Images:
    """Average the pixels of a grid of HEIGHT × WIDTH fields, as equal in size as can be."""
    if image.shape[0] < HEIGHT or image.shape[1] < WIDTH:
        raise DataError(
            f"an image has {image.shape[0]} × {image.shape[1]} pixels; at least {HEIGHT} × {WIDTH} are needed."
        )
    rows, columns = (np.linspace(0, n, m + 1).round().astype(int) for n, m in zip(image.shape, (HEIGHT, WIDTH)))
    sums = np.add.reduceat(np.add.reduceat(image, rows[:-1], axis=0), columns[:-1], axis=1)
    return np.asarray(sums / np.outer(np.diff(rows), np.diff(columns)))


def _matlab(path: Path) -> tuple[Images, NDArray[Any]]:
    from scipy.io import loadmat

    arrays = {name: np.asarray(value) for name, value in loadmat(path).items() if not name.startswith("__")}
    arrays = {name: value for name, value in arrays.items() if value.ndim == 2 and value.dtype.kind in "iufb"}
    labels = {name: value for name, value in arrays.items() if 1 in value.shape or _is_indicator(value)}
    images = {name: value for name, value in arrays.items() if name not in labels}
    for image in sorted(images.values(), key=lambda value: -value.size):
        for label in labels.values():
            y = label.argmax(axis=0 if label.shape[1] in image.shape else 1) if min(label.shape) > 1 else label.ravel()
            if len(y) in image.shape:
                X = image if image.shape[0] == len(y) else image.T
                return X.astype(np.float64), y
    sizes = ", ".join(f"{name} {value.shape}" for name, value in arrays.items()) or "no matrix"
    raise DataError(f"{path.name} has no matrix of images with a label for each; it has {sizes}.")


def _is_indicator(value: NDArray[Any]) -> bool:
    """Whether each row or each column has a single 1 and else 0."""
    if not np.isin(value, (0, 1)).all():
        return False
    return bool((value.sum(axis=0) == 1).all() or (value.sum(axis=1) == 1).all())
