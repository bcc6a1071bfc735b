"""Export a saved model to ONNX, and show what is in such a file."""

from pathlib import Path
from typing import Any

import ecoc
from ecoc.tool.cli.models import column_layout, columns_in_order
from ecoc.tool.onnx.files import draw_samples, read_facts
from ecoc.tool.tables.preparation import features_like
from ecoc.tool.tables.reading import open_table
from ecoc.tool.tables.writing import write_output

ONNX_ENDINGS = (".onnx",)


def samples_for(model: Any, data: Path | None, format: dict[str, Any]) -> Any:
    """Return samples to verify the graph with: those of a table, or random ones."""
    if data is None:
        return draw_samples(model)
    names, text, n_features = column_layout(model)
    as_text = [names[place] for place in sorted(text) if names is not None]
    return features_like(open_table(data, as_text=as_text, **format), data.name, names, text, n_features)


def export_model(model: Any, out: Path, X: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Write an ONNX file if its graph predicts what the model predicts, and return its facts."""
    with columns_in_order():
        content = ecoc.to_onnx(model, X, **options)
    write_output(out, content)
    return read_facts(out)[0]
