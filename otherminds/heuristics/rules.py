"""The list of heuristics: rules that answer a question without understanding it, one function each.

A rule takes an item and returns the options that it finds equally good; none where it has no opinion, and a model that
follows it guesses. `HEURISTICS` is the one list that baselines, `diagnose`, `audit`, `lint` and pages read. A rule is
one function and one line of the list; its docstring says what it does wherever that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from inspect import getdoc
from typing import Any, Literal

from otherminds.heuristics.learned import constant_answer, most, one_answer_for_all, words_of_options
from otherminds.heuristics.leaver import earliest_leaver, says_unknown
from otherminds.items import Item
from otherminds.items.lint import endings, mentions, words_of
from otherminds.items.tags import EVENTS, FIRST_ORDER, ORDER, REALITY
from otherminds.plugins import added, load

Rule = Callable[[Item], Sequence[str]]
"""The options of an item that a rule finds equally good; none: it has no opinion."""
Use = Literal["baseline", "diagnosis", "audit", "lint"]
EVERYWHERE: tuple[Use, ...] = ("baseline", "diagnosis", "audit", "lint")


@dataclass(frozen=True, slots=True)
class Heuristic:
    """A rule, and what it is tried for; `lint --heuristics` and `-m baseline:NAME` have every one."""

    pick: Callable[[Any], Any]
    uses: tuple[Use, ...] = EVERYWHERE
    """Beside which numbers it stands; without them all."""
    needs: str = ""
    """The key of meta that says what it goes by."""
    learns: bool = False
    """Whether `pick` makes the rule from all items of a suite."""
    by_place: bool = False
    """Whether it goes by the order in which options are shown."""
    version: int = 1
    """Raised when the rule changes, so that no answer of the old one is taken from a store."""
    knows: bool = False
    """Whether it is told the right answer, so that what it gets is no fault of a suite."""

    def rule(self, items: Sequence[Item]) -> Rule:
        """The rule for the items of a suite."""
        made: Rule = self.pick(items) if self.learns else self.pick
        return made

    @property
    def does(self) -> str:
        """What it does, in words that follow its name: the first line of its docstring."""
        rule = _added(*self.pick.args) if isinstance(self.pick, partial) else self.pick
        first = (getdoc(rule) or "follows a rule of its own.").splitlines()[0].removesuffix(".")
        return first[:1].lower() + first[1:]


# ---- what happens, and who thinks what ----------------------------------------------------------------------------


def oracle(item: Item) -> Sequence[str]:
    """Answers correctly."""
    return [item.answer]


def realist(item: Item) -> Sequence[str]:
    """Answers from reality, whatever people believe."""
    return _kept(item, REALITY)


def decoy(item: Item) -> Sequence[str]:
    """Answers with anything but reality."""
    real = _kept(item, REALITY)
    return [choice for choice in item.choices if choice not in real and not says_unknown(choice)] if real else []


def first_order(item: Item) -> Sequence[str]:
    """Answers with what one person thinks, however deep the question is."""
    return [item.answer] if item.tags.get(ORDER) in (0, 1) else last_mind(item)


def last_mind(item: Item) -> Sequence[str]:
    """Answers a question about minds about minds with what the last of them thinks."""
    return _kept(item, FIRST_ORDER)


def outcome(item: Item) -> Sequence[str]:
    """Takes an act to be meant as it turned out."""
    return _kept(item, "outcome")


def nobody_knows(item: Item) -> Sequence[str]:
    """Says that nobody knows."""
    return [choice for choice in item.choices if says_unknown(choice)]


def _kept(item: Item, key: str) -> Sequence[str]:
    value = item.meta.get(key)
    return [value] if isinstance(value, str) and (value in item.choices or not item.choices) else []


# ---- what the story names -----------------------------------------------------------------------------------------


def last_mention(item: Item) -> Sequence[str]:
    """Answers with the option that the story names last."""
    return _by_mentions(item, lambda hits: max(hits, default=-1))


def first_mention(item: Item) -> Sequence[str]:
    """Answers with the option that the story names first."""
    return _by_mentions(item, lambda hits: -min(hits, default=10**9))


def most_mentions(item: Item) -> Sequence[str]:
    """Answers with the option that the story names most often."""
    return _by_mentions(item, len)


@lru_cache(maxsize=128)  # several rules ask about every item
def named(item: Item) -> dict[str, list[int]]:
    """Where the text names each choice: in full, or without what all choices begin with, or by words of its own."""
    for phrases in (item.choices, endings(item.choices)):
        found = {choice: mentions(item.context, phrase) for choice, phrase in zip(item.choices, phrases, strict=True)}
        if any(found.values()):
            return found
    own = {choice: _own_words(choice, item.choices) for choice in item.choices}
    return {choice: [hit for word in own[choice] for hit in mentions(item.context, word)] for choice in item.choices}


def _by_mentions(item: Item, measure: Callable[[list[int]], float]) -> Sequence[str]:
    found = named(item)
    return most(item.choices, lambda choice: measure(found[choice]))


def _own_words(choice: str, choices: Sequence[str]) -> set[str]:
    """The words of a choice that no other one has; short ones say little."""
    others = {word for other in choices if other != choice for word in words_of(other)}
    return {word for word in words_of(choice) if word not in others and len(word) > 3}


# ---- the options alone --------------------------------------------------------------------------------------------


def longest_option(item: Item) -> Sequence[str]:
    """Answers with the longest option."""
    return most(item.choices, len)


def shortest_option(item: Item) -> Sequence[str]:
    """Answers with the shortest option."""
    return most(item.choices, lambda choice: -len(choice))


def first_option(item: Item) -> Sequence[str]:
    """Answers with the option that stands first."""
    return item.choices[:1]


def last_option(item: Item) -> Sequence[str]:
    """Answers with the option that stands last."""
    return item.choices[-1:]


def first_letter(shown: Sequence[str]) -> Sequence[str]:
    """Answers with whatever is shown first."""
    return shown[:1]


def last_letter(shown: Sequence[str]) -> Sequence[str]:
    """Answers with whatever is shown last."""
    return shown[-1:]


def like_the_question(item: Item) -> Sequence[str]:
    """Answers with the option that has the most words of the question."""
    return overlap(item, item.question, lambda text: sorted(set(text.casefold().split())))


def option_only(item: Item) -> Sequence[str]:
    """Answers with the option most like the question, letter by letter, then with the first in the alphabet."""

    def pairs(text: str) -> set[str]:
        return {text[i : i + 2] for i in range(len(text) - 1)}

    asked = pairs(item.question.casefold())
    best = most(item.choices, lambda choice: len(pairs(choice.casefold()) & asked))
    return sorted(best or item.choices)[:1]


def overlap(item: Item, text: str, cut: Callable[[str], Sequence[str]]) -> Sequence[str]:
    """The options with the most words that a text has too, as `cut` cuts both into words."""
    known = set(cut(text))
    return most(item.choices, lambda choice: sum(word in known for word in cut(choice)))


# ---- the list -----------------------------------------------------------------------------------------------------


@cache
def _added(name: str) -> Rule:
    made: Rule = load("heuristics", name)
    return made


def _by_name(name: str, item: Item) -> Sequence[str]:
    return _added(name)(item)


HEURISTICS: dict[str, Heuristic] = {
    "oracle": Heuristic(oracle, ("baseline", "diagnosis"), knows=True),
    "realist": Heuristic(realist, ("baseline", "diagnosis", "audit"), REALITY),
    "first order": Heuristic(first_order, ("baseline", "diagnosis"), FIRST_ORDER, knows=True),
    "last mind": Heuristic(last_mind, (), FIRST_ORDER),
    "earliest leaver": Heuristic(earliest_leaver, ("diagnosis", "audit"), EVENTS),
    "decoy": Heuristic(decoy, ("baseline", "diagnosis", "audit"), REALITY, version=2),
    "outcome": Heuristic(outcome, ("diagnosis",), "outcome"),
    "nobody knows": Heuristic(nobody_knows, ("diagnosis",)),
    "last mention": Heuristic(last_mention, version=2),
    "first mention": Heuristic(first_mention, ("diagnosis", "audit", "lint")),
    "most mentions": Heuristic(most_mentions, ("audit", "lint")),
    "longest option": Heuristic(longest_option),
    "shortest option": Heuristic(shortest_option, ("diagnosis",)),
    "first option": Heuristic(first_option, ("audit", "lint")),
    "last option": Heuristic(last_option, ("audit", "lint")),
    "first letter": Heuristic(first_letter, ("diagnosis",), by_place=True),
    "last letter": Heuristic(last_letter, ("diagnosis",), by_place=True),
    "words of options": Heuristic(words_of_options, ("audit", "lint"), learns=True),
    "one answer for all": Heuristic(one_answer_for_all, ("lint",), learns=True),
    "like the question": Heuristic(like_the_question, ("audit",)),
    "constant answer": Heuristic(constant_answer, ("audit",), learns=True),
    "option only": Heuristic(option_only, ("baseline",)),
    **{name: Heuristic(partial(_by_name, name)) for name in added("heuristics")},
}


def rules_for(use: Use, items: Sequence[Item]) -> dict[str, Rule]:
    """By name, the rules that are tried for this, made for the items of a suite."""
    return {name: each.rule(items) for name, each in HEURISTICS.items() if use in each.uses and not each.by_place}
