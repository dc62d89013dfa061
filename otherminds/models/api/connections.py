"""HTTP exchanges that end: in time, under a size, and with the reply to the request that was sent.

A connection is used again only after a whole reply with an id that no other reply had. A reply that the server sends
twice would else be taken for the answer to the next prompt; so what comes over a used connection must have a new id,
and what comes without one is asked again over a new connection, whose first reply can only be its own.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import ssl
import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import aiohttp
import certifi
from yarl import URL

from otherminds.models.api.background import start

LARGEST_BODY = 16 * 2**20
"""Bytes, as sent and as unpacked; the largest honest reply has some hundred thousand."""
DEEPEST = 60
"""Levels of nesting; honest replies have ten."""
REMEMBERED = 10_000
"""Ids of replies: one that is sent twice comes soon after the first."""
_ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""By name, what zlib calls them."""


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
    """Connections to one server; `query` and `headers` go along with every request."""

    def __init__(self, *, host: str, secure: bool, timeout: float, query: str, headers: Mapping[str, str]) -> None:
        self._timeout, self._secure, self._query = timeout, secure, query
        self._options: dict[str, Any] = {
            # Nothing of ours that stays on this machine goes through somebody's proxy, least of all the key.
            "trust_env": not _is_loopback(host),
            "headers": {"Accept-Encoding": "identity", **headers},
            "timeout": aiohttp.ClientTimeout(total=None),
            "auto_decompress": False,
        }
        self._idle: list[aiohttp.ClientSession] = []
        self._ids: set[str] = set()
        self._order: deque[str] = deque()
        self._closed = False
        self._telling = True
        """Whether the server gives every reply an id of its own."""

    async def send(self, method: str, url: str, body: Mapping[str, Any] | None) -> Reply:
        """The reply to a request, whole and in time, or an exception that says what came instead."""
        try:
            return await self._send(method, url, body)
        except Repeated:
            return await self._send(method, url, body, anew=True)

    def close(self) -> None:
        """Let go of all connections."""
        idle, self._idle, self._closed = self._idle, [], True
        if idle:
            start(_close(idle))

    async def _send(self, method: str, url: str, body: Mapping[str, Any] | None, *, anew: bool = False) -> Reply:
        used = bool(self._idle) and not anew
        session = self._idle.pop() if used else self._open()
        keep = False
        try:
            async with asyncio.timeout(self._timeout):
                reply = await _exchange(session, method, URL(url + self._query, encoded=True), body)
            new = self._is_new(reply)
            # Errors do not come twice over a used connection: after an error none is used again.
            if used and not new and reply.status == 200:
                raise Repeated
            self._telling &= new or used or not _id(reply)
            keep = new and reply.status == 200 and self._telling
            return reply
        except TimeoutError:
            raise Overdue from None
        except aiohttp.ClientError:
            # A server may close a connection that lay idle just when we write to it.
            if used:
                raise Repeated from None
            raise
        finally:
            if keep and not self._closed:
                self._idle.append(session)
            else:
                await _close([session])

    def _open(self) -> aiohttp.ClientSession:
        """A session for one connection: in a pool of several, a connection would be used again before it is judged."""
        connector = aiohttp.TCPConnector(limit=1, ssl=_certificates() if self._secure else False)
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), **self._options)

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


async def _exchange(session: aiohttp.ClientSession, method: str, url: URL, body: Mapping[str, Any] | None) -> Reply:
    async with session.request(method, url, json=body, allow_redirects=False) as response:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.content.iter_any():
            size += len(piece)
            if size > LARGEST_BODY:
                pieces.clear()  # An exception keeps alive what its frames hold.
                raise Unreadable(f"more than {LARGEST_BODY // 2**20} MiB")
            pieces.append(piece)
        content = _unpacked(b"".join(pieces), response.headers.get("Content-Encoding", "").strip().lower())
    try:
        data = read_json(content)
    except Unreadable:
        if response.status == 200:
            raise
        data = None
    return Reply(response.status, response.headers, data, content[:2000].decode(errors="replace"))


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
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())


async def _close(sessions: list[aiohttp.ClientSession]) -> None:
    for session in sessions:
        await session.close()
