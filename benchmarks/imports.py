"""How long does the start take? Importing ecoc beside scikit-learn, and compiled kernels with and without a cache."""

import tempfile
from statistics import median

from benchmarks._measure import in_turn, run_python
from benchmarks._report import Goal, Results, Table

_IMPORTS = {
    "import sklearn.multiclass": "import sklearn.multiclass",
    "import ecoc": "import ecoc",
    "from ecoc import CodeBook, factorize": "from ecoc import CodeBook, factorize",
}
_FACTORIZE = "import numpy, ecoc; ecoc.factorize(numpy.eye(4), 3, random_state=0)"
_TIMED = "import sys, time; start = time.perf_counter(); exec(sys.argv[1]); print(time.perf_counter() - start)"


def run(quick: bool) -> Results:
    """Time the statements in new processes, in turn."""
    repeats = 3 if quick else 7
    run_python(_TIMED, "; ".join(_IMPORTS.values()))  # so that all files are in the disk cache
    seconds = in_turn({name: lambda source=source: _seconds(source) for name, source in _IMPORTS.items()}, repeats)
    base = median(seconds["import sklearn.multiclass"])
    rows = [(name, min(taken), median(taken), median(taken) / base) for name, taken in seconds.items()]
    yield Table(f"Imports, {repeats} new processes each", ("statement", "best s", "median s", "ratio"), rows)
    ratio = median(seconds["import ecoc"]) / base
    yield Goal("import ecoc: ≤ 1.2 × import sklearn.multiclass", f"{ratio:.3f} ×", ratio <= 1.2)

    compiled, cached = [], []
    for _ in range(1 if quick else 3):
        with tempfile.TemporaryDirectory() as folder:
            compiled.append(_seconds(_FACTORIZE, NUMBA_CACHE_DIR=folder))
            cached.append(_seconds(_FACTORIZE, NUMBA_CACHE_DIR=folder))
    rows = [(name, min(t), median(t)) for name, t in (("first (compiles)", compiled), ("second (cached)", cached))]
    yield Table(
        "A small factorization with its import, starting with an empty cache folder",
        ("process", "best s", "median s"),
        rows,
    )
    faster = median(compiled) / median(cached)
    # loading compiled code must be much faster than compiling
    yield Goal("the second process does not compile again", f"{faster:.1f} × as fast", faster > 3)


def _seconds(source: str, **environment: str) -> float:
    return float(run_python(_TIMED, source, **environment))
