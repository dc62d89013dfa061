"""Lint: what gives an answer away without the story being understood, and what is wrong with a suite.

A *cue* is a rule that picks a choice without understanding anything: the longest one, the one named last, the one named
most. How often it is right says how far a suite can be solved that way; chance is the mean of 1/(number of choices).
One that is right far more often than that is to be looked at. A *fault* is an item that should not be asked as it
stands.

Twins are items with the same tag `twin`. What no cue solves in a pair, it does not solve in a suite of pairs; so the
rules about twins (as long as each other, no reading right in all of them) are for suites that are made of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import log, sqrt
from statistics import fmean

from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import ORDER, STORY, TWIN

COMMON = 0.2
"""The share of questions that an answer must be a choice of, to be one for all; names and places seldom are."""
CLEAR, SURE = 0.1, 1.645
"""A cue is looked at from so far above chance on, if that is so many standard errors: chance gives 1 in 20 of these."""


@dataclass(frozen=True, slots=True)
class Cue:
    """How often a thoughtless rule is right, beside how often chance is."""

    name: str
    right: float
    chance: float
    n: int

    @property
    def gives_away(self) -> bool:
        """Whether it, or its reverse, is right clearly more often than chance, and not by chance alone."""
        if self.chance == 1:
            return False
        luck = SURE * sqrt(self.chance * (1 - self.chance) / self.n)
        # Whoever knows which choice is seldom right guesses among the others.
        spared = (1 - self.right) * self.chance / (1 - self.chance)
        above, below = self.right - self.chance, self.chance - self.right
        return (above >= CLEAR and above > luck) or (spared - self.chance >= CLEAR and below > luck)


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that some items break."""

    rule: str
    ids: tuple[str, ...]


def cues(items: Iterable[Item]) -> list[Cue]:
    """Every cue over the items that have choices, as far as it has an opinion. Ties are shared out."""
    asked = [item for item in items if item.choices]
    found = []
    for name, pick in {**CUES, "words of choices": worded(asked), "one answer for all": _constant(asked)}.items():
        marks = [(item, best) for item in asked if (best := pick(item))]
        if marks:
            right = fmean((item.answer in best) / len(best) for item, best in marks)
            found.append(Cue(name, right, fmean(1 / len(item.choices) for item, _ in marks), len(marks)))
    return found


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
    return [hit.start() for hit in re.finditer(rf"(?<!\w){re.escape(choice)}(?!\w)", text, re.IGNORECASE)]


@lru_cache(maxsize=10_000)  # three cues ask about every item
def named(item: Item) -> dict[str, list[int]]:
    """Where the text names each choice: in full, or without what all choices begin with, or by words of its own."""
    for phrases in (item.choices, _endings(item.choices)):
        found = {choice: mentions(item.context, phrase) for choice, phrase in zip(item.choices, phrases, strict=True)}
        if any(found.values()):
            return found
    own = {choice: _own_words(choice, item.choices) for choice in item.choices}
    return {choice: [hit for word in own[choice] for hit in mentions(item.context, word)] for choice in item.choices}


def _endings(choices: Sequence[str]) -> list[str]:
    """The choices without the words that all of them begin with: of "look in the box", "box"."""
    words = [choice.split() for choice in choices]
    shared = 0
    while len({tuple(each[: shared + 1]) for each in words}) == 1 and all(len(each) > shared + 1 for each in words):
        shared += 1
    return [" ".join(each[shared:]) for each in words]


def _own_words(choice: str, choices: Sequence[str]) -> set[str]:
    """The words of a choice that no other one has; short ones say little."""
    others = {word for other in choices if other != choice for word in _words(other)}
    return {word for word in _words(choice) if word not in others and len(word) > 3}


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'’-]+", text.casefold())


def _best(item: Item, measure: Callable[[str], float]) -> list[str]:
    """The choices with the greatest measure; none, if all are alike."""
    measured = {choice: measure(choice) for choice in item.choices}
    most = max(measured.values())
    best = [choice for choice, value in measured.items() if value == most]
    return best if len(best) < len(item.choices) else []


def _by_mentions(measure: Callable[[list[int]], float]) -> Callable[[Item], list[str]]:
    def pick(item: Item) -> list[str]:
        found = named(item)
        return _best(item, lambda choice: measure(found[choice]))

    return pick


CUES: dict[str, Callable[[Item], Sequence[str]]] = {
    "longest choice": lambda item: _best(item, len),
    "named last": _by_mentions(lambda hits: max(hits, default=-1)),
    "named first": _by_mentions(lambda hits: -min(hits, default=10**9)),
    "named most": _by_mentions(len),
    "first choice": lambda item: item.choices[:1],
    "last choice": lambda item: item.choices[-1:],
}


def worded(items: Sequence[Item]) -> Callable[[Item], list[str]]:
    """The choice whose words were more often right elsewhere (naive Bayes): what never reading the text can learn."""
    right, wrong = Counter[str](), Counter[str]()
    by_group: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(lambda: (Counter(), Counter()))
    for item in items:
        for choice in item.choices:
            words = set(_words(choice))
            (right if choice == item.answer else wrong).update(words)
            by_group[_group(item)][choice != item.answer].update(words)

    def pick(item: Item) -> list[str]:
        # What an item's own twins say is no evidence from elsewhere.
        was_right, was_wrong = by_group[_group(item)]

        def odds(word: str) -> float:
            return log((right[word] - was_right[word] + 1) / (wrong[word] - was_wrong[word] + 1))

        return _best(item, lambda choice: sum(map(odds, sorted(set(_words(choice))))))

    return pick


def _constant(items: Sequence[Item]) -> Callable[[Item], list[str]]:
    """The answer that is right most often at the order of the item, of those that can be given again and again."""
    answers: dict[Tag | None, Counter[str]] = defaultdict(Counter)
    offered: dict[Tag | None, Counter[str]] = defaultdict(Counter)
    for item in items:
        answers[item.tags.get(ORDER)][item.answer] += 1
        offered[item.tags.get(ORDER)].update(item.choices)
    usual: dict[Tag | None, str] = {}
    for order, counts in answers.items():
        common = [each for each in sorted(counts) if offered[order][each] >= COMMON * counts.total()]
        usual[order] = max(common, key=lambda each: counts[each], default="")
    return lambda item: [each for each in (usual[item.tags.get(ORDER)],) if each in item.choices]


def _group(item: Item) -> str:
    return str(item.tags.get(TWIN, item.tags.get(STORY, item.id)))


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
            for choice, ending in zip(item.choices, _endings(item.choices), strict=True)
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
    return re.sub(r"^(?:the|an?) ", "", " ".join(_words(choice)))


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
    words = _words(text)
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
