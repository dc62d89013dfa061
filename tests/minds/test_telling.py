"""Stories in words: forms that say the same, sentences that are whole, and one text written out."""

from __future__ import annotations

import random
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from otherminds.minds.events import Carry, Change, Enter, Leave, Look, Move, Open, Place, Tell
from otherminds.minds.story import Premises, Story
from otherminds.minds.telling import MISSED, MISSED_TOO, PEEKED, listing, sentences
from otherminds.minds.world import Fact
from tests.strategies import stories


def slots(form: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(form) if name}


EVERYTHING = Story.of(
    Place("Nils", "cellar", "person"),
    Place("trunk", "cellar", "container"),
    Place("drum", "cellar"),
    Enter("Mira", "cellar"),
    Enter("Theo", "cellar"),
    Move("Mira", "drum", "trunk"),
    Move("Theo", "drum", "hamper", peekers={"Oskar"}),
    Look("Nils", "trunk", distracted={"Mira", "Theo"}),
    Open("Mira", "hamper"),
    Change("Mira", "drum", "colour", "is red"),
    Change("Nils", "drum", "smell", "smells of tar", False, "{person} rubbed tar into the {thing}."),
    Tell("Mira", "Oskar", topic="the harvest", peekers={"Theo", "Nils"}),
    Tell("Mira", "Oskar", fact=Fact("drum", "container", "hamper")),
    Tell("Theo", topic="the harvest"),
    Tell("Theo", fact=Fact("drum", "container", "trunk")),
    Tell("Nils", fact=Fact("Oskar", "room", "attic"), distracted={"Theo"}),
    Tell("Nils", "Oskar", fact=Fact("drum", "state:smell", "smells of tar")),
    Enter("Theo", "attic"),
    Carry("Mira", "drum", "attic"),
    Carry("Theo", "drum", "cellar"),
    Leave("Nils", "cellar"),
)
BELIEVED = (
    "People in this story believe the last thing they were told or overheard, and that whoever said it believes it "
    "too, unless they have seen for themselves that it is not so and have been there ever since. "
    "Everyone knows this about everyone."
)
TEXT = [
    "Nils was in the cellar.",
    "The trunk stood in the cellar.",
    "The drum lay in plain view in the cellar.",
    "Mira entered the cellar.",
    "Theo entered the cellar.",
    "Mira put the drum into the trunk.",
    "Theo moved the drum to the hamper. Oskar happened to see this, and only this, without being noticed.",
    "Nils looked into the trunk, so that nobody else saw what was in it. "
    "Mira and Theo were distracted just then and missed this, without anyone noticing.",
    "Mira opened the hamper so that all in the cellar saw what was in it, and shut it again.",
    "Mira did something to the drum: now it is red.",
    "Nils rubbed tar into the drum.",
    "Mira privately told Oskar about the harvest. "
    "Nils and Theo happened to overhear this, and only this, without being noticed.",
    "Mira privately told Oskar that the drum was in the hamper.",
    "Theo told everyone in the cellar about the harvest.",
    "Theo told everyone in the cellar that the drum was in the trunk.",
    "Nils told everyone in the cellar that Oskar was in the attic. "
    "Theo was distracted just then and missed this, without anyone noticing.",
    "Nils privately told Oskar that the drum smells of tar.",
    "Theo left the cellar and entered the attic.",
    "Mira took the drum out, went to the attic with it and put it down there in plain view.",
    "Theo went to the cellar with the drum and put it down there in plain view.",
    "Nils left the cellar.",
]


WAYS_TO_SAY_IT = {
    event.forms(before)[0]
    for event, before in zip(EVERYTHING.events, [None, *EVERYTHING.prefixes()], strict=False)
    if not getattr(event, "words", "")
}


@pytest.mark.parametrize(
    "forms", sorted({*WAYS_TO_SAY_IT, PEEKED, Tell.peeked, MISSED, MISSED_TOO}), ids=lambda forms: forms[0]
)
def test_there_are_six_ways_to_say_it_and_they_say_the_same(forms):
    assert len(forms) >= 6
    assert len(set(forms)) == len(forms)
    for form in forms:
        # {was} is only for agreement.
        assert slots(form) - {"was"} == slots(forms[0]) - {"was"}
        assert form.endswith(".")
        assert "  " not in form


def test_the_canonical_text():
    assert sentences(EVERYTHING) == TEXT
    assert EVERYTHING.text == " ".join([BELIEVED, *TEXT])


def test_the_text_has_every_kind_of_event():
    told = {type(event) for event in EVERYTHING.events}
    assert told == {Place, Enter, Leave, Move, Look, Open, Change, Tell, Carry}


def test_premises_come_first():
    premises = Premises(clear=frozenset({"jar"}), distrust=frozenset({("Theo", "Mira")}), fresh=True)
    assert Story.of(Enter("Mira", "shed"), Move("Mira", "kite", "jar"), premises=premises).text == (
        "One can see into the jar from outside: anyone in the room sees what is in it. "
        "Theo pays no attention to anything Mira says, and everyone knows that. "
        "Nobody here is talked out of what they saw at a later time than the speaker. "
        "Mira entered the shed. Mira put the kite into the jar."
    )


def test_a_container_that_the_story_does_not_have_is_not_explained():
    story = Story.of(Enter("Mira", "shed"), premises=Premises(clear=frozenset({"jar"})))
    assert story.text == "Mira entered the shed."


