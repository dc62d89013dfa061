"""One cell of the matrix: a small suite is put to the fault server, and every item compared with the calm run."""

from __future__ import annotations

import inspect
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import otherminds as om
from otherminds.errors import OthermindsError
from otherminds.formats import prompts
from otherminds.items import Item, Suite
from otherminds.models import Message, Prompt, Response
from otherminds.models.api import wire
from otherminds.models.api.endpoint import Endpoint
from otherminds.runs import runs
from otherminds.runs.runs import Record, Run
from otherminds.store.store import Store
from tests.faults import bytes_faults
from tests.faults.kinds import FORMS, KINDS, Chance, Crowd, First, Form, Kind, Sticky
from tests.faults.server import FaultServer, Plan, calm
from tests.faults.truth import MODEL

KEY, USER, PASSWORD = "sk-faults-0123456789abcdef", "somebody", "pass-faults-0123456789"
SECRETS = (KEY, PASSWORD, "c29tZWJvZHk6cGFzcy1mYXVsdHMt")
"""The last one is how name and password begin in a header."""
PATIENCE = 600.0
MEMORY = 250
"""MB that a cell may take at most."""
TOLD = "told"
"""A chat that begins with a system turn, which no wording of the package does."""
_PEOPLE = ("Sally", "Anne", "Max", "Zoë")
_THINGS = ("marble", "key", "letter")
_PLACES = (("red box", "old basket"), ("blue tin", "café drawer"))


