"""When is it enough? Work counted the same on every machine, and a clock for those who cannot wait."""

import time

WORK_PER_EFFORT = 5e8  # table entries touched at effort 1: a third of a second or so


class Budget:
    """A limit on work, which is reproducible, and one on time, which is not.

    Parameters
    ----------
    effort : float
        Allowed work, in units of about a third of a second on a slow core; may be infinite.
    time_limit : float
        Allowed seconds from now; may be infinite.
    """

    def __init__(self, effort: float, time_limit: float) -> None:
        self.allowed = effort * WORK_PER_EFFORT
        self.spent = 0.0
        self._time_limit = time_limit
        self._start = time.perf_counter()

    def spend(self, work: float) -> None:
        """Count work done."""
        self.spent += work

    @property
    def out_of_time(self) -> bool:
        """Whether the clock has run out."""
        return time.perf_counter() - self._start >= self._time_limit

    @property
    def exhausted(self) -> bool:
        """Whether to stop."""
        return self.spent >= self.allowed or self.out_of_time

    @property
    def share(self) -> float:
        """How much of the budget is gone, by work or by time, whichever is scarcer."""
        return max(self.spent / self.allowed, (time.perf_counter() - self._start) / self._time_limit)

    @property
    def stopped_by(self) -> str:
        """Which limit it was."""
        return "effort" if self.spent >= self.allowed else "time"
