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
from typing import Any, NamedTuple, cast

import certifi
from yarl import URL

from otherminds.models.api.addresses import Address

LARGEST_BODY = 16 * 2**20
"""Bytes, as sent and as unpacked; the largest honest reply has some hundred thousand."""
LARGEST_HEAD = 2**17
DEEPEST = 60
"""Levels of nesting; honest replies have ten."""
FIRST_SILENCE, SILENCE = 0.5, (0.02, 1.0)
"""Seconds of silence after a whole reply, until we close the connection: as long as nothing is known of the server;
where it is known to leave connections open, least and most. Where it closes them, it has until the time-out."""
_ODD = 3
"""Connections that a server which closes them leaves open, more than it closes since, until it counts as one that
does not."""
_ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""By name, what zlib calls them."""
_STATUS = re.compile(r"HTTP/1\.[01] [1-5]\d\d(?: |$)")
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
        # Some close a second later, which is too long to wait each time.
        closed = exchange.ended and asyncio.get_running_loop().time() - exchange.complete < FIRST_SILENCE
        self._left_open = max(0, self._left_open - 1) if closed else self._left_open + 1
        self._closes |= closed
        self._longest = max(self._longest, exchange.complete - began)
        return reply

    def _silence(self) -> float:
        """Seconds of silence after a whole reply that count as its end."""
        if self._left_open >= (_ODD if self._closes else 1):
            return min(max(SILENCE[0], self._longest / 20), SILENCE[1])
        return self._timeout if self._closes else FIRST_SILENCE

    async def _connect(self, exchange: _Exchange) -> None:
        to, loop, secure = self._address, asyncio.get_running_loop(), _certificates() if self._address.secure else None
        host, port = (self._proxy.raw_host or "", self._proxy.port or 80) if self._proxy else (to.host, to.port)
        # Names may stand for several addresses, of which some lead nowhere.
        delay = None if re.fullmatch(r"[\d.]+|.*:.*", host) else 0.25
        try:
            if not (self._proxy and secure):
                await loop.create_connection(lambda: exchange, host, port, ssl=secure, happy_eyeballs_delay=delay)
                return
            # The writer closes the connection when nobody has it any more.
            reader, exchange.tunnel = await asyncio.open_connection(host, port)
            writer = exchange.tunnel
            lines = [f"CONNECT {to.host}:{to.port} HTTP/1.1", f"Host: {to.host}:{to.port}", *_credentials(self._proxy)]
            writer.write("\r\n".join([*lines, "", ""]).encode())
            said = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0].decode("latin-1")
            if not re.match(r"HTTP/1\.[01] 200", said):
                writer.close()
                raise OSError(f"the proxy says {said!r}")
            exchange.transport = await loop.start_tls(writer.transport, exchange, secure, server_hostname=to.host)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise Unreachable("the proxy says nothing") from None
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise TooManyFiles from None
            number = 0 if isinstance(error, ssl.SSLError) else error.errno or 0
            raise Unreachable(os.strerror(number) if number > 0 else error.strerror or str(error)) from error


def _credentials(proxy: URL | None) -> list[str]:
    if proxy is None or not proxy.user:
        return []
    pair = f"{proxy.user}:{proxy.password or ''}"
    return [f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}"]


class _Exchange(asyncio.Protocol):
    """All that comes over one connection: it should be one reply."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.tunnel: asyncio.StreamWriter | None = None
        self.whole: _Whole | None = None
        self.ended = False
        """Whether the server closed the connection."""
        self.complete = 0.0
        self._data = bytearray()
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
            raise Broken("the connection ended before the reply" if self._data else "no reply came")
        content = _unpacked(self.whole.body, self.whole.headers.get("Content-Encoding", "").lower())
        try:
            data = read_json(content)
        except Unreadable:
            if self.whole.status == 200:
                raise
            data = None
        return Reply(self.whole.status, self.whole.headers, data, content[:2000].decode(errors="replace"))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._data += data
        self._look()

    def connection_lost(self, error: Exception | None) -> None:
        self.ended = True
        if error is None and self._data and not self.whole:
            self._look()
        self._finish()

    def _look(self) -> None:
        """See whether the reply is whole, and whether there is more."""
        try:
            if self._silence is None:
                raise Doubtful
            if not self.whole and (found := _read(self._data, ended=self.ended)):
                self.whole, self.complete = found, asyncio.get_running_loop().time()
                del self._data[: found.end]
                self._timer = asyncio.get_running_loop().call_later(self._silence(), self._finish)
            # Some servers end a body with a line of its own, which can be the beginning of no reply.
            if self.whole and self._data.strip(b"\r\n"):
                raise Doubtful
            if len(self._data) > LARGEST_BODY:
                raise Unreadable(f"more than {LARGEST_BODY // 2**20} MiB")
        except (Unreadable, Doubtful) as fault:
            self._data.clear()
            self._fault = self._fault or fault
            self._finish()

    def _finish(self) -> None:
        if not self._done.done():
            self._done.set_result(None)


class _Whole(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes
    end: int


def _read(data: bytearray, *, ended: bool) -> _Whole | None:
    """The first reply in what came, if all of it is there."""
    status, start, head = 0, 0, [""]
    while status < 200:  # Below that, the reply itself follows.
        end = data.find(b"\r\n\r\n", start)
        if not b"HTTP/1.".startswith(bytes(data[start : start + 7])) or (end < 0 and len(data) > LARGEST_HEAD):
            raise Unreadable(f"what does not begin as a reply does: {bytes(data[start : start + 20])!r}")
        if end < 0:
            return None
        head = data[start:end].decode("latin-1").split("\r\n")
        status, start = int(head[0][9:12]) if _STATUS.match(head[0]) else 999, end + 4
    fields = [field for line in head[1:] if (field := _FIELD.fullmatch(line))]
    headers = {field[1].title(): field[2].strip() for field in fields}
    lengths = {field[2].strip() for field in fields if field[1].title() == "Content-Length"}
    length, coded = " ".join(lengths), headers.get("Transfer-Encoding", "").lower()
    if status == 999 or len(fields) < len(head) - 1 or (length and (coded or not re.fullmatch(r"\d{1,15}", length))):
        raise Unreadable("a head that is none")
    if coded == "chunked":
        body, end = _chunks(data, start)
    else:
        end = start + int(length) if length else start if status in (204, 304) else len(data) if ended else -1
        if end - start > LARGEST_BODY:
            raise Unreadable(f"more than {LARGEST_BODY // 2**20} MiB")
        body = bytes(data[start:end])
    return _Whole(status, headers, body, end) if 0 <= end <= len(data) else None


def _chunks(data: bytearray, start: int) -> tuple[bytes, int]:
    """A body that comes in chunks, and where it ends; -1 as long as the last one is missing."""
    body: list[bytes] = []
    while (begun := _CHUNK.match(data, start)) and (size := int(begun[1], 16)):
        start = begun.end() + size + 2
        if start > len(data):
            return b"", -1
        body.append(bytes(data[begun.end() : start - 2]))
    # After the last one there may be more headers, and there is an empty line.
    end = data.find(b"\r\n\r\n", begun.end() - 2) if begun else -1
    return b"".join(body), end + 4 if end >= 0 else -1


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
