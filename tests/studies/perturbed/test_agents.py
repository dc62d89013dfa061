"""Scripted agents give the tables that are known in closed form, through the real runner."""

from collections import Counter

import pytest

from otherminds.runs import Run, run
from otherminds.store import MEMORY, Store
from otherminds.studies.perturbed.agents import AGENTS
from otherminds.studies.perturbed.build import build
from otherminds.studies.perturbed.chains import compare

PLAIN, CHAIN = build(), build(style="cot")
BELIEFS = CHAIN.where(question="belief")
FOOLED = {"none", "add_unrelated_information", "conclusion_from_sentiment"}


def proper(done: Run) -> dict[str, bool]:
    return {
        record.item.id: compare(
            record.item.meta["gold"], record.score.detail["states"], final=record.item.meta["final"]
        ).proper
        for record in done.records
    }


@pytest.mark.parametrize("suite", [PLAIN, CHAIN], ids=["vanilla", "cot"])
def test_nobody_is_faulty_and_the_gold_agent_is_always_right(suite: object) -> None:
    assert suite in (PLAIN, CHAIN)
    chosen = PLAIN if suite is PLAIN else CHAIN
    for name, agent in AGENTS.items():
        ends = run(chosen, agent(chosen)).verdicts()
        assert ends["correct"] + ends["incorrect"] == 1088, name
        if name in ("gold", "premature"):
            assert ends["correct"] == 1088


def test_chains() -> None:
    assert all(proper(run(BELIEFS, AGENTS["gold"](BELIEFS))).values())
    assert not any(proper(run(BELIEFS, AGENTS["premature"](BELIEFS))).values())
    assert not any(proper(run(BELIEFS, AGENTS["placebo"](BELIEFS))).values())
    always = proper(run(BELIEFS, AGENTS["reality"](BELIEFS)))
    constant = {item.id for item in BELIEFS if all(states == [item.meta["reality"]] for states in item.meta["gold"])}
    assert {id for id, right in always.items() if right} == constant
    assert constant


def test_reality_and_decoy_divide_the_focal_items() -> None:
    focal = PLAIN.where(focal=True)
    reality = run(focal, AGENTS["reality"](focal))
    decoy = run(focal, AGENTS["decoy"](focal))
    for record in reality.records:
        item = record.item
        expected = (
            item.tags["class"] not in FOOLED and item.meta["testimony"] != "discount" and item.meta["form"] != "U"
        )
        assert (record.score.verdict == "correct") is expected, item.id
    # 24 tasks mislead their target, 2 leave it without a belief, in the other 42 it knows.
    assert (reality.verdicts()["correct"], decoy.verdicts()["correct"]) == (2 * 42, 2 * 24)
    # Over all questions: nothing is moved in the consistent variant of the 29 transfers, so there the decoy is right too.
    assert run(PLAIN, AGENTS["decoy"](PLAIN)).verdicts()["correct"] == 2 * 24 + 4 * 29
    assert run(PLAIN, AGENTS["reality"](PLAIN)).verdicts()["incorrect"] == 2 * 26 + 2 * 2


def test_the_placebo_helps_only_where_states_are_asked_for() -> None:
    assert run(PLAIN, AGENTS["placebo"](PLAIN)).mean() == 0
    assert run(CHAIN, AGENTS["placebo"](CHAIN)).mean() == 1


def test_the_random_agent_is_near_a_third() -> None:
    assert 0.28 < run(PLAIN, AGENTS["random"](PLAIN)).mean() < 0.39


def test_agents_do_not_share_stored_answers() -> None:
    focal = CHAIN.where(focal=True, stage="UT-E")
    with Store(MEMORY) as store:
        means = Counter({name: run(focal, agent(focal), store=store).mean() for name, agent in AGENTS.items()})
        again = {name: run(focal, agent(focal), store=store).mean() for name, agent in AGENTS.items()}
    assert dict(means) == again
    assert (means["gold"], means["placebo"]) == (1, 1)
    assert means["reality"] + means["decoy"] == 1
