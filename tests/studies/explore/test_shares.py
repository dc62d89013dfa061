"""Shares of random stories, on stories that are known instead of random."""

import random
from collections.abc import Callable

import pytest

from otherminds.errors import UsageError
from otherminds.minds.events import Enter, Move
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story
from otherminds.stories import need as sharing
from otherminds.stories.contexts import bank
from otherminds.stories.goals import Goal, Tally
from otherminds.stories.grow import Node
from otherminds.stories.need import Share, shares
from otherminds.stories.sets import choose, grid

(CELL,) = grid(choose("tomi"), people=(2,), moves=(2,))
IGNORANT = Story.of(Enter("Anne", "den"), Move("Anne", "marble", "box"), Enter("Sally", "den"))


def always(story: Story) -> Callable[[Setting, Goal, random.Random], object]:
    class Grower:
        def __init__(self, *_: object) -> None:
            self.start = Node(Story(), Tally())

        def ending(self, _: Node) -> Node:
            return Node(story, Tally())

    return Grower


def values(share: Share) -> tuple[float, float, float]:
    return share.stories.value, share.published.value, share.questions.value


def test_a_false_belief_needs_theory_of_mind(monkeypatch: pytest.MonkeyPatch, sally_anne: Story) -> None:
    monkeypatch.setattr(sharing, "Grower", always(sally_anne))
    (share,) = shares([CELL], bank(), number=3)
    # Of four questions the two of the first order: with two people nobody can take another's place in a pair.
    assert values(share) == (1.0, 1.0, 0.5)
    assert (share.stories.n, share.questions.n, share.questions.clusters) == (3, 12, 3)


def test_not_knowing_counts_for_us_and_not_for_the_published_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "Grower", always(IGNORANT))
    (share,) = shares([CELL], bank(), number=2)
    assert values(share)[:2] == (1.0, 0.0)


def test_a_story_without_people_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "Grower", always(Story()))
    (share,) = shares([CELL], bank(), number=2)
    assert values(share) == (0.0, 0.0, 0.0)


def test_the_seed_decides() -> None:
    (one,), (same,), (other,) = (shares([CELL], bank(), number=40, seed=seed) for seed in (1, 1, 2))
    assert one == same != other


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one context"):
        shares([CELL], (), number=1)
    with pytest.raises(UsageError, match="one story"):
        shares([CELL], bank(), number=0)
