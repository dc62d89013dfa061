"""Scripted models whose tables are known in closed form, end to end through the real runner."""

import random
from dataclasses import replace
from functools import cache
from itertools import groupby, pairwise, product
from math import sqrt

import pytest

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.formats.json_prompts import SHAPES
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import Run, run
from otherminds.stats import Difference
from otherminds.studies.perturbed.build import build
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.chains import PATH_RULES
from otherminds.studies.perturbed.faithfulness import way_is_right
from otherminds.studies.perturbed.measure import Profile, challenging, measure, profile, share, sit
from tests.studies.perturbed import agents

# Right answers on focal items, by class in the order of CLASSES: of how many, by always reality, by always decoy.
FOCAL = (14, 14, 10, 8, 14, 14, 10, 14, 12, 12, 14)
REALITY = (0, 14, 10, 4, 14, 14, 10, 0, 12, 6, 0)
DECOY = (14, 0, 0, 0, 0, 0, 0, 14, 0, 6, 14)
BELIEFS = 8 * 68


@cache
def suite_of(style: str, *, focal: bool) -> Suite:
    return build(style=style, focal=focal)


def ask(name: str, *, focal: bool) -> list[Run]:
    suites = [suite_of(style, focal=focal) for style in ("vanilla", "cot")]
    return [run(suite, agents.AGENTS[name](suite)) for suite in suites]


@pytest.fixture(scope="module")
def profiles() -> dict[str, Profile]:
    """What is measured of the scripted models: three of them on all questions, two on the focal ones."""
    whole = {"gold": True, "reality": True, "placebo": True, "decoy": False, "premature": False}
    return {name: profile(sit(ask(name, focal=not every))[0]) for name, every in whole.items()}


def counts(profile: Profile, style: str) -> tuple[int, ...]:
    cells = [profile.cells[style][name].right for name in CLASSES]
    assert tuple(cell.n for cell in cells) == FOCAL
    return tuple(cell.right for cell in cells)


@pytest.mark.parametrize(
    ("name", "vanilla", "cot"),
    [
        ("gold", FOCAL, FOCAL),
        ("reality", REALITY, REALITY),
        ("decoy", DECOY, DECOY),
        ("premature", FOCAL, FOCAL),
        ("placebo", (0,) * 11, FOCAL),
    ],
)
def test_right_answers_by_class(profiles, name, vanilla, cot):
    profile = profiles[name]
    assert counts(profile, "vanilla") == vanilla
    assert counts(profile, "cot") == cot
    for style, right in (("vanilla", vanilla), ("cot", cot)):
        whole = profile.cells[style]["all"]
        assert (whole.right.right, whole.right.n) == (sum(right), 136)
        assert whole.faults_wrong == whole.right
        assert whole.faults.right == 0


def test_all_classes_together_rest_on_the_stages(profiles):
    """Within a stage, tasks share people, things and words: 136 answers are not 136 of a kind."""
    by_stage = {}
    for record in ask("reality", focal=True)[0].records:
        by_stage.setdefault(record.item.tags["stage"], []).append(record.value())
    right = profiles["reality"].cells["vanilla"]["all"].right
    values = [value for some in by_stage.values() for value in some]
    expected = stats.mean(values, groups=[name for name, some in by_stage.items() for _ in some])
    assert (right.low, right.high, right.clusters) == (expected.low, expected.high, 7)
    assert "over 7 groups" in right.method
    assert profiles["reality"].cells["vanilla"]["none"].right.method == "Wilson"


def test_a_triangle_over_all_classes_is_by_stage():
    stages = ["a"] * 20 + ["b"] * 20
    mostly = [True] * 20 + [True] * 12 + [False] * 8
    assert share(mostly).beyond_chance
    assert not share(mostly, stages).beyond_chance


def test_the_rules_beside_a_model_are_the_scripted_ones(profiles):
    found = measure(ask("random", focal=True))
    assert [rule.label for rule in found.rules] == ["always reality", "always decoy"]
    for rule, name in zip(found.rules, ("reality", "decoy"), strict=True):
        assert rule.cells == profiles[name].cells
        assert rule.faith["focal"] == profiles[name].faith["focal"]
        assert rule.chains == profiles[name].chains


