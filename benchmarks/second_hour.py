"""Are the promises of `ecoc compare` kept at full size, is its recommendation the best, and does it take long?"""

from benchmarks._promises import promises, times
from benchmarks._report import Results

ON_REQUEST = True


def run(quick: bool) -> Results:
    """Measure promises and recommendations, then times."""
    yield from promises(quick)
    yield from times(quick)
