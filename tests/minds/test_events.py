"""When each event can happen, and what it does to the minds that see it, miss it, hear of it or are lied to."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.errors import InvalidEvent
from otherminds.minds.events import EVENTS, Carry, Change, Enter, Event, Leave, Look, Move, Open, Place, Tell
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import Fact, View

SHED, YARD = "shed", "yard"
IN_CRATE, IN_SACK = Fact("kite", "container", "crate"), Fact("kite", "container", "sack")


def test_the_page_defines_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "semantics.md").read_text(encoding="utf-8")
    for kind, _ in EVENTS.values():
        if kind.__module__.startswith("otherminds."):  # other tests define some of their own
            assert f"\n| `{kind.__name__}(" in page


def refused(story: Story, event: Event) -> str:
    """The reason for which an event cannot happen."""
    assert not story.can(event)
    with pytest.raises(InvalidEvent) as error:
        story.then(event)
    return str(error.value)


@pytest.fixture
def shed() -> Story:
    """Mira and Theo in the shed, the kite in the crate; Oskar in the yard."""
    return Story.of(Enter("Mira", SHED), Enter("Theo", SHED), Enter("Oskar", YARD), Move("Mira", "kite", "crate"))


# ---- when events can happen ----------------------------------------------------------------------------------------

IMPOSSIBLE: dict[str, tuple[Event, str]] = {
    "enter where one is": (Enter("Mira", SHED), "Mira is in the shed already, so cannot enter it"),
    "leave where one is not": (Leave("Mira", YARD), "Mira is not in the yard, so cannot leave it"),
    "leave, never seen": (Leave("Nils", YARD), "Nils is not in the yard, so cannot leave it"),
    "place what is there": (Place("kite", SHED), "the kite is in the shed already"),
    "place a container elsewhere": (
        Place("crate", YARD, "container"),
        "the crate stands in the shed, and containers stay where they are",
    ),
    "place a room": (Place("hut", YARD, "room"), "hut can be a person, a thing or a container, not a room"),
    "move from no room": (Move("Nils", "kite", "sack"), "Nils is in no room, so cannot move the kite"),
    "move from elsewhere": (Move("Oskar", "kite", "sack"), "the kite is not in the yard, so Oskar cannot move it"),
    "move into what is elsewhere": (
        Move("Oskar", "ball", "crate"),
        "the crate is not in the yard, so nothing there can be put into it",
    ),
    "move where it is": (Move("Theo", "kite", "crate"), "the kite is in the crate already"),
    "carry from no room": (Carry("Nils", "kite", YARD), "Nils is in no room, so cannot carry the kite anywhere"),
    "carry what is elsewhere": (
        Carry("Oskar", "kite", SHED),
        "the kite is not in the yard, so Oskar cannot carry it away",
    ),
    "carry nowhere": (Carry("Mira", "kite", SHED), "Mira is in the shed already, so cannot carry the kite there"),
    "change from no room": (Change("Nils", "kite", "tail", "is cut"), "Nils is in no room, so cannot change the kite"),
    "change what is elsewhere": (
        Change("Oskar", "kite", "tail", "is cut"),
        "the kite is not in the yard, so Oskar cannot change it",
    ),
    "look from no room": (Look("Nils", "crate"), "Nils is in no room, so cannot look into the crate"),
    "look into what is elsewhere": (
        Look("Oskar", "crate"),
        "the crate is not in the yard, so Oskar cannot look into it",
    ),
    "open what never was": (Open("Mira", "sack"), "the sack is not in the shed, so Mira cannot look into it"),
    "tell nothing": (Tell("Mira", "Theo"), "Mira must speak of a topic or tell a fact, and not both"),
    "tell both": (
        Tell("Mira", "Theo", topic="the flood", fact=IN_SACK),
        "Mira must speak of a topic or tell a fact, and not both",
    ),
    "tell oneself": (Tell("Mira", "Mira", topic="the flood"), "Mira cannot tell Mira anything"),
    "tell an empty room": (Tell("Oskar", topic="the flood"), "nobody is there to hear Oskar"),
    "tell from no room": (Tell("Nils", topic="the flood"), "nobody is there to hear Nils"),
    "tell of the unheard of": (
        Tell("Mira", "Theo", fact=Fact("ball", "room", SHED)),
        "nothing is known of ball yet, so Mira cannot speak of it",
    ),
    "a room for a person": (Enter(SHED, YARD), "shed is a room in this story, so cannot be a person"),
    "a person for a thing": (Move("Mira", "Theo", "sack"), "Theo is a person in this story, so cannot be a thing"),
    "a thing for a container": (
        Move("Mira", "ball", "kite"),
        "kite is a thing in this story, so cannot be a container",
    ),
    "a thing peeks": (Enter("Theo", YARD, peekers={"kite"}), "kite is a thing in this story, so cannot peek"),
    "peek where one is": (
        Move("Mira", "kite", "sack", peekers={"Theo"}),
        "Theo is openly part of it, so cannot peek",
    ),
    "peek at oneself": (Enter("Theo", YARD, peekers={"Theo"}), "Theo is openly part of it, so cannot peek"),
    "miss what is elsewhere": (
        Move("Mira", "kite", "sack", distracted={"Oskar"}),
        "Oskar cannot be distracted from it, being elsewhere",
    ),
    "miss one's own deed": (Move("Mira", "kite", "sack", distracted={"Mira"}), "Mira cannot be distracted from it"),
    "miss what one says": (
        Tell("Mira", "Oskar", topic="the flood", distracted={"Mira"}),
        "Mira cannot be distracted from it",
    ),
}


@pytest.mark.parametrize(("event", "why"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_happen_is_refused_with_a_reason(shed, event, why):
    before = shed.view(), shed.people, shed.text
    assert refused(shed, event) == why
    assert (shed.view(), shed.people, shed.text) == before


def test_a_state_is_not_given_twice_and_keeps_its_visibility(shed):
    story = shed.then(Change("Mira", "kite", "tail", "is cut"))
    assert refused(story, Change("Theo", "kite", "tail", "is cut")) == "the kite is cut already"
    unseen = Change("Theo", "kite", "tail", "is mended", visible=False)
    assert refused(story, unseen) == "'tail' cannot be both a visible and an invisible property"


@pytest.mark.parametrize(
    "event",
    [
        Enter("Nils", "Nils"),
        Move("Mira", "bag", "bag"),
        Enter("Nils", "loft", peekers={"loft"}),
        Move("Mira", "ball", "sack", peekers={"ball"}),
        Tell("Mira", "Theo", fact=Fact(SHED, "room", YARD)),
    ],
    ids=["person and room", "thing and container", "peeking room", "peeking thing", "the room of a room"],
)
def test_a_name_has_one_role(shed, event):
    assert not shed.can(event)


def test_a_single_peeker_may_be_given_as_a_name():
    assert Enter("Mira", SHED, peekers="Oskar") == Enter("Mira", SHED, peekers={"Oskar"})


# ---- coming, going and carrying ------------------------------------------------------------------------------------


def test_those_left_behind_do_not_see_where_to(shed):
    story = shed.then(Carry("Mira", "kite", "loft"))
    theo = story.view("Theo")
    assert theo.get("Mira", "room") is theo.get("kite", "room") is theo.where("kite") is None
    assert theo.get("crate", "room") == SHED
    assert story.view("Mira").where("kite") == "loft"
    assert story.view("Mira", "Theo").where("kite") is None


def test_a_carried_thing_lies_in_the_open_and_can_be_boxed_again(shed):
    story = shed.then(Carry("Mira", "kite", YARD))
    assert story.view("Oskar").in_the_open("kite") is True
    story = story.then(Move("Oskar", "kite", "sack"))
    assert story.view("Mira", "Oskar").where("kite") == "sack"
    assert story.view().get("sack", "room") == YARD


@pytest.mark.parametrize("going", [Enter("Mira", YARD), Carry("Mira", "kite", YARD)], ids=["enter", "carry"])
def test_a_peeker_sees_the_departure_and_the_arrival(shed, going):
    met = shed.then(Enter("Nils", SHED)).then(Leave("Nils", SHED))
    story = met.then(type(going)(**_fields(going), peekers={"Nils"}))
    assert story.view("Nils").get("Mira", "room") == YARD
    assert story.view("Nils", "Oskar").get("Mira", "room") == YARD
    assert story.view("Nils", "Theo").get("Mira", "room") is None
    assert story.view("Theo", "Nils").get("Mira", "room") == SHED, "nobody knows that Nils peeked"
    if isinstance(going, Carry):
        assert story.view("Nils").where("kite") == YARD


def _fields(event: Event) -> dict[str, str]:
    return {name: getattr(event, name) for name in ("person", "thing", "room") if hasattr(event, name)}


def test_a_peeker_in_the_old_room_learns_where_to(shed):
    story = shed.then(Enter("Mira", YARD, peekers={"Theo"}))
    assert story.view("Theo").get("Mira", "room") == YARD
    assert story.view("Mira", "Theo").get("Mira", "room") is None


def test_the_distracted_notice_an_arrival_once_they_attend(shed):
    unseen = shed.then(Enter("Mira", YARD, distracted={"Oskar"}))
    assert unseen.view("Oskar").get("Mira", "room") is None
    assert unseen.view("Mira", "Oskar").get("Mira", "room") == YARD
    later = unseen.then(Enter("Nils", "loft"))
    assert later.view("Oskar").get("Mira", "room") == YARD


def test_a_second_distraction_puts_the_notice_off(shed):
    unseen = shed.then(Enter("Mira", YARD, distracted={"Oskar"}))
    still = unseen.then(Place("ball", YARD, distracted={"Oskar"}))
    assert still.view("Oskar").get("Mira", "room") is None
    assert still.then(Leave("Theo", SHED)).view("Oskar").facts() == [
        Fact("Mira", "room", YARD),
        Fact("Oskar", "room", YARD),
        Fact("ball", "room", YARD),
    ]


def test_what_was_missed_in_a_container_stays_missed(shed):
    story = shed.then(Move("Mira", "kite", "sack", distracted={"Theo"})).then(Enter("Oskar", SHED))
    assert story.view("Theo").where("kite") == "crate"
    assert story.view("Theo").get("sack", "room") == SHED, "the sack itself is in plain view"
    assert story.view("Mira", "Theo").where("kite") == "sack"


# ---- states --------------------------------------------------------------------------------------------------------


def test_a_visible_state_is_seen_later_and_an_invisible_one_is_not():
    story = Story.of(
        Enter("Mira", SHED),
        Change("Mira", "kite", "colour", "is red", visible=True),
        Change("Mira", "kite", "smell", "smells of tar", visible=False),
        Enter("Theo", SHED),
    )
    assert story.view("Theo").get("kite", "state:colour") == "is red"
    assert story.view("Theo").get("kite", "state:smell") is None
    assert story.view("Mira", "Theo").get("kite", "state:colour") == "is red"
    assert story.view("Theo", "Mira").get("kite", "state:smell") is None


def test_a_change_shows_the_room_but_not_the_place(shed):
    story = shed.then(Enter("Oskar", SHED)).then(Change("Mira", "kite", "tail", "is cut"))
    oskar = story.view("Oskar")
    assert (oskar.get("kite", "room"), oskar.in_the_open("kite"), oskar.get("kite", "state:tail")) == (
        SHED,
        None,
        "is cut",
    )
    assert story.view("Theo").where("kite") == "crate"


def test_a_view_of_a_thing_keeps_only_the_states_that_show(shed):
    red = Change("Mira", "kite", "colour", "is red")
    story = shed.then(red).then(Leave("Theo", SHED)).then(Change("Mira", "kite", "colour", "is blue"))
    assert story.view("Theo").get("kite", "state:colour") == "is red"
    seen = story.then(Carry("Mira", "kite", "loft")).then(Enter("Theo", "loft"))
    assert seen.view("Theo").get("kite", "state:colour") == "is blue"


# ---- saying --------------------------------------------------------------------------------------------------------


def test_a_private_word_is_heard_by_nobody_else_in_the_room(shed):
    story = shed.then(Tell("Mira", "Oskar", topic="the flood"))
    assert [story.view(name).heard("the flood") for name in ("Mira", "Theo", "Oskar")] == [True, False, True]
    assert story.view("Mira", "Oskar").heard("the flood")
    assert not story.view("Oskar", "Theo").heard("the flood")


def test_words_said_aloud_are_common_to_the_room(shed):
    story = shed.then(Tell("Theo", topic="the flood"))
    assert story.view("Mira", "Theo", "Mira").heard("the flood")
    assert not story.view("Oskar").heard("the flood")


def test_a_lie_is_believed_but_not_by_the_liar(shed):
    story = shed.then(Tell("Mira", "Oskar", fact=IN_SACK))
    assert story.view("Oskar").where("kite") == "sack"
    assert story.view("Mira").where("kite") == "crate"
    assert story.view("Mira", "Oskar").where("kite") == "sack"
    assert story.view("Oskar", "Mira").where("kite") == "sack", "he takes her to be sincere"
    assert story.view("Mira", "Oskar", "Mira").where("kite") == "sack"
    assert story.view("Theo", "Oskar").where("kite") is None


def test_an_onlooker_sees_through_a_lie_that_others_take_for_true(shed):
    story = shed.then(Enter("Oskar", SHED)).then(Leave("Theo", SHED)).then(Tell("Mira", fact=IN_SACK))
    assert story.view("Oskar").where("kite") == "sack"
    assert story.view("Mira").where("kite") == "crate"
    assert story.view("Mira", "Oskar").where("kite") == "sack"


def test_a_mistake_is_passed_on(shed):
    moved = shed.then(Leave("Theo", SHED)).then(Move("Mira", "kite", "sack"))
    story = moved.then(Tell("Theo", "Oskar", fact=IN_CRATE))
    assert story.view("Oskar").where("kite") == "crate"
    assert story.view("Oskar", "Theo").where("kite") == "crate"
    assert story.view("Mira", "Oskar").where("kite") is None


def test_whoever_distrusts_the_speaker_learns_nothing_of_the_fact(shed):
    wary = Premises(distrust=frozenset({("Oskar", "Mira")}))
    story = Story.of(*shed.events, premises=wary).then(Tell("Mira", "Oskar", fact=IN_CRATE))
    assert story.view("Oskar").where("kite") is None
    assert story.view("Mira", "Oskar").where("kite") is None, "everybody knows whom Oskar distrusts"
    assert story.view("Oskar", "Mira").where("kite") is None, "what she says tells him nothing of what she thinks"
    believed = story.then(Tell("Theo", "Oskar", fact=IN_CRATE))
    assert believed.view("Oskar").where("kite") == "crate"


def test_words_without_attention_change_nothing_that_was_thought_of_the_speaker(shed):
    wary = Premises(distrust=frozenset({("Theo", "Mira")}))
    away = Story.of(*shed.events, Leave("Theo", SHED), premises=wary)
    story = away.then(Tell("Mira", "Theo", fact=IN_SACK))
    assert story.view("Theo").where("kite") == "crate"
    assert story.view("Theo", "Mira") == away.view("Theo", "Mira")
    assert story.view("Theo", "Mira").where("kite") == "crate", "he pays no attention to anything she says"


def test_who_overhears_learns_and_nobody_knows(shed):
    story = shed.then(Tell("Mira", "Oskar", fact=IN_SACK, peekers={"Nils"}))
    assert story.view("Nils").where("kite") == "sack"
    assert story.view("Nils", "Oskar").where("kite") == "sack"
    assert story.view("Nils", "Mira").where("kite") == "sack"
    assert story.view("Oskar", "Nils") == story.view("Mira", "Nils") == View()


def test_a_bystander_may_overhear_a_private_word(shed):
    story = shed.then(Tell("Mira", "Oskar", topic="the flood", peekers={"Theo"}))
    assert story.view("Theo", "Oskar").heard("the flood")
    assert not story.view("Mira", "Theo").heard("the flood")


def test_a_distracted_listener_is_taken_to_have_heard(shed):
    story = shed.then(Tell("Mira", "Oskar", fact=IN_CRATE, distracted={"Oskar"}))
    assert story.view("Oskar").where("kite") is None
    assert story.view("Mira", "Oskar").where("kite") == "crate"
    assert Tell("Mira", "Oskar", fact=IN_CRATE).is_idle(story), "she takes him to know it by now"
    assert not Tell("Theo", "Oskar", fact=IN_CRATE).is_idle(story)


def test_nothing_is_said_again_for_the_sake_of_an_overhearer(shed):
    assert Tell("Mira", fact=IN_CRATE, peekers={"Oskar"}).is_idle(shed)


@pytest.mark.parametrize("again", [Tell("Mira", "Theo", fact=IN_CRATE), Tell("Mira", fact=IN_CRATE)])
def test_people_may_say_what_is_no_news_and_settings_never_do(shed, again):
    story = shed.then(again)
    assert again.is_idle(shed)
    for minds in (("Theo",), ("Mira", "Theo"), ("Theo", "Mira"), ("Mira", "Theo", "Mira")):
        assert story.view(*minds) == shed.view(*minds)


def test_a_lie_against_somebodys_eyes_is_never_drawn(shed):
    assert Tell("Mira", "Theo", fact=IN_SACK).is_idle(shed)
    assert not Tell("Mira", "Theo", fact=IN_SACK).is_idle(shed.then(Leave("Theo", SHED)))


def test_leaving_and_coming_straight_back_is_never_drawn(shed):
    gone = shed.then(Leave("Theo", SHED))
    assert Enter("Theo", SHED).is_idle(gone)
    assert Enter("Theo", SHED).is_idle(gone.then(Enter("Nils", YARD)))
    assert not Enter("Theo", SHED).is_idle(gone.then(Move("Mira", "kite", "sack")))
    assert not Enter("Theo", YARD).is_idle(gone)
    assert Leave("Nils", YARD).is_idle(gone.then(Enter("Nils", YARD))), "who came for nothing does not go again"
    assert Enter("Nils", SHED).is_idle(gone.then(Enter("Nils", YARD)))


def test_nobody_is_told_out_of_where_they_are(shed):
    story = shed.then(Tell("Mira", "Oskar", fact=Fact("Oskar", "room", SHED)))
    assert story.view("Oskar").get("Oskar", "room") == YARD
    assert story.view("Oskar", "Mira").get("Oskar", "room") == SHED, "he learns what she thinks"


def test_nobody_is_told_away_what_lies_before_them():
    story = Story.of(Enter("Mira", SHED), Enter("Theo", SHED), Place("kite", SHED))
    story = story.then(Tell("Mira", "Theo", fact=Fact("kite", "room", YARD)))
    assert story.view("Theo").where("kite") == SHED
    assert story.view("Theo").in_the_open("kite") is True


def test_words_about_a_newcomers_whereabouts():
    # The speaker is new to the story, so before the event nobody could have had a view of theirs.
    story = Story.of(Enter("Mira", SHED), Tell("Nils", "Mira", fact=Fact("Mira", "room", SHED)))
    assert story.view("Nils", "Mira").get("Mira", "room") is None
    assert story.view("Mira", "Nils").get("Mira", "room") == SHED


# ---- fresher evidence ----------------------------------------------------------------------------------------------

FRESH = Premises(fresh=True)
MOVED_SINCE = [  # Mira last saw the kite in the crate; Nils has put it into the sack
    Enter("Mira", SHED),
    Move("Mira", "kite", "crate"),
    Leave("Mira", SHED),
    Enter("Nils", SHED),
    Move("Nils", "kite", "sack"),
    Leave("Nils", SHED),
    Enter("Theo", SHED),
]


@pytest.mark.parametrize("look", [Look("Theo", "sack"), Open("Theo", "sack")], ids=["look", "open"])
def test_what_one_looked_at_is_seen_with_ones_own_eyes(look):
    story = Story.of(*MOVED_SINCE, look, Tell("Mira", "Theo", fact=IN_CRATE), premises=FRESH)
    assert story.view("Theo").where("kite") == "sack"


def test_who_saw_nothing_fresher_is_told(shed):
    story = Story.of(*MOVED_SINCE, Tell("Mira", "Theo", fact=IN_CRATE), premises=FRESH)
    assert story.view("Theo").where("kite") == "crate"


def test_news_that_the_speaker_heard_later_is_fresher():
    story = Story.of(*MOVED_SINCE, Look("Theo", "sack"), Leave("Theo", SHED), Enter("Oskar", SHED), premises=FRESH)
    story = story.then(Move("Oskar", "kite", "crate")).then(Leave("Oskar", SHED))
    told = story.then(Tell("Oskar", "Theo", fact=IN_CRATE))
    assert told.view("Theo").where("kite") == "sack", "for all Theo knows, Oskar has seen nothing since"


def test_repeating_oneself_is_no_evidence():
    story = Story.of(*MOVED_SINCE, Open("Theo", "sack"), premises=FRESH)
    story = story.then(Tell("Mira", "Theo", fact=Fact("kite", "container", "tin")))
    assert story.then(Tell("Mira", "Theo", fact=IN_CRATE)).view("Theo").where("kite") == "sack"


def test_what_lies_before_ones_eyes_is_seen_all_the_while():
    red, blue = Fact("kite", "state:colour", "is red"), "is blue"
    story = Story.of(
        Enter("Mira", SHED),
        Enter("Theo", SHED),
        Change("Theo", "kite", "colour", blue),
        Tell("Nils", "Theo", topic="the flood"),
        Leave("Mira", SHED),
        Tell("Nils", "Mira", fact=red),
        Enter("Oskar", YARD),
        Leave("Theo", SHED),
        Tell("Mira", "Theo", fact=red),
        premises=FRESH,
    )
    assert story.view("Theo").get("kite", "state:colour") == blue


# ---- looking into containers ---------------------------------------------------------------------------------------


def test_the_looker_learns_what_is_in_it_and_what_is_not(shed):
    story = shed.then(Enter("Oskar", SHED)).then(Look("Oskar", "crate"))
    assert story.view("Oskar").where("kite") == "crate"
    emptied = shed.then(Leave("Theo", SHED)).then(Move("Mira", "kite", "sack")).then(Enter("Theo", SHED))
    assert emptied.then(Look("Theo", "crate")).view("Theo").where("kite") is None
    assert emptied.then(Look("Theo", "sack")).view("Theo").where("kite") == "sack"


def test_onlookers_think_that_the_looker_saw_what_they_believe_is_there(shed):
    # Theo missed that the kite went from the crate to the sack; now Oskar looks.
    swapped = shed.then(Move("Mira", "kite", "sack", distracted={"Theo"})).then(Enter("Oskar", SHED))
    story = swapped.then(Look("Oskar", "crate"))
    assert story.view("Oskar").where("kite") is None
    assert story.view("Theo", "Oskar").where("kite") == "crate", "a false belief about what Oskar saw"
    assert story.view("Mira", "Oskar").where("kite") is None
    assert story.view("Theo").where("kite") == "crate", "looking on shows nothing"
    into_sack = swapped.then(Look("Oskar", "sack"))
    assert into_sack.view("Oskar").where("kite") == "sack"
    assert into_sack.view("Mira", "Oskar").where("kite") == "sack"
    assert into_sack.view("Theo", "Oskar").where("kite") is None


def test_onlookers_who_do_not_know_cannot_say_what_was_seen(shed):
    story = shed.then(Enter("Oskar", SHED)).then(Look("Mira", "crate"))
    assert story.view("Oskar", "Mira").where("kite") is None
    assert story.view("Oskar").where("kite") is None


def test_a_secret_onlooker_of_a_look():
    story = Story.of(Enter("Mira", SHED), Move("Mira", "kite", "crate"), Look("Mira", "crate", peekers={"Nils"}))
    assert story.view("Nils", "Mira").where("kite") is None
    assert story.view("Mira").where("kite") == "crate"


def test_opening_shows_it_to_all_in_common(shed):
    swapped = shed.then(Move("Mira", "kite", "sack", distracted={"Theo"})).then(Enter("Oskar", SHED))
    story = swapped.then(Open("Oskar", "sack"))
    for minds in (("Theo",), ("Oskar",), ("Theo", "Oskar", "Mira"), ("Oskar", "Theo")):
        assert story.view(*minds).where("kite") == "sack"
    empty = swapped.then(Open("Oskar", "crate", distracted={"Mira"}))
    assert empty.view("Theo").where("kite") is None
    assert empty.view("Mira", "Theo").where("kite") == "sack", "she missed that it was opened"


# ---- clear containers ----------------------------------------------------------------------------------------------

JAR = Premises(clear=frozenset({"jar"}))


def test_a_clear_container_hides_nothing():
    story = Story.of(Enter("Mira", SHED), Move("Mira", "kite", "jar"), Enter("Theo", SHED), premises=JAR)
    assert story.view("Theo").where("kite") == "jar"
    assert story.view("Mira", "Theo").where("kite") == "jar"
    gone = story.then(Leave("Theo", SHED)).then(Move("Mira", "kite", "crate"))
    assert gone.view("Theo").where("kite") == "jar"
    back = gone.then(Enter("Theo", SHED))
    assert back.view("Theo").where("kite") is None, "the jar is empty, and that shows"
    assert back.view("Mira", "Theo").where("kite") is None


def test_a_distracted_person_sees_through_it_a_moment_later():
    story = Story.of(Enter("Mira", SHED), Enter("Theo", SHED), Move("Mira", "kite", "crate"), premises=JAR)
    story = story.then(Move("Mira", "kite", "jar", distracted={"Theo"}))
    assert story.view("Theo").where("kite") == "crate"
    assert story.then(Leave("Mira", SHED)).view("Theo").where("kite") == "jar"


def test_states_show_once_a_thing_is_put_into_a_clear_container():
    story = Story.of(
        Enter("Mira", SHED),
        Move("Mira", "kite", "crate"),
        Change("Mira", "kite", "colour", "is red"),
        Enter("Theo", SHED),
        Move("Mira", "kite", "jar"),
        premises=JAR,
    )
    assert story.view("Theo").get("kite", "state:colour") == "is red"
    assert story.view("Mira", "Theo").get("kite", "state:colour") == "is red"


def test_what_should_show_in_a_clear_container_and_does_not_is_not_in_it():
    story = Story.of(
        Enter("Mira", SHED),
        Move("Mira", "kite", "crate"),
        Tell("Mira", "Theo", fact=Fact("kite", "container", "jar")),
        Enter("Theo", SHED),
        Change("Mira", "kite", "tail", "is cut"),
        premises=JAR,
    )
    assert story.view("Theo").get("kite", "container") is None


# ---- one's own whereabouts -----------------------------------------------------------------------------------------


def test_everybody_knows_where_they_are_and_that_they_left():
    story = Story.of(Enter("Mira", SHED), Enter("Theo", SHED))
    assert story.view("Mira").get("Mira", "room") == SHED
    assert story.view("Theo", "Mira").get("Mira", "room") == SHED
    left = story.then(Leave("Mira", SHED))
    assert left.view("Mira").get("Mira", "room") is None
    assert left.view("Mira").get("Theo", "room") == SHED
    assert left.view("Theo", "Mira").get("Mira", "room") is None
