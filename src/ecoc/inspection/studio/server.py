"""Serve the studio to a browser on this machine only."""

import json
import secrets
import select
import socket
import threading
from collections.abc import Callable
from functools import partial
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ecoc.inspection.studio.page import SERVED_POLICY, page_style, served_page, source
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.state import State
from ecoc.utils.files import replace_file

_LARGEST = 2**24  # bytes of a request: many times a design of 300 classes
_TYPES = {
    "html": "text/html",
    "js": "text/javascript",
    "css": "text/css",
    "json": "application/json",
    "txt": "text/plain",
}


class StudioServer(ThreadingHTTPServer):
    """A server on the loopback address that answers only those who know the token.

    Parameters
    ----------
    session : Session
        Answers the requests of pages.
    title : str
        Heading of the page.
    port : int, default=0
        Port; 0 takes a free one.
    state_file : path-like, default=None
        File that keeps the design. It is read when the server starts, and written at each change.
    """

    daemon_threads = True

    def __init__(self, session: Session, title: str, port: int = 0, state_file: Path | None = None) -> None:
        self.token = secrets.token_urlsafe(24)
        self.session, self.title, self.state_file = session, title, state_file
        self.state: dict[str, Any] = _read_state(state_file, session)
        self.version = 0
        self.lock = threading.Lock()
        self.cancelled: dict[str, threading.Event] = {}
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise OSError(
                f"cannot serve on port {port}: {error.strerror}; leave out --port to take a free one."
            ) from None

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def keep(self, given: Any) -> dict[str, Any]:
        """Keep a state in the file; tell if another tab has changed it since the sender saw it."""
        labels = self.session.subject.labels
        state = State.read(given.get("state"), labels).as_json(labels)
        with self.lock:
            conflict = given.get("version") != self.version
            self.version += 1
            self.state = state
            if self.state_file is not None:
                replace_file(self.state_file, json.dumps(state, indent=1, ensure_ascii=False).encode())
            return {"version": self.version, "conflict": conflict}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: a browser may close a connection at any time."""


def _read_state(path: Path | None, session: Session) -> dict[str, Any]:
    if path is None or not path.exists():
        return {}
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        State.read(given, session.subject.labels)
    except ValueError as error:
        raise ValueError(f"{path} is no saved design ({error}); give another name to --state.") from None
    return dict(given)


class _Handler(BaseHTTPRequestHandler):
    server: StudioServer
    server_version, sys_version = "ecoc", ""
    timeout = 60  # seconds for a request to arrive

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log; the command prints what matters."""

    def do_GET(self) -> None:
        """Send the page or one of its parts."""
        name = self._allowed()
        if name is None:
            return
        parts: dict[str, tuple[str, Callable[[], str]]] = {
            "": ("html", lambda: served_page(self.server.title)),
            "studio.js": ("js", partial(source, "studio.js")),
            "host.js": ("js", partial(source, "host.js")),
            "studio.css": ("css", page_style),
            "facts": ("json", self._facts),
        }
        if name not in parts:
            self._send(404, "There is no such page; open the address that the command printed.")
            return
        kind, make = parts[name]
        self._send(200, make(), kind)

    def do_POST(self) -> None:
        """Answer a request of the page."""
        name = self._allowed()
        if name is None:
            return
        origin = self.headers.get("Origin")
        if origin is not None and origin != f"http://{self.headers.get('Host')}":
            self._send(403, "Requests of other pages are refused.")
            return
        if self.headers.get("Content-Type", "").partition(";")[0] != "application/json":
            self._send(415, "A request must be JSON.")
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _LARGEST:
            self._send(413, "The design is too large to send; use fewer wishes.")
            return
        try:
            request = json.loads(self.rfile.read(int(length)))
            if not isinstance(request, dict):
                raise ValueError("a request must be an object")
            if name == "state":
                self._send(200, json.dumps(self.server.keep(request)), "json")
            elif name == "ask":
                self._answer(request)
            else:
                self._send(404, "There is no such request; reload the page.")
        except (ValueError, OSError) as error:
            self._send(400, f"{error}")

    def _allowed(self) -> str | None:
        """Return the part that is asked for; refuse other hosts, other sites and wrong tokens."""
        hosts = {f"{name}:{self.server.server_port}" for name in ("127.0.0.1", "localhost")}
        if self.headers.get("Host") not in hosts:
            self._send(421, "This server answers only at the address that the command printed.")
            return None
        navigates = self.headers.get("Sec-Fetch-Mode") == "navigate"
        if self.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none") and not navigates:
            self._send(403, "Requests of other pages are refused.")
            return None
        token, _, name = self.path.partition("?")[0].lstrip("/").partition("/")
        if not compare_digest(token.encode(), self.server.token.encode()):
            self._send(403, "The address lacks the right token; open the address that the command printed.")
            return None
        return name

    def _facts(self) -> str:
        server = self.server
        values = {"facts": server.session.facts(), "state": server.state, "version": server.version}
        return json.dumps(values | {"keeps_file": server.state_file is not None})

    def _answer(self, request: dict[str, Any]) -> None:
        """Send answers as they come, one per line; stop when the page cancels or is gone."""
        number = str(request.get("id"))
        if request.get("ask") == "cancel":
            if (event := self.server.cancelled.get(number)) is not None:
                event.set()
            self._send(200, "")
            return
        event = self.server.cancelled.setdefault(number, threading.Event())
        self._head(200, "application/x-ndjson")

        def tell(message: dict[str, Any]) -> None:
            try:
                self.wfile.write(json.dumps(message).encode() + b"\n")
                self.wfile.flush()
            except OSError:
                event.set()

        try:
            self.server.session.answer(request, tell, lambda: event.is_set() or _is_closed(self.connection))
        finally:
            self.server.cancelled.pop(number, None)

    def _send(self, status: int, text: str, kind: str = "txt") -> None:
        content = text.encode()
        self._head(status, f"{_TYPES[kind]}; charset=utf-8", len(content))
        self.wfile.write(content)

    def _head(self, status: int, kind: str, length: int | None = None) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Security-Policy": SERVED_POLICY,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()


def _is_closed(connection: socket.socket) -> bool:
    """Tell whether the other side has closed a connection."""
    try:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True
