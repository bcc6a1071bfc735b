"""A saved model predicts the same bits in another process, and no file makes loading do more than load."""

import copy
import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from ecoc import ECF, CodeBook, ECOCClassifier
from ecoc.codes.coding import CODINGS
from ecoc.decoding import DECODINGS
from ecoc.utils.exceptions import PersistenceError
from ecoc.utils.persistence import load, save, trust
from ecoc.utils.persistence.archive import checksum
from ecoc.utils.persistence.parts import walk

pytest.importorskip("skops")

rng = np.random.default_rng(0)
Y = np.repeat(np.arange(5), 24)
X = rng.normal(size=(5, 6))[Y] * 1.5 + rng.normal(size=(len(Y), 6))
WORDS = np.array(["ant", "bee", "cat", "dog", "elk"])[Y]
TREE = "sklearn.tree._tree.Tree"


def stream():
    model = ECOCClassifier(SGDClassifier(), coding="dense", random_state=0)
    for rows in np.array_split(np.random.default_rng(1).permutation(len(Y)), 4):
        model.partial_fit(X[rows], Y[rows], classes=np.arange(5))
    return model


def listed():
    estimators = [SVC(), LogisticRegression(), GaussianNB(), DecisionTreeClassifier(random_state=0), Ridge()]
    return ECOCClassifier(estimators, coding="ova", random_state=0).fit(X, WORDS)


def model(estimator, coding="ecf", decoding="loss_weighted", y=Y, **options):
    return ECOCClassifier(estimator, coding=coding, decoding=decoding, random_state=0, **options).fit(X, y)


MODELS = {
    "svc": lambda: model(SVC()),
    "svc_ovo": lambda: model(SVC(), "ovo", "hamming"),
    "svc_linear": lambda: model(SVC(kernel="linear"), "dense", "discriminant"),
    "calibrated": lambda: model(CalibratedClassifierCV(SVC(), cv=2), "ova", "probabilistic"),
    "isotonic": lambda: model(CalibratedClassifierCV(SVC(), cv=2, method="isotonic"), "minimal", "probabilistic"),
    "logistic": lambda: model(LogisticRegression(), "ecf", "probabilistic"),
    "logistic_ovo": lambda: model(LogisticRegression(), "ovo", "probabilistic", WORDS),
    "tree": lambda: model(DecisionTreeClassifier(random_state=0), "sparse", "beta_density"),
    "ridge": lambda: model(Ridge(), "dense", "discriminant"),
    "ridge_ternary": lambda: model(Ridge(), "ovo", "loss_weighted"),
    "list": listed,
    "stream": stream,
    "sparse": lambda: ECOCClassifier(SVC(), random_state=0).fit(csr_matrix(X), Y),
    "words": lambda: model(SVC(), y=WORDS),
    "objects": lambda: model(SVC(), y=WORDS.astype(object)),
    "splitter": lambda: model(SVC(), cv=StratifiedKFold(2)),
    "pipeline": lambda: make_pipeline(StandardScaler(), PCA(4), ECOCClassifier(SVC(), random_state=0)).fit(X, WORDS),
    "search": lambda: GridSearchCV(
        ECOCClassifier(SVC(), coding="ova", probability=False), {"estimator__C": [1, 2]}, cv=2
    ).fit(X, WORDS),
    "wishes": lambda: model(SVC(), ECF(wishes={("ant", "bee"): "apart"}, min_distance={("cat", "dog"): 2}), y=WORDS),
}

METHODS = ("predict", "decision_function", "predict_proba")

ELSEWHERE = """
import sys
from pathlib import Path
import numpy as np
from ecoc.utils.persistence import load

folder = Path(sys.argv[1])
X = np.load(folder / "X.npy")
for path in sorted(folder.glob("*.skops")):
    model = load(path, trusted=sys.argv[2:])
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(model, method):
            values = np.asarray(getattr(model, method)(X))
            np.save(folder / f"{path.stem}.{method}.npy", values.astype(str) if values.dtype == object else values)
"""


@pytest.fixture(scope="module")
def fitted():
    return {name: make() for name, make in MODELS.items()}


