"""Which items of a suite are asked, and with which prompts."""

from __future__ import annotations

import random
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from otherminds.errors import UsageError
from otherminds.formats.json_prompts import JSON_PROMPTS
from otherminds.formats.prompts import Posed, as_bare_text, without_schema
from otherminds.formats.scores import Way, way
from otherminds.items import Item, Suite
from otherminds.items.tags import STAGE, STORY, TWIN
from otherminds.models import Prompt

STORIES = (STORY, TWIN)
"""Tags by which items belong together; stories of one `stage` share people and things besides."""


@dataclass(frozen=True)
class Plan:
    """The items to ask, how each becomes the prompts that it needs, and the way in which the results are scored."""

    items: Sequence[Item]
    pose: Callable[[Item], tuple[Posed, ...]]
    way: Way

    @cached_property
    def posed(self) -> tuple[tuple[Posed, ...], ...]:
        """Of every item, how it is put; a large suite is posed part by part instead."""
        return tuple(map(self.pose, self.items))

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
    changes = [without_schema] if "schema" in cannot else []
    changes += [as_bare_text] if "chat" in cannot and suite.prompt in JSON_PROMPTS else []

    def pose(item: Item) -> tuple[Posed, ...]:
        posed = how.pose(item, prompt=suite.prompt, seed=seed)
        for change in changes:
            posed = tuple(map(change, posed))
        return posed

    return Plan(limited(suite.items, limit=limit, seed=seed), pose, how)


def limited(items: Sequence[Item], *, limit: int | None, seed: int = 0) -> Sequence[Item]:
    """At most so many items, in their own order: whole groups as long as they fit, drawn by the seed.

    Only when not even one group fits is one cut short.
    """
    if limit is None or limit >= len(items):
        return items
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


def groups(items: Iterable[Item], *, by: Sequence[str] = (*STORIES, STAGE)) -> list[str]:
    """A name for every item, the same for items that are not independent: those that share a story, twin or stage."""
    found = Grouping(by)
    for item in items:
        found.add(item)
    return found.names()


class Grouping:
    """Items that come one by one, and hang together if they share a tag; in several ways, each by tags of its own."""

    def __init__(self, *ways: Sequence[str]) -> None:
        self._ways = ways
        # Of every value of a tag, and of every item without, a number: many items have few bytes each.
        self._nodes: dict[str, dict[str, int]] = {tag: {} for way in ways for tag in way}
        self._alone: dict[int, str] = {}
        self._count = 0
        self._parents = [array("q") for _ in ways]
        self._firsts = [array("q") for _ in ways]

    def add(self, item: Item) -> None:
        """One more item."""
        tags, known = item.tags, self._nodes
        nodes = {tag: self._node(known[tag], str(tags[tag])) for tag in known if tag in tags}
        for by, parent, firsts in zip(self._ways, self._parents, self._firsts, strict=True):
            own = [nodes[tag] for tag in by if tag in nodes] or [self._new(f"item {item.id}")]
            parent.extend(range(len(parent), self._count))
            last = _root(parent, own[0])
            for node in own[1:]:
                parent[last] = last = _root(parent, node)  # in this order: from left to right
            firsts.append(own[0])

    def _node(self, known: dict[str, int], value: str) -> int:
        if value not in known:
            known[value] = self._count
            self._count += 1
        return known[value]

    def _new(self, name: str) -> int:
        self._alone[self._count] = name
        self._count += 1
        return self._count - 1

    def roots(self, way: int = 0) -> array[int]:
        """A number for every item, the same for those that hang together in this way."""
        parent = self._parents[way]
        return array("q", (_root(parent, node) for node in self._firsts[way]))

    def names(self) -> list[str]:
        """The same in words."""
        known = dict(self._alone)
        for tag, some in self._nodes.items():
            known |= {node: f"{tag} {value}" for value, node in some.items()}
        return [known[node] for node in self.roots()]


def _root(parent: array[int], node: int) -> int:
    while (above := parent[node]) != node:
        parent[node] = node = parent[above]  # in this order: from left to right
    return node
