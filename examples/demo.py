"""From data to a code book: which handwritten digits look alike, and which correction they get.

Run by ``make demo``. Data: the digits that scikit-learn ships, 1,797 images of 8 × 8 pixels.
"""

import numpy as np
from sklearn.datasets import load_digits

import ecoc

SHADES = " ·░▒▓█"


def heat_map(title: str, matrix: np.ndarray, show: str) -> None:
    """Print a matrix between the digits, shaded from its smallest to its largest off-diagonal entry."""
    off = ~np.eye(len(matrix), dtype=bool)
    low, high = matrix[off].min(), matrix[off].max()
    shade = np.clip((matrix - low) / (high - low or 1) * len(SHADES), 0, len(SHADES) - 1).astype(int)
    print(f"\n{title}\n")
    print("      " + "".join(f"{j:>9}" for j in range(len(matrix))))
    for i, row in enumerate(matrix):
        cells = (
            f"{SHADES[shade[i, j]] * 2} {value:{show}}".rjust(9) if i != j else "–".rjust(9)
            for j, value in enumerate(row)
        )
        print(f"    {i} " + "".join(cells))


def main() -> None:
    """Design, factorize, and look at what came out."""
    X, y = load_digits(return_X_y=True)
    print(f"Handwritten digits: {len(X)} images, {X.shape[1]} pixels, {len(np.unique(y))} classes.")

    distances = ecoc.class_distances(X, y)
    first, second = np.triu_indices(len(distances), 1)
    nearest = np.argsort(distances[first, second])[:4]
    pairs = (f"{first[p]}–{second[p]} ({distances[first[p], second[p]]:.1f})" for p in nearest)
    print("Nearest pairs (Mahalanobis): " + ", ".join(pairs))

    D = ecoc.nearest_correlation(ecoc.allocate(distances, "hard"))
    heat_map("Design matrix D: how alike two codewords should be. Near classes: far apart (ECF-H).", D, "5.2f")

    length = ecoc.code_length(D, min_distance=3)
    print(f"\nCode length: {length!r}")

    result = ecoc.factorize(D, length, min_distance=3, random_state=0)
    print(f"\n{result}")
    print(f"Checked from scratch: {result.verify()}.")

    book = result.codebook
    print(f"\n{book}")
    heat_map("Hamming distances between codewords.", book.distances(), "d")
    heat_map("Dichotomizers that may err before two digits are mixed up.", book.pairwise_correction("direct"), "d")

    paper = ecoc.factorize(D, length, min_distance=3, method="paper", random_state=0)
    print(f"\nThe paper's own algorithm on the same design:\n{paper}\n  {paper.verify()}")


if __name__ == "__main__":
    main()
