"""Three readings of the paper's constraint on inner products."""

from typing import Any


def read_distance(c: Any, n_columns: int | None, reading: str) -> int:
    """Return the Hamming distance h that a reading of the paper's constant c keeps.

    Codewords of length l have inner products of l's parity, and h = (l − product) / 2. So a cap of l − c on the
    products keeps ⌈c / 2⌉, and a cap of c keeps ⌈(l − c) / 2⌉.

    Parameters
    ----------
    c : int
        The constant.
    n_columns : int or None
        Length l of the code.
    reading : {"mended", "printed", "products"}
        c is a distance; the paper's constraint as printed; or c caps the inner products.

    Returns
    -------
    int
        The distance h.
    """
    if reading not in ("mended", "printed", "products"):
        raise ValueError(f"reading must be 'mended', 'printed' or 'products'; got {reading!r}.")
    if not isinstance(c, int):
        raise ValueError(f"reading={reading!r} takes one min_distance for all pairs; got {c!r}.")
    if reading == "products":
        if n_columns is None:
            raise ValueError("reading='products' caps inner products, which depend on the length: give n_columns.")
        return max(1, -(-(n_columns - c) // 2))
    return c if reading == "mended" else -(-c // 2)
