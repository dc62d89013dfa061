"""Folders of findings and suites: what is written is right, by a program that shares nothing with ours."""

import json
import random
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.items import Suite
from otherminds.items.lint import faults
from otherminds.search.hunt import Found
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import Cell, action_sets
from otherminds.studies.explore.material.build import balanced, evened, suite
from otherminds.studies.explore.material.folders import load, save
from tests.possible_worlds import OPEN
from tests.second_opinion import Opinion

PLAIN = {"fresh": False}


def drawn(number: int, *, seed: int = 0) -> list[Found]:
    """So many random stories, the sets in turn."""
    rng = random.Random(seed)
    found: list[Found] = []
    for turn in range(number):
        chosen = list(action_sets().values())[turn % len(action_sets())]
        while len(found) <= turn:
            cell, context = Cell(chosen, rng.choice((2, 3, 4)), rng.choice((2, 3))), rng.choice(bank())
            story = Grower(setting(context, cell, seed=turn), Goal.of(cell), rng).complete()
            if story is not None:
                about = (0.5, cell.name, chosen.name, cell.people, cell.moves, chosen.order, context.id, "search", 7, 3)
                found.append(Found(f"{cell.name}-{turn}", story, *about))
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_labels_recomputed_from_the_files_are_the_same(tmp_path: Path) -> None:
    found = drawn(500)
    save(tmp_path, found, searched={})
    stories = {data["id"]: data for data in lines(tmp_path / "stories.jsonl")}
    _, *items = lines(tmp_path / "questions.jsonl")
    assert len(stories) == 500
    assert {data["set"] for data in stories.values()} == set(action_sets())
    seen: Counter[tuple[str, int]] = Counter()
    opinions: dict[str, tuple[list[dict[str, Any]], Opinion]] = {}
    wrong = []
    for item in items:
        story = stories[item["meta"]["found"]]
        if story["id"] not in opinions:
            opinions[story["id"]] = worlds_and_minds(story)
        seen[item["tags"]["kind"], item["tags"]["order"]] += 1
        if (answer := second_answer(item, story, *opinions[story["id"]])) != item["answer"]:
            wrong.append((item["question"], item["answer"], answer, story["text"]))
    assert wrong == []
    assert len(opinions) == 500
    assert {order for _, order in seen} == {0, 1, 2, 3}
    assert {kind for kind, _ in seen} == {"container", "room", "topic", "state", "memory"}


def worlds_and_minds(story: dict[str, Any]) -> tuple[list[dict[str, Any]], Opinion]:
    """The world after every event, and the second opinion after the last."""
    opinion, worlds = Opinion(story["premises"] | PLAIN), []
    for event in story["events"]:
        opinion.happen(event)
        worlds.append(deepcopy(opinion.beliefs(())))
    return worlds, opinion


def second_answer(item: dict[str, Any], story: dict[str, Any], worlds: list[dict[str, Any]], opinion: Opinion) -> str:
    """The answer of the second opinion, in the words of the item."""
    meta, tags, question = item["meta"], item["tags"], item["question"]
    if tags["kind"] == "memory":
        values = [_place(world, meta) for world in worlds]
        if tags["when"] == "beginning":
            # Of containers, the first into which it was put.
            return next(value for value in values if value not in ("unknown", "in no container"))
        clauses = [_clause(event) if event.get("object") == meta["about"] else None for event in story["events"]]
        (index,) = [number for number, told in enumerate(clauses) if told and f"just before {told}?" in question]
        return values[index - 1]
    known = opinion.beliefs(tuple(meta["minds"]))
    if tags["kind"] in ("container", "room"):
        return _place(known, meta)
    first = opinion.beliefs(tuple(meta["minds"][:1]))
    if len(meta["minds"]) > 1 and not _knows(first, meta):
        return "has no view"
    if tags["kind"] == "topic":
        has = meta["about"] in known["topics"]
    else:
        # The value asked about stands in the question.
        state = known["state"].get((meta["about"], meta["property"].removeprefix("state:")))
        has = state is not None and f"the {meta['about']} {state}?" in question
    return "yes" if has is (tags["polarity"] == "positive") else "no"


def _knows(known: dict[str, Any], meta: dict[str, Any]) -> bool:
    if meta["property"] == "topic":
        return meta["about"] in known["topics"]
    return (meta["about"], meta["property"].removeprefix("state:")) in known["state"]


