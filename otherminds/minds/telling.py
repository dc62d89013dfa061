"""Stories in clear English: a sentence or two for every event, in one canonical form or in seeded paraphrases.

Whoever peeks at an event or misses it is told together with that event, so that a reader knows it belongs to it alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from otherminds.minds.sightings import Saying
from otherminds.minds.world import STATE, Fact

if TYPE_CHECKING:
    from otherminds.minds.events import Event
    from otherminds.minds.story import Story

Forms = tuple[str, ...]
"""Ways to say the same, of which the first is the canonical one."""

PEEKED: Forms = (
    "{who} secretly saw this, and nothing else, without anyone noticing.",
    "Unnoticed by anyone, {who} secretly watched just this.",
    "Nobody noticed that {who} secretly saw this, and saw nothing else.",
    "{who} witnessed this one thing in secret; nobody noticed.",
    "In secret, and noticed by nobody, {who} saw this and only this.",
    "Without anyone noticing, {who} secretly caught sight of this, and of this alone.",
)
MISSED: Forms = (
    "{who} {was} distracted just then and missed this, without anyone noticing.",
    "Nobody noticed that {who} {was} distracted for that moment and missed it.",
    "{who} missed this, being distracted for a moment, which nobody noticed.",
    "For just that moment {who} {was} distracted and missed it; nobody noticed.",
    "Without anyone noticing, {who} missed this because of a moment's distraction.",
    "This escaped {who}, distracted for just a moment; nobody noticed.",
)
MISSED_TOO: Forms = (
    "{who} {was} distracted at that same moment and missed it, without anyone noticing.",
    "Nobody noticed that {who} {was} distracted at that same moment and missed it.",
    "{who} missed it, being distracted at that same moment, which nobody noticed.",
    "For just that same moment {who} {was} distracted and missed it; nobody noticed.",
    "Without anyone noticing, {who} missed it because of a moment's distraction.",
    "It escaped {who}, distracted at that same moment; nobody noticed.",
)
"""The same where somebody else peeked."""


def sentences(story: Story, *, seed: int | None = None) -> list[str]:
    """What is told of each event, in order; with a seed, in other words. Longer stories begin as shorter ones do."""
    # One draw for every event, so that the words of an event do not depend on what comes after it.
    rng = None if seed is None else random.Random(seed)
    parts = list(story.prefixes())
    return [
        _sentence(part.event, before, rng) for part, before in zip(parts, [None, *parts], strict=False) if part.event
    ]


def last_sentence(story: Story, *, seed: str) -> str:
    """What is told of a story's last event alone, so that stories that share an event can share its words."""
    return _sentence(story.event, story._past, random.Random(seed)) if story.event is not None else ""


def told_premises(story: Story) -> list[str]:
    """What a reader must know beforehand; where facts are told, also what it takes to be believed."""
    premises = story.premises
    clear = [f"The {name} is see-through: anyone in the room sees what is in it." for name in sorted(premises.clear)]
    distrust = [
        f"{listing(sorted(hearers))} never {'believes' if len(hearers) == 1 else 'believe'} what {speaker} says,"
        " and everyone knows that."
        for speaker, hearers in sorted(_doubters(premises.distrust).items())
    ]
    fresh = ["Nobody here is talked out of what they saw at a later time than the speaker."] if premises.fresh else []
    says = any(isinstance(each, Saying) for part in story.prefixes() for each in part._sightings)
    return clear + distrust + fresh + ([_trusting(but=bool(distrust or fresh))] if says else [])


def _doubters(distrust: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Who does not believe them, by speaker."""
    found: dict[str, list[str]] = {}
    for hearer, speaker in distrust:
        found.setdefault(speaker, []).append(hearer)
    return found


def _trusting(*, but: bool) -> str:
    return (
        f"{'Otherwise, everyone' if but else 'Everyone'} here believes what they are told, unless they have seen for "
        "themselves that it is otherwise and have not left the room or looked away since; and everyone knows that."
    )


def _sentence(event: Event, before: Story | None, rng: random.Random | None) -> str:
    forms, slots = event.forms(before)
    words = [_pick(forms, rng).format_map(slots)]
    if event.peekers:
        words.append(_pick(event.peeked, rng).format(who=listing(sorted(event.peekers))))
    if event.distracted:
        many = len(event.distracted) > 1
        who = listing(sorted(event.distracted))
        forms = MISSED_TOO if event.peekers else MISSED
        words.append(_pick(forms, rng).format(who=who, was="were" if many else "was"))
    return " ".join(words)


def _pick(forms: Forms, rng: random.Random | None) -> str:
    return forms[0] if rng is None else forms[int(rng.random() * len(forms))]


def clause(fact: Fact, roles: Mapping[str, str], verb: str = "is") -> str:
    """A fact as a clause: "the apple is in the box"."""
    name = fact.of if roles.get(fact.of) == "person" else f"the {fact.of}"
    if fact.property.startswith(STATE):
        return f"{name} {fact.value}"
    return f"{name} {verb} in the {fact.value}"


def listing(names: Iterable[str]) -> str:
    """Names as one reads them out: "Anne, Bob and Carl"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
