"""From log-probabilities of tokens to those of choices: one planner for every engine that computes them here.

All prompts of a call are put in an order in which neighbours share the most, and cut into trees of tokens. What a tree
holds twice is computed once; how trees are computed, and how many at a time, is the engine's own affair. Every token of
a tree sees its ancestors and nothing else, which is what it would see in its own sequence; so the numbers do not depend
on who else is in the batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from math import exp, inf, log
from operator import ne
from typing import Protocol

from otherminds.models.contract import Prompt, Usage, Weighing


@dataclass(slots=True)
class Tree:
    """Tokens with their parents; a parent always comes before its children."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """-1 for a token that begins a sequence."""
    depths: list[int] = field(default_factory=list)
    _starts: dict[tuple[int, int], int] = field(default_factory=dict)
    """By parent and token, where an unbroken line of tokens begins; lines follow one another in this order."""
    _ends: dict[int, int] = field(default_factory=dict)
    """By its beginning, where a line ends."""

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, sequence: Sequence[int]) -> list[int]:
        """The places of the sequence's tokens in the tree; those that were there already are shared."""
        places: list[int] = []
        parent = -1
        while len(places) < len(sequence):
            known = len(places)
            first = self._starts.get((parent, sequence[known]))
            if first is None:
                places += self._append(parent, sequence[known:], known)
            else:
                # A whole line at once: token by token, a long story would cost more than what a GPU does with it.
                shared = overlap(self.tokens[first : self._ends[first]], sequence[known:])
                places += range(first, first + shared)
                parent = places[-1]
        return places

    def _append(self, parent: int, tokens: Sequence[int], depth: int) -> range:
        """Put new tokens after a parent; after the last token of all they go on with its line."""
        first, end = len(self.tokens), len(self.tokens) + len(tokens)
        self.tokens += tokens
        self.parents.append(parent)
        self.parents += range(first, end - 1)
        self.depths += range(depth, depth + len(tokens))
        if first and parent == first - 1:
            self._ends[next(reversed(self._ends))] = end
        else:
            self._starts[parent, tokens[0]] = first
            self._ends[first] = end
        return range(first, end)

    def path(self, place: int) -> list[int]:
        """All places from the root down to this one; empty for -1."""
        places = []
        while place >= 0:
            places.append(place)
            place = self.parents[place]
        return places[::-1]

    def runs(self) -> Iterator[tuple[int, int]]:
        """The tree cut into unbroken lines, each (first, last + 1): inside one, every token follows its parent."""
        yield from self._ends.items()

    @property
    def is_line(self) -> bool:
        """Whether no two of its sequences part."""
        return len(self._ends) < 2


def overlap(one: Sequence[int], other: Sequence[int]) -> int:
    """How many ids two sequences begin with alike."""
    return next(compress(count(), map(ne, one, other)), min(len(one), len(other)))


Values = Mapping[int, Sequence[float]]
"""By place in a tree, the log-probabilities of what was wanted there."""


@dataclass(frozen=True, slots=True)
class ScoredTree:
    """A tree, and the tokens whose chance to come next is wanted after some of its places."""

    tree: Tree
    wants: Mapping[int, Sequence[int]]


class TokenScorer(Protocol):
    """Whatever gives log-probabilities."""

    most_tokens: int
    """Tokens that one tree may hold, unless it holds a single plan."""
    most_sequences: int
    least_shared: float
    """The share of a plan that must be in a tree for it to join that; else it begins another one."""

    def score_all(self, asked: Sequence[ScoredTree]) -> Iterable[Values]:
        """What is wanted of every tree, in order; it may be still computed until somebody looks."""
        ...

    def shares(self, tree: Tree, /) -> bool:
        """Whether beginnings are really computed once in this tree."""
        ...


