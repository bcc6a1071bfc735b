"""Compare the pruned search for C and γ with the full grid: what it chooses, and the time it takes.

python tools/check_search.py [--data-dir DATA] [--columns 24] [--preset paper] [names of data sets]

Columns of eight codes are tuned on the first fold of each data set, by both searches. The times are of this process;
those of scikit-learn's SVC, without pruning, are of two columns.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence

import numpy as np

from ecoc.codes.coding import ECF, get_coding
from ecoc.utils.codewords import leading_signs
from ecoc_paper.datasets import load
from ecoc_paper.experiments import PRESETS, Protocol
from ecoc_paper.experiments.fold import Fold
from ecoc_paper.experiments.images import filtered
from ecoc_paper.experiments.search import Pair, full_search, pruned_search, run_searches
from ecoc_paper.experiments.tuning import Code, Tuner

_SVC_COLUMNS = 2


def sample_columns(fold: Fold, n_columns: int) -> Code:
    """Return columns of eight codes, drawn at random."""
    k, rng = fold.n_classes, np.random.default_rng(0)
    codings = [get_coding(name) for name in ("ova", "ovo", "dense", "spectral")]
    codings += [ECF(name, effort=0.1, refine=False) for name in ("hard", "easy", "equidistant")]
    codings.append(ECF("balanced", n_columns=max(k // 2, (k - 1).bit_length()), effort=0.1, refine=False))
    parts = []
    for coding in codings:
        code = coding.build(k, fold.X, fold.y, 0).matrix
        parts.append(code[:, rng.permutation(code.shape[1])[: -(-n_columns // len(codings))]])
    code = np.hstack(parts)
    return np.asarray(code * leading_signs(code))


def tuned(tuner: Tuner, code: Code, is_pruned: bool) -> tuple[list[Pair], float]:
    """Return the chosen pairs, and the seconds it took."""
    protocol, n = tuner.protocol, np.count_nonzero(code[tuner.fold.y], axis=0)
    if is_pruned:
        searches = [pruned_search(protocol.Cs, protocol.gammas, int(m)) for m in n]
    else:
        searches = [full_search(protocol.Cs, protocol.gammas) for _ in n]
    start = time.process_time()
    found = run_searches(searches, lambda pair, places: tuner.column_answers(code[:, places], pair))
    return found, time.process_time() - start


def seconds_of_svc(tuner: Tuner, code: Code) -> float:
    """Return the seconds that a full grid of scikit-learn's SVC takes, for one column."""
    from sklearn.svm import SVC

    fold, protocol = tuner.fold, tuner.protocol
    start = time.process_time()
    for column in code.T:
        sides = column[fold.y]
        for gamma in protocol.gammas:
            gram = tuner.gram(gamma)[0].astype(np.float64)
            for C in protocol.Cs:
                for half in fold.halves:
                    used = np.arange(half.start, half.stop)[sides[half] != 0]
                    model = SVC(C=C, kernel="precomputed", max_iter=protocol.max_iter)
                    model.fit(gram[np.ix_(used, used)], sides[used])
    return (time.process_time() - start) / code.shape[1]


def check(name: str, protocol: Protocol, data_dir: str | None, n_columns: int) -> str:
    """Return a line of the table for a data set."""
    data = load(name, data_dir=data_dir)
    fold = Fold(filtered(data) if name in protocol.filtered else data, 0, protocol)
    code = sample_columns(fold, n_columns)
    tuners = [Tuner(fold, protocol) for _ in range(2)]
    for tuner in tuners:
        for gamma in protocol.gammas:
            tuner.gram(gamma)  # computed once, whatever the search
    (full, slow), (pruned, fast) = (tuned(tuner, code, p) for tuner, p in zip(tuners, (False, True)))
    same = sum(a == b for a, b in zip(full, pruned))
    svc = seconds_of_svc(tuners[0], code[:, np.flatnonzero(code.all(axis=0))[:_SVC_COLUMNS]])
    m = code.shape[1]
    return f"| {name} | {m} | {same} | {slow / m:.3f} | {fast / m:.3f} | {svc:.2f} |"


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--data-dir")
    parser.add_argument("--columns", type=int, default=24)
    parser.add_argument("--preset", default="paper")
    given = parser.parse_args(arguments)
    protocol = PRESETS[given.preset]
    warnings.simplefilter("ignore")
    print("| data set | columns | same pair | full grid, s a column | pruned, s | full grid of SVC, s |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in given.names or protocol.datasets:
        print(check(name, protocol, given.data_dir, given.columns), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
