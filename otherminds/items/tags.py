"""The keys of tags and meta that mean something to this package: what each means, who sets it, what it may be.

Whoever brings items of their own is free to use any other tag. A tag has fixed values here where another value would
not be noticed and would make a number wrong: an item with the order "two" would be in no mean by order. Meta can hold
anything, and whoever reads it copes with that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from otherminds.errors import BadFile
from otherminds.files import read_words

Tag = str | int | float | bool

# ---- tags that more than one study or measure reads -----------------------------------------------------------------

STORY = "story"
TWIN = "twin"
STAGE = "stage"
SCORED = "scored"
ORDER = "order"
FALSE_BELIEF = "false_belief"
KIND = "kind"
CLASS = "class"
STATE = "state"
TASK = "task"
INTERESTING = "interesting"
JOINT = "joint"
CONSISTENT = "consistent"
CONTROL = "control"
TELLING = "telling"
CANONICAL, INFILLED = "canonical", "infilled"

# ---- the same of meta -----------------------------------------------------------------------------------------------

REALITY = "reality"
FIRST_ORDER = "first_order"
WHY = "why"
EVENTS = "events"
SEEN_EVENTS = "seen_events"
PREMISES = "premises"
MINDS = "minds"
ABOUT = "about"
CANARY = "canary"
SENTENCES = "sentences"
GOLD = "gold"
PATH_RULE = "path_rule"
FINAL = "final"
TARGET = "target"
DEMONSTRATION = "demonstration"
BENCHMARK = "benchmark"
RAW = "raw"
PUBLISHED_GOLD = "published_gold"
REPAIRS = "repairs"
POSSIBLE = "possible"
TOLD = "told"


@dataclass(frozen=True, slots=True)
class Values:
    """What the value of a key may be, in words and as a test."""

    words: str
    fit: Callable[[object], bool]


ANYTHING = Values("anything", lambda value: True)


@dataclass(frozen=True, slots=True)
class Key:
    """A key of tags or of meta."""

    name: str
    means: str
    by: str
    """The studies that set it; anybody else may, too."""
    values: Values = ANYTHING


def _one_of(words: Sequence[str]) -> Values:
    return Values(f"one of {', '.join(words)}", lambda value: isinstance(value, str) and value in words)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


VALUES = {
    "text": Values("text", lambda value: isinstance(value, str)),
    "true or false": Values("true or false", lambda value: isinstance(value, bool)),
    "whole": Values("a whole number from 0 on", _is_whole),
}


def _read(name: str, means: str, by: str, values: str | Sequence[str] = "") -> Key:
    fit = VALUES.get(values, ANYTHING) if isinstance(values, str) else _one_of(values)
    return Key(name, means, by, fit)


_KEYS = read_words("keys")
TAGS, META = ({name: _read(name, **key) for name, key in _KEYS[kind].items()} for kind in ("tags", "meta"))


def has_right_answer(tags: Mapping[str, Tag]) -> bool:
    """Whether any answer to an item with these tags is right; where none is, it is in no mean."""
    return tags.get(SCORED) is not False


def check_tags(tags: Mapping[str, Tag], where: str) -> None:
    """Refuse a value that a known tag cannot have; `where` begins the sentence."""
    for name, value in tags.items():
        key = TAGS.get(name)
        if key is not None and not key.values.fit(value):
            raise BadFile(
                f"{where}: the tag {name} is {value!r}, which should be {key.values.words}; "
                "change the value, or give the tag a name of your own"
            )


def order_name(order: int) -> str:
    """The order of a belief in words: "first order"; from the fifth on "order 5"."""
    ordinals = {1: "first", 2: "second", 3: "third", 4: "fourth"}
    return f"{ordinals[order]} order" if order in ordinals else f"order {order}"
