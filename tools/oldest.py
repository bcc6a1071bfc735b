"""Which versions does the project promise to work with at least? Print its lower bounds as constraints for pip."""

import re
import tomllib
from pathlib import Path


def constraints(project: dict) -> list[str]:
    """Return ``name==version`` for every ``name>=version`` of the dependencies and extras, marker or not."""
    extras = project["optional-dependencies"].values()
    requirements = {text for group in (project["dependencies"], *extras) for text in group}
    bounds = (re.fullmatch(r"([\w.-]+)>=([\w.]+)(;.*)?", text) for text in requirements)
    return sorted(f"{bound[1]}=={bound[2]}" for bound in bounds if bound)


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(constraints(tomllib.loads(text)["project"])))
