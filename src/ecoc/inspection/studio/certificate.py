"""Turn a state into a code and its certificate: design, factorization, bounds, and the result of each wish."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ecoc.codes.design.allocation import WISHES, allocate, apply_wishes
from ecoc.codes.design.bounds import Demands, shortest_length
from ecoc.codes.design.length import FEW, length_of_many, projected_length
from ecoc.codes.design.projection import project_checked
from ecoc.codes.factorization import Factorization
from ecoc.codes.factorization.factorize import factorize_problem
from ecoc.codes.factorization.problem import Problem
from ecoc.inspection.studio.state import Pair, State
from ecoc.inspection.studio.subject import Subject
from ecoc.utils.exceptions import InfeasibleError

Matrix = NDArray[np.float64]
Code = NDArray[np.int8]
SIGNS = "-0+"


@dataclass(frozen=True)
class Search:
    """Limits of the search: effort, which is reproducible, seconds, and projections that find ignored entries."""

    effort: float
    seconds: float
    fills: int = 100


DRAFT = Search(effort=0.05, seconds=1.0, fills=3)  # the answer while the user still drags
FINAL = Search(effort=1.0, seconds=20.0)


def make_design(
    subject: Subject, state: State, fills: int = FINAL.fills, stop: Callable[[], bool] = bool
) -> tuple[Matrix, Matrix]:
    """Return the requested design, and the nearest one that codewords can match."""
    asked = apply_wishes(
        allocate(subject.distances, state.allocation), range(len(subject.labels)), state.wishes, fills, stop
    )
    return asked, project_checked(asked).matrix


def make_problem(
    subject: Subject, state: State, fills: int = FINAL.fills, stop: Callable[[], bool] = bool
) -> tuple[Problem, Matrix]:
    """Return the factorization problem of a state, and the requested design."""
    asked, design = make_design(subject, state, fills, stop)
    k = len(design)
    demands = state.distances(k)
    length = state.n_columns
    if length is None and subject.codebook is not None:
        length = subject.codebook.n_columns
    if length is None and k <= FEW:
        length = int(projected_length(project_checked(asked), demands))
    if length is None:
        length = max(length_of_many(k), shortest_length(k, demands)[0])
    return Problem(design=np.ascontiguousarray(design), n_columns=length, demands=demands), asked


def certify(
    subject: Subject,
    state: State,
    search: Search = FINAL,
    reference: Code | None = None,
    stop: Callable[[], bool] = bool,
) -> dict[str, Any]:
    """Make the code of a state and return it with its certificate, for JSON.

    If no code meets the state, return the reason and the nearest length that works. With a `reference`, order and signs
    of the columns agree with it as well as possible.
    """
    start = time.perf_counter()
    problem, asked = make_problem(subject, state, search.fills, stop)
    told: dict[str, Any] = {"asked": _packed(asked), "design": _packed(problem.design), "n_columns": problem.n_columns}
    options: dict[str, Any] = {
        "random_state": 0,
        "effort": search.effort,
        "time_limit": search.seconds,
        "progress": False,
    }
    try:
        found = factorize_problem(problem, stop=stop, **options)
    except InfeasibleError as error:
        told |= {"error": str(error), "bound": error.bound, "nearest_length": error.nearest_length}
        return told | {"proven": error.proven, "seconds": time.perf_counter() - start}
    code = found.code if reference is None else aligned(found.code, reference)
    return (
        told
        | _certificate(found)
        | {"code": words(code), "wishes": _wishes(found, asked, state)}
        | {
            "effort": search.effort,
            "seconds": time.perf_counter() - start,
        }
    )


def _certificate(found: Factorization) -> dict[str, Any]:
    checked = found.verify()
    return {
        "valid": bool(checked),
        "problems": list(checked.problems),
        "objective": found.objective,
        "lower_bound": found.lower_bound,
        "bound_from": found.bound_from,
        "relative_error": found.relative_error,
        "optimal": found.optimal,
        "reproducible": found.stopped_by != "time",
        "min_distance": checked.min_distance,
        "correction": (checked.min_distance - 1) // 2,
    }


def _wishes(found: Factorization, asked: Matrix, state: State) -> list[list[Any]]:
    """Return for each wish the pair, the columns asked for and given, whether it is met, and why not."""
    l, design = found.n_columns, found.problem.design
    assert design is not None
    rows = []
    for (i, j), (wanted, wish) in asked_columns(state, l).items():
        given = int(np.count_nonzero(found.code[i] != found.code[j]))
        met = (given - 1) // 2 >= (wanted - 1) // 2 if wish == "apart" or isinstance(wish, int) else given >= wanted
        if isinstance(wish, float):  # a similarity is met by the nearest distance
            met = abs(given - wanted) <= 1
        why = "" if met else _why(asked[i, j], design[i, j], wanted, given, _all_apart(state, i, j))
        rows.append([i, j, wish, wanted, given, met, why])
    return rows


def _why(asked: float, possible: float, wanted: int, given: int, together: list[int]) -> str:
    differs = 0.02  # of similarities that a code of usual length tells apart
    if abs(possible - asked) > differs:
        others = f", because {len(together)} classes cannot all be apart from each other" if len(together) > 2 else ""
        return f"codewords can reach a similarity of {possible:.2f} here, not {asked:.2f}{others}"
    if given < wanted:
        return f"the code balances all pairs; ask for at least {wanted} columns to force it"
    return "the code balances all pairs and comes no closer with this number of columns"


def _all_apart(state: State, i: int, j: int) -> list[int]:
    """Return classes, i and j among them, that should all be apart from each other."""
    apart = {pair for pair, wish in state.wishes.items() if wish == "apart" or wish == -1}
    members = [i, j]
    for c in sorted({c for pair in apart for c in pair} - {i, j}):
        if all((min(c, m), max(c, m)) in apart for m in members):
            members.append(c)
    return members


def asked_columns(state: State, n_columns: int) -> dict[Pair, tuple[int, Any]]:
    """Return how many columns each wish asks for between two codewords, and the wish; a number of columns first."""
    found: dict[Pair, tuple[int, Any]] = {}
    for pair, wish in state.wishes.items():
        similarity = WISHES[wish] if isinstance(wish, str) else float(wish)
        if wish != "ignore":
            found[pair] = (int(np.floor(n_columns * (1 - similarity) / 2 + 0.5)), wish)
    for pair, n in state.demands.items():
        found[pair] = (n, n)
    return found


def nearest_length(subject: Subject, state: State, n_columns: int, stop: Callable[[], bool] = bool) -> dict[str, Any]:
    """Find the nearest number of columns that gives every wish the columns that it now asks for."""
    problem, _ = make_problem(subject, replace(state, n_columns=n_columns))
    wanted: Demands = np.full((problem.n_classes, problem.n_classes), state.min_distance, dtype=np.int64)
    for (i, j), (n, _) in asked_columns(state, n_columns).items():
        wanted[i, j] = wanted[j, i] = max(n, state.min_distance)
    np.fill_diagonal(wanted, 0)
    forced = replace(problem, demands=wanted)
    try:
        factorize_problem(forced, random_state=0, effort=DRAFT.effort, time_limit=2.0, progress=False, stop=stop)
    except InfeasibleError as error:
        return {"length": error.nearest_length, "why": error.bound}
    return {"length": n_columns, "why": ""}


def aligned(code: Code, reference: Code) -> Code:
    """Order the columns of a code, and choose their signs, so that they agree with a reference in most entries."""
    if reference.shape[0] != code.shape[0] or not reference.size:
        return code
    overlap = reference.T.astype(np.int64) @ code
    at, chosen = linear_sum_assignment(-np.abs(overlap))
    signs = np.where(overlap[at, chosen] < 0, -1, 1).astype(np.int8)
    others = np.setdiff1d(np.arange(code.shape[1]), chosen)
    return np.hstack([code[:, chosen] * signs, code[:, others]])


def words(code: Code) -> list[str]:
    """Return a text of signs for each codeword."""
    return ["".join(SIGNS[side + 1] for side in row) for row in code.tolist()]


def from_words(texts: Any, n_classes: int) -> Code | None:
    """Return the code from such texts; None if they are invalid."""
    is_code = isinstance(texts, list) and len(texts) == n_classes and all(isinstance(text, str) for text in texts)
    if not is_code or len({len(text) for text in texts}) != 1 or set("".join(texts)) - set(SIGNS):
        return None
    return np.array([[SIGNS.index(sign) - 1 for sign in text] for text in texts], dtype=np.int8)


def _packed(matrix: Matrix | None) -> list[int]:
    """Return the upper triangle in thousandths."""
    assert matrix is not None
    flat: list[int] = np.round(1000 * matrix[np.triu_indices(len(matrix), 1)]).astype(int).tolist()
    return flat
