"""Find codewords for classes that come later, near the mean outputs of their samples."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.exceptions import CodeBookError

Array = NDArray[np.float64]
FEW_COLUMNS = 12  # columns up to which all words are listed


def free_codewords(matrix: NDArray[np.int8], means: Array, min_distance: int) -> NDArray[np.int8]:
    """Return a codeword of ±1 for each row of mean outputs, one after another; raise CodeBookError if no word is left.

    A codeword is near the signs of the mean outputs, which are on one scale, and differs from all others in at least
    `min_distance` columns if there is room for it, otherwise in as many as possible. The distance to the mean outputs
    is the sum of their sizes in the columns in which the signs differ.
    """
    taken, l = matrix, matrix.shape[1]
    every = np.array(list(product((1, -1), repeat=l)), dtype=np.int8) if l <= FEW_COLUMNS else None
    for mean in means:
        found = _descend(taken, mean, min_distance) if every is None else _best_of(every, taken, mean, min_distance)
        if found is None:
            raise CodeBookError(
                f"no codeword is left for another class: {l} columns tell at most {2**l} classes apart, and there are "
                f"{len(taken)}; fit a new model with more columns, e.g. with coding=ECF(n_columns={l + 4})."
            )
        taken = np.vstack([taken, found])
    return taken[len(matrix) :]


def with_both_sides(matrix: NDArray[np.int8], means: Array) -> NDArray[np.int8]:
    """Return the codewords so that every column has classes on both sides.

    If a column has lost all classes of one side, the class whose mean output is nearest to that side takes it.
    """
    matrix = matrix.copy()
    for j in range(matrix.shape[1]):
        for side in (1, -1):
            if not (matrix[:, j] == side).any():
                for row in np.argsort(-side * means[:, j], kind="stable"):
                    before = matrix[row, j]
                    matrix[row, j] = side
                    if _distances(np.delete(matrix, row, axis=0), matrix[row]).min() > 0:
                        break
                    matrix[row, j] = before
    return matrix


def _distances(words: NDArray[np.int8], word: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.asarray((words * word < 0).sum(axis=1))


def _best_of(
    every: NDArray[np.int8], taken: NDArray[np.int8], mean: Array, min_distance: int
) -> NDArray[np.int8] | None:
    """Return the word with the largest distance up to the wanted one, and of these the nearest to the mean."""
    distance = np.min([_distances(every, word) for word in taken], axis=0)
    if not distance.max():
        return None
    good = np.flatnonzero(distance >= min(min_distance, distance.max()))
    return np.asarray(every[good[np.argmax(every[good] @ mean)]])


def _descend(taken: NDArray[np.int8], mean: Array, min_distance: int) -> NDArray[np.int8] | None:
    """Flip the cheapest column that parts the word from its nearest neighbour until no neighbour is too near."""
    word = np.where(mean > 0, 1, -1).astype(np.int8)
    cost, flipped = np.abs(mean), np.zeros(len(mean), dtype=bool)
    distance = _distances(taken, word)
    best, best_word = int(distance.min()), word.copy()
    while best < min_distance:
        near = taken[distance == distance.min()]
        parts = (near * word > 0).sum(axis=0) - (near * word < 0).sum(axis=0)
        useful = (near[0] * word > 0) & ~flipped
        if not useful.any():
            break
        # The cheapest flip for each neighbour that it moves away from; a flip towards others counts less.
        gain = np.where(useful, np.exp(parts / len(near)) / (cost + 1e-9 + cost.mean() / 10), -1.0)
        j = int(gain.argmax())
        distance += np.sign(taken[:, j] * word[j])
        word[j], flipped[j] = -word[j], True
        if distance.min() > best:
            best, best_word = int(distance.min()), word.copy()
    return best_word if best > 0 else None
