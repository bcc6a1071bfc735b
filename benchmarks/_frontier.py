"""How few classifiers are enough? Accuracy against their number and support vectors, on every set with k ≥ 10.

The folds are repeated and stratified, and grouped if samples come in groups. C, γ and penalties are tuned inside each
training fold: once with one-vs-all (for one-vs-all and one-vs-one) and once with half a code (for all others). The
results of every fold are written to a file at once, so a killed run continues where it stopped.
"""

import argparse
import json
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, train_test_split
from sklearn.multiclass import OutputCodeClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks._datasets import groups, load
from benchmarks._report import Goal, Table, as_text, facts, goals_table
from benchmarks._results import save
from ecoc import ECF, DenseRandom, ECOCClassifier, Spectral, TrainingCache

ROWS = {
    "yeast": None,
    "vowel": None,
    "letter": 6000,
    "pendigits": 3000,
    "optdigits": 3000,
    "traffic36": None,
    "orl40": None,
}
COMPONENTS = {"traffic36": 100, "orl40": 120}
LEARNERS = ("svc", "kernel_ridge", "logistic")
ALLOCATIONS = (-1.0, -0.5, 0.0, 1.0)
NAMES = {"svc": "RBF SVC", "kernel_ridge": "kernel ridge", "logistic": "logistic regression"}


def samples(name: str) -> tuple[Any, Any, Any] | None:
    """Load X, y and groups, or None if the set is not available; draw a stratified part of a large set."""
    found = load(name)
    if found is None:
        return None
    (X, y), group = found, groups(name)
    if (n := ROWS[name]) is not None and n < len(y):
        rows, _ = train_test_split(np.arange(len(y)), train_size=n, stratify=y, random_state=0)
        X, y = X[np.sort(rows)], y[np.sort(rows)]
    return X, y, group


def split(y: Any, group: Any, n_folds: int, seed: int) -> list[tuple[Any, Any]]:
    """Make stratified folds that keep groups together."""
    kind = StratifiedKFold if group is None else StratifiedGroupKFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with fewer samples than folds
        return list(kind(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y, group))


def prepared(name: str, X: Any, train: Any, test: Any) -> tuple[Any, Any]:
    """Standardise features, or compute principal components of images; both are fitted to the training fold."""
    if name in COMPONENTS:
        model = PCA(COMPONENTS[name], whiten=False, random_state=0).fit(X[train] / 255)
        A, B = model.transform(X[train] / 255), model.transform(X[test] / 255)
        scale = A.std()
        return A / scale, B / scale
    model = StandardScaler().fit(X[train])
    return model.transform(X[train]), model.transform(X[test])


def candidates(learner: str, X: Any, quick: bool) -> Iterator[Any]:
    """Yield the learners that tuning chooses from."""
    gamma = 1.0 / (X.shape[1] * X.var())
    widths = (1.0,) if quick else (0.25, 1.0, 4.0)
    if learner == "svc":
        yield from (SVC(C=C, gamma=w * gamma) for w in widths for C in (1.0, 10.0, 100.0))
    elif learner == "kernel_ridge":
        yield from (KernelRidge(alpha=a, kernel="rbf", gamma=w * gamma) for w in widths for a in (0.01, 0.1, 1.0))
    else:
        yield from (LogisticRegression(C=C, max_iter=300) for C in ((1.0,) if quick else (0.1, 1.0, 10.0, 100.0)))


def tuned(learner: str, coding: Any, X: Any, y: Any, group: Any, quick: bool) -> Any:
    """Choose the most accurate learner for a coding, by two folds."""
    folds, best = split(y, group, 2, 0), (-1.0, None)
    caches = [TrainingCache(2) for _ in folds]
    for estimator in candidates(learner, X, quick):
        hits = 0
        for (train, test), cache in zip(folds, caches):
            model = ECOCClassifier(
                estimator, coding=coding, decoding="linear", probability=False, random_state=0, warm_start=cache
            )
            hits += int((model.fit(X[train], y[train]).predict(X[test]) == y[test]).sum())
        if hits > best[0]:
            best = hits, estimator
    return best[1]


