"""How many classes can pictures have? Chinese characters, drawn in five typefaces from Debian packages."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc import DataError

_FONTS = {  # file, and the Debian package that has it
    "ukai.ttc": "fonts-arphic-ukai",
    "uming.ttc": "fonts-arphic-uming",
    "wqy-zenhei.ttc": "fonts-wqy-zenhei",
    "wqy-microhei.ttc": "fonts-wqy-microhei",
    "HanaMinA.ttf": "fonts-hanazono",
}
_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_RANGE = range(0x4E00, 0xA000)  # CJK unified ideographs; 18,366 of them are in all five fonts
_ABSENT = "\uffff"  # a code point that no font has
_CANVAS, _HEIGHT = 56, 40  # pixels of a drawing and of the character in it, before it is reduced
_TILT, _SHIFT, _BLUR = 10.0, 2.0, (0.5, 2.0)  # largest degrees and pixels; least and largest radius


def characters(
    n_classes: int = 200, *, n_samples: int = 4, size: int = 24, seed: int = 0
) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[np.int64]]:
    """Draw characters: each of them several times in each typeface, tilted, shifted and blurred at random.

    Parameters
    ----------
    n_classes : int, default=200
        Number of characters, at most 18,366. Fewer classes are a part of more.
    n_samples : int, default=4
        Samples of a character in each of the five typefaces.
    size : int, default=24
        Height and width of a picture in pixels.
    seed : int, default=0
        Seed of the tilts, shifts and blurs; the characters are always the same.

    Returns
    -------
    X : ndarray of shape (5 * n_classes * n_samples, size ** 2)
        Grey values.
    y : ndarray of shape (5 * n_classes * n_samples,)
        The characters.
    groups : ndarray of shape (5 * n_classes * n_samples,)
        Numbers of the typefaces, to test on a typeface that was not seen in training.

    Raises
    ------
    DataError
        If Pillow or a font is missing. The message says what to install.
    """
    try:
        image_font = import_module("PIL.ImageFont")
    except ImportError:
        raise DataError("the characters are drawn with Pillow: pip install pillow") from None
    fonts = [image_font.truetype(str(path), _HEIGHT) for path in find_fonts()]
    chosen = list(zip(range(n_classes), _common(fonts)))
    if len(chosen) < n_classes:
        raise DataError(f"n_classes must be at most {len(chosen):,}, the characters that all fonts have.")
    rng = np.random.default_rng(seed)
    X = np.empty((n_classes * len(fonts) * n_samples, size * size), dtype=np.uint8)
    rows = iter(X)
    for _, character in chosen:
        for font in fonts:
            for _ in range(n_samples):
                next(rows)[:] = _draw(character, font, size, rng)
    y = np.repeat([character for _, character in chosen], len(fonts) * n_samples)
    return X, y, np.tile(np.repeat(np.arange(len(fonts)), n_samples), n_classes)


def find_fonts(folders: Sequence[str] = _FOLDERS) -> list[Path]:
    """Paths of the five fonts in the system's font folders."""
    present = [Path(folder).expanduser() for folder in folders]
    found = {name: next((path for folder in present for path in folder.rglob(name)), None) for name in _FONTS}
    if missing := [package for name, package in _FONTS.items() if found[name] is None]:
        raise DataError(f"the characters need fonts that are not installed: apt-get install {' '.join(missing)}")
    return [path for path in found.values() if path is not None]


def _common(fonts: Sequence[Any]) -> Iterator[str]:
    """Characters that all fonts have, in a random order that is always the same."""
    absent = [_shape(font, _ABSENT) for font in fonts]
    for code in np.random.default_rng(0).permutation(_RANGE).tolist():
        if all(_shape(font, chr(code)) != shape for font, shape in zip(fonts, absent)):
            yield chr(code)


def _shape(font: Any, character: str) -> tuple[Any, bytes]:
    """Picture of a character; all that a font does not have look the same."""
    mask = font.getmask(character)
    return mask.size, bytes(mask)


def _draw(character: str, font: Any, size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    image_module, draw, filters = (import_module(f"PIL.{name}") for name in ("Image", "ImageDraw", "ImageFilter"))
    image = image_module.new("L", (_CANVAS, _CANVAS))
    place = tuple(_CANVAS / 2 + rng.uniform(-_SHIFT, _SHIFT, size=2))
    draw.Draw(image).text(place, character, fill=255, font=font, anchor="mm")
    image = image.rotate(rng.uniform(-_TILT, _TILT), resample=image_module.Resampling.BICUBIC)
    image = image.filter(filters.GaussianBlur(rng.uniform(*_BLUR)))
    return np.asarray(image.resize((size, size), image_module.Resampling.BOX)).ravel()