@pytest.fixture(scope="module")
def elsewhere(fitted, tmp_path_factory):
    """The outputs of all models after loading them in another process."""
    folder = tmp_path_factory.mktemp("models")
    np.save(folder / "X.npy", X)
    for name, fitted_model in fitted.items():
        save(fitted_model, folder / f"{name}.skops")
    subprocess.run([sys.executable, "-c", ELSEWHERE, str(folder), TREE], check=True, timeout=120)
    return folder


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.skops"
    save(model(Ridge(), "minimal", "hamming", probability=False), path)
    return path


@pytest.mark.parametrize("name", MODELS)
def test_predicts_the_same_bits_in_another_process(name, fitted, elsewhere):
    saved = fitted[name]
    for method in METHODS:
        path = elsewhere / f"{name}.{method}.npy"
        assert path.exists() == hasattr(saved, method)
        if path.exists():
            expected, found = np.asarray(getattr(saved, method)(X)), np.load(path)
            assert found.dtype == expected.dtype or expected.dtype == object
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", MODELS)
def test_no_member_of_a_file_is_a_pickle(name, elsewhere):
    with zipfile.ZipFile(elsewhere / f"{name}.skops") as archive:
        assert archive.testzip() is None
        for member in archive.namelist():
            content = archive.read(member)
            if member.endswith(".json"):
                json.loads(content)
            elif member.endswith(".npy"):
                np.load(io.BytesIO(content), allow_pickle=False)
            elif member.endswith(".npz"):
                with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                    assert all(array.dtype != object for array in arrays.values())
            else:
                pytest.fail(f"what is {member}?")


