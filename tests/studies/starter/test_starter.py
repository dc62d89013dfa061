"""The starter suite keeps the balance it promises."""

import re
from collections import defaultdict

from otherminds.items import Item
from otherminds.studies.starter.study import starter


def pairs() -> dict[str, dict[bool, Item]]:
    """The twins of every story, by whether the belief is false."""
    found: dict[str, dict[bool, Item]] = defaultdict(dict)
    for item in starter():
        found[str(item.tags["twin"])][bool(item.tags["false_belief"])] = item
    return found


def mentions(item: Item, choice: str) -> list[int]:
    return [hit.start() for hit in re.finditer(rf"\b{choice}\b", item.context)]


def test_two_kinds_in_twins() -> None:
    assert len(starter()) == 48
    assert len(pairs()) == 24
    assert [item.tags["kind"] for item in starter()].count("unexpected transfer") == 24
    assert {item.tags["kind"] for item in starter()} == {"unexpected transfer", "unexpected contents"}


def test_in_the_twin_the_answer_flips_and_the_question_stays() -> None:
    for twins in pairs().values():
        false, true = twins[True], twins[False]
        assert (false.question, false.choices, false.cloze) == (true.question, true.choices, true.cloze)
        assert false.answer != true.answer
        assert false.meta["reality"] == true.meta["reality"] == true.answer
        assert abs(len(false.context) - len(true.context)) <= 0.1 * len(true.context)


def test_both_choices_are_named_equally_often() -> None:
    for item in starter():
        counts = {len(mentions(item, choice)) for choice in item.choices}
        assert len(counts) == 1, item.id
        assert counts != {0}


def test_neither_place_nor_order_gives_the_answer_away() -> None:
    for kind in ("unexpected transfer", "unexpected contents"):
        items = starter().where(kind=kind, false_belief=True).items
        last = [max(item.choices, key=lambda c: mentions(item, c)[-1]) == item.answer for item in items]
        first = [item.choices[0] == item.answer for item in items]
        assert sum(last) == sum(first) == len(items) / 2


def test_every_item_has_a_stem_that_its_choices_complete() -> None:
    for item in starter():
        assert item.cloze
        assert not item.cloze.endswith((" ", "."))
        assert all(re.fullmatch("[a-z]+", choice) for choice in item.choices)
