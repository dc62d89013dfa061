"""Recorded: a model that never answers the same prompt twice, because the store remembers.

It is itself a model, so whatever asks models can be given one. Only what is missing is asked: in an order that puts
common beginnings side by side, in batches of the size the model likes, several at once where the model allows it.
Every answer is on disk as soon as it is there, so whatever stops the program loses nothing but calls under way.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from math import ceil, inf, isfinite
from threading import Event, Thread
from time import monotonic
from typing import Any, Literal

from otherminds.budgets import Budget
from otherminds.errors import ModelError, StoreError
from otherminds.models import BROKEN_OFF, Message, Model, Prompt, Response, Usage, Weighing, fingerprint
from otherminds.scores import is_logprob
from otherminds.store import Call, Store

Verb = Literal["ask", "weigh"]
Result = Response | Weighing
Batch = list[tuple[str, Prompt]]
Landed = tuple[Sequence[Result], float]
"""The results of a batch, and the seconds that each took."""
Progress = Callable[[int, int], None]
"""Called with the number of calls that are answered and the number that are wanted."""

LANDING = 5.0
"""Seconds that calls under way get to come home after Ctrl-C."""


class Recorded:
    """A model with a memory; `made` and `reused` count its calls, `usage` the tokens of those it made."""

    def __init__(
        self, model: Model, store: Store, *, budget: Budget | None = None, progress: Progress | None = None
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
        self.made = 0
        self.reused = 0
        self.usage = Usage()
        self.stopped = ""
        """Why the budget let no more be asked; also the error of every prompt that was left."""
        self._began = monotonic()
        if self.budget.money is not None:
            self.budget.price(self.name)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return self._answer("ask", prompts, Response)

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return self._answer("weigh", prompts, Weighing)

    def key(self, verb: Verb, prompt: Prompt) -> str:
        """Under which the answer is kept: whoever is someone else, or is asked something else, has another key."""
        return call_key(self.fingerprint, verb, prompt)

    def _answer(self, verb: Verb, prompts: Sequence[Prompt], kind: Callable[..., Any]) -> list[Any]:
        keys = [self.key(verb, prompt) for prompt in prompts]
        wanted = dict(zip(keys, prompts, strict=True))
        answered = {key: unpack(call) for key, call in self.store.calls(wanted).items()}
        self.reused += len(answered)
        missing = [(key, prompt) for key, prompt in wanted.items() if key not in answered]
        missing.sort(key=lambda pair: _beginning(pair[1]))

        def keep(batch: Batch, results: Sequence[Result], seconds: float) -> None:
            if batch[0][0] in answered:
                return  # Ctrl-C came just after it was kept, and it comes home once more.
            self._keep(verb, batch, results, seconds)
            answered.update({key: result for (key, _), result in zip(batch, results, strict=True)})
            self._report(len(answered), len(wanted))

        self._report(len(answered), len(wanted))
        if missing:
            with self.store.writing():
                self.store.keep_model(self.fingerprint, self.name, self.identity)
                self._fetch(verb, deque(missing), keep)
        return [answered[key] if key in answered else kind(error=self.stopped) for key in keys]

    def _fetch(self, verb: Verb, queue: deque[tuple[str, Prompt]], keep: Callable[..., None]) -> None:
        """Ask all that is in the queue; only this thread touches the store.

        After a failure nothing new is asked, and what is under way is waited for and kept, since it was paid for; a
        person who presses Ctrl-C waits only LANDING seconds for it.
        """
        if self.parallel == 1:
            while batch := self._next_batch(verb, queue, 0):
                keep(batch, *self._call(verb, batch))
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
                        keep(flying[future], *future.result())
                    del flying[future]
        except BaseException:
            broken_off.set()
            for future in wait(flying, timeout=LANDING).done:
                if not future.exception():
                    keep(flying[future], *future.result())
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
        calls, seconds = self.made + under_way, monotonic() - self._began
        reason = self.budget.spent(self.name, calls=calls, usage=self.usage, seconds=seconds)
        if reason:
            self.stopped = reason
            return []
        room = self.batch if verb == "weigh" else self.ask_batch
        if self.budget.calls is not None:
            room = min(room, ceil(self.budget.calls - calls))
        return [queue.popleft() for _ in range(min(room, len(queue)))]

    def _call(self, verb: Verb, batch: Batch) -> Landed:
        prompts = [prompt for _, prompt in batch]
        began = monotonic()
        results: Sequence[Result] = self.model.ask(prompts) if verb == "ask" else self.model.weigh(prompts)
        if len(results) != len(prompts):
            raise ModelError(f"{self.name} gave {len(results)} results for {len(prompts)} prompts; mend its {verb}")
        return results, (monotonic() - began) / len(batch)

    def _keep(self, verb: Verb, batch: Batch, results: Sequence[Result], seconds: float) -> None:
        self.store.keep_calls(
            [
                Call(key, self.fingerprint, verb, prompt.to_dict(), result.rendered, pack(result), seconds)
                for (key, prompt), result in zip(batch, results, strict=True)
                if not result.error and _sound(result)
            ]
        )
        self.made += len(batch)
        for result in results:
            self.usage = add(self.usage, result.usage)

    def _report(self, answered: int, wanted: int) -> None:
        if self.progress is not None:
            self.progress(answered, wanted)


def call_key(fingerprint: str, verb: Verb, prompt: Prompt) -> str:
    """sha256 of who is asked, how, and what."""
    canonical = {"fingerprint": fingerprint, "verb": verb, "prompt": prompt.to_dict()}
    return hashlib.sha256(json.dumps(canonical, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def add(one: Usage, other: Usage) -> Usage:
    """The tokens of both."""
    return Usage(one.prompt + other.prompt, one.cached + other.cached, one.written + other.written)


def pack(result: Result) -> dict[str, Any]:
    """A result as JSON, without the rendered text, which has a column of its own."""
    usage = asdict(result.usage)
    if isinstance(result, Response):
        return {"text": result.text, "finish": result.finish, "usage": usage}
    return {
        "logprobs": {choice: _number(value) for choice, value in result.logprobs.items()},
        "tokens": {choice: list(tokens) for choice, tokens in result.tokens.items()},
        "bounds": {choice: [_number(low), _number(high)] for choice, (low, high) in result.bounds.items()},
        "usage": usage,
    }


def unpack(call: Call) -> Result:
    """The result that was packed into a call."""
    try:
        return _unpack(call)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"the call {call.key[:10]} in the store is damaged ({error!r}); restore a copy of it or use another store"
        ) from None


def _unpack(call: Call) -> Result:
    data, usage = call.result, Usage(**call.result["usage"])
    if call.verb == "ask":
        return Response(data["text"], data["finish"], usage, call.rendered)
    return Weighing(
        {choice: _unnumber(value) for choice, value in data["logprobs"].items()},
        {choice: tuple(tokens) for choice, tokens in data["tokens"].items()},
        {choice: (_unnumber(low), _unnumber(high)) for choice, (low, high) in data["bounds"].items()},
        usage,
        call.rendered,
    )


def unpack_prompt(data: Mapping[str, Any]) -> Prompt:
    """The prompt that `to_dict` wrote."""
    parts: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    parts["messages"] = tuple(Message(*turn) for turn in data.get("messages", ()))
    return Prompt(**parts)


def _number(value: float) -> float | None:
    """A log-probability as JSON, which has no word for minus infinity."""
    return value if isfinite(value) else None


def _unnumber(value: float | None) -> float:
    return -inf if value is None else value


def _sound(result: Result) -> bool:
    """Whether all its numbers can be kept; a log-probability that is none should be asked again."""
    if isinstance(result, Response):
        return True
    numbers = [*result.logprobs.values(), *(value for pair in result.bounds.values() for value in pair)]
    return all(map(is_logprob, numbers))


def _beginning(prompt: Prompt) -> str:
    return prompt.text or "\n".join([*(turn.content for turn in prompt.messages), prompt.prefill])
