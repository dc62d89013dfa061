"""Numbers of models whose answers are known."""

from dataclasses import replace
from math import log

import pytest

from otherminds.errors import UsageError
from otherminds.formats.scores import Score
from otherminds.items import Suite
from otherminds.models.scripted import Scripted
from otherminds.results.answers import Answers
from otherminds.results.measures import compare
from otherminds.runs.runs import Record, Run, run
from otherminds.store.store import MEMORY, Store
from otherminds.studies.safety.build import NEUTRAL, build
from otherminds.studies.safety.chapter import LETTERS_LESS_CLOZE
from otherminds.studies.safety.lineups import NINE, SHORT, pairings, sit, trends
from otherminds.studies.safety.measure import measure, profile
from otherminds.studies.safety.oracles import SURE, always_a, omniscient, perfect
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.safety.twins import given_reading
from otherminds.studies.safety.ways_of_asking import ask, askings, shuffled_scripts
from tests.studies.safety.drift import drifting
from tests.studies.test_study_contract import bar


@pytest.fixture(scope="module")
def small() -> Suite:
    return build(size="small")


@pytest.fixture(scope="module")
def runs(small: Suite) -> dict[str, Run]:
    return {name: run(small, make(small)) for name, make in MODELS.items()}


MODELS = {"perfect": perfect, "always A": always_a, "omniscient": omniscient}


def test_short_names() -> None:
    assert list(SHORT.values()) == ["TB", "INT", "IR", "FP", "SA", "HO", "D/V", "D/A", "CA"]


def test_perfect(runs: dict[str, Run]) -> None:
    (sitting,) = sit([runs["perfect"]])
    found = profile(sitting)
    assert list(found.tasks) == list(NINE)
    for one in found.tasks.values():
        assert one.S.value == pytest.approx(SURE)
        assert one.single is not None
        assert one.single.value == pytest.approx(SURE)
        assert one.accuracy.value == 1
        assert one.bias is not None
        assert one.bias.value == pytest.approx(0, abs=1e-9)
        assert one.consistent is not None
        assert one.consistent.value == 1
        assert (one.mass, one.heavy, one.faint) == (pytest.approx(1), 1, False)
    assert {one.outcome for one in found.tasks.values()} == {"above"}
    assert found.calibration is not None
    assert found.calibration.brier.value == pytest.approx((1 - SURE) ** 2)
    assert found.calibration.log_loss.value == pytest.approx(-log(SURE))
    assert {each.low for each in found.calibration.bins} == {0.0, 0.9}
    assert all(each.right in (0, 1) for each in found.calibration.bins)
    for each in found.twins:
        assert each.all_right is not None
        assert each.all_right.value == 1
    assert found.ladder.slope is not None
    assert found.ladder.slope.value == pytest.approx(0, abs=1e-9)
    assert found.given.misread is None


def test_always_a(runs: dict[str, Run]) -> None:
    found = profile(sit([runs["always A"]])[0])
    for one in found.tasks.values():
        assert one.S.value == pytest.approx(0.5)
        assert one.bias is not None
        assert one.bias.value == pytest.approx(3)
        assert one.consistent is not None
        assert one.consistent.value == 0
        assert one.outcome in ("not told from 0.5", "too few groups to tell")
    assert found.calibration is not None
    assert found.calibration.brier.value == pytest.approx(0.25)
    singles = Answers.of([runs["always A"]]).where(task=NINE).numbers("single")
    assert {round(share, 3) for share in singles} == {0.047, 0.953}


def test_omniscient_is_wrong_where_beliefs_are_false(runs: dict[str, Run]) -> None:
    found = profile(sit([runs["omniscient"]])[0])
    twins = {each.label: each for each in found.twins}
    one = twins["FB/SA"]
    assert one.false is not None
    assert one.true is not None
    assert one.flip is not None
    assert one.false.value == pytest.approx(1 - SURE)
    assert one.true.value == pytest.approx(SURE)
    assert one.flip.value == pytest.approx(0, abs=1e-9)
    assert found.ladder.matched is not None
    assert found.ladder.matched.value < 0
    assert found.ladder.beliefs is not None
    assert found.ladder.beliefs.value < -0.2
    assert found.ladder.beliefs.p < 0.01


