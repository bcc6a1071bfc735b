"""What is new in a release? Print its section of CHANGELOG.md; an error if tag, version and change log differ."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def section(changelog: str, version: str) -> str:
    """Return what CHANGELOG.md says about a version, without its heading, which must have the release's date."""
    parts = re.split(r"^## (.+)$", changelog, flags=re.MULTILINE)
    sections = {heading.split()[0]: (heading, text.strip()) for heading, text in zip(parts[1::2], parts[2::2])}
    if version not in sections:
        raise SystemExit(f"CHANGELOG.md has no section for {version}; it has {', '.join(sections)}.")
    heading, text = sections[version]
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d{{2}}-\d{{2}}\)", heading):
        raise SystemExit(f"CHANGELOG.md must date the release, e.g. '## {version} (2030-01-31)'; got '## {heading}'.")
    if not text:
        raise SystemExit(f"CHANGELOG.md says nothing about {version}.")
    return text


def main(tag: str) -> str:
    """Return the notes for a tag such as ``v0.3.0``."""
    source = (ROOT / "src" / "ecoc" / "__init__.py").read_text(encoding="utf-8")
    version = re.findall(r'^__version__ = "(.+)"$', source, flags=re.MULTILINE)[0]
    if tag != f"v{version}":
        raise SystemExit(f"the tag is {tag}, but ecoc.__version__ is {version}.")
    return section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)


if __name__ == "__main__":
    print(main(sys.argv[1]))
