"""Draw the picture of the front page from its results: ``python docs/figures/readme/gain.py``, from the root."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from benchmarks._results import load

WAYS = {"itself": "#b8bec9", "one-vs-rest": "#7f8ca3", "code": "#1f6fb2"}
SHOWN = ("decision tree", "RBF SVC", "XGBoost, 20 rounds")


def main() -> None:
    """Draw three groups of bars with their figures."""
    table = load("front_page")["tables"]["accuracy and CPU seconds"]
    rows = {row[0]: dict(zip(table["columns"], row)) for row in table["rows"]}
    figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
    for i, (way, colour) in enumerate(WAYS.items()):
        shares = [rows[name][f"{way}, %"] for name in SHOWN]
        bars = ax.bar(np.arange(len(SHOWN)) + 0.27 * (i - 1), shares, 0.25, color=colour)
        ax.bar_label(bars, [f"{share:.0f} %" for share in shares], padding=2, fontsize=11)
        bars.set_label("with ecoc" if way == "code" else way)
    ax.set_xticks(range(len(SHOWN)), SHOWN, fontsize=12)
    ax.set_yticks([])
    ax.spines[["left", "top", "right"]].set_visible(False)
    ax.margins(y=0.15)
    ax.set_title("Accuracy on 124 letters in a typeface that was not in training", loc="left", fontsize=12)
    figure.legend(*ax.get_legend_handles_labels(), frameon=False, ncols=3, loc="outside lower center", fontsize=11)
    figure.savefig(Path(__file__).with_name("gain.png"), dpi=150)


if __name__ == "__main__":
    main()
