"""Build: the questions about the stories found, as suites.

They are asked with options, or without, as was published; of stories in prose, each question beside the same question
about the canonical words; of a story and its twin, the one question that the pair turns.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats.written_answers import read_choice
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import CANONICAL, INFILLED, ORDER, POSSIBLE, TELLING, TWIN
from otherminds.minds.questions import UNKNOWN, quiz
from otherminds.models import Response
from otherminds.runs.runs import Record, Run
from otherminds.search.hunt import Found
from otherminds.stats import Difference, Estimate, difference, mean

MOST, CLEARLY = 0.4, 0.08
"""No answer may be right in more than the one share of the questions, nor by the other above chance."""
_PROSE, _PAIR = "-infilled", "-pair"
"""What the ids of such items end with."""


def suite(
    found: Sequence[Found],
    *,
    order: int = 2,
    interesting: bool = False,
    paraphrase: int | None = None,
    name: str = "explore",
) -> Suite:
    """All questions about the stories found, up to an order; with `paraphrase`, told in the words of that seed."""
    items: dict[str, Item] = {}
    for each in found:
        for item in quiz(each.story, order=max(order, each.order), seed=paraphrase):
            if not interesting or item.tags.get("interesting") is True:
                items.setdefault(item.id, _about(item, each, found=each.id))
    if not items:
        raise UsageError("there is nothing to ask: no stories were found, or none with such questions")
    return Suite(name, tuple(items.values()), prompt="direct", score="text", study="explore")


def reworded(found: Sequence[Found], seed: int) -> Suite:
    """Only the questions that the search went by, for these are what the two tellings are compared on."""
    orders = {each.order for each in found}
    told = suite(found, order=max(orders), paraphrase=seed, name="reworded stories")
    return told.where(lambda item: item.tags["order"] in orders)


def _about(item: Item, story: Found, **meta: str) -> Item:
    """An item with what is known of the story found."""
    known = {name: getattr(story, name) for name in ("set", "people", "moves", "context", "method")}
    return replace(item, tags={**item.tags, **known}, meta={**item.meta, **meta})


# ---- as many of each ------------------------------------------------------------------------------------------------


def balanced(items: Sequence[Item], tag: str, *, seed: int = 0) -> tuple[Item, ...]:
    """As many items with each value of a tag as there are with the rarest, within every kind and order."""
    groups: dict[tuple[Tag, Tag], dict[Tag, list[Item]]] = {}
    for item in items:
        if tag in item.tags:
            values = groups.setdefault((item.tags["kind"], item.tags["order"]), {})
            values.setdefault(item.tags[tag], []).append(item)
    rng = random.Random(f"balance:{seed}")
    kept: set[str] = set()
    for values in groups.values():
        fewest = min(map(len, values.values())) if len(values) > 1 else 0
        kept.update(item.id for several in values.values() for item in rng.sample(several, fewest))
    if not kept:
        raise UsageError(f"nothing can be balanced by {tag!r}: no kind of question has items with two values of it")
    return tuple(item for item in items if item.id in kept)


def evened(items: Sequence[Item], *, seed: int = 0) -> tuple[Item, ...]:
    """The items with too many of the same answer left out, within every set, kind and order.

    No constant answer is right in more than 40 % of a group, nor clearly more often than chance, where the group has
    enough answers for that.
    """
    groups: dict[tuple[Tag | None, ...], dict[str, list[Item]]] = {}
    for item in items:
        group = groups.setdefault(tuple(item.tags.get(name) for name in ("set", "kind", "order")), {})
        group.setdefault(item.answer, []).append(item)
    rng = random.Random(f"evened:{seed}")
    kept = {item.id for group in groups.values() for item in _evened(group, rng)}
    return tuple(item for item in items if item.id in kept)


def _evened(group: Mapping[str, list[Item]], rng: random.Random) -> list[Item]:
    """Of the items by answer, as many as may stay; of a single answer, none."""
    if len(group) < 2:
        return []
    kept = {answer: rng.sample(several, len(several)) for answer, several in group.items()}
    chance = fmean(1 / len(item.choices) for several in group.values() for item in several)
    most = max(1 / len(group), min(MOST, chance + CLEARLY))
    while True:
        answer = max(kept, key=lambda each: len(kept[each]))
        others = sum(map(len, kept.values())) - len(kept[answer])
        if len(kept[answer]) <= most * (others + len(kept[answer])) + 1e-9:
            return [item for several in kept.values() for item in several]
        kept[answer].pop()


# ---- pairs ----------------------------------------------------------------------------------------------------------


def pairs(found: Sequence[Found], *, name: str = "pairs") -> Suite | None:
    """Two items for every story that has a twin, a story that was found twice counting once; None if none has."""
    items: dict[str, Item] = {}
    for each in found:
        pair = {item.id: item for item in _pair(each)}
        if not pair.keys() & items.keys():  # else one of the two would be taken from the pair it is in
            items |= pair
    return Suite(name, tuple(items.values()), prompt="direct", score="text") if items else None


def _pair(found: Found) -> Iterator[Item]:
    for story in (found.story, found.twin.story) if found.twin else ():
        asked = quiz(story, order=max(found.order, 1))
        item = _about(next(each for each in asked if found.twin and each.question == found.twin.question), found)
        yield replace(item, id=item.id + _PAIR, tags={**item.tags, TWIN: found.id})


# ---- in prose -------------------------------------------------------------------------------------------------------


def suite_in_prose(found: Sequence[Found], texts: Mapping[str, str], *, name: str = "explore", **options: Any) -> Suite:
    """Every question about the stories that were told to their end, twice: about the bare words and about the prose."""
    whole = [each for each in found if each.id in texts]
    if not whole:
        raise UsageError("none of these stories was told to its end, so there is nothing to ask about in prose")
    items: list[Item] = []
    for item in (made := suite(whole, name=name, **options)):
        plain, prose = (replace(item, tags={**item.tags, TELLING: how}) for how in (CANONICAL, INFILLED))
        items += [plain, replace(prose, id=item.id + _PROSE, context=texts[str(item.meta["found"])])]
    return replace(made, items=tuple(items))


def compare_tellings(run: Run) -> dict[str, Estimate | Difference]:
    """Accuracy on the bare words and on the prose, over the questions with a value in both, and its change; or none."""
    values = run.values()
    stories = {record.item.id: str(record.item.meta.get("found")) for record in run.records}
    both = [(id, id + _PROSE) for id in values if id + _PROSE in values]
    groups = [stories[plain] for plain, _ in both]
    plain, prose = ([values[pair[side]] for pair in both] for side in (0, 1))
    if not both:
        return {}
    found = {name: mean(some, groups=groups) for name, some in (("canonical", plain), ("infilled", prose))}
    return {**found, "difference": difference(prose, plain, groups=groups)}


# ---- without options ------------------------------------------------------------------------------------------------


def open_suite(found: Sequence[Found], *, name: str = "open") -> Suite:
    """The questions that the search went by, without options; whoever does not know has no question, as published."""
    orders = {each.order for each in found}
    made = suite(found, order=max(orders, default=1), name=name)
    asked = made.where(lambda item: item.tags[ORDER] in orders and item.answer != UNKNOWN)
    items = (replace(item, choices=(), meta={**item.meta, POSSIBLE: list(item.choices)}) for item in asked)
    return replace(asked, items=tuple(items))


def is_open(run: Run) -> bool:
    """Whether a run put the questions without options."""
    return any(POSSIBLE in record.item.meta for record in run.records)


def open_marks(run: Run) -> dict[tuple[str, str], dict[str, float | None]]:
    """By story and question, how an open answer is marked: `named` as everywhere here, and as `published`.

    There an answer is right if it contains the expected words, so "not the tin" is right where "tin" is. Here it counts
    if it names exactly one of the possible answers.
    """
    return {
        (record.item.context, record.item.question): _marks(record)
        for record in run.records
        if POSSIBLE in record.item.meta and record.score.verdict not in ("error", "refused")
    }


def _marks(record: Record) -> dict[str, float | None]:
    (response,), item = record.results, record.item
    text = response.text if isinstance(response, Response) else ""
    # In front of an answer nobody was shown letters for, "A" is an article.
    reading = read_choice(re.sub(r"^\s*an?\s", "", text, flags=re.IGNORECASE), item.meta[POSSIBLE])
    named = float(reading.answer == item.answer) if reading.answer else None
    return {"named": named, "published": float(item.answer.lower() in text.lower())}
