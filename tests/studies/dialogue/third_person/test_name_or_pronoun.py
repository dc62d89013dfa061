"""Names and pronouns: by hand, and by a reader who shares nothing with the rules."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from otherminds.studies.dialogue.third_person import unsure
from otherminds.studies.dialogue.third_person.retell import retell
from otherminds.talks import bank
from otherminds.talks.talk import Person, Pronoun


def person(first: str, pronoun: Pronoun) -> Person:
    return Person(first.lower(), first, "Test", 40, "baker", pronoun, "HLHLH")


PEOPLE = {
    "O": person("Omar", "he"),
    "P": person("Pablo", "he"),
    "N": person("Nora", "she"),
    "V": person("Vera", "she"),
    "Q": person("Quinn", "they"),
}

NAMED = """
OP I think that he wants me to wait.
   Omar thinks that Pablo wants him to wait.
OP I think that he trusts me, because I kept my word.
   Omar thinks that Pablo trusts Omar, because Omar kept his word.
OP I think that he looked behind me.
   Omar thinks that Pablo looked behind Omar.
NV I think my advice was never read, and I fear that an untouched page will shame me.
   Nora thinks her advice was never read, and she fears that an untouched page will shame her.
NV I know that one word could cost me my job, so I will say nothing.
   Nora knows that one word could cost her her job, so she will say nothing.
OP I know that the doctor rang me while I was out.
   Omar knows that the doctor rang Omar while Omar was out.
OP I will keep silent and I will let him guess, but I will not lie.
   Omar will keep silent and will let Pablo guess, but Omar will not lie.
OP I think this place is finer than I remembered and I can smell the roast.
   Omar thinks this place is finer than he remembered and he can smell the roast.
OP I like the tune he plays and he knows it.
   Omar likes the tune Pablo plays and he knows it.
OP I trust him and the vet trusts me and I am glad.
   Omar trusts Pablo and the vet trusts Omar and Omar is glad.
QN I feel stunned, because she offers me help and she does not pry.
   Quinn feels stunned, because Nora offers Quinn help and does not pry.
NQ I feel stunned, because they offer me help and they hardly look up.
   Nora feels stunned, because Quinn offers her help and hardly looks up.
QN I know that my friends are late and that they forgot my birthday.
   Quinn knows that their friends are late and that they forgot Quinn's birthday.
QN I keep my word, and I hide the letters from my sister.
   Quinn keeps their word, and they hide the letters from Quinn's sister.
OQ They are late because they have no watch.
   Quinn is late because they have no watch.
NV I think that she knows her brother owes me money.
   Nora thinks that Vera knows her brother owes Nora money.
OP I want him to let me be me.
   Omar wants Pablo to let Omar be Omar.
OP I feel he uses me to get to my sister.
   Omar feels Pablo uses Omar to get to Omar's sister.
OP I think he made me look like a fool in front of my friends.
   Omar thinks Pablo made Omar look like a fool in front of Omar's friends.
OP I think he wants what I want: my job.
   Omar thinks Pablo wants what Omar wants: Omar's job.
OP I want to have what he has and be what he is.
   Omar wants to have what Pablo has and be what Pablo is.
OP I will tell him I need my money back.
   Omar will tell Pablo that Omar needs his money back.
OP I would choose me, not him.
   Omar would choose Omar, not Pablo.
OP I caught him talking to himself.
   Omar caught Pablo talking to himself.
