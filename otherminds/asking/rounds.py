"""Asking in rounds: what came back may show that an item needs another prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from otherminds.asking.packing import Result
from otherminds.asking.plans import Plan
from otherminds.asking.recorded import Recorded
from otherminds.models import Prompt


class Rounds:
    """A plan that grows while it is asked; most are done after one round."""

    def __init__(self, plan: Plan, recorded: Recorded) -> None:
        self.plan = plan
        self.answered: dict[str, Result] = {}
        """By key, all that was answered."""
        self._recorded = recorded
        self._known: dict[int, str] = {}

    @property
    def keys(self) -> list[str]:
        """Of all prompts, in order, the keys under which answers are kept."""
        return [self.key(prompt) for prompt in self.plan.prompts]

    def key(self, prompt: Prompt) -> str:
        """Found once: to make one takes as long as to read an answer."""
        # By the object itself, which the plan holds on to: two that are equal have the same key anyway.
        if id(prompt) not in self._known:
            self._known[id(prompt)] = self._recorded.key(self.plan.way.verb, prompt)
        return self._known[id(prompt)]

    @property
    def wanted(self) -> dict[str, Prompt]:
        """All prompts so far, by key."""
        return dict(zip(self.keys, self.plan.prompts, strict=True))

    def ask(self, draws: int) -> None:
        """Ask round after round, until nothing is missing or the budget lets no more be asked."""
        self._put(self.plan.prompts)
        while self.plan.way.more and not self._recorded.stopped and (new := self._grow(draws)):
            self._put(new)

    def _put(self, prompts: Sequence[Prompt]) -> None:
        verb = self.plan.way.verb
        keys = [self.key(prompt) for prompt in prompts]
        results = self._recorded.answer(verb, prompts, keys)
        left = self._recorded.stopped or None
        self.answered |= {key: result for key, result in zip(keys, results, strict=True) if result.error != left}

    def _grow(self, draws: int) -> list[Prompt]:
        """The prompts that one more round needs; they are part of the plan from now on."""
        way, posed, new = self.plan.way, [], []
        assert way.more is not None, "only such plans grow"
        for item, asked in zip(self.plan.items, self.plan.posed, strict=True):
            results = [self.answered.get(self.key(each.prompt)) for each in asked]
            known = [result for result in results if result is not None]
            more = way.more(item, asked, known, draws) if len(known) == len(asked) else ()
            posed.append((*asked, *more))
            new += [each.prompt for each in more]
        self.plan = replace(self.plan, posed=tuple(posed))
        return new
