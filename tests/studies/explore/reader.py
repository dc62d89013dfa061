"""A target with a known weakness: however deep the question, it answers what the last of the minds believes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from otherminds.minds.questions import matters, questions
from otherminds.minds.story import Story
from otherminds.studies.explore.search import Find, Search


def first_order_accuracy(story: Story, order: int = 2) -> float | None:
    """The share of questions of this order that such a reader answers right."""
    asked = [question for question in questions(story, order=order) if len(question.minds) == order]
    return fmean(question.answer == question.first_order for question in asked) if asked else None


@dataclass
class FirstOrderReader:
    """The reader as an examiner, without prompts and answers in between."""

    stopped: str = field(default="", init=False)
    asked: int = field(default=0, init=False)
    verdicts: Counter[str] = field(default_factory=Counter, init=False)

    def asks(self, story: Story, order: int) -> bool:
        return bool(matters(story))

    def accuracies(self, stories: Sequence[tuple[Story, int]]) -> list[float | None]:
        self.asked += len(stories)
        return [first_order_accuracy(story, order) for story, order in stories]


def drive(search: Search, accuracy: Any = first_order_accuracy) -> tuple[Find | None, list[Story]]:
    """Run a search to its end against a function; what it found, and all that it asked about."""
    asked: list[Story] = []
    try:
        stories = next(search)
        while True:
            asked += stories
            stories = search.send([accuracy(story) for story in stories])
    except StopIteration as end:
        return end.value, asked
