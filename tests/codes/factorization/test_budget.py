from types import SimpleNamespace

import numpy as np
import pytest

from ecoc.codes.factorization import budget as module
from ecoc.codes.factorization.budget import WORK_PER_EFFORT, Budget


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    return clock


def test_work_is_counted_against_effort(clock):
    budget = Budget(effort=2, time_limit=np.inf)
    budget.spend(WORK_PER_EFFORT)
    assert not budget.exhausted
    assert budget.share == 0.5
    budget.spend(WORK_PER_EFFORT)
    assert budget.exhausted
    assert not budget.out_of_time
    assert (budget.share, budget.stopped_by) == (1, "effort")


def test_the_clock_ends_it_whatever_the_effort(clock):
    budget = Budget(effort=np.inf, time_limit=4)
    budget.spend(1e30)
    assert not budget.exhausted
    clock.now += 3
    assert budget.share == 0.75
    clock.now += 1
    assert budget.out_of_time
    assert budget.exhausted
    assert budget.stopped_by == "time"


def test_share_is_of_what_is_scarcer(clock):
    budget = Budget(effort=1, time_limit=10)
    budget.spend(0.2 * WORK_PER_EFFORT)
    clock.now += 1
    assert budget.share == pytest.approx(0.2)
    clock.now += 4
    assert budget.share == pytest.approx(0.5)
