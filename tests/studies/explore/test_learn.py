"""The search that learns: what it learns, what it does with it, and that it is the better for it."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from otherminds.minds.story import Story
from otherminds.search.hunt import Found, hunt
from otherminds.search.learn import Learner
from otherminds.search.search import Reply, Telling, Ways
from otherminds.search.versus import versus
from otherminds.search.weakness import Heard, find_weakness
from otherminds.stories.contexts import bank
from otherminds.stories.features import FLAGS, WIDTH, rows
from otherminds.stories.sets import Cell, choose
from otherminds.stories.structure import asked
from tests.studies.explore.reader import FirstOrderReader, Guesser

CELLS = [Cell(replace(each, order=2), 3, 3) for each in choose("tomi,tomi+asymmetric")]
WAYS = Ways(budget=20, confirm=2)


def go(examiner: Any, **options: Any) -> list[Found]:
    given: dict[str, Any] = {"stories": 2, "ways": WAYS} | options
    return list(hunt(CELLS, bank()[:20], examiner, **given))


# ---- what is learned ------------------------------------------------------------------------------------------------


def test_a_row_says_what_the_engine_knows(sally_anne: Story) -> None:
    table = rows(sally_anne, 1)
    so = {
        question.minds[0]: {name for name, flag in zip(FLAGS, row[1:], strict=False) if flag}
        for question, row in zip(asked(sally_anne, 1), table, strict=True)
    }
    assert {"false", "unreal", "not_named_last", "last_missed", "last_gone"} <= so["Sally"]
    assert {"not_named_first", "last_did"} <= so["Anne"]
    assert not {"false", "unreal", "last_missed", "last_gone", "last_returned"} & so["Anne"]
    assert table.shape == (2, WIDTH)


def test_a_weakness_is_learned_and_uncertainty_shrinks() -> None:
    rng = np.random.default_rng(0)
    table = np.hstack([np.ones((400, 1)), (rng.random((400, WIDTH - 1)) < 0.3).astype(float)])
    right = 1.0 - table[:, 3]  # wrong where the third column is set, and nowhere else
    learner = Learner()
    expected, doubt = learner.predict(table)
    assert np.allclose(expected, 0.5)
    learner.learn(table, right)
    learned, left = learner.predict(table)
    assert np.abs(learned - right).max() < 0.1
    assert left.max() < doubt.min()


def test_the_doubt_about_one_telling_grows_with_what_tellings_differ_by() -> None:
    steady, fickle = Learner(), Learner()
    for number in range(20):
        for learner, tellings in ((steady, [0.2, 0.2]), (fickle, [0.0, 0.8])):
            learner.between.append(0.3 * (-1) ** number)
            learner.compare(tellings)
    assert steady.doubt < 0.1 < 1 < fickle.doubt


# ---- what it does ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", range(1, 12))
def test_the_last_batch_is_no_larger_than_what_is_left(budget: int) -> None:
    for seed in range(4):
        reader = Guesser(seed=seed)
        go(reader, stories=1, ways=replace(WAYS, budget=budget, confirm=0), goal="none", seed=seed)
        assert reader.asked <= budget


def test_it_keeps_to_its_budget_and_is_the_same_every_time() -> None:
    one, other = FirstOrderReader(), FirstOrderReader()
    found = go(one)
    assert found == go(other)
    assert one.asked == other.asked <= 2 * (20 + 2)
    assert go(FirstOrderReader(), seed=1) != found
    assert all(each.method == "learn" and each.tellings == 2 for each in found)


def test_only_complete_stories_are_asked_about_and_none_twice() -> None:
    heard: list[Heard] = []
    found = go(FirstOrderReader(), listen=heard.append)
    assert len({each.story for each in heard}) == len(heard)
    for each in heard:
        assert sum(type(event).__name__ == "Move" for event in each.story.events) == 3
        assert len(each.story.people) == 3
    assert all(each.story in {one.story for one in heard} for each in found)


def test_what_is_reported_is_not_what_selected_the_story() -> None:
    """Against one who guesses, the lowest of many accuracies is luck, and fresh tellings say so."""
    found = go(Guesser(), stories=6, ways=replace(WAYS, confirm=8))
    chosen, confirmed = (fmean(getattr(each, name) for each in found) for name in ("accuracy", "confirmed"))
    assert chosen < 0.4
    assert confirmed - chosen > 0.1
    assert abs(confirmed - 0.5) < 0.12


def test_a_reader_that_is_never_wrong_is_not_found_wrong() -> None:
    class Right(FirstOrderReader):
        def reply(self, telling: Telling, order: int) -> Reply:
            return Reply(1.0)

    assert go(Right()) == []


def test_answers_that_cannot_be_used_are_passed_over() -> None:
    class Mumbling(FirstOrderReader):
        def reply(self, telling: Telling, order: int) -> Reply:
            return super().reply(telling, order) if Random(telling.story.text).random() < 0.5 else Reply(None)

    assert go(Mumbling())


def test_it_finds_harder_stories_than_chance_for_as_many_asked_about() -> None:
    """The whole table is printed by benchmarks/search.py; this is one reader and a few seeds of it."""
    cells = [Cell(replace(each, order=2), 4, 4) for each in choose("tomi+asymmetric,tomi+room-changes")]
    hard: dict[str, list[float]] = {"learn": [], "random": []}
    for seed in range(3):
        for method, some in hard.items():
            reader: Any = FirstOrderReader()
            options: dict[str, Any] = {"stories": 2, "ways": Ways(budget=25, confirm=1), "goal": "none"}
            some += [_confirmed(each) for each in hunt(cells, bank(), reader, method=method, seed=seed, **options)]
            assert reader.asked <= 2 * 26
    assert fmean(hard["learn"]) < fmean(hard["random"]) - 0.03


def _confirmed(found: Found) -> float:
    assert found.confirmed is not None
    return found.confirmed


# ---- in words -------------------------------------------------------------------------------------------------------


def test_the_weakness_of_a_known_reader_is_said_from_stories_it_was_not_learned_from() -> None:
    reader: Any = FirstOrderReader()
    learned, drawn = versus(CELLS, bank()[:20], reader, stories=4, ways=WAYS)
    assert learned.asked == drawn.asked  # as many stories asked about
    found = learned.weakness
    assert found is not None
    assert found.conditions == ("the answer is not what the last person thinks",)
    assert (found.wrong.value, found.elsewhere.value) == (1.0, 1.0)
    assert found.stories == len(drawn.heard)
    assert str(found).startswith("wrong in 100 % [")
    assert learned.to_dict()["weakness"]["words"] == str(found)
    (alone,) = versus(CELLS, bank()[:20], reader, stories=4, ways=WAYS, baseline=False)
    assert alone.weakness is not None
    assert alone.weakness.stories < len(alone.heard)  # the others were learned from


@pytest.mark.parametrize("right", [lambda _: 1.0, lambda _: 0.0])
def test_where_all_answers_are_alike_no_weakness_is_named(right: Callable[[str], float]) -> None:
    heard: list[Heard] = []
    go(FirstOrderReader(), listen=heard.append)
    alike = [each._replace(right={text: right(text) for text in each.right}) for each in heard]
    assert find_weakness(alike, alike) is None
    assert find_weakness([], []) is None
