"""The command line ``ecoc``."""

import sys

from ecoc.tool.cli.errors import fail
from ecoc.utils.deprecation import moved_name


def main() -> None:
    """Run the command line; an error is one line, and the exit code is 2."""
    _write_utf8()
    try:
        from ecoc.tool.cli.app import app

        sys.exit(app(prog_name="ecoc", standalone_mode=False))
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        fail("the command line needs typer and rich: pip install 'ecoc[cli]'")
    except KeyboardInterrupt:
        fail("stopped", 130)
    except Exception as error:
        if not hasattr(error, "format_message"):  # only typer's errors about wrong arguments have it
            raise
        context = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(0)
        if sys.argv[1:2] in (["reproduce"], ["datasets"]):
            fail(f"{moved_name(sys.argv[1])} The command is ecoc-paper {sys.argv[1]}.")
        help_ = f"see {context.command_path} --help" if context is not None else "see ecoc --help"
        fail(f"{error.format_message().rstrip('.')}; {help_}")


def _write_utf8() -> None:
    """Write UTF-8 whatever the console's encoding, in which some characters of tables and labels may be missing."""
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("_", "-")
        if encoding not in ("utf-8", "utf8") and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
