"""What stands beside a search has as many questions and settings as it had; a weakness is named only beyond chance."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.search import Reader, cells
from otherminds.minds.events import Carry
from otherminds.minds.questions import Question
from otherminds.minds.story import Story
from otherminds.search.search import Ways
from otherminds.search.versus import Outcome, versus
from otherminds.stories.contexts import bank
from tests.weakness_rates import PLANTED, guesses, named, noisy, weak


def trips_over_carrying(question: Question, story: Story, text: str) -> str:
    """Wrong only where something is carried from room to room, so in one set of events alone."""
    wrong = any(isinstance(event, Carry) for event in story.events)
    return question.choices[question.choices.index(question.answer) - 1] if wrong else question.answer


def settings_of(outcome: Outcome) -> int:
    """From how many settings the stories came that the model was asked about."""
    return len({each.search for each in outcome.heard})


def test_the_baseline_draws_from_as_many_settings_as_the_search() -> None:
    reader: Any = Reader(trips_over_carrying)
    chosen = cells("tomi,tomi+room-changes,allbutfantom,tomi+info-exchange", 3, 3, 1)
    searched, drawn = versus(chosen, bank(), reader, stories=4, ways=Ways(budget=8, endings=8, draws=8), goal="none")
    assert 1 <= len(searched.found) < 4
    assert settings_of(searched) >= 4
    assert settings_of(drawn) == settings_of(searched)
    assert drawn.asked == searched.asked
    assert len(drawn.found) <= len(searched.found)
    assert all(each.confirmed is not None for each in drawn.found)


@pytest.mark.parametrize("right", [guesses, noisy])
def test_noise_has_no_weakness(right: Any) -> None:
    assert sum(map(bool, named(right, 40, 25))) <= 4  # 1 in 20, and two standard errors


def test_a_planted_weakness_is_found_in_most_seeds() -> None:
    found = named(weak, 20, 25)
    assert sum(f"where the person asked about {PLANTED}" in each for each in found) >= 15


def test_without_a_weakness_a_sentence_says_so() -> None:
    outcome = Outcome("learn", (), 0, {})
    assert outcome.says_of("dice") == "No weakness of dice could be distinguished from chance."