class OneByOne(ABC):
    """A scorer that computes one tree after another, each as large as it can hold."""

    least_shared = 0.0

    @abstractmethod
    def score(self, tree: Tree, wants: Mapping[int, Sequence[int]]) -> Values:
        """The log-probabilities of the wanted tokens after each of the given places of the tree."""

    def score_all(self, asked: Sequence[ScoredTree]) -> Sequence[Values]:
        """What is wanted of every tree, in order."""
        return [self.score(one.tree, one.wants) for one in asked]

    def shares(self, _: Tree) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class WeighingPlan:
    """What has to be computed to weigh one prompt, or why it cannot be."""

    prompt: Sequence[int] = ()
    tails: tuple[tuple[int, ...], ...] = ()
    """Continuations of the prompt; none where the choices are labels."""
    choices: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Labels: tokens of which any may come next. Continuations: tokens that come one after another."""
    rendered: str = ""
    error: str = ""

    @property
    def sequences(self) -> list[list[int]]:
        """What has to be read; the last token of a continuation is weighed, but nothing comes after it."""
        return [[*self.prompt, *tail[:-1]] for tail in self.tails] or [list(self.prompt)]


def plan_for(
    prompt: Prompt,
    alone: Sequence[int],
    joint: Mapping[str, Sequence[int]],
    variants: Callable[[str], Iterable[int]],
    misfit: Callable[[int, int], str],
    rendered: str,
    name: str,
) -> WeighingPlan:
    """The plan of a prompt by its tokens, and of a prompt without labels also by those of it with each choice behind.

    A token may reach across the seam between prompt and choice. What counts as prompt is then only what the prompt
    alone and all its continuations begin with, so that such a token is weighed with the choice it belongs to. `misfit`
    says why a prompt of so many tokens, and so many with its answer, cannot be used.
    """
    if not prompt.choices or "" in prompt.choices:
        return WeighingPlan(error="a prompt to weigh needs choices, and none may be empty", rendered=rendered)
    if prompt.labels:
        choices = {choice: tuple(variants(choice)) for choice in prompt.choices}
        lost = next((choice for choice, tokens in choices.items() if not tokens), "")
        error = misfit(len(alone), len(alone) + 1)
        if lost and not error:
            error = f"no single token of {name} reads as {lost!r}, so it cannot be a label; weigh it as a continuation"
        return WeighingPlan(alone, (), choices, rendered, error)
    seam = min(overlap(alone, whole) for whole in joint.values())
    tails = {choice: tuple(whole[seam:]) for choice, whole in joint.items()}
    error = misfit(seam, max([len(alone) + 1, *map(len, joint.values())]))
    return WeighingPlan(alone[:seam], tuple(tails.values()), tails, rendered, error)


@dataclass(slots=True)
class Group:
    """Plans in one tree; by plan its number, the steps of its choices, and how many of its tokens were there."""

    tree: Tree = field(default_factory=Tree)
    numbers: list[int] = field(default_factory=list)
    steps: list[dict[str, list[tuple[int, int]]]] = field(default_factory=list)
    cached: list[int] = field(default_factory=list)
    sequences: int = 0

    def add(self, number: int, plan: WeighingPlan) -> None:
        """Put a plan into the tree."""
        known = len(self.tree)
        paths = [self.tree.add(sequence) for sequence in plan.sequences]
        self.numbers.append(number)
        self.steps.append(_steps(plan, paths))
        # Places only grow along a path.
        self.cached.append(bisect_left(paths[0], known, hi=len(plan.prompt)))
        self.sequences += len(paths)

    def asked(self) -> ScoredTree:
        """What is wanted of the tree."""
        wants: dict[int, list[int]] = {}
        for steps_of in self.steps:
            for place, token in (step for steps in steps_of.values() for step in steps):
                wants.setdefault(place, []).append(token)
        return ScoredTree(self.tree, wants)


def settle(
    plans: Sequence[WeighingPlan], scorer: TokenScorer, read: Callable[[Sequence[int]], tuple[str, ...]]
) -> list[Weighing]:
    """The weighing of every plan, in order; `read` tells how tokens read."""
    return begin(plans, scorer, read)()


def begin(
    plans: Sequence[WeighingPlan], scorer: TokenScorer, read: Callable[[Sequence[int]], tuple[str, ...]]
) -> Callable[[], list[Weighing]]:
    """The same in two parts: what is returned waits for the numbers, and until then there is time for other plans."""
    found: dict[int, Weighing] = {
        number: Weighing(usage=Usage(len(plan.prompt)), rendered=plan.rendered, error=plan.error)
        for number, plan in enumerate(plans)
        if plan.error
    }
    # Neighbours in this order share the most, so that a call cut into several trees loses little.
    order = sorted((n for n in range(len(plans)) if n not in found), key=lambda number: tuple(plans[number].prompt))
    groups = list(_groups([(number, plans[number]) for number in order], scorer))
    asked = [group.asked() for group in groups]
    coming = scorer.score_all(asked)

    def end() -> list[Weighing]:
        for group, one, scored in zip(groups, asked, coming, strict=True):
            values = {
                (place, token): value
                for place, tokens in one.wants.items()
                for token, value in zip(tokens, scored[place], strict=True)
            }
            shared = scorer.shares(group.tree)
            for number, steps, saved in zip(group.numbers, group.steps, group.cached, strict=True):
                found[number] = _weighing(plans[number], steps, values, saved if shared else 0, read)
        return [found[number] for number in range(len(plans))]

    return end


def _groups(plans: Sequence[tuple[int, WeighingPlan]], scorer: TokenScorer) -> Iterator[Group]:
    """Plans cut into trees that the scorer can hold, and likes."""
    group, last = Group(), WeighingPlan()
    for number, plan in plans:
        shared = overlap(last.prompt, plan.prompt)
        size = len(group.tree) + len(plan.prompt) - shared + sum(len(tail) - 1 for tail in plan.tails)
        full = size > scorer.most_tokens or group.sequences + max(1, len(plan.tails)) > scorer.most_sequences
        if group.numbers and (full or shared < scorer.least_shared * len(plan.prompt)):
            yield group
            group = Group()
        group.add(number, plan)
        last = plan
    if group.numbers:
        yield group


def _weighing(
    plan: WeighingPlan,
    steps_of: Mapping[str, Sequence[tuple[int, int]]],
    values: Mapping[tuple[int, int], float],
    cached: int,
    read: Callable[[Sequence[int]], tuple[str, ...]],
) -> Weighing:
    add = sum if plan.tails else log_sum
    return Weighing(
        logprobs={choice: float(add([values[step] for step in steps])) for choice, steps in steps_of.items()},
        tokens={choice: read(tokens) for choice, tokens in plan.choices.items()},
        usage=Usage(len(plan.prompt), cached),
        rendered=plan.rendered,
    )


def _steps(plan: WeighingPlan, paths: Sequence[Sequence[int]]) -> dict[str, list[tuple[int, int]]]:
    """By choice, the (place, next token) pairs that its log-probability is made of."""
    last = len(plan.prompt) - 1
    if not plan.tails:
        return {choice: [(paths[0][last], token) for token in tokens] for choice, tokens in plan.choices.items()}
    return {
        choice: list(zip(path[last:], tail, strict=True))
        for choice, path, tail in zip(plan.choices, paths, plan.tails, strict=True)
    }


def log_sum(values: Sequence[float]) -> float:
    """The logarithm of a sum of exponentials."""
    top = max(values, default=-inf)
    return top + log(sum(exp(value - top) for value in values)) if top > -inf else top
