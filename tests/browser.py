"""Chromium without a window, for tests: it takes commands of the DevTools protocol through a pipe."""

import atexit
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--remote-debugging-pipe")
OPTIONS += ("--disable-background-networking", "--disable-component-update", "--disable-sync")


class Browser:
    """One process of Chromium, for any number of tabs."""

    def __init__(self):
        import fcntl  # not on Windows, where these tests are skipped

        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._commands = os.pipe()
        self._answers, to_write = os.pipe()
        inherited = [fcntl.fcntl(file, fcntl.F_DUPFD, 10) for file in (to_read, to_write)]

        def as_chromium_wants():
            os.dup2(inherited[0], 3)
            os.dup2(inherited[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *OPTIONS, f"--user-data-dir={self._folder.name}"],
            preexec_fn=as_chromium_wants,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder.name},
        )
        for file in (to_read, to_write, *inherited):
            os.close(file)
        self._buffer, self._number, self.events = b"", 0, []
        self.folder = Path(self._folder.name)

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        self._folder.cleanup()

    def tab(self, **options):
        return Tab(self, **options)

    def call(self, method, session=None, **parameters):
        """Send a command and wait for its answer."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        message |= {} if session is None else {"sessionId": session}
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._commands, content) :]
        while (answer := self.receive()).get("id") != number:
            pass
        assert "result" in answer, answer
        return answer["result"]

    def wait(self, method, session):
        """Wait for an event of a tab."""
        while not any(event["method"] == method and event.get("sessionId") == session for event in self.events):
            self.receive()

    def receive(self):
        """The next answer or event; events are kept."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], 180)
            more = os.read(self._answers, 1 << 16) if ready else b""
            assert more, "Chromium does not answer"
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer = json.loads(message)
        if "method" in answer:
            self.events.append(answer)
        return answer


class Tab:
    """A tab: open an address, run JavaScript in it, press keys and buttons, take pictures."""

    def __init__(self, browser, width=1280, height=900, dark=False, scale=1):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height, scale)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.events = [event for event in self.browser.events if event.get("sessionId") != self.session]

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height, scale=1):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def open(self, address):
        self._forget("Page.loadEventFired")
        self.call("Page.navigate", url=address)
        self.browser.wait("Page.loadEventFired", self.session)
        return self

    def reload(self):
        self._forget("Page.loadEventFired")
        self.call("Page.reload")
        self.browser.wait("Page.loadEventFired", self.session)

    def run(self, expression):
        """Evaluate JavaScript; a promise is awaited."""
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition, seconds=60):
        """Wait until JavaScript is true, and return its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(condition)):
            assert time.monotonic() < end, f"not within {seconds} seconds: {condition}"
            time.sleep(0.03)
        return value

    def press(self, key, modifiers=0):
        """Press a key: a character, or a name such as ArrowDown."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)

    def mouse(self, kind, x, y):
        """Press, move or release the mouse, e.g. "mousePressed"."""
        down = 0 if kind == "mouseReleased" else 1
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=down, clickCount=1)

    def picture(self, path, whole=True):
        """Write a PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def complaints(self):
        """What was written to the console or went wrong."""
        told = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self._own() if event["method"] in told]

    def addresses(self):
        """All addresses that were asked for."""
        sent = [event for event in self._own() if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def _own(self):
        return [event for event in self.browser.events if event.get("sessionId") == self.session]

    def _forget(self, method):
        self.browser.events = [
            event
            for event in self.browser.events
            if event["method"] != method or event.get("sessionId") != self.session
        ]


@cache
def browser():
    """The browser of all tests of this process."""
    started = Browser()
    atexit.register(started.close)
    return started
