"""Which private name of scikit-learn broke? Each is used here as the package uses it."""

import ast
from numbers import Integral, Real
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import config_context, linear_model, svm
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

import ecoc
from ecoc.utils import scikit

X, y = load_iris(return_X_y=True)
CONSTRAINTS = {
    "HasMethods": ([scikit.HasMethods(["fit", "predict"])], GaussianNB(), "svc"),
    "Interval": ([scikit.Interval(Integral, 2, None, closed="left"), None], 2, 1),
    "StrOptions": ([scikit.StrOptions({"auto", "rank"})], "rank", "ranks"),
}


class Learner(BaseEstimator):
    """An estimator whose one parameter is checked before `fit`."""

    _parameter_constraints = {"value": [scikit.Interval(Real, 0, None, closed="left")]}  # noqa: RUF012

    def __init__(self, value=0):
        self.value = value


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints(name):
    allowed, right, wrong = CONSTRAINTS[name]
    scikit.check_parameters(_constrained(right, allowed))
    with pytest.raises(ValueError, match="The 'value' parameter of Learner must be"):
        scikit.check_parameters(_constrained(wrong, allowed))


def test_check_parameters():
    scikit.check_parameters(svm.SVC())
    with pytest.raises(ValueError, match="The 'C' parameter of SVC"):
        scikit.check_parameters(svm.SVC(C=-1))


@pytest.mark.parametrize("model", [svm.SVC(), svm.NuSVC(nu=0.1), svm.SVR()], ids=repr)
def test_base_lib_svm(model):
    assert isinstance(model, scikit.BaseLibSVM)
    assert not isinstance(svm.LinearSVC(), scikit.BaseLibSVM)
    rows = model.fit(X, y == 0).support_
    np.testing.assert_array_equal(model.support_vectors_, X[rows])


@pytest.mark.parametrize(
    "model",
    [linear_model.LogisticRegression(), linear_model.RidgeClassifier(), linear_model.SGDClassifier(), svm.LinearSVC()],
    ids=repr,
)
def test_linear_classifier_mixin(model):
    """Its decision function is a matrix product, which the package computes for all columns at once."""
    assert isinstance(model, scikit.LinearClassifierMixin)
    assert type(model).decision_function is scikit.LinearClassifierMixin.decision_function
    assert not isinstance(svm.SVC(kernel="linear"), scikit.LinearClassifierMixin)
    model.set_params(max_iter=10_000).fit(X, y == 0)
    np.testing.assert_allclose(model.decision_function(X), X @ np.ravel(model.coef_) + model.intercept_)


def test_linear_model():
    linear = [
        linear_model.Ridge(),
        linear_model.LinearRegression(),
        linear_model.Lasso(),
        linear_model.HuberRegressor(),
    ]
    assert all(isinstance(model, scikit.LinearModel) for model in linear)
    assert not isinstance(KernelRidge(), scikit.LinearModel)


def test_check_method_params():
    params = {"sample_weight": np.arange(len(X)), "verbose": True}
    rows = np.array([3, 5])
    found = scikit.check_method_params(X, params, indices=rows)
    np.testing.assert_array_equal(found["sample_weight"], rows)
    assert found["verbose"] is True


def test_check_sample_weight():
    weight = scikit.check_sample_weight([1, 2, 0], X[:3], dtype=np.float64)
    assert weight.dtype == np.float64
    np.testing.assert_array_equal(weight, [1, 2, 0])
    np.testing.assert_array_equal(scikit.check_sample_weight(None, X[:3]), np.ones(3))
    with pytest.raises(ValueError, match="Negative values"):
        scikit.check_sample_weight([1, -1, 1], X[:3])
    with pytest.raises(ValueError, match="expected"):
        scikit.check_sample_weight([1, 1], X[:3])


def test_get_tags():
    assert scikit.get_tags(GaussianNB()) == get_tags(GaussianNB())
    with pytest.raises(TypeError, match=r"Give an instance, GaussianNB\(\)"):
        scikit.get_tags(GaussianNB)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.5])
def test_effective_gamma(gamma):
    expected = {"scale": 1 / (4 * X.var()), "auto": 1 / 4}
    assert scikit.effective_gamma(svm.SVC(gamma=gamma).fit(X, y)) == pytest.approx(expected.get(gamma, 0.5))


def test_positive_label():
    labels = (y > 0).astype(int)
    scoring = make_scorer(recall_score, pos_label=0)
    tuned = TunedThresholdClassifierCV(GaussianNB(), scoring=scoring).fit(X, labels)
    assert scikit.positive_label(tuned) == 0
    assert scikit.positive_label(FixedThresholdClassifier(GaussianNB(), pos_label=1).fit(X, labels)) == 1


def test_n_samples():
    pd = pytest.importorskip("pandas")
    assert [scikit.n_samples(some) for some in (X, csr_array(X), pd.DataFrame(X), list("texts"))] == [150, 150, 150, 5]


def test_routing_enabled():
    assert not scikit.routing_enabled()
    with config_context(enable_metadata_routing=True):
        assert scikit.routing_enabled()


def test_safe_indexing():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X).set_axis(list("abcd"), axis=1)
    rows = np.array([5, 2])
    np.testing.assert_array_equal(scikit.safe_indexing(X, rows), X[rows])
    pd.testing.assert_frame_equal(scikit.safe_indexing(frame, rows), frame.iloc[rows])


def test_every_name_is_tested_here():
    source = Path(__file__).read_text(encoding="utf-8")
    used = {ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
    names = [name for name, value in vars(scikit).items() if not name.startswith("_") and name != "Any"]
    assert len(names) > 10
    assert [name for name in names if f"scikit.{name}" not in used] == []


# Elsewhere ------------------------------------------------------------------------------------------------------


def private_imports(source):
    """Private names of scikit-learn that a module imports, or reaches as attributes of a module that it imports."""
    tree = ast.parse(source)
    modules = set()  # local names of scikit-learn's modules
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.partition(".")[0] == "sklearn"]
            modules |= {alias.asname or "sklearn" for alias in node.names if alias.name in names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sklearn" and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            modules |= {alias.asname or alias.name for alias in node.names if alias.name.islower()}
        elif isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            names = [text] if text.partition(".")[0] in modules else []
        else:
            continue
        yield from (name for name in names if any(_is_private(part) for part in name.split(".")))


@pytest.mark.parametrize(
    ("source", "n_found"),
    [
        ("from sklearn.base import _fit_context", 1),
        ("from sklearn.svm._base import BaseLibSVM", 1),
        ("from sklearn.svm import _base", 1),
        ("import sklearn.svm._base as base", 1),
        ("def f():\n    from sklearn import base\n    return base._fit_context", 1),
        ("import sklearn.utils\nsklearn.utils._safe_indexing", 1),
        ("from sklearn.base import clone\nimport sklearn\nsklearn.__version__", 0),
        ("from ecoc.utils import _x\nimport numpy\nnumpy._core", 0),
    ],
)
def test_private_imports_are_found(source, n_found):
    assert len(set(private_imports(source))) == n_found


def test_no_other_module_imports_a_private_name():
    package = Path(ecoc.__file__).parent
    modules = {str(path.relative_to(package)): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    assert set(private_imports(modules.pop(str(Path("utils", "scikit.py")))))
    found = {path: names for path, source in modules.items() if (names := sorted(set(private_imports(source))))}
    assert found == {}, "import these from ecoc.utils.scikit"


def _is_private(part):
    return part.startswith("_") and not part.startswith("__")


def _constrained(value, allowed):
    learner = Learner(value)
    learner._parameter_constraints = {"value": allowed}
    return learner
