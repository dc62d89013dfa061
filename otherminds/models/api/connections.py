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
from typing import Any, cast

import certifi
import h11
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


class Unreadable(ValueError):
    """What came back is no whole reply; its text follows "sent"."""


class Unreachable(Exception):
    """There is no connection to the server."""


class TooManyFiles(Exception):
    """This program, or the system, can open no more connections."""


class Broken(Exception):
    """The connection ended before the reply did."""


class Doubtful(Exception):
    """More came back than one reply, so that nobody knows which one belongs to the request."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a server sent: its JSON, and the words of what is none."""

    status: int
    headers: Mapping[str, str]
    data: Any
    words: str


class Connections:
    """Exchanges with one server."""

    def __init__(self, address: Address, *, timeout: float, authorization: str) -> None:
        self._address, self._timeout, self._proxy = address, timeout, address.proxy()
        proxied = self._proxy is not None and not address.secure
        self._before = f"http://{address.netloc}" if proxied else ""
        self._fields = [
            ("Host", address.netloc),
            ("User-Agent", "otherminds"),
            ("Accept", "application/json"),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
            *([("Authorization", authorization)] if authorization else []),
            *(_credentials(self._proxy) if proxied else []),
        ]
        self.open = 0
        """Connections at this moment."""
        self._closes, self._left_open, self._longest = False, 0, 0.0

    async def send(self, method: str, path: str, body: Mapping[str, Any] | None) -> HttpReply:
        """The reply to a request, whole and in time, or an exception: a TimeoutError, or what came instead."""
        content = b"" if body is None else json.dumps(body).encode()
        about = [("Content-Type", "application/json"), ("Content-Length", str(len(content)))] if content else []
        target = f"{self._before}{path}{self._address.raw_query}"
        exchange = _Exchange(h11.Request(method=method, target=target, headers=[*self._fields, *about]), content)
        began = exchange.now()
        self.open += 1
        try:
            async with asyncio.timeout(self._timeout):
                await self._connect(exchange)
                await exchange.ask(self._silence)
        except TimeoutError:
            # Nothing but the end of the connection was missing: whatever else was to come is overdue by now.
            if not exchange.whole:
                raise
        finally:
            self.open -= 1
            exchange.close()
        reply = exchange.reply()
        # Some close a second later, which is too long to wait each time.
        closed = exchange.ended and exchange.now() - exchange.complete < FIRST_SILENCE
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
        to, loop = self._address, asyncio.get_running_loop()
        host, port = (self._proxy.raw_host or "", self._proxy.port or 80) if self._proxy else (to.host, to.port)
        # Names may stand for several addresses, of which some lead nowhere.
        delay = None if re.fullmatch(r"[\d.]+|.*:.*", host) else 0.25
        try:
            secure = _certificates() if to.secure else None
            if not (self._proxy and secure):
                await loop.create_connection(lambda: exchange, host, port, ssl=secure, happy_eyeballs_delay=delay)
                return
            reader, writer = await asyncio.open_connection(host, port, happy_eyeballs_delay=delay)
            try:
                fields = [("Host", f"{to.host}:{to.port}"), *_credentials(self._proxy)]
                writer.write(
                    h11.Connection(h11.CLIENT).send(h11.Request(method="CONNECT", target=fields[0][1], headers=fields))
                )
                said = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0].decode("latin-1")
                if not re.match(r"HTTP/1\.[01] 200", said):
                    raise OSError(f"the proxy says {said!r}")
                exchange.transport = await loop.start_tls(writer.transport, exchange, secure, server_hostname=to.host)
            except BaseException:
                writer.transport.abort()
                raise
            # The writer closes the connection when nobody has it any more.
            exchange.tunnel = writer
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise Unreachable("the proxy says nothing") from None
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise TooManyFiles from None
            number = 0 if isinstance(error, ssl.SSLError) else error.errno or 0
            raise Unreachable(os.strerror(number) if number > 0 else error.strerror or str(error)) from error


def _credentials(proxy: URL | None) -> list[tuple[str, str]]:
    if proxy is None or not proxy.user:
        return []
    pair = f"{proxy.user}:{proxy.password or ''}"
    return [("Proxy-Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}")]


