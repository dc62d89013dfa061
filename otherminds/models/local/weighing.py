"""From log-probabilities of tokens to those of choices, for a whole batch at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Protocol

from otherminds.models import Usage, Weighing
from otherminds.models.local.prefix_tree import Tree


class Scorer(Protocol):
    """Whatever gives log-probabilities."""

    most_tokens: int
    """Tokens that one tree may hold, unless it holds a single sequence."""
    most_sequences: int

    def score(self, tree: Tree, wants: Mapping[int, Sequence[int]]) -> dict[int, list[float]]:
        """The log-probabilities of the wanted tokens after each of the given places of the tree."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
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


def settle(plans: Sequence[Plan], scorer: Scorer, pieces: Sequence[bytes]) -> list[Weighing]:
    """The weighing of every plan, in order; beginnings that plans share are computed once."""
    found: dict[int, Weighing] = {
        number: Weighing(usage=Usage(len(plan.prompt)), rendered=plan.rendered, error=plan.error)
        for number, plan in enumerate(plans)
        if plan.error
    }
    # Neighbours in this order share the most, so that a batch cut into several trees loses little.
    order = sorted((n for n in range(len(plans)) if n not in found), key=lambda number: list(plans[number].prompt))
    for group in _groups([(number, plans[number]) for number in order], scorer):
        found |= _settle_group(group, scorer, pieces)
    return [found[number] for number in range(len(plans))]


def _groups(plans: Sequence[tuple[int, Plan]], scorer: Scorer) -> Iterator[list[tuple[int, Plan]]]:
    """Plans cut into trees that the scorer can hold."""
    group: list[tuple[int, Plan]] = []
    tree, sequences = Tree(), 0
    for number, plan in plans:
        for sequence in plan.sequences:
            tree.add(sequence)
        sequences += len(plan.sequences)
        if group and (len(tree) > scorer.most_tokens or sequences > scorer.most_sequences):
            yield group
            group, tree, sequences = [], Tree(), len(plan.sequences)
            for sequence in plan.sequences:
                tree.add(sequence)
        group.append((number, plan))
    if group:
        yield group


def _settle_group(group: Sequence[tuple[int, Plan]], scorer: Scorer, pieces: Sequence[bytes]) -> dict[int, Weighing]:
    tree = Tree()
    wants: dict[int, list[int]] = {}
    cached: list[int] = []
    asked: list[dict[str, list[tuple[int, int]]]] = []
    for _, plan in group:
        known = len(tree)
        paths = [tree.add(sequence) for sequence in plan.sequences]
        cached.append(sum(place < known for place in paths[0][: len(plan.prompt)]))
        asked.append(_steps(plan, paths))
        for steps in asked[-1].values():
            for place, token in steps:
                wants.setdefault(place, []).append(token)
    scored = scorer.score(tree, wants)
    values = {
        (place, token): value for place in wants for token, value in zip(wants[place], scored[place], strict=True)
    }
    found: dict[int, Weighing] = {}
    for (number, plan), steps_of, saved in zip(group, asked, cached, strict=True):
        add = sum if plan.tails else _log_sum
        found[number] = Weighing(
            logprobs={choice: add([values[step] for step in steps]) for choice, steps in steps_of.items()},
            tokens={
                choice: tuple(pieces[token].decode("utf-8", errors="replace") for token in tokens)
                for choice, tokens in plan.choices.items()
            },
            usage=Usage(len(plan.prompt), saved),
            rendered=plan.rendered,
        )
    return found


def _steps(plan: Plan, paths: Sequence[Sequence[int]]) -> dict[str, list[tuple[int, int]]]:
    """By choice, the (place, next token) pairs that its log-probability is made of."""
    last = len(plan.prompt) - 1
    if not plan.tails:
        return {choice: [(paths[0][last], token) for token in tokens] for choice, tokens in plan.choices.items()}
    return {
        choice: list(zip(path[last:], tail, strict=True))
        for choice, path, tail in zip(plan.choices, paths, plan.tails, strict=True)
    }


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top + log(sum(exp(value - top) for value in values))
