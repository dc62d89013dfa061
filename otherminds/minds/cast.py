"""Cast: everything that a story has named so far, each with its role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from otherminds.minds.events import Event
from otherminds.minds.sightings import NOBODY
from otherminds.minds.world import OPEN

RESERVED = frozenset({OPEN, "unknown", "in no container"})


@dataclass(slots=True)  # frozen, it would take three times as long to make, and stories make many
class Cast:
    """Everything a story has named, with its role. It is never written to."""

    roles: Mapping[str, str]
    people: tuple[str, ...]
    things: frozenset[str]
    visible: Mapping[str, bool]
    """For every property that was changed: whether it can be seen."""

    def refusal(self, event: Event) -> str | None:
        """Why the event cannot use these names."""
        roles = self.roles
        new: dict[str, str] = {}
        for name, role in event.names():
            if name in RESERVED:
                return f"{name!r} means something else in answers, so nothing can be called that"
            known = roles.get(name) or new.setdefault(name, role)
            if known != role:
                return f"{name} is a {known} in this story, so cannot be a {role}"
        for name in event.peekers:
            known = roles.get(name) or new.get(name, "person")
            if known != "person":
                return f"{name} is a {known} in this story, so cannot peek"
        return None

    def after(self, event: Event) -> Cast:
        """With whatever the event names for the first time."""
        roles, people, things, visible = self.roles, self.people, self.things, self.visible
        names = event.names()
        if event.peekers:
            names = (*names, *[(name, "person") for name in sorted(event.peekers)])
        for name, role in names:
            if name not in roles:
                roles = {**roles, name: role}
                if role == "person":
                    people = (*people, name)
                elif role == "thing":
                    things = things | {name}
        altered = event.alters()
        if altered is not None and altered[0] not in visible:
            visible = {**visible, altered[0]: altered[1]}
        elif roles is self.roles:
            return self
        return Cast(roles, people, things, visible)


NOBODY_YET = Cast({}, (), NOBODY, {})