def methods(k: int) -> Iterator[tuple[str, str, Any, str]]:
    """Yield name, length, coding and decoding of each method."""
    half, quarter = ceil(k / 2), max(ceil(k / 4), (k - 1).bit_length() + 1)
    yield "one-vs-all", "k", "ova", "linear"
    yield "one-vs-all, discriminant", "k", "ova", "discriminant"
    yield "one-vs-one", "k(k-1)/2", "ovo", "hamming"
    for name, l in (("k/2", half), ("k/4", quarter)):
        yield "dense random", name, DenseRandom(n_columns=l), "discriminant"
        yield "dense random, linear decoding", name, DenseRandom(n_columns=l), "linear"
        yield "Spectral", name, Spectral(n_columns=l), "discriminant"
        for a in ALLOCATIONS:
            plain = {-1.0: "ECF-E", 1.0: "ECF-H"}.get(a, f"ECF a={a:g}")
            yield plain, name, ECF(a, n_columns=l), "discriminant"
        yield "ECF", name, ECF(n_columns=l), "discriminant"
        yield "ECF, linear decoding", name, ECF(n_columns=l), "linear"
        yield "ECF, loss-weighted", name, ECF(n_columns=l), "loss_weighted"
        yield "ECF auto", name, ECF("auto", n_columns=l), "discriminant"
    yield "ECF, auto length", "auto", ECF(n_columns="auto"), "discriminant"
    yield "ECF, rank", "rank", ECF(), "discriminant"


def fold_results(name: str, learner: str, repeat: int, fold: int, n_folds: int, quick: bool) -> list[dict[str, Any]]:
    """Measure every method on one fold; return one row for each."""
    found = samples(name)
    assert found is not None
    X, y, group = found
    train, test = split(y, group, n_folds, repeat)[fold]
    A, B = prepared(name, X, train, test)
    classes, u = np.unique(y[train], return_inverse=True)
    part = None if group is None else group[train]
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        half_code = ECF(n_columns=0.5, refine=False, effort=0.3)
        for_one_vs, for_codes = (tuned(learner, coding, A, u, part, quick) for coding in ("ova", half_code))
        cache = TrainingCache()
        inner: Any = 3 if group is None else split(u, part, 3, 0)
        half = None

        def note(method: str, length: str, model: Any, seconds: float) -> None:
            rows.append(
                {
                    "set": name,
                    "learner": learner,
                    "repeat": repeat,
                    "fold": fold,
                    "method": method,
                    "length": length,
                    "n_columns": getattr(model, "n_columns_", None) or len(model.estimators_),
                    "n_support": getattr(model, "n_support_", None),
                    "accuracy": 100 * float(np.mean(classes[model.predict(B)] == y[test])),
                    "seconds": seconds,
                    "n_test": len(test),
                    "estimator": str(getattr(model, "estimator", "")),
                }
            )

        k = len(classes)
        for method, length, coding, decoding in methods(k):
            start = time.perf_counter()
            model = ECOCClassifier(
                clone(for_one_vs if method.startswith("one-vs") else for_codes),
                coding=coding,
                decoding=decoding,
                probability=False,
                cv=inner,
                random_state=0,
                warm_start=cache,
            ).fit(A, u)
            note(method, length, model, time.perf_counter() - start)
            if method == "ECF" and length == "k/2":
                half = model
        quarter = max(ceil(k / 4), (k - 1).bit_length() + 1)
        assert half is not None
        note("ECF k/2, truncated", "k/4", half.truncate(min(quarter, half.n_columns_)), 0.0)
        if learner != "kernel_ridge":
            for length, l in (("k/2", ceil(k / 2)), ("k/4", quarter)):
                start = time.perf_counter()
                peer = OutputCodeClassifier(clone(for_codes), code_size=l / k, random_state=repeat).fit(A, u)
                note("OutputCodeClassifier", length, peer, time.perf_counter() - start)
    return rows


