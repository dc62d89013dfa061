"""Which form wins, what it costs to find out, and that luck in the choice does not count as ability."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import pytest

from otherminds.errors import ModelError, Unable
from otherminds.formats.question_formats import QuestionFormat, possible, tried_formats, without_doubles
from otherminds.items import Item, Suite
from otherminds.items.controls import IS, control, in_pairs
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs.calibration import GOOD, ROUNDS, Calibration, Tried, calibrate, parted, spread
from otherminds.runs.runs import Run, run
from otherminds.stats import proportion
from tests.personas import about, by_frequency, letters_only

THINGS = ("coin", "ring", "map", "pen", "cup", "key", "hat", "box", "bag", "jar", "can", "pot")
CONTROLS = Suite(
    "c-controls",
    tuple(
        in_pairs(
            control(
                Item(f"{first}-{second}", "?", first, context=f"The nut was in the {first}, and is in the {second}."),
                IS,
                "Where is the nut?",
                second,
                (first, second),
                "The nut is in the",
            )
            for first in THINGS
            for second in THINGS
            if first < second
        )
    ),
)
MINDS = Suite("c", (Item("m", "Where will Ann look?", "jar", choices=("jar", "cup"), cloze="Ann will look in the"),))


FORMS = tried_formats()
FITTING = without_doubles(possible(frozenset()))


class Putter:
    """Puts suites to a model, and remembers which."""

    def __init__(self, model: Scripted) -> None:
        self.model = model
        self.asked: list[tuple[QuestionFormat, list[str]]] = []

    def __call__(self, suites: Sequence[Suite]) -> list[Run | ModelError]:
        self.asked += [(QuestionFormat(suite.score, suite.prompt), [item.id for item in suite]) for suite in suites]
        return [run(suite, self.model) for suite in suites]


def guesses(seed: int) -> Scripted:
    """Draws an answer to every prompt, by the prompt: in some forms it will be lucky."""

    def weigh(prompt: Prompt) -> dict[str, float]:
        key = f"{seed} {prompt.text} {prompt.messages} {prompt.prefill}"
        # By the word and not by its place, so that the orders of the choices agree.
        chosen = random.Random(f"{key.partition('Question')[0]} {prompt.labels}").choice(sorted(about(prompt).choices))
        names = dict(zip(prompt.choices, about(prompt).choices, strict=True))
        return {each: 0.9 if names[each] == chosen else 0.05 for each in prompt.choices}

    def answer(prompt: Prompt) -> str:
        return random.Random(f"{seed} {prompt.messages} {prompt.text}").choice(about(prompt).item.choices)

    return Scripted(answer, name="guesses", weigh=weigh)


def _before(form: QuestionFormat) -> Calibration:
    """Another study, in which this form was good."""
    return Calibration((Tried(form, proportion(20, 20), 3),), form, proportion(40, 40), ())


def test_twins_stay_together_and_nobody_tells_what_they_chose() -> None:
    choosing, others = parted(CONTROLS, seed=0, confirmed=40)
    assert len(choosing) == ROUNDS[-1]
    assert others is not None
    assert len(others) == 40
    assert not {item.tags["twin"] for item in choosing} & {item.tags["twin"] for item in others}
    for size in ROUNDS:
        twins = [item.tags["twin"] for item in choosing.items[:size]]
        assert all(twins.count(twin) == 2 for twin in twins)


def test_both_parts_are_of_the_same_kinds() -> None:
    rare = [replace(item, tags={**item.tags, "control": "was"}) for item in CONTROLS.items[:20]]
    choosing, others = parted(Suite("two kinds", (*rare, *CONTROLS.items[20:])), seed=0, confirmed=40)
    assert others is not None
    for part in (choosing, others):
        assert sum(item.tags["control"] == "was" for item in part) == 10


def test_of_few_controls_half_choose() -> None:
    few = Suite("few", CONTROLS.items[:6])
    choosing, others = parted(few, seed=0)
    assert others is not None
    assert (len(choosing), len(others)) == (2, 4)


def test_one_control_is_said_to_choose_and_to_tell() -> None:
    found = calibrate(Suite("one", CONTROLS.items[:1]), MINDS, Putter(letters_only()))
    assert found.alone
    assert "on the ones that chose this form" in found.sentence


def test_half_of_the_forms_go_on() -> None:
    put = Putter(by_frequency())
    found = calibrate(CONTROLS, MINDS, put, confirmed=40)
    sizes = [len(ids) for _, ids in put.asked]
    forms = len(FITTING)
    assert [sizes.count(size) for size in (8, 16, 24, 40)] == [forms, -(-forms // 2), -(-forms // 4) + 1, 1]
    assert found.right.value == 0.5
    assert not found.able


def test_no_further_round_where_all_is_right() -> None:
    put = Putter(letters_only())
    found = calibrate(CONTROLS, MINDS, put, confirmed=40)
    assert found.form == QuestionFormat("letters", "raw")
    assert found.able
    assert max(len(ids) for form, ids in put.asked if form != found.form) == 16


def test_what_was_good_elsewhere_is_tried_alone() -> None:
    put = Putter(letters_only())
    found = calibrate(CONTROLS, MINDS, put, before=[_before(QuestionFormat("letters", "raw"))], confirmed=40)
    assert found.form == QuestionFormat("letters", "raw")
    assert [len(ids) for _, ids in put.asked] == [8, 24]


def test_what_was_good_elsewhere_and_is_not_here_has_rivals() -> None:
    put = Putter(letters_only())
    found = calibrate(CONTROLS, MINDS, put, before=[_before(QuestionFormat("cloze", "raw"))], confirmed=40)
    assert found.form == QuestionFormat("letters", "raw")
    assert {form for form, _ in put.asked} == set(FITTING)


def test_luck_in_the_choice_is_not_told_as_ability() -> None:
    """The best of thirteen guessers does better than half where it is chosen, and half elsewhere."""
    found = [calibrate(CONTROLS, MINDS, Putter(guesses(seed)), confirmed=40, seed=seed) for seed in range(12)]
    chosen = fmean(each.tried[0].right.value for each in found)
    told = fmean(each.right.value for each in found)
    assert chosen > 0.55
    assert abs(told - 0.5) < 0.05


def test_any_number_of_the_first_are_of_many_stories() -> None:
    order = spread(CONTROLS.items, seed=3)
    assert sorted(item.id for pair in order for item in pair) == sorted(item.id for item in CONTROLS)


def test_a_form_that_fails_is_named_and_the_others_go_on() -> None:
    model = letters_only()

    def put(suites: Sequence[Suite]) -> list[Run | ModelError]:
        return [ModelError("no") if suite.prompt == "shots" else run(suite, model) for suite in suites]

    found = calibrate(CONTROLS, MINDS, put, confirmed=8)
    assert found.form == QuestionFormat("letters", "raw")
    assert "by letters, after examples: no" in found.failed


def test_without_any_form_there_is_a_sentence() -> None:
    with pytest.raises(Unable, match="no form"):
        calibrate(CONTROLS, MINDS, Putter(letters_only()), cannot=frozenset({"chat", "raw"}))


def test_finalists_are_the_forms_of_the_last_round() -> None:
    found = calibrate(CONTROLS, MINDS, Putter(by_frequency()), confirmed=8)
    assert found.finalists[0] == found.form
    assert len(found.finalists) == -(-len(FITTING) // 4)
    assert set(found.finalists) <= set(FORMS)
    assert found.tried[0].right.value < GOOD


def test_after_one_round_the_better_half_are_finalists() -> None:
    tried = tuple(Tried(form, proportion(8 - place, 8), 1) for place, form in enumerate(FORMS[:5]))
    assert Calibration(tried, FORMS[0], proportion(8, 8), ()).finalists == list(FORMS[:3])


LONG_CONTROLS = Suite("long", tuple(replace(item, context=f"{item.context} {'So it is. ' * 110}") for item in CONTROLS))


def test_of_long_stories_a_brief_look_tries_at_once_what_reads_them_once_and_what_was_chosen_before() -> None:
    put = Putter(letters_only())
    chosen = QuestionFormat("letters", "direct")
    found = calibrate(LONG_CONTROLS, MINDS, put, before=[_before(chosen)], confirmed=40, brief=True)
    plain = {form for form in FITTING if form.prompt == "raw" and form.score != "open"}
    *contest, told = put.asked
    assert {form for form, _ in contest} == plain | {chosen}
    assert {len(ids) for _, ids in contest} == {8}
    assert (told[0], len(told[1])) == (found.form, 24)


def test_what_else_is_asked_in_the_best_form_can_be_asked_with_the_controls_that_tell() -> None:
    put = Putter(letters_only())
    heard: list[tuple[QuestionFormat, int, int]] = []
    found = calibrate(
        CONTROLS, MINDS, put, confirmed=40, ahead=lambda form, told: heard.append((form, len(told), len(put.asked)))
    )
    assert heard == [(found.form, 24, len(put.asked) - 1)]
