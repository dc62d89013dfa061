"""Where the words of a story leave more than one answer, the question is not asked; by both solvers."""

from __future__ import annotations

import pytest

from otherminds.minds.events import Carry, Change, Enter, Event, Leave, Look, Move, Open, Place, Tell
from otherminds.minds.questions import questions, quiz
from otherminds.minds.story import CREDULOUS, Premises, Story
from otherminds.minds.world import Fact
from tests.agreement import Tally, compare_questions

IN_SACK = Fact("kite", "container", "sack")
WARY = Premises(distrust=frozenset({("Theo", "Mira")}))
GLASS = Premises(clear=frozenset({"jar"}))
SHED: tuple[Event, ...] = (Enter("Mira", "shed"), Enter("Theo", "shed"), Move("Mira", "kite", "crate"))
JAR: tuple[Event, ...] = (*SHED[:2], Place("crate", "shed", "container"), Move("Mira", "kite", "jar"))


def asked(*events: Event, about: str = "container", premises: Premises = CREDULOUS) -> dict[tuple[str, ...], str]:
    """What is asked of minds, with the answers, on which the second opinion agrees."""
    story, tally = Story.of(*events, premises=premises), Tally()
    compare_questions(story, 3, tally)
    assert not tally.differences, tally.differences[0]
    found = questions(story, order=2)
    return {each.minds: each.answer for each in found if each.property == about and each.minds}


# ---- words that nobody attends to ----------------------------------------------------------------------------------


def test_words_do_not_change_what_is_thought_of_a_speaker_who_gets_no_attention() -> None:
    found = asked(*SHED, Leave("Theo", "shed"), Tell("Mira", "Theo", fact=IN_SACK), premises=WARY)
    assert found == dict.fromkeys([("Mira",), ("Theo",), ("Mira", "Theo"), ("Theo", "Mira")], "crate")


def test_whether_the_inattentive_notice_what_others_hear_is_not_asked() -> None:
    events = (*SHED, Enter("Omar", "shed"), Tell("Mira", fact=IN_SACK))
    found = asked(*events, premises=WARY)
    assert found["Omar",] == found["Mira", "Omar"] == "sack"
    assert ("Theo", "Omar") not in found
    assert asked(*events)["Theo", "Omar"] == "sack", "he who trusts her hears it like everybody else"


def test_whether_the_inattentive_have_heard_of_a_topic_is_not_asked() -> None:
    found = asked(*SHED, Enter("Omar", "shed"), Tell("Mira", topic="the flood"), about="topic", premises=WARY)
    assert found["Omar",] == "no"  # of the two questions, the last: would it be news?
    assert not any("Theo" in minds for minds in found if found[minds] != "has no view")


# ---- the only place left -------------------------------------------------------------------------------------------

AWAY: tuple[Event, ...] = (*SHED, Carry("Mira", "kite", "yard"))


def test_of_two_rooms_the_other_is_not_asked_for() -> None:
    rooms = asked(*AWAY, about="room")
    assert rooms == {("Mira",): "yard"}
    assert asked(*AWAY) == {("Mira",): "in no container"}


def test_of_three_rooms_nobody_knows_which() -> None:
    rooms = asked(*AWAY, Place("sack", "loft", "container"), about="room")
    assert rooms["Theo",] == rooms["Mira", "Theo"] == rooms["Theo", "Mira"] == "unknown"


def test_the_third_room_is_not_asked_for_by_who_has_looked_into_the_second() -> None:
    loft = Place("sack", "loft", "container")
    moved = (*AWAY, Carry("Mira", "kite", "loft"), Enter("Theo", "yard"))
    assert ("Theo",) not in asked(loft, *moved, about="room")


def test_it_is_asked_again_once_they_know() -> None:
    found = asked(*AWAY, Enter("Theo", "yard"), about="room")
    assert found == dict.fromkeys([("Mira",), ("Theo",), ("Mira", "Theo"), ("Theo", "Mira")], "yard")


