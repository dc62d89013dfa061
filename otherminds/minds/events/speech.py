"""Speech: words to one person, or to all in a room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, final

from otherminds.errors import BadFile
from otherminds.minds.events.event import Event, Order, Outcome, Shape, known, text
from otherminds.minds.events.sayings import SAYINGS, is_news
from otherminds.minds.sightings import PLACE, Saying
from otherminds.minds.telling import Forms, clause
from otherminds.minds.wording import WORDING
from otherminds.minds.world import STATE, Fact, Words

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

TELL = WORDING["tell"]
TELL_ALOUD = WORDING["tell_aloud"]
TELL_THE_OTHER = WORDING["tell_the_other"]
"""Out loud, where but one other is in the room."""
OVERHEARD = WORDING["overheard"]


@final
@dataclass(frozen=True, slots=True)
class Tell(Event):
    """A person says something: to one listener in private, wherever the two are, or out loud to all in the room.

    A topic is only brought up. A fact is believed by whoever trusts the speaker, whether it is true, mistaken or a lie;
    the speaker's own belief does not change.
    """

    peeked: ClassVar[Forms] = OVERHEARD

    speaker: str
    listener: str | None = None
    topic: str = field(default="", kw_only=True)
    fact: Fact | None = field(default=None, kw_only=True)

    def actor(self) -> str:
        return self.speaker

    def names(self) -> tuple[tuple[str, str], ...]:
        names: tuple[tuple[str, str], ...] = ((self.speaker, "person"),)
        if self.listener is not None:
            names += ((self.listener, "person"),)
        if self.fact is None:
            return names
        of, property, value = self.fact
        if property in PLACE:
            names += ((value, property),)
        return names if property == "room" else (*names, (of, "thing"))

    def scene(self, story: Story) -> frozenset[str]:
        return Event.scene(self, story) if self.listener is None else frozenset((self.speaker, self.listener))

    def raises(self) -> str | None:
        return self.topic

    def refusal(self, story: Story) -> str | None:
        speaker = self.speaker
        if bool(self.topic) == (self.fact is not None):
            return f"{speaker} must speak of a topic or tell a fact, and not both"
        if speaker == self.listener:
            return f"{speaker} cannot tell {speaker} anything"
        if len(self.scene(story)) < 2:
            return f"nobody is there to hear {speaker}"
        if self.fact is not None and self.fact.of not in story.cast.roles:
            return f"nothing is known of {self.fact.of} yet, so {speaker} cannot speak of it"
        if self.fact is not None and story.cast.roles[self.fact.of] == "room":
            return f"the {self.fact.of} is a room, and only of people and things can one say where they are"
        return None

    def is_idle(self, story: Story) -> bool:
        words = self.topic if self.fact is None else self.fact
        return not is_news(words, self.speaker, self.scene(story), story)

    def happen(self, story: Story) -> Outcome:
        hearers, world, fact = self.scene(story), story.world, self.fact
        if fact is None:
            topic = self.topic
            return world.hearing(topic), (self.sighting(hearers, lambda view: view.hearing(topic)),), ()
        seen_by = (hearers | self.peekers) - self.distracted if self.peekers or self.distracted else hearers
        # Words about what lies before one's eyes, or should, are put right by a look.
        there = story._there
        meant = [room for room in {world._room.get(fact.of, ""), fact.value} if room in there]
        rooms = tuple([room for room in sorted(meant) if not seen_by.isdisjoint(there[room])]) if meant else ()
        return world, (Saying(seen_by, hearers, self.speaker, fact),), rooms

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        roles: Mapping[str, str] = before.cast.roles if before is not None else {}
        what = f"about {self.topic}" if self.fact is None else f"that {clause(self.fact, roles, 'was')}"
        slots = {"speaker": self.speaker, "what": what}
        if self.listener is not None:
            return TELL, slots | {"listener": self.listener}
        others = sorted(self.scene(before) - {self.speaker}) if before is not None else []
        if len(others) == 1:
            return TELL_THE_OTHER, slots | {"listener": others[0]}
        return TELL_ALOUD, slots | {"room": known(before, self.speaker, "room") or ""}

    def missed(self) -> str:
        return f"what {self.speaker} said"

    def brief(self, roles: Mapping[str, str]) -> str:
        what = f"about {self.topic}" if self.fact is None else f"that {clause(self.fact, roles)}"
        return f"{self.speaker} tells {self.listener or 'all'} {what}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        optional = {"topic": str, "fact": dict}
        return (
            Shape("tell_privately", {"speaker": "speaker", "listener": "listener"}, optional),
            Shape("tell_publicly", {"speaker": "speaker"}, optional),
        )

    def details(self) -> dict[str, Any]:
        if self.fact is None:
            return {"topic": self.topic}
        return {"fact": dict(zip(("entity", "property", "value"), self.fact, strict=True))}

    @classmethod
    def read(cls, fields: dict[str, Any], where: str, containers: set[str]) -> Self:
        if "fact" in fields:
            fields["fact"] = _read_fact(fields["fact"], f"{where}: fact")
        return cls(**fields)

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        return tuple(SAYINGS)

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        return SAYINGS[kind](setting, story, order, _told)

    def kind(self, before: Story) -> str:
        aloud = " aloud" if self.listener is None else ""
        if self.fact is None:
            return f"topic{aloud}"
        honest = before.seen_by((self.speaker,)).get(self.fact.of, self.fact.property) == self.fact.value
        return f"{self.fact.property if honest else 'lie'}{aloud}"


@lru_cache(maxsize=1 << 14)
def _told(words: Words, speaker: str, listener: str | None) -> Tell:
    return Tell(speaker, listener, topic=words) if isinstance(words, str) else Tell(speaker, listener, fact=words)


def _read_fact(fact: Mapping[str, Any], where: str) -> Fact:
    of = "entity" if "entity" in fact else "of"
    entity, property, value = (text(fact.get(part), f"{where} {part}") for part in (of, "property", "value"))
    if property not in ("room", "container") and not property.startswith(STATE):
        raise BadFile(f"{where} property should be room, container or state:TYPE, not {property!r}")
    return Fact(entity, property, value)
