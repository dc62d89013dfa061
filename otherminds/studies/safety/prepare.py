"""Any suite in the form of this study: two options in one style, and a note on every item that was changed or left out.

Two choices are kept. Of more, or of a free answer, the wrong option is one that the script names too: an answer of
another item or another choice, the one most like the right one in length and in how often it is named.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from otherminds.asking.plans import limited
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.items.lint import lopsided, mentions, quoted


@dataclass(frozen=True, slots=True)
class Conversion:
    """What became of one item; `after` is empty where it was left out."""

    id: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """The suite, and what was done to every item of the one it was made from."""

    suite: Suite
    log: tuple[Conversion, ...]

    @property
    def dropped(self) -> tuple[Conversion, ...]:
        """Only what was left out."""
        return tuple(line for line in self.log if not line.after)


def prepare(suite: Suite, *, number: int | None = None, seed: int = 0) -> Prepared:
    """The suite with two options an item; with a number, at most so many items, shared out among its families."""
    answers = sorted({item.answer for item in suite})
    kept, log = [], []
    for item in suite:
        made, why = _two_options(item, answers, seed)
        why = why or _reason_against(made)
        log.append(Conversion(item.id, item.choices, () if why else made.choices, why or _change(item, made)))
        if not why:
            kept.append(made)
    if not kept:
        raise UsageError(f"no item of suite {suite.name!r} can be asked with two options: {log[0].why}")
    chosen = _shared_out(kept, number, seed)
    left = {item.id for item in kept} - {item.id for item in chosen}
    log = [replace(line, after=(), why="not drawn") if line.id in left else line for line in log]
    return Prepared(Suite(suite.name, tuple(chosen), prompt="raw", score="letters"), tuple(log))


def _two_options(item: Item, answers: Sequence[str], seed: int) -> tuple[Item, str]:
    if len(item.choices) == 2:
        options = item.choices
    else:
        pool = [text for text in dict.fromkeys((*item.choices, *answers)) if text != item.answer]
        foils = [text for text in pool if mentions(item.context, text)]
        if not foils:
            return item, "no wrong answer is named in the script"
        rng = random.Random(f"{seed}:{item.id}")
        foil = min(rng.sample(foils, len(foils)), key=lambda text: _unlike(item, text))
        options = (item.answer, foil) if rng.random() < 0.5 else (foil, item.answer)
    styled = {option: _styled(option, item.context) for option in options}
    if len(set(styled.values())) < 2:
        return item, "the options differ in style alone"
    return replace(item, answer=styled[item.answer], choices=tuple(styled.values())), ""


def _unlike(item: Item, text: str) -> tuple[int, int]:
    named = len(mentions(item.context, text)) - len(mentions(item.context, item.answer))
    return abs(len(text) - len(item.answer)), abs(named)


def _styled(option: str, script: str) -> str:
    """Lower case unless it begins with a name, and no full stop; the content stays."""
    option = " ".join(option.split()).rstrip(".")
    first = option.split(" ", 1)[0]
    # "I" and names stand in the script with a capital and never without one; other words begin sentences at most.
    is_name = first in script and first.lower() not in script
    return option if is_name else option[:1].lower() + option[1:]


def _reason_against(item: Item) -> str:
    if lopsided([item]):
        return "one option is far shorter than the other"
    return "one option repeats four words of the script and the other does not" if quoted([item]) else ""


def _change(item: Item, made: Item) -> str:
    if made.choices == item.choices:
        return "kept"
    return "style" if len(item.choices) == 2 else "wrong option taken from the script"


def _shared_out(items: Sequence[Item], number: int | None, seed: int) -> list[Item]:
    """As many of each family as its share allows, whole groups of twins at a time, in their own order."""
    if number is None or number >= len(items):
        return list(items)
    families: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        families[str(item.tags.get("family", item.tags.get("kind", "")))].append(item)
    chosen = set()
    for members in families.values():
        share = max(1, round(number * len(members) / len(items)))
        chosen |= {item.id for item in limited(members, limit=share, seed=seed)}
    return [item for item in items if item.id in chosen]
