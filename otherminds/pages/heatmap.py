"""A map of scores by place, and words explained: two blocks of a report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from otherminds.errors import UsageError
from otherminds.stats import Estimate


def check_link(link: str) -> None:
    """Refuse a link that leads out of the page or off the machine."""
    # Two slashes would lead to another machine; a backslash is a slash to a browser.
    if not link.startswith("#") and not re.match(r"/(?![/\\])", link):
        raise UsageError(f"a page leads to places of its own, and {link!r} is none; begin it with # or one /")


@dataclass(frozen=True, slots=True)
class Tile:
    """A score in one place, what chance would get there, a few words under it, and where it leads."""

    score: Estimate
    chance: float
    words: str = ""
    to: str = ""

    def __post_init__(self) -> None:
        if self.to:
            check_link(self.to)

    @property
    def brief(self) -> str:
        """The words if there is room for them: of two alternatives there is not, and the pointer shows them."""
        return "" if " / " in self.words else self.words

    @property
    def side(self) -> str:
        """Whether its interval lies above chance or below; empty where it cannot be told from chance."""
        if self.score.low > self.chance:
            return "above"
        return "below" if self.score.high < self.chance else ""

    @property
    def strength(self) -> float:
        """From 0 at chance to 1 at the end of the scale."""
        room = 1 - self.chance if self.score.value > self.chance else self.chance
        return min(1.0, abs(self.score.value - self.chance) / room) if room else 0.0


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Tiles by row and column; colour says only what is clear of chance, and the numbers say it too."""

    columns: Sequence[tuple[str, Sequence[str]]]
    """Under each heading, the columns that belong together."""
    rows: Sequence[tuple[str, str, Sequence[Tile | None]]]
    """A label, whose scores these are (empty if of one alone), and a tile for every column."""
    caption: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms and what they mean; `[words](#term-…)` in a text leads to one."""

    terms: Mapping[str, str]

    @property
    def anchored(self) -> list[tuple[str, str, str]]:
        """Each with the name that links lead to."""
        return [(anchor(term), term, words) for term, words in self.terms.items()]


def anchor(term: str) -> str:
    """The place of a term in its glossary."""
    return "term-" + re.sub(r"[^a-z0-9]+", "-", term.lower()).strip("-")


def term(words: str, of: str = "") -> str:
    """Words that lead to what is said of a term, which is these words unless it is given."""
    return f"[{words}](#{anchor(of or words)})"
