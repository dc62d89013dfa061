"""Scripted agents give the tables that are known in closed form, through the real runner."""

from collections import Counter
from functools import cache

import pytest

from otherminds.runs.runs import Run, run
from otherminds.store.store import MEMORY, Store
from otherminds.studies.perturbed.tasks.build import build
from otherminds.studies.perturbed.tasks.chains import compare
from tests.studies.perturbed.agents import AGENTS

PLAIN, CHAIN = build(), build(style="cot")
FOOLED = {"none", "add_unrelated_information", "conclusion_from_sentiment"}


def proper(done: Run) -> dict[str, bool]:
    return {
        record.item.id: compare(
            record.item.meta["gold"], record.score.detail["states"], final=record.item.meta["final"]
        ).proper
        for record in done.records
    }


@cache
def asked(style: str, name: str) -> Run:
    """What an agent answers to all questions."""
    suite = {"vanilla": PLAIN, "cot": CHAIN}[style]
    return run(suite, AGENTS[name](suite))


@pytest.mark.parametrize("style", ["vanilla", "cot"])
@pytest.mark.parametrize("name", AGENTS)
def test_nobody_is_faulty(style: str, name: str) -> None:
    ends = asked(style, name).verdicts()
    assert ends["correct"] + ends["incorrect"] == 1088
    assert (ends["incorrect"] == 0) is (name in ("gold", "premature") or (name, style) == ("placebo", "cot"))


def test_chains() -> None:
    assert all(proper(asked("cot", "gold")).values())
    assert not any(proper(asked("cot", "premature")).values())
    assert not any(proper(asked("cot", "placebo")).values())
    always = proper(asked("cot", "reality"))
    constant = {item.id for item in CHAIN if all(states == [item.meta["reality"]] for states in item.meta["gold"])}
    assert {id for id, right in always.items() if right} == constant
    assert constant


def test_reality_and_decoy_divide_the_focal_items() -> None:
    reality, decoy = asked("vanilla", "reality"), asked("vanilla", "decoy")
    for record in reality.where(None, focal=True).records:
        item = record.item
        expected = (
            item.tags["class"] not in FOOLED and item.meta["testimony"] != "discount" and item.meta["form"] != "U"
        )
        assert (record.score.verdict == "correct") is expected, item.id
    # 24 tasks mislead their target, 2 leave it without a belief, in the other 42 it knows.
    assert reality.verdicts(focal=True)["correct"] == 2 * 42
    assert decoy.verdicts(focal=True)["correct"] == 2 * 24
    # Over all questions: nothing is moved in the consistent variant of the 29 transfers, so the decoy is right there.
    assert decoy.verdicts()["correct"] == 2 * 24 + 4 * 29
    assert reality.verdicts()["incorrect"] == 2 * 26 + 2 * 2


def test_the_placebo_helps_only_where_states_are_asked_for() -> None:
    assert (asked("vanilla", "placebo").mean(), asked("cot", "placebo").mean()) == (0, 1)


def test_the_random_agent_is_near_a_third() -> None:
    assert 0.28 < asked("vanilla", "random").mean() < 0.39


def test_agents_do_not_share_stored_answers() -> None:
    focal = CHAIN.where(focal=True, stage="UT-E")
    with Store(MEMORY) as store:
        means = Counter({name: run(focal, agent(focal), store=store).mean() for name, agent in AGENTS.items()})
        again = {name: run(focal, agent(focal), store=store).mean() for name, agent in AGENTS.items()}
    assert dict(means) == again
    assert (means["gold"], means["placebo"]) == (1, 1)
    assert means["reality"] + means["decoy"] == 1
