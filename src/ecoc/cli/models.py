"""Which model do the options ask for? Learner, coding and wishes by name, and the pipeline around them."""

import warnings
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.tables import Samples, check_output, make_preparation, named
from ecoc.utils.scikit import check_parameters
from ecoc.utils.suggest import nearest, unknown_name

LEARNERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "svc": ("sklearn.svm", "SVC", {}),
    "linear_svc": ("sklearn.svm", "LinearSVC", {}),
    "logistic": ("sklearn.linear_model", "LogisticRegression", {"max_iter": 1000}),
    "ridge": ("sklearn.linear_model", "RidgeClassifier", {}),
    "knn": ("sklearn.neighbors", "KNeighborsClassifier", {"algorithm": "brute"}),
    "tree": ("sklearn.tree", "DecisionTreeClassifier", {}),
    "forest": ("sklearn.ensemble", "RandomForestClassifier", {}),
    "boosting": ("sklearn.ensemble", "HistGradientBoostingClassifier", {}),
}
BOOK_ENDINGS = (".csv", ".npz")


def make_learner(text: str) -> Any:
    """The binary learner of a name, or of a name with parameters such as ``svc:C=10,gamma=0.1``."""
    name, _, rest = text.partition(":")
    if name not in LEARNERS:
        raise ValueError(unknown_name("learner", name, LEARNERS))
    module, kind, parameters = LEARNERS[name]
    learner = getattr(import_module(module), kind)(**parameters)
    for setting in filter(None, rest.split(",")):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or key not in learner.get_params():
            known = ", ".join(learner.get_params())
            raise ValueError(
                f"learner {name!r} has no parameter {setting!r}; write e.g. svc:C=10, with one of {known}."
            )
        learner.set_params(**{key: parse_value(value)})
    check_parameters(learner)
    return learner


def parse_columns(text: str | None) -> str | int | float | None:
    """A number of columns: ``auto``, ``rank``, a number, or a share of the number of classes such as 0.5."""
    if text is None or text in ("auto", "rank"):
        return text
    value = parse_value(text)
    if not isinstance(value, int | float) or not value > 0:
        raise ValueError(
            f"--columns is auto, rank, a number such as 12, or a share of the classes such as 0.5; got {text!r}."
        )
    return value


@dataclass(frozen=True)
class Wishes:
    """Pairs of classes to be told apart, and how many columns are to do it at least."""

    apart: dict[Any, str]
    distances: dict[Any, int]

    def pairs(self, labels: Iterable[Any]) -> list[tuple[Any, Any]]:
        """All pairs that are meant; a single class means those with any other."""
        keys = [
            key if isinstance(key, tuple) else (key, other) for key in self.apart for other in labels if other != key
        ]
        return list(dict.fromkeys((a, b) if str(a) < str(b) else (b, a) for a, b in keys))


def parse_wishes(texts: Sequence[str] | None, labels: Iterable[Any]) -> Wishes:
    """What ``cat:dog``, ``cat:dog=5`` or ``cat`` ask for; the labels may hold colons themselves."""
    known = {str(label): label for label in labels}
    wishes = Wishes({}, {})
    for text in texts or ():
        pair, equals, number = text, "", ""
        found = _pairs_in(text, known)
        if not found and text not in known and "=" in text:
            pair, equals, number = text.rpartition("=")
            if not number.strip().isdigit():
                raise ValueError(f"--protect {text}: after = comes a number of classifiers, e.g. cat:dog=5.")
            found = _pairs_in(pair, known)
        if not found and pair not in known:
            parts = pair.split(":", 1)
            wrong = next((part for part in parts if part not in known), pair)
            close = nearest(wrong, known, n=3) or list(known)[:8]
            raise ValueError(f"--protect {text}: there is no class {wrong!r}; the closest are {', '.join(close)}.")
        if found and found[0][0] == found[0][1]:
            raise ValueError(f"--protect {text}: a class cannot be told from itself; name two.")
        key = (known[found[0][0]], known[found[0][1]]) if found else known[pair]
        wishes.apart[key] = "apart"
        if equals:
            wishes.distances[key] = int(number)
    return wishes


def _pairs_in(text: str, known: Container[str]) -> list[tuple[str, str]]:
    """Ways to split a text at a colon into two of the known labels."""
    splits = ((text[:i], text[i + 1 :]) for i, mark in enumerate(text) if mark == ":")
    return [(a, b) for a, b in splits if a in known and b in known]


