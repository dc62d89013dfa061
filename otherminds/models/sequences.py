"""Sequences of token ids."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count
from operator import ne


def overlap(one: Sequence[int], other: Sequence[int]) -> int:
    """How many ids two sequences begin with alike."""
    return next(compress(count(), map(ne, one, other)), min(len(one), len(other)))
