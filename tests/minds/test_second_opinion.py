"""The engine and the second opinion agree; and the second opinion says what the definition says."""

import ast
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from otherminds.minds.story import Story
from tests import agreement, possible_worlds, second_opinion
from tests.possible_worlds import OPEN
from tests.second_opinion import Opinion, beliefs, possible

PLAIN: dict[str, Any] = {"clear": [], "distrust": [], "fresh": False}


def enter(person: str, room: str, **watchers: list[str]) -> dict[str, Any]:
    return {"do": "enter_room", "person": person, "room": room, **watchers}


def leave(person: str, room: str, **watchers: list[str]) -> dict[str, Any]:
    return {"do": "leave_room", "person": person, "room": room, **watchers}


def move(person: str, thing: str, container: str, **watchers: list[str]) -> dict[str, Any]:
    return {"do": "move_to_container", "person": person, "object": thing, "container": container, **watchers}


def tell(speaker: str, listener: str, name: str, key: str, value: str) -> dict[str, Any]:
    fact = {"entity": name, "property": key, "value": value}
    return {"do": "tell_privately", "speaker": speaker, "listener": listener, "fact": fact}


MARBLE = [enter("Sally", "den"), enter("Anne", "den"), move("Sally", "marble", "basket")]
SALLY_ANNE = [*MARBLE, leave("Sally", "den"), move("Anne", "marble", "box")]


def place(events: list[dict[str, Any]], *minds: str, **premises: Any) -> Any:
    return beliefs(events, PLAIN | premises, minds)["place"].get("marble")


# ------------------------------------------------------------------------------------------------------ the two agree


def test_the_engine_agrees_with_the_second_opinion() -> None:
    tally = agreement.agree(300, order=3, seed=1)
    assert not tally.differences, str(agreement.shrink(tally.differences[0]))
    assert set(tally.kinds) == set(agreement.DOINGS)  # every kind of event took part


def test_they_agree_on_adjacent_repeats_and_on_the_fourth_order() -> None:
    story, opinion, tally = Story.from_dicts(SALLY_ANNE), Opinion.of(SALLY_ANNE, PLAIN), agreement.Tally()
    minds = [chain for order in range(5) for chain in product(story.people, repeat=order)]
    agreement.compare_views(story, opinion, minds, tally)
    assert tally.counts["views"] == 31
    assert tally.differences == []


def test_a_difference_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    # A second opinion in which the distracted see everything: it takes somebody distracted to tell it from the engine.
    monkeypatch.setattr(second_opinion, "_witnesses", lambda event, openly: {"assumed": openly, "seen_by": openly})
    found = agreement.agree(60, order=1, seed=0).differences
    assert found
    smallest = agreement.shrink(min(found, key=lambda each: len(each.events)))
    assert len(smallest.events) <= 4
    assert "second opinion" in str(smallest)


def test_the_second_opinion_shares_nothing_with_the_package() -> None:
    for module in (second_opinion, possible_worlds):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        assert not [name for name in imported if str(name).startswith("otherminds")]


# --------------------------------------------------------------------- the second opinion itself, derived by hand


def test_false_belief() -> None:
    assert place(SALLY_ANNE) == "box"
    assert place(SALLY_ANNE, "Sally") == "basket"
    assert place(SALLY_ANNE, "Anne", "Sally") == "basket"
    assert place(SALLY_ANNE, "Sally", "Anne") == "basket"


def test_a_peeker_knows_and_nobody_knows_that() -> None:
    events = [*SALLY_ANNE[:-1], move("Anne", "marble", "box", peekers=["Sally"])]
    assert place(events, "Sally") == "box"
    assert place(events, "Sally", "Sally") == "box"
    assert place(events, "Anne", "Sally") == "basket"
    assert place(events, "Sally", "Anne", "Sally") == "basket"


def test_the_distracted_are_credited_wrongly() -> None:
    events = [*MARBLE, move("Anne", "marble", "box", distracted=["Sally"])]
    assert place(events, "Sally") == "basket"
    assert place(events, "Anne", "Sally") == "box"
    assert place(events, "Sally", "Anne") == "basket"


def test_a_look_is_taken_to_show_what_the_onlooker_believes() -> None:
    unseen = move("Sally", "marble", "box", distracted=["Anne"])
    look = {"do": "look_inside", "person": "Sally", "container": "basket"}
    events = [*MARBLE, unseen, look]
    assert place(events, "Sally") == "box"
    assert place(events, "Anne", "Sally") == "basket"


def test_a_lie_is_believed_unless_distrusted() -> None:
    lie = [*SALLY_ANNE, tell("Anne", "Sally", "marble", "container", "drawer")]
    assert place(lie, "Sally") == "drawer"
    assert place(lie, "Sally", "Anne") == "drawer"
    assert place(lie, "Anne") == "box"
    distrust = [["Sally", "Anne"]]
    assert place(lie, "Sally", distrust=distrust) == "basket"
    assert place(lie, "Sally", "Anne", distrust=distrust) == place(SALLY_ANNE, "Sally", "Anne") == "basket"


def test_looking_round_shows_what_lies_in_the_open_or_behind_glass() -> None:
    key = {"do": "location_declaration", "entity": "key", "room": "den", "is_person": False}
    events = [*SALLY_ANNE, key, enter("Bob", "den")]
    assert beliefs(events, PLAIN, ["Bob"])["place"] == {"key": OPEN}
    assert beliefs(events, PLAIN | {"clear": ["box"]}, ["Bob"])["place"] == {"key": OPEN, "marble": "box"}


def test_fresh_eyes_outweigh_old_news() -> None:
    events = [*SALLY_ANNE, leave("Anne", "den"), tell("Sally", "Anne", "marble", "container", "basket")]
    assert place(events, "Anne") == "basket"
    assert place(events, "Anne", fresh=True) == "box"


def test_nobody_is_talked_out_of_what_they_have_watched_all_along() -> None:
    lie = {"do": "tell_publicly", "speaker": "Sally", "fact": tell("", "", "marble", "container", "box")["fact"]}
    watched = [*MARBLE, lie]
    for minds in (["Anne"], ["Anne", "Sally"], ["Sally", "Anne"], ["Sally", "Anne", "Sally"]):
        assert place(watched, *minds) == "basket"
    late = [*MARBLE, enter("Bob", "den"), lie]
    assert (place(late, "Bob"), place(late, "Bob", "Anne"), place(late, "Anne", "Bob")) == ("box", "box", "box")
    assert place(late, "Anne") == place(late, "Anne", "Sally") == "basket"
    back = [*MARBLE, leave("Anne", "den"), enter("Anne", "den"), lie]
    assert place(back, "Anne") == "box"
    missed = [*MARBLE, enter("Bob", "den", distracted=["Anne"]), lie]
    assert (place(missed, "Anne"), place(missed, "Sally", "Anne")) == ("box", "basket")


@pytest.mark.parametrize(
    "event",
    [
        enter("Anne", "den"),
        leave("Sally", "den"),
        move("Sally", "marble", "basket"),
        move("Anne", "marble", "box"),
        move("Anne", "marble", "basket", peekers=["Anne"]),
        move("Anne", "marble", "basket", distracted=["Sally"]),
        tell("Anne", "Bob", "pear", "container", "box"),
        {"do": "tell_publicly", "speaker": "Anne", "topic": "the wedding"},
    ],
)
def test_what_cannot_happen_after_sally_and_anne(event: dict[str, Any]) -> None:
    assert not possible(SALLY_ANNE, PLAIN, event)
    assert possible(SALLY_ANNE, PLAIN, move("Anne", "marble", "basket", peekers=["Sally"]))
