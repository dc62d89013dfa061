"""A loopback server whose model can be another from one reply to the next: other weights, other names, or chance.

All that it answers comes from a hash of the weights and the prompt. Batching adds noise to log-probabilities and breaks
ties either way, which no client may take for a change.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import exp, log
from threading import Lock, Thread
from typing import Any

from tests.trials import is_trial

TOKENS = (
    *(" A", "A", " B", "B", " the", " a", " It", " I", "\n", " In", "The", " box", " red", " there", " Sally", " Anne"),
    *("1", " 1", " None", " Both", " yes", " no", " because", " which", " answer", " (", " left", " right", ":", " C"),
)
WORDS = (
    "calm",
    "old",
    "slow",
    "green",
    "small",
    "warm",
    "late",
    "round",
    "far",
    "high",
    "plain",
    "dark",
    "soft",
    "dry",
)
LISTED = 0.95
"""The probability of all TOKENS together."""
TIED, NOISE = 0.15, 0.02
"""The share of prompts whose two likeliest texts are as likely, and how far log-probabilities stray."""
_PIECE = re.compile(r" ?\S+|\s")


@dataclass(frozen=True)
class Version:
    """What answers: which weights, and what it says of itself."""

    weights: int = 1
    model: str = "m"
    fingerprint: str = ""
    root: str = "someone/m"
    version: str = "0.9"
    drawing: bool = False
    """Temperature 0 is ignored."""


Plan = Callable[[int], Version]
"""By how many prompts of the run were asked before this one, what answers it."""


def always(version: Version) -> Plan:
    return lambda _: version


def fraction(*parts: object) -> float:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6], "big") / 2**48


@dataclass
class SwitchingServer:
    """Serves what `plan` says; `noisy` is batching, `outage` a prompt before which it is away for a moment."""

    plan: Plan = field(default_factory=lambda: always(Version()))
    noisy: bool = False
    outage: int = -1
    asked: int = 0
    """Prompts of runs so far; greetings and canaries do not count."""
    checks: int = 0
    """Greetings and canaries so far."""
    port: int = 0
    random: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        self._lock, self._clients = Lock(), set[socket.socket]()
        self._down = False
        self._start()
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def begin(self, plan: Plan, *, noisy: bool = False, outage: int = -1, seed: int = 0) -> None:
        """Count from zero, with another plan."""
        with self._lock:
            self.plan, self.noisy, self.outage, self.asked, self.checks = plan, noisy, outage, 0, 0
            self.random = random.Random(seed)

    @contextmanager
    def running(self) -> Iterator[SwitchingServer]:
        try:
            yield self
        finally:
            self._stop()

    def _start(self) -> None:
        outer = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                pass

            def setup(self) -> None:
                super().setup()
                outer._clients.add(self.connection)

            def finish(self) -> None:
                outer._clients.discard(self.connection)
                with suppress(OSError):
                    super().finish()

            def do_GET(self) -> None:
                now = outer.plan(outer.asked)
                entry = {"id": "m", "owned_by": "vllm", "root": now.root, "created": time.time()}
                known = {"/v1/models": {"data": [entry]}, "/version": {"version": now.version}}
                self._send(known.get(self.path, {}), 200 if self.path in known else 404)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                found = outer._answer(self.path, body)
                if found is None:
                    self.close_connection = True
                    return
                self._send(found, 404 if "error" in found else 200)

            def _send(self, data: Any, status: int = 200) -> None:
                text = json.dumps(data).encode()
                with suppress(OSError):
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

        class Quiet(ThreadingHTTPServer):
            daemon_threads = allow_reuse_address = True
            request_queue_size = 128

            def handle_error(self, *_: object) -> None:
                """A client hung up, or an outage began."""

        self._http = Quiet(("127.0.0.1", self.port), Answer)
        self.port = self._http.server_port
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def _stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        for client in tuple(self._clients):
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def _restart(self) -> None:
        self._stop()
        time.sleep(0.1)
        self._start()
        self._down = False

    def _answer(self, path: str, body: dict[str, Any]) -> Any:
        trial = is_trial(json.dumps(body))
        with self._lock:
            if self._down:
                return None
            if not trial and self.asked == self.outage:
                self._down, self.outage = True, -1
                Thread(target=self._restart, daemon=True).start()
                return None
            now = self.plan(self.asked)
            self.asked, self.checks = self.asked + (not trial), self.checks + trial
            return self._reply(now, path, body)

    # ── the model ──

    def _reply(self, now: Version, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/chat/completions":
            text = json.dumps([turn["content"] for turn in body["messages"]])
            choice: dict[str, Any] = {"message": {"content": self._text(now, text)}, "finish_reason": "stop"}
            if body.get("logprobs"):
                listed = [{"token": token, "logprob": value} for token, value in self._likely(now, text).items()]
                choice["logprobs"] = {"content": [listed[0] | {"top_logprobs": listed[: body["top_logprobs"]]}]}
        elif path == "/v1/completions":
            text = body["prompt"]
            choice = {"text": self._text(now, text), "finish_reason": "stop"}
            if body.get("echo"):
                choice |= {"text": f"{text} end", "logprobs": self._echo(now, text)}
            elif body.get("logprobs"):
                likely = dict(list(self._likely(now, text).items())[: body["logprobs"]])
                choice |= {"text": next(iter(likely)), "logprobs": {"top_logprobs": [likely]}}
        else:
            return {"error": {"message": "Not Found"}}
        head = {"id": f"{self.port}-{self.asked}-{self.checks}", "model": now.model, "created": time.time()}
        mark = {"system_fingerprint": now.fingerprint} if now.fingerprint else {}
        return {**head, **mark, "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}

    def _strays(self) -> float:
        return self.random.uniform(-NOISE, NOISE) if self.noisy else 0.0

    def _likely(self, now: Version, text: str) -> dict[str, float]:
        """All tokens with their log-probabilities; after one text in five both letters are as likely."""
        tie = fraction(now.weights, text, "tie") < 0.2
        known = {
            token: 5 * fraction(now.weights, text, token.strip() if tie and token.strip() in "AB" else token)
            + (4.0 if token.strip() in ("A", "B") else 0.0)
            for token in TOKENS
        }
        if tie:
            known |= {" A": known[" B"], "A": known["B"]}
        whole = log(sum(map(exp, known.values())) / LISTED)
        strayed = {token: min(value - whole + self._strays(), -1e-4) for token, value in known.items()}
        return dict(sorted(strayed.items(), key=lambda pair: -pair[1]))

    def _echo(self, now: Version, text: str) -> dict[str, Any]:
        tokens, values, past = [*_PIECE.findall(text), " end"], [], ""
        for token in tokens:
            # An echoed token has the value that the list of next tokens gives it; others share what is left.
            rare = log(1 - LISTED) - 5 * fraction(now.weights, past, token) + self._strays()
            values.append(self._likely(now, past).get(token, rare) if past else None)
            past += token
        return {"tokens": tokens, "token_logprobs": values}

    def _text(self, now: Version, text: str) -> str:
        """A letter and three words; of a tie either, and all by chance where the temperature is ignored."""
        if now.drawing:
            pick: Callable[[int], float] = lambda _: self.random.random()  # noqa: E731
        else:
            tie = self.noisy and fraction(text, "tied") < TIED and self.random.random() < 0.5
            pick = lambda place: fraction(now.weights, text, place, tie and place == 3)  # noqa: E731
        letter = "AB"[pick(0) < 0.5]
        return f"{letter}. {' '.join(WORDS[int(pick(place) * len(WORDS))] for place in (1, 2, 3))}"
