"""Recorded: a model that never answers the same prompt twice, because the store remembers.

It is itself a model, so whatever asks models can be given one. Only what is missing is asked: in an order that puts
common beginnings side by side, in batches of the size the model likes, several at once where the model allows it.
Every answer is on disk as soon as it is there, so whatever stops the program loses nothing but calls under way. And
every answer has passed the gate: one that cannot be is asked for once more, and then is an error and no number.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import ceil
from threading import Event, Thread
from time import monotonic
from typing import Any

from otherminds.asking.costs import Budget
from otherminds.asking.packing import Result, Verb, call_key, pack, recall
from otherminds.asking.store import Call, Spent, Store
from otherminds.errors import ModelError, OthermindsError
from otherminds.models import BROKEN_OFF, Model, Prompt, Response, Usage, Weighing, fingerprint
from otherminds.models.gate import fault, is_usage

Batch = list[tuple[str, Prompt]]
Progress = Callable[[int, int], None]
"""Called with the number of calls that are answered and the number that are wanted."""

LANDING = 5.0
"""Seconds that calls under way get to come home after Ctrl-C."""

NOTHING = Usage()

_log = logging.getLogger("otherminds")


@dataclass(frozen=True, slots=True)
class Landed:
    """What came of a batch: its results, the seconds that each took, and what replies cost that could not be used."""

    results: Sequence[Result]
    seconds: float
    again: int = 0
    """Prompts that were asked once more."""
    spilt: Usage = NOTHING


class Recorded:
    """A model with a memory; `spent` is what it took, `reused` counts the answers that the store had.

    `work` names what it is asked for; under that name the store adds up what was spent, over all sittings.
    """

    def __init__(
        self,
        model: Model,
        store: Store,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        work: str = "",
    ) -> None:
        self.model = model
        self.store = store
        self.budget = budget or Budget()
        self.progress = progress
        self.name = model.name
        self.identity: Mapping[str, Any] = model.identity
        self.batch = model.batch
        self.ask_batch = model.ask_batch
        self.parallel = model.parallel
        self.cannot: frozenset[str] = getattr(model, "cannot", frozenset())
        self.fingerprint = fingerprint(model)
        self.work = work
        self.reused = 0
        self.damaged = 0
        """Answers in the store that could not be used, and were asked for again."""
        self.stopped = ""
        """Why the budget let no more be asked; also the error of every prompt that was left."""
        self._counted = Spent()
        self._sitting, self._noted = 0, Spent()
        self._retried, self._waited = _trouble(model)
        self._began = monotonic()
        if self.budget.money is not None:
            self.budget.price(self.name)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return self._answer("ask", prompts, Response)

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return self._answer("weigh", prompts, Weighing)

    @property
    def made(self) -> int:
        """Calls that were made, with an answer or without."""
        return self._counted.made

    @property
    def usage(self) -> Usage:
        """The tokens of these calls."""
        return self._counted.usage

    @property
    def spent(self) -> Spent:
        """All that it took since this object was made."""
        return self._with_trouble(self._counted)

    def account(self) -> dict[str, Any]:
        """Its calls as JSON: what this sitting took, and under `in_all` what the same work took in all sittings."""
        sittings, in_all = self.store.sittings(self.work)
        told = {"sittings": sittings, **in_all.to_dict(), "usage": asdict(in_all.usage)}
        return {"reused": self.reused, **self.spent.to_dict(), "in_all": told}

    def _with_trouble(self, counted: Spent) -> Spent:
        """What we counted, and what the model itself says that it had to do again and to wait for."""
        retried, waited = _trouble(self.model)
        again = counted.retried + retried - self._retried
        return replace(counted, retried=again, waited=waited - self._waited)

    def key(self, verb: Verb, prompt: Prompt) -> str:
        """Under which the answer is kept: whoever is someone else, or is asked something else, has another key."""
        return call_key(self.fingerprint, verb, prompt)

    def _answer(self, verb: Verb, prompts: Sequence[Prompt], kind: Callable[..., Any]) -> list[Any]:
        keys = [self.key(verb, prompt) for prompt in prompts]
        wanted = dict(zip(keys, prompts, strict=True))
        answered, damaged = recall(self.store, wanted)
        self.reused += len(answered)
        if damaged and not self.damaged:
            _log.warning(
                "%s: damaged answers, which are asked for again: %d",
                self.store.path,
                len(damaged),
            )
        self.damaged += len(damaged)
        missing = [(key, prompt) for key, prompt in wanted.items() if key not in answered]
        missing.sort(key=lambda pair: str(pair[1]))

        def keep(batch: Batch, landed: Landed) -> None:
            if batch[0][0] in answered:
                return  # Ctrl-C came just after it was kept, and it comes home once more.
            counted = self._keep(verb, batch, landed)
            answered.update({key: result for (key, _), result in zip(batch, landed.results, strict=True)})
            self._counted = counted
            tell()

        def tell() -> None:
            if self.progress is not None:
                self.progress(len(answered), len(wanted))

        tell()
        if missing:
            with self.store.writing():
                self.store.keep_model(self.fingerprint, self.name, self.identity)
                try:
                    self._fetch(verb, deque(missing), keep)
                finally:
                    # A server that fails for good has made us wait after the last answer, too.
                    if self.work and self._noted != self.spent:
                        self._write([], self.spent)
        return [answered[key] if key in answered else kind(error=self.stopped) for key in keys]

    def _fetch(self, verb: Verb, queue: deque[tuple[str, Prompt]], keep: Callable[[Batch, Landed], None]) -> None:
        """Ask all that is in the queue; only this thread touches the store.

        After a failure nothing new is asked, and what is under way is waited for and kept, since it was paid for; a
        person who presses Ctrl-C waits only LANDING seconds for it.
        """
        if self.parallel == 1:
            while batch := self._next_batch(verb, queue, 0):
                keep(batch, self._call(verb, batch))
            return
        flying: dict[Future[Landed], Batch] = {}
        broken_off = Event()
        failure: BaseException | None = None
        try:
            while True:
                while len(flying) < self.parallel and not failure:
                    batch = self._next_batch(verb, queue, sum(map(len, flying.values())))
                    if not batch:
                        break
                    # Known before it starts, or Ctrl-C in between would lose it.
                    future: Future[Landed] = Future()
                    flying[future] = batch
                    Thread(target=self._fly, args=(future, verb, batch, broken_off), daemon=True).start()
                if not flying:
                    break
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    if error := future.exception():
                        failure = failure or error
                        broken_off.set()
                    else:
                        keep(flying[future], future.result())
                    del flying[future]
        except BaseException:
            broken_off.set()
            for future in wait(flying, timeout=LANDING).done:
                if not future.exception():
                    keep(flying[future], future.result())
            raise
        if failure:
            raise failure

    def _fly(self, future: Future[Landed], verb: Verb, batch: Batch, broken_off: Event) -> None:
        """Ask, in a thread of its own: Python would not end before all of a pool's have."""
        BROKEN_OFF.set(broken_off)
        try:
            future.set_result(self._call(verb, batch))
        except BaseException as error:
            future.set_exception(error)

    def _next_batch(self, verb: Verb, queue: deque[tuple[str, Prompt]], under_way: int) -> Batch:
        if not queue:
            return []
        calls, seconds = self.made + self._counted.retried + under_way, monotonic() - self._began
        reason = self.budget.spent(self.name, calls=calls, usage=self.usage, seconds=seconds)
        if reason:
            self.stopped = reason
            return []
        room = self.batch if verb == "weigh" else self.ask_batch
        if self.budget.calls is not None:
            room = min(room, ceil(self.budget.calls - calls))
        return [queue.popleft() for _ in range(min(room, len(queue)))]

    def _call(self, verb: Verb, batch: Batch) -> Landed:
        """Ask a batch; what does not pass the gate is asked once more, and then is an error."""
        prompts = [prompt for _, prompt in batch]
        began = monotonic()
        results = self._asked(verb, prompts)
        wrong = _faults(verb, prompts, results)
        spilt, again = NOTHING, 0
        if wrong and not BROKEN_OFF.get().is_set():
            again = len(wrong)
            # If the model is gone by now, the rest of the batch is as good as it was.
            with suppress(ModelError):
                for place, result in zip(wrong, self._asked(verb, [prompts[place] for place in wrong]), strict=True):
                    spilt += _paid(results[place])
                    results[place] = result
            wrong = _faults(verb, prompts, results)
        for place, why in wrong.items():
            sentence, usage = f"the reply {why}", _paid(results[place])
            failed = Response(finish="error", usage=usage, error=sentence)
            results[place] = failed if verb == "ask" else Weighing(usage=usage, error=sentence)
        return Landed(results, (monotonic() - began) / len(batch), again, spilt)

    def _asked(self, verb: Verb, prompts: Sequence[Prompt]) -> list[Result]:
        try:
            results: list[Result] = list(self.model.ask(prompts) if verb == "ask" else self.model.weigh(prompts))
        except (OthermindsError, MemoryError):
            raise
        except Exception as error:
            raise ModelError(
                f"{self.name} failed with {type(error).__name__}: {error}; mend its {verb}, --debug shows where"
            ) from error
        if len(results) != len(prompts):
            raise ModelError(f"{self.name} gave {len(results)} results for {len(prompts)} prompts; mend its {verb}")
        return results

    def _keep(self, verb: Verb, batch: Batch, landed: Landed) -> Spent:
        """Write what was answered; what has been spent with it, to be counted once it is written."""
        before, usage = self._counted, self.usage + landed.spilt
        for result in landed.results:
            usage += _paid(result)
        errors = before.errors + sum(bool(result.error) for result in landed.results)
        counted = Spent(before.made + len(batch), errors, before.retried + landed.again, usage=usage)
        calls = [
            Call(key, self.fingerprint, verb, prompt.to_dict(), result.rendered, pack(result), landed.seconds)
            for (key, prompt), result in zip(batch, landed.results, strict=True)
            if not result.error
        ]
        self._write(calls, self._with_trouble(counted))
        return counted

    def _write(self, calls: Sequence[Call], spent: Spent) -> None:
        if self.work and not self._sitting:
            self._sitting = self.store.begin_sitting(self.work)
        self.store.keep_calls(calls, sitting=(self._sitting, spent))
        self._noted = spent


def _faults(verb: Verb, prompts: Sequence[Prompt], results: Sequence[Result]) -> dict[int, str]:
    """By place, what is wrong with those results that cannot be."""
    kind = Response if verb == "ask" else Weighing
    found = {}
    for place, (prompt, result) in enumerate(zip(prompts, results, strict=True)):
        why = fault(prompt, result)
        if not why and not isinstance(result, kind):
            why = f"is a {type(result).__name__}, not a {kind.__name__}"
        if why:
            found[place] = why
    return found


def _paid(result: Result) -> Usage:
    """What a reply cost, if that can be."""
    usage = getattr(result, "usage", None)
    return usage if isinstance(usage, Usage) and is_usage(usage) else NOTHING


def _trouble(model: Model) -> tuple[int, float]:
    """How many calls a model has made again by itself so far, and how long it has waited for its server."""
    return getattr(model, "retried", 0), getattr(model, "waited", 0.0)
