"""Reports with class names, titles and cells that are scripts: none of them runs.

Every page is parsed. Where Chromium is installed, it also opens the page, and runs what there is to run.
"""

import html.parser
from functools import cache

import numpy as np
from sklearn.linear_model import Ridge

from ecoc import ECOCClassifier, report
from ecoc.inspection.reporting import page, table
from tests.browser import CHROMIUM, browser

PAYLOADS = (
    "<script>{}</script>",
    "</script><script>{}</script>",
    '"><script>{}</script>',
    "'><script>{}</script>",
    "<img src=x onerror={}>",
    '" onmouseover="{}" autofocus onfocus="{}" x="',
    "<svg onload={}>",
    "<svg><animate onbegin={} attributeName=x dur=1s>",
    "<details open ontoggle={}>",
    "<iframe srcdoc='<script>parent.{}</script>'>",
    "<body onload={}>",
    "<!--<script>{}</script>",
    "--><script>{}</script>",
    "]]><script>{}</script>",
    "<style onload={}></style>",
    "</title><script>{}</script>",
    "</style><script>{}</script>",
    "</textarea><script>{}</script>",
    "${{{}}}",
    "$body {}",
    "`;{}//",
    "\\u003cscript\\u003e{}\\u003c/script\\u003e",
    "\u2028{}//",
    "&lt;script&gt;{}&lt;/script&gt;",
    "javascript:{}",
    '\\");{}//',
    "<a href='javascript:{}'>x</a>",
    "<math><mtext></math><img src=x onerror={}>",
    "é中\U0001f600<script>{}</script>",
)
ACTION = "document.documentElement.setAttribute('data-attacked',1)"


class Tags(html.parser.HTMLParser):
    """The tags of a page, and the names of attributes that run scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.handlers = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.handlers += [name for name, value in attrs if name.startswith("on") or "javascript:" in (value or "")]


def draw_names(rng, k):
    """Class names, of which most are payloads."""
    chosen = rng.choice(len(PAYLOADS), size=k, replace=False)
    pieces = [PAYLOADS[i].replace("{}", ACTION).replace("{{", "{").replace("}}", "}") for i in chosen]
    return [piece if rng.random() < 0.9 else f"{piece[: len(piece) // 2]}{i}" for i, piece in enumerate(pieces)]


@cache
def samples():
    y = np.arange(60) % 6
    return np.random.default_rng(0).normal(size=(60, 4)) + y[:, None], y


def make_pages(names, title):
    X, y = samples()
    labels = np.array(names, dtype=object)[y]
    model = ECOCClassifier(Ridge(), coding="ova", random_state=0).fit(X, labels)
    rows = [{title: names[0], names[1]: names[2]}, {title: names[3], names[1]: 1.0}]
    return report(model, X, labels, title=title), page(title, [table("t", title, rows, lead=names[4])], note=names[5])


@cache
def plain_tags():
    return [Tags(text).tags for text in make_pages([f"class {i}" for i in range(6)], "title")]


def attack(seed):
    rng = np.random.default_rng(seed)
    names = draw_names(rng, 6)
    for text, expected in zip(make_pages(names, names[rng.integers(6)]), plain_tags()):
        found = Tags(text)
        assert found.tags == expected, f"tags differ with {names}"
        assert not found.handlers, f"{found.handlers} with {names}"
        if CHROMIUM is not None:
            browse(text, names)
    return "parsed" if CHROMIUM is None else "parsed and opened in Chromium"


def opened(text):
    """Open a page in a new tab, let two seconds pass for it; return its DOM and what it wrote to the console."""
    path = browser().folder / "page.html"
    path.write_text(text, encoding="utf-8")
    with browser().tab() as tab:
        tab.open(path.as_uri())
        tab.call("Emulation.setVirtualTimePolicy", policy="advance", budget=2000)
        browser().wait("Emulation.virtualTimeBudgetExpired", tab.session)
        return tab.run("document.documentElement.outerHTML"), tab.complaints()


def browse(text, names):
    dom, told = opened(text)
    assert dom.endswith("</html>"), dom[-200:]
    assert "data-attacked=" not in dom, f"a script ran with {names}"  # an attribute, which no name holds
    assert not told, f"{told} with {names}"
