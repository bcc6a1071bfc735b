"""Limits of a factorization: work, which is reproducible, time, and the tuned numbers of its searches."""

import time
from collections.abc import Callable
from dataclasses import dataclass

WORK_PER_EFFORT = 5e8  # table entries touched at effort 1: about a third of a second


@dataclass(frozen=True)
class Limits:
    """Numbers that were chosen by measurement, and bounds on memory and time; a comment says which."""

    # factorize.py
    # Effort of the flip search before branch and bound starts. Half and double give the same codes and proofs on
    # the designs of benchmarks/reference.py and on random designs of 7 to 20 classes, except one (12 × 10: −0.7 % with
    # half).
    effort_before_proof: float = 0.05
    # Share of the columns that row descent replaces between two descents, at least one column. Half changes the
    # objective by less than 0.5 %. Double is worse: +3 to +4 % for leaves with 50 columns, up to +1 % for 210 to 3000
    # random classes.
    replaced_share: float = 1 / 32

    # constructions.py
    most_constructed: int = 256  # the largest codes that are built
    n_arrangements: int = 8  # arrangements of each combination that are tried
    spare_columns: int = 4  # columns that may be left out of a known code
    most_bits: int = 7  # of the messages of a linear code whose columns are searched
    # Random starts, and exchanges of columns from each. Of 42 best known codes of 5 to 7 bits, one was missed in one of
    # three trials. With half the starts, four were; with half the starts and half the exchanges, six; with half the
    # starts and double the exchanges, three.
    n_starts: int = 16
    n_exchanges: int = 40

    # search.py, row descent
    chunk: float = 2e7  # work between two checks of the clock, about 10 ms; for all searches
    product_rows: int = 256  # rows of D X or FᵀX that are computed between two checks of the clock
    # Pairs of codewords that are compared between two checks of the clock; more if many are too close
    chunk_pairs: int = 2**20
    # A descent ends when a sweep over all rows lowers the objective by less than this share. Half and double change the
    # objective by −1 to +1 % and by −1 to +2 % (leaves with 50 columns, random designs of rank 4 to 10 with 210 to 3000
    # classes, effort 0.3 and 1).
    small_gain: float = 1e-3

    # search.py, branch and bound
    # Limits of the tables, which have k²·2^l entries of 8 bytes: 52 MB at most. At effort 1, random designs of
    # rank 4 are proven optimal up to 10 classes and 10 columns. Half of the columns loses the proofs from 8 × 8 on;
    # double does not fit into memory. Half of the classes loses no proof and changes the objective of 11 to 20 classes
    # by −2 to +3 %. Double proves no design of 24 to 40 classes and changes the objective by −1 to +2 %.
    most_proven_columns: int = 14
    most_proven_classes: int = 20

    # feasibility.py
    # Measured on 15 codes that exist, such as 20 codewords of length 9 with distance 4, and on 13 cases without a code.
    # At most, to find a valid code. Half misses one of the 15 codes; double takes twice the time to fail
    start_effort: float = 4.0
    # Of that effort, for the flip search before other methods. Half and double find the same codes
    first_effort: float = 0.2
    # Times the user's effort, for all that is done to find a valid code or to say which length has one
    start_limit: float = 6.0
    # With few classes, an integer program finds a code at any effort. For 6 and 7 classes it took 4 ms, at most 0.07 s,
    # on 700 problems; for 8 classes up to 0.1 s on 150, for 9 classes 0.7 s on 60. The flip search before it has this
    # effort, about 1 ms.
    few_classes: int = 7
    first_effort_of_few: float = 0.004
    late_work: float = 2e5  # work of a search that begins after the time limit, about 0.1 ms
    # Effort for each length that an error message may recommend, and the number of these lengths. If no code is found,
    # the message relies on the bounds. Half and double give the same advice in all 13 cases, a length of 1 to 3 columns
    # more.
    effort_for_advice: float = 0.2
    most_advised_lengths: int = 24
    most_parity_bits: int = 20  # of a linear code: its table has 2^20 entries
    most_table_work: int = 2**30  # entries that are updated to build a linear code, some seconds
    free_table_work: int = 2**22  # the same, but whatever the effort: some milliseconds
    # Classes for which a code is computed from its inner products, and the share of the effort for that. Demands copied
    # from random codes of 32 × 32 take an effort of 0.015, 36 × 36 of 0.1, 40 × 40 of 0.4; each column doubles it at
    # most.
    most_product_classes: int = 128
    product_share: float = 1 / 4
    most_numbered_classes: int = 16  # classes whose columns are few enough to be drawn by number

    # constructions.py, inner products
    # Times the number of columns: columns that are listed. Most codes have no other columns than their own
    listed_per_column: int = 4
    n_orders: int = 16  # orders in which columns are chosen among more of them
    dependent: float = 1e-7  # pivot of a row that depends on earlier rows, and share of an eigenvalue that is zero

    # result.py
    most_eigenvalues: int = 4096  # the eigenvalues of a matrix of this size take half a minute
    most_squared: int = 1024  # with more, FFᵀ is not formed for a design that is given as a factor F

    # search.py, flips
    # Row descent is used for k·l above this. Effect of half and double on the objective after 1 to 1.5 seconds:
    # leaves (100 classes, 22 to 75 columns) 0 to +2 % and −5 to −2 %; random designs of rank 6 (60 to 500 classes) −5
    # to 0 % and 0 to +9 %.
    most_flip_entries: int = 4000
    # Codes with this many columns or fewer use the flip search even if k·l is larger, in case most codewords are in
    # use. On random designs of rank 6 and 8 after 1 to 1.5 seconds, half is better (500 to 1000 classes with 10 to 16
    # columns: −5 to −84 %), except if nearly all codewords are in use (500 classes with 9 columns: +15 %). Double is
    # worse for 17 to 32 columns (300 to 500 classes: +6 to +8 %).
    short_code: int = 16
    # A round ends after this many times k·l steps without improvement. On the designs of benchmarks/reference.py (see
    # _search_kernels), the mean is 0.969 with half and with double, and the worst 1.06 with half and 1.04 with double.
    patience: int = 2
    most_flip_classes: int = 1024  # limits the k × k tables to 8 MB each


LIMITS = Limits()


class Budget:
    """A limit on work, in units of WORK_PER_EFFORT, and on seconds from now; both may be infinite.

    If `stop` returns True, the time is over.
    """

    def __init__(
        self, effort: float, time_limit: float, limits: Limits = LIMITS, stop: Callable[[], bool] | None = None
    ) -> None:
        self.limits = limits
        self.stop = stop
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
        return Budget(min(effort, left), self.seconds_left, self.limits, self.stop)

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit is reached, or the search is to stop."""
        return time.perf_counter() - self._start >= self._time_limit or (self.stop is not None and self.stop())

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