class _Incoming:
    """What comes in answer to a request: it should be one reply."""

    def __init__(self, request: h11.Request, content: bytes) -> None:
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=LARGEST_HEAD)
        parts = (request, h11.Data(data=content), h11.EndOfMessage())
        self.request = b"".join(self._http.send(part) or b"" for part in parts)
        self.whole = self.ended = False
        self._head: h11.Response | None = None
        self._body: list[bytes] = []
        self._size = 0

    def take(self, data: bytes) -> None:
        """See whether the reply is whole, and whether there is more; nothing stands for the end of the connection."""
        self.ended = not data
        self._size += len(data)
        self._refuse_beyond(self._size)
        self._http.receive_data(data)
        begun = self._http.trailing_data[0]
        if not (self._head or b"HTTP/1.".startswith(begun[:7])):
            raise Unreadable(f"what does not begin as a reply does: {begun[:20]!r}")
        try:
            while not self.whole and (event := self._http.next_event()) is not h11.NEED_DATA:
                if isinstance(event, h11.Response):
                    self._head = event
                    headers = dict(event.headers)
                    if {b"content-length", b"transfer-encoding"} <= headers.keys():
                        raise Unreadable("a head that says in two ways where the reply ends")
                    self._refuse_beyond(int(headers.get(b"content-length", 0)))
                elif isinstance(event, h11.Data):
                    self._body.append(event.data)
                self.whole = isinstance(event, h11.EndOfMessage)
        except h11.RemoteProtocolError as error:
            if self.ended:
                raise Broken from None
            raise Unreadable(f"what is no HTTP ({error})") from None
        # Some servers end a body with a line of its own, which can be the beginning of no reply.
        if self.whole and self._http.trailing_data[0].strip(b"\r\n"):
            raise Doubtful

    def _refuse_beyond(self, size: int) -> None:
        if size > LARGEST_BODY:
            raise Unreadable(f"more than {LARGEST_BODY // 2**20} MiB")

    def reply(self) -> HttpReply:
        """The whole reply."""
        assert self._head
        headers = {name.decode("latin-1").title(): value.decode("latin-1") for name, value in self._head.headers}
        content = _unpacked(b"".join(self._body), headers.get("Content-Encoding", "").lower())
        try:
            data = read_json(content)
        except Unreadable:
            if self._head.status_code == 200:
                raise
            data = None
        return HttpReply(self._head.status_code, headers, data, content[:2000].decode(errors="replace"))


class _Exchange(_Incoming, asyncio.Protocol):
    """A request and its reply over a connection of their own."""

    def __init__(self, request: h11.Request, content: bytes) -> None:
        super().__init__(request, content)
        self.transport: asyncio.Transport | None = None
        self.tunnel: asyncio.StreamWriter | None = None
        self.complete = 0.0
        loop = asyncio.get_running_loop()
        self.now, self._later = loop.time, loop.call_later
        self._done: asyncio.Future[None] = loop.create_future()
        self._silence: Callable[[], float] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def ask(self, silence: Callable[[], float]) -> None:
        """Send the request, and wait until the server closes or says nothing for so long after its reply."""
        self._silence = silence
        if self.transport:
            self.transport.write(self.request)
        await self._done

    def close(self) -> None:
        """Let go of the connection."""
        if self._timer:
            self._timer.cancel()
        if self.transport:
            self.transport.abort()
        if self._done.done() and not self._done.cancelled():
            self._done.exception()  # or it would count as one that nobody has seen

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        try:
            if self._silence is None:
                raise Doubtful  # What comes before the request is no reply to it.
            self.take(data)
            if self.whole and not self._timer:
                self.complete = self.now()
                self._timer = self._later(self._silence(), self._finish)
        except (Unreadable, Doubtful, Broken) as fault:
            self._finish(fault)

    def connection_lost(self, error: Exception | None) -> None:
        try:
            if not self.whole:
                self.complete = self.now()
                self.take(b"")
            self.ended = error is None
            self._finish(None if self.whole else Broken())
        except (Unreadable, Doubtful, Broken) as fault:
            self._finish(fault)

    def _finish(self, fault: Exception | None = None) -> None:
        if not self._done.done():
            self._done.set_exception(fault) if fault else self._done.set_result(None)


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
    if _is_deep(data):
        raise Unreadable(f"JSON of more than {DEEPEST} levels")
    return data


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _is_deep(data: Any, levels: int = DEEPEST) -> bool:
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return not levels or any(_is_deep(part, levels - 1) for part in parts if isinstance(part, dict | list))


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())
