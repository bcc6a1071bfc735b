"""Find words that a scikit-learn user would not say, in pages, docstrings and messages: ``python tools/prose.py``."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = {  # what is written, and what to write
    r"\bshall\b": "should, or the plain present",
    r"\bheld back\b": "held out",
    r"\bha(?:s|ve) no say\b": "is ignored",
    r"\bflatters?\b": "favours, or say what narrows the gap",
    r"\b(?:is|are) (?:all )?level\b": "tie, or are tied",
    r"\bgains? (?:the )?most\b": "benefits most",
    r"\bin another way\b": "differently",
    r"\bcalled by what\b": "named after",
    r"\bone a core\b": "one per core",
    r"\bis wanted\b": "say what to do with it",
    r"\b(?:with|at) its defaults it has\b": "default settings average",
    r"\bdoes so too\b|\bdo so, too\b": "also does this",
    r"\b(?:a|the) newcomer\b": "a new user",
    r"\b(?:you|user) can mend\b|\b(?:is|are) mended\b": "fix",
    r"\bneither is worse by as much\b": "the other is not significantly worse",
    r"\bby (?:much|far) the\b": "say by how much",
    r"\butili[sz]es?\b": "uses",
    r"\bvery unique\b": "unique",
    r"\b(?:in order to)\b": "to",
    r"\bdue to the fact that\b": "because",
    r"\bdichotom(?:y|ies)\b": "column",
    r"\b(?:one|rows?|columns?|lines?) a (?:class|core|sample|row|column|pair)\b": "one per …, or one for each …",
    r"\bpassed over\b": "skipped",
    r"\bfor ever\b": "forever",
    r"\bwhat\b.{1,60}\bbought\b": "the effect of",
    r"\bwhat (?:it|they) brought\b": "the effect",
    r"\bsomebody\b": "someone",
    r"\bbegins? anew\b": "starts again",
    r"\bneed not be best\b": "may not be the best",
}
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|<!--.*?-->", re.MULTILINE | re.DOTALL)


def sentences() -> Iterator[tuple[str, str]]:
    """Yield a place and its prose: pages, the changelog, and docstrings and messages of the package."""
    for path in (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))):
        yield path.relative_to(ROOT).as_posix(), CODE.sub("", path.read_text("utf-8"))
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", re.sub("`.*?`", "", node.value)


def faults() -> Iterator[str]:
    """Yield each word that is on the list, with its place and what to write."""
    for place, text in sentences():
        for pattern, better in WORDS.items():
            for found in re.finditer(pattern, text, re.IGNORECASE):
                yield f"{place}: “{' '.join(found[0].split())}”: {better}"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "No word of the list is on the pages.")
    sys.exit(bool(found))
