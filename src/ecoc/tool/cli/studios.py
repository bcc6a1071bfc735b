"""Open the studio for a table or a model: serve it to a browser on this machine, or write it as a page."""

import os
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

import ecoc
from ecoc.inspection.studio.page import copy_page
from ecoc.inspection.studio.server import StudioServer
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.subject import Subject
from ecoc.tool.cli import models, parsing, scores
from ecoc.tool.cli.options import command_line, typed
from ecoc.tool.cli.printing import say, status
from ecoc.tool.comparison.learners import make_learner
from ecoc.tool.tables.preparation import named
from ecoc.tool.tables.writing import check_output, write_output
from ecoc.utils.estimators import last_step

_MODEL = ".skops"


@dataclass(frozen=True)
class Wanted:
    """Options of a studio: its address or file, and what it saves."""

    save: Path | None
    page: Path | None
    state: Path | None
    browser: bool
    port: int


def check(file: Path, data: Path | None, wanted: Wanted) -> None:
    """Raise an error before the work begins if a file cannot be written."""
    given = list(filter(None, (file, data)))
    if wanted.page is not None:
        check_output(wanted.page, (".html",), given)
    if wanted.state is not None:
        check_output(wanted.state, (".json",), given)
    if wanted.save is not None:
        for table in given:
            models.check_model_file(wanted.save, table)


def from_table(context: typer.Context, data: Path, target: str | None, learner: str, **options: Any) -> Session:
    """Make the session of a table; trained models take the table's columns."""
    estimator = make_learner(learner)
    samples, dropped = parsing.read_rows(data, target, options["drop"], options["drop_like_id"], options["format"])
    pipeline = models.make_pipeline(samples, ecoc.ECOCClassifier(estimator, random_state=options["seed"]))
    words = ["ecoc", "fit", *typed(context, only=("file", "target", "sep", "decimal", "encoding"))]
    words += ["--learner", learner, *(word for name in dropped for word in ("--drop", name))]
    words += [] if options["seed"] == 0 else ["--seed", str(options["seed"])]
    subject = Subject.from_samples(
        samples.X, samples.y, pipeline, command=words, distances_code="", source=f"{data.name}: {len(samples.y):,} rows"
    )

    def finish(model: Any) -> None:
        named(model.steps[0][1], samples.names)
        model.target_name_ = samples.target

    return Session(subject, command_line, _saver(options["save"], finish), _watcher(data))


def from_model(
    context: typer.Context,
    file: Path,
    data: Path | None,
    target: str | None,
    trust: Sequence[str] | None,
    **options: Any,
) -> Session:
    """Make the session of a saved model, with the rows of a table if there is one."""
    model = models.load_model(file, trust)
    words, source = ["ecoc", "fit", "DATA.csv"], f"{file.name}"
    X = y = None
    if data is not None:
        X, y, *_ = scores.labelled_samples(model, data, target, options["format"])
        words = ["ecoc", "fit", str(data), *typed(context, only=("target", "sep", "decimal", "encoding"))]
        source += f" on {data.name}: {len(y):,} rows"
    with models.columns_in_order():
        subject = Subject.from_model(model, X, y, command=words, distances_code="", source=source)

    def finish(new: Any) -> None:
        if hasattr(model, "feature_names_in_") and hasattr(new, "steps"):
            named(new.steps[0][1], list(model.feature_names_in_))
        if hasattr(model, "target_name_"):
            new.target_name_ = model.target_name_

    return Session(subject, command_line, _saver(options["save"], finish), _watcher(data or file))


def is_model(file: Path) -> bool:
    """Tell whether a file is a saved model, by its name."""
    return file.suffix.lower() == _MODEL


def show(session: Session, title: str, wanted: Wanted) -> None:
    """Write the page and end, or serve it until Ctrl-C."""
    if wanted.page is not None:
        with status("designing"):
            page = copy_page(title, session.snapshot())
        write_output(wanted.page, page.encode("utf-8", "replace"))
        say(f"{wanted.page}: the studio as a page, to open in a browser: {wanted.page.resolve().as_uri()}")
        return
    server = StudioServer(session, title, wanted.port, wanted.state)
    say(f"The studio is at {server.address}", flush=True)
    say("Only this machine can open it, and only with the whole address. Ctrl-C ends it.", flush=True)
    if wanted.browser and not webbrowser.open(server.address):
        say("No browser was found: open the address yourself.", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say(
            "\nThe studio is closed."
            + (f" {wanted.save} has the model." if session.model is not None and wanted.save else "")
        )
    finally:
        session.close()
        server.server_close()


def _saver(path: Path | None, finish: Any) -> Any:
    """Return a function that saves a trained model and returns a sentence for the page."""

    def save(model: Any) -> str:
        finish(model)
        if path is None:
            return "To keep the model, start the studio with --save model.skops, or run the command below."
        try:
            models.save_model(model, path)
        except (ValueError, TypeError, ImportError) as error:
            return f"The model was not saved: {error}"
        return f"The model is saved: {path}. It has {last_step(model).n_columns_} binary classifiers."

    return save


def _watcher(path: Path) -> Any:
    """Return a function that reports whether a file has changed since now."""
    if not path.exists():
        return lambda: ""
    before = os.stat(path).st_mtime_ns

    def changed() -> str:
        now = os.stat(path).st_mtime_ns if path.exists() else None
        if now == before:
            return ""
        told = f"{path.name} has changed since the studio was opened; the page shows it as it was."
        return f"{told} Start the studio again to see the change."

    return changed
