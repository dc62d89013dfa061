"""Somebody else in a thought, whom a pronoun might mean as well."""

import pytest

from otherminds.studies.dialogue.third_person import unsure
from otherminds.studies.dialogue.third_person.retell import retell
from otherminds.talks.talk import Person

PEOPLE = {
    "O": Person("omar", "Omar", "Test", 40, "baker", "he", "HLHLH"),
    "P": Person("pablo", "Pablo", "Test", 40, "baker", "he", "HLHLH"),
    "N": Person("nora", "Nora", "Test", 40, "baker", "she", "HLHLH"),
    "Q": Person("quinn", "Quinn", "Test", 40, "baker", "they", "HLHLH"),
}


@pytest.mark.parametrize(
    ("pair", "thought", "why"),
    [
        ("OQ", "I think their friends like me less than they say", unsure.STRANGER),
        ("OQ", "I think their prices are fair, because they match the market", unsure.STRANGER),
        ("OQ", "I think that they know the prices and that I fear them", unsure.STRANGER),
        ("OQ", "I feel betrayed, because they told them what I said", unsure.STRANGER),
        ("OP", "I know my brother told him that he was sick", unsure.STRANGER),
        ("OP", "I think that he told his brother that he was late", unsure.STRANGER),
        ("ON", "I met Anna and she told me everything", unsure.STRANGER),
        ("OP", "I think that he told him", unsure.STRANGER),
        ("OP", "I think that he wants you to wait", unsure.STRANGER),
        ("OP", "I will meet Anna, and we will decide", unsure.BOTH),
        ("OP", "I told my team that we will win", unsure.BOTH),
        ("OP", "I know what he told us all", unsure.BOTH),
        ("OP", "I think the three of us should go", unsure.BOTH),
        ("OQ", "I fear that they will leave me and take our son", unsure.BOTH),
    ],
)
def test_a_pronoun_that_may_be_somebody_else_is_not_told(pair: str, thought: str, why: str) -> None:
    assert retell(thought, PEOPLE[pair[0]], PEOPLE[pair[1]]).why == why


@pytest.mark.parametrize(
    ("pair", "thought", "told"),
    [
        ("ON", "I know my brother wants my car", "Omar knows his brother wants Omar's car."),
        ("NO", "I know my sister thinks I am lazy", "Nora knows her sister thinks Nora is lazy."),
        ("ON", "When my father calls, I worry", "When Omar's father calls, Omar worries."),
        ("OP", "I think my brother told him what I said", "Omar thinks his brother told Pablo what Omar said."),
        ("ON", "I know that my boss likes me", "Omar knows that his boss likes him."),
        ("ON", "I will take the job that my boss offers, but I won't stay", "but he won't stay."),
        ("ON", "I think that no friend would tell on me", "Omar thinks that no friend would tell on him."),
        ("ON", "I know that I am the owner and that it is my shop", "he is the owner and that it is his shop."),
        ("ON", "I know that I was there in December and saw my chance", "he was there in December and saw his chance."),
        ("OQ", "I think that they like my terms, because they smile", "Quinn likes his terms, because Quinn smiles."),
    ],
)
def test_somebody_else_is_kept_apart_from_the_two(pair: str, thought: str, told: str) -> None:
    assert retell(thought, PEOPLE[pair[0]], PEOPLE[pair[1]]).text.endswith(told)