def test_systematically_below_is_an_outcome_of_its_own(small: Suite) -> None:
    wrong = run(small, reversed_perfect(small))
    outcomes = {task: one.outcome for task, one in profile(sit([wrong])[0]).tasks.items()}
    assert set(outcomes.values()) == {"systematically below"}


def reversed_perfect(suite: Suite) -> Scripted:
    from otherminds.heuristics.readers import reader

    return reader("always wrong", suite, lambda item: [c for c in item.choices if c != item.answer], sure=SURE)


# ---- line-ups -----------------------------------------------------------------------------------------------------


def members(*names: str, base: str = "") -> Lineup:
    made = [Member(name, "", "drift", rank, partner=base) for rank, name in enumerate(names, 1)]
    return Lineup((*made, *([Member(base, "", "drift", post_trained=False)] if base else [])))


@pytest.fixture(scope="module")
def two_tasks() -> Suite:
    return build(tasks=["TB", "FB/D/A"])


@pytest.mark.parametrize(("shuffled", "word"), [(False, "rises"), (True, "no clear trend")])
def test_a_drifting_series(two_tasks: Suite, shuffled: bool, word: str) -> None:
    made = [run(two_tasks, drifting(two_tasks, version, shuffled=shuffled)) for version in range(1, 5)]
    found = trends(sit(made), members(*(each.model for each in made)))
    assert {each.what: each.word for each in found} == {"TB": word, "FB/D/A": word}
    if not shuffled:
        assert all(0.02 < each.trend.slope.value < 0.05 for each in found)
        backwards = trends(sit(made), members(*(each.model for each in reversed(made))))
        assert {each.word for each in backwards} == {"falls"}


def test_a_significant_trend_that_is_flat_is_none(two_tasks: Suite) -> None:
    made = [run(two_tasks, drifting(two_tasks, version, step=0.2)) for version in (1, 2)]
    (one, *_) = trends(sit(made), members(*(each.model for each in made)))
    flat = replace(one, p=0.0, trend=replace(one.trend, slope=replace(one.trend.slope, value=0.019)))
    assert flat.word == "no clear trend"
    assert replace(flat, trend=replace(one.trend, slope=replace(one.trend.slope, value=0.02))).word == "rises"


def test_pairs_are_paired(two_tasks: Suite) -> None:
    base, post = run(two_tasks, drifting(two_tasks, 1)), run(two_tasks, perfect(two_tasks))
    found = pairings(sit([base, post]), members(post.model, base=base.model))
    assert [each.task for each in found] == ["TB", "FB/D/A"]
    for each in found:
        assert each.difference.value == pytest.approx(each.after.value - each.before.value)
        assert each.difference.low < each.difference.value < each.difference.high
        assert each.difference.p < 0.01
        assert each.mcnemar < 0.01


def test_models_asked_different_suites_are_not_compared(small: Suite, runs: dict[str, Run]) -> None:
    other = build(tasks=["TB"])
    with pytest.raises(UsageError, match="different suites"):
        sit([runs["perfect"], run(other, always_a(other))])


def test_two_models_of_one_name_are_two(small: Suite, runs: dict[str, Run]) -> None:
    def warm(kept: Run, temperature: float, seed: int = 0) -> Run:
        told = {"backend": "api", "temperature": temperature, "seed": seed}
        return replace(
            kept,
            id=f"{kept.id}{temperature}{seed}",
            model="same",
            fingerprint=f"{temperature}{seed}abcdef",
            manifest={**kept.manifest, "identity": told},
        )

    cloze = run(small.using(score="cloze"), perfect(small))
    cold, hot = warm(runs["perfect"], 0.0), warm(runs["omniscient"], 0.7)
    found = sit([cold, hot, warm(cloze, 0.7, seed=5)])
    assert [each.name for each in found] == ["same (0.00ab)", "same (0.70ab)"]
    assert [bool(each.cloze) for each in found] == [False, True]
    assert [each.main.runs[0].id for each in found] == [cold.id, hot.id]
    with pytest.raises(UsageError, match="twice, in runs"):
        sit([hot, warm(runs["always A"], 0.7, seed=1)])


