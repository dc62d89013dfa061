from __future__ import annotations

import random

from otherminds.training import words
from otherminds.training.lessons import Recipe, lesson

OPEN = ("answer", "question", "short", "direct", "bare")


def test_there_are_containers_enough_however_many_are_taken() -> None:
    taken = {f"{colour}_{noun}" for colour in words.COLOURS[:3] for noun in words.HOLDERS[:5]}
    for seed in range(200):
        found = words.containers(random.Random(seed), 14, set(taken), compound=True)
        assert len(set(found)) == 14
        assert not taken & set(found)


def test_an_answer_in_own_words_has_no_article() -> None:
    recipe = Recipe(grammars=("scenes",))
    branches = [branch for number in range(150) for branch in lesson(recipe, number).branches]
    open_ones = [branch for branch in branches if branch.kind.split(" / ")[1] in OPEN]
    assert len(open_ones) > 200
    assert not [branch for branch in open_ones if branch.completion.strip().startswith("the ")]
