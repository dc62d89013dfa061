"""The table of answers: choosing, grouping, numbers, and what is the same in two tables."""

import pytest

from otherminds.heuristics.readers import oracle, realist
from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.results.answers import Answers, shared
from otherminds.results.measures import mean_of
from otherminds.runs.runs import Run, run
from otherminds.studies.starter.study import starter


@pytest.fixture(scope="module")
def suite() -> Suite:
    return starter()


@pytest.fixture(scope="module")
def runs(suite: Suite) -> list[Run]:
    return [run(suite, oracle(suite)), run(suite, realist(suite)), run(suite.using(score="cloze"), realist(suite))]


@pytest.fixture(scope="module")
def table(runs: list[Run]) -> Answers:
    return Answers.of(runs)


def test_a_row_for_every_answer_in_order(table: Answers, runs: list[Run]) -> None:
    assert len(table) == sum(map(len, runs))
    assert [row.record for row in table] == [record for each in runs for record in each.records]
    first, record = table[0], runs[0].records[0]
    assert (first.item, first.model, first.value) == (record.item, "oracle", record.value())
    assert (first.verdict, first.said, first.run) == (record.verdict, record.score.answer, runs[0])


def test_answers_are_chosen_by_tags_and_by_how_they_were_asked(table: Answers) -> None:
    some = table.where(model="realist", score="cloze", false_belief=True)
    assert len(some) == 24
    assert {row.item.tags["false_belief"] for row in some} == {True}
    assert some.wanted == {"model": ("realist",), "score": ("cloze",), "false_belief": (True,)}
    assert len(table.where(score=("letters", "cloze"))) == len(table)
    assert len(table.where(lambda row: row.right, model="realist")) == 48
    assert not table.where(kind="no such kind")


def test_a_tag_goes_before_a_property_of_the_same_name() -> None:
    suite = Suite("odd", (Item("a", "?", "x", choices=("x", "y"), tags={"model": "T"}),))
    assert len(Answers.of([run(suite, Scripted(lambda _: "A", name="m"))]).where(model="T")) == 1


def test_groups_of_a_property_come_in_order(table: Answers) -> None:
    assert {name: len(some) for name, some in table.by("model").items()} == {"oracle": 48, "realist": 96}
    assert [(each.score, len(some)) for each, some in table.by_run()] == [
        ("letters", 48),
        ("letters", 48),
        ("cloze", 48),
    ]


def test_means_are_those_of_the_run(table: Answers, runs: list[Run]) -> None:
    for each, some in table.by_run():
        for kind in (True, False):
            assert some.where(false_belief=kind).mean() == mean_of(each, false_belief=kind)
    assert Answers().mean() is None
    found = table.where(model="realist").share(lambda row: row.verdict == "incorrect")
    assert found is not None
    assert (found.value, found.n, found.clusters) == (0.5, 96, 24)


def test_two_tables_are_compared_item_by_item(table: Answers) -> None:
    knowing, worldly = table.where(model="oracle"), table.where(model="realist", score="letters")
    gap = knowing.less(worldly)
    assert gap is not None
    assert (gap.value, gap.n) == (0.5, 48)
    assert knowing.less(Answers()) is None
    one, two = shared(knowing.where(false_belief=True), worldly)
    assert [row.item for row in one] == [row.item for row in two]
    assert len(one) == 24


def test_two_sorts_of_item_are_compared_by_story(table: Answers) -> None:
    worldly = table.where(model="realist", score="letters")
    gap = worldly.where(false_belief=True).against(worldly.where(false_belief=False))
    assert gap is not None
    assert (gap.value, gap.n, gap.clusters) == (-1.0, 48, 24)
    assert worldly.against(Answers()) is None


def test_what_was_asked_twice_counts_once_with_its_mean(table: Answers) -> None:
    twice = Answers([*table.where(model="oracle"), *table.where(model="realist", score="letters")])
    means = twice.averaged
    assert len(means) == 48
    assert means.where(false_belief=True).numbers() == [0.5] * 24


def test_what_has_no_value_is_in_no_number() -> None:
    items = tuple(Item(str(n), f"Where {n}?", "x", choices=("x", "y")) for n in range(3))
    shy = Scripted(lambda prompt: "x" if "Where 1?" in str(prompt) else "Who knows?", name="shy")
    answers = Answers.of([run(Suite("s", items, score="text", prompt="direct"), shy)])
    assert (len(answers), answers.numbers(), len(answers.with_value())) == (3, [1.0], 1)
    assert answers.averaged[0].value is None


def test_a_rule_is_a_table_too(suite: Suite, table: Answers) -> None:
    values = realist(suite).values(suite.items)
    rule = Answers.by_rule("realist", suite.items, values, S=dict.fromkeys(values, 0.25))
    assert rule.mean() == table.where(model="realist", score="letters").mean()
    assert rule.where(false_belief=True).numbers("S") == [0.25] * 24
    assert (rule.runs, rule.where(model="realist")[0].record) == ([], None)


def test_what_two_choices_have_in_common_stays_known(table: Answers) -> None:
    both = table.where(score="letters", false_belief=True) | table.where(score="cloze", false_belief=True)
    assert both.wanted == {"score": ("letters", "cloze"), "false_belief": (True,)}
    assert (table.where(score="letters") | table.where(false_belief=True)).wanted == {}
