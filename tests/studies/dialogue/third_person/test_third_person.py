"""The drawing of the passes: its example, taken through the real ones, says the same on every line."""

import re
from collections.abc import Sequence

from otherminds.studies.dialogue import third_person
from otherminds.studies.dialogue.third_person.contractions import write_out
from otherminds.studies.dialogue.third_person.name_or_pronoun import name_people
from otherminds.studies.dialogue.third_person.retell import retell
from otherminds.studies.dialogue.third_person.tokens import Token, join, split
from otherminds.studies.dialogue.third_person.verb_agreement import agree
from otherminds.studies.dialogue.third_person.who_is_meant import Mention, mentions
from otherminds.talks.talk import Person

OMAR = Person("omar", "Omar", "Test", 40, "baker", "he", "HLHLH")
PABLO = Person("pablo", "Pablo", "Test", 40, "baker", "he", "HLHLH")
DRAWN = third_person.__doc__ or ""
THOUGHT = "I'm sure he likes me, but I fear him."


def text(tokens: Sequence[Token]) -> str:
    return "".join(token.gap + token.text for token in tokens)


def with_mentions(tokens: Sequence[Token], found: dict[int, Mention]) -> str:
    meant = {at: f"{{{mention.who} {mention.case}}}" for at, mention in found.items()}
    return "".join(token.gap + meant.get(at, token.text) for at, token in enumerate(tokens))


def test_the_drawn_example_is_what_the_passes_make_of_it() -> None:
    words, tail = split(THOUGHT.rstrip("."))
    whole = write_out(words, PABLO)
    found = mentions(whole, PABLO)
    named = name_people(whole, found, OMAR, PABLO)
    agreed = agree(named)
    assert re.findall(r"^ *\d\. (\w+\.\w+): .+\n +(.+)$", DRAWN, re.MULTILINE) == [
        ("tokens.split", "|".join(token.gap + token.text for token in words)),
        ("contractions.write_out", text(whole)),
        ("who_is_meant.mentions", with_mentions(whole, found)),
        ("name_or_pronoun.name_people", text(named)),
        ("verb_agreement.agree", text(agreed)),
        ("tokens.join", join(agreed, tail)),
    ]


def test_the_drawn_example_begins_and_ends_as_it_is_retold() -> None:
    assert f"\n    {THOUGHT}\n" in DRAWN
    assert f"\n       {retell(THOUGHT, OMAR, PABLO).text}\n" in DRAWN
