import hashlib
import json
import os
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from ecoc import InfeasibleError, allocate, class_distances, factorize, nearest_correlation
from ecoc.codes.factorization.factorize import factorize_problem
from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.search import fits_flip_search, is_small

# classes, columns, distance, seed, efforts
SMALL = [  # flip search and branch and bound in turn; each finds codes that the other has not found
    (12, 10, 4, 14, (0.01, 0.1, 0.13, 0.17, 0.22, 0.3)),
    (12, 10, 4, 27, (0.01, 0.1, 0.13, 0.17, 0.22, 0.3)),
    (11, 12, 6, 12, (0.01, 0.1, 0.13, 0.17, 0.22, 0.3)),
    (11, 12, 6, 13, (0.01, 0.1, 0.13, 0.17, 0.22, 0.3)),
    (12, 10, 4, 58, (0.1, 0.13, 0.17, 0.22, 0.3, 2)),
    (20, 14, 5, 0, (0.01, 0.1, 0.3, 1)),
    (7, 6, 1, 1, (0.01, 0.1, 1)),
]
FLIPS = [  # flip search alone
    (26, 21, 1, 0, (0.01, 0.03, 0.1, 0.3, 1, 2)),
    (30, 52, 5, 1, (0.01, 0.1, 0.3, 1)),
    (200, 9, 1, 2, (0.01, 0.1, 0.5)),
    (300, 16, 3, 0, (0.01, 0.1, 0.5)),
]
ROWS = [  # row descent: l > 16 and k·l > 4000
    (210, 20, 1, 0, (0.01, 0.03, 0.1, 0.3)),
    (300, 32, 6, 1, (0.01, 0.1, 0.3)),
    (1100, 14, 2, 0, (0.01, 0.2)),
]


@pytest.mark.parametrize(("k", "l", "c", "seed", "efforts"), SMALL + FLIPS + ROWS)
def test_more_effort_is_never_worse(correlation, assert_valid, k, l, c, seed, efforts):
    D = correlation(k, 4, seed)
    assert is_small(make_problem(D, l, c)) is ((k, l, c, seed, efforts) in SMALL)
    assert fits_flip_search(make_problem(D, l, c)) is ((k, l, c, seed, efforts) not in ROWS)
    results = [factorize(D, l, min_distance=c, random_state=seed, effort=effort) for effort in efforts]
    objectives = [result.objective for result in results]
    assert (np.diff(objectives) <= 1e-6).all()
    for result in results:
        assert result.verify()
        assert (np.diff(result.history) <= 1e-6).all()
        assert result.history[-1] == pytest.approx(result.objective)
    assert_valid(results[0].code, l, c)


def test_effort_pays(correlation):
    for D, l in ((correlation(26, 5), 21), (correlation(210, 5), 20)):
        little, much = (factorize(D, l, random_state=0, effort=effort) for effort in (0.01, 0.5))
        assert much.objective < little.objective
        assert little.stopped_by == much.stopped_by == "effort"
        assert much.n_cycles == len(much.history) - 1 > little.n_cycles


INSTANCES = [(9, 6, 2), (12, 12, 6), (26, 21, 1), (210, 20, 2), (1100, 14, 1)]


def codes(correlation, seed=3):
    return [
        factorize(correlation(k, 5), l, min_distance=c, random_state=seed, effort=0.1).code.tobytes()
        for k, l, c in INSTANCES
    ]


def test_the_same_seed_gives_the_same_code_and_another_another(correlation):
    first = codes(correlation)
    assert first == codes(correlation)
    assert sum(a != b for a, b in zip(first, codes(correlation, seed=4))) >= 3


@pytest.mark.parametrize(
    "make", [np.random.default_rng, np.random.RandomState, lambda seed: seed], ids=["Generator", "RandomState", "int"]
)
def test_every_kind_of_random_state(correlation, make):
    D = correlation(26, 5)
    first, second, other = (factorize(D, 12, random_state=make(s), effort=0.01).code for s in (5, 5, 6))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_a_generator_is_advanced(correlation):
    rng = np.random.default_rng(0)
    first, second = (factorize(correlation(26, 5), 12, random_state=rng, effort=0.01).code for _ in range(2))
    assert (first != second).any()


