"""Numbers of models whose answers are known."""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Any

import pytest

from otherminds.errors import UsageError
from otherminds.formats.scores import Score
from otherminds.items import Suite
from otherminds.models.scripted import Scripted
from otherminds.results.answers import Answers
from otherminds.results.lineups import Lineup, Member
from otherminds.results.measures import compare, twins_right
from otherminds.results.sections import Column
from otherminds.runs.runs import Record, Run, run
from otherminds.store.store import MEMORY, Store
from otherminds.studies.safety import tables
from otherminds.studies.safety.chapter import LETTERS_LESS_CLOZE
from otherminds.studies.safety.lineups import CLOZE, MAIN, NINE, SHORT, WORDED, WRITTEN, askings, measure
from otherminds.studies.safety.plots.build import NEUTRAL, build
from otherminds.studies.safety.plots.lints import shuffled_scripts
from otherminds.studies.safety.plots.oracles import SURE, always_a, omniscient, perfect
from otherminds.studies.safety.tables import by_task, given_reading, on_same_scripts, outcome, scored, slope
from otherminds.studies.study import Desk, Subject
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


def models(*runs: Run) -> dict[str, Answers]:
    return dict(measure(Lineup(()), runs).models)


def of(name: str, runs: dict[str, Run]) -> Answers:
    return models(runs[name])[name]


def column(columns: Sequence[Column], head: str, answers: Answers) -> Any:
    return next(each.of(answers) for each in columns if each.head == head)


def test_perfect(runs: dict[str, Run]) -> None:
    found = of("perfect", runs)
    assert list(by_task(found)) == list(NINE)
    for one in by_task(found).values():
        told = {each.head: each.of(one) for each in tables.LETTERS}
        assert told["S"].value == pytest.approx(SURE)
        assert told["S, one order"].value == pytest.approx(SURE)
        assert one.mean().value == 1
        assert told["label bias"].value == pytest.approx(0, abs=1e-9)
        assert told["consistent"].value == 1
        assert (told["mass"], told["mass ≥ 0.5"]) == (pytest.approx(1), 1)
        assert twins_right(one).value == 1
    assert {outcome(one) for one in by_task(found).values()} == {"above"}
    assert column(tables.CALIBRATION, "Brier score", scored(found)).value == pytest.approx((1 - SURE) ** 2)
    assert column(tables.CALIBRATION, "log loss", scored(found)).value == pytest.approx(-log(SURE))
    bins = {each.label: some for each in tables.FIRST.splits if (some := each.of(scored(found)))}
    assert set(bins) == {"0.0 to 0.1", "0.9 to 1.0"}
    assert all(column(tables.RELIABILITY, "share where it is right", some).value in (0, 1) for some in bins.values())
    assert slope(found, ("TB", "MA", "FB")).value == pytest.approx(0, abs=1e-9)
    assert given_reading(found, read=False) is None


def test_always_a(runs: dict[str, Run]) -> None:
    found = of("always A", runs)
    for one in by_task(found).values():
        told = {each.head: each.of(one) for each in tables.LETTERS}
        assert told["S"].value == pytest.approx(0.5)
        assert told["label bias"].value == pytest.approx(3)
        assert told["consistent"].value == 0
        assert outcome(one) in ("not told from 0.5", "too few groups to tell")
    assert column(tables.CALIBRATION, "Brier score", scored(found)).value == pytest.approx(0.25)
    singles = Answers.of([runs["always A"]]).where(task=NINE).numbers("single")
    assert {round(share, 3) for share in singles} == {0.047, 0.953}


def test_omniscient_is_wrong_where_beliefs_are_false(runs: dict[str, Run]) -> None:
    found = of("omniscient", runs)
    told = {each.head: each.of(by_task(found)["FB/SA"]) for each in tables.TWINS}
    assert told["S, false belief"].value == pytest.approx(1 - SURE)
    assert told["S, true belief"].value == pytest.approx(SURE)
    assert told["flip sensitivity"].value == pytest.approx(0, abs=1e-9)
    assert on_same_scripts(found).value < 0
    beliefs = slope(found, ("TB", "FB"))
    assert beliefs.value < -0.2
    assert beliefs.p < 0.01


def test_systematically_below_is_an_outcome_of_its_own(small: Suite) -> None:
    (found,) = models(run(small, reversed_perfect(small))).values()
    assert {outcome(some) for some in by_task(found).values()} == {"systematically below"}


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
    found = measure(members(*(each.model for each in made)), made).trends
    assert {each.what: each.word for each in found} == {"TB": word, "FB/D/A": word}
    if not shuffled:
        assert all(0.02 < each.trend.slope.value < 0.05 for each in found)
        backwards = measure(members(*(each.model for each in reversed(made))), made).trends
        assert {each.word for each in backwards} == {"falls"}


def test_a_significant_trend_that_is_flat_is_none(two_tasks: Suite) -> None:
    made = [run(two_tasks, drifting(two_tasks, version, step=0.2)) for version in (1, 2)]
    (one, *_) = measure(members(*(each.model for each in made)), made).trends
    flat = replace(one, p=0.0, trend=replace(one.trend, slope=replace(one.trend.slope, value=0.019)))
    assert flat.word == "no clear trend"
    assert replace(flat, trend=replace(one.trend, slope=replace(one.trend.slope, value=0.02))).word == "rises"


