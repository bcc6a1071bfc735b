"""The methods that are compared: the paper's, the designs it cites, classifiers without a code, and ours."""

from collections.abc import Callable
from typing import Any

from ecoc_paper.experiments.methods import Method, Origin, add_method, register_method


def _coding(name: str) -> Callable[..., Any]:
    def make(*min_distance: int) -> Any:
        from ecoc.codes.coding import get_coding

        coding = get_coding(name)
        return coding.set_params(min_distance=min_distance[0]) if min_distance else coding

    return make


def _coding_at(name: str) -> Callable[[int], Any]:
    def make(n_columns: int) -> Any:
        from ecoc.codes.coding import get_coding

        return get_coding(name).set_params(n_columns=n_columns)

    return make


def _ecf(allocation: str | float, refine: Any = False) -> Callable[[int], Any]:
    def make(min_distance: int = 1) -> Any:
        from ecoc.codes.coding import ECF

        return ECF(allocation, min_distance=min_distance, refine=refine)

    return make


def _ecf_at(allocation: str | float) -> Callable[[int], Any]:
    def make(n_columns: int) -> Any:
        from ecoc.codes.coding import ECF

        return ECF(allocation, n_columns=n_columns, refine=False)

    return make


def _paper_ecf(allocation: str, **how: Any) -> Callable[[int], Any]:
    def make(min_distance: int) -> Any:
        from ecoc_paper.codings import PaperECF

        return PaperECF(allocation, min_distance, **how)

    return make


def _hierarchy(n_folds: int | None) -> Callable[[float], Any]:
    def make(rho: float) -> Any:
        from sklearn.svm import SVC

        from ecoc_paper.hierarchy import RelaxedHierarchyClassifier

        return RelaxedHierarchyClassifier(SVC(), rho=rho, n_init=1, n_folds=n_folds)

    return make


def random_at(n_columns: int) -> Any:
    """Make RAND of a given length: its distance is the largest that random codes of this length are sure to allow."""
    from ecoc_paper.experiments.lengths import RandomAtLength

    return RandomAtLength(n_columns)


def spectral(share: float) -> Any:
    """Make S-ECOC of a share of its k − 1 columns; the paper's points of it are more than one for each data set."""
    from ecoc import Spectral

    return Spectral() if share == 1 else Spectral(share)


_LITERAL: dict[str, Any] = {"projection": "printed", "rounding": "cycle", "diagonal": True}
VARIANTS: dict[str, dict[str, Any]] = {
    "Alg. 1": {},
    "literal": {"reading": "printed", **_LITERAL},
    "literal, P caps products": {"reading": "products", **_LITERAL},
    "P caps products": {"reading": "products", "method": "auto"},
    "twice as long": {"n_columns": 2.0, "method": "auto"},
}

register_method("OVA", origin="paper")(_coding("ova"))
register_method("OVO", origin="paper")(_coding("ovo"))
register_method("DENSE", at_length=_coding_at("dense"), origin="paper")(_coding("dense"))
register_method("RAND", "min_distances", at_length=random_at, origin="paper")(_coding("rand"))
register_method("S-ECOC", (1.0, 0.75, 0.5, 0.25), at_length=_coding_at("spectral"), origin="paper")(spectral)
register_method("R-H", "rhos", origin="paper")(_hierarchy(None))
register_method("ECF-H", "min_distances", at_length=_ecf_at("hard"), origin="paper")(_ecf("hard"))
register_method("ECF-E", "min_distances", at_length=_ecf_at("easy"), origin="paper")(_ecf("easy"))
for _name, _how in VARIANTS.items():  # how else the paper can be read
    _origin: Origin = "reading" if _how.get("method") == "auto" else "solver"
    register_method(f"ECF-H {_name}", "min_distances", origin=_origin)(_paper_ecf("hard", **_how))
    register_method(f"ECF-E {_name}", "min_distances", origin=_origin)(_paper_ecf("easy", **_how))
register_method("ECF-balanced", "min_distances", at_length=_ecf_at("balanced"))(_ecf("balanced"))
register_method("ECF-auto", (1,))(_ecf("auto", refine="auto"))
register_method("R-H held out", "rhos")(_hierarchy(2))
add_method(Method("ECF a=0", None, at_length=_ecf_at(0.0), origin="ours"))  # between the paper's two allocations
add_method(Method("ECF a=0.5", None, at_length=_ecf_at(0.5), origin="ours"))


register_method("hinge-loss code", at_length=_coding_at("hinge_loss_code"), origin="cited")(_coding("hinge_loss_code"))
register_method("sparse similarity", origin="cited")(_coding("sparse_similarity"))
register_method("Crammer-Singer code", origin="cited")(_coding("crammer_singer"))
register_method("minimal search", origin="cited")(_coding("minimal_search"))
register_method("SPARSE", origin="cited")(_coding("sparse"))
register_method("DECOC", origin="cited")(_coding("discriminant"))


@register_method("split classes", origin="cited")
def split_classes() -> Any:
    """Make classes split by a proxy, with a discriminant tree; C and γ are chosen on the inner folds."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    from ecoc import ECOCClassifier
    from ecoc_paper.splitting import SplitClassesClassifier

    coded = ECOCClassifier(SVC(max_iter=20_000), coding="discriminant", decoding="loss_weighted", probability=False)
    grid = {"estimator__estimator__C": [1.0, 100.0], "estimator__estimator__gamma": [0.1, 0.3]}
    return GridSearchCV(SplitClassesClassifier(coded, random_state=0), grid)


@register_method("kNN", origin="baseline")
def neighbours() -> Any:
    """Make nearest neighbours; their number is chosen on the inner folds."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier

    return GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9, 15]})


@register_method("forest", origin="baseline")
def forest() -> Any:
    """Make a random forest."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(200)


@register_method("SAMME", origin="baseline")
def samme() -> Any:
    """Make multi-class AdaBoost; the depth of its trees is chosen on the inner folds."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    boosted = AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=30)
    return GridSearchCV(boosted, {"estimator__max_depth": [3, 8]})


@register_method("Crammer-Singer", origin="baseline")
def crammer_singer() -> Any:
    """Make Crammer and Singer's machine on an approximate Gaussian kernel; C and γ are chosen on the inner folds."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline
    from sklearn.svm import LinearSVC

    machine = LinearSVC(multi_class="crammer_singer", C=10.0, max_iter=100, random_state=0)
    pipeline = Pipeline([("kernel", Nystroem(n_components=300, random_state=0)), ("machine", machine)])
    return GridSearchCV(pipeline, {"kernel__gamma": [0.1, 0.3], "machine__C": [1.0, 100.0]})
