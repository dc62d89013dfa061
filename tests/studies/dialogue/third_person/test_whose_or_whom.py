"""Whose or whom: what "her" and "you" do in a sentence, and where that cannot be told."""

import pytest

from otherminds.studies.dialogue.third_person import unsure
from otherminds.studies.dialogue.third_person.retell import retell
from otherminds.talks.talk import Person

OMAR = Person("omar", "Omar", "Test", 40, "baker", "he", "HLHLH")
NORA = Person("nora", "Nora", "Test", 40, "baker", "she", "HLHLH")
PABLO = Person("pablo", "Pablo", "Test", 40, "baker", "he", "HLHLH")

EITHER = """
I want her happy
I want her back
I want her gone
I want her involved
I want her dead tired
I prefer her silent
I fear her angry
I know her better than she knows herself
I saw her last week
I will visit her next week
I met her two years ago
I met her years ago
I saw her Monday at the market
I visit her weekly
I will drive her home
I drove her mad last night
I will prove her wrong
I will hold her responsible
I will follow her everywhere
I will meet her halfway
I will thank her first
I will greet her first thing tomorrow
I like her best of all
I like her very much
I like her only because she is kind
I like her rather odd manner
I won't press her further
I won't keep her long
I watch her every move
I know her past
I accept her no
I will write her letters
I will fight her tooth and nail
I meet her face to face
I will beat her fair and square
I'm mad at her right now
I will wait for her outside
I have seen her cry
"""


@pytest.mark.parametrize("thought", EITHER.strip().splitlines())
def test_her_may_be_whose_or_whom(thought: str) -> None:
    assert retell(thought, OMAR, NORA).why == unsure.CASE


PLAIN = """
I like her five children
   Omar likes Nora's five children.
I like her later work
   Omar likes Nora's later work.
I want her honest opinion
   Omar wants Nora's honest opinion.
I want her best friend to know
   Omar wants Nora's best friend to know.
I want her rich aunt to pay
   Omar wants Nora's rich aunt to pay.
I need her help tonight
   Omar needs Nora's help tonight.
I need her tonight
   Omar needs Nora tonight.
I know her secret
   Omar knows Nora's secret.
I think her new boss is kind
   Omar thinks Nora's new boss is kind.
I know that her happy face hides grief
   Omar knows that Nora's happy face hides grief.
I stand behind her back
   Omar stands behind Nora's back.
I blame her alone
   Omar blames Nora alone.
I blame her lawyer
   Omar blames Nora's lawyer.
I owe her no apology
   Omar owes Nora no apology.
I know that what is good for her is bad for me
   Omar knows that what is good for Nora is bad for him.
"""


@pytest.mark.parametrize(
    ("thought", "told"), list(zip(PLAIN.splitlines()[1::2], PLAIN.splitlines()[2::2], strict=True))
)
def test_her_is_plainly_one_of_the_two(thought: str, told: str) -> None:
    assert retell(thought, OMAR, NORA).text == told.strip()


@pytest.mark.parametrize(
    "thought",
    [
        "I think you two should talk",
        "I want you all to leave",
        "I know you better than you think",
        "I think you and your wife are late",
        "I know you and I trust you",
    ],
)
def test_you_whose_part_cannot_be_told(thought: str) -> None:
    assert retell(thought, OMAR, PABLO).why == unsure.CASE


@pytest.mark.parametrize(
    ("thought", "told"),
    [
        ("I know you mean well", "Omar knows Pablo means well."),
        ("I think you and I both know what you did", "Omar thinks Pablo and Omar both know what Pablo did."),
        ("I have said nothing, and neither have you", "Omar has said nothing, and neither has Pablo."),
        ("I know Pablo better than he knows himself", "Omar knows Pablo better than Pablo knows himself."),
    ],
)
def test_you_and_names_as_subjects(thought: str, told: str) -> None:
    assert retell(thought, OMAR, PABLO).text == told
