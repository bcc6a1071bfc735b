"""``ecoc predict``: labels and probabilities for the rows of a table."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.cli.errors import one_line
from ecoc.cli.options import Data, Model, Trust


@one_line()
def predict(
    model: Model,
    data: Data,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Where to: .csv, .csv.gz, .tsv, .jsonl, .parquet, .npz; - is stdout.")
    ] = Path("-"),
    trust: Trust = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines; with -o, a summary.")] = False,
) -> None:
    """Predict the class of each row of a table, with probabilities."""
    import numpy as np

    from ecoc.cli.models import column_layout, load_model
    from ecoc.cli.printing import show_json
    from ecoc.tables import PREDICTION_ENDINGS, check_output, features_like, open_table, predictions_as, write_output

    to_stdout = str(out) == "-"
    if not to_stdout:
        check_output(out, PREDICTION_ENDINGS, (model, data))
    fitted = load_model(model, trust)
    X = features_like(open_table(data), data.name, *column_layout(fitted))
    labels, probabilities = _predicted(fitted, X)
    ending = ".jsonl" if json else ".csv"
    if not to_stdout:
        ending = max((e for e in PREDICTION_ENDINGS if out.name.lower().endswith(e)), key=len)
    content = predictions_as(ending, labels, probabilities, np.asarray(fitted.classes_))
    if to_stdout:
        sys.stdout.write(content.decode())
        sys.stdout.flush()
        return
    write_output(out, content)
    if json:
        names, counts = np.unique(labels, return_counts=True)
        predicted = dict(zip(names.tolist(), counts.tolist()))
        show_json({"predictions": str(out), "rows": len(labels), "predicted": predicted})
    else:
        typer.echo(f"{out}: {len(labels):,} predictions")


def _predicted(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the labels, and the probabilities if the model has any."""
    import numpy as np

    from ecoc.cli.models import columns_in_order

    with columns_in_order():
        if not hasattr(model, "predict_proba"):
            return model.predict(X), None
        probabilities = model.predict_proba(X)
    return np.asarray(model.classes_)[probabilities.argmax(axis=1)], probabilities
