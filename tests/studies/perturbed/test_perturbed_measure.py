"""Scripted models whose tables are known in closed form, end to end through the real runner."""

import re
from dataclasses import replace
from functools import cache
from math import sqrt

import pytest

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.formats.json_prompts import SHAPES
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Table
from otherminds.results.answers import Answers
from otherminds.runs.runs import Run, run
from otherminds.studies.perturbed import page
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.measure import (
    FOCAL,
    NONE,
    RULES,
    SCOPES,
    TEN,
    by_class,
    chained,
    compared,
    crossed,
    faulty,
    gain,
    going_together,
    graded,
    is_placebo,
    measure,
    models,
    moved,
    perturbed,
    read,
    reasoned,
    right,
    whole_tasks,
)
from otherminds.studies.perturbed.tasks import intervene, verdicts
from otherminds.studies.perturbed.tasks.build import STYLES, build
from otherminds.studies.perturbed.tasks.chains import RATIOS
from otherminds.studies.perturbed.tasks.intervene import EDITS
from otherminds.studies.perturbed.tasks.verdicts import (
    CountedShare,
    faithfulness,
    leniently,
    strictly,
)
from tests.studies.perturbed import agents

# Right answers on focal items, by class in the order of CLASSES: of how many, by always reality, by always decoy.
FOCAL_ITEMS = (14, 14, 10, 8, 14, 14, 10, 14, 12, 12, 14)
REALITY = (0, 14, 10, 4, 14, 14, 10, 0, 12, 6, 0)
DECOY = (14, 0, 0, 0, 0, 0, 0, 14, 0, 6, 14)
BELIEFS = 8 * 68


@cache
def suite_of(style: str, *, focal: bool) -> Suite:
    return build(style=style, focal=focal)


def ask(name: str, *, focal: bool) -> list[Run]:
    suites = [suite_of(style, focal=focal) for style in ("vanilla", "cot")]
    return [run(suite, agents.AGENTS[name](suite)) for suite in suites]


def first(runs: list[Run]) -> Answers:
    """What is measured of the first model."""
    answers = measure(runs)
    return answers.where(model=models(answers)[0])


@pytest.fixture(scope="module")
def found() -> dict[str, Answers]:
    """What is measured of the scripted models: three of them on all questions, two on the focal ones."""
    whole = {"gold": True, "reality": True, "placebo": True, "decoy": False, "premature": False}
    return {name: first(ask(name, focal=not every)) for name, every in whole.items()}


def asked(answers: Answers, style: str, **tags) -> Answers:
    """The focal answers in a style, readable or not."""
    return answers.with_value("asked").where(None, prompt=STYLES[style], **FOCAL, **tags)


def cell(answers: Answers, style: str, name: str) -> CountedShare:
    return right(read(asked(answers, style, **({} if name == "all" else {"class": name}))))


def counts(answers: Answers, style: str) -> tuple[int, ...]:
    cells = [cell(answers, style, name) for name in CLASSES]
    assert tuple(cell.n for cell in cells) == FOCAL_ITEMS
    return tuple(cell.right for cell in cells)


def chains(answers: Answers, scope: str) -> Answers:
    return chained(answers).where(None, **SCOPES[scope])


def parted(answers: Answers, scope: str) -> list[Answers]:
    """The answers whose chain is wrong, and those whose chain is right, as far as there are any."""
    some = compared(answers).where(None, **SCOPES[scope])
    parts = [some.where(lambda row, proper=proper: row.detail["proper"] is proper) for proper in (False, True)]
    return [part for part in parts if part]


@pytest.mark.parametrize(
    ("name", "vanilla", "cot"),
    [
        ("gold", FOCAL_ITEMS, FOCAL_ITEMS),
        ("reality", REALITY, REALITY),
        ("decoy", DECOY, DECOY),
        ("premature", FOCAL_ITEMS, FOCAL_ITEMS),
        ("placebo", (0,) * 11, FOCAL_ITEMS),
    ],
)
def test_right_answers_by_class(found, name, vanilla, cot):
    answers = found[name]
    assert counts(answers, "vanilla") == vanilla
    assert counts(answers, "cot") == cot
    for style, number in (("vanilla", vanilla), ("cot", cot)):
        whole = cell(answers, style, "all")
        assert (whole.right, whole.n) == (sum(number), 136)
        assert right(asked(answers, style)) == whole
        assert faulty(asked(answers, style)).right == 0


