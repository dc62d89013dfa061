"""A model server on loopback that answers rightly, save where a plan lets one kind of fault strike.

It speaks HTTP/1.1 over bare sockets, because faults are made of bytes: replies that come twice, break off, trickle in
or lie about their length.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from email.utils import formatdate
from itertools import count
from threading import Event, Lock, Thread
from typing import Any, Protocol

from tests.faults import truth

FOREVER = 3600.0
ELSEWHERE = "/elsewhere"
"""Where redirects lead: another server, which answers everything wrongly and notes who came with a key."""


@dataclass(frozen=True)
class Request:
    """One request, as far as plans and faults go by it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    key: str
    """The same for requests that ask the same of the same path, whatever their settings."""
    number: int
    """How many requests came before, since the plan was made."""
    attempt: int
    """How often the same was asked before."""
    under_way: int
    """How many requests are being answered, this one among them."""

    @property
    def shared(self) -> bool:
        """Whether no single prompt can answer for it: what the server is, and how labels are spelt."""
        return self.method == "GET" or (self.path == "/tokenize" and len(self.key) < 35)


class Plan(Protocol):
    """Which requests a fault strikes."""

    def __call__(self, request: Request) -> bool: ...


class Gone(Exception):
    """The client hung up, or the server was told to end."""


@dataclass
class Exchange:
    """A request, its right reply, and all that can be done to a connection."""

    request: Request
    status: int
    right: Any
    """The right reply, to be changed at will."""
    server: FaultServer
    _socket: socket.socket
    _over: Event
    open: bool = True
    late: bytes = b""
    """What is sent before the reply to the next request on this connection."""

    @property
    def prompt(self) -> str:
        """What was asked, for faults that differ from prompt to prompt."""
        return self.request.key

    def whole(self, status: int | None = None, body: bytes | None = None, **headers: str) -> bytes:
        """A reply as bytes, the right one unless something else is given."""
        if body is None:
            body = json.dumps(self.right, ensure_ascii=False).encode()
        status = self.status if status is None else status
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        usual = {"Content-Type": "application/json", "Date": formatdate(usegmt=True), "Content-Length": str(len(body))}
        lines = [f"{name}: {value}" for name, value in (usual | named).items() if value]
        return "\r\n".join([f"HTTP/1.1 {status} Whatever", *lines, "", ""]).encode("latin-1") + body

    def send(self, data: bytes) -> None:
        """Bytes as they are."""
        try:
            self._socket.sendall(data)
        except OSError:
            raise Gone from None

    def reply(self, status: int | None = None, body: bytes | None = None, **headers: str) -> None:
        """A well-formed reply."""
        self.send(self.whole(status, body, **headers))

    def say(self, data: Any, status: int = 200, **headers: str) -> None:
        """JSON, well framed."""
        self.reply(status, json.dumps(data, ensure_ascii=True).encode(), **headers)

    def wait(self, seconds: float) -> None:
        """Let time pass, but not beyond the end of the client or of the server."""
        until = time.monotonic() + seconds
        poll = select.poll()  # select itself knows no more than a thousand
        poll.register(self._socket, select.POLLIN)
        while (left := until - time.monotonic()) > 0:
            # A client never says anything before it has its reply; so if there is news, it is the end of it.
            if self._over.is_set() or poll.poll(1000 * min(left, 0.2)):
                raise Gone

    def linger(self, seconds: float) -> None:
        """Let time pass, but not beyond the end of the server, and then go on: what was begun is always ended."""
        self._over.wait(seconds)

    def foreign(self) -> Any:
        """The right reply to another request of the same kind, with an id that nobody has seen."""
        request = self.request
        _, data = self.server.right(request.method, request.path, _other(request.body))
        return data | {"id": f"foreign-{request.number}"} if isinstance(data, dict) else data

    def close(self) -> None:
        """End the connection in an orderly way."""
        self.open = False

    def reset(self) -> None:
        """End it so that the client's system complains."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.open = False


Fault = Callable[[Exchange], object]
"""Answers an exchange wrongly; false if there was nothing to do wrong, and the right reply is sent."""


def calm(_: Request) -> bool:
    """No fault strikes."""
    return False


@dataclass
class FaultServer:
    """The server; `kind` is what it says it is. `strike` puts a plan and a fault to work, from a count of zero on."""

    kind: str = "other"
    latency: float = 0.0
    struck: int = 0
    """How many requests a fault struck."""
    struck_shared: int = 0
    """How many of these belong to no prompt."""
    came: int = 0
    misled: Counter[str] = field(default_factory=Counter)
    """Requests that followed a redirect, with and without a key."""

    def __post_init__(self) -> None:
        self._ended, self._over = False, Event()
        self._plan: Plan = calm
        self._fault: Fault = lambda exchange: False
        self._lock, self._seen, self._under_way = Lock(), Counter[str](), 0
        self._serial = count(1)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def strike(self, plan: Plan = calm, fault: Fault | None = None, *, kind: str = "other", latency: float = 0) -> None:
        """Begin anew; without a plan all is well."""
        self.release()
        with self._lock:
            self._over = Event()
            self.kind, self.latency, self._plan, self._fault = kind, latency, plan, fault or self._fault
            self.struck = self.struck_shared = self.came = 0
            self.misled = Counter()
            self._seen.clear()

    def release(self) -> None:
        """Let go of all who wait, and strike no more."""
        self._plan = calm
        self._over.set()

    @contextmanager
    def running(self) -> Iterator[FaultServer]:
        """Serve until the block ends."""
        thread = Thread(target=self._accept, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._ended = True
            self.release()
            # Closing it would not wake the thread that waits for the next client.
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                pass
            thread.join(5)
            self._listener.close()

    def _accept(self) -> None:
        while not self._ended:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        late = b""
        with client, client.makefile("rb") as reader:
            while not self._ended:
                try:
                    heard = _read(reader)
                    if heard is None:
                        return
                    exchange = self._exchange(*heard, client)
                    self._answer(exchange, late)
                    late = exchange.late
                    if exchange.request.headers.get("connection", "").lower() == "close":
                        # Whoever closes has sent before whatever was still to come.
                        exchange.send(late)
                        return
                    if not exchange.open:
                        return
                except (Gone, OSError):
                    return

    def _exchange(self, method: str, path: str, headers: dict[str, str], body: Any, client: socket.socket) -> Exchange:
        key = _key(path, body)
        with self._lock:
            self._under_way += 1
            request = Request(method, path, headers, body, key, self.came, self._seen[key], self._under_way)
            self.came += 1
            self._seen[key] += 1
        if path.startswith(ELSEWHERE):
            self.misled["with a key" if "authorization" in headers else "without a key"] += 1
            path, body = path.removeprefix(ELSEWHERE), _astray(body)
        return Exchange(request, *self.right(method, path, body), self, client, self._over)

    def right(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """The status and the JSON of the right reply."""
        try:
            if method == "GET":
                found = truth.models(self.kind) if path == "/v1/models" else truth.about(self.kind, path)
            else:
                found = truth.answer(self.kind, path, body, f"{self.port}-{next(self._serial)}")
        except (KeyError, TypeError, ValueError) as error:
            return 400, {"error": {"message": f"this makes no sense: {error!r}", "code": 400}}
        return (200, found) if found is not None else (404, {"error": {"message": "Not Found", "code": 404}})

    def _answer(self, exchange: Exchange, late: bytes) -> None:
        try:
            exchange.send(late)
            hit = self._plan(exchange.request)
            if self.latency:
                exchange.wait(self.latency)
            if hit:
                before = deepcopy(exchange.right)
                self._count(exchange, 1)
                if self._fault(exchange) is not False:
                    return
                self._count(exchange, -1)
                exchange.right = before
            exchange.reply()
        finally:
            with self._lock:
                self._under_way -= 1

    def _count(self, exchange: Exchange, more: int) -> None:
        with self._lock:
            self.struck += more
            self.struck_shared += more * exchange.request.shared


def _read(reader: Any) -> tuple[str, str, dict[str, str], Any] | None:
    """Method, path, headers and body of the next request; None if there is none."""
    first = reader.readline(65537).split()
    if len(first) != 3:
        return None
    headers = {}
    while (line := reader.readline(65537)) not in (b"\r\n", b"\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    content = reader.read(int(headers.get("content-length", 0)))
    path = first[1].decode().partition("?")[0]
    return first[0].decode(), path, headers, json.loads(content) if content else None


def _key(path: str, body: Any) -> str:
    """What is asked of whom, without the settings, so that a fault strikes the same prompt however it is asked."""
    if not isinstance(body, dict):
        return path
    said = {name: body[name] for name in ("prompt", "messages", "content", "query", "logit_bias") if name in body}
    return f"{path} {json.dumps(said, sort_keys=True)}"


def _astray(body: Any) -> Any:
    """Another question than the one that was asked."""
    if not isinstance(body, dict):
        return body
    turns = [{"role": turn["role"], "content": "Elsewhere. " + turn["content"]} for turn in body.get("messages", ())]
    if isinstance(body.get("prompt"), str):
        return body | {"prompt": "Elsewhere. " + body["prompt"]}
    return body | ({"messages": turns} if turns else {})


def _other(body: Any) -> Any:
    """The same, or another question where the prompt is not words."""
    if not isinstance(body, dict):
        return body
    words = {name: f"Elsewhere. {body[name]}" for name in ("content", "query") if isinstance(body.get(name), str)}
    ids = {"prompt": body["prompt"][1:]} if isinstance(body.get("prompt"), list) and len(body["prompt"]) > 1 else {}
    return _astray(body) | words | ids
