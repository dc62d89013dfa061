"""Chains that are given: what they are, where they stand, and what is refused."""

from dataclasses import replace

import pytest

from otherminds.errors import UsageError
from otherminds.runs.runs import Run, run
from otherminds.studies.perturbed.tasks import intervene
from otherminds.studies.perturbed.tasks.build import build
from otherminds.studies.perturbed.tasks.chains import compare
from tests.studies.perturbed import agents


@pytest.fixture(scope="module")
def decoy() -> Run:
    """Chains and answers of a model that always says what misleads."""
    suite = build(style="cot", focal=True)
    return run(suite, agents.decoy(suite))


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
