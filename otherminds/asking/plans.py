"""Which items of a suite are asked, and with which prompts."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from otherminds.asking.json_prompts import JSON_PROMPTS
from otherminds.asking.prompts import Posed, as_bare_text, without_schema
from otherminds.asking.scores import Way, way
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.items.tags import STAGE, STORY, TWIN
from otherminds.models import Prompt

STORIES = (STORY, TWIN)
"""Tags by which items belong together; stories of one `stage` share people and things besides."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The items to ask, each with the prompts it needs, and the way in which the results are scored."""

    items: tuple[Item, ...]
    posed: tuple[tuple[Posed, ...], ...]
    way: Way

    @property
    def prompts(self) -> list[Prompt]:
        """All prompts, one after another."""
        return [asked.prompt for several in self.posed for asked in several]


def plan(suite: Suite, *, limit: int | None = None, seed: int = 0, cannot: Collection[str] = ()) -> Plan:
    """How this suite is put to a model.

    One that cannot keep to a schema gets the same words without it; one without a chat is asked for JSON in bare text,
    since there is no other wording for that.
    """
    how = way(suite.score)
    items = limited(suite.items, limit=limit, seed=seed)
    posed = tuple(how.pose(item, prompt=suite.prompt, seed=seed) for item in items)
    if "schema" in cannot:
        posed = tuple(tuple(map(without_schema, several)) for several in posed)
    if "chat" in cannot and suite.prompt in JSON_PROMPTS:
        posed = tuple(tuple(map(as_bare_text, several)) for several in posed)
    return Plan(items, posed, how)


def limited(items: Sequence[Item], *, limit: int | None, seed: int = 0) -> tuple[Item, ...]:
    """At most so many items, in their own order: whole groups as long as they fit, drawn by the seed.

    Only when not even one group fits is one cut short.
    """
    if limit is None or limit >= len(items):
        return tuple(items)
    if limit < 1:
        raise UsageError(f"a limit of {limit} leaves nothing to ask; give a number from 1 on")
    members: dict[str, list[int]] = defaultdict(list)
    for position, group in enumerate(groups(items, by=STORIES)):
        members[group].append(position)
    drawn = random.Random(f"limit:{seed}").sample(list(members.values()), len(members))
    chosen: list[int] = []
    for positions in drawn:
        if len(chosen) + len(positions) <= limit:
            chosen += positions
    return tuple(items[position] for position in sorted(chosen or drawn[0][:limit]))


def groups(items: Sequence[Item], *, by: Sequence[str] = (*STORIES, STAGE)) -> list[str]:
    """A name for every item, the same for items that are not independent: those that share a story, twin or stage."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := parent.setdefault(name, name)) != name:
            parent[name] = name = parent[above]  # in this order: from left to right
        return name

    first = []
    for item in items:
        tags = item.tags
        names = [f"{tag} {tags[tag]}" for tag in by if tag in tags] or [f"item {item.id}"]
        last = root(names[0])
        for name in names[1:]:
            parent[last] = last = root(name)
        first.append(names[0])
    return [root(name) for name in first]
