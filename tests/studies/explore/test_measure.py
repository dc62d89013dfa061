"""Numbers about found stories, against what can be worked out by hand.

Whoever always says "box" is right about Anne and wrong about Sally in the story with the false belief, and right about
both in the other.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.minds.events import Enter, Leave, Move
from otherminds.runs.runs import Run, run
from otherminds.stats import Estimate
from otherminds.stories.sets import ASYMMETRIC
from otherminds.studies.explore import measure as measuring
from otherminds.studies.explore.build import suite
from otherminds.studies.explore.measure import SIMPLER, SPLITS, measure
from otherminds.studies.explore.search.hunt import Found
from otherminds.studies.explore.sittings import HARDEST, hardest
from tests.studies.explore.made_up import FALSE, TRUE, found, says, story

BOX = says("box")


def asked(stories: Sequence[Found], model: object = BOX, **options: object) -> Run:
    return run(suite(stories, **options), model)  # type: ignore[arg-type]


def value(estimate: Estimate | None) -> tuple[float, int] | None:
    return None if estimate is None else (round(estimate.value, 6), estimate.n)


def test_a_story_counts_once_whatever_its_questions() -> None:
    numbers = measure([FALSE, TRUE], [asked([FALSE, TRUE])])
    assert numbers.overall == (stats.mean([0.5, 1.0]),)
    assert numbers.when_found == (stats.mean([0.5, 0.5]),)
    assert numbers.guess == pytest.approx(1 / 3)  # basket, box, unknown
    assert numbers.method == "search"


def test_sets_people_and_moves() -> None:
    secret = replace(TRUE, set="tomi" + ASYMMETRIC, people=3, moves=4, cell="tomi+asymmetric/p3/m4")
    numbers = measure([FALSE, secret], [asked([FALSE, secret])])
    assert [(name, *map(value, row)) for name, row in numbers.sets] == [("tomi", (0.5, 1), (1.0, 1))]
    assert [(name, *map(value, row)) for name, row in numbers.people] == [
        ("2 people", (0.5, 1)),
        ("3 people", (1.0, 1)),
    ]
    assert [name for name, _ in numbers.moves] == ["2 moves", "4 moves"]


def test_only_the_hardest_of_a_setting_count() -> None:
    many = [found(story(), str(number), accuracy=number / 100) for number in range(HARDEST + 3)]
    elsewhere = found(story(), "other", cell="tomi/p2/m3", accuracy=1.0)
    kept = hardest([*reversed(many), elsewhere])
    assert sorted(each.id for each in kept) == sorted([*map(str, range(HARDEST)), "other"])


def test_rules_without_a_mind_stand_beside_the_model() -> None:
    rows = dict(measure([FALSE], [asked([FALSE])]).beside)
    table = {name: dict(zip(SPLITS, map(value, row), strict=True)) for name, row in rows.items()}
    assert list(table) == ["box sayer", "oracle", "realist", "last mention", "first-order reader"]
    assert {cell[0] for cell in table["oracle"].values() if cell} == {1.0}
    # Sally's false belief, and twice that one of them thinks that the other thinks "basket".
    assert table["realist"]["order 1"] == (0.5, 1)
    assert table["realist"]["order 2"] == (0.0, 1)
    assert table["realist"]["false belief"] == (0.0, 1)
    assert table["first-order reader"]["order 1"] == (1.0, 1)
    assert table["first-order reader"]["order 2"] == (0.5, 1)  # Sally does not know that Anne thinks "box"
    assert table["realist"]["not known"] is None


def test_wrong_answers_are_told_by_what_they_are_like() -> None:
    ((label, shares),) = measure([FALSE], [asked([FALSE])]).wrong
    assert label == "box sayer"
    # Wrong about Sally, and about both second-order questions: each time what is so; once what the last mind thinks.
    assert dict(zip(SIMPLER, map(value, shares), strict=True)) == {
        "what is so": (1.0, 3),
        "what the last mind thinks": (1.0, 1),
        "unknown": (0.0, 3),
    }


def test_search_against_over_generation() -> None:
    drawn = replace(TRUE, method="overgenerate")
    apart = found(story(Leave("Anne", "den")), "three", cell="tomi/p3/m2")
    alike = replace(apart, method="overgenerate", id="four")
    unmatched = found(story(Enter("Sally", "den")), "five", cell="tomi/p4/m2")
    stories = [FALSE, drawn, apart, alike, unmatched]
    ((label, (contest,)),) = measure(stories, [asked(stories)]).contests
    assert label == "box sayer"
    assert value(contest.accuracy.first) == (0.5, 2)
    assert value(contest.accuracy.second) == (0.75, 2)
    assert value(contest.accuracy.difference) == (-0.25, 2)
    assert value(contest.length.difference) == (0.5, 2)  # 5 events against 4, and 6 against 6
    assert (contest.harder, contest.alike, contest.easier) == (1, 1, 0)


def test_contests_of_single_sets_have_adjusted_p() -> None:
    other = replace(FALSE, set="clear", cell="clear/p2/m2", id="three")
    pairs = [FALSE, replace(TRUE, method="overgenerate")]
    pairs += [other, replace(TRUE, method="overgenerate", set="clear", cell="clear/p2/m2", id="four")]
    ((_, contests),) = measure(pairs, [asked(pairs)]).contests
    assert [contest.accuracy.label for contest in contests] == ["all settings", "tomi", "clear"]
    assert [contest.accuracy.difference.p for contest in contests] == [0.5, 1.0, 1.0]


def test_two_tellings_are_paired_question_by_question() -> None:
    fickle = says(lambda text: "box" if FALSE.story.text in text else "unknown")
    runs = [asked([FALSE], fickle), asked([FALSE], fickle, paraphrase=1, name="other words")]
    numbers = measure([FALSE], runs)
    (pair,) = numbers.told
    assert pair.label == "box sayer, other words"
    assert (value(pair.first), value(pair.second), value(pair.difference)) == ((0.5, 1), (0.0, 1), (0.5, 1))
    assert len(numbers.sittings) == 1
    with pytest.raises(UsageError, match="canonical words"):
        measure([FALSE], runs[1:])


def test_questions_that_need_theory_of_mind_within_a_story() -> None:
    spoon = Move("Anne", "spoon", "tray")  # Sally never hears of it, so both questions about it are interesting
    seen = found(story(Enter("Sally", "den"), Move("Anne", "knob", "tray")))  # both see it
    numbers = measure([seen], [asked([seen], says(lambda text: "tray" if "knob is" in text else "box"))])
    (pair,) = numbers.interesting
    assert (value(pair.first), value(pair.second)) == ((0.5, 1), (1.0, 1))
    unseen = found(story(spoon))
    assert measure([unseen], [asked([unseen])]).interesting == ()


def test_models_on_each_others_stories(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = {"box sayer": [FALSE], "basket sayer": [TRUE]}
    both = [FALSE, TRUE]
    runs = [asked(both), asked(both, says("basket", "basket sayer"))]
    numbers = measure(findings, runs)
    assert numbers.crossed is not None
    assert numbers.crossed.readers == ("box sayer", "basket sayer")
    assert [(name, *map(value, row)) for name, row in numbers.crossed.rows] == [
        ("box sayer, order 1", (0.5, 2), (0.5, 2)),
        ("box sayer, order 2", (0.0, 2), (1.0, 2)),
        ("basket sayer, order 1", (1.0, 2), (0.0, 2)),
        ("basket sayer, order 2", (1.0, 2), (0.0, 2)),
    ]
    # Everything else is about each model on the stories found against it.
    assert list(map(value, numbers.overall)) == [(0.5, 1), (0.0, 1)]
    monkeypatch.setattr(measuring, "DRAWN", 1)
    drawn = measure(findings, runs).crossed
    assert drawn is not None
    # One question, the same for both: one of them is right.
    assert sorted(estimate.value for estimate in drawn.rows[0][1] if estimate) == [0.0, 1.0]


def test_what_could_not_be_scored_is_in_no_mean() -> None:
    shy = says(lambda text: "who knows" if "does Sally think the" in text else "box")
    assert list(map(value, measure([FALSE], [asked([FALSE], shy)]).overall)) == [(1.0, 1)]


def test_a_story_that_both_methods_found_counts_for_both() -> None:
    twice = [FALSE, replace(FALSE, method="overgenerate", id="two")]
    ((_, (contest,)),) = measure(twice, [asked(twice)]).contests
    assert contest.alike == 1


def test_several_ways_of_asking_one_model_are_told_apart() -> None:
    made = suite([FALSE])
    cot = run(made.using(prompt="cot"), BOX)
    labels = [sitting.label for sitting in measure([FALSE], [run(made, BOX), cot]).sittings]
    assert labels == ["box sayer, text (direct)", "box sayer, text (cot)"]


def test_runs_about_other_stories_are_refused() -> None:
    with pytest.raises(UsageError, match="none of these runs has a scored answer about these stories"):
        measure([found(story(Enter("Sally", "den")))], [asked([FALSE])])


def test_the_same_events_in_another_setting_are_another_story_to_retell() -> None:
    other = replace(FALSE, moves=3, cell="tomi/p2/m3", id="other")
    runs = [asked([FALSE, other]), asked([other], paraphrase=2)]
    (pair,) = measure([FALSE, other], runs).told
    assert pair.difference.n == 1


def test_stories_that_two_searches_found_are_no_second_sitting() -> None:
    findings = {"box sayer": [FALSE, TRUE], "basket sayer": [FALSE]}
    own, theirs = asked([FALSE, TRUE]), asked([FALSE], name="stories of basket sayer")
    other = asked([FALSE], says("basket", "basket sayer"))
    for runs in ([own, theirs, other], [theirs, own, other]):
        numbers = measure(findings, runs)
        assert [sitting.label for sitting in numbers.sittings] == ["box sayer", "basket sayer"]
        assert numbers.sittings[0].run.id == own.id
    # With the choices in another order the same questions are others.
    again = run(suite([FALSE, TRUE]), BOX, seed=1)
    assert len(measure(findings, [own, again, other]).sittings) == 3


def test_only_searched_stories_are_crossed() -> None:
    drawn = replace(TRUE, method="random")
    findings = {"box sayer": [FALSE, drawn], "basket sayer": [replace(TRUE, method="learn")]}
    runs = [asked([FALSE, TRUE]), asked([FALSE, TRUE], says("basket", "basket sayer"))]
    crossed = measure(findings, runs).crossed
    assert crossed is not None
    # Whichever search it was: two questions of the one story each, none of the drawn one.
    assert [(name, row[0] and row[0].n) for name, row in crossed.rows if "order 1" in name] == [
        ("box sayer, order 1", 2),
        ("basket sayer, order 1", 2),
    ]
    only_drawn = {name: [replace(each, method="random") for each in some] for name, some in findings.items()}
    assert measure(only_drawn, runs).crossed is None
