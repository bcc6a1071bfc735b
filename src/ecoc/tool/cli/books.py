"""Print a code book: its rows, its distances, and the number of errors it corrects."""

from typing import Any

from ecoc.tool.cli.printing import show_table
from ecoc.tool.cli.saying import say

_MOST_DISTANCES = 16  # classes whose distances are shown as a matrix
_MOST_PAIRS = 1000  # classes whose nearest pairs are looked for


def show_book(book: Any) -> None:
    """Print a code book, its distances and what it corrects."""
    say(book)
    labels = [str(label) for label in book.labels.tolist()]
    distances = book.distances()
    if len(labels) <= _MOST_DISTANCES:
        say("\nColumns that separate two classes:")
        show_table(["", *labels], ([label, *map(str, row)] for label, row in zip(labels, distances.tolist())))
    corrected = book.pairwise_correction("direct")
    say(f"Wrong classifiers that are corrected: {book.correction} for any pair, {corrected.max()} for the farthest.")
    if len(labels) < _MOST_PAIRS:
        pairs = ((int(distances[i, j]), labels[i], labels[j]) for i in range(len(labels)) for j in range(i))
        say("Nearest pairs: " + ", ".join(f"{b} | {a} ({h})" for h, a, b in sorted(pairs)[:5]))


def book_as_dict(book: Any) -> dict[str, Any]:
    """Return a code book for JSON."""
    return {
        "classes": book.labels.tolist(),
        "n_columns": book.n_columns,
        "min_distance": book.min_distance,
        "correction": book.correction,
        "matrix": book.matrix.tolist(),
        "distances": book.distances().tolist(),
        "pairwise_correction": book.pairwise_correction("direct").tolist(),
    }
