"""Verbs that follow a new subject, above all those that are joined to it by and."""

import pytest

from otherminds.studies.dialogue import agreement
from otherminds.studies.dialogue.talks import Person
from otherminds.studies.dialogue.voice import retell

OMAR = Person("omar", "Omar", "Test", 40, "baker", "he", "HLHLH")
NORA = Person("nora", "Nora", "Test", 40, "baker", "she", "HLHLH")

TOLD = """
I have no time and have told her so
   Omar has no time and has told Nora so.
I have no plan and want one
   Omar has no plan and wants one.
I have had enough and have told her so
   Omar has had enough and has told Nora so.
I have a car and use it
   Omar has a car and uses it.
I want to go and have fun
   Omar wants to go and have fun.
I want to stay and do my work
   Omar wants to stay and do his work.
I will thank her and mean it
   Omar will thank Nora and mean it.
I feel weak and want to lie down
   Omar feels weak and wants to lie down.
I feel happy for her but sad for myself
   Omar feels happy for Nora but sad for himself.
I think that she is wrong, and so do my friends
   Omar thinks that Nora is wrong, and so do his friends.
I drank too much and said too much
   Omar drank too much and said too much.
I sigh but say nothing
   Omar sighs but says nothing.
"""


@pytest.mark.parametrize(("thought", "told"), list(zip(TOLD.splitlines()[1::2], TOLD.splitlines()[2::2], strict=True)))
def test_joined_verbs_follow_their_subject(thought: str, told: str) -> None:
    assert retell(thought, OMAR, NORA).text == told.strip()


@pytest.mark.parametrize(
    ("thought", "why"),
    [
        ("I have to go and have to tell her", agreement.JOINED),
        ("I want to keep my word and have kept it", agreement.JOINED),
        ("I do know it and do care", agreement.JOINED),
        ("I have to go and want to tell her", agreement.JOINED),
        ("I watch him eat and say nothing", agreement.JOINED),
        ("I see the letter and shiver", agreement.JOINED),
        ("I feel sad, lonely and long for home", agreement.JOINED),
        ("I saw the risk and put it off", agreement.TENSE),
        ("I lay awake and thought of her", agreement.TENSE),
        ("I gotta go", agreement.VERB),
        ("I wanna win", agreement.VERB),
        ("I sure hope she comes", agreement.VERB),
        ("I better go before she sees me", agreement.VERB),
        ("I sort of trust her", agreement.VERB),
        ("I deep down know it", agreement.VERB),
        ("Tell her the truth, I say to myself", agreement.VERB),
        ("Hope she says yes", agreement.VERB),
    ],
)
def test_a_verb_that_is_not_sure_is_not_told(thought: str, why: str) -> None:
    assert retell(thought, OMAR, NORA).why == why
