"""A loopback server that speaks /v1/completions with log-probabilities and counts what it is asked."""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class CountingServer:
    """Prefers the letter B a little in every prompt; `answered` counts how often each prompt was answered.

    After `hold_after` requests it lets all others wait until `release`, so that a client can be killed while they do.
    """

    def __init__(self, *, delay: float = 0.0, hold_after: int | None = None) -> None:
        self.answered: Counter[str] = Counter()
        self.delay = delay
        self.hold_after = hold_after
        self._came = 0
        self._open = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                time.sleep(outer.delay)
                outer._wait()
                if self._hung_up():
                    self.close_connection = True
                    return
                with outer._lock:
                    outer.answered[body["prompt"]] += 1
                top = {" A": -1.0, " B": -0.8}
                data = json.dumps({"choices": [{"text": " B", "logprobs": {"top_logprobs": [top]}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _hung_up(self) -> bool:
                try:
                    return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
                except BlockingIOError:
                    return False
                except ConnectionError:
                    return True

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that is killed hangs up in the middle; that is what some tests are about."""

        self._server = Quiet(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/completions"

    def _wait(self) -> None:
        with self._lock:
            self._came += 1
            held = self.hold_after is not None and self._came > self.hold_after
        if held:
            self._open.wait(60)

    def release(self) -> None:
        """Let everyone in."""
        self._open.set()

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
