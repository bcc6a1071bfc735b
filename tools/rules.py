"""Write the tables of rules into docs/when.md: ``python tools/rules.py``."""

import re
from pathlib import Path

from ecoc.policy import BINS, CODING, DECODING, HELD_OUT, HELD_OUT_TOL, JUDGING, PLAIN, REFINEMENT, REHEARSAL

PAGE = Path(__file__).parents[1] / "docs" / "when.md"
TABLES = {
    "coding": CODING,
    "compare the learner's own multi-class fit": PLAIN,
    "decoding": DECODING,
    "held-out outputs": HELD_OUT,
    "least tolerance for held-out outputs": HELD_OUT_TOL,
    "bins of boosters": BINS,
}
TABLES |= {"refinement (columns up to which a code is fitted to the data)": REFINEMENT, "rehearsal": REHEARSAL}
TABLES["comparing decodings"] = JUDGING


def with_tables(page: str) -> str:
    """Return the page with its generated part made anew."""
    parts = [f"### {title.capitalize()}\n\n{rules.as_markdown()}" for title, rules in TABLES.items()]
    body = "\n".join(parts)
    return re.sub(r"(<!-- rules -->\n).*(<!-- end of rules -->)", lambda m: f"{m[1]}\n{body}\n{m[2]}", page, flags=re.S)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
