"""A thing is moved, or not, and somebody sees it, or not: FB/SA, and TB on the very same stories.

Four twins. In two of them the first place is right and in two the second; in two the belief is true and in two it is
false. So neither the world, nor the first place, nor the one named last is right more than half of the time.

    absent    the thing is moved while X is away               X has the first place, wrongly
    saw       X stays, or watches in secret                    X has the second place
    unmoved   somebody looks into both places while X is away  X has the first place
    back      X sees it moved, leaves, and it is moved back    X has the second place, wrongly
"""

from __future__ import annotations

from dataclasses import replace

from otherminds.items import Item, Tag
from otherminds.minds.events import Event, Leave, Look, Move
from otherminds.minds.story import Story
from otherminds.studies.safety.plots.names_and_scenes import WORDING, Draw
from otherminds.studies.safety.plots.scripts import TwinDraft, about, items, lone_look, opening


def believed(index: int, seed: int) -> list[Item]:
    """FB/SA: where X will look."""
    draw, stories = _stories(index, seed)
    thing, person, (first, second) = draw.things[0], draw.people[0], draw.containers[:2]
    ending = draw.rng.choice(WORDING["endings"]).format(x=person, o=thing)
    looks: dict[Event, str] = {event: lone_look(event, draw.key) for event in _looks(draw)}
    drafts = []
    for kind, story in stories.items():
        value, real = (view.get(thing, "container") for view in (story.view(person), story.world))
        names = {"x": person, "o": thing, "value": str(value), "other": second if value == first else first}
        tags = {"order": 1, "false_belief": value != real, "story": _name(index)}
        meta = {**about(thing, person), "reality": f"the {real}", "first_place": f"the {first}"}
        drafts.append(TwinDraft.of("believed", kind, story, names, ending=ending, words=looks, tags=tags, meta=meta))
    return items("FB/SA", f"fb-sa-{index:04d}", drafts, draw, family="transfer")


def read(index: int, seed: int) -> list[Item]:
    """TB: where the thing was at first and where it is now; who put it where. Two questions are twins of each other."""
    draw, stories = _stories(index, seed)
    twin_kind = ("absent", "saw")[index % 2]
    script = next(item for item in believed(index, seed) if item.tags["twin_kind"] == twin_kind)
    story, thing = stories[twin_kind], draw.things[0]
    names = dict(zip(("o", "first", "second", "x", "m"), (thing, *draw.containers[:2], *draw.people[:2]), strict=True))
    tags: dict[str, Tag] = {"order": 0, "false_belief": False, "story": _name(index)}
    found = []
    for pair, times in {"where": ("first", "now"), "who": ("first", "then")}.items():
        drafts = []
        for when in times:
            draft = TwinDraft.of(f"{pair} {when}", when, story, names, tags=tags)
            meta = {"asked": f"{pair} {when}", **about(thing), "reality": draft.right}
            drafts.append(replace(draft, meta=meta))
        group, own = f"tb-{index:04d}-{pair}", Draw.of(f"{seed}:tb:{index}:{pair}")
        found += [_with_script(item, script) for item in items("TB", group, drafts, own, family="transfer")]
    return found


def _with_script(item: Item, other: Item) -> Item:
    """The item, asked about the script of another one, word for word."""
    tags = {**item.tags, "domain": other.tags["domain"]}
    return Item(item.id, item.question, item.answer, other.context, item.choices, item.cloze, tags, item.meta)


def _name(index: int) -> str:
    return f"transfer-{index:04d}"


def _looks(draw: Draw) -> list[Look]:
    return [Look(draw.people[1], draw.containers[1]), Look(draw.people[1], draw.containers[0])]


def _stories(index: int, seed: int) -> tuple[Draw, dict[str, Story]]:
    draw = Draw.of(f"{seed}:transfer:{index}")
    room, (thing, other) = draw.scene.room, draw.things[:2]
    first, second = draw.containers[:2]
    person, mover = draw.people[:2]
    start: list[Event] = [
        *opening(room, (person, mover), draw.rng.sample((first, second), 2)),
        Move(mover, other, second),
        Move(person, thing, first),
    ]
    away, moved = Leave(person, room), Move(mover, thing, second)
    if draw.rng.random() < 0.5:
        saw: list[Event] = [moved, away]
    else:
        saw = [away, Move(mover, thing, second, peekers=frozenset({person}))]
    ways: dict[str, list[Event]] = {
        "absent": [away, moved],
        "saw": saw,
        "unmoved": [away, *_looks(draw)],
        "back": [moved, away, Move(mover, thing, first)],
    }
    return draw, {kind: Story.of(*start, *events) for kind, events in ways.items()}
