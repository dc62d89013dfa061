"""Lint: what is wrong with a suite. A *fault* is an item that should not be asked as it stands.

Twins are items with the same tag `twin`. What no heuristic solves in a pair, it does not solve in a suite of pairs; so
the rules about twins (as long as each other, no reading right in all of them) are for suites that are made of them.
What heuristics get on a suite is in `heuristics.cues`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import STORY, TWIN


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that some items break."""

    rule: str
    ids: tuple[str, ...]


def faults(suite: Suite) -> list[Fault]:
    """Everything that is plainly wrong; nothing, for a clean suite."""
    found = []
    for rule, offending in RULES.items():
        ids = tuple(sorted(offending(suite.items)))
        if ids:
            found.append(Fault(rule, ids))
    return found


def mentions(text: str, choice: str) -> list[int]:
    """Where a choice stands in a text as a whole word, whatever the case. Yes and no stand in any text for nothing."""
    if choice.casefold() in ("yes", "no"):
        return []
    return [hit.start() for hit in _whole_word(choice).finditer(text)]


@lru_cache(maxsize=4096)  # one choice is looked for in many texts, and re keeps few patterns
def _whole_word(choice: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(choice)}(?!\w)", re.IGNORECASE)


def endings(choices: Sequence[str]) -> list[str]:
    """The choices without the words that all of them begin with: of "look in the box", "box"."""
    words = [choice.split() for choice in choices]
    shared = 0
    while len({tuple(each[: shared + 1]) for each in words}) == 1 and all(len(each) > shared + 1 for each in words):
        shared += 1
    return [" ".join(each[shared:]) for each in words]


def words_of(text: str) -> list[str]:
    """The words of a text, whatever their case; a hyphen or an apostrophe parts none."""
    return re.findall(r"[\w'’-]+", text.casefold())


def _doubles(items: Sequence[Item]) -> set[str]:
    seen: dict[tuple[str, str], str] = {}
    return {item.id for item in items if seen.setdefault((item.context, item.question), item.id) != item.id}


def _contradictions(items: Sequence[Item]) -> set[str]:
    answers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        answers[item.context, item.question].add(item.answer)
    return {item.id for item in items if len(answers[item.context, item.question]) > 1}


def _given_away(items: Sequence[Item]) -> set[str]:
    """The question names the right choice and none of the others."""
    found = set()
    for item in items:
        others = [
            text
            for choice, ending in zip(item.choices, endings(item.choices), strict=True)
            for text in (choice, ending)
            if choice != item.answer
        ]
        if others and mentions(item.question, item.answer) and not any(mentions(item.question, t) for t in others):
            found.add(item.id)
    return found


DOUBLES = "the same question about the same text twice"


def _alike(items: Sequence[Item]) -> set[str]:
    """Choices of one item that come to the same when they are compared with an answer."""
    return {item.id for item in items if len({_bare(choice) for choice in item.choices}) < len(item.choices)}


def _bare(choice: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", " ".join(words_of(choice)))


RULES: dict[str, Callable[[Sequence[Item]], set[str]]] = {
    DOUBLES: _doubles,
    "the same question with different answers": _contradictions,
    "the question names the answer and no other choice": _given_away,
    "two choices differ only in an article, in case or in marks": _alike,
}


# ---- rules for suites of twins ------------------------------------------------------------------------------------


def uneven(items: Iterable[Item]) -> set[str]:
    """Twins whose texts differ by more than a tenth in their number of words, or in the mean length of a word."""
    return {item.id for twins in _twins(items) if differ([twin.context for twin in twins]) for item in twins}


def differ(texts: Sequence[str], *, most: float = 0.1) -> bool:
    """Whether any two texts differ by more than that in their number of words, or in the mean length of a word."""
    lengths = [max(1, len(text.split())) for text in texts]
    ease = [len(text.replace(" ", "")) / length for text, length in zip(texts, lengths, strict=True)]
    return any(min(values) < (1 - most) * max(values) for values in (lengths, ease))


def one_sided(items: Iterable[Item], reading: str) -> set[str]:
    """Twins of which a simpler reading, kept as meta of that name, is right in more or fewer than half."""
    found: set[str] = set()
    for twins in _twins(item for item in items if reading in item.meta):
        if 2 * sum(item.meta[reading] == item.answer for item in twins) != len(twins):
            found |= {item.id for item in twins}
    return found


def near_doubles(items: Iterable[Item], *, size: int = 8, most: float = 0.5) -> set[str]:
    """Items with nearly the same text as one of another story: too many runs of words in common (Jaccard)."""
    # Many questions may be asked about one text; the first of them stands for all.
    texts = {(item.context, item.tags.get(STORY), item.tags.get(TWIN)): item for item in reversed(list(items))}
    runs = {key: word_runs(key[0], size) for key in texts}
    holders: dict[str, list[tuple[str, Tag | None, Tag | None]]] = defaultdict(list)
    for key, own in runs.items():
        for each in own:
            holders[each].append(key)
    common = Counter(pair for several in holders.values() for pair in combinations(several, 2))
    found: set[str] = set()
    for (one, other), shared in common.items():
        kin = any(a is not None and a == b for a, b in zip(one[1:], other[1:], strict=True))
        if not kin and shared / (len(runs[one]) + len(runs[other]) - shared) >= most:
            found |= {texts[one].id, texts[other].id}
    return found


def word_runs(text: str, size: int) -> set[str]:
    """Every so many words in a row, whatever the case and the marks."""
    words = words_of(text)
    return {" ".join(words[start : start + size]) for start in range(len(words) - size + 1)}


def lopsided(items: Iterable[Item], *, most: float = 0.6) -> set[str]:
    """Items one of whose choices is shorter than the longest by more than that."""
    return {item.id for item in items if item.choices and _shortest(item) < (1 - most) * max(map(len, item.choices))}


def _shortest(item: Item) -> int:
    return min(map(len, item.choices))


def quoted(items: Iterable[Item], *, size: int = 4) -> set[str]:
    """Items of which some, but not all, choices repeat so many words in a row from the text."""
    found = set()
    for item in items:
        text = word_runs(item.context, size)
        if len({bool(word_runs(choice, size) & text) for choice in item.choices}) > 1:
            found.add(item.id)
    return found


def _twins(items: Iterable[Item]) -> list[list[Item]]:
    """Items by their tag `twin`, those that have none left out."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if TWIN in item.tags:
            groups[str(item.tags[TWIN])].append(item)
    return [twins for twins in groups.values() if len(twins) > 1]
