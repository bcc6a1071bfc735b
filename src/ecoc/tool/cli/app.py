"""The commands; each has a module of its own, which imports libraries when the command runs."""

from typing import Annotated

import typer

from ecoc.tool.cli.compare import compare
from ecoc.tool.cli.design import design
from ecoc.tool.cli.evaluate import evaluate
from ecoc.tool.cli.fit import fit
from ecoc.tool.cli.predict import predict
from ecoc.tool.cli.show import show

app = typer.Typer(
    help="Multi-class classification with error-correcting output codes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        import ecoc

        typer.echo(f"ecoc {ecoc.__version__}")
        raise typer.Exit


@app.callback()
def _ecoc(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


for _panel, _commands in (
    ("From a table to a model", (compare, fit, predict, evaluate)),
    ("Code books", (design, show)),
):
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)
