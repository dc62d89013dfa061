"""What a search costs beside the model: CPU time, tokens computed, calls in flight.

    python benchmarks/explore.py [--seeds 5] [--searches 1000] [--no-model]

1. CPU time of the published search, stopped at the first story, with answers drawn at 50 %: for every node (short
   beginnings that are not asked about count, as in the published figures) and for every story. The published figures
   were measured elsewhere, on a machine as busy; they are there for scale.
2. Prompt tokens sent to the default model in a small search, and how many of them were really computed.
3. Many searches side by side against a server on this machine that takes 50 ms for an answer: calls in flight there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from statistics import median
from threading import Lock

from otherminds.calling.recorded import Recorded
from otherminds.models import Prompt, Response, get_model
from otherminds.models.api.endpoint import Endpoint
from otherminds.search.examine import Examiner
from otherminds.search.hunt import hunt
from otherminds.search.search import Find, Ways, search
from otherminds.store.store import MEMORY, Store
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.sets import Cell, action_sets, choose, grid

# Set, people, moves; and of the published search CPU seconds a story and evaluated nodes, both medians.
PUBLISHED = {
    ("tomi", 2, 2): (0.64, 7),
    ("tomi", 4, 4): (3.8, 18),
    ("tomi+asymmetric", 4, 4): (5.2, 16),
    ("tomi+room-changes", 4, 4): (4.8, 17),
    ("allbutfantom", 4, 4): (9.3, 17),
    ("all", 3, 3): (2.1, 7),
    ("all+asymmetric", 4, 4): (8.4, 26),
}
LATENCY = 0.05
PARALLEL = 128
WANTED = {"ratio": 50, "computed": 0.25, "in flight": 64}


def one_search(cell: Cell, seed: int) -> tuple[float, Find | None]:
    """CPU seconds of a search whose model is right by the toss of a coin, four questions a story."""
    stage, coin = setting(bank()[seed], cell), random.Random(seed)
    start = time.process_time()
    under_way = search(stage, Goal.of(cell), ways=Ways(first=True), seed=seed)
    try:
        stories = next(under_way)
        while True:
            stories = under_way.send([sum(coin.random() < 0.5 for _ in range(4)) / 4 for _ in stories])
    except StopIteration as end:
        return time.process_time() - start, end.value


def cost_of_a_node(seeds: int) -> None:
    """The table of part 1; each search three times, the fastest counts."""
    print("CPU of the search alone    s/story  published     ms/node  published  times faster a node   found")
    for (name, people, moves), (seconds, nodes) in PUBLISHED.items():
        cell = Cell(action_sets()[name], people, moves)
        runs = [min((one_search(cell, seed) for _ in range(3)), key=lambda run: run[0]) for seed in range(seeds)]
        done = [(spent, find) for spent, find in runs if find is not None]
        each = median(spent / find.nodes for spent, find in done)
        ratio = seconds / nodes / each
        print(
            f"{name:20} {people},{moves} {median(spent for spent, _ in done):9.3f} {seconds:10.2f} {each * 1e3:11.1f}"
            f" {seconds / nodes * 1e3:10.0f} {ratio:13.0f} {'ok' if ratio >= WANTED['ratio'] else 'MISSED':>8}"
            f" {len(done):3} of {seeds}",
            flush=True,
        )


def tokens_computed() -> None:
    """Part 2: a small search against the default model, asked as the command does."""
    with Store(MEMORY) as store:
        model = Recorded(get_model("smollm2"), store)
        examiner = Examiner(model, prompt="raw", score="cloze")
        cells = grid(choose("tomi,all+asymmetric"), people=(3,), moves=(2, 3))
        found = list(hunt(cells, bank(), examiner, stories=2, ways=Ways(budget=6), width=2))
    sent, computed = model.usage.prompt, model.usage.prompt - model.usage.cached
    share = computed / sent
    print(
        f"\nsmollm2, {len(found)} stories found, {examiner.asked} asked about, {model.made} questions: a question sends"
        f" {sent / model.made:.0f} tokens and computes {computed / model.made:.0f}: {share:.2f}, wanted at most"
        f" {WANTED['computed']} {'ok' if share <= WANTED['computed'] else 'MISSED'}",
        flush=True,
    )


# ---- many searches side by side -----------------------------------------------------------------------------------


class Flights:
    """How many calls are under way: the most, and the mean while there are any."""

    def __init__(self) -> None:
        self.now = self.calls = self.most = 0
        self._busy = self._area = self._last = 0.0
        self._lock = Lock()

    def count(self, change: int) -> None:
        """One more, or one less."""
        with self._lock:
            now = time.perf_counter()
            if self.now:
                self._busy += now - self._last
                self._area += (now - self._last) * self.now
            self._last = now
            self.now += change
            self.calls += change > 0
            self.most = max(self.most, self.now)

    @property
    def mean(self) -> float:
        """The mean over the time in which there were any."""
        return self._area / self._busy if self._busy else 0.0


class Watched(Endpoint):
    """An endpoint that counts its own calls."""

    flights = Flights()

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """As ever."""
        self.flights.count(+1)
        try:
            return super().ask(prompts)
        finally:
            self.flights.count(-1)


def calls_in_flight(searches: int) -> None:
    """Part 3: the server is a program of its own, so that it does not wait for ours."""
    command = [sys.executable, __file__, "--serve"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = int(server.stdout.readline())
    model = Watched("scripted", base_url=f"http://127.0.0.1:{port}/v1", parallel=PARALLEL, server="other")
    wall, cpu = time.perf_counter(), time.process_time()
    with Store(MEMORY) as store:
        examiner = Examiner(Recorded(model, store))
        cells = grid(choose("tomi,fantom-public"), people=(3,), moves=(2, 3))
        ways = Ways(budget=4, endings=5, draws=10)
        found = list(hunt(cells, bank(), examiner, stories=searches, ways=ways, width=searches))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    told, _ = server.communicate("stop\n")
    ours, theirs = model.flights, json.loads(told)
    verdict = "ok" if min(ours.mean, ours.most) >= WANTED["in flight"] else "MISSED"
    print(f"\n{searches} searches side by side, {LATENCY * 1e3:.0f} ms an answer, up to {PARALLEL} calls at once:")
    print(f"{len(found)} stories, {ours.calls:,} calls in {wall:.0f} s, of which {cpu:.0f} s of CPU of our own")
    print(f"under way for us:      at most {ours.most}, {ours.mean:.0f} on average while there were any;", end=" ")
    print(f"wanted {WANTED['in flight']} {verdict}")
    print(
        f"waiting at the server: at most {theirs['most']}, {theirs['mean']:.0f} on average; the rest of a call is",
        end=" ",
    )
    print("our own CPU time for HTTP", flush=True)


class Answering(asyncio.Protocol):
    """The least of a server that answers a chat after a while."""

    flights = Flights()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.waiting = b""

    def data_received(self, data: bytes) -> None:
        """A request, or part of one."""
        self.waiting += data
        head, gap, body = self.waiting.partition(b"\r\n\r\n")
        sizes = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if not gap or len(body) < int(sizes[0] if sizes else 0):
            return
        self.waiting = b""
        if head.startswith(b"GET"):
            self.send({"data": [{"id": "scripted"}]})
            return
        self.flights.count(+1)
        asyncio.get_running_loop().call_later(LATENCY, self.answer, "AB"[zlib.crc32(body) % 2])

    def answer(self, letter: str) -> None:
        """Either letter, as the request decides."""
        self.flights.count(-1)
        self.send({"choices": [{"message": {"content": letter}, "finish_reason": "stop"}]})

    def send(self, data: object) -> None:
        """JSON over HTTP."""
        body = json.dumps(data).encode()
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


async def serve() -> None:
    """Answer until a line comes in; then tell what was seen."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    print(json.dumps({"most": Answering.flights.most, "mean": Answering.flights.mean}), flush=True)
    server.close()


def main() -> None:
    """All three parts."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--searches", type=int, default=1000)
    options.add_argument("--no-model", action="store_true", help="leave out part 2")
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        with suppress(KeyboardInterrupt):
            asyncio.run(serve())
        return
    cost_of_a_node(given.seeds)
    if not given.no_model:
        tokens_computed()
    calls_in_flight(given.searches)


if __name__ == "__main__":
    main()