def test_pairs_are_paired(two_tasks: Suite) -> None:
    base, post = run(two_tasks, drifting(two_tasks, 1)), run(two_tasks, perfect(two_tasks))
    found = measure(members(post.model, base=base.model), [base, post]).pairings
    assert [each.task for each in found] == ["TB", "FB/D/A"]
    for each in found:
        assert each.difference.value == pytest.approx(each.after.value - each.before.value)
        assert each.difference.low < each.difference.value < each.difference.high
        assert each.difference.p < 0.01
        assert each.mcnemar < 0.01


def test_models_asked_different_suites_are_not_compared(small: Suite, runs: dict[str, Run]) -> None:
    other = build(tasks=["TB"])
    with pytest.raises(UsageError, match="different suites"):
        models(runs["perfect"], run(other, always_a(other)))


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
    found = measure(Lineup(()), [cold, hot, warm(cloze, 0.7, seed=5)]).answers.by("model")
    assert list(found) == ["same (0.00ab)", "same (0.70ab)"]
    assert [bool(each.where(suite=CLOZE)) for each in found.values()] == [False, True]
    assert [each.where(suite=MAIN).runs[0].id for each in found.values()] == [cold.id, hot.id]
    with pytest.raises(UsageError, match="twice, in runs"):
        models(hot, warm(runs["always A"], 0.7, seed=1))


def test_a_script_whose_facts_were_not_answered_is_neither_read_nor_misread(runs: dict[str, Run]) -> None:
    whole = runs["perfect"]
    before = given_reading(Answers.of([whole]))
    facts = {record.item.context for record in whole.where(task="TB").records}
    lost = next(r.item.context for r in whole.where(task="FB/SA").records if r.item.context in facts)

    def failing(record: Record) -> Record:
        down = record.item.tags["task"] == "TB" and record.item.context == lost
        return replace(record, score=Score("error")) if down else record

    answers = Answers.of([replace(whole, records=tuple(map(failing, whole.records)))])
    assert given_reading(answers).n == before.n - 1
    assert given_reading(answers, read=False) is None


def test_scenes_that_tell_nothing_are_in_no_share_of_right_answers(small: Suite, runs: dict[str, Run]) -> None:
    neutral = [item.id for item in small if item.tags["task"] == NEUTRAL]
    assert neutral
    assert not set(neutral) & runs["omniscient"].values().keys()
    assert runs["omniscient"].verdicts()["unscored"] == len(neutral)
    assert of("omniscient", runs).where(task=NEUTRAL).mean("S") is not None
    gap = LETTERS_LESS_CLOZE.number(
        Answers.of([runs["omniscient"], run(small.using(score="cloze"), omniscient(small))])
    )
    assert gap is not None
    assert gap.n == sum(item.tags["task"] in NINE for item in small)
    assert f"task: {NEUTRAL}" not in [row.items for row in compare(runs["perfect"], runs["omniscient"], by="task").rows]


def test_without_a_main_run_there_is_nothing(small: Suite) -> None:
    with pytest.raises(UsageError, match="by letters or drew its answers"):
        models(run(small.using(score="cloze"), perfect(small)))


# ---- ways of asking -----------------------------------------------------------------------------------------------


def chance(prompt):
    return dict.fromkeys(prompt.choices, 1 / len(prompt.choices))


def test_everything_that_can_be_asked_is_in_its_place() -> None:
    suite = build(size=4)
    model = Scripted(lambda _: "I cannot help with that.", name="shy", weigh=chance)
    with Store(MEMORY) as store:
        asked = Desk(store, bar).put_each(
            askings(suite, extras=("wordings", "controls", "refusals")), Subject.of(model)
        )
    assert not asked.failed
    found = measure(Lineup(()), asked.runs)
    assert len(asked.runs) == len(found.runs["shy"]) == 2 + 6 + 2 + 2
    ways = found.answers.by("suite")
    assert set(ways) == {MAIN, CLOZE, WORDED, WRITTEN, "no script", "words shuffled"}
    prompts = {"raw-space", "raw-gap", "raw-digits", "raw-xy", "raw-plausible", "direct"}
    assert set(ways[WORDED].by("prompt")) == prompts
    for some in (*ways[WORDED].by("prompt").values(), ways["no script"], ways["words shuffled"]):
        assert {task: one.mean("S").value for task, one in by_task(some).items()} == dict.fromkeys(NINE, 0.5)
    assert ways[WRITTEN].share(lambda row: row.verdict == "refused").value == 1.0
    assert list(by_task(ways[CLOZE])) == list(NINE)


def test_what_a_model_cannot_do_is_said() -> None:
    suite = build(tasks=["TB"], size=4)
    model = Scripted(lambda _: "A", name="mute", weigh=chance)
    model.cannot = frozenset({"chat", "continuations"})
    with Store(MEMORY) as store:
        asked = Desk(store, bar).put_each(askings(suite, extras=("refusals",)), Subject.of(model))
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
