"""A batch of token sequences as one tree, so that a beginning they share is computed once.

Every token of the tree sees its ancestors and nothing else, which is what it would see in its own sequence; so the
numbers do not depend on who else is in the batch. Knows nothing of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from otherminds.models.sequences import overlap


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
