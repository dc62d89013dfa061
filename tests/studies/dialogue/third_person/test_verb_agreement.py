"""Verbs that follow a new subject, above all those that are joined to it by and."""

import pytest

from otherminds.studies.dialogue.third_person import unsure
from otherminds.studies.dialogue.third_person.retell import retell
from otherminds.talks.talk import Person

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
        ("I have to go and have to tell her", unsure.JOINED),
        ("I want to keep my word and have kept it", unsure.JOINED),
        ("I do know it and do care", unsure.JOINED),
        ("I have to go and want to tell her", unsure.JOINED),
        ("I watch him eat and say nothing", unsure.JOINED),
        ("I see the letter and shiver", unsure.JOINED),
        ("I feel sad, lonely and long for home", unsure.JOINED),
        ("I saw the risk and put it off", unsure.TENSE),
        ("I lay awake and thought of her", unsure.TENSE),
        ("I gotta go", unsure.VERB),
        ("I wanna win", unsure.VERB),
        ("I sure hope she comes", unsure.VERB),
        ("I better go before she sees me", unsure.VERB),
        ("I sort of trust her", unsure.VERB),
        ("I deep down know it", unsure.VERB),
        ("Tell her the truth, I say to myself", unsure.VERB),
        ("Hope she says yes", unsure.VERB),
    ],
)
def test_a_verb_that_is_not_sure_is_not_told(thought: str, why: str) -> None:
    assert retell(thought, OMAR, NORA).why == why
