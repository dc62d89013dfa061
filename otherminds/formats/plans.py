"""Which items of a suite are asked, and with which prompts: alone or after solved examples, once or several times.

The value of an item that is repeated is the mean over its repeats, so that an item counts once however often it was
asked, and intervals are drawn over items and their stories as ever. Repeats without a readable answer are left out and
counted.
"""

from __future__ import annotations

import random
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import fmean
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats.json_prompts import JSON_PROMPTS
from otherminds.formats.prompts import EXAMPLES, Posed, as_bare_text, without_schema
from otherminds.formats.question_formats import QuestionFormat
from otherminds.formats.scores import SCORES, Score, Scoring, scoring
from otherminds.items import Item, Suite
from otherminds.items.tags import STAGE, STORY, TWIN
from otherminds.models import Message, Prompt

STORIES = (STORY, TWIN)
"""Tags by which items belong together; stories of one `stage` share people and things besides."""


@dataclass(frozen=True)
class Plan:
    """The items to ask, how each becomes the prompts that it needs, and the way in which the results are scored."""

    items: Sequence[Item]
    pose: Callable[[Item], tuple[Posed, ...]]
    scoring: Scoring

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
    how = scoring(suite.score)
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


# ---- solved examples before each item -------------------------------------------------------------------------------

BEFORE = ("raw", "direct", "plausible", "raw-plausible")
"""Prompts before which examples can stand."""
MOST = 32


def built_in(number: int) -> tuple[Item, ...]:
    """So many examples of ours, which are about things alone and say nothing of minds."""
    if isinstance(number, bool) or not 0 <= number <= len(EXAMPLES):
        raise UsageError(f"there are {len(EXAMPLES)} built-in examples, not {number}; give a suite to show others")
    return EXAMPLES[:number]


def with_examples(plan: Plan, suite: Suite, examples: Sequence[Item], *, seed: int) -> Plan:
    """The plan with these examples before every item, but those that share a story with it."""
    if not examples:
        return plan
    _check(suite, examples)

    def shown(item: Item) -> tuple[Posed, ...]:
        apart = [example for example in examples if not _related(example, item)]
        return tuple(_after(apart, asked, plan, suite, seed) for asked in plan.pose(item))

    return replace(plan, pose=shown)


def _check(suite: Suite, examples: Sequence[Item]) -> None:
    if len(examples) > MOST:
        raise UsageError(f"{len(examples)} examples are more than {MOST}; give fewer")
    how = scoring(suite.score)
    if not how.examples or suite.prompt not in BEFORE:
        scores = [name for name, each in SCORES.items() if each.examples]
        raise UsageError(
            f"examples can stand before prompts {', '.join(BEFORE)} with scores {', '.join(scores)}, not"
            f" before {suite.prompt!r} with {suite.score!r}"
        )
    bare = next((one for one in examples if not one.choices), None)
    if bare and (how.shows or how.verb == "weigh") and any(item.choices for item in suite):
        raise UsageError(f"example {bare.id!r} has no choices, and the items of suite {suite.name!r} have some")


def _related(example: Item, item: Item) -> bool:
    """Whether an example would give an item away."""
    same = any(tag in item.tags and item.tags[tag] == example.tags.get(tag) for tag in (*STORIES, STAGE))
    return same or example.id == item.id or bool(item.context and item.context == example.context)


def _after(examples: Sequence[Item], asked: Posed, plan: Plan, suite: Suite, seed: int) -> Posed:
    solved = [_solved(example, asked, plan, suite, seed) for example in examples]
    own = asked.prompt
    if own.messages:
        turns = [turn for prompt, answer in solved for turn in (*prompt.messages, Message("assistant", answer))]
        return replace(asked, prompt=replace(own, messages=(*turns, *own.messages)))
    shown = [f"{prompt.text} {answer}" for prompt, answer in solved]
    return replace(asked, prompt=replace(own, text="\n\n".join([*shown, own.text])))


def _solved(example: Item, asked: Posed, plan: Plan, suite: Suite, seed: int) -> tuple[Prompt, str]:
    """An example in the form of what is asked, and its answer: a letter where choices are shown."""
    shows = plan.scoring.shows
    if not asked.choices and shows:
        example = replace(example, choices=())
    posed = plan.scoring.pose(example, prompt=suite.prompt, seed=seed)[0]
    if shows and example.choices:
        labels = posed.prompt.choices or LETTERS
        return posed.prompt, labels[posed.choices.index(example.answer)]
    end = "." if QuestionFormat.of(suite).ends_sentences and example.cloze else ""
    before = f"{posed.prompt.prefill} " if posed.prompt.prefill else ""
    return posed.prompt, f"{before}{example.answer}{end}"


# ---- repeats --------------------------------------------------------------------------------------------------------


def repeated(plan: Plan, epochs: int) -> Plan:
    """The plan with every prompt asked so often; the first time is that of a run without repeats."""
    if isinstance(epochs, bool) or not isinstance(epochs, int) or epochs < 1:
        raise UsageError(f"epochs should be a number from 1 on, not {epochs!r}")
    if epochs == 1:
        return plan
    if plan.scoring.verb == "weigh":
        raise UsageError("probabilities are the same however often they are asked for; repeat scores of words alone")
    if plan.scoring.more:
        raise UsageError("score 'sampled' draws every item several times by itself; leave out epochs, and use draws")

    def again(item: Item) -> tuple[Posed, ...]:
        posed = plan.pose(item)
        return tuple(replace(asked, prompt=replace(asked.prompt, epoch=n)) for n in range(epochs) for asked in posed)

    return Plan(plan.items, again, replace(plan.scoring, judge=partial(score_repeats, plan.scoring, epochs)))


def score_repeats(how: Scoring, epochs: int, item: Item, posed: Sequence[Posed], results: Sequence[Any]) -> Score:
    """One score of several: the mean, and the verdict of most."""
    size = len(posed) // epochs
    parts = [slice(n * size, (n + 1) * size) for n in range(epochs)]
    scores = [how.judge(item, posed[part], results[part]) for part in parts]
    if failed := next((score for score in scores if score.verdict == "error"), None):
        return failed
    ends = Counter(score.verdict for score in scores)
    values = [score.value for score in scores if score.value is not None]
    detail: dict[str, Any] = {"epochs": epochs, "read": len(values), "ends": dict(ends)}
    if judged := [score.detail["by_key"] for score in scores if "by_key" in score.detail]:
        detail["by_key"] = Counter(judged).most_common(1)[0][0]
    if not values:
        most = ends.most_common(1)[0][0]
        return replace(next(score for score in scores if score.verdict == most), detail=detail)
    value = fmean(values)
    answer = Counter(score.answer for score in scores if score.value is not None).most_common(1)[0][0]
    why = f"{value:.2f} on the mean of {len(values)} of {epochs} repeats"
    return Score("tied" if value == 0.5 else "correct" if value > 0.5 else "incorrect", value, answer, why, detail)
