"""Recorded: a model that never answers the same prompt twice, because the store remembers.

It is itself a model, so whatever asks models can be given one. Only what is missing is asked: in an order that puts
common beginnings side by side, in batches of the size the model likes, several at once where the model allows it.
Every answer is on disk as soon as it is there, so whatever stops the program loses nothing but calls under way. And
every answer has passed the gate: one that cannot be is asked for once more, and then is an error and no number.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from math import ceil
from time import monotonic
from typing import Any

from otherminds.calling.costs import Budget
from otherminds.calling.flights import AGAIN, Batch, Flight, ModelQueue, fly, paid
from otherminds.errors import ModelError, OthermindsError
from otherminds.formats.plans import plan
from otherminds.items import Suite
from otherminds.models import (
    Model,
    ModelDefaults,
    Prompt,
    Response,
    Submitting,
    Usage,
    Verb,
    Weighing,
    completed,
    fingerprint,
)
from otherminds.store.packing import Result, call_key, pack, recall
from otherminds.store.store import MEMORY, Call, Spent, Store

Progress = Callable[[int, int], None]
"""Called with the number of calls that are answered and the number that are wanted."""

_log = logging.getLogger("otherminds")


class Recorded(ModelDefaults):
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
        self.model = model = completed(model)
        self.store = store
        self.budget = budget or Budget()
        self.progress = progress
        self.name, self.batch, self.ask_batch, self.parallel = model.name, model.batch, model.ask_batch, model.parallel
        self.identity: Mapping[str, Any] = model.identity
        self.submitting = model if isinstance(model, Submitting) else None
        # A few stand ready, so that a place is taken as soon as it is free, whatever this thread is at.
        self.room = self.parallel + (self.parallel // 4 if self.submitting else 0)
        self.cannot: frozenset[str] = model.cannot
        self.fingerprint = fingerprint(model)
        for server in model.servers:
            server.in_run = True
        self.work = work
        self.reused = 0
        self.damaged = 0
        """Answers in the store that could not be used, and were asked for again."""
        self.canaries = self.rechecked = self.reserved = 0
        """Calls beside those that are wanted, which show whether the model is the same; some are yet to be made."""
        self.stopped = ""
        """Why the budget let no more be asked; also the error of every prompt that was left."""
        self._counted = Spent()
        self._sitting, self._noted = 0, Spent()
        self._version = store.version()
        """Of the store, when it was last asked for all that is wanted."""
        self._retried, self._waited = model.retried, model.waited
        self._began = monotonic()
        if self.budget.money is not None:
            self.budget.price(self.name)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return self.answer("ask", prompts)

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return self.answer("weigh", prompts)

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
        checks = {name: often for name in ("canaries", "rechecked") if (often := getattr(self, name))}
        return {"reused": self.reused, **self.spent.to_dict(), **checks, "in_all": told}

    def count_canaries(self, calls: int, usage: Usage) -> None:
        """So many calls were made that nobody wanted the answers of."""
        self.canaries += calls
        self._counted = replace(self._counted, usage=self.usage + usage)
        self._write([], self.spent)

    def _with_trouble(self, counted: Spent) -> Spent:
        """What we counted, and what the model itself says that it had to do again and to wait for."""
        retried, waited = self.model.retried, self.model.waited
        again = counted.retried + retried - self._retried
        return replace(counted, retried=again, waited=waited - self._waited)

    def key(self, verb: Verb, prompt: Prompt) -> str:
        """Under which the answer is kept: whoever is someone else, or is asked something else, has another key."""
        return call_key(self.fingerprint, verb, prompt)

    def look(self) -> None:
        """From here on, what other programs write is looked for before anything is asked."""
        self._version = self.store.version()

    def recall(self, wanted: Mapping[str, Prompt], *, again: Set[str] = frozenset()) -> dict[str, Result]:
        """Those of these that the store remembers, by key; those that are wanted `again` do not count once more."""
        answered, damaged = recall(self.store, wanted)
        self.reused += len(answered.keys() - again)
        if damaged and not self.damaged:
            _log.warning("%s: damaged answers, which are asked for again: %d", self.store.path, len(damaged))
        self.damaged += len(damaged)
        return answered

    def answer(self, verb: Verb, prompts: Sequence[Prompt]) -> list[Any]:
        """What comes back for every prompt, in order."""
        keys = [self.key(verb, prompt) for prompt in prompts]
        kind: Callable[..., Result] = Response if verb == "ask" else Weighing
        wanted = dict(zip(keys, prompts, strict=True))
        self.look()
        answered = self.recall(wanted)
        missing = [(key, prompt) for key, prompt in wanted.items() if key not in answered]
        missing.sort(key=lambda pair: str(pair[1]))

        def tell() -> None:
            if self.progress is not None:
                self.progress(len(answered), len(wanted))

        tell()
        if missing:
            line = ModelQueue(self, verb)
            for key, prompt in missing:
                line.ask(key, prompt, partial(answered.__setitem__, key))
            with self.asking():
                fly([line], tell)
        return [answered[key] if key in answered else kind(error=self.stopped) for key in keys]

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While this is open, calls are made."""
        self.store.keep_model(self.fingerprint, self.name, self.identity)
        try:
            yield
        finally:
            # A server that fails for good has made us wait after the last answer, too.
            if self.work and self._noted != self.spent:
                self._write([], self.spent)

    def next_batch(self, verb: Verb, queue: deque[tuple[str, Prompt]], under_way: int) -> Batch:
        """What is asked next of all that waits; nothing if the budget is spent."""
        if not queue:
            return []
        calls, seconds = self.made + self._counted.retried + under_way, monotonic() - self._began
        calls += self.canaries + self.rechecked + self.reserved
        reason = self.budget.spent(self.name, calls=calls, usage=self.usage, seconds=seconds)
        if reason:
            self.stopped = reason
            return []
        room = self.batch if verb == "weigh" else self.ask_batch
        if self.budget.calls is not None:
            room = min(room, ceil(self.budget.calls - calls))
        return [queue.popleft() for _ in range(min(room, len(queue)))]

    def claim(self, batch: Batch) -> tuple[Batch, dict[str, Result]]:
        """Of a batch what no other program is asking, without what one has answered meanwhile; and these answers."""
        own = self.store.claim(key for key, _ in batch)
        mine = {key: prompt for key, prompt in batch if key in own}
        known = self.recall(mine) if self.store.version() != self._version else {}
        self.store.release(known)
        return [(key, prompt) for key, prompt in mine.items() if key not in known], known

    def read(self, verb: Verb, future: Future[list[Result]], number: int) -> list[Result]:
        """What came back for so many prompts, or a sentence about a model that has none."""
        try:
            results = future.result()
        except (OthermindsError, MemoryError):
            raise
        except Exception as error:
            raise ModelError(
                f"{self.name} failed with {type(error).__name__}: {error}; mend its {verb}, --debug shows where"
            ) from error
        if len(results) != number:
            raise ModelError(f"{self.name} gave {len(results)} results for {number} prompts; mend its {verb}")
        return results

    def keep(self, flights: Sequence[Flight]) -> None:
        """Write what was answered, and count it once it is written."""
        made, errors, retried, usage = self._counted.made, self._counted.errors, self._counted.retried, self.usage
        calls = []
        for flight in flights:
            retried, usage = retried + flight.again, usage + flight.spilt
            for (key, prompt), result in zip(flight.batch, flight.results, strict=True):
                usage += paid(result)
                if key.startswith(AGAIN):
                    self.rechecked += 1
                    continue
                made += 1
                if result.error:
                    errors += 1
                    continue
                verb, seconds = flight.line.verb, flight.seconds
                asked = prompt.to_dict()
                calls.append(Call(key, self.fingerprint, verb, asked, result.rendered, pack(result), seconds))
        counted = Spent(made, errors, retried, usage=usage)
        self._write(calls, self._with_trouble(counted))
        for flight in flights:
            flight.kept = True
        self._counted = counted

    def _write(self, calls: Sequence[Call], spent: Spent) -> None:
        if self.work and not self._sitting:
            self._sitting = self.store.begin_sitting(self.work)
        self.store.keep_calls(calls, sitting=(self._sitting, spent))
        self._noted = spent


def as_recorded(model: Model) -> Recorded:
    """The model with a memory; only such a one has several calls under way, in the batches that it likes."""
    return model if isinstance(model, Recorded) else Recorded(model, Store(MEMORY))


def fetch(
    suites: Sequence[Suite],
    model: Model,
    *,
    store: Store,
    seed: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> None:
    """Weigh all that these suites need; whoever runs them afterwards finds it in the store."""
    if model.batch < 2 or len(suites) < 2:
        return
    plans = [plan(suite, seed=seed, cannot=model.cannot) for suite in suites]
    prompts = [prompt for each in plans if each.scoring.verb == "weigh" for prompt in each.prompts]
    # What a model fails at is told by the run of the suite that it fails at.
    with suppress(ModelError):
        Recorded(model, store, budget=budget, progress=progress).weigh(prompts)
