"""Can a design of a hundred thousand classes be factorized? From a factor, without a k × k matrix."""

from benchmarks import scale
from benchmarks._report import Goal, Results, Table

ON_REQUEST = True


def run(quick: bool) -> Results:
    """Factorize k = 100,000, l = 128."""
    measured = scale.measure(2000 if quick else 100_000, 128, True)
    yield Table("A very large problem (default effort)", scale.COLUMNS, [scale.row(measured)])
    yield Goal("every pair of codewords differs", f"minimum distance {measured['min_distance']}", measured["valid"])
