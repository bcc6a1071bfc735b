"""Read what an exported file says of itself, and draw samples to verify a file with."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer

from ecoc.codes.codebook import CodeBook
from ecoc.tool.onnx.export import source_of
from ecoc.utils.exceptions import ExportError
from ecoc.utils.optional import optional

_UNKNOWN = "(a category that training did not have)"


def read_facts(path: Path) -> tuple[dict[str, Any], CodeBook]:
    """Return what the metadata of an exported file say, and its code book.

    Parameters
    ----------
    path : Path
        A file that `to_onnx` made.

    Returns
    -------
    dict, CodeBook
        Facts by name, and the code book with the class labels.

    Raises
    ------
    ExportError
        If the file is no ONNX file, or another program made it.
    """
    onnx = optional("onnx", "reading ONNX files needs onnx", "'ecoc[onnx]'")
    try:
        model = onnx.load(path, load_external_data=False)
        found = {each.key.removeprefix("ecoc."): each.value for each in model.metadata_props}
        rows = [["-0+".index(sign) - 1 for sign in row] for row in found["code_book"].split("\n")]
        book = CodeBook(np.array(rows, dtype=np.int8), json.loads(found["classes"]))
    except Exception as error:  # protobuf raises errors of its own
        raise ExportError(f"{path} is no ONNX file that ecoc wrote ({type(error).__name__}).") from None
    facts: dict[str, Any] = {name: found.get(name) for name in ("learner", "coding", "decoding")}
    facts |= {name: json.loads(found.get(name, "null")) for name in ("classes", "columns", "target")}
    facts["inputs"] = [value.name for value in model.graph.input]
    facts["outputs"] = [value.name for value in model.graph.output]
    facts["nodes"] = len(model.graph.node)
    facts |= {name: found.get(name) for name in ("arithmetic", "opset", "verified", "version")}
    return {**facts, "bytes": path.stat().st_size}, book


def draw_samples(model: Any, n: int = 1000, seed: int = 0) -> NDArray[Any]:
    """Draw samples that look like those a model was trained on, as far as its first step tells.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a pipeline that ends in one.
    n : int, default=1000
        Number of samples.
    seed : int, default=0
        Seed.

    Returns
    -------
    ndarray of shape (n, n_features)
        Numbers around the means of a scaler, and categories of an encoder, some of them missing or unknown; standard
        normal numbers if there is neither.
    """
    rng, source = np.random.default_rng(seed), source_of(model)
    X = rng.normal(size=(n, int(source.model.n_features_in_)))
    first: Any = source.steps[0] if source.steps else None
    if hasattr(first, "mean_") and hasattr(first, "scale_"):
        return np.asarray(X * first.scale_ + first.mean_)
    if not isinstance(first, ColumnTransformer):
        return X
    table = X.astype(object)
    for _, part, places in first.transformers_:
        steps = [step for _, step in part.steps] if hasattr(part, "steps") else [part]
        for step in steps:
            if hasattr(step, "categories_"):
                for place, categories in zip(places, step.categories_):
                    table[:, place] = rng.choice([*map(str, categories), _UNKNOWN], n)
            elif getattr(step, "mean_", None) is not None and getattr(step, "scale_", None) is not None:
                table[:, places] = X[:, places] * step.scale_ + step.mean_
    table[rng.random(table.shape) < 0.05] = np.nan
    texts = any(isinstance(cell, str) for row in table for cell in row)
    return table if texts else table.astype(np.float64)