"""
"""Who thinks of whom, the thought, and on the next line how it is told."""


@pytest.mark.parametrize(
    ("given", "expected"), list(zip(NAMED.splitlines()[1::2], NAMED.splitlines()[2::2], strict=True))
)
def test_named_by_hand(given: str, expected: str) -> None:
    pair, _, thought = given.partition(" ")
    speaker, partner = (PEOPLE[letter] for letter in pair)
    told = retell(thought, speaker, partner).text
    assert told == expected.strip()
    assert list(misreadings(thought, told, speaker, partner)) == []


@pytest.mark.parametrize(
    "thought",
    [
        "I want to help him get his life back and be myself again.",
        "I will tell him about myself.",
        "I talked to him about himself.",
        "I think that if I were him I'd have left already.",
        "I feel, you know, a bit lost.",
        "You know, I feel lost.",
        "I am late, I mean, a little.",
        "Believe me, he is late.",
        "Me, I trust nobody.",
    ],
)
def test_what_would_be_taken_for_the_other_is_not_told(thought: str) -> None:
    assert retell(thought, PEOPLE["O"], PEOPLE["P"]).why == unsure.LEFT


@pytest.mark.parametrize(
    ("thought", "told"),
    [
        ("I tried to trust him but can't bring myself to.", "Omar tried to trust Pablo but can't bring himself to."),
        ("I feel I owe it to him and to myself.", "Omar feels he owes it to Pablo and to himself."),
        ("I blame him, not myself.", "Omar blames Pablo, not himself."),
        ("I will make him say it himself.", "Omar will make Pablo say it himself."),
    ],
)
def test_himself_is_whoever_does_it(thought: str, told: str) -> None:
    assert retell(thought, PEOPLE["O"], PEOPLE["P"]).text == told


def test_nobody_in_the_written_talks_is_taken_for_the_other() -> None:
    read = 0
    for talk in bank.authored():
        for turn, message in enumerate(talk.turns):
            speaker, partner = talk.speaker(turn), talk.partner(turn)
            text = retell(message.thought, speaker, partner).text
            assert list(misreadings(message.thought, text, speaker, partner)) == [], text
            read += speaker.pronoun == partner.pronoun
    assert read == 15 * 14


# ---- the reader ---------------------------------------------------------------------------------------------------

FORMS = {"he": "he him his himself", "she": "she her hers herself", "they": "they them their theirs themselves"}


def misreadings(thought: str, told: str, speaker: Person, partner: Person) -> Iterator[str]:
    """Where a reader who takes a pronoun for whoever was mentioned last is mistaken, if the two share one.

    That is the reader of he and his; him is also read as whoever is not the subject.
    """
    if speaker.pronoun != partner.pronoun or re.search(r"\b(we|us|our|ours)\b", thought):
        return
    names, forms = {speaker.first: "speaker", partner.first: "partner"}, FORMS[speaker.pronoun].split()
    first = dict.fromkeys(["I", "me", "my", "mine", "myself"], "speaker")
    meant = people(thought, first | dict.fromkeys([*forms, partner.first], "partner"))
    read = people(told, names | dict.fromkeys(forms, ""))
    last = subject = ""
    for before, word, who in meant:
        begins = word in ("I", "he", "she", "they")
        if begins and before in ("and", "but") and (not read or read[0][0] not in ("and", "but")):
            if who != subject:
                yield f"after {before}"
            continue
        _, called, named = read.pop(0)
        plain = {"he": last, "she": last, "they": last, "his": last, "their": last}.get(called, who)
        if (named or plain) != who or (not named and who not in (last, {"speaker": "partner"}.get(subject, "speaker"))):
            yield called
        last, subject = who, who if begins else subject
    if read:
        yield "more people than were thought of"


def people(text: str, known: dict[str, str]) -> list[tuple[str, str, str]]:
    """Each word that means somebody: the word before it, the word, and who."""
    words = re.findall(r"\w+", re.sub(r"^H(?=e |is )", "h", text))
    return [(before, word, known[word]) for before, word in pairwise(["", *words]) if word in known]


@pytest.mark.parametrize(
    ("thought", "told"),
    [
        ("I think that he likes me and that he is weak.", "Omar thinks that Pablo likes Omar and that he is weak."),
        ("I think that he likes my dog.", "Omar thinks that Pablo likes his dog."),
        ("I think that he likes it and I hope so.", "Omar thinks that Pablo likes it and hopes so."),
        ("I know that he lied.", "Omar knows that Omar lied."),
        ("I know that he lied.", "Omar knows that he lied."),
    ],
)
def test_the_reader_finds_what_can_be_misread(thought: str, told: str) -> None:
    assert list(misreadings(thought, told, PEOPLE["O"], PEOPLE["P"]))
