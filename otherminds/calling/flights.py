"""Calls under way: as many as each model can have at once, kept as they come home, in whatever order they do.

Whoever waits for an answer is told as soon as it is kept, and may want another at once; so each of many conversations
goes on at its own pace. Only the thread that waits here touches the store.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from otherminds.errors import ModelError
from otherminds.models import BROKEN_OFF, Prompt, Response, Usage, Verb, Weighing
from otherminds.models.gate import fault, is_usage
from otherminds.store.packing import Result

if TYPE_CHECKING:
    from otherminds.calling.recorded import Recorded

LANDING = 5.0
"""Seconds that calls under way get to come home after Ctrl-C."""
LOOK = 0.2
"""Seconds between two looks for what another program is asking."""
CROWD, PAUSE = 64, 0.025
"""With more calls than these under way, so many seconds' answers are kept together: to keep each alone takes longer."""
SELDOM = 100_000
"""Objects that are made before Python looks for garbage, while calls are under way."""
NOTHING = Usage()
AGAIN = "again "
"""What stands before the key of a call that is asked once more: its answer is compared, and never kept."""

Batch = list[tuple[str, Prompt]]
Told = Callable[[Result], None]


class ModelQueue:
    """What waits to be asked of one model, and who waits for it."""

    def __init__(self, recorded: Recorded, verb: Verb) -> None:
        self.recorded, self.verb = recorded, verb
        self.queue: deque[tuple[str, Prompt]] = deque()
        self.flights = self.flying = 0
        """Batches and prompts under way."""
        self.elsewhere: dict[str, Prompt] = {}
        """What another program is asking just now."""
        self._waiting: dict[str, list[Told]] = {}

    def want(self, prompt: Prompt, told: Told) -> Result | None:
        """What the store knows, at once; what it does not know is asked for, and told when it is there."""
        key = self.recorded.key(self.verb, prompt)
        if key not in self._waiting and (known := self.recorded.recall({key: prompt})):
            return known[key]
        self.ask(key, prompt, told)
        return None

    def ask(self, key: str, prompt: Prompt, told: Told) -> None:
        """Ask for this once; whoever wants the same meanwhile is told as well."""
        if key not in self._waiting:
            self.queue.append((key, prompt))
        self._waiting.setdefault(key, []).append(told)

    def tell(self, key: str, result: Result) -> None:
        """An answer is there."""
        for told in self._waiting.pop(key, ()):
            told(result)

    def look_again(self) -> None:
        """See what others have answered by now; what they have not is asked as soon as they let go of it."""
        others, self.elsewhere = self.elsewhere, {}
        known = self.recorded.recall(others)
        for key, prompt in others.items():
            if key in known:
                self.tell(key, known[key])
            else:
                self.queue.append((key, prompt))

    def give_up(self) -> None:
        """Tell all who wait for what the budget does not let be asked."""
        while self.queue:
            key, _ = self.queue.popleft()
            self.tell(key, _failed(self.verb, self.recorded.stopped, NOTHING))


@dataclass(slots=True, eq=False)
class Flight:
    """One batch under way: what came back so far, and what replies cost that could not be used."""

    line: ModelQueue
    batch: Batch
    results: list[Result] = field(default_factory=list)
    began: float = field(default_factory=monotonic)
    seconds: float = 0.0
    """Of each prompt's share."""
    again: int = 0
    """Prompts that were asked once more."""
    spilt: Usage = NOTHING
    places: Sequence[int] = ()
    """Which of the prompts are being asked once more."""
    future: Future[list[Result]] = field(default_factory=Future)
    read: bool = False
    kept: bool = False


Landed = tuple[Flight, Future[list[Result]]]


def fly(lines: Sequence[ModelQueue], landed: Callable[[], None] = lambda: None) -> None:
    """Ask all that is in the lines, and all that comes to stand there meanwhile; `landed` is called as answers come.

    After a failure nothing new is asked, and what is under way is waited for and kept, since it was paid for; a
    person who presses Ctrl-C waits only LANDING seconds for it.
    """
    with _Sky() as sky:
        while True:
            for line in lines:
                sky.launch(line)
            if sky.up:
                sky.land()
            elif not sky.failure and any(line.elsewhere for line in lines):
                sleep(LOOK)
                for line in lines:
                    line.look_again()
            else:
                break
            landed()
    if sky.failure:
        raise sky.failure


