"""
How good is the code, and how do we know?
=========================================

Factorization searches for the ±1 matrix X whose XXᵀ is nearest to a design. There are too many such matrices to try
them all. How good is the one that was found? :func:`ecoc.factorize` returns the code with a lower bound on the
objective, and ``verify()`` checks that the code is valid.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import ecoc
from ecoc.inspection import HistoryDisplay

X, y = load_digits(return_X_y=True)
D = ecoc.nearest_correlation(ecoc.allocate(ecoc.class_distances(X, y), "hard"))

# %%
# We use the design of the ten digits, and ask that any two codewords differ in at least three columns. ``"auto"`` is
# our search. ``"paper"`` is the published algorithm: it relaxes the entries of X to numbers between −1 and 1, solves
# the relaxed problem, and rounds.

results = {method: ecoc.factorize(D, min_distance=3, method=method, random_state=0) for method in ("auto", "paper")}
for result in results.values():
    print(result)
    print(f"  {result.verify()}\n")

# %%
# Our search keeps only valid codes. Here it ends with a proof: branch and bound shows that no code is better. The
# relaxation reaches a much lower objective, because numbers between −1 and 1 have more freedom than signs. Rounding
# loses this gain, and also the distances.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for ax, (method, result) in zip(axes, results.items()):
    HistoryDisplay.from_factorization(result, ax=ax)
    ax.set_title(f'method="{method}"', fontsize=10)
axes[0].set_ylim(bottom=0)
plt.show()

# %%
# Both methods start at random. Does another start help? We start each method twelve times, for three minimum distances.

figure, axes = plt.subplots(1, 3, figsize=(9, 3.8), sharey=True, layout="constrained")
marks = ((1, "o", "#0072B2", "valid"), (0, "x", "#D55E00", "not valid"))
for ax, min_distance in zip(axes, (1, 2, 3)):
    for place, method in enumerate(results):
        options = {"effort": 0.2} if method == "auto" else {}
        runs = [
            ecoc.factorize(D, 8, min_distance=min_distance, method=method, random_state=seed, **options)
            for seed in range(12)
        ]
        objective, is_valid = np.array([(run.objective, bool(run.verify())) for run in runs]).T
        print(f"distance {min_distance}, {method}: {int(is_valid.sum())} of {len(runs)} codes are valid")
        at = place + np.linspace(-0.25, 0.25, len(runs))
        for kind, marker, colour, label in marks:
            shown = is_valid == kind
            ax.plot(at[shown], objective[shown], marker, color=colour, label=label if method == "paper" else None)
        if method == "auto":
            bound = max(run.lower_bound for run in runs)
            ax.axhline(bound, color="black", linestyle="--", linewidth=1, label="lower bound")
    ax.set(title=f"minimum distance {min_distance}", xlim=(-0.6, 1.6))
    ax.set_xticks(range(2), list(results))
axes[0].set(ylabel="‖l·D − XXᵀ‖²", ylim=(0, None))
axes[0].legend(fontsize=8, loc="lower right")
plt.show()

# %%
# Our search finds the same objective from every start, and no code has a smaller one. The result of the published
# algorithm depends on the start. The larger the minimum distance, the fewer of its codes are valid. An objective below
# the lower bound belongs to a code that does not keep the distances.

# sphinx_gallery_thumbnail_number = 2
