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
from otherminds.pages.report import Cell, Table
from otherminds.results.answers import Answers
from otherminds.runs.runs import Run, run
from otherminds.search.hunt import Found
from otherminds.stats import Estimate
from otherminds.stories.sets import ASYMMETRIC
from otherminds.studies.explore.material import measure as measuring
from otherminds.studies.explore.material.build import suite
from otherminds.studies.explore.material.measure import (
    HARDEST,
    SIMPLER,
    Findings,
    contests,
    found_of,
    hardest,
    like,
    measure,
    question_mean,
    story_mean,
)
from otherminds.studies.explore.page import QUESTIONS, show
from tests.studies.explore.made_up import FALSE, TRUE, found, says, story

BOX = says("box")


def asked(stories: Sequence[Found], model: object = BOX, **options: object) -> Run:
    return run(suite(stories, **options), model)  # type: ignore[arg-type]


def value(estimate: Estimate | None) -> tuple[float, int] | None:
    return None if estimate is None else (round(estimate.value, 6), estimate.n)


def chosen(known: Findings | Sequence[Found], runs: Sequence[Run]) -> Answers:
    """The searched questions about the stories that most numbers are about."""
    return measure(known, runs).chosen


def means(answers: Answers) -> list[tuple[float, int] | None]:
    return [value(story_mean(some)) for some in answers.by("model").values()]


def rows(answers: Answers, name: str) -> list[tuple[str, tuple[float, int] | None]]:
    return [(tag, value(question_mean(some))) for tag, some in answers.by(name).items()]


def test_a_story_counts_once_whatever_its_questions() -> None:
    told = measure([FALSE, TRUE], [asked([FALSE, TRUE])])
    assert story_mean(told.chosen) == stats.mean([0.5, 1.0])
    assert story_mean(told.chosen, lambda row: found_of(row).accuracy) == stats.mean([0.5, 0.5])
    assert told.chance == pytest.approx(1 / 3)  # basket, box, unknown
    assert told.method == "search"


def test_sets_people_and_moves() -> None:
    secret = replace(TRUE, set="tomi" + ASYMMETRIC, people=3, moves=4, cell="tomi+asymmetric/p3/m4")
    runs = [asked([FALSE, secret])]
    answers = chosen([FALSE, secret], runs)
    assert {name: means(some) for name, some in answers.by("events").items()} == {"tomi": [(0.75, 2)]}
    assert {name: means(some) for name, some in answers.by("asymmetric").items()} == {
        False: [(0.5, 1)],
        True: [(1.0, 1)],
    }
    assert {name: means(some) for name, some in answers.by("people").items()} == {2: [(0.5, 1)], 3: [(1.0, 1)]}
    page = show([FALSE, secret], runs, random_stories=0)
    (table,) = (block for block in page.sections[1].blocks if isinstance(block, Table))
    assert table.columns == ["set of events", "plain", "asymmetric"]
    assert table.rows == [["tomi", stats.mean([0.5]), stats.mean([1.0])]]
    assert "2 moves" in page.html()
    assert "4 moves" in page.html()


def test_only_the_hardest_of_a_setting_count() -> None:
    many = [found(story(), str(number), accuracy=number / 100) for number in range(HARDEST + 3)]
    elsewhere = found(story(), "other", cell="tomi/p2/m3", accuracy=1.0)
    kept = hardest([*reversed(many), elsewhere])
    assert sorted(each.id for each in kept) == sorted([*map(str, range(HARDEST)), "other"])


