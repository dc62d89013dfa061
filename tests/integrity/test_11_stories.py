"""Story questions have the answers of a careful reader; both programs give them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from otherminds.minds.events import Change, Enter, Event, Leave, Look, Move, Place, Tell
from otherminds.minds.questions import matters, questions, quiz
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import Fact
from otherminds.models.scripted import Scripted
from otherminds.prose.claims import claims, steps
from otherminds.search.examine import Examiner
from otherminds.search.training import triples
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.need import needs_theory_of_mind
from otherminds.stories.sets import Cell, action_sets
from tests import agreement

DEN = (Enter("Rui", "den"), Enter("Nadia", "den"))
INTO_DRAWER = Move("Rui", "radio", "drawer")
IN_LOCKER = Fact("radio", "container", "locker")
RADIO = (*DEN, INTO_DRAWER, Tell("Rui", fact=IN_LOCKER))


def asked(story: Story, order: int = 2, property: str = "container") -> dict[tuple[str, ...], str]:
    """The answers about one property, by chain of minds."""
    found = [each for each in questions(story, order=order) if each.property == property and each.minds]
    return {each.minds: each.answer for each in found}


def random_stories(name: str, number: int) -> list[Story]:
    """Complete stories of an action set, in settings of all sizes."""
    rng, found = random.Random(f"stories:{name}"), []
    while len(found) < number:
        cell = Cell(action_sets()[name], rng.choice((2, 3, 4)), rng.choice((2, 3, 4)))
        grower = Grower(setting(rng.choice(bank()), cell), Goal.of(cell), rng)
        found += [story for story in [grower.complete()] if story is not None]
    return found


# ---- talk against one's own eyes -----------------------------------------------------------------------------------


def test_nobody_is_talked_out_of_what_lies_before_them() -> None:
    story = Story.of(*RADIO)
    assert set(asked(story, order=3).values()) == {"drawer"}
    assert len(asked(story, order=3)) == 6
    assert {item.answer for item in quiz(story, order=3)} == {"drawer"}


def test_who_came_later_believes_it_and_takes_the_others_to() -> None:
    found = asked(Story.of(*DEN, INTO_DRAWER, Enter("Omar", "den"), Tell("Rui", fact=IN_LOCKER)), order=2)
    assert {minds for minds, answer in found.items() if answer == "drawer"} == {
        ("Rui",),
        ("Nadia",),
        ("Rui", "Nadia"),
        ("Nadia", "Rui"),
    }
    assert found["Omar", "Nadia"] == found["Nadia", "Omar"] == found["Omar",] == "locker"


@pytest.mark.parametrize(
    "between",
    [
        pytest.param((Leave("Nadia", "den"), Enter("Nadia", "den")), id="left and came back"),
        pytest.param((Enter("Omar", "den", distracted={"Nadia"}),), id="was distracted"),
    ],
)
def test_who_looked_away_can_be_talked_to(between: tuple[Event, ...]) -> None:
    story = Story.of(*DEN, INTO_DRAWER, *between, Tell("Rui", fact=IN_LOCKER))
    assert asked(story)["Nadia",] == "locker"


def test_a_look_puts_it_before_the_eyes_again() -> None:
    back = (Leave("Nadia", "den"), Enter("Nadia", "den"), Look("Nadia", "drawer"))
    assert asked(Story.of(*DEN, INTO_DRAWER, *back, Tell("Rui", fact=IN_LOCKER)))["Nadia",] == "drawer"


def test_hearsay_is_not_before_the_eyes() -> None:
    told = Tell("Rui", fact=Fact("radio", "container", "drawer"))
    events = (Enter("Rui", "den"), INTO_DRAWER, Enter("Nadia", "den"), told, Tell("Rui", fact=IN_LOCKER))
    assert asked(Story.of(*events))["Nadia",] == "locker"


def test_who_is_taken_to_have_seen_it_is_not_taken_to_be_talked_out_of_it() -> None:
    # Omar does not know that Nadia missed the move.
    moved = Move("Rui", "radio", "drawer", distracted={"Nadia"})
    found = asked(Story.of(*DEN, Enter("Omar", "den"), moved, Tell("Rui", fact=IN_LOCKER)))
    assert found["Nadia",] == "locker"
    assert found["Omar", "Nadia"] == found["Omar",] == "drawer"
    assert found["Nadia", "Omar"] == "locker"


def test_who_is_away_cannot_talk_those_out_of_it_who_are_there() -> None:
    found = asked(Story.of(*DEN, INTO_DRAWER, Leave("Rui", "den"), Tell("Rui", "Nadia", fact=IN_LOCKER)))
    # She, who does not see him, takes him to be mistaken; he, who does not see her, thinks that she believes him.
    drawer = [("Rui",), ("Nadia",)]
    assert found == {**dict.fromkeys(drawer, "drawer"), ("Nadia", "Rui"): "locker", ("Rui", "Nadia"): "locker"}


def test_a_liar_who_knows_is_believed_by_who_does_not() -> None:
    found = asked(Story.of(Enter("Rui", "den"), INTO_DRAWER, Tell("Rui", "Nadia", fact=IN_LOCKER)))
    assert found == {("Rui",): "drawer", **dict.fromkeys([("Nadia",), ("Rui", "Nadia"), ("Nadia", "Rui")], "locker")}


def test_true_words_are_no_talk_against_anything() -> None:
    events = (*DEN, INTO_DRAWER, Enter("Omar", "den"), Tell("Rui", fact=Fact("radio", "container", "drawer")))
    assert set(asked(Story.of(*events)).values()) == {"drawer"}
    assert len(asked(Story.of(*events))) == 9


def test_distrust_does_not_blind_others() -> None:
    # Nadia does not believe Rui, but sees that he sees the drawer.
    premises = Premises(distrust=frozenset({("Nadia", "Rui")}))
    events = (*DEN, INTO_DRAWER, Enter("Omar", "den"), Tell("Rui", fact=Fact("radio", "container", "drawer")))
    story = Story.of(*events, premises=premises)
    assert asked(story)["Nadia", "Rui"] == asked(story)["Nadia",] == "drawer"
    away = Story.of(*DEN, INTO_DRAWER, Leave("Nadia", "den"), Tell("Rui", "Nadia", fact=IN_LOCKER), premises=premises)
    assert asked(away)["Nadia", "Rui"] == "drawer", "she pays no attention to anything he says"


def test_a_room_is_not_talked_away_by_way_of_a_container() -> None:
    # Nadia saw only that the radio, in whatever drawer, is in the den; and that the locker is not.
    events = (
        Enter("Nadia", "hall"),
        Place("locker", "hall", "container"),
        Enter("Rui", "den"),
        INTO_DRAWER,
        Enter("Nadia", "den"),
        Change("Rui", "radio", "charge", "is charged", visible=False),
        Tell("Rui", fact=IN_LOCKER),
    )
    story = Story.of(*events)
    assert asked(story, property="room")["Nadia",] == "den"
    assert ("Nadia",) not in asked(story), "she sees no radio, and there is but one drawer in the den"
    assert story.view("Nadia").get("radio", "container") is None


@pytest.mark.parametrize("name", ["lies", "lies+asymmetric", "trust", "tomi+info-exchange", "all+asymmetric"])
def test_whoever_stands_before_it_has_it_where_it_is(name: str) -> None:
    stood = 0
    for story in random_stories(name, 60):
        (thing,) = story.things
        for minds, answer in asked(story, order=1).items():
            if watched(story, thing, *minds):
                stood += 1
                assert answer == (story.world.get(thing, "container") or "in no container")
    assert stood > 20


def watched(story: Story, thing: str, person: str) -> bool:
    """Whether somebody was there, openly and attentive, for the last move of a thing and all that came after it."""
    seen = False
    for part in story.prefixes():
        event, rooms = part.event, part.world._room
        assert event is not None
        there = rooms.get(person) is not None and rooms.get(person) == rooms.get(thing)
        moved = isinstance(event, Move) and event.thing == thing
        seen = there and person not in event.distracted and (seen or moved)
    return seen


# ---- views of what one knows nothing of ----------------------------------------------------------------------------

STRAP = Change("Stavros", "camera", "strap", "has a red strap")


def test_only_who_knows_of_it_has_a_view_of_who_does() -> None:
    story = Story.of(Enter("Stavros", "den"), STRAP, Enter("Camila", "hall"), Enter("Dora", "den"))
    found = {each.text: each.answer for each in questions(story, order=3) if each.property == "state:strap"}
    assert found["Does Camila know that the camera has a red strap?"] == "no"
    assert found["Would it be news to Camila that the camera has a red strap?"] == "yes"
    assert found["Does Stavros think that Camila knows that the camera has a red strap?"] == "no"
    assert found["Does Stavros think that it would be news to Camila that the camera has a red strap?"] == "yes"
    assert found["Does Dora think that Stavros knows that the camera has a red strap?"] == "yes"
    hers = {answer for text, answer in found.items() if text.startswith("Does Camila think that")}
    assert hers == {"has no view"}
    # What it is to think that Camila has no view of Dora's mind is not for a yes or a no.
    assert not [text for text in found if " think that Camila thinks " in text]


def test_who_sees_only_the_result_is_not_asked_who_has_missed_it() -> None:
    story = Story.of(
        Enter("Stavros", "den"), Enter("Dora", "den"), STRAP, Leave("Stavros", "den"), Enter("Camila", "den")
    )
    found = {each.minds: each.answer for each in questions(story, order=3) if each.tags.get("polarity") == "positive"}
    assert ("Camila", "Stavros") not in found  # she has not seen him with it
    assert ("Dora", "Camila", "Stavros") not in found
    assert found["Camila", "Dora"] == found["Dora", "Stavros"] == "yes"
    assert found["Stavros", "Camila"] == "no"  # he saw who was there


def test_who_sees_only_the_result_is_not_asked_who_has_it_as_it_was() -> None:
    blue = Change("Stavros", "camera", "strap", "has a blue strap")
    before = (Enter("Stavros", "den"), Enter("Camila", "den"), STRAP, Leave("Camila", "den"))
    story = Story.of(*before, blue, Leave("Stavros", "den"), Enter("Camila", "den"))
    found = {each.minds: each.answer for each in questions(story, order=2) if each.tags.get("kind") == "state"}
    assert ("Camila", "Stavros") not in found
    assert {("Camila",), ("Stavros",), ("Stavros", "Camila")} <= set(found)


def test_who_is_about_to_see_it_is_not_asked() -> None:
    there = (Enter("Stavros", "den"), Enter("Dora", "den"))
    missed = replace(STRAP, distracted=frozenset({"Dora"}))
    found = {each.minds for each in questions(Story.of(*there, missed), order=2) if each.property == "state:strap"}
    assert found == {("Stavros",), ("Stavros", "Dora")}
    hidden = (*there, Move("Stavros", "camera", "box"))
    found = {each.minds for each in questions(Story.of(*hidden, missed), order=2) if each.property == "state:strap"}
    assert len(found) == 4
    lying = Story.of(*there, Place("camera", "den"), Move("Stavros", "camera", "box", distracted={"Dora"}))
    found = {each.minds for each in questions(lying, order=2) if each.property == "container"}
    assert found == {(), ("Stavros",), ("Stavros", "Dora")}


def test_topics_too() -> None:
    story = Story.of(Enter("Ann", "den"), Enter("Bob", "den"), Enter("Cem", "hall"), Tell("Ann", topic="the flood"))
    found = {each.minds: each for each in questions(story, order=2) if each.tags.get("polarity") == "positive"}
    assert found["Ann", "Bob"].answer == found["Bob", "Ann"].answer == "yes"
    assert found["Ann", "Cem"].answer == "no"
    assert found["Cem", "Ann"].answer == found["Cem", "Bob"].answer == "has no view"
    assert found["Cem",].choices == ("yes", "no")
    assert found["Cem", "Ann"].choices == ("yes", "no", "has no view")


@pytest.mark.parametrize("name", ["tomi+object-state", "fantom-private+asymmetric", "all"])
def test_both_ways_of_asking_are_kept_or_left_out_together(name: str) -> None:
    asked_at_all = 0
    for story in random_stories(name, 10):
        ways = [each for each in questions(story, order=3) if "polarity" in each.tags]
        positive, negative = (
            [(each.minds, each.about, each.property, each.answer) for each in ways if each.tags["polarity"] == way]
            for way in ("positive", "negative")
        )
        opposite = {"yes": "no", "no": "yes", "has no view": "has no view"}
        assert positive == [(*same, opposite[answer]) for *same, answer in negative]
        asked_at_all += len(positive)
    assert asked_at_all > 100


# ---- one rule for all ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tomi-object-state", "fantom-public", "all"])
def test_the_questions_that_stay_keep_their_order_and_their_ids(name: str) -> None:
    left_out = 0
    for story in random_stories(name, 10):
        memories = [each.text for each in questions(story, order=0) if each.tags["kind"] == "memory"]
        whole = [*memories]
        for matter in matters(story):
            whole += [matter.ask(())] if matter.kind in ("container", "room") else []
            whole += [matter.ask(minds) for minds in agreement.chains(story.people, 3) if minds]
        items = quiz(story, order=3).items
        numbers = [int(item.id.split("-")[1]) for item in items]
        assert numbers == sorted(set(numbers))
        assert [whole[number] for number in numbers] == [item.question for item in items]
        left_out += len(whole) - len(items)
    assert left_out


@pytest.mark.parametrize("name", sorted(action_sets()))
def test_both_programs_give_the_same_answers(name: str) -> None:
    tally = agreement.Tally()
    for story in random_stories(name, 8):
        agreement.compare_questions(story, 3, tally)
    assert not tally.differences, str(tally.differences[0])
    assert tally.counts["questions"] > 60


def test_the_search_and_training_ask_nothing_else() -> None:
    examiner = Examiner(Scripted(lambda prompt: "A", name="says A"))
    keen = Examiner(Scripted(lambda prompt: "A", name="says A"), interesting=True)
    for story in (Story.of(*RADIO), *random_stories("lies", 15), *random_stories("fantom-private", 5)):
        for order in (1, 2):
            for each in (examiner, keen):
                assert each.asks(story, order) is bool(each.plan(story, order))
        tags = [item.tags.get("interesting") is True for item in quiz(story, order=2)]
        assert needs_theory_of_mind(story) is any(tags)
    assert not needs_theory_of_mind(Story.of(*RADIO))


def test_training_asks_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Story] = {}
    complete = Grower.complete

    def noted(grower: Grower) -> Story | None:
        story = complete(grower)
        if story is not None:
            told[story.text] = story
        return story

    monkeypatch.setattr(Grower, "complete", noted)
    made = list(triples([Cell(action_sets()["lies"], 3, 3)], bank()[:3], number=300, each=50))
    for triple in made:
        answers = {each.text: each.answer for each in questions(told[triple.context], order=2)}
        assert answers[triple.question] == triple.answer


def test_a_judge_is_asked_about_it_too() -> None:
    texts = [claim.question for step in steps(Story.of(*RADIO)) for claim in claims(step)]
    assert "After the new passage, does Rui think that the radio is in the drawer?" in texts
    assert "After the new passage, does Nadia think that the radio is in the drawer?" in texts
