"""A function as a model: for tests, documentation, dry runs and baselines with known scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import log
from threading import RLock
from typing import Any

from otherminds.errors import ModelError
from otherminds.models import ModelDefaults, Prompt, Response, Usage, Weighing
from otherminds.models.forks import Lock

SURE = 0.95
LEAST = 1e-9
"""What a probability of 0 counts as: the logarithm must exist, and no real model is surer than that."""

HISTORY = 4_000
"""Prompts that a model remembers at least; a suite may have millions."""


class Scripted(ModelDefaults):
    """A model that answers with `answer(prompt)` and weighs with `weigh(prompt)`, a probability for every choice.

    A text is cut at stop strings and after `max_tokens` words; a `Response` is passed on as it is. Without `weigh` the
    model puts 0.95 on the choice that it would answer, or weighs all alike if it would answer none of them.
    In a store only the name tells two scripted models apart, so different functions need different names.
    """

    def __init__(
        self,
        answer: Callable[[Prompt], str | Response],
        *,
        name: str,
        weigh: Callable[[Prompt], Mapping[str, float]] | None = None,
        batch: int = 64,
        parallel: int = 1,
    ) -> None:
        self.name = name
        self.batch = self.ask_batch = batch
        self.parallel = parallel
        self.cannot: frozenset[str] = frozenset()
        self.identity: Mapping[str, Any] = {"backend": "scripted", "name": name}
        self.history: list[Prompt] = []
        """The prompts it was given last, by either verb, in the order of arrival; all, up to some thousands."""
        self._answer = answer
        self._weigh = weigh
        self._lock = Lock(RLock)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return [self._respond(prompt) for prompt in self._noted(prompts)]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return [self._balance(prompt) for prompt in self._noted(prompts)]

    def _noted(self, prompts: Sequence[Prompt]) -> Sequence[Prompt]:
        with self._lock:
            self.history.extend(prompts)
            if len(self.history) > 2 * HISTORY:
                del self.history[:-HISTORY]
        return prompts

    def _respond(self, prompt: Prompt) -> Response:
        said = self._answer(prompt)
        return said if isinstance(said, Response) else _cut(said, prompt)

    def _balance(self, prompt: Prompt) -> Weighing:
        chances = self._weigh(prompt) if self._weigh else self._lean(prompt)
        if set(chances) != set(prompt.choices):
            raise ModelError(
                f"scripted model {self.name!r} weighed {sorted(chances)} where the choices are {sorted(prompt.choices)}"
            )
        logprobs = {choice: log(max(chances[choice], LEAST)) for choice in prompt.choices}
        tokens = {choice: (choice,) for choice in prompt.choices}
        return Weighing(logprobs, tokens, rendered=_shown(prompt))

    def _lean(self, prompt: Prompt) -> dict[str, float]:
        said = self._answer(prompt)
        text = (said.text if isinstance(said, Response) else said).strip()
        chosen = [choice for choice in prompt.choices if choice.strip() == text]
        others = len(prompt.choices) - 1
        if not chosen or not others:
            return dict.fromkeys(prompt.choices, 1 / max(1, len(prompt.choices)))
        return {choice: SURE if choice == chosen[0] else (1 - SURE) / others for choice in prompt.choices}


def _cut(text: str, prompt: Prompt) -> Response:
    """The text as a real model would have given it, with words for tokens."""
    text = text[: min((place for stop in prompt.stop if (place := text.find(stop)) >= 0), default=len(text))]
    words = re.findall(r"\s*\S+", text)
    rendered = _shown(prompt)
    usage = Usage(len(rendered.split()), 0, min(len(words), prompt.max_tokens))
    if len(words) > prompt.max_tokens:
        return Response("".join(words[: prompt.max_tokens]), "length", usage, rendered)
    return Response(text, "stop", usage, rendered)


def _shown(prompt: Prompt) -> str:
    """A scripted model has no template, so turns are written one under another."""
    turns = "".join(f"{turn.role}: {turn.content}\n" for turn in prompt.messages)
    return turns + f"assistant: {prompt.prefill}" if turns else prompt.text