def main() -> None:
    """Run the folds that the file lacks, then show tables, goals and plots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller grids, one repeat of two folds")
    parser.add_argument("--sets", nargs="+", default=list(ROWS))
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=LEARNERS)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build/frontier"))
    args = parser.parse_args()
    repeats, folds = (1, 2) if args.quick else (args.repeats, args.folds)
    args.out.mkdir(parents=True, exist_ok=True)
    file = args.out / ("quick.jsonl" if args.quick else f"folds{folds}.jsonl")
    known = [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")] if file.exists() else []
    done = {(row["set"], row["learner"], row["repeat"], row["fold"]) for row in known}
    names = [name for name in args.sets if load(name) is not None]
    if not names:
        sys.exit("None of the data sets was found; set ECOC_DATA to their folder.")
    jobs = [
        (name, learner, repeat, fold)
        for repeat in range(repeats)
        for fold in range(folds)
        for learner in args.learners
        for name in names
        if (name, learner, repeat, fold) not in done
    ]
    parallel = Parallel(n_jobs=args.jobs, return_as="generator_unordered")
    for i, rows in enumerate(parallel(delayed(fold_results)(*job, folds, args.quick) for job in jobs), 1):
        with file.open("a") as lines:
            lines.write("".join(json.dumps(row) + "\n" for row in rows))
        known += rows
        print(f"{i} of {len(jobs)}: {rows[0]['set']}, {rows[0]['learner']}", file=sys.stderr, flush=True)
    wanted = [row for row in known if row["set"] in names and row["learner"] in args.learners]
    results = list(report(wanted))
    print(facts(), "\n")
    for table in results:
        if isinstance(table, Table):
            print(as_text(table))
    print(as_text(goals_table([goal for goal in results if isinstance(goal, Goal)])))
    if not args.quick:
        save("_frontier", results, "python -m benchmarks._frontier")
    plot(wanted, args.out)


def report(rows: list[dict[str, Any]]) -> Iterator[Table | Goal]:
    """Yield a table of mean accuracies for each learner, and the goals."""
    for learner in dict.fromkeys(row["learner"] for row in rows):
        mine = [row for row in rows if row["learner"] == learner]
        names = list(dict.fromkeys(row["set"] for row in mine))
        n_folds = len({(row["repeat"], row["fold"]) for row in mine})
        cells: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
        for row in mine:
            cells[row["method"], row["length"]][row["set"]].append(row)
        mean = {key: {s: float(np.mean([r["accuracy"] for r in at[s]])) for s in at} for key, at in cells.items()}
        table = [
            (method, length, *(mean[method, length].get(s) for s in names), average(mean[method, length], names))
            for method, length in cells
        ]
        yield Table(
            f"{NAMES[learner]}: accuracy in percent, {n_folds} folds per set",
            ("method", "columns", *names, "mean"),
            [tuple(round(v, 1) if isinstance(v, float) else v for v in row) for row in table],
        )
        auto = cells["ECF, auto length", "auto"]
        columns = tuple(float(np.mean([r["n_columns"] for r in auto[s]])) for s in names)
        yield Table(f"{NAMES[learner]}: columns that n_columns='auto' took", tuple(names), [columns])
        yield from goals(NAMES[learner], mean, names)


def average(values: dict[str, float], names: list[str]) -> float | None:
    """Return the mean over all sets, or None if a set has no value."""
    return float(np.mean([values[s] for s in names])) if all(s in values for s in names) else None


def goals(learner: str, mean: dict[tuple[str, str], dict[str, float]], names: list[str]) -> Iterator[Goal]:
    """Yield the goals and what was measured."""
    ova = mean["one-vs-all", "k"]

    def gain(mine: tuple[str, str], other: dict[str, float]) -> dict[str, float]:
        return {s: mean[mine][s] - other[s] for s in names}

    for method in ("ECF", "ECF auto"):
        over = gain((method, "k/2"), ova)
        worst = min(over, key=over.__getitem__)
        average_gain = float(np.mean(list(over.values())))
        text = f"{average_gain:+.2f}, worst {over[worst]:+.2f} ({worst})"
        yield Goal(
            f"{learner}, {method}, k/2: mean at least one-vs-all, no set more than 0.7 below",
            text,
            average_gain >= 0 and over[worst] >= -0.7,
        )
        peers = {"dense random": 3, "dense random, linear decoding": 3, "OutputCodeClassifier": 5}
        for peer, least in peers.items():
            if (peer, "k/2") in mean:
                over = gain((method, "k/2"), mean[peer, "k/2"])
                value = float(np.mean(list(over.values())))
                yield Goal(f"{learner}, {method}, k/2: {least} above {peer}", f"{value:+.2f}", value >= least)
        value = float(np.mean(list(gain((method, "k/4"), ova).values())))
        yield Goal(f"{learner}, {method}, k/4: within 2 of one-vs-all", f"{value:+.2f}", value >= -2)
    fixed = [{-1.0: "ECF-E", 1.0: "ECF-H"}.get(a, f"ECF a={a:g}") for a in ALLOCATIONS]
    for length in ("k/2", "k/4"):
        best = {s: max(mean[name, length][s] for name in fixed) for s in names}
        over = gain(("ECF auto", length), best)
        worst = min(over, key=over.__getitem__)
        yield Goal(
            f"{learner}, {length}: auto within 0.5 of the best fixed a (chosen on the test folds), on every set",
            f"worst {over[worst]:+.2f} ({worst})",
            over[worst] >= -0.5,
        )
    over = gain(("ECF k/2, truncated", "k/4"), mean["ECF", "k/4"])
    value, worst = float(np.mean(list(over.values()))), min(over, key=over.__getitem__)
    yield Goal(
        f"{learner}: ECF k/2 truncated to k/4 within 1 of ECF k/4",
        f"{value:+.2f}, worst {over[worst]:+.2f} ({worst})",
        value >= -1,
    )


def plot(rows: list[dict[str, Any]], out: Path) -> None:
    """Plot mean accuracy against columns and support vectors, both relative to one-vs-all."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("pip install 'ecoc[plots]' for the plots.", file=sys.stderr)
        return
    shown = {
        "one-vs-all": "s",
        "one-vs-one": "D",
        "OutputCodeClassifier": "v",
        "dense random": "^",
        "Spectral": "x",
        "ECF-H": "P",
        "ECF-E": "X",
        "ECF": "o",
        "ECF auto": "*",
        "ECF, auto length": "h",
    }
    for measure, label in (("n_columns", "classifiers"), ("n_support", "unique support vectors")):
        learners = [n for n in LEARNERS if any(r["learner"] == n and r[measure] for r in rows)]
        if not learners:
            continue
        figure, axes = plt.subplots(1, len(learners), figsize=(5.2 * len(learners), 4.2), squeeze=False)
        for ax, learner in zip(axes[0], learners):
            mine = [r for r in rows if r["learner"] == learner and r[measure]]
            base = {(r["set"], r["repeat"], r["fold"]): r for r in mine if r["method"] == "one-vs-all"}
            for i, (method, marker) in enumerate(shown.items()):
                points = defaultdict(list)
                for r in mine:
                    if r["method"] == method and (own := base.get((r["set"], r["repeat"], r["fold"]))):
                        points[r["length"]].append((r[measure] / own[measure], r["accuracy"]))
                if points:
                    x, y = zip(*sorted(tuple(np.mean(p, axis=0)) for p in points.values()))
                    ax.plot(
                        x, y, marker=marker, label=method, color=plt.get_cmap("tab10")(i), linewidth=1, markersize=7
                    )
            ax.set_xscale("log", base=2)
            ax.set_xlabel(f"{label}, relative to one-vs-all")
            ax.set_ylabel("mean accuracy, %")
            ax.set_title(NAMES[learner])
            ax.grid(alpha=0.3)
        axes[0][-1].legend(fontsize=7)
        figure.tight_layout()
        figure.savefig(out / f"frontier-{measure}.png", dpi=110)
        plt.close(figure)


if __name__ == "__main__":
    main()
