"""Goals: what a story must have before it counts as found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from otherminds.minds.events import Event
from otherminds.minds.setting import Setting, kind_of
from otherminds.minds.story import Story
from otherminds.stories.sets import MOVES, ActionSet, Cell, premise_matters
from otherminds.stories.structure import NO_STRUCTURE, Structure

_DISPLACING = frozenset({"move", "move*", "carry", "carry*", "lie", "lie*", "lie aloud", "lie aloud*"})
_COUNTED = MOVES | {f"{kind}*" for kind in MOVES}


class Tally(NamedTuple):
    """What a story has of the things that goals count, kept up event by event."""

    moves: int = 0
    differentiating: int = 0
    secrets: int = 0
    sentences: int = 0


@dataclass(frozen=True, slots=True)
class Goal:
    """Conditions on a story. Secrets are events with a peeker or somebody distracted: at least, at most."""

    people: int = 2
    moves: int = 2
    rooms: int = 1
    differentiating: frozenset[str] = frozenset()
    """At least one event must be of one of these kinds; empty: none need be."""
    secrets: tuple[int, int] = (0, 0)
    sentences: int = 15
    structure: Structure = NO_STRUCTURE
    """What must be so in people's minds."""
    also: Callable[[Story], bool] | None = None
    premise_of: ActionSet | None = None
    """The set whose premise must make a difference to an answer."""

    @classmethod
    def of(cls, cell: Cell) -> Goal:
        """The goal of a cell of the grid."""
        secrets = (1, 1) if cell.set.asymmetric else (0, 0)
        goal = cls(cell.people, cell.moves, cell.set.rooms, cell.set.differentiating, secrets, cell.sentences)
        return replace(goal, premise_of=cell.set) if cell.set.premise else goal

    def count(self, tally: Tally, kind: str, event: Event) -> Tally:
        """The tally after one more event, which is of this kind."""
        return Tally(
            tally.moves + (kind in _COUNTED),
            tally.differentiating + (kind in self.differentiating),
            tally.secrets + (kind[-1] == "*"),
            tally.sentences + 1 + bool(event.peekers) + bool(event.distracted),
        )

    def tally(self, story: Story) -> Tally:
        """The tally of a whole story."""
        tally, before = Tally(), Story(premises=story.premises)
        for part, event in zip(story.prefixes(), story.events, strict=True):
            tally, before = self.count(tally, kind_of(event, before), event), part
        return tally

    def missing(self, story: Story, tally: Tally) -> Iterator[str]:
        """What the story lacks, in words."""
        if len(story.people) < self.people:
            yield f"people: {len(story.people)} of {self.people}"
        if tally.moves != self.moves:
            yield f"moves: {tally.moves} instead of exactly {self.moves}"
        if self.differentiating and not tally.differentiating:
            yield f"an event of the kind {' or '.join(sorted(self.differentiating))}"
        if not self.secrets[0] <= tally.secrets <= self.secrets[1]:
            yield f"secrets: {tally.secrets} instead of {self.secrets[0]} to {self.secrets[1]}"
        if tally.sentences > self.sentences:
            yield f"sentences: {tally.sentences} instead of at most {self.sentences}"
        if (rooms := sum(role == "room" for role in story.cast.roles.values())) < self.rooms:
            yield f"rooms: {rooms} of {self.rooms}"
        yield from self.structure.missing(story)
        if self.premise_of is not None and not premise_matters(story, self.premise_of):
            yield f"a question whose answer hangs on the premise of {self.premise_of.name}"
        if self.also is not None and not self.also(story):
            yield "your own condition"

    def met(self, story: Story, tally: Tally) -> bool:
        """Whether the story is complete."""
        # Asked after every event of every random ending, and mostly the moves are what is missing.
        return tally.moves == self.moves and next(self.missing(story, tally), None) is None

    def hopeless(self, tally: Tally) -> bool:
        """Whether nothing that happens next can make the story complete."""
        return tally.moves > self.moves or tally.secrets > self.secrets[1] or tally.sentences > self.sentences

    def impossible(self, setting: Setting) -> str | None:
        """Why no story of this setting can meet it, as far as that can be told beforehand."""
        kinds = set(setting.kinds)
        if self.people > len(setting.people):
            return f"{self.people} people are wanted, and the setting has {len(setting.people)}"
        if self.rooms > len(setting.rooms):
            return f"{self.rooms} rooms are wanted, and the setting has {len(setting.rooms)}"
        if self.differentiating and not self.differentiating & kinds:
            return (
                f"an event of the kind {' or '.join(sorted(self.differentiating))} is wanted, and the setting has none"
            )
        if self.moves and not any(kind.removesuffix("*") in MOVES for kind in kinds):
            return f"{self.moves} moves are wanted, and the setting has no kind of event that counts as one"
        if self.structure.false_belief == 1 and not kinds & _DISPLACING:
            return "somebody is to be wrong about what is so, and in this setting nothing is moved and nobody lies"
        if self.secrets[0] > self.secrets[1]:
            return f"at least {self.secrets[0]} secrets and at most {self.secrets[1]} are wanted"
        if (self.secrets[0] or self.structure.asymmetric) and not any(kind.endswith("*") for kind in kinds):
            return "somebody is to see or to miss something in secret, and the setting has no such kind of event"
        least = self.moves + self.secrets[0]
        if least > self.sentences:
            return (
                f"{self.moves} moves and {self.secrets[0]} secrets take {least} sentences or more, not {self.sentences}"
            )
        return None
