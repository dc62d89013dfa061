"""A passage tells nobody of anything but those who are there: not those who left, nor those who come in later."""

from __future__ import annotations

import json

import pytest

from otherminds.minds.events import Enter, Leave, Move, Tell
from otherminds.minds.story import Story
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.prose.claims import Step, claims, steps, surface_fault
from otherminds.prose.retelling import retell

STORY = Story.of(
    Enter("Ann", "den"),
    Enter("Bob", "den"),
    Move("Ann", "pin", "box"),
    Leave("Bob", "den"),
    Move("Ann", "pin", "tin"),
    Tell("Ann", "Bob", topic="the fair"),
    Enter("Cem", "den"),
)
ENDINGS = (
    "Soon everybody in the building knew.",
    "Word spread.",
    "Later Bob heard all about it.",
    "Before long everyone had been told.",
    "News of the move soon got about.",
    "The whole house later heard.",
    "Later Cem heard all about it.",
)
HARMLESS = ("Soon it was dark.", "Later Ann heard the rain.", "Everybody liked the den.", "She had no news of Dan.")


def move() -> Step:
    """The step that Bob does not see any more, and Cem not yet."""
    return next(step for step in steps(STORY) if step.raw == "Ann moved the pin to the tin.")


@pytest.mark.parametrize("ending", ENDINGS)
def test_endings_that_tell_everybody_are_seen_without_a_judge(ending: str) -> None:
    assert surface_fault(f"Ann moved the pin to the tin. {ending}", move(), least=1, names={"Ann", "Bob", "Cem"})


@pytest.mark.parametrize("ending", HARMLESS)
def test_harmless_endings_pass(ending: str) -> None:
    passage = f"Ann moved the pin to the tin. {ending}"
    assert surface_fault(passage, move(), least=1, names={"Ann", "Bob", "Dan"}) == ""


def test_the_judge_is_asked_about_those_who_left_and_those_who_come_later() -> None:
    assert move().absent == ("Bob", "Cem")
    asked = [claim for claim in claims(move()) if claim.rule == "spread"]
    assert any(
        "that Bob or Cem or anybody else who is not there for it learns of it" in each.question for each in asked
    )
    assert any("anybody learns of anything besides" in each.question for each in asked)
    assert {claim.hoped for claim in asked} == {False}


def test_private_words_leave_out_whoever_only_stands_there() -> None:
    there = Story.of(
        Enter("Ann", "den"), Enter("Bob", "den"), Enter("Cem", "den"), Tell("Ann", "Bob", topic="the fair")
    )
    assert steps(there)[-1].absent == ("Cem",)


def test_no_story_keeps_such_an_ending() -> None:
    """A writer that ends every passage so, and a judge that is content with everything else."""

    hopes = {claim.question: claim.hoped for step in steps(STORY) for claim in claims(step)}

    def says(prompt: Prompt) -> str:
        text = "\n".join([prompt.text, *(message.content for message in prompt.messages)])
        if "What happens next, in bare words: " in text:
            raw = text.partition("What happens next, in bare words: ")[2].partition("\n")[0]
            # The judge hears of what no rule sees.
            return json.dumps({"continuations": [f"{raw} By supper the neighbours spoke of nothing else."]})
        if "yes or no" in text:
            question = text.split("\n\n")[-1].splitlines()[0]
            spreads = "learns of" in question
            return "yes" if spreads or hopes.get(question, True) else "no"
        return "{}"

    told = retell(STORY, Scripted(says, name="writer"), candidates=1)
    assert "spread" in told.failed
