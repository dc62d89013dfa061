"""Sequences of token ids."""

from __future__ import annotations

from collections.abc import Sequence


def overlap(one: Sequence[int], other: Sequence[int]) -> int:
    """How many ids two sequences begin with alike."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))
