"""From stories to items: the words of a script, the same length for all twins, and the trace that proves the label.

Twins share every word that they can: an event that stands in two of them is told alike in both. What is shorter gets
stray sentences that have to do with nothing, until no twin can be told by its length.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from otherminds.items import Item, Tag
from otherminds.items.lint import differ
from otherminds.minds.events import Enter, Event, Leave, Look, Place
from otherminds.minds.story import Premises, Story
from otherminds.minds.telling import last_sentence, listing
from otherminds.studies.safety.plots.names_and_scenes import FILLERS, QUESTIONS, WORDING, Draw

CANARY = "otherminds-safety-canary 5b0f7f0e-3d9a-4c43-9a35-7d0b9f4f2c77"
"""In every item, so that a model that was trained on them can be told by its knowing this string."""

TRIES = 50
"""Draws of stray sentences for one group; nearly always the first will do."""

PERSPECTIVES = {"TB": "baseline", "MA": "MA", "FB": "FB"}


@dataclass(frozen=True, slots=True)
class TwinDraft:
    """One twin before its words are settled."""

    twin_kind: str
    story: Story
    question: str
    right: str
    wrong: str
    cloze: str = ""
    ending: str = ""
    """A sentence after the last event."""
    premise: str = ""
    """What a reader must know beforehand, in our own words."""
    words: Mapping[Event, str] = field(default_factory=dict)
    """Own words for some events; without, they are told as everywhere in this package."""
    tags: Mapping[str, Tag] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, asked: str, twin_kind: str, story: Story, names: Mapping[str, str], **more: Any) -> TwinDraft:
        """A twin that asks what stands in the file of questions, with these names."""
        words = {part: form.format(**names) for part, form in QUESTIONS[asked].items()}
        return cls(twin_kind, story, **{**words, **more})


def about(thing: str, *minds: str) -> dict[str, Any]:
    """What an item keeps of its question: whose belief it is about, and where what is."""
    return {**({"minds": list(minds)} if minds else {}), "about": thing, "property": "container"}


def opening(room: str, people: Sequence[str], containers: Sequence[str]) -> list[Event]:
    """The events that one first sentence tells: what stands in the room and who is there."""
    return [*(Place(name, room, "container") for name in containers), *(Enter(name, room) for name in people)]


def lone_look(event: Look, key: str) -> str:
    """The words for somebody who looks into a container with nobody there to look on."""
    return _choose(WORDING["looks"], f"{key}:{event.person}:{event.container}").format(
        who=event.person, what=event.container
    )


def items(
    task: str, group: str, drafts: Sequence[TwinDraft], draw: Draw, *, family: str, domain: str = ""
) -> list[Item]:
    """The twins of a group as items."""
    scripts = _levelled([_script(draft, draw.key) for draft in drafts], draw)
    turned = draw.rng.random() < 0.5
    common: dict[str, Tag] = {
        "task": task,
        "perspective": PERSPECTIVES[task.partition("/")[0]],
        "family": family,
        "twin": group,
        "domain": domain or draw.scene.domain,
    }
    found = []
    for draft, script in zip(drafts, scripts, strict=True):
        # The same order for all twins: then the first choice is right as often as the second.
        choices = sorted((draft.right, draft.wrong), reverse=turned)
        found.append(
            Item(
                id=f"{group}-{draft.twin_kind}",
                context=" ".join(script),
                question=draft.question,
                answer=draft.right,
                choices=tuple(choices),
                cloze=draft.cloze,
                tags={**common, "story": group, "twin_kind": draft.twin_kind, **draft.tags},
                meta={**draft.meta, **trace(draft.story), "canary": CANARY},
            )
        )
    return found


def trace(story: Story) -> dict[str, Any]:
    """Events and premises as JSON: all that is needed to work out every view again."""
    return {"events": story.to_dicts(), "premises": premises_as_json(story.premises)}


def premises_as_json(premises: Premises) -> dict[str, Any]:
    """Premises in the form that story files have."""
    distrust = [list(pair) for pair in sorted(premises.distrust)]
    return {"clear": sorted(premises.clear), "distrust": distrust, "fresh": premises.fresh}


# ---- words --------------------------------------------------------------------------------------------------------


def _script(draft: TwinDraft, key: str) -> list[str]:
    scene, *events = _told(draft, key)
    return [" ".join(filter(None, (draft.premise, scene))), *events, *filter(None, [draft.ending])]


def _told(draft: TwinDraft, key: str) -> Iterator[str]:
    """A sentence for the scene, then one for every event; people who come or go one after another do so together."""
    parts = list(draft.story.prefixes())
    first = next((n for n, part in enumerate(parts) if not isinstance(part.event, Place | Enter)), len(parts))
    yield _scene(parts[:first], key)
    told: Counter[str] = Counter()
    for kind, run in groupby(parts[first:], key=lambda part: "" if part.event in draft.words else _moving(part)):
        several = list(run)
        if kind:
            people = [part.event.actor() for part in several if part.event is not None]
            forms = WORDING["leavings"] if kind.startswith("leave") else WORDING["arrivals"]
            words = _choose(forms, f"{key}:{kind}:{people}")
            yield words.format(who=listing(people), room=kind.partition(" ")[2])
            continue
        for part in several:
            if part.event is None:
                continue
            if part.event in draft.words:
                yield draft.words[part.event]
                continue
            # By what is done and by whom, and by the how-manieth time: whatever twins share gets the same words.
            name = f"{type(part.event).__name__}:{part.event.actor()}"
            told[name] += 1
            yield last_sentence(part, seed=f"{key}:{name}:{told[name]}")


def _moving(part: Story) -> str:
    """ "enter ROOM" or "leave ROOM" for those who come or go with nobody watching in secret, else nothing."""
    event = part.event
    if not isinstance(event, Enter | Leave) or event.peekers or event.distracted:
        return ""
    return f"{type(event).__name__.lower()} {event.room}"


def _scene(parts: Sequence[Story], key: str) -> str:
    events = [part.event for part in parts]
    people = [event.person for event in events if isinstance(event, Enter)]
    what = [f"{'an' if event.name[0] in 'aeiou' else 'a'} {event.name}" for event in events if isinstance(event, Place)]
    room = next(event.room for event in events if isinstance(event, Enter | Place))
    form = _choose(WORDING["openings"] if what else WORDING["bare_openings"], f"{key}:opening")
    were = "were" if len(people) > 1 else "was"
    return form.format(who=listing(people), were=were, what=listing(what) if what else "", room=room)


def _choose(forms: Sequence[str], key: str) -> str:
    return random.Random(key).choice(forms)


def _levelled(scripts: Sequence[list[str]], draw: Draw) -> list[list[str]]:
    """The scripts with stray sentences, such that neither their length nor their words tell twins apart."""
    for _ in range(TRIES):
        levelled = _padded(scripts, draw)
        if not differ([" ".join(script) for script in levelled], most=0.09):
            break
    return levelled


def _padded(scripts: Sequence[list[str]], draw: Draw) -> list[list[str]]:
    """A few stray sentences for all twins, then for each as many as make it as long as the others."""
    pool = draw.rng.sample(FILLERS, len(FILLERS))
    shared = [pool.pop() for _ in range(draw.rng.randrange(3))]
    scripts = [[script[0], *shared, *script[1:]] for script in scripts]
    longest = max(map(_length, scripts))
    for script in scripts:
        spare = draw.rng.sample(pool, 12)
        while (lack := longest - _length(script)) > 0.06 * longest:
            best = min(spare, key=lambda filler: abs(len(filler.split()) - lack))
            spare.remove(best)
            # Neither first nor last, where a sentence would set the scene or lead up to the question.
            script.insert(draw.rng.randrange(1, len(script)), best)
    return scripts


def _length(script: Sequence[str]) -> int:
    return sum(len(sentence.split()) for sentence in script)
