"""HTTP exchanges that end: in time, under a size, and with the reply to the request that was sent.

Every exchange has a connection of its own, which the server is asked to close after its reply. What comes until then
must be one whole reply, to the last byte: a byte more shows that the server sent the reply to something else as well,
so that nobody knows which is which, and the answer does not count. A server that does not close is listened to until
it has been silent for a while.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import os
import re
import ssl
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import certifi
from yarl import URL

from otherminds.models.api.addresses import Address

LARGEST_BODY = 16 * 2**20
"""Bytes, as sent and as unpacked; the largest honest reply has some hundred thousand."""
LARGEST_HEAD = 2**17
DEEPEST = 60
"""Levels of nesting; honest replies have ten."""
FIRST_SILENCE, SILENCE = 1.0, (0.02, 1.0)
"""Seconds of silence after a whole reply, until we close the connection: as long as nothing is known of the server;
where it is known to leave connections open, least and most. Where it closes them, it has until the time-out."""
_ODD = 3
"""Connections that a server which closes them leaves open, more than it closes since, until it counts as one that
does not."""
_ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""By name, what zlib calls them."""
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r?\n")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)")


class Unreadable(ValueError):
    """What came back is no whole reply; its text follows "sent"."""


class Overdue(Exception):
    """The reply was not there in time."""


class Unreachable(Exception):
    """There is no connection to the server."""


class TooManyFiles(Exception):
    """This program, or the system, can open no more connections."""


class Broken(Exception):
    """The connection ended before the reply did."""


class Doubtful(Exception):
    """More came back than one reply, so that nobody knows which one belongs to the request."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server sent: its JSON, and the words of what is none."""

    status: int
    headers: Mapping[str, str]
    data: Any
    words: str


class Connections:
    """Exchanges with one server."""

    def __init__(self, address: Address, *, timeout: float, authorization: str) -> None:
        self._address, self._timeout, self._proxy = address, timeout, address.proxy()
        host, proxied = address.netloc, self._proxy is not None and not address.secure
        self._before = f"http://{host}" if proxied else ""
        lines = [f"Host: {host}", "User-Agent: otherminds", "Accept: application/json", "Accept-Encoding: identity"]
        lines += [f"Authorization: {authorization}"] if authorization else []
        lines += _credentials(self._proxy) if proxied else []
        self._head = "\r\n".join([*lines, "Connection: close", ""])
        self.open = 0
        """Connections at this moment."""
        self._closes, self._left_open, self._longest = False, 0, 0.0

    async def send(self, method: str, path: str, body: Mapping[str, Any] | None) -> Reply:
        """The reply to a request, whole and in time, or an exception that says what came instead."""
        content = b"" if body is None else json.dumps(body).encode()
        about = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if body is not None else ""
        first = f"{method} {self._before}{path}{self._address.raw_query} HTTP/1.1\r\n"
        began, exchange = asyncio.get_running_loop().time(), _Exchange()
        try:
            async with asyncio.timeout(self._timeout):
                self.open += 1
                try:
                    await self._connect(exchange)
                    await exchange.ask(f"{first}{self._head}{about}\r\n".encode() + content, self._silence)
                finally:
                    self.open -= 1
        except TimeoutError:
            # Nothing but the end of the connection was missing: whatever else was to come is overdue by now.
            if not exchange.whole:
                raise Overdue from None
        finally:
            exchange.close()
        reply = exchange.reply()
        self._left_open = max(0, self._left_open - 1) if exchange.ended else self._left_open + 1
        self._closes |= exchange.ended
        self._longest = max(self._longest, exchange.complete - began)
        return reply

    def _silence(self) -> float:
        """Seconds of silence after a whole reply that count as its end."""
        if self._left_open >= (_ODD if self._closes else 1):
            return min(max(SILENCE[0], self._longest / 20), SILENCE[1])
        return self._timeout if self._closes else FIRST_SILENCE

    async def _connect(self, exchange: _Exchange) -> None:
        to, secure = self._address, _certificates() if self._address.secure else None
        try:
            if not self._proxy:
                await _open(exchange, to.host, to.port, secure)
            elif not secure:
                await _open(exchange, self._proxy.raw_host or "", self._proxy.port or 80, None)
            else:
                tunnel = _Exchange(bodiless=True)
                await _open(tunnel, self._proxy.raw_host or "", self._proxy.port or 80, None)
                lines = [f"CONNECT {to.host}:{to.port} HTTP/1.1", f"Host: {to.host}:{to.port}"]
                request = "\r\n".join([*lines, *_credentials(self._proxy), "", ""]).encode()
                try:
                    await tunnel.ask(request, float)
                    if tunnel.status != 200 or not tunnel.transport:
                        raise OSError(f"the proxy says {tunnel.status or 'nothing'}")
                    loop = asyncio.get_running_loop()
                    exchange.transport = await loop.start_tls(
                        tunnel.transport, exchange, secure, server_hostname=to.host
                    )
                except BaseException:
                    tunnel.close()
                    raise
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise TooManyFiles from None
            number = 0 if isinstance(error, ssl.SSLError) else error.errno or 0
            raise Unreachable(os.strerror(number) if number > 0 else error.strerror or str(error)) from error


async def _open(exchange: _Exchange, host: str, port: int, secure: ssl.SSLContext | None) -> None:
    # Names may stand for several addresses, of which some lead nowhere.
    eyeballs = None if re.fullmatch(r"[\d.]+|.*:.*", host) else 0.25
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: exchange, host, port, ssl=secure, happy_eyeballs_delay=eyeballs)


def _credentials(proxy: URL | None) -> list[str]:
    if proxy is None or not proxy.user:
        return []
    pair = f"{proxy.user}:{proxy.password or ''}"
    return [f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}"]


