"""A batch of token sequences as one tree, so that a beginning they share is computed once.

Every token of the tree sees its ancestors and nothing else, which is what it would see in its own sequence; so the
numbers do not depend on who else is in the batch. Knows nothing of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tree:
    """Tokens with their parents; a parent always comes before its children."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """-1 for a token that begins a sequence."""
    depths: list[int] = field(default_factory=list)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, sequence: Sequence[int]) -> list[int]:
        """The places of the sequence's tokens in the tree; those that were there already are shared."""
        places = []
        parent = -1
        for depth, token in enumerate(sequence):
            place = self._children.setdefault((parent, token), len(self.tokens))
            if place == len(self.tokens):
                self.tokens.append(token)
                self.parents.append(parent)
                self.depths.append(depth)
            places.append(place)
            parent = place
        return places

    def path(self, place: int) -> list[int]:
        """All places from the root down to this one; empty for -1."""
        places = []
        while place >= 0:
            places.append(place)
            place = self.parents[place]
        return places[::-1]

    def runs(self) -> Iterator[tuple[int, int]]:
        """The tree cut into unbroken lines, each (first, last + 1): inside one, every token follows its parent."""
        first = 0
        for place in range(1, len(self) + 1):
            if place == len(self) or self.parents[place] != place - 1:
                yield first, place
                first = place
