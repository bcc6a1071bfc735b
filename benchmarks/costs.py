"""What do decisions by cost save? Random costs, the most confused pair, and "don't know", beside calibrated peers."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed

from benchmarks._datasets import available
from benchmarks._models import LEARNERS, MODELS, SETS, probabilities
from benchmarks._report import Goal, Results, Table
from ecoc.decoding.costs import least_expected_cost

ON_REQUEST = True
MATRICES = 20


def run(quick: bool) -> Results:
    """Fit each model on two splits, then decide by costs on the same probabilities."""
    names = list(available(SETS))[: 1 if quick else None]
    cases = [(name, learner) for name in names for learner in list(LEARNERS)[: 1 if quick else None]]
    jobs = (delayed(probabilities)(*case, model, 1 if quick else 2) for case in cases for model in MODELS)
    flat = Parallel(n_jobs=1 if quick else 2)(jobs)
    found = {case: dict(zip(MODELS, flat[3 * i : 3 * i + 3])) for i, case in enumerate(cases)}
    yield from random_costs(found)
    yield from worst_pair(found)
    yield from abstention(found)


def cost_matrices(k: int) -> list[Any]:
    """Draw costs from 1 to 10, of which one in twenty is 50."""
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(MATRICES):
        costs = rng.uniform(1, 10, (k, k))
        costs[rng.random((k, k)) < 0.05] = 50
        np.fill_diagonal(costs, 0)
        drawn.append(costs)
    return drawn


def total(splits: list[Any], costs: Any, decide: bool) -> float:
    """Return what the decisions cost, by cost or by the largest probability."""
    chosen = [least_expected_cost(p, costs) if decide else p.argmax(axis=1) for p, _ in splits]
    return float(sum(costs[y, c].sum() for (_, y), c in zip(splits, chosen)))


def random_costs(found: dict[Any, Any]) -> Results:
    rows, saved, against = [], [], []
    for (name, learner), models in found.items():
        matrices = cost_matrices(models["ours"][0][0].shape[1])
        argmax = np.mean([total(models["ours"], costs, False) for costs in matrices])
        by_cost = {
            model: np.mean([total(splits, costs, True) for costs in matrices]) for model, splits in models.items()
        }
        best = min(MODELS[1:], key=lambda model: by_cost[model])
        saved.append(1 - by_cost["ours"] / argmax)
        against.append(by_cost["ours"] / by_cost[best] - 1)
        rows.append((name, learner, argmax, *(by_cost[model] for model in MODELS), 100 * saved[-1], 100 * against[-1]))
    columns = ("data", "learner", "ours, argmax", *(f"{m}, by cost" for m in MODELS), "saved, %", "against best, %")
    yield Table(f"mean cost over {MATRICES} random matrices", columns, rows)
    yield Goal("cost ≥ 15 % below argmax", f"{100 * np.mean(saved):.1f} % on average", float(np.mean(saved)) >= 0.15)
    share = f"{100 * np.mean(against):+.1f} % on average, median {100 * np.median(against):+.1f}"
    yield Goal("cost not above the best peer re-decided", share, float(np.mean(against)) <= 0)


def worst_pair(found: dict[Any, Any]) -> Results:
    rows: list[tuple[Any, ...]] = []
    for (name, learner), models in found.items():
        splits = models["ours"]
        k = splits[0][0].shape[1]
        plain = confusions(splits, [p.argmax(axis=1) for p, _ in splits], k)
        both = plain + plain.T
        np.fill_diagonal(both, 0)
        a, b = np.unravel_index(both.argmax(), both.shape)
        for cost in (2, 5):
            costs = 1.0 - np.eye(k)
            costs[[a, b], [b, a]] = cost
            after = confusions(splits, [least_expected_cost(p, costs) for p, _ in splits], k)
            n = plain.sum()
            lost = 100 * (np.trace(plain) - np.trace(after)) / n
            rows.append((name, learner, cost, int(both[a, b]), int(after[a, b] + after[b, a]), lost))
    yield Table("the most confused pair", ("data", "learner", "cost", "before", "after", "accuracy lost"), rows)
    for cost in (2, 5):
        chosen = [row for row in rows if row[2] == cost]
        left = sum(row[4] for row in chosen) / max(1, sum(row[3] for row in chosen))
        lost = float(np.mean([row[5] for row in chosen]))
        text = f"{100 * left:.0f} % of the confusions left, {lost:.2f} points lost"
        yield Goal(f"cost {cost}: confusions halved for ≤ 1 point", text, left <= 0.5 and lost <= 1)


def confusions(splits: list[Any], chosen: list[Any], k: int) -> Any:
    """Count how often each class is taken for each class."""
    table = np.zeros((k, k))
    for (_, y), c in zip(splits, chosen):
        np.add.at(table, (y, c), 1)
    return table


def abstention(found: dict[Any, Any], coverage: float = 0.9) -> Results:
    rows = []
    for (name, learner), models in found.items():
        accuracies = []
        for model in MODELS:
            right, n = 0, 0
            for p, y in models[model]:
                sure = np.argsort(-p.max(axis=1), kind="stable")[: round(coverage * len(y))]
                right, n = right + int((p[sure].argmax(axis=1) == y[sure]).sum()), n + len(sure)
            accuracies.append(100 * right / n)
        rows.append((name, learner, *accuracies))
    yield Table("accuracy of the answers if 90 % are answered", ("data", "learner", *MODELS), rows)
    gain = float(np.mean([row[2] - row[3] for row in rows]))
    yield Goal("above calibrated one-vs-rest at 90 % coverage", f"{gain:+.2f} points on average", gain > 0)
