"""Every number on questions whose answers can be counted by hand."""

from dataclasses import replace
from statistics import stdev

import pytest

from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.models import fingerprint
from otherminds.models.scripted import Scripted
from otherminds.studies.dialogue.answered import LEXICAL, DialogueAnswers, less, levels, right, size, spread
from otherminds.studies.dialogue.questions.sample import ALL, FALSE, FIRST, KINDS, SECOND, TRUE
from tests.studies.dialogue.made_talks import NORA, OMAR, answering, questions, talk

TALKS = [
    talk("one", state="belief"),
    talk("two", state="desire", people=(OMAR, NORA)),
    talk("three", state="belief", people=(replace(NORA, id="ida", first="Ida", traits="LHLLH"), OMAR)),
]
SUITE = questions(*TALKS)


def answered(*runs):
    return DialogueAnswers.of(runs)


def of(answers, kind, state=""):
    tags = {**KINDS[kind], **({"state": state} if state else {})}
    return right(answers.where(None, **tags))


def test_right_answers_by_kind_and_state():
    """Right in all first-order questions of talk one, and in every right reading."""
    found = answered(answering(SUITE, lambda item: item.id in ("one/00", "one/02") or item.id.endswith("/03")))
    one = found.models["somebody"]
    assert {kind: (of(one, kind).value, of(one, kind).n) for kind in (FIRST, SECOND, FALSE, TRUE, ALL)} == {
        FIRST: (2 / 6, 6),
        SECOND: (3 / 6, 6),
        FALSE: (0.0, 3),
        TRUE: (1.0, 3),
        ALL: (5 / 12, 12),
    }
    assert of(one, FIRST, "belief").value == 2 / 4
    assert of(one, FIRST, "desire").value == 0.0
    assert of(one, FIRST, "emotion") is None
    assert of(one, ALL).clusters == 3
    assert less(FALSE, TRUE)(one).value == -1.0
    assert less(SECOND, FIRST)(one).value == pytest.approx(3 / 6 - 2 / 6)
    assert spread(one) is None


def test_several_runs_are_one_row_with_their_spread():
    runs = [
        answering(SUITE, lambda item: True, seed=1),
        answering(SUITE, lambda item: item.tags["order"] == 1, seed=2),
        answering(SUITE, lambda item: False, seed=3),
    ]
    (one,) = answered(*runs).models.values()
    assert len(one.runs) == 3
    assert of(one, FIRST).value == pytest.approx(2 / 3)
    assert of(one, SECOND).value == pytest.approx(1 / 3)
    assert of(one, ALL).n == 12
    assert spread(one.where(None, **KINDS[FIRST])) == pytest.approx(stdev([1, 1, 0]))
    assert spread(one) == pytest.approx(stdev([1, 0.5, 0]))


def test_models_and_ways_of_asking_stand_apart():
    runs = [answering(SUITE, lambda item: True, name=name) for name in ("one", "other")]
    assert list(answered(*runs).models) == ["one", "other"]
    again = replace(runs[0], prompt="direct")
    assert list(answered(runs[0], again).models) == ["one, letters (raw)", "one, letters (direct)"]


def test_two_models_of_one_name_are_no_repeats():
    def warm(temperature, seed, right):
        one = answering(SUITE, lambda item: right, seed=seed)
        told = {**one.manifest["identity"], "temperature": temperature}
        return replace(one, fingerprint=f"{temperature}-{seed}-abc", manifest={**one.manifest, "identity": told})

    cold, hot, again = warm(0, 0, True), warm(0.7, 1, False), warm(0.7, 2, True)
    found = answered(cold, hot, again)
    assert [(label, len(some.runs), of(some, ALL).value) for label, some in found.models.items()] == [
        ("somebody (0-0-ab)", 1, 1.0),
        ("somebody (0.7-1-)", 2, 0.5),
    ]
    everybody = found.everybody
    assert [len(found.part(label).of(everybody)) for label in (*found.models, LEXICAL)] == [12, 24, 12]


def test_a_contrast_counts_both_sorts_of_question():
    (one,) = answered(answering(SUITE, lambda item: True)).models.values()
    assert (less(SECOND, FIRST)(one).n, less(FALSE, TRUE)(one).n) == (12, 6)


def test_rules():
    rules = answered(answering(SUITE, lambda item: True)).rules
    # Only the number tells the options apart, and the question quotes it: words in common find every answer.
    assert right(rules[LEXICAL]).value == 1.0
    # All options are as long, so the rule is right by chance.
    assert right(rules["longest option"]).value == 0.25
    # The conversation holds all numbers alike, and the first option is right in the first message.
    assert right(rules["overlap with the conversation"]).value == 0.25


def test_personality():
    found = answered(answering(SUITE, lambda item: item.tags["story"] == "one"))
    first = found.models["somebody"].where(None, **KINDS[FIRST])
    high, low, gap = levels(first, "openness")
    # First order: Nora (high) in talk one is right, Omar and Ida (low) in the others are wrong.
    assert (high.value, high.n, low.value, low.n) == (1.0, 2, 0.0, 4)
    assert (gap.value, gap.n) == (1.0, 6)
    assert not hasattr(gap, "p")
    # Everybody is high in conscientiousness, so there is nothing to compare.
    assert levels(first, "conscientiousness") is None
    assert levels(found.rules[LEXICAL], "openness")


def test_size():
    told = size(SUITE)
    assert list(told.values())[:5] == ["12", "3", "6", "6", "3"]
    # "Hi!", "Hi, how are you?" and four times "Speech 0 of one.".
    assert list(told.values())[5:] == ["6.0", f"{(1 + 4 + 4 * 4) / 6:.1f}", f"{(4 + 8 + 4 * 7) / 6:.1f}"]


def test_whoever_played_the_talks_is_named():
    played = [replace(TALKS[0], made={"how": "played", "players": ["somebody", "other"]}), *TALKS[1:]]
    run = answering(SUITE, lambda item: True)
    assert answered(run).own(TALKS) == {}
    assert answered(run).own(played) == {"somebody": 4}
    by_print = [replace(TALKS[0], made={"players": ["a name"], "fingerprints": [run.fingerprint]}), *TALKS[1:]]
    assert answered(run).own(by_print) == {"somebody": 4}
    assert run.fingerprint != fingerprint(Scripted(str, name="somebody else"))


def test_nothing_answered_is_refused():
    run = answering(SUITE, lambda item: True)
    with pytest.raises(UsageError, match="nothing to measure"):
        answered(replace(run, records=()))


def test_other_questions_under_the_same_id_are_refused():
    changed = Suite("made up", tuple(replace(item, question=item.question + "?") for item in SUITE))
    with pytest.raises(UsageError, match="is not the same in all runs"):
        assert answered(answering(SUITE, lambda item: True), answering(changed, lambda item: True, name="other")).suite
