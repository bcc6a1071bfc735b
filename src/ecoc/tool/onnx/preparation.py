"""Inputs of the graph, and nodes of the transformers before the classifier, all in double precision."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

from ecoc.tool.onnx.graph import ML, OWN, Graph, Value
from ecoc.tool.onnx.other import convert
from ecoc.utils.exceptions import ExportError

DOUBLE = np.float64
OUTPUTS = ("label", "probabilities", "scores", "columns", "top_labels", "top_values", "sets")
MISSING = ""  # a text cell that is missing


class Single(NamedTuple):
    """A column of a table, of shape (n_samples, 1); `fill` takes the place of missing text."""

    tensor: str
    is_text: bool
    fill: str | None = None


@dataclass
class Table:
    """Features: a matrix in double precision, or single columns, some of which are text."""

    graph: Graph
    n: int
    matrix: str | None = None
    singles: Sequence[Single] = ()
    given: str | None = None  # the matrix as the user gives it, if nothing has changed it
    _cast: dict[Any, str] = field(default_factory=dict)

    def numbers(self) -> str:
        """Return the features as a matrix in double precision."""
        if self.matrix is None:
            texts = [i for i, single in enumerate(self.singles) if single.is_text]
            if texts:
                raise ExportError(
                    f"column {texts[0]} is text; encode it before the classifier, e.g. with OneHotEncoder."
                )
            joined = [single.tensor for single in self.singles]
            self.matrix = joined[0] if len(joined) == 1 else str(self.graph.add("Concat", *joined, axis=1))
        return self.matrix

    def in_arithmetic(self) -> str:
        """Return the features in the precision of the learners' arithmetic."""
        graph = self.graph
        if graph.dtype == DOUBLE:
            return self.numbers()
        if self.given is not None and graph.inputs[0].dtype == graph.dtype:
            return self.given
        if graph.dtype not in self._cast:
            self._cast[graph.dtype] = graph.cast(self.numbers(), graph.dtype)
        return self._cast[graph.dtype]

    def part(self, places: Sequence[int]) -> "Table":
        """Return some of the columns."""
        if self.matrix is None:
            return Table(self.graph, len(places), singles=[self.singles[i] for i in places])
        if list(places) == list(range(self.n)):
            return self
        return Table(self.graph, len(places), self.graph.columns(self.matrix, places))


def is_text_column(values: Any) -> bool:
    """Tell whether a column holds text: a string that is no number is enough."""
    values = np.asarray(values)
    return values.dtype.kind in "OUST" and any(isinstance(value, str) for value in values.tolist())


def input_columns(X: Any) -> list[NDArray[Any]] | None:
    """Return the columns of a sample if one of them is text; None if it is a matrix of numbers."""
    if hasattr(X, "columns"):
        columns = [np.asarray(X[name]) for name in X.columns]
    else:
        X = np.asarray(X)
        if X.dtype.kind not in "OUST":
            return None
        columns = list(X.T)
    return columns if any(map(is_text_column, columns)) else None


def make_inputs(graph: Graph, X: Any, n_features: int, names: Sequence[str] | None, dtype: Any) -> Table:
    """Add the inputs of the graph: one matrix of numbers, or an input for each column of a table with text."""
    columns = input_columns(X)
    if columns is None:
        graph.inputs.append(Value("X", dtype, n_features))
        return Table(graph, n_features, "X" if np.dtype(dtype) == DOUBLE else graph.cast("X", DOUBLE), given="X")
    singles = []
    for name, values in zip(input_names(names, len(columns)), columns):
        text = is_text_column(values)
        graph.inputs.append(Value(name, str if text else dtype, 1))
        double = text or np.dtype(dtype) == DOUBLE
        singles.append(Single(name if double else graph.cast(name, DOUBLE), text))
    return Table(graph, n_features, singles=singles)


