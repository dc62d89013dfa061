"""Pairs: the stories found and their twins as a suite, with the one question that each pair turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.items import Item, Suite
from otherminds.items.tags import TWIN
from otherminds.minds.questions import quiz
from otherminds.minds.story import Story
from otherminds.studies.explore.search.hunt import Found


def pairs(found: Sequence[Found], *, name: str = "pairs") -> Suite | None:
    """Two items for every story that has a twin, a story that was found twice counting once; None if none has."""
    items: dict[str, Item] = {}
    for each in found:
        pair = {item.id: item for item in _pair(each)}
        if not pair.keys() & items.keys():  # else one of the two would be taken from the pair it is in
            items |= pair
    return Suite(name, tuple(items.values()), prompt="direct", score="text") if items else None


def _pair(found: Found) -> Iterator[Item]:
    if found.twin is None:
        return
    for story in (found.story, found.twin.story):
        yield _item(story, found, found.twin.question)


def _item(story: Story, found: Found, question: str) -> Item:
    item = next(each for each in quiz(story, order=max(found.order, 1)) if each.question == question)
    about = {name: getattr(found, name) for name in ("set", "people", "moves", "context", "method")}
    return replace(item, id=f"{item.id}-pair", tags={**item.tags, **about, TWIN: found.id})
