"""``ecoc predict``: labels and probabilities for the rows of a table."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.tool.cli.errors import one_line
from ecoc.tool.cli.options import Data, Decimal, Encoding, Model, Sep, Trust, split
from ecoc.tool.cli.saying import say

_SETS = "Also the set of plausible classes, which holds the true one with this probability, such as 0.9."


@one_line()
def predict(
    model: Model,
    data: Data,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Where to: .csv, .csv.gz, .tsv, .jsonl, .parquet, .npz; - is stdout.")
    ] = Path("-"),
    keep: Annotated[str, typer.Option(help="Columns to copy before the predictions, with commas: id,name.")] = "",
    sets: Annotated[float | None, typer.Option(help=_SETS)] = None,
    spreadsheet_safe: Annotated[
        bool, typer.Option("--spreadsheet-safe", help="Quote text that a spreadsheet would run as a formula.")
    ] = False,
    trust: Trust = None,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines; with -o, a summary.")] = False,
) -> None:
    """Predict the class of each row of a table, with probabilities."""
    import numpy as np

    from ecoc.tool.cli.models import column_layout, load_model
    from ecoc.tool.cli.printing import show_json
    from ecoc.tool.cli.reading import format_options
    from ecoc.tool.tables import (
        PREDICTION_ENDINGS,
        check_output,
        features_like,
        open_table,
        predictions_as,
        write_output,
    )

    to_stdout = str(out) == "-"
    if not to_stdout:
        check_output(out, PREDICTION_ENDINGS, (model, data))
    fitted = load_model(model, trust)
    names, text, n_features = column_layout(fitted)
    kept = split(keep)
    as_text = [*kept, *(names[place] for place in sorted(text) if names is not None)]
    table = open_table(data, as_text=as_text, **format_options(sep, decimal, encoding))
    copied = _columns(table, kept, data.name)
    X = features_like(table, data.name, names, text, n_features)
    labels, probabilities = _predicted(fitted, X)
    plausible = None if sets is None else _plausible(fitted, X, sets)
    ending = ".jsonl" if json else ".csv"
    if not to_stdout:
        ending = max((e for e in PREDICTION_ENDINGS if out.name.lower().endswith(e)), key=len)
    classes = np.asarray(fitted.classes_)
    content = predictions_as(
        ending, labels, probabilities, classes, keep=copied, sets=plausible, spreadsheet_safe=spreadsheet_safe
    )
    if to_stdout:
        _print(content.decode())
        return
    write_output(out, content)
    if json:
        values, counts = np.unique(labels, return_counts=True)
        predicted = dict(zip(values.tolist(), counts.tolist()))
        show_json({"predictions": str(out), "rows": len(labels), "predicted": predicted})
    else:
        say(f"{out}: {len(labels):,} predictions")


def _print(content: str) -> None:
    """Print predictions: without control characters on a terminal, as they are for a program."""
    if sys.stdout.isatty():
        say(content.rstrip("\n"))
    else:
        sys.stdout.write(content)
    sys.stdout.flush()


def _columns(table: dict[str, Any], names: list[str], where: str) -> dict[str, Any]:
    """Return columns of a table by name; a name that is not there is answered with the nearest."""
    from ecoc.utils.suggest import unknown_name

    for name in names:
        if name not in table:
            raise ValueError(f"{where} has no such column to keep. {unknown_name('column', name, table)}")
    return {name: table[name] for name in names}


def _predicted(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the labels, and the probabilities if the model has any."""
    import numpy as np

    from ecoc.tool.cli.models import columns_in_order, final_step

    with columns_in_order():
        if not hasattr(model, "predict_proba"):
            return model.predict(X), None
        probabilities = model.predict_proba(X)
        if getattr(final_step(model), "cost_matrix_", None) is not None:
            return model.predict(X), probabilities
    return np.asarray(model.classes_)[probabilities.argmax(axis=1)], probabilities


def _plausible(model: Any, X: Any, confidence: float) -> Any:
    """Return the members of each row's set of classes."""
    from ecoc.tool.cli.models import columns_in_order, final_step

    classifier = final_step(model)
    if not hasattr(classifier, "predict_sets"):
        raise ValueError("--sets needs a model with a code, which ecoc fit makes unless --model is given.")
    with columns_in_order():
        prepared = model[:-1].transform(X) if classifier is not model else X
        return classifier.predict_sets(prepared, confidence)