def input_names(names: Sequence[str] | None, n: int) -> list[str]:
    """Return names of inputs: those of the columns, where they are usable and no others have them."""
    given = [str(name) for name in names] if names is not None else [""] * n
    usable = {name for name in given if name.strip() and given.count(name) == 1}
    usable = {name for name in usable if not name.startswith(OWN) and name not in OUTPUTS}
    return [name if name in usable else _free(f"column_{i}", usable) for i, name in enumerate(given)]


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def prepared(table: Table, step: Any) -> Table:
    """Return the features that a fitted transformer makes."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return table
    if isinstance(step, Pipeline):
        for _, each in step.steps:
            table = prepared(table, each)
        return table
    with table.graph.scope(type(step).__name__):
        own = _OWN.get(type(step))
        made = None if own is None else own(table, step)
        if made is not None:
            return made
        return _by_skl2onnx(table, step)


def unwrapped(model: Any) -> tuple[list[Any], Any]:
    """Return the steps before the model at the end of pipelines and searches, and this model."""
    steps: list[Any] = []
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline):
            steps += [step for _, step in model.steps[:-1] if step is not None and step != "passthrough"]
            model = model.steps[-1][1]
        else:
            return steps, model


def _by_skl2onnx(table: Table, step: Any) -> Table:
    """Return the features that skl2onnx makes; in single precision, if its nodes for double precision are wrong."""
    graph, X = table.graph, table.numbers()
    try:
        (found,) = convert(graph, step, X, table.n, DOUBLE)[:1]
    except ExportError:
        (found,) = convert(graph, step, graph.cast(X, np.float32), table.n, np.float32)[:1]
    return Table(graph, len(step.get_feature_names_out()), graph.cast(found, DOUBLE))


def _column_transformer(table: Table, step: Any) -> Table:
    made = []
    names = getattr(step, "feature_names_in_", None)
    for name, part, columns in step.transformers_:
        places = _places(columns, names, table.n)
        if not places or (isinstance(part, str) and part == "drop"):
            continue
        with table.graph.scope(name.replace("/", "_")):
            made.append(prepared(table.part(places), part))
    if len(made) == 1:
        return made[0]
    joined = str(table.graph.add("Concat", *(each.numbers() for each in made), axis=1))
    return Table(table.graph, sum(each.n for each in made), joined)


def _places(columns: Any, names: Any, n: int) -> list[int]:
    """Return the positions of columns that are given as a slice, a mask, positions or names."""
    if isinstance(columns, slice) and not any(isinstance(end, str) for end in (columns.start, columns.stop)):
        return list(range(n))[columns]
    chosen = [columns] if isinstance(columns, str | int) else list(columns)
    if chosen and isinstance(chosen[0], bool | np.bool_):
        return np.flatnonzero(chosen).tolist()
    order = {} if names is None else {name: i for i, name in enumerate(names)}
    return [order[column] if isinstance(column, str) else int(column) for column in chosen]


def _imputer(table: Table, step: Any) -> Table | None:
    text = table.matrix is None and any(single.is_text for single in table.singles)
    if step.add_indicator:
        return None
    if text:
        filled = [single._replace(fill=str(fill)) for single, fill in zip(table.singles, step.statistics_)]
        return replace(table, singles=filled)
    if not (isinstance(step.missing_values, float) and np.isnan(step.missing_values)):
        return None
    fills = np.asarray(step.statistics_, dtype=DOUBLE)
    if np.isnan(fills).any():  # such columns are dropped
        table, fills = table.part(np.flatnonzero(~np.isnan(fills)).tolist()), fills[~np.isnan(fills)]
    graph, X = table.graph, table.numbers()
    filled = graph.add("Where", graph.add("IsNaN", X), graph.number(fills, DOUBLE), X)
    return Table(graph, table.n, str(filled))


def _affine(table: Table, op: str, shift: Any, scale: Any) -> Table:
    graph, X = table.graph, table.numbers()
    if shift is not None:
        X = graph.add("Sub", X, graph.number(shift, DOUBLE))
    if scale is not None:
        X = graph.add(op, X, graph.number(scale, DOUBLE))
    return Table(graph, table.n, str(X))


def _standard_scaler(table: Table, step: Any) -> Table:
    return _affine(table, "Div", step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None)


def _min_max_scaler(table: Table, step: Any) -> Table | None:
    if step.clip:
        return None
    graph = table.graph
    X = graph.add("Mul", table.numbers(), graph.number(step.scale_, DOUBLE))
    return Table(graph, table.n, str(graph.add("Add", X, graph.number(step.min_, DOUBLE))))


def _max_abs_scaler(table: Table, step: Any) -> Table | None:
    return None if getattr(step, "clip", False) else _affine(table, "Div", None, step.scale_)


def _one_hot(table: Table, step: Any) -> Table | None:
    """Return a feature for each category of text; rare ones share the last, and an unknown one has none."""
    if table.matrix is not None or not all(single.is_text for single in table.singles):
        return None
    if step.drop is not None:
        raise ExportError(f"OneHotEncoder(drop={step.drop!r}) cannot be exported; drop=None can.")
    graph, parts, total = table.graph, [], 0
    rare = getattr(step, "infrequent_categories_", None) or [None] * table.n
    for single, categories, infrequent in zip(table.singles, step.categories_, rare):
        places, width = _category_places(categories, infrequent, single.fill)
        otherwise = width - 1 if infrequent is not None and step.handle_unknown == "infrequent_if_exist" else -1
        code = graph.add(
            "LabelEncoder",
            single.tensor,
            domain=ML,
            keys_strings=list(places),
            values_int64s=list(places.values()),
            default_int64=otherwise,
        )
        hot = graph.add("Equal", code, np.arange(width)[None, :])
        parts.append(graph.cast(hot, DOUBLE))
        total += width
    return Table(graph, total, parts[0] if len(parts) == 1 else str(graph.add("Concat", *parts, axis=1)))


def _category_places(categories: Any, infrequent: Any, fill: str | None) -> tuple[dict[str, int], int]:
    """Return the feature of each category, and the number of features; an empty cell has the feature of the fill."""
    rare = set() if infrequent is None else set(infrequent.tolist())
    common = [category for category in categories.tolist() if category not in rare]
    places = {_as_text(category): i for i, category in enumerate(common)}
    places |= {_as_text(category): len(common) for category in categories.tolist() if category in rare}
    if fill is not None and fill in places:
        places[MISSING] = places[fill]
    return places, len(common) + bool(rare)


def _as_text(category: Any) -> str:
    return category if isinstance(category, str) else MISSING  # None or NaN


_OWN: dict[type, Callable[[Table, Any], Table | None]] = {
    ColumnTransformer: _column_transformer,
    SimpleImputer: _imputer,
    StandardScaler: _standard_scaler,
    MinMaxScaler: _min_max_scaler,
    MaxAbsScaler: _max_abs_scaler,
    OneHotEncoder: _one_hot,
}