Steps = Generator[tuple[ModelQueue, Prompt], Any, None]
"""Something that wants one answer after another, each where it says."""


def converse(talks: Iterable[Steps], lines: Sequence[ModelQueue], width: int) -> None:
    """Let so many talks go on at once, each at its own pace; where one ends, the next begins."""
    coming, under_way = iter(talks), 0

    def go_on(talk: Steps, result: Result | None = None) -> None:
        nonlocal under_way
        try:
            line, prompt = talk.send(result)
            while known := line.want(prompt, partial(go_on, talk)):
                line, prompt = talk.send(known)
        except StopIteration:
            under_way -= 1

    def begin() -> None:
        nonlocal under_way
        while under_way < width and (talk := next(coming, None)):
            under_way += 1
            go_on(talk)

    begin()
    while under_way:
        fly(lines, begin)
        for line in lines:
            line.give_up()
        begin()


class _Sky:
    def __init__(self) -> None:
        self.up: set[Flight] = set()
        self.failure: BaseException | None = None
        self._landed: SimpleQueue[Landed] = SimpleQueue()
        self._broken_off = Event()

    def __enter__(self) -> _Sky:
        self._before = BROKEN_OFF.set(self._broken_off)
        # Items and prompts stay to the end: to look through them for garbage again and again takes as long as to ask.
        self._froze, self._threshold = gc.get_freeze_count() == 0, gc.get_threshold()
        if self._froze:
            gc.freeze()
            gc.set_threshold(max(SELDOM, self._threshold[0]), *self._threshold[1:])
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        BROKEN_OFF.reset(self._before)
        if self._froze:
            gc.unfreeze()
            gc.set_threshold(*self._threshold)
        if kind is None:
            return
        self._broken_off.set()
        wait([flight.future for flight in self.up], timeout=LANDING)
        # Not by the queue: what was taken from it when Ctrl-C came would be lost.
        home = [flight for flight in tuple(self.up) if flight.future.done() and self._read(flight, flight.future)]
        self._keep(home)
        for flight in tuple(self.up):
            flight.future.cancel()
            self._end(flight)

    def launch(self, line: ModelQueue) -> None:
        """Send off what waits in a line, as far as the model takes more."""
        recorded = line.recorded
        while not self.failure and line.queue and line.flights < recorded.room:
            batches = _next(line)
            if not batches:
                break
            own, known = recorded.claim([pair for batch in batches for pair in batch])
            for key, result in known.items():
                line.tell(key, result)
            ours = {key for key, _ in own}
            for batch in batches:
                line.elsewhere |= {key: prompt for key, prompt in batch if key not in ours and key not in known}
                if mine := [pair for pair in batch if pair[0] in ours]:
                    self._send(Flight(line, mine))

    def _send(self, flight: Flight) -> None:
        line = flight.line
        line.flights, line.flying = line.flights + 1, line.flying + len(flight.batch)
        # Known before it starts, or Ctrl-C in between would lose it.
        self.up.add(flight)
        self._start(flight, [prompt for _, prompt in flight.batch])

    def _start(self, flight: Flight, prompts: Sequence[Prompt]) -> None:
        recorded, verb = flight.line.recorded, flight.line.verb
        model, future = recorded.model, Future[list[Result]]()
        flight.future = future
        if recorded.parallel == 1:
            try:
                _ask(future, model, verb, prompts)
            except BaseException:
                self._end(flight)
                raise
        elif recorded.submitting:
            flight.future = future = recorded.submitting.submit(verb, prompts)
        else:
            # In a thread of its own: Python would not end before all of a pool's have.
            Thread(target=self._ask_apart, args=(future, model, verb, prompts), daemon=True).start()
        future.add_done_callback(lambda done: self._landed.put((flight, done)))

    def _ask_apart(self, future: Future[list[Result]], *question: Any) -> None:
        BROKEN_OFF.set(self._broken_off)
        try:
            _ask(future, *question)
        except BaseException as error:
            future.set_exception(error)

    def land(self) -> None:
        """Wait for some to come home; all that have are kept together, and whoever waits for them is told."""
        landed = [self._landed.get()]
        if len(self.up) > CROWD:
            sleep(PAUSE)
        while not self._landed.empty():  # nobody else takes any
            landed.append(self._landed.get())
        home = [flight for flight, future in landed if self._read(flight, future)]
        self._keep(home)
        for flight in home:
            for (key, _), result in zip(flight.batch, flight.results, strict=True):
                flight.line.tell(key, result)

    def _keep(self, home: Sequence[Flight]) -> None:
        by_model: dict[Recorded, list[Flight]] = {}
        for flight in home:
            by_model.setdefault(flight.line.recorded, []).append(flight)
        for recorded, flights in by_model.items():
            recorded.keep([flight for flight in flights if not flight.kept])
            for flight in flights:
                self._end(flight)

    def _end(self, flight: Flight) -> None:
        if flight in self.up:
            self.up.discard(flight)
            line = flight.line
            line.recorded.store.release(key for key, _ in flight.batch)
            line.flights, line.flying = line.flights - 1, line.flying - len(flight.batch)

    def _read(self, flight: Flight, future: Future[list[Result]]) -> bool:
        """Whether a flight is done; what does not pass the gate is asked once more, and then is an error."""
        if flight.read:
            return True
        line, again = flight.line, bool(flight.places)
        try:
            results = line.recorded.read(line.verb, future, len(flight.places) or len(flight.batch))
        except BaseException as error:
            # If the model is gone by now, the rest of the batch is as good as it was.
            if again and isinstance(error, ModelError):
                results = [flight.results[place] for place in flight.places]
            else:
                self.failure = self.failure or error
                self._broken_off.set()
                self._end(flight)
                return False
        if again:
            for place, result in zip(flight.places, results, strict=True):
                flight.spilt += paid(flight.results[place]) if result is not flight.results[place] else NOTHING
                flight.results[place] = result
        else:
            flight.results = results
        prompts = [prompt for _, prompt in flight.batch]
        pairs = enumerate(zip(prompts, flight.results, strict=True))
        wrong = {place: why for place, pair in pairs if (why := _fault(line.verb, *pair))}
        if wrong and not again and not self._broken_off.is_set():
            flight.again, flight.places = len(wrong), tuple(wrong)
            self._start(flight, [prompts[place] for place in wrong])
            return False
        for place, why in wrong.items():
            flight.results[place] = _failed(line.verb, f"the reply {why}", paid(flight.results[place]))
        flight.seconds = (monotonic() - flight.began) / len(flight.batch)
        flight.read = True
        return True