def test_what_a_perturbation_does(profiles):
    focal = profiles["decoy"].perturbed["focal"]["vanilla"]
    for name, right, n in list(zip(CLASSES, DECOY, FOCAL, strict=True))[1:]:
        assert focal[name].value == pytest.approx(right / n - 1)
    # All seven stages fall alike, which under chance happens 2 times in 128; adjusted for ten classes.
    assert focal["late_label"].p == pytest.approx(10 * 2 / 2**7, rel=0.1)
    assert focal["late_label"].high < 0
    assert all(each.value == 0 and each.p == 1 for each in profiles["gold"].perturbed["focal"]["cot"].values())


def test_what_a_perturbation_does_to_all_sixteen_questions(profiles):
    # Always reality has 14 of 16 right in an unperturbed task, and 12 where the label says nothing (form U).
    effects = profiles["reality"].perturbed["all"]["vanilla"]
    right = dict.fromkeys(CLASSES, 16.0)
    right |= {"add_unrelated_information": 14, "conclusion_from_sentiment": 14}
    right |= {"uninformative_label": (16 + 12) / 2, "untrustworthy_testimony": (16 + 14) / 2}
    for name in CLASSES[1:]:
        assert effects[name].value == pytest.approx((right[name] - 14) / 16)
        assert effects[name].n == 8 * (FOCAL[CLASSES.index(name)] + FOCAL[0])


def test_what_reasoning_does(profiles):
    gains = profiles["placebo"].reasoned["focal"]
    assert all(gains[name].value == 1 for name in (*CLASSES, "all"))
    assert gains["none"].p == pytest.approx(2 / 2**7, rel=0.1)
    assert gains["late_label"].p == pytest.approx(min(1, 10 * 2 / 2**7), rel=0.1)
    assert profiles["gold"].reasoned["all"]["all"].value == 0


def test_verdicts(profiles):
    gold, reality, decoy = (profiles[name].verdicts["cot"] for name in ("gold", "reality", "decoy"))
    assert (gold.ostensible(), gold.robust(), gold.limited(), gold.beyond) == (True, True, True, 10)
    # Always reality: half of two classes, which only the lenient line lets pass.
    assert (reality.strict, reality.lenient, reality.beyond) == (6, 8, 6)
    assert (reality.ostensible(), reality.robust(lenient=True), reality.limited()) == (False, False, True)
    assert (decoy.strict, decoy.lenient) == (2, 3)
    assert (decoy.ostensible(), decoy.limited(lenient=True)) == (True, False)


def test_half_right_is_ostensible_only_by_the_lenient_line():
    verdict = replace(measure(ask("gold", focal=True)).models[0].verdicts["cot"], base=share([True, False] * 7))
    assert (verdict.ostensible(), verdict.ostensible(lenient=True)) == (False, True)
    assert (verdict.base.low, verdict.base.high) == pytest.approx((0.268, 0.732), abs=0.001)
    assert replace(verdict, classes=9).robust() is None
    assert replace(verdict, base=None).ostensible() is None


def test_whole_tasks(profiles):
    # 7 + 5 + 2 + 7 + 7 + 5 + 6 + 3: whatever has no item where the target is fooled.
    assert [part.value for part in profiles["reality"].solved["cot"]] == pytest.approx([42 / 68, 42 / 68])
    assert [part.value for part in profiles["gold"].solved["vanilla"]] == [1, 1]
    assert measure(ask("gold", focal=True)).models[0].solved["cot"] == (None, None)


def test_chains(profiles):
    for name, proper in (("gold", 1), ("premature", 0), ("placebo", 0)):
        assert profiles[name].chains["all"].proper.value == proper
        assert profiles[name].chains["all"].proper.n == 136
    assert all(each.value == 1 for each in profiles["gold"].chains["all"].ratios.values())


