"""Find the few best classes of each sample, without a matrix of all scores.

With few classes, all scores are computed. With many, codewords of ±1 are packed into 64-bit words, whose differences
the processor counts. If the signs are near a codeword, it is looked up in tables. If outputs have sizes, too, a few
counts bound the score of each class, and few scores are computed. Other scores that are linear in the outputs are
computed in single precision first. The rounding error is bounded, so the classes that may be among the best are known,
and only they are computed in double precision.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches

from ecoc.decoding.evidence import Array, Classes
from ecoc.decoding.interface import TIE, Decoding
from ecoc.decoding.limits import LIMITS, Limits
from ecoc.utils.codewords import pack
from ecoc.utils.threads import in_threads


def best_classes(decoding: Decoding, outputs: ArrayLike, n_best: int = 1) -> Classes:
    """Return rows of the code book with the highest scores for each sample, first the one that `decide` finds."""
    checked, limits = decoding.check_outputs(outputs), decoding.limits
    if decoding.codebook_.n_classes >= limits.many_classes and len(checked):
        if (codewords := decoding.packed()) is not None:
            return _nearest(codewords, checked, n_best, limits)
        if (linear := decoding.linear_form()) is not None:
            return _highest(*linear, checked, n_best, limits)
    return top_of_all(decoding.ranking, checked, n_best, limits.block_scores)[0]


def top_of_all(
    scores_of: Any, outputs: Array, n_best: int, block_scores: int = LIMITS.block_scores
) -> tuple[Classes, Array]:
    """Return the best classes and their scores; all scores are computed, for some samples at a time.

    The highest scores come first; of equal scores, the first class comes first.
    """
    classes: list[Classes] = []
    values: list[Array] = []
    start, rows = 0, 1
    while start < len(outputs) or not classes:
        scores = scores_of(outputs[start : start + rows])
        order = _order(scores, n_best)
        classes.append(order)
        values.append(np.take_along_axis(scores, order, axis=1))
        start += rows
        rows = max(1, block_scores // scores.shape[1])
    return np.concatenate(classes), np.concatenate(values)


def _order(scores: Array, n_best: int) -> Classes:
    """Return the columns with the highest entries of each row, in descending order; equal entries keep their order."""
    k = scores.shape[1]
    if n_best == 1:
        return np.asarray(scores.argmax(axis=1))[:, None]
    if 4 * n_best > k:
        return np.asarray(np.argsort(-scores, axis=1, kind="stable"))[:, :n_best]
    # The last place may be contested by equal scores: take all that are at least as high, and the first of them.
    lowest = np.partition(scores, k - n_best, axis=1)[:, k - n_best]
    found = np.empty((len(scores), n_best), dtype=np.intp)
    for i, row in enumerate(scores):
        contenders = np.flatnonzero(row >= lowest[i])
        found[i] = contenders[np.argsort(-row[contenders], kind="stable")[:n_best]]
    return found


def _nearest(codewords: NDArray[np.uint64], outputs: Array, n_best: int, limits: Limits) -> Classes:
    """Return the classes whose codewords have the fewest wrong signs."""
    from ecoc.decoding._hash_kernels import hash_tables, look_up
    from ecoc.decoding._top_kernels import nearest_codewords

    classes = np.zeros((len(outputs), n_best), dtype=np.int64)
    hashes = n_best == 1 and codewords.shape[1] >= limits.hashed_classes and len(outputs) >= limits.hashed_samples
    tables = hash_tables(codewords, outputs.shape[1]) if hashes else None

    def search(rows: slice) -> None:
        samples, found = pack(outputs[rows] > 0), classes[rows]
        is_left = np.ones(len(samples), dtype=bool) if tables is None else look_up(*tables, samples, found[:, 0])
        nearest = np.zeros((np.count_nonzero(is_left), n_best), dtype=np.int64)
        nearest_codewords(codewords, samples[is_left], nearest, np.full(nearest.shape, 2**62))
        found[is_left] = nearest

    in_threads(search, gen_batches(len(outputs), limits.block_rows))
    return classes.astype(np.intp, copy=False)


def _highest(weights: Array, intercept: Array, outputs: Array, n_best: int, limits: Limits) -> Classes:
    """Return the classes with the highest scores that are linear in the outputs."""
    weight = abs(weights[0, 0])
    is_code = n_best == 1 and len(outputs) >= limits.block_rows and bool((np.abs(weights) == weight).all())
    if not is_code or np.ptp(intercept) > 0 or np.abs(outputs).max() > limits.huge_outputs:
        return _by_products(weights, intercept, outputs, n_best, limits)
    # The sum of all sizes of outputs, less twice that of the wrong signs, times the weight, is the score.
    tie = TIE * _largest(weights, intercept, outputs) / (2 * weight)
    found = _by_wrong_signs(np.ascontiguousarray(pack(weights > 0).T), outputs, tie, limits)
    left = np.flatnonzero(found < 0)
    if len(left):
        found[left] = _by_products(weights, intercept, outputs[left], n_best, limits)
    return found


def _by_wrong_signs(codewords: NDArray[np.uint64], outputs: Array, tie: Array, limits: Limits) -> Classes:
    """Return the codewords whose wrong signs have the least total size, or −1 where too many may have."""
    from ecoc.decoding._top_kernels import least_wrong

    found = np.empty((len(outputs), 1), dtype=np.int64)
    most = 2**limits.n_digits - 1

    def search(rows: slice) -> None:
        sizes = np.abs(outputs[rows])
        unit = np.maximum(limits.clipped * sizes.mean(axis=1) / most, np.finfo(np.float64).tiny)
        rounded = np.minimum(sizes / unit[:, None], most).astype(np.int64)
        digits = np.stack([pack((rounded >> d) % 2 == 1) for d in range(limits.n_digits)])
        least_wrong(codewords, pack(outputs[rows] > 0), digits, unit, sizes, tie[rows], found[rows, 0])

    in_threads(search, gen_batches(len(outputs), limits.block_rows))
    return found.astype(np.intp, copy=False)


def _largest(weights: Array, intercept: Array, outputs: Array) -> Array:
    """Return a number for each sample that no score exceeds, by Cauchy and Schwarz."""
    return np.asarray(np.linalg.norm(outputs, axis=1) * np.linalg.norm(weights, axis=1).max() + np.abs(intercept).max())


def _by_products(weights: Array, intercept: Array, outputs: Array, n_best: int, limits: Limits) -> Classes:
    """Return the classes with the highest scores, which are computed in single precision for all classes."""
    from ecoc.decoding._top_kernels import highest_scores

    k, l = weights.shape
    single = np.column_stack([weights, intercept]).astype(np.float32)
    bound = _largest(weights, intercept, outputs)
    found = np.empty((len(outputs), n_best), dtype=np.intp)

    def search(rows: slice) -> None:
        part, n = outputs[rows], len(outputs[rows])
        low = np.column_stack([part, np.ones(n)]).astype(np.float32)
        classes = np.zeros((n, min(n_best + limits.spare_classes, k)), dtype=np.int64)
        highest = np.full(classes.shape, -np.inf, dtype=np.float32)
        for block in gen_batches(k, limits.block_classes):
            highest_scores(low @ single[block].T, block.start, classes, highest)
        largest = bound[rows]
        # Each score has an error below (l + 4) units in the last place of the largest possible one.
        error = (l + 4) * np.finfo(np.float32).eps * largest
        is_unsure = ~(highest[:, n_best - 1] - highest[:, -1] > 2 * error) & (n_best + limits.spare_classes < k)
        for i, candidates in enumerate(np.sort(classes, axis=1)):
            chosen = slice(None) if is_unsure[i] else candidates
            scores = weights[chosen] @ part[i] + intercept[chosen]
            order = _ranked(scores, TIE * largest[i])[:n_best]
            found[rows][i] = order if is_unsure[i] else candidates[order]

    in_threads(search, gen_batches(len(outputs), limits.block_rows))
    return found


def _ranked(scores: Array, tie: float) -> Classes:
    """Return classes by descending scores; those that differ from the best by rounding only are in their order."""
    top = scores.max()
    return np.asarray(np.argsort(-np.where(scores >= top - tie, top, scores), kind="stable"))