def _place(known: dict[str, Any], meta: dict[str, Any]) -> str:
    value = known["room" if meta["property"] == "room" else "place"].get(meta["about"])
    return "unknown" if value is None else "in no container" if value == OPEN else str(value)


def _clause(event: dict[str, Any]) -> str | None:
    if event["do"] == "move_to_container":
        return f"{event['person']} put it into the {event['container']}"
    if event["do"] == "move_to_room":
        return f"{event['person']} carried it to the {event['room']}"
    return None


def test_traces_tell_what_changed(tmp_path: Path) -> None:
    (each,) = drawn(1)
    save(tmp_path, [each], searched={"seed": 1})
    (data,) = lines(tmp_path / "stories.jsonl")
    assert [step["after"] for step in data["trace"]] == list(range(1, len(each.story) + 1))
    for person in each.story.people:
        last = [step["views"][person] for step in data["trace"] if person in step["views"]][-1]
        assert last["facts"] == [list(fact) for fact in each.story.view(person).facts()]
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8")) == {"seed": 1}
    assert "# explore" in (tmp_path / "card.md").read_text(encoding="utf-8")


def test_a_folder_is_read_back(tmp_path: Path) -> None:
    found = drawn(26)
    save(tmp_path, found, searched={})
    assert load(tmp_path) == found
    assert load(tmp_path / "stories.jsonl") == found
    asked = Suite.load(tmp_path / "questions.jsonl")
    assert asked.digest == suite(found).digest
    assert faults(asked) == []


def test_nothing_found_is_written_too(tmp_path: Path) -> None:
    save(tmp_path, [], searched={"stories": 0})
    assert load(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json", "stories.jsonl"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"events": None}, "line 2: a story should be a list of events"),
        ({"accuracy": "gone"}, ""),
        ({"premises": 3}, "line 2: premises should be an object"),
        ({"events": [{"do": "leave_room", "person": "Ann", "room": "den"}]}, "line 2: event 1 cannot happen"),
    ],
)
def test_a_damaged_line_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    good, bad = (each.to_dict() for each in drawn(2))
    bad |= change
    if not words:
        del bad["accuracy"]
        words = "line 2 is not a story found by explore: KeyError"
    (tmp_path / "stories.jsonl").write_text(f"{json.dumps(good)}\n{json.dumps(bad)}\n", encoding="utf-8")
    with pytest.raises(BadFile, match=words):
        load(tmp_path)


def test_a_suite_of_interesting_questions_in_other_words() -> None:
    found = drawn(26)
    whole, part = suite(found), suite(found, interesting=True, paraphrase=4)
    assert {item.tags["interesting"] for item in part} == {True}
    assert len(part) == sum(item.tags.get("interesting") is True for item in whole)
    assert not {item.context for item in part} & {item.context for item in whole}
    assert {item.tags["method"] for item in part} == {"search"}
    assert max(int(item.tags["order"]) for item in suite(found, order=1)) == 3  # a set of its own has a third order
    with pytest.raises(UsageError, match="nothing to ask"):
        suite([])


@pytest.mark.parametrize("tag", ["false_belief", "like_reality", "interesting"])
def test_balanced_suites_are_balanced_within_kind_and_order(tag: str) -> None:
    items = suite(drawn(52)).items
    kept = balanced(items, tag, seed=1)
    counts = Counter((item.tags["kind"], item.tags["order"], item.tags[tag]) for item in kept)
    assert counts
    for kind, order, value in counts:
        assert counts[kind, order, value] == counts[kind, order, not value]
    assert [item for item in items if item in kept] == list(kept)
    assert balanced(items, tag, seed=1) == kept != balanced(items, tag, seed=2)


def test_no_constant_answer_is_right_too_often_where_answers_are_evened_out() -> None:
    items = suite(drawn(260)).items
    kept = evened(items, seed=1)
    assert {item.id for item in kept} < {item.id for item in items}
    assert kept == evened(items, seed=1) != evened(items, seed=2)
    for name in action_sets():
        answers = Counter(item.answer for item in kept if item.tags["set"] == name and item.tags["order"] == 2)
        assert max(answers.values()) <= 0.4 * answers.total(), (name, answers.most_common(3))


def test_what_cannot_be_balanced_is_refused() -> None:
    items = [item for item in suite(drawn(5)) if item.tags["order"] == 0]
    with pytest.raises(UsageError, match="nothing can be balanced by 'false_belief'"):
        balanced(items, "false_belief")
