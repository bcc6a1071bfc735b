"""Draw letters in the typefaces that matplotlib carries: 124 classes without a download."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.optional import optional

# Digits, and Latin, Greek and Cyrillic letters that do not look alike in any of the typefaces.
LETTERS = (
    "0123456789ABCDEFGHJKLMNPRSTUVWXYZabcdfghijkmorstuvwxyzßæðłŋÆØ"
    "ΓΔΞΣΦΨΩαβγδεζιλνξπρςυφχψωДЖЙЛУЧШЪЫЬЭЮЯвджзйлмтчшъыьэюяЂЉЊђљњѣѲґ"
)
_DEJAVU = ("", "-Bold", "-Oblique", "-BoldOblique")
TYPEFACES = {
    "DejaVu Sans": tuple(f"DejaVuSans{style}" for style in _DEJAVU),
    "DejaVu Sans Mono": tuple(f"DejaVuSansMono{style}" for style in _DEJAVU),
    "DejaVu Serif": ("DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic", "DejaVuSerif-BoldItalic"),
    "STIX": ("STIXGeneral", "STIXGeneralBol", "STIXGeneralItalic", "STIXGeneralBolIta"),
}
CANVAS, HEIGHT, SIZE = 64, 36, 16  # pixels of a drawing, of the type in it, and of the picture that is made of it
NEEDED, INSTALL = "the letters are drawn with matplotlib's typefaces", "'ecoc[plots]'"
TILT, SHIFT, BLUR = 8.0, 2.0, (0.5, 2.0)  # largest degrees and pixels; least and largest radius


def load_letters(n_samples: int = 2, random_state: int = 0) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Draw 124 letters and digits in four typefaces of four styles each.

    Train on three typefaces and test on the fourth: ``seen = typeface != "STIX"``. Each picture is tilted, shifted and
    blurred at random.

    Parameters
    ----------
    n_samples : int, default=2
        Pictures of a letter in each style.
    random_state : int, default=0
        Seed of the tilts, shifts and blurs.

    Returns
    -------
    X : ndarray of shape (16 * 124 * n_samples, 256)
        Grey values of 16 × 16 pixels, between 0 and 1.
    y : ndarray of shape (16 * 124 * n_samples,)
        The letters.
    typeface : ndarray of shape (16 * 124 * n_samples,)
        "DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif" or "STIX".

    Examples
    --------
    >>> from ecoc import load_letters
    >>> X, y, typeface = load_letters(n_samples=1)
    >>> X.shape, len(set(y))
    ((1984, 256), 124)
    """
    folder = f"{optional('matplotlib', NEEDED, INSTALL).get_data_path()}/fonts/ttf"
    image_font = optional("PIL.ImageFont", NEEDED, INSTALL)
    rng = np.random.default_rng(random_state)
    fonts = {
        file: image_font.truetype(f"{folder}/{file}.ttf", HEIGHT) for files in TYPEFACES.values() for file in files
    }
    styles = [(name, fonts[file]) for name, files in TYPEFACES.items() for file in files]
    samples = [(letter, name, font) for letter in LETTERS for name, font in styles for _ in range(n_samples)]
    X = np.array([draw(letter, font, rng) for letter, _, font in samples]) / 255
    return X, np.array([letter for letter, *_ in samples]), np.array([name for _, name, _ in samples])


def draw(letter: str, font: Any, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw a letter on its baseline, tilted, shifted and blurred."""
    image, drawing, filters = (
        optional(f"PIL.{name}", NEEDED, INSTALL) for name in ("Image", "ImageDraw", "ImageFilter")
    )
    picture = image.new("L", (CANVAS, CANVAS))
    place = np.array([CANVAS / 2, CANVAS / 2 + HEIGHT / 3]) + rng.uniform(-SHIFT, SHIFT, size=2)
    drawing.Draw(picture).text(tuple(place), letter, fill=255, font=font, anchor="ms")
    picture = picture.rotate(rng.uniform(-TILT, TILT), resample=image.Resampling.BICUBIC)
    picture = picture.filter(filters.GaussianBlur(rng.uniform(*BLUR)))
    return np.asarray(picture.resize((SIZE, SIZE), image.Resampling.BOX)).ravel()
