"""Which items are asked."""

import random

import pytest

from otherminds.errors import UsageError
from otherminds.formats.plans import groups, limited, plan
from otherminds.items import Item
from otherminds.studies.starter.study import starter


def item(id: str, **tags: str) -> Item:
    return Item(id=id, question="?", answer="a", choices=("a", "b"), tags=tags)


LINKED = [
    item("a", story="s1", twin="t1"),
    item("b", story="s2", twin="t1"),
    item("c", story="s2"),
    item("d", story="s3"),
    item("e"),
    item("f"),
]


def test_groups_join_what_shares_a_story_or_a_twin() -> None:
    names = groups(LINKED)
    assert names[0] == names[1] == names[2]
    assert len(set(names)) == 4


def test_stories_of_one_stage_are_one_group_but_are_drawn_apart() -> None:
    staged = [item(str(number), story=f"s{number // 2}", stage="UC") for number in range(8)]
    assert len(set(groups(staged))) == 1
    assert len(set(groups(staged, by=("story", "twin")))) == 4
    assert len({one.tags["story"] for one in limited(staged, limit=4)}) == 2


def test_a_story_and_a_twin_of_one_name_are_two_things() -> None:
    one, other = groups([item("a", story="x"), item("b", twin="x")])
    assert one != other


@pytest.mark.parametrize("limit", [2, 3, 10, 47])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_limit_takes_whole_twins_in_their_order(limit: int, seed: int) -> None:
    items = starter().items
    chosen = limited(items, limit=limit, seed=seed)
    assert len(chosen) == limit - limit % 2
    assert len({one.tags["twin"] for one in chosen}) == len(chosen) / 2
    assert list(chosen) == [one for one in items if one in chosen]


def test_the_seed_decides_which() -> None:
    items = starter().items
    assert limited(items, limit=10, seed=0) == limited(items, limit=10, seed=0)
    assert limited(items, limit=10, seed=0) != limited(items, limit=10, seed=1)


def test_at_the_edges() -> None:
    items = starter().items
    assert limited(items, limit=None) == limited(items, limit=99) == items
    assert len(limited(items, limit=1)) == 1, "not even one pair of twins fits, so one is cut"
    with pytest.raises(UsageError, match="limit of 0"):
        limited(items, limit=0)


def test_a_plan_has_the_prompts_in_the_order_of_the_items() -> None:
    work = plan(starter(), limit=6)
    assert work.prompts == [asked.prompt for posed in work.posed for asked in posed]
    assert len(work.prompts) == 12


@pytest.mark.parametrize("seed", range(40))
def test_groups_are_what_hangs_together(seed: int) -> None:
    """By looking for neighbours again and again, on chains that only their links hold together."""
    dice = random.Random(seed)
    tags = [
        {name: str(dice.randrange(9)) for name in ("story", "twin", "stage") if dice.random() < 0.7} for _ in range(20)
    ]
    items = [item(str(n), **some) for n, some in enumerate(tags)]
    together = [{n} for n in range(len(items))]
    for _ in items:
        for n, some in enumerate(tags):
            near = [m for m, other in enumerate(tags) if any(other.get(name) == value for name, value in some.items())]
            together[n] = set().union(together[n], *(together[m] for m in near))
    found = groups(items)
    for n, mine in enumerate(found):
        assert {m for m, theirs in enumerate(found) if theirs == mine} == together[n]