class _Exchange(asyncio.Protocol):
    """All that comes over one connection, and where in it the reply ends."""

    def __init__(self, *, bodiless: bool = False) -> None:
        self.transport: asyncio.Transport | None = None
        self.status = 0
        self.whole = self.ended = False
        """Whether all of the reply is there, and whether the server closed the connection."""
        self.complete = 0.0
        self._headers: dict[str, str] = {}
        self._bodiless = bodiless
        self._data = bytearray()
        """What is not understood yet."""
        self._body = bytearray()
        self._length: int | None = None
        """Of the body; -1 where it comes in chunks, -2 where it ends with the connection."""
        self._fault: Exception | None = None
        self._done = asyncio.get_running_loop().create_future()
        self._silence: Callable[[], float] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def ask(self, data: bytes, silence: Callable[[], float]) -> None:
        """Send a request, and wait until the server closes or has said nothing for so long after its reply."""
        self._silence = silence
        if self.transport:
            self.transport.write(data)
        await self._done

    def close(self) -> None:
        """Let go of the connection."""
        if self._timer:
            self._timer.cancel()
        if self.transport:
            self.transport.abort()

    def reply(self) -> Reply:
        """The reply, if that is all that came."""
        if self._fault:
            raise self._fault
        if not self.whole:
            raise Broken("the connection ended before the reply" if self.status else "no reply came")
        packed = self._headers.get("Content-Encoding", "").strip().lower()
        content = _unpacked(bytes(self._body), packed)
        try:
            data = read_json(content)
        except Unreadable:
            if self.status == 200:
                raise
            data = None
        return Reply(self.status, self._headers, data, content[:2000].decode(errors="replace"))

    # ── what the connection says ──

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It stands."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """More of it came."""
        self._data += data
        try:
            if not self.whole:
                self._understand()
            # Some servers end a body with a line of its own, which can be the beginning of no reply.
            if self._silence is None or (self.whole and self._data.strip(b"\r\n")):
                raise Doubtful
        except (Unreadable, Doubtful) as fault:
            self._data.clear()
            self._body.clear()
            self._fault = self._fault or fault
            self._finish()
        else:
            if self.whole and not self._timer and self._silence is not None:
                self._timer = asyncio.get_running_loop().call_later(self._silence(), self._finish)

    def connection_lost(self, error: Exception | None) -> None:
        """It ended."""
        if self._length == -2 and error is None and not self.whole:
            self._take(len(self._data))
            self._completed()
        self.ended = True
        self._finish()

    def _finish(self) -> None:
        if not self._done.done():
            self._done.set_result(None)

    def _completed(self) -> None:
        self.whole, self.complete = True, asyncio.get_running_loop().time()

    # ── where the reply ends ──

    def _understand(self) -> None:
        while self._length is None and (end := self._data.find(b"\r\n\r\n")) >= 0:
            self._read_head(bytes(self._data[: end + 2]))
            del self._data[: end + 4]
        if self._length is None:
            if len(self._data) > LARGEST_HEAD:
                raise Unreadable(f"a head of more than {LARGEST_HEAD // 1024} KiB")
            if not b"HTTP/1.".startswith(bytes(self._data[:7])):
                raise Unreadable(f"what does not begin as a reply does: {bytes(self._data[:20])!r}")
            return
        if self._length == -1:
            self._read_chunks()
        if max(len(self._body) + len(self._data), self._length) > LARGEST_BODY:
            raise Unreadable(f"more than {LARGEST_BODY // 2**20} MiB")
        if 0 <= self._length <= len(self._data) and not self.whole:
            self._take(self._length)
            self._completed()

    def _read_head(self, head: bytes) -> None:
        began = _STATUS.match(head)
        if not began:
            raise Unreadable("what does not begin as a reply does")
        self.status = int(began[1])
        if self.status < 200:
            return  # The reply itself follows.
        for line in head[began.end() :].decode("latin-1").split("\r\n"):
            field = _FIELD.fullmatch(line)
            if line and not field:
                raise Unreadable("a head with a line that is no header")
            if field:
                name, value = field[1].title(), field[2].strip()
                if name in ("Content-Length", "Transfer-Encoding") and self._headers.get(name, value) != value:
                    raise Unreadable(f"{name} twice")
                self._headers[name] = value
        length, coded = self._headers.get("Content-Length"), self._headers.get("Transfer-Encoding", "").lower()
        if length is not None and (coded or not re.fullmatch(r"\d{1,15}", length)):
            raise Unreadable("a reply of no certain length")
        if self._bodiless or self.status in (204, 304):
            self._length = 0
        else:
            self._length = -1 if coded == "chunked" else -2 if length is None else int(length)

    def _read_chunks(self) -> None:
        """Take the chunks that are there as a whole."""
        while begun := _CHUNK.match(self._data):
            size, start = int(begun[1], 16), begun.end()
            if size == 0:
                # After the last one there may be more headers, and there is an empty line.
                if (end := self._data.find(b"\r\n\r\n", start - 2)) >= 0:
                    del self._data[: end + 4]
                    self._completed()
                return
            if size > LARGEST_BODY:
                raise Unreadable(f"more than {LARGEST_BODY // 2**20} MiB")
            if len(self._data) < start + size + 2:
                return
            if self._data[start + size : start + size + 2] != b"\r\n":
                break
            del self._data[:start]
            self._take(size)
            del self._data[:2]
        if begun or len(self._data) > 100:
            raise Unreadable("chunks that are none")

    def _take(self, size: int) -> None:
        self._body += self._data[:size]
        del self._data[:size]


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


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())
