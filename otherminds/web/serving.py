"""A small server for pages that a person opens on this machine.

It listens on 127.0.0.1 and nowhere else, answers only to that name, so that no other site can reach it through a name
of its own, and takes a POST only with the token that it put into its own page.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from otherminds.errors import OthermindsError, UsageError

HOST = "127.0.0.1"
TOKEN_HEADER = "X-Otherminds-Token"
LENGTH_DIGITS = 6
"""A body of a million bytes is no request of ours."""
PATIENCE = 30
"""Seconds after which a connection that says nothing is closed."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What was asked for."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Mapping[str, Any]
    """The JSON object of a POST."""
    token: str
    """What a page must send with every POST."""


@dataclass(frozen=True, slots=True)
class PageReply:
    """What goes back; `policy` is the Content-Security-Policy, which forbids everything unless it is given."""

    text: str
    kind: str = "text/html"
    status: HTTPStatus = HTTPStatus.OK
    policy: str = "default-src 'none'"


def as_json(data: Any, *, status: HTTPStatus = HTTPStatus.OK) -> PageReply:
    """Data for a script."""
    return PageReply(json.dumps(data, ensure_ascii=False), "application/json", status)


def failed(sentence: str, status: HTTPStatus) -> PageReply:
    """What went wrong, as a sentence for the person in front of the page."""
    return as_json({"error": sentence}, status=status)


class PageServer:
    """Answers requests with `answer`, one at a time; port 0 takes any port that is free.

    One that is read only takes a POST at the addresses in `takes` alone.
    """

    def __init__(
        self,
        answer: Callable[[PageRequest], PageReply],
        *,
        port: int = 0,
        read_only: bool = False,
        takes: Collection[str] = (),
    ) -> None:
        self.token = secrets.token_urlsafe(24)
        self.read_only = read_only
        self.takes = frozenset(takes)
        self._answer = answer
        self._turn = Lock()
        try:
            self._http = _Http((HOST, port), self)
        except (OSError, OverflowError) as error:
            raise UsageError(f"port {port} cannot be used ({error}); choose another one, or 0 for any") from None

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """What to open."""
        return f"http://{HOST}:{self.port}/"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Whoever is being answered is answered to the end, and nobody after that.
        self._turn.acquire()
        self._http.server_close()

    def serve(self) -> None:
        """Answer until the program is interrupted, or another thread says `stop`."""
        self._http.serve_forever(poll_interval=0.1)

    def stop(self) -> None:
        """End `serve`, from another thread."""
        self._http.shutdown()

    def respond(self, request: PageRequest, headers: Message) -> PageReply:
        """The answer to a request, if it comes from a page of ours."""
        here = {f"{host}:{self.port}" for host in (HOST, "localhost")}
        if headers.get("Host") not in here:
            return failed(f"open {self.url} instead", HTTPStatus.FORBIDDEN)
        if request.method == "POST":
            known = secrets.compare_digest(headers.get(TOKEN_HEADER, "").encode(), self.token.encode())
            if not known or headers.get("Origin", self.url[:-1]) not in {f"http://{name}" for name in here}:
                return failed("this page is from an earlier start: reload it", HTTPStatus.FORBIDDEN)
        with self._turn:
            try:
                return self._answer(request)
            except UsageError as error:
                return failed(str(error), HTTPStatus.BAD_REQUEST)
            except OthermindsError as error:
                return failed(str(error), HTTPStatus.INTERNAL_SERVER_ERROR)


class _Http(ThreadingHTTPServer):
    """Many connections, because a browser opens some without ever asking anything."""

    # Ending must not wait for them.
    daemon_threads = True

    def __init__(self, address: tuple[str, int], owner: PageServer) -> None:
        self.owner = owner
        super().__init__(address, _Door)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle is nobody's fault."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Door(BaseHTTPRequestHandler):
    """From bytes to a request, and from a reply to bytes."""

    server: _Http
    protocol_version = "HTTP/1.1"
    server_version = "otherminds"
    sys_version = ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        self._reply({})

    def do_HEAD(self) -> None:
        self._reply({})

    def do_POST(self) -> None:
        if self.server.owner.read_only and self.path not in self.server.owner.takes:
            self._send(failed("this page can only be read", HTTPStatus.METHOD_NOT_ALLOWED), last=True)
            return
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or len(length) > LENGTH_DIGITS:
            # What was not read would be taken for the next request.
            self._send(failed("that is no request of this page", HTTPStatus.REQUEST_ENTITY_TOO_LARGE), last=True)
            return
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if isinstance(body, dict):
            self._reply(body)
        else:
            self._send(failed("the request should be a JSON object", HTTPStatus.BAD_REQUEST))

    def _reply(self, body: Mapping[str, Any]) -> None:
        owner = self.server.owner
        try:
            asked = urlsplit(self.path)
            query = dict(parse_qsl(asked.query, keep_blank_values=True))
        except ValueError:
            self._send(failed("that is no address of this page", HTTPStatus.BAD_REQUEST))
            return
        # HEAD is answered like GET, only without the text.
        method = "POST" if self.command == "POST" else "GET"
        self._send(owner.respond(PageRequest(method, asked.path, query, body, owner.token), self.headers))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library refuses before it comes to us, in our own form."""
        self._send(failed("that is no request of this page", HTTPStatus(code)), last=True)

    def _send(self, reply: PageReply, *, last: bool = False) -> None:
        text = reply.text.encode("utf-8", "backslashreplace")
        self.send_response(reply.status)
        self.send_header("Content-Type", f"{reply.kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Content-Security-Policy", f"{reply.policy}; frame-ancestors 'none'; base-uri 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        if reply.status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        if last:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Nothing: the terminal belongs to the person who started us."""
