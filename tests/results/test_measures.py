"""Numbers from runs, against what can be worked out by hand."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log

import pytest

from otherminds.errors import UsageError
from otherminds.heuristics.readers import oracle, realist
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.results.answers import Answers
from otherminds.results.measures import (
    adjusted,
    chance,
    compare,
    leaning,
    mean_of,
    same_model,
    splits,
    table,
    twins_right,
)
from otherminds.runs.runs import Run, run
from otherminds.stats import holm
from otherminds.studies.starter.study import starter


def table_of(items: Sequence[Item]) -> Answers:
    return Answers.by_rule("any", items, dict.fromkeys((item.id for item in items), 1.0))


@pytest.fixture(scope="module")
def suite() -> Suite:
    return starter()


@pytest.fixture(scope="module")
def knowing(suite: Suite) -> Run:
    return run(suite, oracle(suite))


@pytest.fixture(scope="module")
def worldly(suite: Suite) -> Run:
    return run(suite, realist(suite))


def test_splits_name_what_differs(suite: Suite) -> None:
    assert [split.label for split in splits(table_of(suite.items))] == [
        *("all items", "false belief", "true belief"),
        *("kind: unexpected contents", "kind: unexpected transfer"),
    ]


def test_splits_of_other_tags() -> None:
    tags = [{"order": 2, "asymmetric": True, "story": "a"}, {"order": 10, "asymmetric": False, "story": "b"}]
    items = [Item(str(number), "?", "yes", tags=found) for number, found in enumerate(tags)]
    assert [split.label for split in splits(table_of(items))] == [
        "all items",
        "order 2",
        "order 10",
        "asymmetric",
        "not asymmetric",
    ]


def test_a_tag_that_names_items_is_no_split() -> None:
    items = [Item(str(number), "?", "yes", tags={"place": f"place {number}"}) for number in range(9)]
    assert len(splits(table_of(items))) == 1


def test_means_are_clustered_by_story(worldly: Run) -> None:
    everything, false = mean_of(worldly), mean_of(worldly, false_belief=True)
    assert everything is not None
    assert false is not None
    assert (everything.value, everything.n, everything.clusters) == (0.5, 48, 24)
    assert (false.value, false.n, false.low) == (0.0, 24, 0.0)
    assert 0 < false.high < 0.2
    assert mean_of(worldly, kind="no such kind") is None


def test_unscored_items_are_left_out_and_not_zero(suite: Suite) -> None:
    silent = Scripted(lambda prompt: "" if "Nadia" in str(prompt.messages) else "A", name="silent")
    found = run(suite.using(score="text", prompt="direct"), silent)
    everything = mean_of(found)
    assert everything is not None
    assert everything.n == 46
    assert found.verdicts()["unparsed"] == 2


def test_only_whole_sets_of_twins_count(knowing: Run, worldly: Run, suite: Suite) -> None:
    assert getattr(twins_right(knowing), "value", None) == 1.0
    assert getattr(twins_right(worldly), "value", None) == 0.0
    assert twins_right(knowing.where(false_belief=True)) is None


def test_chance() -> None:
    two = Item("a", "?", "x", choices=("x", "y"))
    four = Item("b", "?", "x", choices=("x", "y", "z", "w"))
    assert chance([two, four]) == 0.375
    assert chance([two, Item("c", "?", "x")]) is None


def test_a_liking_for_a_letter_shows(suite: Suite) -> None:
    stubborn = Scripted(lambda _: "A", name="stubborn", weigh=lambda _: {"A": 0.6, "B": 0.2})
    found = leaning(run(suite, stubborn))
    assert found is not None
    assert found.mass == pytest.approx(0.8)
    assert found.bias == pytest.approx(log(3))
    assert found.consistent == 0.0
    assert leaning(run(suite.using(score="text", prompt="direct"), stubborn)) is None


def test_compare_by_hand(knowing: Run, worldly: Run) -> None:
    found = compare(knowing, worldly)
    numbers = {row.items: row.difference.value for row in found.rows}
    assert numbers["all items"] == 0.5
    assert (numbers["false belief"], numbers["true belief"]) == (1.0, 0.0)
    assert set(found.gained) == {record.item.id for record in knowing.where(false_belief=True).records}
    assert found.lost == ()
    assert found.mcnemar == 2 / 2**24
    assert found.unpaired == 0
    assert [row.holm for row in found.rows] == holm([row.difference.p for row in found.rows])
    reverse = compare(worldly, knowing)
    assert reverse.rows[0].difference.value == -0.5
    assert reverse.lost == found.gained


def test_compare_pairs_only_what_both_have(knowing: Run, worldly: Run) -> None:
    found = compare(knowing.where(false_belief=True), worldly)
    assert found.rows[0].difference.value == 1.0
    assert found.unpaired == 24


def test_runs_that_cannot_be_paired(knowing: Run, worldly: Run) -> None:
    with pytest.raises(UsageError, match="no scored item in common"):
        compare(knowing.where(false_belief=True), worldly.where(false_belief=False))
    first = worldly.records[0]
    other = replace(worldly, records=(replace(first, item=replace(first.item, question="Who?")),))
    with pytest.raises(UsageError, match="is not the same in runs"):
        compare(knowing, other)


def test_what_has_no_right_answer_is_not_compared(suite: Suite) -> None:
    open_ended = [replace(item, tags={**item.tags, "scored": False}) for item in suite.items[:4]]
    some = Suite("some", (*open_ended, *suite.items[4:]))
    found = compare(run(some, oracle(some)), run(some, realist(some)))
    assert (found.rows[0].difference.n, found.unpaired) == (44, 0)
    assert not {item.id for item in open_ended} & {*found.gained, *found.lost}


def test_a_tie_is_on_neither_side(suite: Suite, worldly: Run) -> None:
    def weigh(prompt: Prompt) -> dict[str, float]:
        known = {letter: exp(value) for letter, value in oracle(suite).weigh([prompt])[0].logprobs.items()}
        return {"A": 0.5, "B": 0.5} if "Nadia" in prompt.text else known

    first = run(suite, Scripted(lambda _: "A", name="some tied", weigh=weigh))
    tied = [record.item.id for record in first.records if record.verdict == "tied"]
    assert len(tied) == 2
    found = compare(first, worldly)
    assert found.unpaired == 2
    assert not {*tied} & {*found.gained, *found.lost}


def test_lines_that_cannot_be_significant_count_for_no_other(knowing: Run, worldly: Run) -> None:
    whole = compare(knowing, worldly).rows[0]
    few = replace(whole, difference=replace(whole.difference, clusters=5, p=0.0625))
    assert [row.holm for row in adjusted([few, whole, few])] == [1.0, whole.difference.p, 1.0]
    assert few.too_few
    assert not whole.too_few


def test_one_model_is_known_by_more_than_its_name(suite: Suite, worldly: Run) -> None:
    def named(**identity: object) -> Run:
        return replace(worldly, manifest={**worldly.manifest, "identity": {"backend": "api", **identity}})

    assert same_model(named(seed=1, temperature=0.7)) == same_model(named(seed=2, temperature=0.7))
    assert same_model(named(seed=1, temperature=0.7)) != same_model(named(seed=1, temperature=0))
    others = Suite("others", suite.items[:4])
    assert same_model(run(others, realist(others))) == same_model(worldly)


def test_compare_by_one_tag(knowing: Run, worldly: Run) -> None:
    found = compare(knowing, worldly, by="kind")
    assert [row.items for row in found.rows] == ["all items", "kind: unexpected transfer", "kind: unexpected contents"]
    assert [dict(row.tags) for row in found.rows[1:]] == [
        {"kind": "unexpected transfer"},
        {"kind": "unexpected contents"},
    ]
    assert all(row.difference.value == 0.5 for row in found.rows)
    assert len(compare(knowing, worldly, by="no such tag").rows) == 1


def test_paired_of_any_number(knowing: Run, worldly: Run) -> None:
    gap = table(knowing).less(table(worldly), "S")
    assert gap is not None
    assert gap.value == pytest.approx(0.45)  # sure by 0.95, and half of the time of the wrong choice
    assert table(knowing).less(table(worldly.where(kind="none"))) is None
