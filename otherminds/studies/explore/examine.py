"""Examine: how well a model answers the questions about a story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from otherminds.errors import ModelError
from otherminds.items import Item, Suite
from otherminds.models import Model
from otherminds.plans import Plan, plan
from otherminds.questions import quiz
from otherminds.scores import Score, way
from otherminds.story import Story


@dataclass(slots=True)
class Examiner:
    """Puts the questions about stories to a model, many stories in one batch, and keeps count."""

    model: Model
    kinds: frozenset[str] = frozenset()
    """Only questions of these kinds; empty: all."""
    interesting: bool = False
    """Only questions to which another person would give another answer."""
    prompt: str = "direct"
    score: str = "text"
    seed: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    def accuracies(self, stories: Sequence[tuple[Story, int]]) -> list[float | None]:
        """The share of right answers for each story, at its order; None where nothing usable came back."""
        return [accuracy(scores) for scores in self.scores(stories)]

    def scores(self, stories: Sequence[tuple[Story, int]]) -> list[list[Score]]:
        """The scores of all questions of each story at its order, from one batch."""
        plans = [self.plan(story, order) for story, order in stories]
        prompts = [prompt for each in plans if each for prompt in each.prompts]
        verb = way(self.score).verb
        results = iter(self.model.ask(prompts) if verb == "ask" else self.model.weigh(prompts))
        found: list[list[Score]] = []
        for each in plans:
            marks: list[Score] = []
            if each is not None:
                for item, posed in zip(each.items, each.posed, strict=True):
                    marks.append(each.way.judge(item, posed, [next(results) for _ in posed]))
            self.verdicts.update(mark.verdict for mark in marks)
            found.append(marks)
        self._refuse_silence()
        return found

    def plan(self, story: Story, order: int) -> Plan | None:
        """What is asked about a story; None if there is nothing."""
        items = tuple(item for item in quiz(story, order=order) if self._wanted(item, order))
        if not items:
            return None
        return plan(Suite("node", items, prompt=self.prompt, score=self.score), seed=self.seed)

    def _wanted(self, item: Item, order: int) -> bool:
        tags = item.tags
        return (
            tags["order"] == order
            and (not self.kinds or tags["kind"] in self.kinds)
            and (not self.interesting or tags["interesting"] is True)
        )

    def _refuse_silence(self) -> None:
        usable = self.verdicts["correct"] + self.verdicts["incorrect"]
        if not usable and self.verdicts.total() >= 40:
            ends = ", ".join(f"{number} {verdict}" for verdict, number in self.verdicts.most_common())
            raise ModelError(
                f"{self.model.name} gave no usable answer to the first {self.verdicts.total()} questions ({ends}), "
                "so there is nothing to search by; try another prompt or score (letters needs no parsing)"
            )


def accuracy(scores: Sequence[Score]) -> float | None:
    """The mean over what could be scored; None if nothing could."""
    values = [score.value for score in scores if score.value is not None]
    return fmean(values) if values else None
