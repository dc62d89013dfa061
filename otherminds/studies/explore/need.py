"""Need: whether a story needs theory of mind, told without writing out its questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from otherminds.questions import Matter, matters
from otherminds.sightings import Minds, chains_of
from otherminds.story import Story


def needs_theory_of_mind(story: Story, *, order: int = 2) -> bool:
    """Whether it has a question, up to this order, to which another person would give another answer."""
    asked = matters(story)
    return any(differs(story, matter, depth) for depth in range(1, order + 1) for matter in asked)


def differs(story: Story, matter: Matter, order: int) -> bool:
    """Whether the answer on this matter, at exactly this order, changes when one of the minds is another person."""
    answers = {minds: matter.answer(matter.value(story.seen_by(minds))) for minds in chains_of(story.people, order)}
    if len(set(answers.values())) < 2:
        return False
    return any(_other(minds, answers, story.people) for minds in answers)


def _other(minds: Minds, answers: Mapping[Minds, str], people: Iterable[str]) -> bool:
    swaps = ((*minds[:place], person, *minds[place + 1 :]) for place in range(len(minds)) for person in people)
    return any(answers.get(swap, answers[minds]) != answers[minds] for swap in swaps)
