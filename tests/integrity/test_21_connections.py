"""An answer counts when nothing but the reply to its request came over its connection."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import h11
import pytest

import otherminds as om
from otherminds.models.api.connections import LARGEST_BODY, Broken, Doubtful, Unreadable, _Incoming
from otherminds.models.api.endpoint import Endpoint
from tests.faults.bench import Bench, Cell

KINDS = ("extra-late", "extra-5-ms", "foreign-first-0-ms", "foreign-first-50-ms", "foreign-joined", "swapped")
FORMS = ("letters-chat", "text-raw", "vllm:letters-raw", "sglang:letters-raw", "llama.cpp:cloze-raw")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_no_answer_is_that_to_another_prompt(bench: Bench, kind: str, form: str) -> None:
    outcome = bench.run(Cell(kind, form, "chance", 50))
    assert outcome.struck
    assert not outcome.bad, outcome.example


# ── a server that sends what a test wants, byte by byte ──

Wanted = Callable[[socket.socket, str], object]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"


def reply(text: str) -> bytes:
    body = json.dumps({"id": text, "choices": [{"text": text, "finish_reason": "stop"}]}).encode()
    return HEAD % len(body) + body


@contextmanager
def sending(wanted: Wanted) -> Iterator[str]:
    """A server that hands each request's prompt and its connection to a function, and never closes by itself."""
    listener = socket.create_server(("127.0.0.1", 0))
    kept = []

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            kept.append(client)
            Thread(target=answer, args=(client,), daemon=True).start()

    def answer(client: socket.socket) -> None:
        heard = b""
        while b"\r\n\r\n" not in heard:
            heard += client.recv(65536)
        head, _, body = heard.partition(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
        while len(body) < size:
            body += client.recv(65536)
        wanted(client, json.loads(body)["prompt"])

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)
        for client in kept:
            client.close()


def ask(url: str, *prompts: str, **settings: object) -> tuple[list[str], Endpoint]:
    model = Endpoint("m", base_url=url, api_key="", server="other", lacks="", **settings)
    return [found.text for found in model.ask([om.Prompt(text=text) for text in prompts])], model


@pytest.mark.usefixtures("waits")
def test_a_server_that_leaves_connections_open_is_listened_to_for_a_while() -> None:
    struck: set[str] = set()

    def wanted(client: socket.socket, prompt: str) -> None:
        if prompt in "bd" and prompt not in struck:
            struck.add(prompt)
            client.sendall(reply("another"))
        client.sendall(reply(prompt))

    with sending(wanted) as url:
        found, model = ask(url, *"abcdef")
    assert found == [*"abcdef"]
    assert (model.wire.uncertain, model.retried) == (2, 2)


@pytest.mark.usefixtures("waits")
def test_what_comes_before_the_request_is_no_reply_to_it() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    times = iter(range(100))

    def serve() -> None:
        for time in times:
            client, _ = listener.accept()
            with client:
                if time == 0:
                    client.sendall(reply("too soon"))
                client.recv(65536)
                client.sendall(reply("right"))
                if time:
                    return

    thread = Thread(target=serve, daemon=True)
    thread.start()
    found, model = ask(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", "a", parallel=1)
    thread.join(5)
    listener.close()
    assert found == ["right"]
    assert model.wire.uncertain == 1


@pytest.mark.usefixtures("waits")
def test_a_line_that_can_begin_no_reply_is_passed_over() -> None:
    def wanted(client: socket.socket, prompt: str) -> None:
        client.sendall(reply(prompt) + b"\r\n")
        client.shutdown(socket.SHUT_RDWR)

    with sending(wanted) as url:
        found, model = ask(url, "a", "b")
    assert (found, model.wire.uncertain) == (["a", "b"], 0)


# ── where a reply ends ──

CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n{"\r\n5\r\na":1}\r\n0\r\nMore: x\r\n\r\n'
WHOLE = {
    "length": HEAD % 2 + b"{}",
    "empty": HEAD % 0,
    "chunks": CHUNKED,
    "continued": b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD % 2 + b"{}",
    "nothing": b"HTTP/1.1 204 No Content\r\n\r\n",
    "wordless": b"HTTP/1.0 200\r\ncontent-length:2\r\n\r\n{}",
}


def exchange() -> _Incoming:
    return _Incoming(h11.Request(method="GET", target="/", headers=[("Host", "h"), ("Connection", "close")]), b"")


@pytest.mark.parametrize("data", WHOLE.values(), ids=WHOLE)
def test_a_reply_ends_at_its_last_byte_wherever_it_is_cut(data: bytes) -> None:
    for end in range(1, len(data)):
        cut = exchange()
        cut.take(data[:end])
        assert not cut.whole
        with pytest.raises(Broken):
            cut.take(b"")
    one_by_one = exchange()
    for byte in data:
        one_by_one.take(bytes([byte]))
    assert one_by_one.whole
    for more in (b"x", b"HTTP/1.1 200 OK\r\n\r\n"):
        with pytest.raises(Doubtful):
            exchange().take(data + more)
        late = exchange()
        late.take(data + b"\r\n")
        assert late.whole
        with pytest.raises(Doubtful):
            late.take(more)


def test_a_reply_without_a_length_ends_with_its_connection() -> None:
    asked = exchange()
    asked.take(b"HTTP/1.1 200 OK\r\n\r\n{}")
    assert not asked.whole
    asked.take(b"")
    assert asked.whole
    assert asked.reply().data == {}


def test_a_body_that_says_to_be_too_large_is_refused_at_its_head() -> None:
    with pytest.raises(Unreadable, match="more than 16 MiB"):
        exchange().take(HEAD % 10**11)


def test_no_more_than_the_largest_body_is_taken() -> None:
    asked = exchange()
    asked.take(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(LARGEST_BODY // 2**20 - 1):
        asked.take(b" " * 2**20)
    with pytest.raises(Unreadable, match="more than 16 MiB"):
        asked.take(b" " * 2**20)


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-x",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        b"HTTP/1.1 200 OK\r\nMore: " + b"x" * 2**18,
    ],
)
def test_what_is_no_reply_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        exchange().take(data)