@pytest.mark.parametrize(
    ("name", "scope", "table"),
    [
        ("gold", "all", (BELIEFS, 0, 0, 0)),
        ("premature", "focal", (0, 0, 136, 0)),
        ("placebo", "all", (0, 0, BELIEFS, 0)),
        ("decoy", "focal", (0, 0, sum(DECOY), 136 - sum(DECOY))),
    ],
)
def test_faith_is_undefined_where_chains_or_answers_never_vary(profiles, name, scope, table):
    faith = profiles[name].faith[scope]
    assert faith.table == table
    assert faith.phi is None
    assert faith.verdict == ("as faithful as can be told: all right" if name == "gold" else "cannot be told")
    assert name == "decoy" or set(faith.ratios.values()) == {None}


def test_placebo(profiles):
    wrong, *right = profiles["placebo"].placebo["all"]
    assert not right
    assert (wrong.proper, wrong.n, wrong.vanilla, wrong.cot) == (False, BELIEFS, 0, 1)
    assert (wrong.gain.value, wrong.gained, wrong.lost) == (1, BELIEFS, 0)
    assert wrong.mcnemar == pytest.approx(2 / 2.0**BELIEFS)
    assert wrong.is_placebo
    (part,) = profiles["gold"].placebo["focal"]
    assert (part.proper, part.n, part.is_placebo) == (True, 136, False)


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

    (model,) = measure(mixed("half", choose)).models
    faith = model.faith["focal"]
    assert faith.table == (68, 0, 39, 29)
    assert faith.phi.value == pytest.approx(68 * 29 / sqrt(68 * 68 * 107 * 29))
    assert faith.phi.fisher == pytest.approx(stats.fisher(68, 0, 39, 29))
    assert faith.verdict == "faithful"
    assert "all" not in model.faith


def test_items_count_only_where_every_style_could_be_read():
    def choose(item, style):
        lost = style == "vanilla" and item.tags["class"] == "late_label" and item.tags["swap"] == "orig"
        return "I would rather not say." if lost else "gold"

    (model,) = measure(mixed("shy", choose)).models
    vanilla, cot = (model.cells[style]["late_label"] for style in ("vanilla", "cot"))
    assert (vanilla.right.right, vanilla.right.n, cot.right.right, cot.right.n) == (7, 7, 7, 7)
    assert (vanilla.faults.right, vanilla.faults.n, cot.faults.right) == (7, 14, 0)
    assert (vanilla.faults_wrong.value, cot.faults_wrong.value) == (0.5, 1.0)
    assert model.cells["vanilla"]["none"].right.n == 14
    assert model.reasoned["focal"]["late_label"].n == 7


def test_a_wrong_chain_that_helps_now_and_then_is_no_placebo():
    def choose(item, style):
        # Right for no reason everywhere, but without a chain wrong in one stage only: 20 of 136 gained.
        return "placebo" if item.tags["stage"] == "UT-E" else "premature"

    (model,) = measure(mixed("lucky", choose)).models
    (wrong,) = model.placebo["focal"]
    assert (wrong.gained, wrong.lost, wrong.n) == (20, 0, 136)
    assert wrong.gain.value == pytest.approx(20 / 136)
    assert wrong.is_placebo
    (few,) = measure(
        mixed("rarely", lambda item, style: "placebo" if item.tags["story"] == "UT-E/none" else "premature")
    ).models
    assert not few.placebo["focal"][0].is_placebo


def test_one_style_alone_is_measured_too():
    (model,) = measure(ask("gold", focal=True)[:1]).models
    assert counts(model, "vanilla") == FOCAL
    assert (model.reasoned, model.chains, model.faith, model.placebo) == ({}, {}, {}, {})


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
    (model,) = measure(runs).models
    assert {style: gain.value for style, gain in model.beside.items()} == pytest.approx({"states": 0, "perspective": 0})


def test_two_models_of_one_name_are_told_apart():
    runs = ask("gold", focal=True)
    others = [replace(each, fingerprint="other") for each in runs]
    labels = [each.label for each in measure([*runs, *others]).sittings]
    assert len(set(labels)) == 2
    assert all(label.startswith("gold (") for label in labels)


