"""A loopback server that keeps every request it answers, in order, and can let clients wait while they are killed."""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.trials import is_trial


def prefers_b(_: str) -> str:
    """/v1/completions with log-probabilities: the letter B a little, in every prompt."""
    return json.dumps({"choices": [{"text": " B", "logprobs": {"top_logprobs": [{" A": -1.0, " B": -0.8}]}}]})


class CountingServer:
    """Answers a request body with `reply(body)`; `answered` has every body that got its answer, in order.

    Whoever only tries out what the server can do, or whether it is the same, is answered and not counted, as every run
    does that.
    After `hold_after` requests it lets all others wait until `release`, so that a client can be killed while they do.
    """

    def __init__(
        self, reply: Callable[[str], str] = prefers_b, *, delay: float = 0.0, hold_after: int | None = None
    ) -> None:
        self.answered: list[str] = []
        self._hold_after = hold_after
        self._came = 0
        self._open = threading.Event()
        self._news = threading.Condition()
        outer = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                self._send('{"data": [{"id": "scripted", "owned_by": "somebody"}]}')

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if is_trial(body):
                    self._send(reply(body))
                    return
                time.sleep(delay)
                outer._wait()
                text = reply(body)
                with outer._news:
                    if self._hung_up():
                        self.close_connection = True
                        return
                    self._send(text)
                    outer.answered.append(body)
                    outer._news.notify_all()

            def _hung_up(self) -> bool:
                try:
                    return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
                except BlockingIOError:
                    return False
                except ConnectionError:
                    return True

            def _send(self, text: str) -> None:
                data = text.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that is killed hangs up in the middle; that is what some tests are about."""

        self._server = Quiet(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def times(self) -> Counter[str]:
        """How often each request was answered."""
        return Counter(self.answered)

    def wait_for(self, number: int) -> bool:
        """Wait until so many requests have been answered since the beginning."""
        with self._news:
            return self._news.wait_for(lambda: len(self.answered) >= number, timeout=60)

    def release(self) -> None:
        """Let everyone in."""
        self._open.set()

    def _wait(self) -> None:
        with self._news:
            self._came += 1
            held = self._hold_after is not None and self._came > self._hold_after
        if held:
            self._open.wait(60)

    @contextmanager
    def running(self) -> Iterator["CountingServer"]:
        """Serve until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self.release()
            self._server.shutdown()
            thread.join()
            self._server.server_close()
