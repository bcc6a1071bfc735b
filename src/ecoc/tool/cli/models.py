"""Fit a model to a table, save it, and load it again."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ecoc.tool.tables import Samples, make_preparation, named
from ecoc.utils.models import last_step


def fit_pipeline(samples: Samples, classifier: Any) -> Any:
    """Fit a pipeline that takes the table's columns by name, and knows what its target was called."""
    from sklearn.pipeline import Pipeline

    model = Pipeline([("columns", make_preparation(samples.is_text)), ("classifier", classifier)])
    model.fit(samples.X, samples.y)
    named(model.steps[0][1], samples.names)
    model.target_name_ = samples.target
    return model


def load_model(path: Path, trust: Sequence[str] | None = None) -> Any:
    """Read a model; an error names the types that are not known, with the option that trusts them."""
    import ecoc
    from ecoc.utils.persistence import untrusted_types

    try:
        model = ecoc.load(path, trusted=list(trust or ()))
    except ecoc.PersistenceError as error:
        text, unknown, _ = str(error).partition("; if you trust them")
        if not unknown:
            raise
        options = trust_options(untrusted_types(path))
        raise ValueError(f"{text}; if you trust them, and whoever made the file, add {options}") from None
    if not hasattr(final_step(model), "classes_"):
        raise ValueError(
            f"{path} holds {type(model).__name__}, but no classifier that was fitted; fit it, then save it."
        )
    return model


def trust_options(types: Iterable[str]) -> str:
    """Return the options of ``ecoc predict`` that open a file with these types."""
    return " ".join(f"--trust {name}" for name in types)


def save_model(model: Any, path: Path) -> None:
    """Write a model; an error of the disk says which file could not be written."""
    import ecoc

    try:
        ecoc.save(model, path)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}.") from error


def column_layout(model: Any) -> tuple[list[str] | None, set[int], int]:
    """Return the names of a model's columns, if it knows them; the places of text columns; and their number."""
    names = getattr(model, "feature_names_in_", None)
    steps = getattr(model, "steps", [("", model)])
    text = {i for name, _, columns in getattr(steps[0][1], "transformers_", ()) if name == "text" for i in columns}
    return None if names is None else list(names), text, int(model.n_features_in_)


def final_step(model: Any) -> Any:
    """Return the classifier at the end of a pipeline, or the model itself."""
    return last_step(model)


@contextmanager
def columns_in_order() -> Iterator[None]:
    """Silence the warning about missing names, for arrays whose columns are in the model's order already."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names", category=UserWarning)
        yield
