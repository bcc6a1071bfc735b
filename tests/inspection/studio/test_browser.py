"""The studio in a real browser: served on this machine, as a widget, and as a copy; with mouse, keyboard and axe."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import Ridge

from ecoc.codes.codebook import CodeBook
from ecoc.inspection.studio.page import copy_page, source
from ecoc.inspection.studio.server import StudioServer
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.subject import Subject
from tests.browser import CHROMIUM, browser

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium")
X, Y = load_digits(return_X_y=True)
X, Y = X[:500] / 16, Y[:500]
EVIL = "</script><img src=x onerror='window.broken=1'>"
NAMES = np.array([EVIL, "one", "two", "שלוש ארבע", "four", "five", "six", "seven", "eight", "anamethatneverends" * 12])
STUDIO_COMMAND = (sys.executable, "-m", "ecoc", "studio")
STUDIO = "document.querySelector('.ecoc-studio')"
BUTTON = "[...document.querySelectorAll('.ecoc-studio button')].find(b => b.textContent === {!r})"


@pytest.fixture(scope="module")
def subject():
    return Subject.from_samples(X, NAMES[Y], Ridge(), command=["ecoc", "fit", "digits.csv"])


@pytest.fixture
def server(subject, tmp_path):
    saved = lambda model: f"It has {model.n_columns_} columns."  # noqa: E731
    served = StudioServer(Session(subject, trained=saved), "Digits", state_file=tmp_path / "design.json")
    thread = threading.Thread(target=served.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield served
    served.shutdown()
    served.server_close()
    served.session.close()


def press(tab, text):
    tab.run(BUTTON.format(text) + ".click()")


def settled(tab, more_than=0):
    """Wait for a certificate that is up to date."""
    tab.until(f"Number({STUDIO}?.dataset.answers || 0) > {more_than} && {STUDIO}.dataset.stage === 'final'")
    return tab.run(f"Number({STUDIO}.dataset.answers)")


def certificate(tab):
    return tab.run("document.querySelector('.certificate dl').textContent")


def quiet(tab, *allowed):
    assert tab.complaints() == []
    assert tab.run("typeof window.broken") == "undefined"
    assert [address for address in tab.addresses() if not address.startswith(("data:", "blob:", *allowed))] == []


@needs_chromium
def test_edit_undo_train_export_and_reload(server, tmp_path):
    with browser().tab() as tab:
        tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        tab.open(server.address)
        n, first = settled(tab), certificate(tab)
        assert tab.run(BUTTON.format("Undo") + ".disabled")

        # An edit with the selects and a button.
        tab.run("""(() => { const [a, b] = document.querySelectorAll('.wishes select');
            const pick = (select, text) => {
              select.value = [...select.options].find(o => o.textContent === text).value;
              select.dispatchEvent(new Event('change'));
            };
            pick(a, 'one'); pick(b, 'eight'); })()""")
        press(tab, "Apart")
        n = settled(tab, n)
        assert certificate(tab) != first
        assert "of 1" in certificate(tab)
        assert "one" in tab.run("document.querySelector('.wishes tbody').textContent")
        press(tab, "Undo")
        n = settled(tab, n)
        assert certificate(tab) == first
        press(tab, "Redo")
        n = settled(tab, n)

        # A search that is stopped leaves its draft.
        tab.run(f"{STUDIO}.dataset.stage = ''")
        press(tab, "Clear")
        tab.until(f"{STUDIO}.dataset.stage")
        press(tab, "Stop")
        assert tab.run("document.querySelector('.status').textContent").startswith("Stopped")
        press(tab, "Undo")
        n = settled(tab, n)

        # An edit with the mouse: a block of the matrix.
        box = tab.run("""(c => { c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect();
            return [r.left, r.top, r.width / 10]; })(document.querySelector('.matrix canvas'))""")
        x, y, cell = box
        tab.mouse("mousePressed", x + 0.5 * cell, y + 5.5 * cell)
        tab.mouse("mouseMoved", x + 1.5 * cell, y + 6.5 * cell)
        tab.mouse("mouseReleased", x + 1.5 * cell, y + 6.5 * cell)
        assert "4 pairs of 4 classes" in tab.run("document.querySelector('.chosen').textContent")
        press(tab, "Ignore")
        n = settled(tab, n)
        assert len(server.state["wishes"]) == 5

        # An edit with the keyboard alone.
        tab.run("document.querySelector('.matrix canvas').focus()")
        for key, modifiers in (("Home", 0), ("ArrowRight", 0), ("ArrowRight", 8), ("a", 0)):
            tab.press(key, modifiers)
        n = settled(tab, n)
        assert tab.run("document.querySelector('.wishes tbody').textContent").count("apart") >= 2

        # A reload keeps the design; so does the file.
        shown = certificate(tab)
        tab.reload()
        settled(tab)
        assert certificate(tab) == shown
        assert json.loads((tmp_path / "design.json").read_text())["wishes"] == server.state["wishes"]

        # The files.
        press(tab, "Save the code book (CSV)")
        press(tab, "Picture of the code book")
        press(tab, "Picture of the map")
        files = [tmp_path / name for name in ("code.csv", "code-book.png", "map.png")]
        end = time.monotonic() + 20
        while not all(file.exists() and file.stat().st_size for file in files):
            assert time.monotonic() < end
            time.sleep(0.05)
        book = CodeBook.load(files[0])
        assert sorted(book.labels.tolist()) == sorted(NAMES.tolist())
        assert files[1].read_bytes().startswith(b"\x89PNG")
        words = tab.run("document.querySelectorAll('.export pre')[1].textContent")
        assert words == "ecoc fit digits.csv --coding code.csv -o model.skops"

        # Training.
        press(tab, "Train")
        tab.until(f"{STUDIO}.dataset.training === 'done'")
        told = tab.run("document.querySelector('.training').textContent")
        assert f"It has {book.n_columns} columns." in told
        assert "accuracy" in told
        np.testing.assert_array_equal(
            server.session.model.code_book_.matrix, book.with_labels(server.session.subject.labels).matrix
        )
        quiet(tab, server.address)


@needs_chromium
def test_two_tabs_a_damaged_address_and_a_server_that_dies(subject, tmp_path):
    served = StudioServer(Session(subject), "Digits", state_file=tmp_path / "design.json")
    threading.Thread(target=served.serve_forever, args=(0.05,), daemon=True).start()
    alert = "document.querySelector('.trouble').hidden ? '' : document.querySelector('.trouble').textContent"
    with browser().tab() as tab, browser().tab() as other:
        tab.open(served.address)
        other.open(served.address + "#damaged")
        settled(tab)
        settled(other)
        assert "is damaged" in other.run(alert)
        press(tab, "Apart")
        settled(tab, 1)
        press(other, "Ignore")
        other.until(f"({alert}).includes('Another tab')")
        served.shutdown()
        served.server_close()
        press(tab, "Clear")
        tab.until(f"({alert}).includes('start `ecoc studio` again')")
        saved = tab.run("location.hash")
        assert len(saved) > 20


@needs_chromium
def test_a_copy_and_its_colours(subject, tmp_path):
    page = tmp_path / "studio.html"
    page.write_text(
        copy_page("Digits", Session(subject).snapshot({"n_columns": 8, "wishes": [[NAMES[9], NAMES[3], "apart"]]})),
        encoding="utf-8",
    )
    with browser().tab(width=390, dark=True) as tab:
        tab.open(page.as_uri())
        tab.run("document.documentElement.dir = 'rtl'")
        assert tab.run(f"{STUDIO}.dataset.theme") == "dark"
        assert tab.run("document.documentElement.scrollWidth") <= 390
        begin = "e => e.getBoundingClientRect().left >= e.parentElement.getBoundingClientRect().left"
        assert tab.run(f"[...document.querySelectorAll('.rows span')].every({begin})")  # names are cut at the end
        assert "Valid" in tab.run("document.querySelector('.verdict').textContent")
        assert tab.run("document.querySelectorAll('.ecoc-studio section').length") == 6
        head = "document.querySelector('.pairs th[aria-sort=ascending]').cellIndex"
        column = tab.run(head)
        cells = tab.run(f"[...document.querySelectorAll('.pairs tbody tr')].map(r => +r.cells[{column}].textContent)")
        assert cells == sorted(cells)
        quiet(tab, page.as_uri())


def add(tab, tag, text, **attributes):
    content = json.dumps({"textContent": text, **attributes})
    tab.run(f"document.head.append(Object.assign(document.createElement({tag!r}), {content}))")


@needs_chromium
def test_as_a_widget(subject):
    pytest.importorskip("anywidget")
    from ecoc.inspection.studio.widget import _widget_class

    widget = _widget_class()(Session(subject))
    replies = []
    widget.observe(lambda change: replies.append(change["new"]), names="reply")
    module = source("studio.js").replace("export default {render};", "window.render = render;")
    stub = """
      window.values = VALUES; window.sent = []; window.heard = {};
      const set = (name, value) => { values[name] = value; if (name === "request") sent.push(value); };
      const on = (event, listener) => { heard[event] = listener; };
      window.model = {get: name => values[name], set, save_changes() {}, on, off() {}};
      window.render({model, el: document.body});
    """
    with browser().tab() as tab:
        tab.open("about:blank")
        values = json.dumps({"facts": dict(widget.facts), "state": {}})
        add(tab, "style", source("studio.css"))
        add(tab, "script", module + stub.replace("VALUES", values), type="module")

        def until(condition):
            end = time.monotonic() + 60
            while not tab.run(condition):
                assert time.monotonic() < end, condition
                for request in tab.run("window.sent ? sent.splice(0) : []"):
                    widget.request = request
                while replies:
                    tab.run(f"values.reply = {json.dumps(replies.pop(0))}; heard['change:reply']()")
                time.sleep(0.02)

        until(f"{STUDIO}?.dataset.stage === 'final'")
        before = certificate(tab)
        press(tab, "Apart")
        until(f"{STUDIO}.dataset.answers > 1")
        assert certificate(tab) != before
        shown = tab.run("values.state")
        assert len(shown["wishes"]) == 1
        assert widget.code_book.n_columns == shown["n_columns"]
        press(tab, "Train")
        until(f"{STUDIO}.dataset.training === 'done'")
        assert widget.model.n_columns_ == shown["n_columns"]
        quiet(tab, "about:")


@needs_chromium
def test_axe_finds_nothing_serious(server, tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("needs npm, which brings axe-core")
    kept = os.environ.get("AXE_CORE")  # a copy of axe.min.js saves the download
    if kept is None:
        done = subprocess.run(["npm", "pack", "--silent", "axe-core@4"], cwd=tmp_path, capture_output=True, timeout=120)
        archives = list(tmp_path.glob("axe-core-*.tgz"))
        if done.returncode or not archives:
            pytest.skip("npm cannot bring axe-core")
        with tarfile.open(archives[0]) as archive:
            axe = archive.extractfile("package/axe.min.js").read().decode()
    else:
        axe = Path(kept).read_text(encoding="utf-8")
    for dark in (False, True):
        with browser().tab(dark=dark) as tab:
            tab.open(server.address)
            settled(tab)
            press(tab, "Apart")
            settled(tab, 1)
            tab.run(axe + ";undefined")
            tell = "v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html + n.failureSummary)]"
            found = tab.run(f"axe.run(document, {{resultTypes: ['violations']}}).then(r => r.violations.map({tell}))")
            assert [one for one in found if one[0] in ("serious", "critical")] == []


def asked(address, data=None, **headers):
    request = urllib.request.Request(address, data, {name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def test_the_server_answers_only_those_who_may_ask(server):
    status, headers, text = asked(server.address)
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert server.server_address[0] == "127.0.0.1"
    root = f"http://127.0.0.1:{server.server_port}"
    for address in (
        root,
        root + "/",
        root + "/wrong/",
        root + "/wrong/facts",
        server.address.replace("127", "127")[:-2] + "/",
    ):
        status, _, text = asked(address)
        assert status == 403
        assert "open the address that the command printed" in text
    body = json.dumps({"ask": "design", "id": 1, "state": {"n_columns": 8}}).encode()
    kind = {"Content_Type": "application/json"}
    asks = server.address + "ask"
    assert asked(asks, body, Content_Type="text/plain")[0] == 415
    assert asked(asks, body, **kind, Origin="http://evil.example")[0] == 403
    assert asked(asks, body, **kind, Sec_Fetch_Site="cross-site")[0] == 403
    assert asked(server.address + "facts", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0] == 403
    assert asked(server.address, Host="evil.example")[0] == 421
    assert asked(asks, b"[1", **kind)[0] == 400
    assert asked(server.address + "none")[0] == 404
    status, headers, text = asked(asks, body, **kind, Origin=root)
    assert status == 200
    assert "Access-Control-Allow-Origin" not in headers
    assert json.loads(text.splitlines()[-1])["valid"]


@pytest.fixture
def served(tmp_path):
    """The command, running; it is ended whatever happens."""
    pytest.importorskip("typer")
    pytest.importorskip("skops")
    command = [*STUDIO_COMMAND, "sklearn:iris", "--no-browser", "--save", "model.skops", "--learner", "ridge"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    yield process
    process.kill()
    process.communicate()


def test_the_command(served, tmp_path, monkeypatch, capsys):
    from ecoc.tool.cli import main

    address = re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", served.stdout.readline())[0]
    facts = json.loads(asked(address + "facts")[2])["facts"]
    assert facts["source"] == "sklearn:iris: 150 rows"
    kind = {"Content_Type": "application/json"}

    def last(**request):
        return json.loads(asked(address + "ask", json.dumps(request).encode(), **kind)[2].splitlines()[-1])

    final = last(ask="design", id=1, state={})
    matrix = np.array([["-+".index(sign) * 2 - 1 for sign in word] for word in final["code"]])
    CodeBook(matrix, facts["labels"]).save(tmp_path / "code.csv")
    trained = last(ask="train", id=2, state={}, code=final["code"])
    assert trained["saved"].startswith("The model is saved: model.skops.")
    served.send_signal(signal.SIGINT)
    assert "The studio is closed" in served.communicate(timeout=60)[0]
    assert served.returncode == 0

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["ecoc", *words])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, "".join(capsys.readouterr())

    monkeypatch.chdir(tmp_path)
    exported = final["command"].replace("model.skops", "other.skops").split()
    code, told = run(*exported[1:])
    assert code == 0, told
    code, told = run("studio", "model.skops", "--data", "sklearn:iris", "--page", "page.html")
    assert code == 0, told
    assert "file://" in told
    assert (tmp_path / "page.html").stat().st_size > 50_000
    code, told = run("studio", "none.csv")
    assert code == 2
    assert "none.csv is not there" in told
