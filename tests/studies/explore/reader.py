"""A target with a known weakness: however deep the question, it answers what the last of the minds believes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any

from otherminds.minds.questions import Question, matters, questions
from otherminds.minds.story import Story
from otherminds.search.search import Find, Reply, Search, Telling


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

    def wants(self, question: Question) -> bool:
        return True

    def replies(self, tellings: Sequence[tuple[Telling, int]]) -> list[Reply]:
        self.asked += len(tellings)
        return [self.reply(telling, order) for telling, order in tellings]

    def reply(self, telling: Telling, order: int) -> Reply:
        wanted = [each for each in questions(telling.story, order=order) if len(each.minds) == order]
        right = {each.text: float(each.answer == each.first_order) for each in wanted}
        return Reply(first_order_accuracy(telling.story, order), right)


def drive(search: Search, accuracy: Any = first_order_accuracy) -> tuple[Find | None, list[Story]]:
    """Run a search to its end against a function; what it found, and all that it asked about."""
    asked: list[Story] = []
    try:
        stories = next(search)
        while True:
            asked += [telling.story for telling in stories]
            stories = search.send([Reply(accuracy(telling.story)) for telling in stories])
    except StopIteration as end:
        return end.value, asked


@dataclass
class Guesser(FirstOrderReader):
    """Guesses, the same whenever the same is asked."""

    seed: int = 0

    def reply(self, telling: Telling, order: int) -> Reply:
        words = f"{self.seed}:{telling.story.tell(seed=telling.words)}"
        wanted = [each for each in questions(telling.story, order=order) if len(each.minds) == order]
        right = {each.text: float(Random(words + each.text).random() < 0.5) for each in wanted}
        return Reply(fmean(right.values()) if right else None, right)