def test_rules_without_a_mind_stand_beside_the_model() -> None:
    both = measure([FALSE], [asked([FALSE])]).table
    table = {
        name.removeprefix("baseline:"): {each.label: value(story_mean(each.of(some))) for each in QUESTIONS}
        for name, some in both.by("model").items()
    }
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
    answers = measure([FALSE], [asked([FALSE])]).own
    # Wrong about Sally, and about both second-order questions: each time what is so; once what the last mind thinks.
    assert {name: value(like(simpler)(answers)) for name, simpler in SIMPLER.items()} == {
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
    answers = measure(stories, [asked(stories)]).own
    assert list(contests(answers)) == ["all settings"]
    assert list(map(value, contests(answers)["all settings"])) == [(0.5, 2), (0.75, 2), (-0.25, 2)]
    _, _, length = contests(answers, "events in a story")["all settings"]
    assert value(length) == (0.5, 2)  # 5 events against 4, and 6 against 6
    page = show(stories, [asked(stories)], random_stories=0).html()
    assert all(f"{name}: 1" in page for name in ("search harder", "alike"))
    assert "over-generation harder: 1" not in page


def test_contests_of_single_sets_have_adjusted_p() -> None:
    other = replace(FALSE, set="clear", cell="clear/p2/m2", id="three")
    pairs = [FALSE, replace(TRUE, method="overgenerate")]
    pairs += [other, replace(TRUE, method="overgenerate", set="clear", cell="clear/p2/m2", id="four")]
    fought = contests(measure(pairs, [asked(pairs)]).own)
    assert {name: gap.p for name, (_, _, gap) in fought.items()} == {"all settings": 0.5, "tomi": 1.0, "clear": 1.0}


def test_two_tellings_are_paired_question_by_question() -> None:
    fickle = says(lambda text: "box" if FALSE.story.text in text else "unknown")
    runs = [asked([FALSE], fickle), asked([FALSE], fickle, paraphrase=1, name="other words")]
    ((name, pair),) = measure([FALSE], runs).retold.items()
    assert name == "box sayer, other words"
    assert list(map(value, pair)) == [(0.5, 1), (0.0, 1), (0.5, 1)]
    with pytest.raises(UsageError, match="canonical words"):
        measure([FALSE], runs[1:])


def needs(stories: Sequence[Found], runs: Sequence[Run]) -> list[list[Cell]]:
    page = show(stories, runs, random_stories=0)
    sections = [section for section in page.sections if section.title == "Who needs theory of mind?"]
    return [list(row) for one in sections for block in one.blocks if isinstance(block, Table) for row in block.rows]


def test_questions_that_need_theory_of_mind_within_a_story() -> None:
    spoon = Move("Anne", "spoon", "tray")  # Sally never hears of it, so both questions about it are interesting
    seen = found(story(Enter("Sally", "den"), Move("Anne", "knob", "tray")))  # both see it
    runs = [asked([seen], says(lambda text: "tray" if "knob is" in text else "box"))]
    (row,) = needs([seen], runs)
    assert list(map(value, row[1:3])) == [(0.5, 1), (1.0, 1)]
    unseen = found(story(spoon))
    assert needs([unseen], [asked([unseen])]) == []


def test_models_on_each_others_stories(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = {"box sayer": [FALSE], "basket sayer": [TRUE]}
    both = [FALSE, TRUE]
    runs = [asked(both), asked(both, says("basket", "basket sayer"))]
    assert {name: rows(some, "against") for name, some in measure(findings, runs).crossed(0).by("model").items()} == {
        "box sayer": [
            ("box sayer, order 1", (0.5, 2)),
            ("box sayer, order 2", (0.0, 2)),
            ("basket sayer, order 1", (1.0, 2)),
            ("basket sayer, order 2", (1.0, 2)),
        ],
        "basket sayer": [
            ("box sayer, order 1", (0.5, 2)),
            ("box sayer, order 2", (1.0, 2)),
            ("basket sayer, order 1", (0.0, 2)),
            ("basket sayer, order 2", (0.0, 2)),
        ],
    }
    # Everything else is about each model on the stories found against it.
    assert means(chosen(findings, runs)) == [(0.5, 1), (0.0, 1)]
    monkeypatch.setattr(measuring, "DRAWN", 1)
    # One question, the same for both: one of them is right.
    first = measure(findings, runs).crossed(0).where(against="box sayer, order 1")
    assert sorted(row.value or 0 for row in first) == [0.0, 1.0]


def test_what_could_not_be_scored_is_in_no_mean() -> None:
    shy = says(lambda text: "who knows" if "does Sally think the" in text else "box")
    assert means(chosen([FALSE], [asked([FALSE], shy)])) == [(1.0, 1)]


def test_a_story_that_both_methods_found_counts_for_both() -> None:
    twice = [FALSE, replace(FALSE, method="overgenerate", id="two")]
    _, _, gap = contests(measure(twice, [asked(twice)]).own)["all settings"]
    assert value(gap) == (0.0, 1)


def test_several_ways_of_asking_one_model_are_told_apart() -> None:
    made = suite([FALSE])
    cot = run(made.using(prompt="cot"), BOX)
    labels = list(measure([FALSE], [run(made, BOX), cot]).own.by("model"))
    assert labels == ["box sayer, text (direct)", "box sayer, text (cot)"]


def test_runs_about_other_stories_are_refused() -> None:
    with pytest.raises(UsageError, match="none of these runs has a scored answer about these stories"):
        measure([found(story(Enter("Sally", "den")))], [asked([FALSE])])


def test_the_same_events_in_another_setting_are_another_story_to_retell() -> None:
    other = replace(FALSE, moves=3, cell="tomi/p2/m3", id="other")
    runs = [asked([FALSE, other]), asked([other], paraphrase=2)]
    ((_, _, gap),) = measure([FALSE, other], runs).retold.values()
    assert gap.n == 1


def test_stories_that_two_searches_found_are_no_second_sitting() -> None:
    findings = {"box sayer": [FALSE, TRUE], "basket sayer": [FALSE]}
    own, theirs = asked([FALSE, TRUE]), asked([FALSE], name="stories of basket sayer")
    other = asked([FALSE], says("basket", "basket sayer"))
    for runs in ([own, theirs, other], [theirs, own, other]):
        answers = measure(findings, runs).own
        assert {name: len(some) for name, some in answers.by("model").items()} == {
            "box sayer": len(own),
            "basket sayer": len(other),
        }
    # With the choices in another order the same questions are others.
    again = run(suite([FALSE, TRUE]), BOX, seed=1)
    labels = list(measure(findings, [own, again, other]).own.by("model"))
    assert labels == ["box sayer, seed 0", "box sayer, seed 1", "basket sayer"]


def test_only_searched_stories_are_crossed() -> None:
    drawn = replace(TRUE, method="random")
    findings = {"box sayer": [FALSE, drawn], "basket sayer": [replace(TRUE, method="learn")]}
    runs = [asked([FALSE, TRUE]), asked([FALSE, TRUE], says("basket", "basket sayer"))]
    # Whichever search it was: two questions of the one story each, none of the drawn one.
    one = measure(findings, runs).crossed(0).where(model="box sayer")
    assert {name: len(some) for name, some in one.by("against").items() if "order 1" in name} == {
        "box sayer, order 1": 2,
        "basket sayer, order 1": 2,
    }
    only_drawn = {name: [replace(each, method="random") for each in some] for name, some in findings.items()}
    page = show(only_drawn, runs, random_stories=0)
    assert "Models on each other's stories" not in [section.title for section in page.sections]


def test_models_on_each_others_stories_are_asked_the_same_beyond_the_hardest() -> None:
    many = [found(story(), str(number), accuracy=number / 100) for number in range(HARDEST + 3)]
    runs = [asked([FALSE, TRUE]), asked([FALSE, TRUE], says("basket", "basket sayer"))]
    crossed = measure({"box sayer": many, "basket sayer": [TRUE]}, runs).crossed(0)
    against = crossed.where(against="box sayer, order 1").by("model")
    assert {name: len(some) for name, some in against.items()} == dict.fromkeys(against, 2 * len(many))
