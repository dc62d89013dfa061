"""The reading set of examples/: what a model keeps of reading while it is taught about minds."""

from collections import Counter
from pathlib import Path

import pytest

from otherminds.heuristics.cues import cues
from otherminds.items import Item, Suite
from otherminds.items.lint import faults

SUITE = Suite.load(Path(__file__).parents[2] / "examples" / "reading.jsonl")


def place(item: Item, choice: str) -> int:
    return item.context.lower().index(choice.lower())


def test_every_choice_stands_in_its_passage() -> None:
    for item in SUITE:
        assert len(item.choices) == 4
        assert all(choice.lower() in item.context.lower() for choice in item.choices), item.id


def test_answers_stand_everywhere_alike() -> None:
    shown = Counter(item.choices.index(item.answer) for item in SUITE)
    assert len(shown) == 4
    assert max(shown.values()) - min(shown.values()) <= 1
    told = Counter(sorted(item.choices, key=lambda choice: place(item, choice)).index(item.answer) for item in SUITE)
    assert max(told.values()) < 0.3 * len(SUITE)


def test_no_mindless_reader_gets_far() -> None:
    assert not faults(SUITE)
    for cue in cues(SUITE):
        if cue.n >= 20:
            assert cue.right <= cue.chance + 0.1, cue


@pytest.mark.parametrize("word", ["think", "believe", "know", "want", "feel", "hid ", "hope", "look for"])
def test_nothing_in_it_is_about_minds(word: str) -> None:
    assert not [item.id for item in SUITE if word in f"{item.context} {item.question} ".lower()]
