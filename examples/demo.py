"""From data to a code book to a classifier: which handwritten digits look alike, and what correction buys.

Run by ``make demo``. Data: the digits that scikit-learn ships, 1,797 images of 8 × 8 pixels.
"""

import time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

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
        cells = (f"{SHADES[shade[i, j]] * 2} {v:{show}}" if i != j else "–" for j, v in enumerate(row))
        print(f"    {i} " + "".join(cell.rjust(9) for cell in cells))


def design(X: np.ndarray, y: np.ndarray) -> None:
    """Design a code, factorize, and look at what came out."""
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
    print(f"\n{result}\nChecked from scratch: {result.verify()}.")

    book = result.codebook
    print(f"\n{book}")
    heat_map("Hamming distances between codewords.", book.distances(), "d")
    heat_map("Dichotomizers that may err before two digits are mixed up.", book.pairwise_correction("direct"), "d")

    paper = ecoc.factorize(D, length, min_distance=3, method="paper", random_state=0)
    print(f"\nThe paper's own algorithm on the same design:\n{paper}\n  {paper.verify()}")


def classify(X: np.ndarray, y: np.ndarray) -> None:
    """Train the same support vector machine under several codings."""
    train, test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)
    codings = {
        "ECF balanced, half as many": ecoc.ECF(n_columns=0.5),
        "ECF balanced": ecoc.ECF(),
        "one-vs-all": ecoc.OneVsAll(),
        "one-vs-one": ecoc.OneVsOne(),
        "dense random": ecoc.DenseRandom(),
    }
    print(f"\nSVC(C=10) on {len(train)} digits, tested on {len(test)}; discriminant decoding.\n")
    print(f"  {'coding':<28}{'classifiers':>12}{'support vectors':>17}{'accuracy':>10}{'seconds':>9}")
    for name, coding in codings.items():
        start = time.perf_counter()
        model = ecoc.ECOCClassifier(SVC(C=10), coding=coding, decoding="discriminant", random_state=0)
        model.fit(train, y_train)
        seconds = time.perf_counter() - start
        print(
            f"  {name:<28}{model.n_columns_:>12}{model.n_support_:>17}{model.score(test, y_test):>10.2%}{seconds:>9.2f}"
        )
    print("\nSupport vectors are counted once each, however many dichotomizers share them.")


def main() -> None:
    """Run both halves."""
    X, y = load_digits(return_X_y=True)
    print(f"Handwritten digits: {len(X)} images, {X.shape[1]} pixels, {len(np.unique(y))} classes.")
    design(X, y)
    classify(X, y)


if __name__ == "__main__":
    main()