def test_where_facts_are_told_it_is_told_who_believes_them():
    start = (Enter("Mira", "shed"), Enter("Theo", "shed"), Move("Mira", "kite", "crate"))
    said = Tell("Mira", "Oskar", fact=Fact("kite", "container", "crate"))
    assert Story.of(*start, Tell("Mira", topic="the flood")).text.startswith("Mira entered")
    assert Story.of(*start, said).text.startswith(BELIEVED)
    wary = Premises(distrust=frozenset({("Theo", "Mira")}))
    otherwise = f"everyone knows that. Otherwise, p{BELIEVED[1:]} Mira entered"
    assert otherwise in Story.of(*start, said, premises=wary).text


@pytest.mark.parametrize("seed", [None, *range(12)])
def test_no_sentence_says_where_a_thing_was_before(seed):
    events = (Enter("Mira", "shed"), Move("Mira", "kite", "crate"), Move("Mira", "kite", "sack"))
    *_, moved, carried = sentences(Story.of(*events, Carry("Mira", "kite", "yard")), seed=seed)
    assert "crate" not in moved
    assert "sack" not in carried
    assert "shed" not in carried


def test_who_was_there_before_comes_back():
    there = (Enter("Mira", "shed"), Move("Mira", "kite", "crate"), Leave("Mira", "shed"))
    story = Story.of(*there, Enter("Mira", "yard"), Enter("Mira", "shed"), Leave("Mira", "shed"), Enter("Mira", "yard"))
    assert sentences(story)[3:] == [
        "Mira entered the yard.",
        "Mira left the yard and went back into the shed.",
        "Mira left the shed.",
        "Mira came back into the yard.",
    ]


def test_the_room_of_a_move_is_told_as_soon_as_there_are_two():
    story = Story.of(
        Enter("Mira", "shed"), Move("Mira", "kite", "crate"), Enter("Theo", "yard"), Move("Mira", "kite", "sack")
    )
    told = sentences(story)
    assert (told[1], told[3]) == ("Mira put the kite into the crate.", "Mira moved the kite to the sack in the shed.")


def test_one_listener_is_called_by_name():
    story = Story.of(Enter("Mira", "shed"), Enter("Theo", "shed"), Tell("Mira", topic="the flood"))
    assert sentences(story)[-1] == "Mira told Theo about the flood."
    for seed in range(20):
        assert "every" not in sentences(story, seed=seed)[-1]
        assert " all " not in sentences(story, seed=seed)[-1]


def test_what_was_missed_is_the_deed_and_not_the_peeking():
    start = Story.of(Enter("Mira", "shed"), Enter("Theo", "shed"))
    secret = {"peekers": {"Oskar"}, "distracted": {"Theo"}}
    moved, said = Move("Mira", "kite", "crate", **secret), Tell("Mira", topic="the flood", **secret)
    lay = Place("kite", "shed", **secret)
    for event, what in ((moved, "missed what Mira did"), (said, "missed what Mira said"), (lay, "missed the kite")):
        assert all(what in start.then(event).tell(seed=seed) for seed in (None, *range(20)))


@pytest.mark.parametrize(
    ("names", "text"), [(["Ada"], "Ada"), (["Ada", "Bo"], "Ada and Bo"), (["Ada", "Bo", "Cy"], "Ada, Bo and Cy")]
)
def test_names_are_listed_as_one_reads_them_out(names, text):
    assert listing(names) == text


def test_one_was_and_several_were():
    one = Story.of(Enter("Mira", "shed"), Enter("Theo", "shed"), Enter("Oskar", "shed"))
    several = [Move("Mira", "kite", "crate", distracted=some) for some in ({"Theo"}, {"Theo", "Oskar"})]
    for seed in (None, *range(30)):
        alone, together = (one.then(event).tell(seed=seed) for event in several)
        assert "Theo were" not in alone
        assert "Oskar and Theo was" not in together
        assert "Oskar and Theo" in together


@hypothesis(max_examples=60, deadline=None)
@given(stories(), st.none() | st.integers(0, 99))
def test_every_sentence_is_whole(story, seed):
    told = sentences(story, seed=seed)
    assert len(told) == len(story)
    for sentence in told:
        assert sentence.endswith(".")
        assert sentence[0].isupper()
        assert not {"{", "}"} & set(sentence)
        assert "  " not in sentence
        assert "the the" not in sentence
        assert "None" not in sentence


@hypothesis(max_examples=60, deadline=None)
@given(stories(), st.none() | st.integers(0, 99))
def test_a_longer_story_begins_as_the_shorter_one(story, seed):
    for part in story.prefixes():
        assert sentences(story, seed=seed)[: len(part)] == sentences(part, seed=seed)


@hypothesis(max_examples=30, deadline=None)
@given(stories())
def test_each_sentence_names_all_that_its_event_names(story):
    for event, sentence in zip(story.events, sentences(story), strict=True):
        for name in (*(name for name, _ in event.names()), *event.peekers, *event.distracted):
            assert name in sentence


def test_seeds_give_other_words_and_always_the_same_ones(sally_anne):
    texts = {sally_anne.tell(seed=seed) for seed in range(50)}
    assert len(texts) > 40
    assert texts == {sally_anne.tell(seed=seed) for seed in range(50)}
    told = {sentences(sally_anne, seed=seed)[-1] for seed in range(200)}
    assert len(told) == len(sally_anne.event.forms(sally_anne._past)[0])


def test_words_of_ones_own_are_kept_in_every_telling():
    story = Story.of(Enter("Mira", "shed"), Change("Mira", "kite", "tail", "is cut", True, "{person} cut the {thing}."))
    rng = random.Random(0)
    for seed in [None, *(rng.randrange(999) for _ in range(5))]:
        assert sentences(story, seed=seed)[-1] == "Mira cut the kite."
