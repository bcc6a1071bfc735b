"""Limit a search to a given amount of work, which is reproducible, or to a given time."""

import time

WORK_PER_EFFORT = 5e8  # table entries touched at effort 1: about a third of a second


class Budget:
    """A limit on work and a limit on time.

    Parameters
    ----------
    effort : float
        Allowed work, in units of WORK_PER_EFFORT; may be infinite.
    time_limit : float
        Allowed seconds from now; may be infinite.
    """

    def __init__(self, effort: float, time_limit: float) -> None:
        self.allowed = effort * WORK_PER_EFFORT
        self.spent = 0.0
        self._time_limit = time_limit
        self._start = time.perf_counter()

    @property
    def effort(self) -> float:
        """The allowed effort."""
        return self.allowed / WORK_PER_EFFORT

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit."""
        return max(0.0, self._time_limit - (time.perf_counter() - self._start))

    def spend(self, work: float) -> None:
        """Add to the work done."""
        self.spent += work

    def part(self, effort: float) -> "Budget":
        """Return a budget for a part of the work: at most what is left of this one, and within its time."""
        left = max(0.0, self.allowed - self.spent) / WORK_PER_EFFORT
        return Budget(min(effort, left), self.seconds_left)

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit is reached."""
        return time.perf_counter() - self._start >= self._time_limit

    @property
    def exhausted(self) -> bool:
        """Whether either limit is reached."""
        return self.spent >= self.allowed or self.out_of_time

    @property
    def share(self) -> float:
        """Share of the budget that is used: of the work or of the time, whichever is larger."""
        work = self.spent / self.allowed if self.allowed else 1.0
        passed = time.perf_counter() - self._start
        return max(work, passed / self._time_limit if self._time_limit else 1.0)

    @property
    def stopped_by(self) -> str:
        """The limit that was reached: "effort" or "time"."""
        return "effort" if self.spent >= self.allowed else "time"
