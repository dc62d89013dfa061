"""Twins of stories in numbered lines: somebody comes or goes at another moment, and the answer turns round.

Both twins are made of the same sentences, and everything moves to the same places in the same order. So whoever goes by
reality, by what is named last or first, or by the options alone gives the same answer twice, and is right once. Where
what is in a container can be seen, both get a return as well: somebody who left looks in again, before the move or
after it. That breaks the rule of the earliest leaver, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.bridges.benchmarks import hitom, tomi
from otherminds.bridges.benchmarks.known import benchmark_of
from otherminds.bridges.benchmarks.tomi import Untold, WhereQuestion, answer, asked, sentences, tell
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.items.tags import BENCHMARK, CONSISTENT, EVENTS, FALSE_BELIEF, MINDS, REALITY, STORY, TWIN

OPEN = {tomi.NAME: True, hitom.NAME: False}
"""The benchmarks whose stories can be told as events, and whether what is in a container can be seen."""


def twins(suite: Suite) -> Suite:
    """The items that have a twin, each with it; the answers of both are the engine's."""
    pairs = [pair for item in suite if item.meta.get(BENCHMARK) in OPEN and (pair := _pair(item))]
    if not pairs:
        raise UsageError(
            f"no item of suite {suite.name!r} has a twin that the belief engine can make; "
            "it makes them of the stories of ToMi and Hi-ToM"
        )
    return replace(suite, name=f"{suite.name}-twins", items=tuple(item for pair in pairs for item in pair))


def _pair(item: Item) -> tuple[Item, Item] | None:
    """The first pair of tellings with different answers in the same world."""
    what, lines = asked(item.question), _lines(item)
    if what is None or not what.minds:
        return None
    open_containers = OPEN[benchmark_of(item).name]
    for one, other in _ways(lines, what, open_containers):
        first, second = (_told(item, told, what, open_containers) for told in (one, other))
        if first and second and first.answer != second.answer and first.meta[REALITY] == second.meta[REALITY]:
            return first, replace(second, id=f"{item.id}-twin")
    return None


def _ways(lines: list[str], what: WhereQuestion, open_containers: bool) -> Iterator[tuple[list[str], list[str]]]:
    """Pairs of tellings to try, those that break most rules first."""
    if open_containers:
        for base in (lines, *_moved(lines, what)):
            yield from _returned(base, what)
    yield from ((lines, other) for other in _moved(lines, what))


def _lines(item: Item) -> list[str]:
    return sentences(item.context.split("\nNote: ")[0])


def _returned(lines: Sequence[str], what: WhereQuestion) -> Iterator[tuple[list[str], list[str]]]:
    """One of the minds who left looks in again, at once in the one story and at the end in the other."""
    for place, line in enumerate(lines):
        hit = re.fullmatch(r"(\w+) exited the (\w+)\.", line)
        if hit and hit[1] in what.minds:
            again = [f"{hit[1]} entered the {hit[2]}.", line]
            yield [*lines[: place + 1], *again, *lines[place + 1 :]], [*lines, *again]


def _moved(lines: Sequence[str], what: WhereQuestion) -> Iterator[list[str]]:
    """Every way to put one coming or going of theirs at another place in the story, the nearest first."""
    comings = [place for place, line in enumerate(lines) if _goes(line, what.minds)]
    ways = [(abs(to - place), place, to) for place in comings for to in range(len(lines)) if to != place]
    for _, place, to in sorted(ways):
        rest = [*lines[:place], *lines[place + 1 :]]
        yield [*rest[:to], lines[place], *rest[to:]]


def _goes(line: str, minds: Sequence[str]) -> bool:
    hit = re.fullmatch(r"(.+?) (?:entered|exited) the [\w ]+\.", line)
    return bool(hit and set(re.split(r",\s*|\s+and\s+", hit[1])) & set(minds))


def _told(item: Item, lines: Sequence[str], what: WhereQuestion, open_containers: bool) -> Item | None:
    """The item with these lines as its story; none where they cannot happen, or nothing is known in the end."""
    try:
        story = tell(lines, open_containers=open_containers)
    except Untold:
        return None
    gold, reality = answer(story, lines, what), story.world.get(what.thing, "container")
    if gold not in item.choices or reality not in item.choices:
        return None
    numbered = item.context.lstrip()[:1].isdigit()
    told = [f"{number} {line}" for number, line in enumerate(lines, start=1)] if numbered else list(lines)
    note = item.context.partition("\nNote: ")[1:]
    tags = {**item.tags, TWIN: item.id, STORY: item.id, FALSE_BELIEF: gold != reality}
    tags.pop(CONSISTENT, None)
    meta = {**item.meta, EVENTS: story.to_dicts(), MINDS: list(what.minds), REALITY: reality, "published_gold": gold}
    return replace(item, context="\n".join(told) + "".join(note), answer=str(gold), tags=tags, meta=meta)