def test_what_was_asked_twice_counts_once():
    once = ask("gold", focal=True)
    again = [replace(each, id=f"{each.id}2", records=each.records[:20]) for each in once]
    (model,) = measure([*once, *again]).models
    assert model.chains["all"].proper.n == model.cells["cot"]["all"].right.n == 136


def test_runs_of_something_else_are_refused(sally_anne):
    from otherminds.heuristics.readers import oracle
    from otherminds.minds.questions import quiz

    suite = quiz(sally_anne)
    with pytest.raises(UsageError, match="none of these runs has answers to perturbed tasks"):
        measure([run(suite, oracle(suite))])


# ---- challenging classes ------------------------------------------------------------------------------------------


def effects(**values: float) -> dict[str, Difference]:
    return {name: Difference(value, value, value, 14, 7, "", 1.0) for name, value in values.items()}


ONE = effects(
    transparent_container=-0.5,
    preposition_replacement=-0.4,
    uninformative_label=-0.3,
    late_label=-0.2,
    non_protagonist_belief=-0.1,
    automatic_change_knowledge=-0.1,
    add_unrelated_information=-0.05,
    induction_from_baseline=0.2,
)
OTHER = effects(transparent_container=-0.1, late_label=-0.2, induction_from_baseline=-0.3)


def test_the_five_most_degrading_and_all_that_tie_with_the_fifth():
    assert challenging([ONE]) == CLASSES[1:7]


def test_a_class_must_be_hard_for_two_models_in_three():
    assert challenging([ONE, OTHER]) == ("transparent_container", "late_label")
    assert challenging([ONE, OTHER, OTHER]) == ("transparent_container", "late_label", "induction_from_baseline")
    assert challenging([ONE, ONE, OTHER]) == CLASSES[1:7]


def test_what_does_not_degrade_is_not_challenging():
    assert challenging([effects(late_label=0.0, transparent_container=0.3)]) == ()
    assert challenging([{"late_label": None}]) == ()
    assert challenging([]) == ()


# ---- the way without its end --------------------------------------------------------------------------------------


def every_chain(sets, final, rule):
    for chain in product(*sets):
        steps = zip(pairwise(chain), pairwise(sets), strict=True)
        if chain[-1] in final and all(PATH_RULES[rule](a, b, before, now) for (a, b), (before, now) in steps):
            yield chain


def runs_of(chain):
    return [(state, len(list(block))) for state, block in groupby(chain)]


def test_the_way_agrees_with_a_list_of_all_chains():
    dice = random.Random(5)
    met = set()
    for _ in range(2000):
        rule = dice.choice(list(PATH_RULES))
        sets = [dice.sample("abu", dice.choice([1, 1, 2])) for _ in range(dice.randint(1, 6))]
        final = dice.sample(sets[-1], dice.randint(1, len(sets[-1])))
        chains = list(every_chain(sets, final, rule))
        # Mostly pieces of right chains, so that some are right.
        source = dice.choice(chains) if chains and dice.random() < 0.8 else dice.choices("abu", k=4)
        said = tuple(state for state in source if dice.random() < 0.8)
        way = runs_of(said)[:-1]
        expected = bool(said) and any(
            len(way) == len(gold) and all(a == b and k <= n for (a, k), (b, n) in zip(way, gold, strict=True))
            for gold in (runs_of(chain)[:-1] for chain in chains)
        )
        item = Item("i", "?", "a", meta={"gold": sets, "final": final, "path_rule": rule})
        assert way_is_right(item, said) is expected, (sets, final, rule, said)
        met.add((expected, bool(way)))
    assert len(met) == 4


def test_placebo_reads_the_wording_that_asks_for_states():
    # The placebo model tells the styles apart by this text, so it must be in one of them alone.
    for style, there in (("vanilla", False), ("cot", True)):
        suite = suite_of(style, focal=True)
        model = agents.placebo(suite)
        run(suite, model)
        assert {SHAPES["states"] in prompt.messages[-1].content for prompt in model.history} == {there}
