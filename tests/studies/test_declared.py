"""Scores and gaps that a study declares, measured of answers that are known."""

import pytest

from otherminds.heuristics.readers import oracle, realist
from otherminds.results.answers import Answers
from otherminds.runs.runs import run
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.starter.study import starter

SUITE = starter()
FALSE = ScoreOf(
    "False beliefs", {"false_belief": True}, chance=0.5, first=True, say=lambda one: f"{one.value:.1f} it is."
)
HARDER = GapOf("False less true", {"false_belief": True}, {"false_belief": False})
CLOZE = GapOf("Letters less cloze", {"score": "letters"}, {"score": "cloze"}, paired=True)


@pytest.fixture(scope="module")
def table() -> Answers:
    runs = [run(SUITE, make(SUITE)) for make in (oracle, realist)]
    return Answers.of([*runs, run(SUITE.using(score="cloze"), oracle(SUITE))])


def test_scores_and_gaps_lead_to_exactly_their_answers(table: Answers) -> None:
    worldly = table.where(model="realist")
    score, gap = findings([FALSE, HARDER], "realist", worldly, table)
    assert (score.what, score.model, score.estimate.value, score.chance) == ("False beliefs", "realist", 0.0, 0.5)
    assert (score.first, score.sentence) == (True, "0.0 it is.")
    assert score.leads_to == {"model": "realist", "false_belief": "true"}
    assert (gap.estimate.value, gap.estimate.n, gap.chance) == (-1.0, 48, None)
    assert gap.leads_to == {"model": "realist", "false_belief": "true|false"}


def test_a_pair_is_of_the_items_that_both_have(table: Answers) -> None:
    (gap,) = findings([CLOZE], "oracle", table.where(model="oracle"), table)
    assert (gap.estimate.value, gap.estimate.n) == (0.0, 48)
    assert gap.leads_to == {"model": "oracle"}


def test_rules_stand_beside_scores_and_not_beside_gaps(table: Answers) -> None:
    items = SUITE.items
    rules = {"realist": Answers.by_rule("realist", items, realist(SUITE).values(items))}
    score, gap = findings([FALSE, HARDER], "oracle", table.where(model="oracle", score="letters"), table, rules)
    assert (dict(score.rules), dict(gap.rules)) == ({"realist": 0.0}, {})


def test_what_cannot_be_measured_is_no_finding(table: Answers) -> None:
    nowhere = ScoreOf("Nothing", {"kind": "no such kind"})
    assert list(findings([nowhere, CLOZE], "realist", table.where(model="realist"), table)) == []


def test_a_score_may_count_every_answer_in_its_own_way(table: Answers) -> None:
    said = ScoreOf("Wrong", of="", measure=lambda some: some.share(lambda row: row.verdict == "incorrect"))
    (found,) = findings([said], "realist", table.where(model="realist"), table)
    assert (found.estimate.value, found.estimate.n) == (0.5, 48)