def test_a_script_whose_facts_were_not_answered_is_neither_read_nor_misread(runs: dict[str, Run]) -> None:
    whole = runs["perfect"]
    before = given_reading(Answers.of([whole]))
    facts = {record.item.context for record in whole.where(task="TB").records}
    lost = next(r.item.context for r in whole.where(task="FB/SA").records if r.item.context in facts)

    def failing(record: Record) -> Record:
        down = record.item.tags["task"] == "TB" and record.item.context == lost
        return replace(record, score=Score("error")) if down else record

    after = given_reading(Answers.of([replace(whole, records=tuple(map(failing, whole.records)))]))
    assert before.read is not None
    assert after.read is not None
    assert (after.read.n, after.misread) == (before.read.n - 1, None)


def test_scenes_that_tell_nothing_are_in_no_share_of_right_answers(small: Suite, runs: dict[str, Run]) -> None:
    neutral = [item.id for item in small if item.tags["task"] == NEUTRAL]
    assert neutral
    assert not set(neutral) & runs["omniscient"].values().keys()
    assert runs["omniscient"].verdicts()["unscored"] == len(neutral)
    assert profile(sit([runs["omniscient"]])[0]).neutral is not None
    gap = LETTERS_LESS_CLOZE.number(
        Answers.of([runs["omniscient"], run(small.using(score="cloze"), omniscient(small))])
    )
    assert gap is not None
    assert gap.n == sum(item.tags["task"] in NINE for item in small)
    assert f"task: {NEUTRAL}" not in [row.items for row in compare(runs["perfect"], runs["omniscient"], by="task").rows]


def test_without_a_main_run_there_is_nothing(small: Suite) -> None:
    with pytest.raises(UsageError, match="by letters or drew its answers"):
        sit([run(small.using(score="cloze"), perfect(small))])


# ---- ways of asking -----------------------------------------------------------------------------------------------


def chance(prompt):
    return dict.fromkeys(prompt.choices, 1 / len(prompt.choices))


def test_everything_that_can_be_asked_is_in_its_place() -> None:
    suite = build(size=4)
    model = Scripted(lambda _: "I cannot help with that.", name="shy", weigh=chance)
    with Store(MEMORY) as store:
        asked = ask(model, askings(suite, extras=("wordings", "controls", "refusals")), store, bar)
    assert not asked.failed
    found = measure(Lineup(()), asked.runs).profiles[0]
    assert len(asked.runs) == len(found.sitting.runs()) == 2 + 6 + 2 + 2
    assert set(found.wordings) == {"raw-space", "raw-gap", "raw-digits", "raw-xy", "raw-plausible", "direct"}
    for by_task in (*found.wordings.values(), *found.controls.values()):
        assert {task: one.value for task, one in by_task.items()} == dict.fromkeys(NINE, 0.5)
    assert set(found.controls) == {"no script", "words shuffled"}
    assert {one.refused.value for ends in found.refusals.values() for one in ends} == {1.0}
    assert set(found.cloze) == set(NINE)


def test_what_a_model_cannot_do_is_said() -> None:
    suite = build(tasks=["TB"], size=4)
    model = Scripted(lambda _: "A", name="mute", weigh=chance)
    model.cannot = frozenset({"chat", "continuations"})
    with Store(MEMORY) as store:
        asked = ask(model, askings(suite, extras=("refusals",)), store, bar)
    assert [each.score for each in asked.runs] == ["letters"]
    assert asked.failed == (
        "cloze: mute has no continuations",
        "text, direct: mute has no chat",
        "text, plausible: mute has no chat",
    )


def test_shuffled_scripts_keep_their_words(small: Suite) -> None:
    for before, after in zip(small, shuffled_scripts(small), strict=True):
        assert sorted(before.context.split()) == sorted(after.context.split())
        assert (before.question, before.answer) == (after.question, after.answer)
    assert any(before.context != after.context for before, after in zip(small, shuffled_scripts(small), strict=True))
