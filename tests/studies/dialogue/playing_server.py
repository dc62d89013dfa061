"""A loopback server that plays its part well, badly at first every seventh time, and counts what it is asked."""

import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from players import again, well

from otherminds.recorded import unpack_prompt


class PlayingServer:
    """Answers prompts as JSON; after `hold_after` of them it lets all others wait until `release`."""

    def __init__(self, *, hold_after: int | None = None) -> None:
        self.answered: Counter[str] = Counter()
        self.hold_after = hold_after
        self._came = 0
        self._open = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                outer._wait()
                if self._hung_up():
                    self.close_connection = True
                    return
                with outer._lock:
                    outer.answered[body] += 1
                given = unpack_prompt(json.loads(body))
                clumsy = sha256(body.encode()).digest()[0] % 7 == 0 and not again(given)
                data = ("Hm, hm." if clumsy else well(given)).encode()
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
                """A client that is killed hangs up in the middle; that is what the test is about."""

        self._server = Quiet(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

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
    def running(self) -> Iterator["PlayingServer"]:
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
