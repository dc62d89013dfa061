"""Rules that are made from the items of a suite: what can be learned from which options are right elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log

from otherminds.formats.plans import groups
from otherminds.items import Item, Tag
from otherminds.items.lint import words_of
from otherminds.items.tags import ORDER, STORY, TWIN

COMMON = 0.2
"""The share of questions that an answer must be a choice of, to be one for all; names and places seldom are."""


def words_of_options(items: Sequence[Item]) -> Callable[[Item], list[str]]:
    """Answers with the option whose words were more often right elsewhere (naive Bayes), and never reads the text."""
    right, wrong = Counter[str](), Counter[str]()
    by_group: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(lambda: (Counter(), Counter()))
    for item in items:
        for choice in item.choices:
            words = set(words_of(choice))
            (right if choice == item.answer else wrong).update(words)
            by_group[_group(item)][choice != item.answer].update(words)

    def pick(item: Item) -> list[str]:
        # What an item's own twins say is no evidence from elsewhere.
        was_right, was_wrong = by_group[_group(item)]

        def odds(word: str) -> float:
            return log((right[word] - was_right[word] + 1) / (wrong[word] - was_wrong[word] + 1))

        return most(item.choices, lambda choice: sum(map(odds, sorted(set(words_of(choice))))))

    return pick


def one_answer_for_all(items: Sequence[Item]) -> Callable[[Item], list[str]]:
    """Answers with what is right most often at the order of the item, of what can be answered again and again."""
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


def constant_answer(items: Sequence[Item]) -> Callable[[Item], list[str]]:
    """Answers with what is right most often in the other stories, whatever is asked."""
    own = dict(zip((item.id for item in items), groups(items), strict=True))
    often, here = Counter(item.answer for item in items), Counter((own[item.id], item.answer) for item in items)

    def pick(item: Item) -> list[str]:
        # In its own story it would have seen the key.
        return most(item.choices, lambda choice: often[choice] - here[own[item.id], choice])

    return pick


def _group(item: Item) -> str:
    return str(item.tags.get(TWIN, item.tags.get(STORY, item.id)))


def most(choices: Sequence[str], measure: Callable[[str], float]) -> list[str]:
    """The choices with the greatest measure; none, if all are alike."""
    measured = [measure(choice) for choice in choices]
    best = [choice for choice, value in zip(choices, measured, strict=True) if value == max(measured)]
    return best if len(best) < len(choices) else []
