"""When does a search stop? After a given amount of work, which is reproducible, or after a given time."""

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

    def spend(self, work: float) -> None:
        """Add to the work done."""
        self.spent += work

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
        return max(self.spent / self.allowed, (time.perf_counter() - self._start) / self._time_limit)

    @property
    def stopped_by(self) -> str:
        """The limit that was reached: "effort" or "time"."""
        return "effort" if self.spent >= self.allowed else "time"
