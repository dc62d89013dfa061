"""Stories that are found hold what they are said to hold, as a program that shares no code with the package has it."""

from collections import Counter
from typing import Any

import pytest

from tests.found_stories import faults, found_stories


@pytest.fixture(scope="module")
def found() -> list[dict[str, Any]]:
    return list(found_stories(100))


def test_every_story_meets_its_goal_and_its_twin_differs_in_one_event_and_in_the_answer(
    found: list[dict[str, Any]],
) -> None:
    assert [(each["id"], fault) for each in found for fault in faults(each)] == []
    goals = Counter(word.partition(":")[0] for each in found for word in each["goal"].split(","))
    assert goals["pair"] == 100
    assert goals["false-belief"] > 50
    assert goals["asymmetric"] > 10
    assert goals["ignorance"] > 5
    assert {each["twin"]["change"] for each in found} == {"left out", "put in", "replaced"}
    assert len({each["set"] for each in found}) > 20


def test_the_program_sees_what_is_wrong(found: list[dict[str, Any]]) -> None:
    one = next(
        each for each in found if each["goal"] == "false-belief:1,pair" and each["twin"]["property"] == "container"
    )
    twin = one["twin"]

    def said(**changes: Any) -> str:
        return "; ".join(faults({**one, **changes}))

    assert said() == ""
    assert "it does not hold asymmetric" in said(goal="asymmetric")
    assert "moves, not" in said(moves=one["moves"] + 1)
    assert "people, not" in said(people=one["people"] + 1)
    assert "secrets in a story" in said(set="tomi+asymmetric")
    assert "event 1 cannot happen" in said(events=one["events"][::-1])
    assert "more than one event" in said(twin=twin | {"events": twin["events"][:-2]})
    assert "the answer is" in said(twin=twin | {"answer": "nowhere"})
    assert "both twins have one answer" in said(twin=twin | {"other": twin["answer"]})
    assert "it does not hold pair" in said(twin=None)
    true = {**one, "events": one["events"][:1], "twin": None, "goal": "false-belief:1"}
    assert "it does not hold false-belief:1" in "; ".join(faults(true))
