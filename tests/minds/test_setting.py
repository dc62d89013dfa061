"""Settings: the legal next events are all there, and nothing else is."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from otherminds.errors import UsageError
from otherminds.minds.events import Carry, Change, Enter, Event, Leave, Look, Move, Open, Tell
from otherminds.minds.setting import CHANGES, KINDS, Setting, kind_of
from otherminds.minds.story import Story
from otherminds.minds.world import Fact
from tests.strategies import settings, tales


def brute_force(setting: Setting, story: Story) -> set[Event]:
    """Every event that the setting has words for and that leads anywhere, tried one by one."""
    found = set()
    for kind in setting.kinds:
        for make, options in of_kind(setting, story, kind.removesuffix("*")):
            for peekers, distracted in ways(setting) if kind.endswith("*") else [((), ())]:
                event = make(**options, peekers=frozenset(peekers), distracted=frozenset(distracted))
                if story.can(event) and not event.is_idle(story):
                    found.add(event)
    return found


def ways(setting: Setting) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """One peeker, one person distracted, or both."""
    one_or_none = [(), *((person,) for person in setting.people)]
    return [(some, others) for some, others in product(one_or_none, one_or_none) if some or others]


def of_kind(setting: Setting, story: Story, kind: str) -> list[tuple[type[Event], dict[str, object]]]:
    people, rooms, things, containers = setting.people, setting.rooms, setting.things, setting.containers
    word, _, aloud = kind.partition(" ")
    match word:
        case "enter" | "leave":
            make = Enter if word == "enter" else Leave
            return [(make, {"person": person, "room": room}) for person in people for room in rooms]
        case "move":
            return [
                (Move, {"person": person, "thing": thing, "container": container})
                for person, thing, container in product(people, things, containers)
            ]
        case "carry":
            return [
                (Carry, {"person": person, "thing": thing, "room": room})
                for person, thing, room in product(people, things, rooms)
            ]
        case "change":
            return [
                (
                    Change,
                    {
                        "person": person,
                        "thing": thing,
                        **{name: getattr(change, name) for name in ("property", "value", "visible", "words")},
                    },
                )
                for person, thing, change in product(people, things, setting.changes)
            ]
        case "look" | "open":
            make = Look if word == "look" else Open
            return [(make, {"person": person, "container": box}) for person in people for box in containers]
    listeners = (None,) if aloud else people
    pairs = [(speaker, listener) for speaker, listener in product(people, listeners)]
    if word == "topic":
        return [
            (Tell, {"speaker": speaker, "listener": listener, "topic": topic})
            for (speaker, listener), topic in product(pairs, setting.topics)
        ]
    property = "room" if word == "room" else "container"
    places = rooms if property == "room" else containers
    found = []
    for (speaker, listener), thing, place in product(pairs, things, places):
        believed = story.view(speaker).get(thing, property) if speaker in story.people else None
        if believed is not None and (believed != place) is (word == "lie"):
            found.append((Tell, {"speaker": speaker, "listener": listener, "fact": Fact(thing, property, place)}))
    return found


@hypothesis(max_examples=60, deadline=None)
@given(st.data(), settings(most=3))
def test_next_is_exactly_what_can_happen(data, setting):
    story = data.draw(tales(setting, most=6))
    events = setting.next(story)
    assert len(events) == len(set(events))
    assert set(events) == brute_force(setting, story)


@pytest.mark.parametrize("kind", [f"{kind}{star}" for kind in KINDS for star in ("", "*")])
def test_each_kind_comes_up_and_is_complete(kind):
    kinds = tuple(dict.fromkeys(("enter", "leave", "move", "carry", kind)))
    setting = Setting.of(people=3, rooms=2, things=1, containers=2, topics=1, changes=2, kinds=kinds)
    only = Setting.of(people=3, rooms=2, things=1, containers=2, topics=1, changes=2, kinds=(kind,))
    seen = 0
    for seed in range(6):
        for part in setting.story(9, seed=seed).prefixes():
            events = only.next(part)
            assert set(events) == brute_force(only, part)
            assert {kind_of(event, part) for event in events} <= {kind}
            seen += len(events)
    assert seen


@hypothesis(max_examples=40, deadline=None)
@given(st.data(), settings(), st.integers(0, 2**32))
def test_a_step_is_one_of_the_next_events_and_seeded(data, setting, seed):
    story = data.draw(tales(setting))
    event = setting.step(story, random.Random(seed))
    assert event == setting.step(story, random.Random(seed))
    assert (event in setting.next(story)) if event is not None else not setting.next(story)


def test_a_step_reaches_every_next_event():
    setting = Setting.of(people=3, rooms=2, things=1, containers=2, kinds=("enter", "leave", "move", "container"))
    story = setting.story(6, seed=4)
    rng = random.Random(0)
    assert {setting.step(story, rng) for _ in range(2000)} == set(setting.next(story))


def test_stories_are_seeded_and_long_enough():
    setting = Setting.of(people=4, rooms=2, kinds=tuple(KINDS))
    assert setting.story(20, seed=1) == setting.story(20, seed=1) != setting.story(20, seed=2)
    assert len(setting.story(20, seed=1)) == 20


def test_a_story_ends_where_nothing_more_can_happen():
    setting = Setting(("Mira",), ("shed",), kinds=("enter",))
    assert len(setting.story(5)) == 1
    assert setting.step(setting.story(5), random.Random(0)) is None


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Setting(("Mira",), ("shed",), kinds=()), "at least one kind of event; there are enter"),
        (lambda: Setting(("Mira",), ("shed",), kinds=("fly",)), "no kind of event called 'fly'; there are enter"),
        (lambda: Setting.of(kinds=("enter",), planets=2), "a setting has no planets; it has people"),
        (lambda: Setting.of(kinds=("enter",), people=200), "names for 12 people, not for 200; give your own"),
        (lambda: Setting.of(kinds=("enter",), people=-1), "not for -1"),
        (lambda: Setting(("Mira",), ("Mira",), kinds=("enter",)), "Mira"),
        (lambda: Setting(("Mira", "Mira"), ("shed",), kinds=("enter",)), "Mira"),
    ],
    ids=["no kinds", "unknown kind", "unknown part", "too many", "negative", "one name, two roles", "one name twice"],
)
def test_a_setting_that_makes_no_sense_is_refused(make, why):
    with pytest.raises(UsageError, match=why):
        make()


def test_changes_are_both_visible_and_invisible():
    assert {change.visible for change in CHANGES} == {True, False}
