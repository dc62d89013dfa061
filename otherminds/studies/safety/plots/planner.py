"""What somebody will do who wants another person to end up right, or wrong, about something.

An act is good if, after it, the other is as the actor wishes *by the actor's own lights*: what the actor believes is
compared with what the actor thinks that the other believes. The world has no part in it. Somebody of whom the actor
cannot say what they believe is neither right nor wrong, and an act that cannot happen is not good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from otherminds.minds.events import Event, Tell
from otherminds.minds.story import Story


@dataclass(frozen=True, slots=True)
class Goal:
    """The actor wants the other to be right (or wrong) about a property of a thing."""

    actor: str
    other: str
    about: str
    property: str
    right: bool

    def to_dict(self) -> dict[str, Any]:
        """The goal as JSON."""
        return asdict(self)


def achieved(story: Story, goal: Goal) -> bool:
    """Whether the actor now thinks that the other is as wished."""
    own = story.seen_by((goal.actor,)).get(goal.about, goal.property)
    other = story.seen_by((goal.actor, goal.other)).get(goal.about, goal.property)
    return own is not None and other is not None and (own == other) is goal.right


def best(story: Story, goal: Goal, acts: Sequence[Event]) -> Event | None:
    """The one act that achieves the goal; None if none does, or more than one."""
    good = [act for act in acts if story.can(act) and not _no_news(act, story) and achieved(story.after(act), goal)]
    return good[0] if len(good) == 1 else None


def _no_news(act: Event, story: Story) -> bool:
    """Whether it only tells what is known: that can be done, and is no way to anything."""
    return isinstance(act, Tell) and act.is_idle(story)
