"""Choices weighed without what their words weigh anyway.

A common word is likely after any story. So the same choice is weighed once more without the story, and that is taken
off; and where two of the choices are named in the story, all of it is done again with the two words exchanged
throughout, so that each word stands once in each part and what it weighs by itself drops out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from otherminds.asking.prompts import Posed
from otherminds.asking.verdicts import Bounds, Score, bounds_of, decide, mean_bounds, trouble
from otherminds.items import Item
from otherminds.items.swaps import other_words, swapped
from otherminds.models import Weighing


def pose_prior(pose: Callable[..., tuple[Posed, ...]], item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """The item, the same without its story; then both with two words exchanged, if they can be."""
    versions = [item, *([exchanged] if (exchanged := swapped(item)) else [])]
    # In one order of the choices, so that what several stories share is asked once.
    bare = [replace(version, context="", choices=tuple(sorted(version.choices))) for version in versions]
    pairs = [(each, alone) for each, alone in zip(versions, bare, strict=True)]
    return tuple(asked for pair in pairs for one in pair for asked in pose(one, prompt=prompt, seed=seed))


def score_prior(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of what the story adds to each choice."""
    if wrong := trouble(posed, results):
        return Score("error", why=wrong)
    gained: dict[str, list[Bounds]] = {choice: [] for choice in item.choices}
    exchanged = other_words(item)
    for start in range(0, len(results), 2):
        with_story, alone = results[start : start + 2]
        # In the exchanged version another word stands in the place of each choice.
        for choice in item.choices:
            here = exchanged[choice] if start else choice
            gained[choice].append(_less(bounds_of(with_story, f" {here}"), bounds_of(alone, f" {here}")))
    logs = {choice: mean_bounds(some) for choice, some in gained.items()}
    return decide(item, logs, {"mass": results[0].mass, "versions": len(results) // 2})


def _less(one: Bounds, other: Bounds) -> Bounds:
    return one[0] - other[1], one[1] - other[0]