def make_coding(
    name: str,
    labels: Sequence[Any],
    columns: str | None = None,
    allocation: str | None = None,
    min_distance: int | None = None,
    wishes: Wishes | None = None,
) -> Any:
    """The coding of a name with the parameters that were given, or the code book of a file."""
    from ecoc.coding import get_coding

    given = {
        "n_columns": parse_columns(columns),
        "allocation": None if allocation is None else parse_value(allocation),
        "min_distance": min_distance,
        "wishes": wishes.apart if wishes and wishes.apart else None,
    }
    if wishes and wishes.distances:
        given["min_distance"] = {**wishes.distances, "default": min_distance or 1}
    given = {key: value for key, value in given.items() if value is not None}
    options = {
        "n_columns": f"--columns {columns}",
        "allocation": "--allocation",
        "min_distance": "--min-distance",
        "wishes": "--protect",
    }
    if name.lower().endswith(BOOK_ENDINGS):
        if given:
            raise ValueError(f"a code book from a file is taken as it is: leave out {options[next(iter(given))]}.")
        return _book(Path(name), labels)
    coding = get_coding(name)
    for key in given:
        if key not in coding.get_params() or (given[key] in ("auto", "rank") and name != "ecf"):
            raise ValueError(f"coding {name!r} does not take {options[key]}; leave it out, or use --coding ecf.")
    return coding.set_params(**given)


def make_model(samples: Samples, classifier: Any) -> Any:
    """Fit a pipeline that takes the table's columns by name, and knows what its target was called."""
    from sklearn.pipeline import Pipeline

    model = Pipeline([("columns", make_preparation(samples.is_text)), ("classifier", classifier)])
    model.fit(samples.X, samples.y)
    named(model.steps[0][1], samples.names)
    model.target_name_ = samples.target
    return model


def load_model(path: Path, trust: Sequence[str] | None = None) -> Any:
    """Read a model; a type that is not known is named with the option that trusts it."""
    import ecoc
    from ecoc.persistence import untrusted_types

    try:
        model = ecoc.load(path, trusted=list(trust or ()))
    except ecoc.PersistenceError as error:
        text, unknown, _ = str(error).partition("; if you trust them")
        if not unknown:
            raise
        options = trust_options(untrusted_types(path))
        raise ValueError(f"{text}; if you trust them, and whoever made the file, add {options}") from None
    if not hasattr(final(model), "classes_"):
        raise ValueError(
            f"{path} holds {type(model).__name__}, but no classifier that was fitted; fit it, then save it."
        )
    return model


def trust_options(types: Iterable[str]) -> str:
    """Options of ``ecoc predict`` that open a file with these types."""
    return " ".join(f"--trust {name}" for name in types)


def save_model(model: Any, path: Path) -> None:
    """Write a model; an error of the disk says which file could not be written."""
    import ecoc

    check_output(path)
    try:
        ecoc.save(model, path)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}.") from error


def layout(model: Any) -> tuple[list[str] | None, set[int], int]:
    """Names of a model's columns, if it knows any; the places of those that are text; and their number."""
    names = getattr(model, "feature_names_in_", None)
    steps = getattr(model, "steps", [("", model)])
    text = {i for name, _, columns in getattr(steps[0][1], "transformers_", ()) if name == "text" for i in columns}
    return None if names is None else list(names), text, int(model.n_features_in_)


def final(model: Any) -> Any:
    """The classifier at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def quietly(function: Any, X: NDArray[Any]) -> Any:
    """Call a method with an array whose columns have been put in the model's order by name."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names", category=UserWarning)
        return function(X)


def _book(path: Path, labels: Sequence[Any]) -> Any:
    from ecoc import CodeBook

    if not path.is_file():
        raise ValueError(f"there is no code book {path}; ecoc design makes one.")
    book = CodeBook.load(path)
    known = {str(label): label for label in labels}
    if book.is_labelled and {str(label) for label in book.labels.tolist()} == set(known):
        return book.with_labels([known[str(label)] for label in book.labels.tolist()])
    return book


def parse_value(text: str) -> Any:
    """A number, true, false or none if it reads like one, else the text."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def classes_of(y: NDArray[Any]) -> list[Any]:
    """The classes as plain values, in order."""
    return list(np.unique(y).tolist())
