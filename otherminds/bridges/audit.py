"""What mindless baselines score on a suite: how far it can be solved without anybody's beliefs.

Each reader picks choices by a rule. Where it finds several equally good, or none, it guesses among them, and what it
gets is what that guess gives on average. A suite is no better than the best of them, and that one is picked with
hindsight: a fair test would have to name it beforehand.

    reality             what is really so
    not reality         anything else
    named last          the choice that the text names last; also first and most often
    earliest leaver     where the thing was when the first of the people asked about left it; where it is, if none did
    longest choice      and the first and the last option
    words of choices    never reads the text: which words were right in the other stories (naive Bayes)
    like the question   never reads the text: the choice most like the question
    constant answer     the choice that is right most often in the other stories, whatever is asked
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from statistics import fmean

from otherminds import stats
from otherminds.bridges.benchmarks.asked import published_value
from otherminds.diagnosis.readers import earliest_leaver
from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.items import Item
from otherminds.items.lint import CUES, worded
from otherminds.items.tags import BENCHMARK, REALITY, SCORED, TWIN

Pick = Callable[[Item], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Scored:
    """What one reader gets."""

    name: str
    right: stats.Estimate
    opinions: int
    """Items on which it prefers some choice; on the others it guesses."""


def _reality(item: Item) -> list[str]:
    return [item.meta[REALITY]] if item.meta.get(REALITY) in item.choices else []


def _not_reality(item: Item) -> list[str]:
    return [choice for choice in item.choices if choice != item.meta[REALITY]] if _reality(item) else []


def _like_question(item: Item) -> list[str]:
    words = set(item.question.casefold().split())
    shared = {choice: len(words & set(choice.casefold().split())) for choice in item.choices}
    best = [choice for choice, number in shared.items() if number == max(shared.values())]
    return best if len(best) < len(item.choices) else []


def _constant(items: Sequence[Item]) -> Pick:
    """The choice that is the answer most often in other stories: in its own it would have seen the key."""
    own = dict(zip((item.id for item in items), groups(items), strict=True))
    often, here = Counter(item.answer for item in items), Counter((own[item.id], item.answer) for item in items)

    def pick(item: Item) -> list[str]:
        elsewhere = {choice: often[choice] - here[own[item.id], choice] for choice in item.choices}
        best = [choice for choice, number in elsewhere.items() if number == max(elsewhere.values())]
        return best if len(best) < len(item.choices) else []

    return pick


def readers(items: Sequence[Item]) -> dict[str, Pick]:
    """Every reader that has an opinion on any of the items."""
    known: dict[str, Pick] = {
        "reality": _reality,
        "not reality": _not_reality,
        "earliest leaver": earliest_leaver,
        **{name.replace("first choice", "first option").replace("last choice", "last option"): cue
           for name, cue in CUES.items()},
        "words of choices": worded(items),
        "like the question": _like_question,
        "constant answer": _constant(items),
    }  # fmt: skip
    return {name: pick for name, pick in known.items() if any(pick(item) for item in items)}


def askable(items: Sequence[Item]) -> list[Item]:
    """The items that have choices and a right one among them."""
    found = [item for item in items if item.choices and item.tags.get(SCORED) is not False]
    if not found:
        raise UsageError("no item has choices and a right answer, so mindless baselines have nothing to pick from")
    return found


def gains(items: Sequence[Item], *, published: bool = False) -> dict[str, dict[str, float]]:
    """By reader and item what it gets, by the answer of the items or by the benchmark's own script."""
    known = readers(items)
    gets = _published if published else _by_answer
    found: dict[str, dict[str, float]] = {}
    for name, pick in known.items():
        worth = {item.id: gets(item, pick(item) or item.choices) for item in items}
        found[name] = {id: value for id, value in worth.items() if value is not None}
    return found


def _by_answer(item: Item, picked: Sequence[str]) -> float:
    return (item.answer in picked) / len(picked)


def _published(item: Item, picked: Sequence[str]) -> float | None:
    if BENCHMARK not in item.meta:
        return _by_answer(item, picked)
    worth = [value for choice in picked if (value := published_value(item, choice)) is not None]
    return fmean(worth) if worth else None


def audit(items: Sequence[Item], *, published: bool = False) -> list[Scored]:
    """What every reader gets over all items, the best first."""
    known, by_id = readers(items), dict(zip((item.id for item in items), groups(items), strict=True))
    rows = []
    for name, worth in gains(items, published=published).items():
        if worth:
            share = stats.mean(list(worth.values()), groups=[by_id[id] for id in worth])
            rows.append(Scored(name, share, sum(bool(known[name](item)) for item in items)))
    return sorted(rows, key=lambda row: -row.right.value)


def best(worth: Mapping[str, Mapping[str, float]], ids: Sequence[str]) -> tuple[str, float] | None:
    """The reader that gets most on these items, and what it gets."""
    wanted = set(ids)
    means = {
        name: fmean(values[id] for id in values if id in wanted)
        for name, values in worth.items()
        if any(id in wanted for id in values)
    }
    name = max(means, key=means.__getitem__, default=None)
    return None if name is None else (name, means[name])


def pairs_right(items: Sequence[Item]) -> dict[str, stats.Estimate]:
    """By reader the share of twins that it has all right, which no rule that gives one answer to both reaches."""
    found = {}
    for name, worth in gains(items).items():
        sets: dict[str, list[float]] = {}
        for item in items:
            if TWIN in item.tags and item.id in worth:
                sets.setdefault(str(item.tags[TWIN]), []).append(worth[item.id])
        if sets:
            found[name] = stats.mean([prod(several) for several in sets.values()])
    return dict(sorted(found.items(), key=lambda pair: -pair[1].value))
