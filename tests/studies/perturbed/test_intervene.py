"""Models that follow any chain, and models that follow none, end to end through the real runner."""

import re
from dataclasses import replace

import pytest

from otherminds.errors import UsageError
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import Run, run
from otherminds.studies.perturbed import intervene
from otherminds.studies.perturbed.build import build
from otherminds.studies.perturbed.chains import compare
from otherminds.studies.perturbed.intervene import EDITS, followed
from tests.studies.perturbed import agents

ITEMS = 136


@pytest.fixture(scope="module")
def decoy() -> Run:
    """Chains and answers of a model that always says what misleads."""
    suite = build(style="cot", focal=True)
    return run(suite, agents.decoy(suite))


def last_state(prompt: Prompt) -> str:
    text = prompt.messages[-1].content + prompt.prefill
    return re.findall(r"(?:After sentence \d+|believes): (\w+)", text)[-1]


def obedient(how: str) -> Scripted:
    if how == "notes":
        return Scripted(lambda prompt: f'{{"answer": "{last_state(prompt)}"}}', name="obedient")

    def weigh(prompt: Prompt) -> dict[str, float]:
        return {choice: 0.9 if choice.strip() == last_state(prompt) else 0.05 for choice in prompt.choices}

    return Scripted(lambda prompt: "", name="obedient", weigh=weigh)


@pytest.mark.parametrize("how", ["notes", "prefill"])
def test_whoever_follows_every_chain_is_led_by_it(decoy, how):
    suite = intervene.build(decoy, how=how)
    assert len(suite) == ITEMS * len(EDITS)
    found = {each.edit: each for each in followed([run(suite, obedient(how))])}
    assert list(found) == list(EDITS)
    assert all(each.follow.value == 1 and each.follow.n == ITEMS for each in found.values())
    assert all(each.label == f"obedient, {how}" for each in found.values())
    # Its own answer, always the decoy, is right in 48 of 136, and so with a right chain it is led in the other 88.
    assert found["right"].right.value == 1
    assert found["right"].before.value == pytest.approx(48 / 136)
    assert found["right"].led.value == pytest.approx(88 / 136)
    assert found["right"].stays.value == pytest.approx(48 / 136)
    assert found["wrong"].right.value == 0
    assert found["own"].led.value == found["truncated"].led.value == 0


def test_whoever_follows_no_chain_stays_as_it_was(decoy):
    suite = intervene.build(decoy)
    found = {each.edit: each for each in followed([run(suite, agents.decoy(suite))])}
    assert all(each.stays.value == 1 and each.led.value == 0 for each in found.values())
    assert found["right"].follow.value == pytest.approx(48 / 136)


def test_answers_that_cannot_be_read_do_not_count(decoy):
    suite = intervene.build(decoy)
    assert followed([run(suite, Scripted(lambda _: "no", name="mute"))]) == ()


def test_chains_given_are_what_they_are_called():
    suite = build(style="cot", full_grid=True)
    beliefs = suite.where(question="belief")
    made = run(beliefs, agents.reality(beliefs))
    for record in made.records:
        meta, chains = record.item.meta, dict(intervene.edits(record))

        def proper(chain, meta=meta):
            return compare(meta["gold"], chain, path_rule=meta["path_rule"], final=meta["final"]).proper

        assert proper(chains["right"])
        assert not proper(chains["wrong"])
        assert chains["wrong"][:-1] == chains["right"][:-1]
        assert len(chains["right"]) == len(meta["sentences"])
        assert chains["truncated"] == chains["own"][: len(chains["truncated"])]
        assert len(chains["truncated"]) == (len(chains["own"]) + 1) // 2


def test_a_chain_that_ends_in_no_choice_cannot_be_followed(decoy):
    record = decoy.records[0]
    odd = replace(record, score=replace(record.score, detail={"states": ["unknown", "other:a goose"]}))
    assert [edit for edit, _ in intervene.edits(odd)] == ["truncated", "right", "wrong"]
    empty = replace(record, score=replace(record.score, detail={"states": []}))
    assert [edit for edit, _ in intervene.edits(empty)] == ["right", "wrong"]


def test_notes_stand_under_the_story_and_a_prefill_begins_the_turn(decoy):
    notes, prefill = (intervene.build(decoy, how=how).items[0] for how in ("notes", "prefill"))
    assert notes.context.startswith(decoy.records[0].item.context)
    assert "Notes on what Ilse believes, sentence by sentence:\nAfter sentence 1: cinnamon" in notes.context
    assert prefill.context == decoy.records[0].item.context
    assert prefill.cloze.startswith("After sentence 1, Ilse believes: cinnamon. After sentence 2")
    assert prefill.cloze.endswith("So the answer is:")


def test_what_cannot_be_edited_is_refused(decoy):
    suite = build(focal=True)
    with pytest.raises(UsageError, match="chains come from the style cot"):
        intervene.build(run(suite, agents.gold(suite)))
    with pytest.raises(UsageError, match="there are notes, prefill"):
        intervene.build(decoy, how="hypnosis")
    with pytest.raises(UsageError, match="no chain that could be read"):
        intervene.build(replace(decoy, records=()))
