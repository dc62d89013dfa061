"""The held-out stories of benchmarks/training_parts/deep_stories.py: where nobody talks, the belief engine agrees."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from otherminds.bridges.benchmarks.tomi import answer, asked, sentences, tell

FILE = Path(__file__).parents[2] / "benchmarks" / "training_parts" / "deep_stories.py"
deep = SimpleNamespace(**runpy.run_path(str(FILE)))


@pytest.mark.parametrize("rooms", [1, 2, 3])
def test_answers_are_those_of_the_belief_engine_where_nobody_talks(rooms: int) -> None:
    found = deep.items(40, seed=rooms, rooms=rooms, told=False, plain=rooms == 3)
    assert {item.tags["order"] for item in found} == {0, 1, 2, 3, 4}
    for item in found:
        lines, what = sentences(item.context), asked(item.question)
        assert what is not None
        assert answer(tell(lines, open_containers=False), lines, what) == item.answer, item.id


def room(teller: int, listener: int = -1) -> object:
    """Ada leaves first, then Ben, then Cy; each has seen the thing at another place, and one of them says "tin"."""
    left_at = ["box", "jar", "bag"]
    return deep.Room("pear", [*left_at, "tin"], ["Ada", "Ben", "Cy"], left_at, [], teller, "tin", listener)


@pytest.mark.parametrize(
    ("teller", "listener", "minds", "answer"),
    [
        (1, -1, [], "bag"),  # what is said changes nothing in the world
        (1, -1, ["Ada"], "tin"),  # Ben left later than Ada, and is believed
        (1, -1, ["Cy"], "bag"),  # Cy left later than Ben, and knows better
        (1, -1, ["Cy", "Ben"], "jar"),  # Cy saw what Ben saw
        (1, -1, ["Cy", "Ada"], None),  # whether Cy thinks that Ada believes Ben is left open
        (2, -1, ["Ada", "Ben"], "tin"),  # both heard it, and both left before Cy
        (2, 0, ["Ada"], "tin"),  # told in private
        (2, 0, ["Ben"], "jar"),  # and heard by nobody else
        (2, 0, ["Ben", "Ada"], "box"),
        (2, 0, ["Ada", "Cy"], None),
        (0, 1, ["Ben"], "jar"),  # who left earlier is not believed
    ],
)
def test_who_left_later_is_believed(teller: int, listener: int, minds: list[str], answer: str | None) -> None:
    assert room(teller, listener).answer(minds) == answer  # type: ignore[attr-defined]
