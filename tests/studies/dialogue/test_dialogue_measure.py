"""Measure: every number on questions whose answers can be counted by hand."""

from dataclasses import replace
from statistics import stdev

import pytest

from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.models import fingerprint
from otherminds.models.scripted import Scripted
from otherminds.studies.dialogue.measure import ALL, FALSE, FIRST, LEXICAL, SECOND, TRUE, count, measure
from tests.studies.dialogue.made_talks import NORA, OMAR, answering, questions, talk

TALKS = [
    talk("one", state="belief"),
    talk("two", state="desire", people=(OMAR, NORA)),
    talk("three", state="belief", people=(replace(NORA, id="ida", first="Ida", traits="LHLLH"), OMAR)),
]
SUITE = questions(*TALKS)


def row(found, label="somebody"):
    return next(each for each in (*found.models, *found.rules) if each.label == label)


def test_right_answers_by_kind_and_state():
    """Right in all first-order questions of talk one, and in every right reading."""
    found = measure(TALKS, [answering(SUITE, lambda item: item.id in ("one/00", "one/02") or item.id.endswith("/03"))])
    one = row(found)
    assert {kind: (one.get(kind).value, one.get(kind).n) for kind in (FIRST, SECOND, FALSE, TRUE, ALL)} == {
        FIRST: (2 / 6, 6),
        SECOND: (3 / 6, 6),
        FALSE: (0.0, 3),
        TRUE: (1.0, 3),
        ALL: (5 / 12, 12),
    }
    assert one.get(FIRST, "belief").value == 2 / 4
    assert one.get(FIRST, "desire").value == 0.0
    assert one.get(FIRST, "emotion") is None
    assert one.get(ALL).clusters == 3
    assert one.misread.value == -1.0
    assert one.deeper.value == pytest.approx(3 / 6 - 2 / 6)
    assert (one.sd, one.runs, one.unscored) == (None, 1, 0)


def test_several_runs_are_one_row_with_their_spread():
    runs = [
        answering(SUITE, lambda item: True, seed=1),
        answering(SUITE, lambda item: item.tags["order"] == 1, seed=2),
        answering(SUITE, lambda item: False, seed=3),
    ]
    (one,) = measure(TALKS, runs).models
    assert one.runs == 3
    assert one.get(FIRST).value == pytest.approx(2 / 3)
    assert one.get(SECOND).value == pytest.approx(1 / 3)
    assert one.get(ALL).n == 12
    assert one.sd[FIRST] == pytest.approx(stdev([1, 1, 0]))
    assert one.sd[ALL] == pytest.approx(stdev([1, 0.5, 0]))


def test_models_and_ways_of_asking_stand_apart():
    runs = [answering(SUITE, lambda item: True, name=name) for name in ("one", "other")]
    assert [each.label for each in measure(TALKS, runs).models] == ["one", "other"]
    again = replace(runs[0], prompt="direct")
    assert [each.label for each in measure(TALKS, [runs[0], again]).models] == [
        "one, letters (raw)",
        "one, letters (direct)",
    ]


def test_two_models_of_one_name_are_no_repeats():
    def warm(temperature, seed, right):
        one = answering(SUITE, lambda item: right, seed=seed)
        told = {**one.manifest["identity"], "temperature": temperature}
        return replace(one, fingerprint=f"{temperature}-{seed}-abc", manifest={**one.manifest, "identity": told})

    cold, hot, again = warm(0, 0, True), warm(0.7, 1, False), warm(0.7, 2, True)
    found = measure(TALKS, [cold, hot, again]).models
    assert [(each.label, each.runs, each.get(ALL).value) for each in found] == [
        ("somebody (0-0-ab)", 1, 1.0),
        ("somebody (0.7-1-)", 2, 0.5),
    ]


def test_a_contrast_counts_both_sorts_of_question():
    one = row(measure(TALKS, [answering(SUITE, lambda item: True)]))
    assert (one.deeper.n, one.misread.n) == (12, 6)


def test_chance_and_rules():
    found = measure(TALKS, [answering(SUITE, lambda item: True)])
    assert set(found.chance.values()) == {0.25}
    # Only the number tells the options apart, and the question quotes it: words in common find every answer.
    assert row(found, LEXICAL).get(ALL).value == 1.0
    # All options are as long, so the rule is right by chance.
    assert row(found, "longest option").get(ALL).value == 0.25
    # The conversation holds all numbers alike, and the first option is right in the first message.
    assert row(found, "overlap with the conversation").get(ALL).value == 0.25


def test_personality():
    found = measure(TALKS, [answering(SUITE, lambda item: item.tags["story"] == "one")])
    splits = {(each.label, each.factor, each.order): each for each in found.splits}
    split = splits["somebody", "openness", 1]
    # First order: Nora (high) in talk one is right, Omar and Ida (low) in the others are wrong.
    assert (split.high.value, split.high.n, split.low.value, split.low.n) == (1.0, 2, 0.0, 4)
    assert (split.gap.value, split.gap.n) == (1.0, 6)
    assert not hasattr(split.gap, "p")
    # Everybody is high in conscientiousness, so there is nothing to compare.
    assert ("somebody", "conscientiousness", 1) not in splits
    assert (LEXICAL, "openness", 1) in splits


def test_counts():
    counts = count(SUITE)
    assert (counts.questions, counts.talks, counts.second_order, counts.labelled, counts.false_beliefs) == (
        12,
        3,
        6,
        6,
        3,
    )
    assert counts.utterances == 6
    # "Hi!", "Hi, how are you?" and four times "Speech 0 of one.".
    assert counts.words == pytest.approx((1 + 4 + 4 * 4) / 6)
    assert counts.tokens == pytest.approx((4 + 8 + 4 * 7) / 6)


def test_whoever_played_the_talks_is_named():
    played = [replace(TALKS[0], made={"how": "played", "players": ["somebody", "other"]}), *TALKS[1:]]
    run = answering(SUITE, lambda item: True)
    assert measure(TALKS, [run]).own == {}
    assert measure(played, [run]).own == {"somebody": 4}
    by_print = [replace(TALKS[0], made={"players": ["a name"], "fingerprints": [run.fingerprint]}), *TALKS[1:]]
    assert measure(by_print, [run]).own == {"somebody": 4}
    assert run.fingerprint != fingerprint(Scripted(str, name="somebody else"))


def test_nothing_answered_is_refused():
    run = answering(SUITE, lambda item: True)
    with pytest.raises(UsageError, match="nothing to measure"):
        measure(TALKS, [replace(run, records=())])


def test_other_questions_under_the_same_id_are_refused():
    changed = Suite("made up", tuple(replace(item, question=item.question + "?") for item in SUITE))
    with pytest.raises(UsageError, match="is not the same in all runs"):
        measure(TALKS, [answering(SUITE, lambda item: True), answering(changed, lambda item: True, name="other")])
