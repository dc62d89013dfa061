"""Stories in clear English: a sentence or two for every event, in one canonical form or in seeded paraphrases.

Whoever peeks at an event or misses it is told together with that event, so that a reader knows it belongs to it alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from otherminds.minds.sightings import Saying
from otherminds.minds.wording import WORDING
from otherminds.minds.world import STATE, Fact

if TYPE_CHECKING:
    from otherminds.minds.events import Event
    from otherminds.minds.story import Story

Forms = tuple[str, ...]
"""Ways to say the same, of which the first is the canonical one."""

PEEKED = WORDING["peeked"]
MISSED = WORDING["missed"]
MISSED_TOO = WORDING["missed_too"]
"""The same where somebody else peeked, so that "this" might be taken for the peeking."""


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
    clear = [
        f"One can see into the {name} from outside: anyone in the room sees what is in it."
        for name in sorted(premises.clear)
        if name in story.cast.roles
    ]
    distrust = [
        f"{listing(sorted(hearers))} {'pays' if len(hearers) == 1 else 'pay'} no attention to anything {speaker} says,"
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
        f"{'Otherwise, people' if but else 'People'} in this story believe the last thing they were told or overheard, "
        "and that whoever said it believes it too, unless they have seen for themselves that it is not so and have "
        "been there ever since. "
        "Everyone knows this about everyone."
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
        words.append(_pick(forms, rng).format(who=who, was="were" if many else "was", what=event.missed()))
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
