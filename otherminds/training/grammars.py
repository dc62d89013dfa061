"""Grammars: many ways to put the same beats into words, from terse lists to narrative.

A story keeps to one grammar, and draws its own voice from it: which words for coming and going, whether lines are
numbered, whether "green_box" is written with a space. A grammar can be left out of training, to see what is learned
without it; the words of the terse one, in which several benchmarks are written, stand in no other.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from otherminds.files import read_words
from otherminds.minds.telling import listing
from otherminds.training.story_plots import Beat, StoryPlot

Templates = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """For every kind of beat, ways to tell it; `many`: where several people come in."""

    lines: Mapping[str, Templates]
    links: Templates = ("",)
    """What may stand before a sentence."""
    layouts: tuple[str, ...] = ("run on",)
    """run on (one paragraph), lines, numbered, bullets."""
    mixed: bool = True
    """Whether one story may tell the same kind of beat in several ways."""


def _read(lines: Mapping[str, Sequence[str]], *, mixed: bool = True, **parts: Sequence[str]) -> Grammar:
    told = {kind: tuple(forms) for kind, forms in lines.items()}
    return Grammar(told, mixed=mixed, **{name: tuple(part) for name, part in parts.items()})


_WORDS = read_words("lessons/grammars")
GRAMMARS: dict[str, Grammar] = {name: _read(**parts) for name, parts in _WORDS["grammars"].items()}
KEPT_BACK = ("stage",)
"""Grammars that are never trained on unless asked for: they show what carries over to other words."""
OPEN_EYES, CLOSED_EYES, FRESHER = (tuple(_WORDS["premises"][name]) for name in ("open_eyes", "closed_eyes", "fresher"))


class Voice:
    """One story's way of speaking: a grammar, with all that is left open in it drawn once."""

    def __init__(self, name: str, rng: random.Random) -> None:
        self.name = name
        self._rng = rng
        self._grammar = grammar = GRAMMARS[name]
        self.layout = rng.choice(grammar.layouts)
        self.spaced = rng.random() < (0.35 if name in ("terse", "log") else 0.9)
        mixed = grammar.mixed and rng.random() < 0.6
        keep = {"idle": 0, "noise": 0}  # these vary in any case, or noise would be known by its words
        self._forms = {
            kind: forms if mixed or kind in keep else (rng.choice(forms),) for kind, forms in grammar.lines.items()
        }
        self._linked = rng.random() < 0.5
        self._bare_noise = name == "terse" and rng.random() < 0.5

    def show(self, word: str) -> str:
        """A name as this voice writes it."""
        return word.replace("_", " ") if self.spaced else word

    def tell(self, plot: StoryPlot, premises: Sequence[str]) -> str:
        """The whole story."""
        lines = [self._line(beat) for beat in plot.beats]
        if self.layout == "numbered":
            lines = [f"{number} {line}" for number, line in enumerate(lines, start=1)]
        elif self.layout == "bullets":
            lines = [f"- {line}" for line in lines]
        elif self.layout == "timed":
            start = self._rng.randint(420, 900)
            lines = [f"{(start + n) // 60:02d}:{(start + n) % 60:02d} {line}" for n, line in enumerate(lines)]
        # What holds throughout is said before or after.
        last = self._rng.random() < 0.3
        told = [*lines, *(f"Note: {premise}" for premise in premises)] if last else [*premises, *lines]
        return (" " if self.layout == "run on" else "\n").join(told)

    def _line(self, beat: Beat) -> str:
        kind = "many" if len(beat.who) > 1 and beat.kind == "enter" and "many" in self._forms else beat.kind
        form = self._rng.choice(self._forms[kind])
        slots = {"what": self.show(beat.what), "where": self.show(beat.where), "who": "", "hearer": ""}
        if beat.kind == "tell":
            slots["who"], slots["hearer"] = beat.who
        elif beat.who:
            slots["who"] = listing(beat.who)
        line = form.format_map(slots)
        link = self._rng.choice(self._grammar.links) if self._linked else ""
        if self.name == "terse" and beat.kind == "noise" and self._bare_noise:
            line = line.rstrip(".")
        if self.name in ("log", "chat"):
            return link + line
        line = link + (
            line[0].lower() + line[1:]
            if link and line.startswith(("The ", "Here ", "In ", "Inside ", "Right "))
            else line
        )
        return line[0].upper() + line[1:]
