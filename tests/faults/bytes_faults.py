"""Faults of status, rate limits, time and framing: what happens to the bytes of a reply, whatever it says."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import Any

from tests.faults.server import ELSEWHERE, FOREVER, Exchange, Fault

HTML = b"<!DOCTYPE html><html><head><title>502</title></head><body><h1>Bad Gateway</h1>nginx</body></html>"
BIG = 50_000_000
BOMB = 256_000_000
"""Bytes, once it is unpacked."""


def status(code: int, words: str) -> Fault:
    """An error that says so, with words that tell nothing."""
    return lambda exchange: exchange.say({"error": {"message": words, "code": code}}, code)


def page(code: int) -> Fault:
    """A page for people."""
    return lambda exchange: exchange.reply(code, HTML, Content_Type="text/html; charset=utf-8")


def nothing(code: int) -> Fault:
    """No body at all."""
    length = "" if code == 204 else "0"
    return lambda exchange: exchange.reply(code, b"", Content_Length=length)


def hang_up(exchange: Exchange) -> None:
    """The connection ends before a reply."""
    exchange.close()


def reset_in_body(exchange: Exchange) -> None:
    """The connection is torn down in the middle of the body."""
    whole = exchange.whole()
    exchange.send(whole[: len(whole) - len(json.dumps(exchange.right)) // 2])
    exchange.wait(0.01)  # so that it is read before the reset takes it back
    exchange.reset()


# ── rate limits ──


def busy(after: str | None = None) -> Fault:
    """429, with what it says on when to come back."""
    headers = {} if after is None else {"Retry_After": after}
    return lambda exchange: exchange.say({"error": {"message": "Too many requests"}}, 429, **headers)


def busy_until(seconds: float, *, clock: float = 0) -> Fault:
    """429 until a date, by a clock that may be wrong."""

    def fault(exchange: Exchange) -> None:
        now = time() + clock
        dates = {"Retry_After": formatdate(now + seconds, usegmt=True), "Date": formatdate(now, usegmt=True)}
        exchange.say({"error": {"message": "Too many requests"}}, 429, **dates)

    return fault


# ── time ──


def hang(seconds: float) -> Fault:
    """The right reply, after a while."""

    def fault(exchange: Exchange) -> None:
        exchange.wait(seconds)
        exchange.reply()

    return fault


def trickle(exchange: Exchange) -> None:
    """The right reply in one byte after another; slower than any time-out of the whole, faster than one of a byte."""
    for byte in exchange.whole():
        exchange.send(bytes([byte]))
        exchange.wait(0.003)


def trickle_forever(exchange: Exchange) -> None:
    """Blanks, one after another, and never a reply."""
    exchange.send(exchange.whole(body=b"{", Content_Length=str(BIG)))
    for _ in range(int(FOREVER / 0.05)):
        exchange.wait(0.05)
        exchange.send(b" ")


def trickle_headers(exchange: Exchange) -> None:
    """Header after header, and never a reply."""
    exchange.send(b"HTTP/1.1 200 OK\r\n")
    for place in range(int(FOREVER / 0.05)):
        exchange.wait(0.05)
        exchange.send(b"X-Wait-%d: a little\r\n" % place)


# ── framing ──


def body(change: Callable[[bytes], bytes], **headers: str) -> Fault:
    """The right reply with another body, well framed."""

    def fault(exchange: Exchange) -> None:
        text = json.dumps(exchange.right, ensure_ascii=False).encode()
        exchange.reply(body=change(text), **headers)

    return fault


def cut(share: float) -> Fault:
    """Only the beginning of the JSON, as if that were all."""
    return body(lambda text: text[: int(len(text) * share)])


def redirect(code: int) -> Fault:
    """Somewhere else, where all answers are wrong."""

    def fault(exchange: Exchange) -> None:
        there = f"http://localhost:{exchange.server.port}{ELSEWHERE}{exchange.request.path}"
        exchange.reply(code, b"", Location=there)

    return fault


def twice(exchange: Exchange) -> None:
    """The reply comes twice at once, so that the second one waits for the next request."""
    exchange.send(exchange.whole() * 2)


def twice_late(exchange: Exchange) -> None:
    """The reply comes once more when the next request is there."""
    exchange.reply()
    exchange.late = exchange.whole()


# ── more than one reply ──


def _foreign(exchange: Exchange) -> bytes:
    """The right reply to another request, whole, with an id that nobody has seen."""
    return exchange.whole(body=json.dumps(exchange.foreign()).encode())


def extra(delay: float) -> Fault:
    """The right reply, and after a while one to another request."""

    def fault(exchange: Exchange) -> None:
        exchange.reply()
        exchange.linger(delay)
        exchange.send(_foreign(exchange))

    return fault


def extra_late(exchange: Exchange) -> None:
    """The right reply, and one to another request when the next request is there."""
    exchange.reply()
    exchange.late = _foreign(exchange)


def foreign_first(delay: float) -> Fault:
    """A reply to another request, and after a while the right one."""

    def fault(exchange: Exchange) -> None:
        exchange.send(_foreign(exchange))
        exchange.linger(delay)
        exchange.reply()

    return fault


def split(exchange: Exchange) -> None:
    """A foreign reply and the right one, in pieces that end anywhere but between the two."""
    both = _foreign(exchange) + exchange.whole()
    middle = len(_foreign(exchange))
    for start, end in ((0, 30), (30, middle - 7), (middle - 7, middle + 5), (middle + 5, len(both))):
        exchange.send(both[start:end])
        exchange.linger(0.005)


def pieces(exchange: Exchange) -> None:
    """A foreign reply, of which the last byte comes with the first bytes of the right one, and then the rest."""
    both, middle = _foreign(exchange) + exchange.whole(), len(_foreign(exchange))
    for piece in (both[: middle - 1], both[middle - 1 : middle + 3], both[middle + 3 :]):
        exchange.send(piece)
        exchange.linger(0.005)


def after_body(more: bytes) -> Fault:
    """The right reply and some bytes that belong to nothing."""
    return lambda exchange: exchange.send(exchange.whole() + more)


def chunked_twice(exchange: Exchange) -> None:
    """A foreign reply and the right one, both in chunks, so that no length tells them apart."""
    for data in (exchange.foreign(), exchange.right):
        text = json.dumps(data).encode()
        head = exchange.whole(body=b"", Content_Length="", Transfer_Encoding="chunked")
        exchange.send(head + f"{len(text):x}\r\n".encode() + text + b"\r\n0\r\n\r\n")


def swapped(exchange: Exchange) -> None:
    """This request gets the reply to the next one of this connection and the next one the reply to this."""
    exchange.send(_foreign(exchange))
    exchange.late = exchange.whole()


def header(line: bytes) -> Fault:
    """The right reply under a head with one more line."""

    def fault(exchange: Exchange) -> None:
        start, rest = exchange.whole().split(b"\r\n", 1)
        exchange.send(start + b"\r\n" + line + b"\r\n" + rest)

    return fault


def no_status(exchange: Exchange) -> None:
    """A reply that does not begin as one."""
    exchange.send(b"HELLO " + exchange.whole())
    exchange.close()


def length(more: int) -> Fault:
    """A reply that lies about its length: the rest is missing, or left over."""

    def fault(exchange: Exchange) -> None:
        text = json.dumps(exchange.right, ensure_ascii=False).encode()
        exchange.reply(body=text, Content_Length=str(len(text) + more))
        if more > 0:
            exchange.wait(FOREVER)

    return fault


def chunks_cut(exchange: Exchange) -> None:
    """A reply in chunks that ends without the last one."""
    text = json.dumps(exchange.right, ensure_ascii=False).encode()
    half = text[: len(text) // 2]
    head = exchange.whole(body=b"", Content_Length="", Transfer_Encoding="chunked")
    exchange.send(head + f"{len(half):x}\r\n".encode() + half + b"\r\n")
    exchange.close()


@lru_cache(maxsize=1)
def _bomb() -> tuple[bytes, Any]:
    """The beginning, and what packs the rest of it."""
    packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join(packer.compress(b" " * 1_000_000) for _ in range(BOMB // 1_000_000)), packer


def gzip_bomb(exchange: Exchange) -> None:
    """A small reply that unpacks to a huge one: blanks and blanks, and then the right JSON."""
    text = json.dumps(exchange.right, ensure_ascii=False).encode()
    begun, packer = _bomb()
    rest = packer.copy()
    exchange.reply(body=begun + rest.compress(text) + rest.flush(), Content_Encoding="gzip")


def packed(change: Callable[[bytes], bytes]) -> Fault:
    """A packed reply with something wrong in it."""
    return body(lambda text: change(gzip.compress(text)), Content_Encoding="gzip")


@lru_cache(maxsize=1)
def _blanks() -> bytes:
    return b" " * BIG


def big(exchange: Exchange) -> None:
    """The right JSON after 50 MB of blanks."""
    text = json.dumps(exchange.right, ensure_ascii=False).encode()
    exchange.send(exchange.whole(body=b"", Content_Length=str(BIG + len(text))))
    exchange.send(_blanks())
    exchange.send(text)


def prepare() -> None:
    """Make what is big beforehand, so that nobody takes it for the client's memory."""
    _bomb()
    _blanks()


def beside(name: str, value: bytes) -> Fault:
    """The right reply with one more field, whose value is given as JSON."""

    def fault(exchange: Exchange) -> object:
        if not isinstance(exchange.right, dict):
            return False
        text = json.dumps(exchange.right, ensure_ascii=False).encode()
        return exchange.reply(body=b'{"%s": %s, ' % (name.encode(), value) + text[1:])

    return fault


def recoded(encoding: str, charset: str = "") -> Fault:
    """The right reply in another encoding."""

    def change(text: bytes) -> bytes:
        return text.decode().encode(encoding, errors="replace")

    return body(change, Content_Type=f"application/json{charset}")


def said(data: Any, code: int = 200) -> Fault:
    """The same JSON whatever is asked."""
    return lambda exchange: exchange.say(data, code)
