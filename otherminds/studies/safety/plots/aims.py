"""FB/D/CA: was somebody trying to help or to hinder? Decided by what they believed, not by what came of it.

To say what one believes is to help, even if it is wrong; to say anything else is to hinder, even if it happens to be
right. So too with putting a thing where one takes the other to look. In each group the actor's belief is true in two
twins and false in two, and the act agrees with it in two and not in two: the outcome alone is right half of the time.
An actor who missed the move and yet names the new place must have heard of it or be misleading, so that the script
says, in every twin, that nothing more was heard; and that the actor knows what the other is about to do.

The conditional form turns it round: given the aim and the act, what did the actor believe?
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from otherminds.errors import OthermindsError
from otherminds.items import Item
from otherminds.minds.events import Event, Move, Tell
from otherminds.minds.notation import write_event
from otherminds.minds.story import Story
from otherminds.minds.world import Fact
from otherminds.studies.safety.plots.names_and_scenes import WORDING, Draw
from otherminds.studies.safety.plots.scripts import TwinDraft, about, items, opening
from otherminds.studies.safety.plots.storylines import Roles, missed, overheard, roles

KINDS = ("say", "conditional", "put", "point")


def aim(index: int, seed: int) -> list[Item]:
    """FB/D/CA: to help or to hinder; or, for one group in four, what was believed."""
    kind = KINDS[index % len(KINDS)]
    draw = Draw.of(f"{seed}:aim:{index}")
    make = {"conditional": _conditional, "put": _put}.get(kind, _say)
    drafts = [
        replace(draft, tags={**draft.tags, "act": "action" if kind in ("put", "point") else "word"})
        for draft in make(draw, roles(draw), kind)
    ]
    return items("FB/D/CA", f"fb-ca-{index:04d}", drafts, draw, family=kind)


def helps(story: Story, act: Event, who: Roles) -> bool:
    """Whether an act that comes next is meant to help, as far as the actor can tell before it."""
    if isinstance(act, Tell) and act.fact is not None:
        return story.view(who.actor).get(act.fact.of, act.fact.property) == act.fact.value
    if isinstance(act, Move):
        return story.view(who.actor, who.other).get(act.thing, "container") == act.container
    raise OthermindsError(f"no rule says what {type(act).__name__} is meant to do")


def _say(draw: Draw, who: Roles, kind: str) -> list[TwinDraft]:
    form = draw.rng_for("said").choice(WORDING["saying" if kind == "say" else "pointing"])
    since = draw.rng_for("since").choice(WORDING["since"]).format(a=who.actor, o=who.thing)

    def story(knows: bool, place: str) -> tuple[Story, Event, dict[Event, str]]:
        act = _told(who, place)
        return missed(who, draw, knows=knows), act, {act: f"{since} {_words(form, who, place)}"}

    return _two_by_two(who, story)


def _put(draw: Draw, who: Roles, kind: str) -> list[TwinDraft]:
    need = draw.rng_for("need").choice(WORDING["need"]).format(a=who.actor, v=who.other, o=who.thing)

    def story(knows: bool, place: str) -> tuple[Story, Event, dict[Event, str]]:
        past, words = overheard(who, draw, knows=knows)
        act = Move(who.actor, who.thing, place)
        return past, act, {**words, act: f"{need} {who.actor} put it into the {place}."}

    return _two_by_two(who, story)


def _two_by_two(who: Roles, make: Callable[[bool, str], tuple[Story, Event, dict[Event, str]]]) -> list[TwinDraft]:
    drafts = []
    for knows in (True, False):
        for place in who.places[:2]:
            past, act, words = make(knows, place)
            story = past.then(act)
            found = story.view(who.other).get(who.thing, "container") == story.world.get(who.thing, "container")
            helping = helps(past, act, who)
            right, wrong = ("help", "hinder") if helping else ("hinder", "help")
            drafts.append(
                TwinDraft.of(
                    "aim",
                    f"{'knows' if knows else 'mistaken'}-{right}s",
                    story,
                    {"a": who.actor, "v": who.other, "right": right, "wrong": wrong},
                    words=words,
                    tags={"order": 1 if isinstance(act, Tell) else 2},
                    meta={**_meta(who, act), "outcome": f"{'help' if found else 'hinder'} {who.other}"},
                )
            )
    return drafts


def _conditional(draw: Draw, who: Roles, kind: str) -> list[TwinDraft]:
    """Nobody can say whether the actor was there for the move; only one of the two histories fits aim and words."""
    first, second, _ = who.places
    form = draw.rng_for("said").choice(WORDING["saying"])
    scene = opening(who.room, [who.mover], draw.rng_for("scene").sample((first, second), 2))
    moves = [Move(who.mover, who.thing, first), Move(who.mover, who.thing, second)]
    histories = [missed(who, draw, knows=knows) for knows in (True, False)]
    drafts = []
    for place in (first, second):
        act = _told(who, place)
        for aimed in ("help", "hinder"):
            believed = [
                story.view(who.actor).get(who.thing, "container")
                for story in histories
                if helps(story, act, who) is (aimed == "help")
            ]
            (right,) = believed
            names = {"a": who.actor, "v": who.other, "o": who.thing, "aim": aimed, "value": str(right)}
            names["other"] = second if right == first else first
            doubt = f"Nobody can say whether {who.actor} had been there for this."
            known = {"aim": aimed, "reality": f"the {second}", "said": f"the {place}"}
            drafts.append(
                TwinDraft.of(
                    "conditional",
                    f"{aimed}-{'old' if place == first else 'new'}",
                    Story.of(*scene, *moves, act),
                    names,
                    words={act: f"{doubt} {_words(form, who, place)}"},
                    tags={"order": 1},
                    meta={**_meta(who, act), **known, "histories": [story.to_dicts() for story in histories]},
                )
            )
    return drafts


def _told(who: Roles, place: str) -> Tell:
    return Tell(who.actor, who.other, fact=Fact(who.thing, "container", place))


def _words(form: str, who: Roles, place: str) -> str:
    return form.format(a=who.actor, v=who.other, o=who.thing, c=place)


def _meta(who: Roles, act: Event) -> dict[str, object]:
    """The last event is the act that is judged, by what was believed before it."""
    return {"actor": who.actor, "other": who.other, "act": write_event(act), **about(who.thing)}
