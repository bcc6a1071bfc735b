"""Reports with class names, titles and cells that are scripts: none of them runs.

Every page is parsed. Where Chromium is installed, it also opens the page, and runs what there is to run.
"""

import atexit
import fcntl
import html.parser
import json
import os
import select
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge

from ecoc import ECOCClassifier, report
from ecoc.inspection.reporting import page, table

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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


class Browser:
    """Chromium without a window. It takes commands of the DevTools protocol through a pipe, so that it starts once."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._commands = os.pipe()
        self._answers, to_write = os.pipe()
        inherited = [fcntl.fcntl(file, fcntl.F_DUPFD, 10) for file in (to_read, to_write)]
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]

        def as_chromium_wants():
            os.dup2(inherited[0], 3)
            os.dup2(inherited[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *options, f"--user-data-dir={self._folder.name}"],
            preexec_fn=as_chromium_wants,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder.name},
        )
        for file in (to_read, to_write, *inherited):
            os.close(file)
        self._buffer, self._number, self._events = b"", 0, []
        self.path = Path(self._folder.name, "page.html")

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        self._folder.cleanup()

    def open(self, text):
        """Open a page in a new tab, let two seconds pass for it; return its DOM and what it wrote to the console."""
        self.path.write_text(text, encoding="utf-8")
        tab = self._call("Target.createTarget", url="about:blank")["targetId"]
        session = self._call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable", session)
        self._events = []
        self._call("Page.navigate", session, url=self.path.as_uri())
        self._wait("Page.loadEventFired")
        self._call("Emulation.setVirtualTimePolicy", session, policy="advance", budget=2000)
        self._wait("Emulation.virtualTimeBudgetExpired")
        dom = self._call("Runtime.evaluate", session, expression="document.documentElement.outerHTML")
        self._call("Target.closeTarget", targetId=tab)
        told = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return dom["result"]["value"], [event for event in self._events if event["method"] in told]

    def _call(self, method, session=None, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        message |= {} if session is None else {"sessionId": session}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._number:
            pass
        assert "result" in answer, answer
        return answer["result"]

    def _wait(self, method):
        while not any(event["method"] == method for event in self._events):
            self._receive()

    def _receive(self):
        """The next answer or event; events are kept."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], 180)
            more = os.read(self._answers, 1 << 16) if ready else b""
            assert more, "Chromium does not answer"
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer = json.loads(message)
        if "method" in answer:
            self._events.append(answer)
        return answer


@cache
def browser():
    started = Browser()
    atexit.register(started.close)
    return started


def browse(text, names):
    dom, told = browser().open(text)
    assert dom.endswith("</html>"), dom[-200:]
    assert "data-attacked=" not in dom, f"a script ran with {names}"  # an attribute, which no name holds
    assert not told, f"{told} with {names}"