def _next(line: ModelQueue) -> list[Batch]:
    """What is asked next, as far as there is room; some batches at once, since the store is looked at for all."""
    batches: list[Batch] = []
    while line.queue and len(batches) < min(CROWD, line.recorded.room - line.flights):
        batch = line.recorded.next_batch(line.verb, line.queue, line.flying + sum(map(len, batches)))
        if not batch:
            break
        batches.append(batch)
    return batches


def _ask(future: Future[list[Result]], model: Any, verb: Verb, prompts: Sequence[Prompt]) -> None:
    try:
        future.set_result(list(model.ask(prompts) if verb == "ask" else model.weigh(prompts)))
    except Exception as error:
        future.set_exception(error)


def _fault(verb: Verb, prompt: Prompt, result: Result) -> str:
    """What is wrong with a result that cannot be."""
    kind = Response if verb == "ask" else Weighing
    other = "" if isinstance(result, kind) else f"is a {type(result).__name__}, not a {kind.__name__}"
    return fault(prompt, result) or other


def _failed(verb: Verb, sentence: str, usage: Usage) -> Result:
    if verb == "ask":
        return Response(finish="error", usage=usage, error=sentence)
    return Weighing(usage=usage, error=sentence)


def paid(result: Result) -> Usage:
    """What a reply cost, if that can be."""
    usage = getattr(result, "usage", None)
    return usage if isinstance(usage, Usage) and is_usage(usage) else NOTHING
