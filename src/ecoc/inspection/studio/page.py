"""Make the pages of the studio: one that a server sends, and one that is a separate file."""

import html
from base64 import b64encode
from hashlib import sha256
from typing import Any

from ecoc import __version__
from ecoc.inspection.embedding import as_json, file_text

_HEAD = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
_STYLE = """:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 90rem; padding: 1rem; background: #f3f5f7; color: #1b1f24; }
body { font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3; } }
"""

SERVED_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def source(name: str) -> str:
    """Return the text of a file of the studio."""
    return file_text("ecoc.inspection.studio", name)


def copy_script() -> str:
    """Return the module with what it needs to show a copy; its text is a script of the type "module"."""
    return source("studio.js") + source("copy.js")


def module_style() -> str:
    """Return the style of the module."""
    return source("studio.css")


def page_style() -> str:
    """Return the style of a page of the studio."""
    return _STYLE + module_style()


def served_page(title: str) -> str:
    """Return the page of a server, which sends style and scripts beside it."""
    return (
        f'<!doctype html>\n<html lang="en"><head>{_HEAD}<title>{html.escape(title)}</title>'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="studio.css"></head>\n'
        f'<body><main><h1>{html.escape(title)}</h1><div id="studio"></div></main>'
        '<script type="module" src="host.js"></script></body></html>\n'
    )


def copy_page(title: str, values: dict[str, Any]) -> str:
    """Return a read-only page that needs no server and no other file."""
    style, script = page_style(), copy_script()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    data = as_json({"readonly": True, **values})
    return (
        f'<!doctype html>\n<html lang="en"><head>{_HEAD}'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">'
        f"<title>{html.escape(title)}</title><style>{style}</style></head>\n"
        f'<body><main><h1>{html.escape(title)}</h1><div data-studio="data"></div></main>'
        f"<footer><small>ecoc {__version__}. This page is a copy of a studio.</small></footer>\n"
        f'<script type="application/json" id="data">{data}</script>\n'
        f'<script type="module">{script}</script></body></html>\n'
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
