"""A real HTTP server on loopback that answers as a test tells it to, and keeps what it was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any


@dataclass(frozen=True)
class Call:
    """One request."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """One answer. `text` is sent as it is; `cut` closes the connection in the middle of it."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    cut: bool = False
    delay: float = 0.0


@dataclass
class Serving:
    """A running server: its address, and the calls so far that were no GET."""

    url: str
    calls: list[Call] = field(default_factory=list)
    busiest: int = 0
    """The most calls that were under way at once."""


@contextmanager
def serving(
    answer: Callable[[Call], Reply], *, owner: str = "somebody", version: str = "", models: Reply | None = None
) -> Iterator[Serving]:
    """A server whose POSTs `answer` answers; its list of models says whose it is, unless it is another one."""
    lock = Lock()
    under_way = 0

    class Server(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            usual = Reply({"data": [{"id": "m", "owned_by": owner, "created": time.time()}]})
            known = {"/v1/models": models or usual, "/version": Reply({"version": version})}
            self.send(known.get(self.path, Reply({}, status=404)))

        def do_POST(self) -> None:
            nonlocal under_way
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            call = Call(self.path, body, dict(self.headers))
            with lock:
                under_way += 1
                server.busiest = max(server.busiest, under_way)
                server.calls.append(call)
            try:
                reply = answer(call)
                time.sleep(reply.delay)
            finally:
                with lock:
                    under_way -= 1
            self.send(reply)

        def send(self, reply: Reply) -> None:
            payload = (reply.text or json.dumps(reply.body)).encode()
            try:
                # The usual one would set the date by itself.
                (self.send_response_only if "Date" in reply.headers else self.send_response)(reply.status)
                self.send_header("Content-Length", str(len(payload)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload[: len(payload) // 2] if reply.cut else payload)
            except OSError:  # the client gave up first, which some tests are about
                self.close_connection = True
            if reply.cut:
                self.close_connection = True

    http = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    http.daemon_threads = True
    server = Serving(f"http://127.0.0.1:{http.server_port}/v1")
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def always(reply: Reply, **options: Any) -> AbstractContextManager[Serving]:
    """A server that says the same to everything."""
    return serving(lambda _: reply, **options)


def first_then(*replies: Reply) -> Callable[[Call], Reply]:
    """Each reply once, the last one for ever."""
    waiting = list(replies)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


def chat(text: str, **more: Any) -> Reply:
    """An ordinary chat answer."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"} | more
    return Reply({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


def completion(text: str, **more: Any) -> Reply:
    """An ordinary raw completion."""
    choice = {"text": text, "finish_reason": "stop"} | more
    return Reply({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


def top(tokens: Mapping[str, float], *, in_chat: bool = False) -> dict[str, Any]:
    """Next tokens with their log-probabilities, in the shape that the two paths use."""
    if not in_chat:
        return {"logprobs": {"top_logprobs": [dict(tokens)]}}
    listed = [{"token": token, "logprob": value} for token, value in tokens.items()]
    return {"logprobs": {"content": [listed[0] | {"top_logprobs": listed}]}}
