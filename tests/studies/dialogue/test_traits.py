"""Traits and ablation: the design, the pairs, the questions, and shares counted by hand."""

from dataclasses import replace

import pytest

from otherminds.errors import UsageError
from otherminds.heuristics.readers import oracle
from otherminds.models.scripted import Scripted
from otherminds.results.answers import Answers
from otherminds.results.measures import twins_right
from otherminds.runs.runs import run
from otherminds.studies.dialogue.questions.traits import CHOICES, judge_suite, pairs
from otherminds.talks import ablation
from otherminds.talks.ablation import HIDDEN, ablate
from otherminds.talks.bank import PATTERNS, patterns
from otherminds.talks.talk import TRAITS, Casting
from tests.studies.dialogue.made_talks import NORA, OMAR, SCENE, talk

CASTING = Casting(SCENE, (NORA, OMAR))


def design(who=0, state="belief"):
    return [talk(f"{state}-{n}", people=each.people, state=state) for n, each in enumerate(patterns(CASTING, who=who))]


@pytest.mark.parametrize("who", [0, 1])
def test_every_pattern_once(who):
    made = patterns(CASTING, who=who)
    assert len({casting.people[who].traits for casting in made}) == 32 == len(PATTERNS)
    assert {casting.people[1 - who] for casting in made} == {CASTING.people[1 - who]}
    assert len({casting.id for casting in made}) == 32
    assert {casting.people[who].name for casting in made} == {CASTING.people[who].name}


def test_pairs_differ_in_one_factor_only():
    found = pairs(design())
    assert len(found) == 5 * 16
    for place, factor in enumerate(TRAITS):
        for pair in [pair for pair in found if pair.factor == factor]:
            high, low = (each.casting.people[0].traits for each in (pair.high, pair.low))
            assert [n for n in range(5) if high[n] != low[n]] == [place]
            assert (high[place], low[place]) == ("H", "L")


def test_talks_of_different_kinds_make_no_pair():
    one, *others = design()
    elsewhere = [replace(each, casting=replace(each.casting, scene=replace(SCENE, id="norms-02"))) for each in others]
    assert pairs([one, *elsewhere]) == pairs(elsewhere)
    assert len(pairs([*design(), *design(state="desire")])) == 160
    with pytest.raises(UsageError, match="no two of these talks differ in one trait"):
        judge_suite(pairs([one]))


def test_questions_come_in_both_orders_and_tell_no_trait():
    suite = judge_suite(pairs(design()))
    assert len(suite) == 160
    first, second = suite.items[:2]
    assert (first.answer, second.answer) == CHOICES
    assert first.context.index("belief-0") < first.context.index("belief-16")
    assert second.context.index("belief-16") < second.context.index("belief-0")
    assert "I think" not in first.context
    assert "HHH" not in first.context + first.question
    assert {item.tags["factor"] for item in suite} == set(TRAITS)


def test_a_judge_is_measured_by_factor():
    suite = judge_suite(pairs(design()))
    right = Answers.of([run(suite, oracle(suite))]).by("factor")
    assert {factor: (some.mean().value, some.mean().n, some.mean().clusters) for factor, some in right.items()} == (
        dict.fromkeys(TRAITS, (1.0, 32, 16))
    )
    first = Answers.of([run(suite, Scripted(lambda _: "A", name="first", weigh=_always_first))])
    for some in first.by("factor").values():
        assert some.mean().value == 0.5
        assert twins_right(some).value == 0.0


def _always_first(prompt):
    letter = next(each for each in prompt.choices if f"{each}. {CHOICES[0]}" in prompt.text)
    return {each: 0.9 if each == letter else 0.1 for each in prompt.choices}


def reading(name, misread, **made):
    person = replace(NORA, id=name)
    return talk(f"{name}-{made}", people=(person, OMAR), turns=6, **made), misread


def test_misreadings_by_cell():
    found = ablate(
        [
            reading("a", {1: True, 3: True, 5: None}, thoughts=False, attributes=False),
            reading("b", {1: True, 3: False, 5: False}, thoughts=False, attributes=False),
            reading("a", {1: True, 3: False, 5: True}, thoughts=True, attributes=True),
            reading("b", {1: False, 3: False}, thoughts=True, attributes=True),
        ]
    )
    hidden, shown = found
    assert (hidden.cell, hidden.label, hidden.talks, hidden.unjudged) == (HIDDEN, "both hidden", 2, 1)
    assert (hidden.share.value, hidden.share.n, hidden.share.clusters) == (3 / 5, 5, 2)
    assert hidden.less_hidden is None
    assert (shown.label, shown.share.value, shown.unjudged) == ("nothing hidden", 2 / 5, 1)
    # Paired where both cells have a verdict: a1, a3, b1, b3.
    assert (shown.less_hidden.value, shown.less_hidden.n) == (-2 / 4, 4)


def test_first_order_messages_are_not_asked():
    (found,) = ablate([reading("a", {0: True, 1: False, 2: True})])
    assert (found.share.value, found.share.n) == (0.0, 1)


def test_the_same_casting_twice_in_a_cell_is_refused():
    with pytest.raises(UsageError, match="another one in its cell"):
        ablate([reading("a", {1: True}), reading("a", {1: False})])


def test_a_talk_that_does_not_say_what_was_visible_is_refused():
    with pytest.raises(UsageError, match="does not say what was visible"):
        ablate([reading("a", {1: True}, thoughts="some")])


def test_every_cell_has_a_published_pair():
    assert list(ablation.PUBLISHED) == list(ablation.CELLS.values())