def test_the_only_other_container_is_not_asked_for_by_who_sees_the_jar_empty() -> None:
    events = (*JAR, Leave("Theo", "shed"), Move("Mira", "kite", "crate"), Enter("Theo", "shed"))
    found = asked(*events, premises=GLASS)
    assert found == {("Mira",): "crate"}
    third = asked(Place("sack", "shed", "container"), *events, premises=GLASS)
    assert third["Theo",] == third["Mira", "Theo"] == "unknown"


@pytest.mark.parametrize("look", [Look("Theo", "crate"), Open("Theo", "crate")])
def test_the_only_other_container_is_not_asked_for_by_who_looked_into_one(look: Event) -> None:
    sack = Place("sack", "shed", "container")
    events = (sack, *SHED, Leave("Theo", "shed"), Move("Mira", "kite", "sack"), Enter("Theo", "shed"), look)
    assert ("Theo",) not in asked(*events)
    assert asked(Place("jar", "shed", "container"), *events)["Theo",] == "unknown"


def test_who_never_heard_of_a_thing_does_not_know_where_it_is() -> None:
    found = asked(Enter("Mira", "shed"), Move("Mira", "kite", "crate"), Enter("Theo", "shed"))
    assert found["Theo",] == found["Mira", "Theo"] == "unknown"


# ---- a change found out --------------------------------------------------------------------------------------------

LATER: tuple[Event, ...] = (*JAR, Place("sack", "shed", "container"), Leave("Mira", "shed"), Leave("Theo", "shed"))
TAKEN: tuple[Event, ...] = (*LATER, Enter("Omar", "shed"), Move("Omar", "kite", "crate"))


def test_who_sees_the_jar_empty_cannot_say_what_others_saw() -> None:
    found = asked(*TAKEN, Enter("Theo", "shed"), premises=GLASS)
    assert found["Theo",] == "unknown"
    assert ("Theo", "Mira") not in found, "she may have been there when it was taken"
    assert found["Mira",] == "jar"


def test_who_sees_the_thing_elsewhere_cannot_say_what_others_saw() -> None:
    events = (*SHED, Leave("Theo", "shed"), Leave("Mira", "shed"), Enter("Omar", "shed"), Move("Omar", "kite", "jar"))
    found = asked(*events, Enter("Theo", "shed"), premises=GLASS)
    assert found["Theo",] == "jar"
    assert ("Theo", "Mira") not in found
    assert found["Mira",] == "crate"


def test_who_saw_it_done_can_say_what_others_missed() -> None:
    found = asked(*LATER[:-1], Move("Theo", "kite", "crate"), premises=GLASS)
    assert (found["Theo",], found["Theo", "Mira"]) == ("crate", "jar")


def test_who_was_told_a_place_goes_on_thinking_of_others_as_before() -> None:
    found = asked(*TAKEN, Tell("Omar", "Theo", fact=Fact("kite", "container", "crate")), premises=GLASS)
    assert (found["Theo",], found["Theo", "Mira"]) == ("crate", "jar")


def test_what_is_thought_of_those_who_know_nothing_is_asked() -> None:
    found = asked(*TAKEN[2:3], *TAKEN[:2], *TAKEN[3:], Enter("Nils", "shed"), Enter("Theo", "shed"), premises=GLASS)
    assert found["Theo", "Nils"] == "unknown"


def test_states_are_asked_as_before() -> None:
    painted = Change("Omar", "kite", "colour", "is blue")
    found = asked(*LATER, Enter("Omar", "shed"), painted, Enter("Theo", "shed"), about="state:colour", premises=GLASS)
    assert ("Theo", "Mira") not in found
    assert found["Omar", "Mira"] == "yes"  # it would be news to her


# ---- what is asked keeps its number --------------------------------------------------------------------------------


def test_items_that_stay_keep_their_numbers() -> None:
    # Of five on the past and the world, six on the container and six on the room.
    numbers = [int(item.id.rpartition("-")[2]) for item in quiz(Story.of(*AWAY), order=2)]
    assert numbers == [0, 1, 2, 3, 4, 5, 9, 10]
