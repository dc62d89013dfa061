"""Generated items: labels that a second program works out too, and twins that no simple reading tells apart."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.minds.events import Enter, Leave, Move, Tell
from otherminds.minds.story import Story
from otherminds.minds.world import Fact
from otherminds.studies.safety.plots import deceived, deceivers, names_and_scenes
from otherminds.studies.safety.plots.build import GENERATORS, generate
from otherminds.studies.safety.plots.deceivers import BeliefGoal, achieved, best
from otherminds.studies.safety.plots.nested import simpler
from tests.safety_labels import compare, held, label

LOADED = {"lie", "lies", "lied", "trick", "cheat", "deceive", "deceives", "fool", "scheme"}


def groups(items: list[Item]) -> dict[str, list[Item]]:
    found = defaultdict(list)
    for item in items:
        found[str(item.tags["twin"])].append(item)
    return found


@pytest.mark.parametrize("seed", [0, 11])
@pytest.mark.parametrize("task", GENERATORS)
def test_labels_follow_from_the_written_file(task: str, seed: int, tmp_path: Path) -> None:
    Suite(task, tuple(generate(task, number=52, seed=seed))).save(tmp_path / "items.jsonl")
    tally = compare(tmp_path / "items.jsonl")
    assert tally.items[task] >= 48
    assert tally.differences == []


def test_the_second_program_does_not_take_the_label_as_given() -> None:
    item = generate("FB/SA", number=4)[0]
    (other,) = set(item.choices) - {item.answer}
    assert label(item) == item.answer != other


@pytest.mark.parametrize("task", GENERATORS)
def test_twins_share_their_options_and_each_is_right_in_half(task: str) -> None:
    for twins in groups(generate(task, number=60)).values():
        assert len({frozenset(twin.choices) for twin in twins}) == 1
        assert set(Counter(twin.answer for twin in twins).values()) == {len(twins) / 2}
        assert len({twin.choices for twin in twins}) == 1  # in one order, so that no letter is right more often


@pytest.mark.parametrize("task", GENERATORS)
def test_the_same_seed_gives_the_same_items_and_more_leave_the_first_as_they_are(task: str) -> None:
    few = generate(task, number=12, seed=3)
    assert generate(task, number=24, seed=3)[: len(few)] == few
    assert {item.context for item in generate(task, number=12, seed=4)}.isdisjoint(item.context for item in few)


def test_what_cannot_be_generated_is_refused() -> None:
    with pytest.raises(UsageError, match="no items are generated for 'MA/IR'; they are for TB, FB/SA"):
        generate("MA/IR", number=10)
    with pytest.raises(UsageError, match="3 items of FB/SA are too few: a group of twins has 4"):
        generate("FB/SA", number=3)


def test_every_wording_has_six_forms_or_more() -> None:
    forms = [*names_and_scenes.WORDING.values(), deceived.TRUST]
    assert len(forms) == 15
    assert min(len(set(each)) for each in forms) >= 6


def test_names_cannot_be_mistaken_for_one_another() -> None:
    scenes = [*names_and_scenes.SCENES, *(scene for family in deceivers.FAMILIES.values() for scene in family.scenes)]
    for scene in scenes:
        names = [scene.room, *scene.containers, *scene.things]
        assert len(set(names)) == len(names)
        assert len(scene.containers) >= 3
        for name in scene.containers:
            assert not any(f" {name} " in f" {other} " for other in names if other != name)
            assert not any(name in filler.lower().rstrip(".").split() for filler in names_and_scenes.FILLERS)


# ---- each task ------------------------------------------------------------------------------------------------------


def test_reading_is_asked_about_the_scripts_of_false_belief() -> None:
    scripts_of_belief = {item.context for item in generate("FB/SA", number=24)}
    asked = generate("TB", number=24)
    assert {item.context for item in asked} < scripts_of_belief
    assert {item.tags["story"] for item in asked} == {item.tags["story"] for item in generate("FB/SA", number=24)}


def test_nested_twins_agree_in_every_simpler_reading_and_these_do_not_all_agree() -> None:
    orders = Counter()
    for one, other in groups(generate("FB/HO", number=48)).values():
        orders[one.tags["order"]] += 1
        values = [
            [held(twin.meta["events"], twin.meta["premises"], list(chain), twin.meta["about"]) for twin in (one, other)]
            for chain in simpler(tuple(one.meta["minds"]))
        ]
        assert all(first == second for first, second in values)
        assert len({first for first, _ in values}) == 2
    assert orders == {2: 8, 3: 8, 4: 8}


def test_a_deceived_person_goes_by_what_was_said_unless_it_is_not_believed_or_was_seen_through() -> None:
    for item in generate("FB/D/V", number=40):
        kind = item.tags["twin_kind"]
        assert (item.answer == item.meta["said"]) is (kind in ("lie", "honest"))
        assert item.tags["false_belief"] is (kind in ("lie", "honest-distrusts"))
        assert ("distrust" in str(kind)) is bool(item.meta["premises"]["distrust"])


def test_a_deceiver_has_all_six_reasons_and_no_loaded_words() -> None:
    items = generate("FB/D/A", number=150)
    assert len(items) == 150
    assert {item.tags["family"] for item in items} == set(deceivers.FAMILIES)
    assert {item.tags["choice"] for item in items} == {"say", "put", "conceal"}
    assert any(name in item.context for item in items for name in deceivers.PROGRAMS)
    for item in items:
        assert LOADED.isdisjoint(f"{item.question} {' '.join(item.choices)}".lower().split())


@pytest.mark.parametrize(
    ("flip", "changes"), [("goal-flip", True), ("knowledge-flip", True), ("both-flips", False), ("access-flip", True)]
)
def test_what_flips_the_best_act(flip: str, changes: bool) -> None:
    pairs = 0
    for twins in groups(generate("FB/D/A", number=150)).values():
        by_kind = {twin.tags["twin_kind"]: twin.answer for twin in twins}
        if flip in by_kind:
            assert (by_kind[flip] != by_kind["focal"]) is changes
            pairs += 1
    assert pairs > 10


def test_an_aim_is_told_by_belief_and_not_by_outcome() -> None:
    items = generate("FB/D/CA", number=160)
    assert Counter(item.tags["act"] for item in items) == {"word": 80, "action": 80}
    judged = [item for item in items if "outcome" in item.meta]
    assert sum(item.meta["outcome"] == item.answer for item in judged) == len(judged) / 2
    for item in judged:
        mistaken = str(item.tags["twin_kind"]).startswith("mistaken")
        assert (item.meta["outcome"] != item.answer) is mistaken


# ---- the planner ----------------------------------------------------------------------------------------------------


def told(place: str) -> Tell:
    return Tell("Anne", "Sally", fact=Fact("marble", "container", place))


def anne_hides() -> Story:
    return Story.of(Enter("Anne", "den"), Enter("Bob", "den"), Move("Anne", "marble", "box"), Leave("Anne", "den"))


@pytest.mark.parametrize(("right", "place"), [(True, "box"), (False, "basket")])
def test_the_planner_says_what_serves_the_goal(right: bool, place: str) -> None:
    goal = BeliefGoal("Anne", "Sally", "marble", "container", right)
    assert best(anne_hides(), goal, [told("box"), told("basket")]) == told(place)


def test_the_planner_goes_by_the_belief_of_the_actor() -> None:
    moved = anne_hides().then(Move("Bob", "marble", "basket"))  # Anne is away and has the box still
    goal = BeliefGoal("Anne", "Sally", "marble", "container", False)
    assert best(moved, goal, [told("box"), told("basket")]) == told("basket")


def test_no_act_or_more_than_one_is_no_best_act() -> None:
    goal = BeliefGoal("Anne", "Sally", "marble", "container", False)
    assert best(anne_hides(), goal, [told("box")]) is None
    assert best(anne_hides(), goal, [told("basket"), told("tin")]) is None
    assert not achieved(anne_hides(), goal)  # nobody can say what Sally believes


def test_an_act_that_cannot_happen_is_not_chosen() -> None:
    goal = BeliefGoal("Anne", "Bob", "marble", "container", True)
    assert best(anne_hides(), goal, [Tell("Anne", "Bob", fact=Fact("marble", "container", "box"))]) is None  # no news
