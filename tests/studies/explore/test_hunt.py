"""The hunt: many searches, one batch, one budget."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from otherminds.errors import UsageError
from otherminds.minds.story import Story
from otherminds.search.hunt import METHODS, Found, hunt
from otherminds.search.search import Reply, Telling, Ways
from otherminds.search.versus import versus
from otherminds.stories.contexts import bank
from otherminds.stories.goals import Goal
from otherminds.stories.sets import Cell, action_sets, choose, grid
from tests.studies.explore.reader import FirstOrderReader

WAYS = Ways(budget=10, endings=5, draws=10, confirm=0)


def cells(names: str) -> list[Cell]:
    """Settings whose questions are of the second order, which the reader gets wrong."""
    return grid([replace(each, order=2) for each in choose(names)])


CELLS = cells("tomi,allbutfantom+asymmetric")


def go(examiner: Any, **options: Any) -> list[Found]:
    options = {"stories": 6, "ways": WAYS} | options
    return list(hunt(options.pop("cells", CELLS), bank()[:9], examiner, **options))


def test_sets_take_turns_and_budgets_are_kept() -> None:
    reader = FirstOrderReader()
    heard: list[tuple[int, int, int]] = []
    found = go(reader, progress=lambda *numbers: heard.append(numbers))
    assert all(number >= 2 for number in Counter(each.set for each in found).values())
    assert {each.set for each in found} == {"tomi", "allbutfantom+asymmetric"}
    assert len({(each.people, each.moves) for each in found}) > 2
    assert len({each.context for each in found}) > 1
    assert reader.asked <= 60
    assert heard[-1] == (6, 6, reader.asked)
    for each in found:
        cell = Cell(action_sets()[each.set], each.people, each.moves)
        assert Goal.of(cell).met(each.story, Goal.of(cell).tally(each.story))
        assert each.cell == cell.name


@pytest.mark.parametrize("width", [1, 3, 50])
@pytest.mark.parametrize("method", list(METHODS))
def test_it_is_the_same_every_time_and_never_spends_more_than_it_has(width: int, method: str) -> None:
    one, other = FirstOrderReader(), FirstOrderReader()
    assert go(one, width=width, method=method) == go(other, width=width, method=method)
    assert one.asked == other.asked <= 60


class AlwaysRight(FirstOrderReader):
    def reply(self, telling: Telling, order: int) -> Reply:
        return Reply(1.0)


@pytest.mark.parametrize("method", list(METHODS))
def test_nothing_is_found_against_one_who_is_always_right(method: str) -> None:
    right = AlwaysRight()
    assert go(right, method=method) == []
    assert right.asked <= 60
    if method == "search":
        assert right.asked == 60


def test_what_one_search_leaves_another_may_use() -> None:
    class RightAtFirst(AlwaysRight):
        def reply(self, telling: Telling, order: int) -> Reply:
            return Reply(1.0 if self.asked <= 20 else 0.0)

    reader = RightAtFirst()
    found = go(reader, stories=5, width=1, method="search", goal="none")
    # Two searches found nothing with their 20; the others stop as soon as nothing could be harder.
    assert len(found) == 5
    assert reader.asked <= 50


def test_a_spent_budget_of_the_model_ends_it_at_once() -> None:
    class Stops(FirstOrderReader):
        def replies(self, tellings: Any) -> list[Reply]:
            answers = super().replies(tellings)
            if self.asked > 25:
                self.stopped = "the budget of 9 calls is spent"
            return answers

    whole, stopped = FirstOrderReader(), Stops()
    everything = go(whole, width=2)
    part = go(stopped, width=2)
    assert part == everything[: len(part)]
    assert 0 < len(part) < len(everything)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cells": []}, "nothing to search"),
        ({"stories": 0}, "from 1 on"),
        ({"width": 0}, "from 1 on"),
        (
            {"cells": [Cell(action_sets()["tomi"], 2, 4, sentences=3)]},
            "tomi/p2/m4: no story can meet these conditions: 4 moves",
        ),
        ({"cells": [Cell(action_sets()["fantom-private"], 1, 2)]}, "fantom-private/p1/m2: none of 2000 random stories"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_asked(options: dict[str, Any], words: str) -> None:
    reader = FirstOrderReader()
    with pytest.raises(UsageError, match=words):
        go(reader, **options)
    assert reader.asked == 0


def test_nothing_to_ask_is_said() -> None:
    class Mute(FirstOrderReader):
        def asks(self, story: Story, order: int) -> bool:
            return False

    with pytest.raises(UsageError, match="came upon nothing to ask"):
        go(Mute())


def test_found_survives_json() -> None:
    found = go(FirstOrderReader(), cells=cells("trust,clear"), stories=4)
    assert any(each.story.premises.distrust for each in found)
    assert any(each.story.premises.clear for each in found)
    assert [Found.from_dict(each.to_dict()) for each in found] == found


def test_both_methods_side_by_side() -> None:
    reader: Any = FirstOrderReader()
    search, baseline = versus(CELLS, bank()[:9], reader, stories=4, ways=WAYS, method="search")
    assert [search.method, baseline.method] == ["search", "overgenerate"]
    assert {each.method for each in baseline.found} == {"overgenerate"}
    assert len(search.found) == 4
    assert search.asked <= 40
    assert baseline.asked <= 40
    assert search.to_dict()["accuracy"]["n"] == 4
    (alone,) = versus(CELLS, bank()[:9], reader, stories=4, ways=WAYS, baseline=False, method="search")
    # Without random stories, what the model is bad at is measured on others.
    assert replace(alone, weakness=None) == replace(search, weakness=None)
