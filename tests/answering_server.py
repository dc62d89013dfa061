"""A loopback server for a whole profile: chat, JSON by schema, log-probabilities; all that counts is the prompt.

It keeps the order in which requests were answered, so that a test can tell which were answered twice.
"""

import json
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


class AnsweringServer:
    """Answers at once; `answered` has every request body that got its answer, in order."""

    def __init__(self) -> None:
        self.answered: list[str] = []
        self.news = threading.Condition()
        outer = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                self._send({"data": [{"id": "scripted", "owned_by": "somebody"}]})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                reply = answer(json.loads(body))
                with outer.news:
                    if self._hung_up():
                        self.close_connection = True
                        return
                    self._send(reply)
                    outer.answered.append(body)
                    outer.news.notify_all()

            def _hung_up(self) -> bool:
                try:
                    return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
                except BlockingIOError:
                    return False
                except ConnectionError:
                    return True

            def _send(self, reply: Body) -> None:
                data = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that is killed hangs up in the middle; that is what the test is about."""

        self._server = Quiet(("127.0.0.1", 0), Door)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def wait_for(self, number: int) -> bool:
        """Wait until so many requests have been answered since the beginning."""
        with self.news:
            return self.news.wait_for(lambda: len(self.answered) >= number, timeout=60)

    @contextmanager
    def running(self) -> Iterator["AnsweringServer"]:
        """Serve until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()


def answer(body: Body) -> Body:
    """What this server says to a request, today and tomorrow."""
    dice = random.Random(json.dumps([body.get("prompt"), body.get("messages")]))
    if "messages" in body:
        shape = body.get("response_format", {}).get("json_schema", {}).get("schema")
        said = json.dumps(filled(shape, dice)) if shape else f"Answer: {dice.choice('AB')}"
        choice: Body = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    elif body.get("echo"):
        words = [*body["prompt"], "."]
        values = [None, *(-dice.random() for _ in words[1:])]
        choice = {"text": "".join(words), "logprobs": {"tokens": words, "token_logprobs": values}}
    else:
        top = {f" {letter}": -1.5 - dice.random() for letter in "ABCD"}
        choice = {"text": max(top, key=lambda token: top[token]), "logprobs": {"top_logprobs": [top]}}
    return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


def filled(shape: Body, dice: random.Random) -> Any:
    """Some JSON that keeps to a schema."""
    if "enum" in shape:
        return dice.choice(shape["enum"])
    if shape.get("type") == "object":
        return {name: filled(part, dice) for name, part in shape.get("properties", {}).items()}
    if shape.get("type") == "array":
        return [filled(shape["items"], dice) for _ in range(shape.get("minItems", 2))]
    return f"I want to keep word {dice.randrange(1000)} for myself." if shape.get("type") == "string" else 0
