"""What asking a server costs: how near the rate comes to what its latency allows, with many calls under way.

    python benchmarks/client.py                  # 0.5 s a reply: 16, 256 and 1,000 calls at once; and an instant server
    python benchmarks/client.py --quick

The server is a program of its own that does next to nothing. A call is one item of a run: the prompt is made, asked,
judged and in the store. The ideal is calls at once over latency; the bare client sends the same number of requests in
the same run, and does nothing else; `steady` leaves out the first rounds, in which the
client finds out how much the server takes, and the last, in which there is nothing left to ask.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

LATENCY = 0.5
STEADY = (0.25, 0.75)
"""The part of all answers between which the steady rate is taken."""


class Server(asyncio.Protocol):
    """Answers every POST with the same words after a while; more calls at once than `most` are told to wait."""

    latency, most, under_way, numbers = 0.0, 0, 0, count()

    def connection_made(self, transport: Any) -> None:
        self._out, self._seen = transport, b""

    def data_received(self, data: bytes) -> None:
        self._seen += data
        while (end := self._seen.find(b"\r\n\r\n") + 4) > 3:
            head = self._seen[:end].lower()
            self._last, (_, _, rest) = b"connection: close" in head, head.partition(b"content-length:")
            end += int(rest.partition(b"\r\n")[0] or 0)
            if len(self._seen) < end:
                return
            self._seen = self._seen[end:]
            if Server.most and Server.under_way >= Server.most:
                self._send(b"429 Too Many Requests", {"error": {"message": "busy"}})
                continue
            Server.under_way += 1
            asyncio.get_running_loop().call_later(Server.latency, self._answer)

    def _answer(self) -> None:
        Server.under_way -= 1
        choice = {"index": 0, "message": {"role": "assistant", "content": "drawer"}, "finish_reason": "stop"}
        used = {"prompt_tokens": 100, "completion_tokens": 2}
        self._send(b"200 OK", {"id": f"c{next(Server.numbers)}", "choices": [choice], "usage": used})

    def _send(self, status: bytes, reply: object) -> None:
        body = json.dumps(reply).encode()
        head = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        self._out.write(head % (status, len(body)) + body)
        if self._last:
            self._out.close()


async def serve(latency: float, most: int) -> None:
    """Listen, and print where."""
    Server.latency, Server.most = latency, most
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def serving(latency: float, most: int = 0) -> Iterator[str]:
    """A server in a process of its own, by its address."""
    program = [sys.executable, __file__, "--serve", str(latency), str(most)]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()


async def _bare(port: int, calls: int, parallel: int) -> float:
    """Seconds that the least a program can do takes: the same requests, and nothing is read, judged or kept."""
    left = iter(range(calls))
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Where is the letter? " * 20}]}).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
        writer.close()

    began = perf_counter()
    await asyncio.gather(*(ask() for _ in range(parallel)))
    return perf_counter() - began


def bare(url: str, calls: int, parallel: int) -> float:
    """Calls a second of a bare client."""
    return calls / asyncio.run(_bare(int(url.split(":")[2].partition("/")[0]), calls, parallel))


def rate(url: str, calls: int, parallel: int, folder: str) -> tuple[float, float, float]:
    """Calls a second over all, in the steady part, and processor milliseconds a call of asking alone."""
    from large import suite

    from otherminds.models import get_model
    from otherminds.runs.runs import run
    from otherminds.store.store import Store

    asked = replace(suite(calls), prompt="direct", score="text")
    model = get_model("api:m", base_url=url, parallel=parallel, lacks="raw,weigh,continuations,schema", patience=600)
    times: list[tuple[int, float]] = []
    cpu: list[float] = []

    def note(done: int, _: int) -> None:
        times.append((done, perf_counter()))
        cpu.append(process_time())

    with Store(Path(folder, f"{os.path.basename(url)}-{calls}-{parallel}-{len(os.listdir(folder))}.db")) as store:
        made = run(asked, model, store=store, progress=note)
    assert made.verdicts()["correct"] + made.verdicts()["incorrect"] == calls, made.verdicts()
    (_, began), (_, ended) = times[0], times[-1]
    first, last = (next(time for time in times if time[0] >= part * calls) for part in STEADY)
    steady = (last[0] - first[0]) / (last[1] - first[1])
    return calls / (ended - began), steady, (cpu[-1] - cpu[0]) / calls * 1000


def main() -> int:
    """Print rates and their share of the ideal."""
    options = argparse.ArgumentParser(description="What asking a server costs.")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--serve", nargs=2, metavar=("LATENCY", "MOST"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        asyncio.run(serve(float(given.serve[0]), int(given.serve[1])))
    rounds = 8 if given.quick else 24
    print(f"{'':36}{'calls/s':>9}{'of ideal':>10}{'steady':>9}{'of ideal':>10}{'CPU ms':>8}{'bare client':>13}")
    with TemporaryDirectory() as folder:
        with serving(LATENCY) as url:
            for parallel in (16, 256, 1000):
                calls = rounds * parallel
                found = rate(url, calls, parallel, folder)
                _tell(f"{LATENCY} s a reply, {parallel} at once", found, parallel, bare(url, calls, parallel))
        with serving(LATENCY, 100) as url:
            _tell("the same, of a server that takes 100", rate(url, rounds * 100, 256, folder), 100)
        with serving(0.0) as url:
            for parallel in (16, 256):
                found = rate(url, 250 * rounds, parallel, folder)
                _tell(f"an instant server, {parallel} at once", found, 0, bare(url, 250 * rounds, parallel))
    return 0


def _tell(what: str, found: tuple[float, float, float], parallel: int, plain: float = 0.0) -> None:
    whole, steady, cpu = found
    shares = [f"{each * LATENCY / parallel:10.0%}" if parallel else f"{'':10}" for each in (whole, steady)]
    beside = f"{plain:13.0f}" if plain else ""
    print(f"{what:36}{whole:9.0f}{shares[0]}{steady:9.0f}{shares[1]}{cpu:8.2f}{beside}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
