"""Rules of a comparison: lengths, plain models and parameters to try with a learner, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from sklearn.base import is_classifier

from ecoc.codes.design.length import FEW as MANY
from ecoc.policy.learner import Learner, describe, is_a

MOST_ONE_VS_ONE = 50  # classes; beyond, thousands of models would be trained
ONE_VS_ONE = ("sklearn.svm:SVC", "sklearn.svm:NuSVC")  # learners that train a model for each pair of classes themselves
ONE_VS_REST = ("sklearn.svm:LinearSVC",)  # learners that train a model for each class themselves
NUMBERED = ("xgboost:XGBClassifier", "catboost:CatBoostClassifier")  # learners that want numbers as labels
FORESTS = ("forest", "extra_trees")
PLAIN_MODELS = (  # cheap ones first
    "majority", "lda", "logistic", "linear_svc", "native", "one-vs-rest", "one-vs-one", *FORESTS
)  # fmt: skip
SAME = {
    "logistic": "sklearn.linear_model:LogisticRegression",
    "lda": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
    "linear_svc": "sklearn.svm:LinearSVC",
    "forest": "sklearn.ensemble:RandomForestClassifier",
    "extra_trees": "sklearn.ensemble:ExtraTreesClassifier",
}
OF_A_LEARNER = ("native", "one-vs-rest", "one-vs-one")  # plain models that the learner is a part of
TUNED_PLAIN = ("logistic", "linear_svc")  # plain models that are tuned, as the learner is

# Learners that are compared unless the user names others: a kernel machine, a linear model, and the boosters that are
# installed. CatBoost is not among them, because its 1,000 rounds take longer than all others together.
SHORT_LIST = ("svc", "logistic")
BOOSTERS = ("xgboost", "lightgbm")
SPARE_BOOSTER = "boosting"  # that of scikit-learn, if no other is installed

# One-vs-all is nearest to the columns of a code. Tuned on it, support vector machines were up to 3 points better in
# codes, and at most 0.5 worse by themselves, than tuned as they are (vowel, letter, segment, pendigits). The depth of
# trees and the number of neighbours are tuned as they are, which is faster.
TUNED_ALONE = ("neighbours", "tree")
TUNED_ALONE_TOO = (
    "sklearn.ensemble:HistGradientBoostingClassifier",
    "sklearn.ensemble:RandomForestClassifier",
    "sklearn.ensemble:ExtraTreesClassifier",
)

# The first value of each is the default of scikit-learn; parameters are chosen one after the other. Tuned on up to 500
# rows of six development sets, the mean accuracy of SVC by itself, one-vs-rest and in codes was 78.2 without tuning,
# 80.9 with C alone, 80.4 with C and then gamma, 80.3 with twice as many values and all their pairs. Gamma matters where
# features are not standardized; on these sets it only cost glass 3.5 points. Steps of 2 instead of 4 in gamma: 77.4
# instead of 76.8 on twelve made tables of 1,300 rows, 85.2 instead of 85.3 on seven development sets. Extra trees with
# half of the features at each split: 64.6 instead of 61.7 on a made table of 200,000 rows.
GRIDS: Mapping[str, dict[str, Sequence[Any]]] = {
    "sklearn.svm:SVC": {"C": (1.0, 10.0, 100.0), "gamma": ("scale", "scale*0.25", "scale*0.5", "scale*2", "scale*4")},
    "sklearn.svm:LinearSVC": {"C": (1.0, 0.01, 0.1, 10.0)},
    "sklearn.linear_model:LogisticRegression": {"C": (1.0, 0.01, 0.1, 10.0, 100.0)},
    "sklearn.linear_model:RidgeClassifier": {"alpha": (1.0, 0.1, 10.0, 100.0)},
    "sklearn.neighbors:KNeighborsClassifier": {"n_neighbors": (5, 1, 15)},
    "sklearn.tree:DecisionTreeClassifier": {"max_depth": (None, 5, 10), "min_samples_leaf": (1, 5)},
    "sklearn.ensemble:HistGradientBoostingClassifier": {"max_depth": (None, 3)},
    "sklearn.ensemble:RandomForestClassifier": {"max_features": ("sqrt", 0.5)},
    "sklearn.ensemble:ExtraTreesClassifier": {"max_features": ("sqrt", 0.5)},
    "xgboost:XGBClassifier": {"max_depth": (None, 3)},
    "lightgbm:LGBMClassifier": {"num_leaves": (31, 8)},
}


@dataclass(frozen=True)
class TuningRules:
    """Limits of tuning."""

    n_folds: int = 3
    clearly: float = 1.0  # standard errors that a value must gain: mean accuracy 80.4 as above, at 2 80.1, at 3 79.5
    fewest_rows: int = 300  # below, a setting's accuracy says too little
    growth: float = 1.5  # of the time with the rows: linear for linear models, quadratic for kernels


TUNING = TuningRules()


@dataclass(frozen=True)
class RaceRules:
    """Shares of several learners in the time of a comparison."""

    probe: float = 0.5  # length, as a share of the classes, of the code that every learner is tried with first
    behind: float = 1.0  # standard errors of the difference; of learners further behind, no other code is tried
    pace_rows: int = 300  # rows on which the time of a booster's binary model is measured
    pace_growth: float = 0.7  # of that time with the rows: 0.6 to 0.7 from 230 to 2,000 rows for three boosters


RACE = RaceRules()


@dataclass(frozen=True)
class GrowthRules:
    """Extrapolation of the accuracy to all rows from models of fewer rows.

    Errors are taken to be a power of the rows through the two largest sizes. On 67 curves (15 tables, made ones and
    digits, five learners), accuracy at four times as many rows was 0.6 points too low on average, root mean square 2.7.
    Accuracy linear in rows ** -0.5 was 2.7 too low (4.1), linear in the logarithm of the rows 0.6 too high (2.8); a
    limit above zero for the errors, chosen by a third size, was no better.
    """

    most: float = 0.5  # share of the remaining errors that more rows may save
    doubt: float = 0.4  # of the gain: its standard error, 0.31 to 0.48 on these curves, whatever the sizes
    least_ratio: float = 1.5  # of two sizes; from nearer ones, chance would be multiplied
    factor: int = 4  # from one size of a sampled table to the next
    test_share: float = 0.2  # of a sampled table, held back to test on; not tuned
    tuning_share: float = 0.4  # of the time left after the second size, for tuning the better half again; not tuned
    most_test_rows: int = 5000
    finalists: int = 4  # the best of so many learners or plain models are compared at a second size, in case they swap
    time_growth: float = 2.0  # of fit times with the rows until two sizes are known: kernels are the slowest
    longest_fit: float = 900.0  # seconds; a model whose fit to all rows takes longer is recommended only without rival


GROWTH = GrowthRules()


@dataclass(frozen=True)
class Trials:
    """Trials of a comparison with one learner."""

    learner: Learner
    lengths: tuple[int | float | str, ...]  # of codes
    reason: str  # why these lengths
    plain: tuple[str, ...]  # models without a code, cheap ones first
    left_out: dict[str, str]  # plain models, and why
    models: dict[str, int]  # number of models that each plain model consists of
    tuned_alone: bool  # whether the learner is tuned by its own multi-class fit; else by one-vs-all


def short_list() -> tuple[str, ...]:
    """Return the names of the learners that are compared by default."""
    return (*SHORT_LIST, *([name for name in BOOSTERS if find_spec(name)] or [SPARE_BOOSTER]))


def plan_trials(learner: Any, k: int) -> Trials:
    """Choose the trials of a comparison with a learner and k classes."""
    described = describe(learner)
    lengths, reason = _lengths(described, k)
    pairs = k * (k - 1) // 2
    itself = pairs if is_a(learner, *ONE_VS_ONE) else k if is_a(learner, *ONE_VS_REST) else 1
    models = dict.fromkeys(PLAIN_MODELS, 1) | dict.fromkeys(FORESTS, 100)
    models |= {"majority": 0, "one-vs-rest": k, "one-vs-one": pairs}
    models["linear_svc"] = 1 if k == 2 else k
    unwanted = {name for name, same in SAME.items() if is_a(learner, same)}  # the learner itself is the same model
    left_out = {}
    if k == 2:
        unwanted |= {"one-vs-rest", "one-vs-one"}
    elif is_a(learner, *ONE_VS_ONE):
        unwanted.add("one-vs-one")
    elif k > MOST_ONE_VS_ONE:
        left_out["one-vs-one"] = f"{pairs:,} models; at most {MOST_ONE_VS_ONE} classes are compared so"
    if not is_classifier(learner):
        unwanted.add("native")
    return Trials(
        described,
        lengths,
        reason,
        tuple(name for name in PLAIN_MODELS if name not in unwanted and name not in left_out),
        left_out,
        models | {"native": 1 if k == 2 else itself},
        described.kind in TUNED_ALONE or is_a(learner, *TUNED_ALONE_TOO),
    )


def _lengths(learner: Learner, k: int) -> tuple[tuple[int | float | str, ...], str]:
    """Return the lengths of codes to try, and why."""
    if learner.kind == "booster" and k > MANY:
        return tuple(dict.fromkeys((min(k // 6, 48), min(k // 2, 64)))), "boosters of longer codes take long"
    shares, reason = (0.25, 0.5, 1.0), "short codes suffice for strong learners"
    if learner.is_linear or learner.kind == "tree":
        shares, reason = (0.5, 1.0, 2.0), "linear models and single trees gain from long codes"
    return (("auto", *shares) if k <= MANY else shares), reason  # choosing a length takes minutes with many classes


def parameters_to_try(learner: Any) -> dict[str, Sequence[Any]]:
    """Return the values to try for each parameter, the learner's own first; parameters that you set stay."""
    current = learner.get_params()
    grid = next((grid for name, grid in GRIDS.items() if is_a(learner, name)), {})
    free = {name: values for name, values in grid.items() if name in current and current[name] == values[0]}
    if current.get("kernel") == "linear":
        free.pop("gamma", None)
    return free