def end_to_end():
    """From data to code, with matrices large enough for BLAS to use its threads."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(220), 4)
    X = rng.normal(size=(220, 150))[y] + rng.normal(size=(len(y), 150))
    D = nearest_correlation(allocate(class_distances(X, y), "hard"))
    F = X[::4]
    found = [D.tobytes(), factorize(D, 20, random_state=0, effort=0.05).code.tobytes()]
    found += [factorize(D[:30, :30], 12, random_state=0, effort=0.1).code.tobytes()]
    found += [factorize(F, 24, min_distance=2, random_state=0, effort=0.05).code.tobytes()]
    found += [factorize(D[:60, :60], 7, method="paper", random_state=0, max_cycles=5).code.tobytes()]
    return [hashlib.sha256(item).hexdigest() for item in found]


def test_results_do_not_depend_on_the_number_of_blas_threads():
    with threadpool_limits(1):
        single = end_to_end()
    with threadpool_limits(2):
        double = end_to_end()
    assert single == double


def test_results_do_not_depend_on_the_process():
    import inspect

    program = "\n".join(
        [
            "import hashlib, json",
            "import numpy as np",
            "from ecoc import allocate, class_distances, factorize, nearest_correlation",
            inspect.getsource(end_to_end),
            "print(json.dumps(end_to_end()))",
        ]
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == end_to_end()


@pytest.mark.parametrize("l", [7, 10, 16, 20])
def test_planted_codes_are_recovered(planted, l):
    for seed in range(4):
        X = planted(100, l, seed)
        result = factorize(X @ X.T / l, l, random_state=seed)
        assert result.objective == pytest.approx(0, abs=1e-8)
        assert result.stopped_by == "optimal"
        assert result.optimal
        assert result.verify()


@pytest.mark.parametrize("k", [3, 4, 5])
def test_nearly_all_columns(correlation, assert_valid, k):
    most = 2 ** (k - 1) - 1
    D = correlation(k, 2)
    for l in range(max(2, most - 3), most + 1):
        result = factorize(D, l, random_state=0, effort=0.2)
        assert result.verify()
        assert_valid(result.code, l)
    # with all columns, the code is unique up to order and signs, and XXᵀ = 2^(k−1)·I − 11ᵀ
    gram = 2.0 ** (k - 1) * np.eye(k) - 1
    assert result.objective == pytest.approx(((most * D - gram) ** 2).sum())


def test_a_crowd_of_classes_is_still_improved():
    """Thousands of classes in four dimensions: if distances were ignored, most codewords would be equal."""
    F = np.random.default_rng(0).normal(size=(3000, 4))
    result = factorize(F, 16, random_state=0, effort=0.01)
    assert result.verify()
    assert result.objective < 0.4 * result.history[0]


def test_time_ends_a_search(correlation):
    for k, l in ((26, 21), (300, 20)):
        result = factorize(correlation(k, 5), l, random_state=0, time_limit=0.1)
        assert result.stopped_by == "time"
        assert result.verify()


@pytest.mark.parametrize(("l", "most"), [(300, None), (40, 5), (40, 40)])
def test_time_ends_what_is_done_with_many_classes(monkeypatch, l, most):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(2000, 8))
    demands = 3 if most is None else rng.integers(1, most, size=(2000, 2000))
    problem = make_problem(F, l, demands if most is None else np.maximum(demands, demands.T))
    factorize(np.eye(4), 3, effort=0.01)  # so that compilation is not counted
    monkeypatch.setattr(
        "ecoc.codes.factorization.budget.time.perf_counter", time.process_time
    )  # other programs take time
    start = time.process_time()
    with suppress(InfeasibleError):
        factorize_problem(problem, random_state=0, time_limit=0.1)
    assert time.process_time() - start < 1  # without the limit, minutes; the exact time is a benchmark's business


def test_effort_and_time_whichever_ends_first(correlation):
    result = factorize(correlation(26, 5), 21, random_state=0, effort=0.01, time_limit=600)
    assert result.stopped_by == "effort"
    result = factorize(correlation(26, 5), 21, random_state=0, effort=1e9, time_limit=0.05)
    assert result.stopped_by == "time"


def test_a_proof_of_optimality_ends_it_early(correlation):
    result = factorize(correlation(7, 3), 5, random_state=0, effort=1e6)
    assert (result.stopped_by, result.proven) == ("optimal", True)
