"""Choices weighed without what their words weigh anyway.

A common word is likely after any story. So the same choice is weighed once more without the story, and that is taken
off; and where two of the choices are named in the story, all of it is done again with the two words exchanged
throughout, so that each word stands once in each part and what it weighs by itself drops out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from otherminds.formats.prompts import Posed
from otherminds.formats.verdicts import Bounds, Score, bounds_of, decide, mean_bounds, trouble
from otherminds.items import Item
from otherminds.items.swaps import other_words, swapped
from otherminds.models import Weighing


def pose_prior(pose: Callable[..., tuple[Posed, ...]], item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """The item, then each choice without its story; the same with two words exchanged, if they can be."""
    posed: list[Posed] = []
    for version in (item, swapped(item)):
        if version is not None:
            # One by one, so that what several stories share is asked once.
            bare = [replace(version, context="", choices=(choice,), answer=choice) for choice in version.choices]
            posed += [asked for one in (version, *bare) for asked in pose(one, prompt=prompt, seed=seed)]
    return tuple(posed)


def score_prior(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of what the story adds to each choice."""
    if wrong := trouble(posed, results):
        return Score("error", why=wrong)
    gained: dict[str, list[Bounds]] = {choice: [] for choice in item.choices}
    exchanged, step = other_words(item), 1 + len(item.choices)
    for start in range(0, len(results), step):
        with_story, *alone = results[start : start + step]
        prior = {asked.choices[0]: found for asked, found in zip(posed[start + 1 : start + step], alone, strict=True)}
        # In the exchanged version another word stands in the place of each choice.
        for choice in item.choices:
            here = exchanged[choice] if start else choice
            gained[choice].append(_less(bounds_of(with_story, f" {here}"), bounds_of(prior[here], f" {here}")))
    logs = {choice: mean_bounds(some) for choice, some in gained.items()}
    return decide(item, logs, {"mass": results[0].mass, "versions": len(results) // step})


def _less(one: Bounds, other: Bounds) -> Bounds:
    return one[0] - other[1], one[1] - other[0]