def test_all_classes_together_rest_on_the_stages(found):
    """Within a stage, tasks share people, things and words: 136 answers are not 136 of a kind."""
    by_stage = {}
    for record in ask("reality", focal=True)[0].records:
        by_stage.setdefault(record.item.tags["stage"], []).append(record.value())
    whole = cell(found["reality"], "vanilla", "all")
    values = [value for some in by_stage.values() for value in some]
    expected = stats.mean(values, groups=[name for name, some in by_stage.items() for _ in some])
    assert (whole.low, whole.high, whole.clusters) == (expected.low, expected.high, 7)
    assert "over 7 groups" in whole.method
    assert cell(found["reality"], "vanilla", "none").method == "Wilson"


def test_a_triangle_over_all_classes_is_by_stage():
    def item(number: int, right: bool) -> Item:
        return Item(str(number), "?", "a" if right else "b", tags={"class": "none", "stage": "ab"[number // 20]})

    items = [item(number, right) for number, right in enumerate([True] * 20 + [True] * 12 + [False] * 8)]
    mostly = Answers.by_rule("a", items, {item.id: float(item.answer == "a") for item in items})
    assert right(mostly.where(None, **{"class": NONE})).is_beyond_chance()
    assert not right(mostly).is_beyond_chance()


def test_the_rules_beside_a_model_are_the_scripted_ones(found):
    answers = measure(ask("random", focal=True))
    for rule, name in zip(RULES, ("reality", "decoy"), strict=True):
        mine = answers.where(model=rule)
        model = read(found[name], **FOCAL)
        assert [right(mine.where(None, **{"class": each})) for each in CLASSES] == [
            right(model.where(None, **{"class": each}, prompt=STYLES["cot"])) for each in CLASSES
        ]
        assert crossed(chains(mine, "focal")) == crossed(chains(found[name], "focal"))
        for of in ("proper", *RATIOS.values()):
            assert chains(mine, "focal").mean(of) == chains(found[name], "focal").mean(of)


def test_what_a_perturbation_does(found):
    focal = perturbed(read(asked(found["decoy"], "vanilla")))
    for name, number, n in list(zip(CLASSES, DECOY, FOCAL_ITEMS, strict=True))[1:]:
        assert focal[name].value == pytest.approx(number / n - 1)
    # All seven stages fall alike, which under chance happens 2 times in 128; adjusted for ten classes.
    assert focal["late_label"].p == pytest.approx(10 * 2 / 2**7, rel=0.1)
    assert focal["late_label"].high < 0
    gold = perturbed(read(asked(found["gold"], "cot")))
    assert all(gold[name].value == 0 and gold[name].p == 1 for name in TEN)


def test_what_a_perturbation_does_to_all_sixteen_questions(found):
    # Always reality has 14 of 16 right in an unperturbed task, and 12 where the label says nothing (form U).
    effects = perturbed(read(found["reality"], prompt=STYLES["vanilla"]))
    right = dict.fromkeys(CLASSES, 16.0)
    right |= {"add_unrelated_information": 14, "conclusion_from_sentiment": 14}
    right |= {"uninformative_label": (16 + 12) / 2, "untrustworthy_testimony": (16 + 14) / 2}
    for name in CLASSES[1:]:
        assert effects[name].value == pytest.approx((right[name] - 14) / 16)
        assert effects[name].n == 8 * (FOCAL_ITEMS[CLASSES.index(name)] + FOCAL_ITEMS[0])


def test_what_reasoning_does(found):
    gains = reasoned(read(found["placebo"], **FOCAL))
    assert all(gains[name].value == 1 for name in (*CLASSES, "all"))
    assert gains["none"].p == pytest.approx(2 / 2**7, rel=0.1)
    assert gains["late_label"].p == pytest.approx(min(1, 10 * 2 / 2**7), rel=0.1)
    assert reasoned(read(found["gold"]))["all"].value == 0


def test_verdicts(found):
    gold, reality, decoy = (by_class(asked(found[name], "cot")) for name in ("gold", "reality", "decoy"))
    calls = (verdicts.ostensible, verdicts.robust, verdicts.limited)
    assert [call(gold, strictly) for call in calls] == [True, True, True]
    assert verdicts.passed(gold, CountedShare.is_beyond_chance) == 10
    # Always reality: half of two classes, which only the lenient line lets pass.
    assert [verdicts.passed(reality, by) for by in (strictly, leniently, CountedShare.is_beyond_chance)] == [6, 8, 6]
    assert [call(reality, strictly) for call in calls] == [False, False, True]
    assert not verdicts.robust(reality, leniently)
    assert [verdicts.passed(decoy, by) for by in (strictly, leniently)] == [2, 3]
    assert (verdicts.ostensible(decoy, strictly), verdicts.limited(decoy, leniently)) == (True, False)


def test_half_right_is_ostensible_only_by_the_lenient_line():
    gold = asked(first(ask("gold", focal=True)), "cot")
    half = Answers(
        replace(row, value=0.0) if row.tag("class") == NONE and row.tag("swap") == "swap" else row for row in gold
    )
    shares = by_class(half)
    assert (verdicts.ostensible(shares, strictly), verdicts.ostensible(shares, leniently)) == (False, True)
    base = right(half.where(None, **{"class": NONE}))
    assert (base.low, base.high) == pytest.approx((0.268, 0.732), abs=0.001)
    assert verdicts.robust(by_class(gold.where(None, **{"class": CLASSES[:-1]})), strictly) is None
    assert verdicts.ostensible(by_class(gold.where(None, **{"class": TEN})), strictly) is None


def solved(answers: Answers, style: str) -> list:
    some = answers.where(prompt=STYLES[style])
    return [whole_tasks(16)(some), whole_tasks(8, question="belief")(some)]


def test_whole_tasks(found):
    # 7 + 5 + 2 + 7 + 7 + 5 + 6 + 3: whatever has no item where the target is fooled.
    assert [part.value for part in solved(found["reality"], "cot")] == pytest.approx([42 / 68, 42 / 68])
    assert [part.value for part in solved(found["gold"], "vanilla")] == [1, 1]
    assert solved(first(ask("gold", focal=True)), "cot") == [None, None]


def test_chains(found):
    for name, proper in (("gold", 1), ("premature", 0), ("placebo", 0)):
        mean = chains(found[name], "focal").mean("proper")
        assert (mean.value, mean.n) == (proper, 136)
    assert all(chains(found["gold"], "focal").mean(of).value == 1 for of in RATIOS.values())


@pytest.mark.parametrize(
    ("name", "scope", "table"),
    [
        ("gold", "all", (BELIEFS, 0, 0, 0)),
        ("premature", "focal", (0, 0, 136, 0)),
        ("placebo", "all", (0, 0, BELIEFS, 0)),
        ("decoy", "focal", (0, 0, sum(DECOY), 136 - sum(DECOY))),
    ],
)
def test_faith_is_undefined_where_chains_or_answers_never_vary(found, name, scope, table):
    some = chains(found[name], scope)
    assert crossed(some) == table
    assert going_together()(some) is None
    said = "as faithful as can be told: all right" if name == "gold" else "cannot be told"
    assert faithfulness(*crossed(some)) == said
    ratios = {graded(of)(some) for of in RATIOS.values()}
    assert name == "decoy" or ratios == {None}


def test_placebo(found):
    wrong, *others = parted(found["placebo"], "all")
    assert not others
    assert (len(wrong), wrong.mean("before").value, wrong.mean().value) == (BELIEFS, 0, 1)
    assert not any(row.detail["proper"] for row in wrong)
    gained, lost, p = moved(wrong)
    assert (gain(wrong).value, gained, lost) == (1, BELIEFS, 0)
    assert p == pytest.approx(2 / 2.0**BELIEFS)
    assert is_placebo(wrong)
    (part,) = parted(found["gold"], "focal")
    assert (part[0].detail["proper"], len(part), is_placebo(part)) == (True, 136, False)


# ---- chains that are given ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def decoy() -> list[Run]:
    """Chains and answers of a model that always says what misleads."""
    return ask("decoy", focal=True)


def last_state(prompt: Prompt) -> str:
    text = prompt.messages[-1].content + prompt.prefill
    return re.findall(r"(?:After sentence \d+|believes): (\w+)", text)[-1]


def obedient(how: str) -> Scripted:
    if how == "notes":
        return Scripted(lambda prompt: f'{{"answer": "{last_state(prompt)}"}}', name="obedient")

    def weigh(prompt: Prompt) -> dict[str, float]:
        return {choice: 0.9 if choice.strip() == last_state(prompt) else 0.05 for choice in prompt.choices}

    return Scripted(lambda prompt: "", name="obedient", weigh=weigh)


def given(runs: list[Run]) -> dict[str, Answers]:
    """By kind of chain, the answers to items with one."""
    some = measure(runs).with_value("follows")
    return {edit: some.where(edit=edit) for edit in EDITS}


@pytest.mark.parametrize("how", ["notes", "prefill"])
def test_whoever_follows_every_chain_is_led_by_it(decoy, how):
    suite = intervene.build(decoy[-1], how=how)
    assert len(suite) == 136 * len(EDITS)
    found = given([*decoy, run(suite, obedient(how))])
    assert all(each.mean("follows").value == 1 and len(each) == 136 for each in found.values())
    assert all(set(each.get("model")) == {f"obedient, {how}"} for each in found.values())
    # Its own answer, always the decoy, is right in 48 of 136, and so with a right chain it is led in the other 88.
    assert found["right"].mean("matches").value == 1
    assert found["right"].mean("before").value == pytest.approx(48 / 136)
    assert gain(found["right"], "follows").value == pytest.approx(88 / 136)
    assert found["right"].mean("stays").value == pytest.approx(48 / 136)
    assert found["wrong"].mean("matches").value == 0
    assert gain(found["own"], "follows").value == gain(found["truncated"], "follows").value == 0


def test_whoever_follows_no_chain_stays_as_it_was(decoy):
    suite = intervene.build(decoy[-1])
    found = given([*decoy, run(suite, agents.decoy(suite))])
    assert all(each.mean("stays").value == 1 and gain(each, "follows").value == 0 for each in found.values())
    assert found["right"].mean("follows").value == pytest.approx(48 / 136)


def test_answers_that_cannot_be_read_do_not_count(decoy):
    suite = intervene.build(decoy[-1])
    assert not measure([*decoy, run(suite, Scripted(lambda _: "no", name="mute"))]).with_value("follows")


# ---- models that are good in part ---------------------------------------------------------------------------------


def mixed(name: str, choose) -> list[Run]:
    """A model that is one scripted model on some items and another one on others."""
    runs = []
    for style in ("vanilla", "cot"):
        suite = suite_of(style, focal=True)
        parts = {each: make(suite) for each, make in agents.AGENTS.items()}
        known: dict[str, Item] = {item.context + item.question: item for item in suite}

        def answer(prompt: Prompt, parts=parts, known=known, style=style) -> str | Response:
            text = prompt.messages[-1].content
            item = next(item for key, item in known.items() if item.context in text and item.question in text)
            who = choose(item, style)
            return parts[who].ask([prompt])[0] if who in parts else who

        runs.append(run(suite, Scripted(answer, name=name)))
    return runs


def test_faith_by_hand():
    # Right chain and answer for one swap; for the other, right for no reason in UC stages and wrong in UT stages.
    def choose(item, style):
        if item.tags["swap"] == "orig":
            return "gold"
        wrong = next(choice for choice in item.choices if choice != item.answer)
        return "premature" if item.tags["kind"] == "UC" else f'{{"states": [], "answer": "{wrong}"}}'

    some = chains(first(mixed("half", choose)), "all")
    assert len(some) == len(some.where(None, **FOCAL))
    assert crossed(some) == (68, 0, 39, 29)
    phi = going_together()(some)
    assert phi.value == pytest.approx(68 * 29 / sqrt(68 * 68 * 107 * 29))
    assert phi.fisher == pytest.approx(stats.fisher(68, 0, 39, 29))
    assert faithfulness(*crossed(some)) == "faithful"


def test_items_count_only_where_every_style_could_be_read():
    def choose(item, style):
        lost = style == "vanilla" and item.tags["class"] == "late_label" and item.tags["swap"] == "orig"
        return "I would rather not say." if lost else "gold"

    model = first(mixed("shy", choose))
    vanilla, cot = (asked(model, style, **{"class": "late_label"}) for style in ("vanilla", "cot"))
    assert [(right(read(some)).right, right(read(some)).n) for some in (vanilla, cot)] == [(7, 7), (7, 7)]
    assert (faulty(vanilla).right, faulty(vanilla).n, faulty(cot).right) == (7, 14, 0)
    assert (right(vanilla).value, right(cot).value) == (0.5, 1.0)
    assert cell(model, "vanilla", "none").n == 14
    assert reasoned(read(model, **FOCAL))["late_label"].n == 7


def test_a_wrong_chain_that_helps_now_and_then_is_no_placebo():
    def choose(item, style):
        # Right for no reason everywhere, but without a chain wrong in one stage only: 20 of 136 gained.
        return "placebo" if item.tags["stage"] == "UT-E" else "premature"

    (wrong,) = parted(first(mixed("lucky", choose)), "focal")
    assert (*moved(wrong)[:2], len(wrong)) == (20, 0, 136)
    assert gain(wrong).value == pytest.approx(20 / 136)
    assert is_placebo(wrong)
    few = first(mixed("rarely", lambda item, style: "placebo" if item.tags["story"] == "UT-E/none" else "premature"))
    assert not is_placebo(parted(few, "focal")[0])


def test_one_style_alone_is_measured_too():
    answers = measure(ask("gold", focal=True)[:1])
    assert counts(answers.where(model="gold"), "vanilla") == FOCAL_ITEMS
    assert not chained(answers)
    assert not compared(answers)


def perceiving(text: str) -> str:
    return text.replace('"perceived": []', f'"perceived": {list(range(1, 11))}')


def test_other_ways_of_asking_stand_beside_asking_plainly():
    runs = []
    for style in ("vanilla", "cot", "states", "perspective"):
        suite = suite_of(style, focal=True)
        gold = agents.gold(suite)
        # Whoever perceives everything is left with the whole story.
        whole = Scripted(lambda prompt, gold=gold: perceiving(gold.ask([prompt])[0].text), name="gold")
        runs.append(run(suite, whole))
    made = page.show(runs)
    (table,) = (table for section in made.sections for table in section.blocks if is_beside(table))
    assert {style: gain.value for style, gain in table.rows} == pytest.approx({"states": 0, "perspective": 0})


def is_beside(block) -> bool:
    return isinstance(block, Table) and block.caption == "gold: other ways of asking"


def test_two_models_of_one_name_are_told_apart():
    runs = ask("gold", focal=True)
    others = [replace(each, fingerprint="other") for each in runs]
    labels = models(measure([*runs, *others]))
    assert len(set(labels)) == 2
    assert all(label.startswith("gold (") for label in labels)


def test_what_was_asked_twice_counts_once():
    once = ask("gold", focal=True)
    again = [replace(each, id=f"{each.id}2", records=each.records[:20]) for each in once]
    model = first([*once, *again])
    assert chains(model, "focal").mean("proper").n == cell(model, "cot", "all").n == 136


def test_runs_of_something_else_are_refused(sally_anne):
    from otherminds.heuristics.readers import oracle
    from otherminds.minds.questions import quiz

    suite = quiz(sally_anne)
    with pytest.raises(UsageError, match="none of these runs has answers to perturbed tasks"):
        measure([run(suite, oracle(suite))])


def test_placebo_reads_the_wording_that_asks_for_states():
    # The placebo model tells the styles apart by this text, so it must be in one of them alone.
    for style, there in (("vanilla", False), ("cot", True)):
        suite = suite_of(style, focal=True)
        model = agents.placebo(suite)
        run(suite, model)
        assert {SHAPES["states"] in prompt.messages[-1].content for prompt in model.history} == {there}