def test_neither_saving_nor_loading_calls_pickle(fitted, tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("pickle was called")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler", "_Pickler", "_Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    for name in ("tree", "stream", "pipeline", "objects"):
        save(fitted[name], tmp_path / name)
        np.testing.assert_array_equal(load(tmp_path / name, trusted=TREE).predict(X), fitted[name].predict(X))


def test_what_else_comes_back(fitted, elsewhere):
    saved, found = fitted["wishes"], load(elsewhere / "wishes.skops")
    assert found.coding.wishes == {("ant", "bee"): "apart"}
    assert found.coding.min_distance == {("cat", "dog"): 2}
    assert found.code_book_ == saved.code_book_
    assert not found.code_book_.matrix.flags.writeable
    assert found.code_book_ is found.decoding_.codebook_, "what was one object is one object"
    assert found.factorization_.verify()
    np.testing.assert_array_equal(found.design_, saved.design_)
    assert clone(found).fit(X, WORDS).code_book_ == saved.code_book_


def test_a_stream_goes_on_after_loading(fitted, elsewhere):
    saved, found = copy.deepcopy(fitted["stream"]), load(elsewhere / "stream.skops")
    for each in (saved, found):
        each.partial_fit(X[::3], Y[::3])
    np.testing.assert_array_equal(found.predict_proba(X), saved.predict_proba(X))


def test_every_coding_and_decoding_is_known(tmp_path):
    for coding in CODINGS:
        save(ECOCClassifier(GaussianNB(), coding=coding, probability=False).fit(X, Y), tmp_path / coding)
        assert load(tmp_path / coding).coding == coding
    for decoding in DECODINGS:
        saved = ECOCClassifier(GaussianNB(), coding="ova", decoding=decoding, probability=False).fit(X, Y)
        save(saved, tmp_path / decoding)
        np.testing.assert_array_equal(load(tmp_path / decoding).predict(X), saved.predict(X))


def test_an_unfitted_model_is_saved_too(tmp_path):
    save(ECOCClassifier(SVC(C=3), coding=ECF("hard", n_columns=8)), tmp_path / "model")
    found = load(tmp_path / "model")
    assert (found.estimator.C, found.coding.n_columns) == (3, 8)
    assert found.fit(X, Y).n_columns_ == 8


def test_metadata_requests_are_kept(tmp_path):
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = LogisticRegression().set_fit_request(sample_weight=True)
        saved = ECOCClassifier(estimator, coding="ova", probability=False, random_state=0)
        saved.fit(X, Y, sample_weight=np.arange(len(Y)))
        request = saved.estimator._metadata_request
        owners = request.owner, request.fit.owner
        save(saved, tmp_path / "model")
        assert all(a is b for a, b in zip(owners, (request.owner, request.fit.owner)))
        found = load(tmp_path / "model")
        assert found.estimator.get_metadata_routing().fit.requests == {"sample_weight": True}
        found.fit(X, Y, sample_weight=np.arange(len(Y)))
        np.testing.assert_array_equal(found.predict(X), saved.predict(X))


# What is trusted ----------------------------------------------------------------------------------------------


class Mine(ClassifierMixin, BaseEstimator):
    """A binary classifier that nobody knows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, 1, -1)


def my_kernel(A, B):
    return A @ B.T


@pytest.fixture
def importable(monkeypatch):
    """Tests are not in a package; what is saved has to be."""
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    monkeypatch.setattr(Mine, "__module__", "mine")
    monkeypatch.setattr(my_kernel, "__module__", "mine")


def test_unknown_types_are_refused_by_name(tmp_path, importable):
    path = tmp_path / "model"
    saved = ECOCClassifier(Mine(), coding="ova", probability=False).fit(X, Y)
    save(saved, path)
    told = r"types that are not known, mine\.Mine; .*trusted=\['mine.Mine'\]"
    with pytest.raises(PersistenceError, match=told) as refused:
        load(path)
    assert refused.value.untrusted == ["mine.Mine"]
    for trusted in (["mine.Mine"], "mine.Mine", [Mine], Mine, {"mine.Mine", "x.Y"}):
        np.testing.assert_array_equal(load(path, trusted=trusted).predict(X), saved.predict(X))


@pytest.mark.parametrize(
    ("module", "told"), [("mine", "package mine, .* trust"), ("xgboost", r"xgboost, .* pip install 'ecoc\[boosting\]'")]
)
def test_a_missing_package_is_not_damage(tmp_path, monkeypatch, module, told):
    with monkeypatch.context() as here:
        here.setitem(sys.modules, module, sys.modules[__name__])
        here.setattr(Mine, "__module__", module)
        save(ECOCClassifier(Mine(), coding="ova", probability=False).fit(X, Y), tmp_path / "model")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(PersistenceError, match=rf"it needs the .*{told}") as refused:
        load(tmp_path / "model", trusted=[f"{module}.Mine"])
    assert "damaged" not in str(refused.value)


def test_functions_are_refused_by_name(tmp_path, importable):
    saved = ECOCClassifier(SVC(kernel=my_kernel), coding="dense", probability=False, random_state=0).fit(X, Y)
    save(saved, tmp_path / "model")
    with pytest.raises(PersistenceError, match=r"not known, mine\.my_kernel;"):
        load(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model", trusted=[my_kernel]).predict(X), saved.predict(X))


def test_trees_are_left_to_the_user_to_judge(elsewhere):
    if TREE not in getattr(import_module("skops.io.exceptions"), "UNTRUSTED_TYPE_REASONS", {}):
        pytest.skip("this skops trusts trees")
    with pytest.raises(PersistenceError, match=r"sklearn\.tree\._tree\.Tree; .*without bounds checking"):
        load(elsewhere / "tree.skops")


def test_trusted_must_be_names_or_types(small):
    for wrong in (True, [True], None, [3]):
        with pytest.raises(TypeError, match="trusted must be a list of types or of their full names"):
            load(small, trusted=wrong)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "ecoc.codes.codebook.book.Path",  # a class, but not ecoc's
        "ecoc.codes.codebook.book.os",
        "ecoc.codes.codebook.book.replace_file",
        "ecoc.utils.files.replace_file",
        "ecoc.utils.persistence.load",
        "ecoc.utils.persistence.loading.load",
        "ecoc.utils.persistence.PersistenceError",  # no part of a model
        "ecoc.codes.coding.get_coding",
        "ecoc.codes.coding.ECF",  # defined in ecoc.codes.coding.ecf
        "ecoc.codes.coding.ecf.ECF.build",
        "ecoc.codes.coding.no_such_module.Class",
        "ecoc.codes.coding..os",
        "ecoc.codingx.Class",
        "ecoc.CodeBook",
        "ecoc",
        "",
    ],
)
def test_not_everything_with_our_name_is_known(name):
    assert not trust.is_known(name)


def test_private_classes_of_others_are_where_we_say():
    for module, names in trust.OTHERS.items():
        found = [name for name in names if isinstance(getattr(import_module(module), name, None), type)]
        # A release may drop one of them; all of a module missing is a mistake of ours.
        assert found


def rewritten(path, change, replaced=None):
    """The file with its skops schema, and members, changed, and its checksum, too: it is no signature."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members["schema.json"])
    change(schema)
    members.update({"schema.json": json.dumps(schema).encode(), **(replaced or {})})
    sums = {name: hashlib.sha256(content).digest() for name, content in members.items() if name != "ecoc.json"}
    members["ecoc.json"] = json.dumps({**json.loads(members["ecoc.json"]), "sha256": checksum(sums)}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("module", "attribute", "loader"),
    [
        ("os", "system", "FunctionNode"),
        ("ecoc.codes.codebook.book", "replace_file", "FunctionNode"),
        ("ecoc.codes.codebook.book", "os", "TypeNode"),
        ("ecoc.utils.persistence", "load", "FunctionNode"),
    ],
)
def test_a_forged_file_gets_nothing_called(small, module, attribute, loader):
    def forge(schema):
        schema["content"]["content"]["estimator"] = {
            "__class__": attribute,
            "__module__": module,
            "__loader__": loader,
            "__id__": 1,
        }

    rewritten(small, forge)
    with pytest.raises(PersistenceError, match=rf"types that are not known, {module}\.{attribute};"):
        load(small)


def test_a_forged_method_call_is_refused(small):
    def forge(schema):
        owner = {**schema["content"]["content"]["estimator"], "__class__": "ECF", "__module__": "ecoc.codes.coding.ecf"}
        schema["content"]["content"]["n_jobs"] = {
            "__class__": "ECF",
            "__module__": "ecoc.codes.coding.ecf",
            "__loader__": "MethodNode",
            "__id__": 1,
            "content": {"func": "set_params", "obj": {**owner, "__id__": 2}},
        }

    rewritten(small, forge)
    with pytest.raises(PersistenceError, match=r"ecoc\.codes\.coding\.ecf\.ECF\.set_params"):
        load(small)


def test_sparse_matrices_with_wild_indices_are_refused(fitted, tmp_path):
    wild = copy.deepcopy(fitted["sparse"])
    next(part for part in walk(wild) if issparse(part)).indices[0] = 10**6
    save(wild, tmp_path / "model")
    with pytest.raises(PersistenceError, match=r"it is damaged .*ind(ices|ex)"):
        load(tmp_path / "model")


@pytest.mark.parametrize("hide", [lambda part: {"key": [part]}, lambda part: np.array([[None], [part]], object)])
def test_sparse_matrices_are_found_wherever_they_are(fitted, tmp_path, hide):
    wild = copy.deepcopy(fitted["svc"])
    matrix = csr_matrix(np.eye(3))
    matrix.indices[0] = 10**6
    wild.note = hide(matrix)
    save(wild, tmp_path / "model")
    with pytest.raises(PersistenceError, match=r"it is damaged .*indices"):
        load(tmp_path / "model")


def with_nan(path, name):
    """The file with NaN in one of its arrays, and a checksum that fits."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    array = np.load(io.BytesIO(members[name]))
    buffer = io.BytesIO()
    np.save(buffer, np.full_like(array, np.nan))
    return rewritten(path, lambda schema: None, {name: buffer.getvalue()})


@pytest.mark.parametrize("name", ["svc", "svc_linear", "logistic", "ridge", "sparse", "stream"])
def test_arrays_that_are_forged_to_be_nan_are_refused(fitted, tmp_path, name):
    """Or have no say: a class weight and the tolerance of a solver, say, are not looked at when a model predicts."""
    path, samples = tmp_path / "model", csr_matrix(X) if name == "sparse" else X
    save(fitted[name], path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        arrays = {name: archive.read(name) for name in archive.namelist() if name.endswith(".npy")}
    floats = [member for member, array in arrays.items() if np.load(io.BytesIO(array)).dtype.kind == "f"]
    refused = 0
    for member in floats:
        path.write_bytes(content)
        with_nan(path, member)
        try:
            loaded = load(path, trusted=[TREE])
        except PersistenceError as error:
            refused += "has NaN instead of a number" in str(error)
            continue
        for method in METHODS:
            if hasattr(loaded, method):
                expected = getattr(fitted[name], method)(samples)
                np.testing.assert_array_equal(getattr(loaded, method)(samples), expected)
    assert refused >= 1


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path):
    useless = model(Ridge(), "ova", "linear")
    useless.fitted_.dichotomizers.model.coef_[:] = np.nan
    with pytest.raises(PersistenceError, match=r"Ridge\.coef_ has NaN"):
        save(useless, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_what_is_loaded_is_an_estimator(small):
    def forge(schema):
        schema.update(__class__="dict", __module__="builtins", __loader__="JsonNode", content="[1]")

    rewritten(small, forge)
    with pytest.raises(PersistenceError, match="expected an estimator, got list"):
        load(small)


def test_a_class_is_not_a_model(small):
    def forge(schema):
        del schema["content"]
        schema.update(__loader__="TypeNode")

    rewritten(small, forge)
    with pytest.raises(PersistenceError, match="expected an estimator, got the class ECOCClassifier"):
        load(small)


# Files that are something else --------------------------------------------------------------------------------


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


def header(**changes):
    return json.dumps({"format": 2, "versions": {"ecoc": ecoc.__version__}, **changes})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "but it is empty"),
        (b"hello", "but it is something else"),
        (pickle.dumps([1, 2]), "looks like a pickle, which could run any code and is never opened"),
        (zipped(a__txt="hello"), r"lacks ecoc\.json$"),
        (zipped(schema__json="{}"), r"lacks ecoc\.json; this may be a model that skops wrote"),
        (zipped(ecoc__json="{"), "damaged"),
        (zipped(ecoc__json="[]"), "has no format and versions"),
        (zipped(ecoc__json='{"format": 1}'), "has no format and versions"),
        (zipped(ecoc__json=header(versions={"ecoc": "0.1", "numpy": 2})), "has no format and versions"),
        (zipped(ecoc__json=header()), r"lacks schema\.json$"),
        (zipped(ecoc__json=header(), schema__json="{"), "it is damaged"),
        (zipped(ecoc__json=header(), schema__json="{}"), "its content does not match its checksum: it is damaged or"),
        (zipped(ecoc__json=header(format=1)), "wrote it in format 1, and this version reads format 2; fit the model"),
        (zipped(ecoc__json=header(format=3)), "wrote it in format 3, and this version reads format 2; pip install"),
    ],
)
def test_foreign_files(tmp_path, content, message):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(PersistenceError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"a model that ecoc\.save wrote was expected: .*none\.skops"):
        load(tmp_path / "none.skops")
    with pytest.raises(OSError, match=r"a model that ecoc\.save wrote was expected"):
        load(tmp_path)


def test_cut_files(small):
    content = small.read_bytes()
    for length in range(1, len(content), len(content) // 40):
        small.write_bytes(content[:length])
        with pytest.raises(PersistenceError, match=r"cut short or damaged|something else"):
            load(small)


def test_damaged_files_fail_or_predict_the_same(small):
    content, expected = bytearray(small.read_bytes()), load(small).decision_function(X)
    noise = np.random.default_rng(0)
    failed = 0
    ends = [*range(len(content) - 400, len(content), 7)]  # the archive's directory has no checksum
    for position in [*noise.integers(len(content), size=60), *ends]:
        damaged = content.copy()
        damaged[position] ^= int(noise.integers(1, 256))
        small.write_bytes(damaged)
        try:
            found = load(small)
        except PersistenceError:
            failed += 1
        else:
            np.testing.assert_array_equal(found.decision_function(X), expected)
    assert failed > 30


# Versions -----------------------------------------------------------------------------------------------------


def test_versions_are_in_the_file(small):
    with zipfile.ZipFile(small) as archive:
        found = json.loads(archive.read("ecoc.json"))
    assert found["format"] == 2
    assert found["model"] == "ECOCClassifier"
    assert found["versions"]["ecoc"] == ecoc.__version__
    assert found["versions"]["scikit-learn"] == sklearn.__version__
    assert found["versions"]["numpy"] == np.__version__


def test_skops_can_open_the_file_itself(small):
    import skops.io

    found = skops.io.load(small, trusted=skops.io.get_untrusted_types(file=small))
    np.testing.assert_array_equal(found.predict(X), load(small).predict(X))


def test_another_minor_version_is_a_warning(small, monkeypatch, recwarn):
    monkeypatch.setattr(ecoc, "__version__", ecoc.__version__ + ".post1")
    load(small)
    assert not [w for w in recwarn if "ecoc" in str(w.message)]
    monkeypatch.setattr(ecoc, "__version__", "99.0.0")
    with pytest.warns(UserWarning, match=r"saved with ecoc .* and is loaded with ecoc 99\.0\.0") as caught:
        load(small)
    assert caught[0].filename == __file__


def test_a_file_of_other_versions_that_fails_says_so(small, monkeypatch):
    rewritten(small, lambda schema: schema["content"]["content"].pop("estimator"))
    monkeypatch.setattr(np, "__version__", "99.0")
    with zipfile.ZipFile(small) as archive:
        schema = json.loads(archive.read("schema.json"))
    schema["__loader__"] = "NewNode"
    rewritten(small, lambda found: found.update(schema))
    with pytest.raises(PersistenceError, match=r"saved with numpy .* \(here 99\.0\), or is damaged .*NewNode"):
        load(small)


# Saving -------------------------------------------------------------------------------------------------------


def test_only_estimators_are_saved(tmp_path):
    for thing, name in ((CodeBook([[1], [-1]]), "CodeBook"), (ECOCClassifier, "ECOCClassifier"), ([1], "list")):
        with pytest.raises(TypeError, match=f"save writes estimators.* got {name}"):
            save(thing, tmp_path / "file")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            ECF(allocation=lambda d: 1 - d),
            r"cannot save ECOCClassifier\.coding\.allocation, of type function: .*lambda",
        ),
        (ECF(design=pd.DataFrame(np.eye(5))), r"cannot save ECOCClassifier\.coding\.design, of type DataFrame"),
    ],
)
def test_what_no_file_can_hold_is_an_error_that_names_it(bad, message, tmp_path):
    (tmp_path / "model").write_text("earlier")
    with pytest.raises(TypeError, match=message):
        save(ECOCClassifier(SVC(), coding=bad), tmp_path / "model")
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model").read_text() == "earlier"


def test_a_model_that_holds_itself_is_an_error(tmp_path):
    cyclic = ECOCClassifier(SVC())
    cyclic.note = [cyclic]
    with pytest.raises(TypeError, match="cannot save ECOCClassifier: one of its parts refers to itself"):
        save(cyclic, tmp_path / "model")


def test_a_failed_write_leaves_the_earlier_file(small, monkeypatch):
    before = small.read_bytes()

    def fail(*args):
        raise OSError("disk full")

    for target, name in ((os, "replace"), (Path, "write_bytes")):
        with monkeypatch.context() as context:
            context.setattr(target, name, fail)
            with pytest.raises(OSError, match="disk full"):
                save(ECOCClassifier(SVC()), small)
        assert [p.name for p in small.parent.iterdir()] == [small.name]
        assert small.read_bytes() == before
    save(ECOCClassifier(SVC(C=7)), str(small))
    assert load(str(small)).estimator.C == 7


def test_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder .*there to save model"):
        save(ECOCClassifier(SVC()), tmp_path / "there" / "model")


def test_without_skops(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for call in (lambda: save(ECOCClassifier(SVC()), tmp_path / "model"), lambda: load(tmp_path / "model")):
        with pytest.raises(ImportError, match=r"pip install 'ecoc\[save\]'"):
            call()


def test_importing_costs_no_skops():
    code = "import ecoc.utils.persistence, sys; assert not {'skops', 'sklearn'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_feature_names_are_kept(tmp_path):
    data = load_iris(as_frame=True)
    saved = ECOCClassifier(LogisticRegression(max_iter=1000), random_state=0).fit(data.data, data.target)
    save(saved, str(tmp_path / "iris"))
    found = load(str(tmp_path / "iris"))
    np.testing.assert_array_equal(found.feature_names_in_, saved.feature_names_in_)
    np.testing.assert_array_equal(found.predict_proba(data.data), saved.predict_proba(data.data))
