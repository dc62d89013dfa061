"""Need: whether a story needs theory of mind, told without writing out its questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from otherminds.minds.questions import Answers, Matter, matters
from otherminds.minds.sightings import Minds
from otherminds.minds.story import Story


def needs_theory_of_mind(story: Story, *, order: int = 2) -> bool:
    """Whether it has a question, up to this order, to which another person would give another answer."""
    asked, answers = matters(story), Answers(story, order)
    return any(differs(answers, matter, depth) for depth in range(1, order + 1) for matter in asked)


def differs(answers: Answers, matter: Matter, order: int) -> bool:
    """Whether an answer on this matter, at exactly this order, changes when one of the minds is another person."""
    given = {minds: reply for minds, reply in answers.replies(matter).items() if len(minds) == order}
    return len(set(given.values())) > 1 and any(_other(minds, given, answers.people) for minds in given)


def _other(minds: Minds, answers: Mapping[Minds, str], people: Iterable[str]) -> bool:
    swaps = ((*minds[:place], person, *minds[place + 1 :]) for place in range(len(minds)) for person in people)
    return any(answers.get(swap, answers[minds]) != answers[minds] for swap in swaps)
