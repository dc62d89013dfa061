"""HTTP exchanges that end: in time, under a size, and with the reply to the request that was sent.

A connection is used again only after a whole reply with an id that no other reply had. A reply that the server sends
twice would else be taken for the answer to the next prompt; so what comes over a used connection must have a new id,
and what comes without one is asked again over a new connection, whose first reply can only be its own.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import ssl
import zlib
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from functools import cache
from threading import Thread
from typing import Any, TypeVar

import httpx

LARGEST_BODY = 16 * 2**20
"""Bytes, as sent and as unpacked; the largest honest reply has some hundred thousand."""
DEEPEST = 60
"""Levels of nesting; honest replies have ten."""
REMEMBERED = 10_000
"""Ids of replies: one that is sent twice comes soon after the first."""
_ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""By name, what zlib calls them."""

T = TypeVar("T")


class Unreadable(ValueError):
    """What came back is no whole reply; its text follows "sent"."""


class Overdue(Exception):
    """The reply was not there in time."""


class Repeated(Exception):
    """What came over a used connection was the reply to an earlier request, or cannot be told from it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server sent: its JSON, and the words of what is none."""

    status: int
    headers: Mapping[str, str]
    data: Any
    words: str


class Connections:
    """Connections to one server; many threads may call `send` at once."""

    def __init__(self, *, host: str, secure: bool, timeout: float, **options: Any) -> None:
        self._timeout, self._secure = timeout, secure
        # Nothing of ours that stays on this machine goes through somebody's proxy, least of all the key.
        self._options = {"trust_env": not _is_loopback(host), "timeout": timeout, **options}
        self._idle: list[httpx.AsyncClient] = []
        self._ids: set[str] = set()
        self._order: deque[str] = deque()
        self._telling = True
        """Whether the server gives every reply an id of its own."""

    def send(self, method: str, url: str, body: Mapping[str, Any] | None) -> Reply:
        """The reply to a request, whole and in time, or an exception that says what came instead."""
        try:
            return _wait_for(self._send(method, url, body))
        except Repeated:
            return _wait_for(self._send(method, url, body, anew=True))

    def close(self) -> None:
        """Let go of all connections."""
        idle, self._idle = self._idle, []
        if idle:
            asyncio.run_coroutine_threadsafe(_close(idle), _loop())

    async def _send(self, method: str, url: str, body: Mapping[str, Any] | None, *, anew: bool = False) -> Reply:
        used = bool(self._idle) and not anew
        client = self._idle.pop() if used else httpx.AsyncClient(verify=self._trusted(), **self._options)
        keep = False
        try:
            async with asyncio.timeout(self._timeout):
                reply = await _exchange(client, method, url, body)
            new = self._is_new(reply)
            # Errors do not come twice over a used connection: after an error none is used again.
            if used and not new and reply.status == 200:
                raise Repeated
            self._telling &= new or used or not _id(reply)
            keep = new and reply.status == 200 and self._telling
            return reply
        except TimeoutError:
            raise Overdue from None
        except (httpx.TransportError, httpx.InvalidURL) as error:
            # A server may close a connection that lay idle just when we write to it.
            if used and not isinstance(error, httpx.TimeoutException):
                raise Repeated from None
            raise
        finally:
            if keep:
                self._idle.append(client)
            else:
                await _close([client])

    def _is_new(self, reply: Reply) -> bool:
        """Whether a reply has an id that none had before it."""
        id = _id(reply)
        if not id or id in self._ids:
            return False
        self._ids.add(id)
        self._order.append(id)
        if len(self._order) > REMEMBERED:
            self._ids.discard(self._order.popleft())
        return True

    def _trusted(self) -> ssl.SSLContext | bool:
        return _certificates() if self._secure else False


async def _exchange(client: httpx.AsyncClient, method: str, url: str, body: Mapping[str, Any] | None) -> Reply:
    headers = {"Accept-Encoding": "identity"}
    async with client.stream(method, url, json=body, headers=headers) as response:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.aiter_raw():
            size += len(piece)
            if size > LARGEST_BODY:
                pieces.clear()  # An exception keeps alive what its frames hold.
                raise Unreadable(f"more than {LARGEST_BODY // 2**20} MiB")
            pieces.append(piece)
        content = _unpacked(b"".join(pieces), response.headers.get("Content-Encoding", "").strip().lower())
    try:
        data = read_json(content)
    except Unreadable:
        if response.status_code == 200:
            raise
        data = None
    return Reply(response.status_code, response.headers, data, content[:2000].decode(errors="replace"))


def _unpacked(content: bytes, encoding: str) -> bytes:
    """A body as it was before it was packed, if it was, and never more of it than we can hold."""
    if encoding in ("", "identity"):
        return content
    if encoding not in _ENCODINGS:
        raise Unreadable(f"a body packed as {encoding[:20]!r}, which was not asked for")
    unpacker = zlib.decompressobj(_ENCODINGS[encoding])
    try:
        whole = unpacker.decompress(content, LARGEST_BODY + 1)
    except zlib.error as error:
        raise Unreadable(f"a packed body that is broken ({error})") from None
    if len(whole) > LARGEST_BODY:
        del whole
        raise Unreadable(f"a body that unpacks to more than {LARGEST_BODY // 2**20} MiB")
    if not unpacker.eof:
        raise Unreadable("a packed body that is cut short")
    return whole


def read_json(content: bytes) -> Any:
    """JSON, and nothing that only Python takes for JSON."""
    try:
        data = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError):
        said = " ".join(content[:300].decode(errors="replace").split())
        raise Unreadable(f"what is not whole JSON: {said!r}") from None
    if _depth(data) > DEEPEST:
        raise Unreadable(f"JSON of more than {DEEPEST} levels")
    return data


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _depth(data: Any) -> int:
    depth, level = 0, [data]
    while level and depth <= DEEPEST:
        depth += 1
        level = [
            part
            for whole in level
            if isinstance(whole, dict | list)
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, dict | list)
        ]
    return depth


def _id(reply: Reply) -> str:
    id = reply.data.get("id") if isinstance(reply.data, dict) else None
    return id if isinstance(id, str) else ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()


# ── one event loop for all connections, in a thread of its own ──


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="connections", daemon=True).start()
    return loop


def _wait_for(work: Coroutine[Any, Any, T]) -> T:
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def _close(clients: list[httpx.AsyncClient]) -> None:
    for client in clients:
        await client.aclose()