def suite(items: int) -> Suite:
    """So many items of two choices each, of two words."""
    made = []
    for number in range(items):
        who, other = _PEOPLE[number % 4], _PEOPLE[(number + 1) % 4]
        thing, (here, there) = _THINGS[number // 4 % 3], _PLACES[number // 12 % 2]
        told = f"Day {number}. {who} puts the {thing} into the {here} and leaves. {other} moves it to the {there}."
        made.append(
            Item(
                id=f"item-{number}",
                question=f"Where will {who} look for the {thing}?",
                answer=here if number % 2 else there,
                context=told,
                choices=(here, there),
                cloze=f"{who} will look for the {thing} in the",
            )
        )
    return Suite("faults", tuple(made))


def hasten(put: Callable[[Any, str, Any], object]) -> None:
    """Make all that waits wait less, as far as there is such a thing; `put` is like monkeypatch.setattr."""
    real = getattr(wire, "sleep", None)
    faster = {"_FIRST_WAIT": 0.02, "_FIRST_BUSY_WAIT": 0.04, "sleep": lambda seconds: real(min(seconds * 0.02, 0.2))}
    for name, value in faster.items():
        if hasattr(wire, name):
            put(wire, name, value)


@contextmanager
def hastened() -> Iterator[None]:
    """The same where there is no monkeypatch, and with the wording that has a system turn."""
    before: list[tuple[str, Any]] = []

    def put(place: Any, name: str, value: Any) -> None:
        before.append((name, getattr(place, name)))
        setattr(place, name, value)

    hasten(put)
    prompts.PROMPTS[TOLD] = _told
    try:
        yield
    finally:
        del prompts.PROMPTS[TOLD]
        for name, value in before:
            setattr(wire, name, value)


def _told(item: Item, choices: Any) -> Prompt:
    asked = prompts.direct(item, choices)
    return Prompt(messages=(Message("system", "You follow stories."), *asked.messages), max_tokens=asked.max_tokens)


@dataclass(frozen=True)
class Cell:
    """What strikes whom, how often and in which way."""

    kind: str
    form: str
    mode: str = "chance"
    """chance, sticky, always; start: the first `rate` requests; crowd: more than `rate` at once; latency: none."""
    rate: int = 30
    seed: int = 0

    def plan(self) -> Plan:
        """Which requests are struck."""
        share, seed = self.rate / 100, f"{self.kind} {self.form} {self.rate} {self.seed}"
        plans: dict[str, Plan] = {
            "chance": Chance(share, seed),
            "sticky": Sticky(share, seed),
            "always": Sticky(1.0, seed),
            "start": First(self.rate),
            "crowd": Crowd(self.rate),
            "latency": calm,
        }
        return plans[self.mode]

    def __str__(self) -> str:
        return f"{self.kind}, {self.form}, {self.mode} {self.rate}"


@dataclass
class Outcome:
    """What became of the items of a cell, and of the store."""

    cell: Cell
    struck: int = 0
    equal: int = 0
    errors: int = 0
    said: int = 0
    """Items on which the server itself had something to say."""
    changed: int = 0
    stored: int = 0
    """Calls in the store that a calm run would not have put there."""
    unhealed: int = 0
    """Items that differ from the calm run after all is well again."""
    stopped: str = ""
    """The sentence with which the run ended early, where it may."""
    aborted: str = ""
    renamed: bool = False
    """Whether the model has another fingerprint than in the calm run, since the server did not say who it is."""
    faults: list[str] = field(default_factory=list)
    """What else went wrong: hung, took memory, leaked a key."""
    example: str = ""
    """The first thing that went wrong, in words."""
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def bad(self) -> bool:
        """Whether anything happened that must not."""
        return bool(self.changed or self.stored or self.unhealed or self.aborted or self.faults)

    def note(self, words: str) -> None:
        """Keep the first example."""
        self.example = self.example or " ".join(words.split())[:200]


@dataclass(frozen=True)
class Calm:
    """A run without faults."""

    items: Mapping[str, Any]
    verdicts: Mapping[str, Any]
    calls: Mapping[str, Any]
    fingerprint: str


class Bench:
    """A server, a suite, and the calm run of every form that was asked for."""

    def __init__(self, server: FaultServer, *, items: int = 24, limit: float = 30.0) -> None:
        self._server, self._items, self._limit = server, items, limit
        self._calm: dict[tuple[str, int], Calm] = {}

    def calm(self, form: Form, items: int) -> Calm:
        """What a calm run comes to; the same server is asked, because its address is part of who it is."""
        if (form.name, items) not in self._calm:
            with tempfile.TemporaryDirectory() as folder:
                self._server.strike(kind=form.server)
                done = self._run(form, items, Path(folder) / "calm.db", self._endpoint(form))
                if done.verdicts()["error"]:
                    raise AssertionError(f"the calm run of {form.name} fails: {done.records[0].score.why}")
                calls = {key: result for key, result, _ in _calls(Path(folder) / "calm.db")}
                whole = {record.item.id: _whole(record) for record in done.records}
                verdicts = {record.item.id: _verdict(record) for record in done.records}
                self._calm[form.name, items] = Calm(whole, verdicts, calls, done.fingerprint)
        return self._calm[form.name, items]

    def run(self, cell: Cell) -> Outcome:
        """Put the suite to the server while the cell's fault strikes, and once more when all is well."""
        kind, form = KINDS[cell.kind], FORMS[cell.form]
        # As many as can be under way at once, where that is what is tried.
        items = max(self._items, cell.rate // 2) if cell.mode == "latency" else self._items
        expected, outcome, began = self.calm(form, items), Outcome(cell), time.monotonic()
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            many = {"crowd": 64, "latency": cell.rate}.get(cell.mode, kind.parallel)
            latency = {"crowd": 0.1, "latency": 0.5}.get(cell.mode, 0.0)
            model = self._endpoint(form, kind, parallel=many)
            watch = stack.enter_context(_memory())
            self._server.strike(cell.plan(), kind.fault, kind=form.server, latency=latency)
            timer = Timer(120 if cell.mode == "latency" else self._limit, self._give_up, [outcome])
            timer.start()
            try:
                done = self._run(form, items, folder / "store.db", model)
                self._compare(done, expected, kind, outcome)
            except Exception as error:
                self._ended(error, cell, kind, outcome)
            timer.cancel()
            outcome.struck = self._server.struck
            if any(self._server.misled.values()):
                outcome.faults.append("followed a redirect")
            self._look_into(folder / "store.db", expected, kind, outcome)
            self._server.strike(kind=form.server)
            self._heal(form, items, folder / "store.db", expected, kind, outcome)
        if watch.most > MEMORY and cell.mode != "latency":
            outcome.faults.append("memory")
            outcome.note(f"took {watch.most} MB")
        outcome.seconds = time.monotonic() - began
        return outcome

    def _endpoint(self, form: Form, kind: Kind | None = None, parallel: int = 16) -> Endpoint:
        url = self._server.url
        more: dict[str, Any] = {"timeout": kind.timeout, "retries": kind.retries} if kind else {}
        if "patience" in inspect.signature(Endpoint).parameters:
            more["patience"] = PATIENCE
        if kind and kind.basic:
            url = url.replace("//", f"//{USER}:{PASSWORD}@")
        key = "" if kind and kind.basic else KEY
        server = "other" if form.server == "other" else None
        if parallel > 64:
            # A thousand at once in one program, on both sides, take their time.
            more["timeout"] = 30
        return Endpoint(MODEL, base_url=url, api_key=key, server=server, parallel=parallel, **more)

    def _run(self, form: Form, items: int, path: Path, model: Endpoint) -> Run:
        way = TOLD if form.chat else "raw"
        asked = suite(items).using(prompt="direct" if form.chat and form.score == "cloze" else way, score=form.score)
        with Store(path) as store:
            return om.run(asked, model, store=store)

    def _give_up(self, outcome: Outcome) -> None:
        outcome.faults.append("hung")
        self._server.release()

    def _compare(self, done: Run, expected: Calm, kind: Kind, outcome: Outcome) -> None:
        outcome.renamed = done.fingerprint != expected.fingerprint
        records = {record.item.id: record for record in done.records}
        for id, calm_one in expected.items.items():
            record = records.get(id)
            if record is None:
                outcome.changed += 1
                outcome.note(f"{id} is not there")
            elif record.score.verdict == "error" and record.score.why:
                outcome.errors += 1
                outcome.reasons.append(record.score.why)
            elif _whole(record) == calm_one:
                outcome.equal += 1
            elif _may_say(record, expected, kind):
                outcome.said += 1
            else:
                outcome.changed += 1
                outcome.note(f"{id}: {_brief(record)} instead of {expected.verdicts[id]}")
        told = [*outcome.reasons, *(result.text for r in done.records for result in r.results if _is_text(result))]
        if any(secret in words for words in told for secret in SECRETS):
            outcome.faults.append("shows a key")

    def _ended(self, error: Exception, cell: Cell, kind: Kind, outcome: Outcome) -> None:
        told = isinstance(error, OthermindsError)
        if any(secret in str(error) for secret in SECRETS):
            outcome.faults.append("shows a key")
        # A fault that always strikes outlasts any patience, and where it strikes what all prompts need, there is no
        # item to lay it to.
        whole = cell.mode == "always" or (cell.mode == "sticky" and self._server.struck_shared)
        if told and (kind.may_stop or whole):
            outcome.stopped = str(error)
            return
        outcome.aborted = type(error).__name__
        outcome.note(f"{type(error).__name__}: {error}")

    def _look_into(self, path: Path, expected: Calm, kind: Kind, outcome: Outcome) -> None:
        """Open the store anew: what it keeps is what a calm run would have kept."""
        if not path.exists():
            return
        for key, result, usage in _calls(path):
            said = kind.says and result["result"].get("finish") in ("refused", "length")
            if (result != expected.calls.get(key) and not said) or not _sane(usage):
                outcome.stored += 1
                outcome.note(f"stored: {json.dumps(result, ensure_ascii=False)} {usage}")
        with Store(path, read_only=True) as store:
            for row in store.runs():
                runs.load(store, row.id)
        kept = b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())
        if any(secret.encode() in kept for secret in SECRETS):
            outcome.faults.append("keeps a key")

    def _heal(self, form: Form, items: int, path: Path, expected: Calm, kind: Kind, outcome: Outcome) -> None:
        """Once all is well, the same command comes to what the calm run came to."""
        try:
            done = self._run(form, items, path, self._endpoint(form))
        except Exception as error:
            outcome.unhealed = len(expected.items)
            outcome.note(f"afterwards {type(error).__name__}: {error}")
            return
        records = {record.item.id: record for record in done.records}
        for id, calm_one in expected.items.items():
            record = records.get(id)
            if record is None or not (_whole(record) == calm_one or _may_say(record, expected, kind)):
                outcome.unhealed += 1
                outcome.note(f"afterwards {id}: {record and _brief(record)} instead of {expected.verdicts[id]}")


def _whole(record: Record) -> Any:
    """All of a record that was measured."""
    return (*_verdict(record), dict(record.score.detail), [_result(result) for result in record.results])


def _result(result: Any) -> Any:
    if isinstance(result, Response):
        return result.text, result.finish
    return dict(result.logprobs), dict(result.tokens), dict(result.bounds)


def _verdict(record: Record) -> Any:
    return record.score.verdict, record.score.value, record.score.answer


def _brief(record: Record) -> str:
    score = record.score
    numbers = {name: score.detail[name] for name in ("S", "S_bounds") if name in score.detail}
    texts = [result.text for result in record.results if _is_text(result)]
    return f"{_verdict(record)} {numbers or texts}"


def _is_text(result: Any) -> bool:
    return isinstance(result, Response)


def _may_say(record: Record, expected: Calm, kind: Kind) -> bool:
    """Whether the server's own words about its answer may have led to this."""
    verdicts = expected.verdicts[record.item.id]
    return bool(kind.says) and (record.score.verdict in kind.says or _verdict(record) == verdicts)


def _calls(path: Path) -> list[tuple[str, Any, Any]]:
    """What a store keeps: by verb and prompt, the result with what was sent, and the tokens that it cost."""
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT verb, prompt, result, rendered FROM calls").fetchall()
    db.close()
    found = []
    for verb, prompt, text, rendered in rows:
        result = json.loads(text)
        usage = result.pop("usage", {})
        found.append((f"{verb} {prompt}", {"result": result, "rendered": rendered}, usage))
    return found


def _sane(usage: Mapping[str, Any]) -> bool:
    return all(type(number) is int and 0 <= number < 2**40 for number in usage.values())


@dataclass
class _Watch:
    most: int = 0


@contextmanager
def _memory() -> Iterator[_Watch]:
    """How much more memory is taken meanwhile, in MB, where the system tells."""
    watch, over = _Watch(), Event()
    bytes_faults.prepare()

    def resident() -> int:
        try:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
        except OSError:
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000

    before = resident()

    def look() -> None:
        while not over.wait(0.02):
            watch.most = max(watch.most, resident() - before)

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()
