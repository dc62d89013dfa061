"""A new kind of event is one class: all that stories, files, settings and pages do with it comes from there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self, final

import pytest

import otherminds as om
from otherminds.errors import BadFile, InvalidEvent
from otherminds.minds.beliefs import traces
from otherminds.minds.events import EVENTS, KINDS, Deed, Enter, Event, Leave, Move, Open
from otherminds.minds.events.event import Order, Outcome, Shape
from otherminds.minds.setting import Setting, kind_of
from otherminds.minds.stories import in_brief
from otherminds.minds.story import Story
from otherminds.minds.telling import Forms, sentences
from otherminds.minds.world import OPEN, View
from otherminds.pages.report import Figure
from otherminds.results.storybook import trace_blocks


@final
@dataclass(frozen=True, slots=True)
class Spill(Deed):
    """A person tips a container over, and whatever was in it lies about."""

    container: str

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.container, "container")

    def refusal(self, story: Story) -> str | None:
        here = story.world.get(self.person, "room")
        if here is None or story.world.get(self.container, "room") != here:
            return f"the {self.container} is not where {self.person} is"
        return None if self._inside(story) else f"there is nothing in the {self.container}"

    def happen(self, story: Story) -> Outcome:
        room, inside = story.world.get(self.person, "room") or "", self._inside(story)

        def learn(view: View) -> View:
            for thing in inside:
                view = view.placed(thing, room, OPEN)
            return view

        return learn(story.world), (self.sighting(story.present(room), learn),), ()

    def _inside(self, story: Story) -> list[str]:
        return [thing for thing in sorted(story.things) if story.world.get(thing, "container") == self.container]

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        forms = ("{person} tipped over the {container}.", "Over went the {container}, thanks to {person}.")
        return forms, {"person": self.person, "container": self.container}

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} tips over the {self.container}"

    def moved(self) -> str | None:
        return f"{self.person} tipped over the {self.container}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("tip_over", {"person": "person", "container": "container"}),)

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        for person in order(setting.people):
            for container in order(setting.containers):
                if story.can(event := cls(person, container)):
                    yield event


# Other tests go through all kinds that come with the package, and through no others.
SPILL = EVENTS.pop("tip_over"), KINDS.pop("spill")


@pytest.fixture(autouse=True)
def spilling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVENTS, "tip_over", SPILL[0])
    monkeypatch.setitem(KINDS, "spill", SPILL[1])


@pytest.fixture
def story() -> Story:
    away = [Leave("Bo", "shed"), Spill("Ada", "crate", peekers={"Cy"})]
    return Story.of(Enter("Ada", "shed"), Enter("Bo", "shed"), Move("Ada", "kite", "crate"), *away)


def test_it_happens_and_reaches_minds(story):
    assert story.view().in_the_open("kite")
    assert story.view("Ada").in_the_open("kite")
    assert story.view("Cy").in_the_open("kite")
    assert story.view("Bo").get("kite", "container") == "crate"
    assert story.view("Ada", "Bo").get("kite", "container") == "crate"


def test_it_is_refused_in_its_own_words(story):
    with pytest.raises(InvalidEvent, match="there is nothing in the crate"):
        story.then(Spill("Ada", "crate"))


def test_it_is_told_in_its_own_words(story):
    secret = "Cy happened to see this, and only this, without being noticed."
    assert sentences(story)[-1] == f"Ada tipped over the crate. {secret}"
    told = {sentences(story, seed=seed)[-1].partition(".")[0] for seed in range(40)}
    assert told == {"Ada tipped over the crate", "Over went the crate, thanks to Ada"}
    assert in_brief(story.events[-1], story.cast.roles) == "Ada tips over the crate (Cy in secret)"


def test_it_is_written_and_read(story):
    data = story.to_dicts()
    assert data[-1] == {"do": "tip_over", "person": "Ada", "container": "crate", "peekers": ["Cy"]}
    assert Story.from_dicts(data) == story
    with pytest.raises(BadFile, match=r"event 1 \(tip_over\): container should be a name, not 3"):
        Story.from_dicts([{**data[-1], "container": 3}])


def test_it_is_asked_about(story):
    answers = {item.question: item.answer for item in om.quiz(story, order=2)}
    assert answers["In which container is the kite really?"] == "in no container"
    assert answers["In which container does Ada think that Bo thinks the kite is?"] == "crate"
    assert answers["In which container was the kite just before Ada tipped over the crate?"] == "crate"


def test_it_is_drawn_in_a_timeline(story):
    (trace,) = traces(story, order=1)
    figure = trace_blocks(trace, sentences(story), order=1)[0]
    assert isinstance(figure, Figure)
    assert "tipped over" in figure.svg
    assert "Bo: from 3 crate, from 5 crate (false)" in figure.svg


def test_settings_can_use_it(story):
    setting = Setting(("Ada", "Bo"), ("shed",), ("kite",), ("crate",), kinds=("enter", "move", "spill", "spill*"))
    before = Story.of(Enter("Ada", "shed"), Enter("Bo", "shed"), Move("Ada", "kite", "crate"))
    spills = [event for event in setting.next(before) if isinstance(event, Spill)]
    assert Spill("Ada", "crate") in spills
    assert Spill("Ada", "crate", distracted={"Bo"}) in spills
    assert {kind_of(event, before) for event in spills} == {"spill", "spill*"}
    assert "spill" in {kind for kind, _ in (setting.draw(before, random.Random(seed)) for seed in range(20))}


# ---- what a kind of event must have ---------------------------------------------------------------------------


@pytest.mark.parametrize("member", sorted(Event.__abstractmethods__))
def test_a_kind_that_lacks_something_is_refused_by_its_name(member):
    own = {name: value for name, value in vars(Spill).items() if name not in ("__slots__", "person", "container")}
    parts = {name: own.get(name, getattr(Deed, name)) for name in Event.__abstractmethods__}
    parts[member] = vars(Event)[member]
    half = type("Half", (Deed,), parts)
    with pytest.raises(TypeError, match=f"Half .*{member}"):
        half("Ada")
    assert half not in KINDS.values()


def test_what_is_inherited_from_another_kind_is_no_name_of_ones_own():
    with pytest.raises(TypeError, match="Slam cannot go by 'open', since Open does"):
        type("Slam", (Open,), {})


def test_kinds_are_listed_in_their_order():
    assert [name for name, (kind, _) in EVENTS.items() if name != kind.__name__] == [
        *("enter_room", "leave_room", "location_declaration", "move_to_container", "move_to_room", "change_state"),
        *("look_inside", "open", "tell_privately", "tell_publicly", "tip_over"),
    ]
    assert list(KINDS) == [
        *("enter", "leave", "move", "carry", "change", "look", "open"),
        *("topic", "topic aloud", "container", "container aloud", "room", "room aloud", "lie", "lie aloud", "spill"),
    ]
