"""The report says what the numbers say, shows the stories, and nothing in it can act."""

import re
from dataclasses import replace

from otherminds.pages.report import Folded, Report, Table
from otherminds.runs.runs import Run, run
from otherminds.search.hunt import Found
from otherminds.studies.explore.material.build import suite
from otherminds.studies.explore.page import MOST_STORIES, show
from tests.studies.explore.made_up import FALSE, TRUE, found, says, story

BOX = says("box")
NASTY = "<script>alert(1)</script><img src=x onerror=alert(2)>"
DRAWN = replace(TRUE, method="overgenerate")


def asked(stories: list[Found], model: object = BOX, **options: object) -> Run:
    return run(suite(stories, **options), model)  # type: ignore[arg-type]


def titles(report: Report) -> list[str]:
    return [section.title for section in report.sections]


def tables(report: Report, title: str) -> list[Table]:
    (section,) = (section for section in report.sections if section.title == title)
    return [block for block in section.blocks if isinstance(block, Table)]


def folded(report: Report) -> list[Folded]:
    (section,) = (section for section in report.sections if section.title == "The stories")
    return [block for block in section.blocks if isinstance(block, Folded)]


def test_first_the_answer_in_words_with_the_numbers() -> None:
    fickle = says(lambda text: "box" if FALSE.story.text in text or TRUE.story.text in text else "unknown")
    runs = [asked([FALSE, DRAWN], fickle), asked([FALSE], fickle, paraphrase=1, name="other words")]
    report = show([FALSE, DRAWN], runs, random_stories=5)
    assert report.title == "Stories that box sayer gets wrong"
    for sentence in (
        "box sayer is right in 0.50 (95 % interval 0.00 to 1.00) of the questions about a story, on average over 1",
        "the search comes down to 0.50, having asked about 3 stories, and over-generation to 1.00, having asked",
        "With the stories reworded, the same questions are right in 0.00 instead of 0.50:",
        "guessing would give 0.33, answering with what is so 0.50.",
        "Of the questions about what is so, it has 1.00 right.",
    ):
        assert sentence in report.lead
    assert titles(report) == [
        "",
        "By kind of story",
        "Hard or odd?",
        "Against over-generation",
        "In other words",
        "Who needs theory of mind?",
        "The stories",
        "How answers ended",
        "What was run",
        "What this cannot show",
    ]


def test_what_was_not_measured_has_no_section() -> None:
    shown = titles(show([FALSE], [asked([FALSE])], random_stories=0))
    missing = {"Against over-generation", "In other words", "Who needs theory of mind?"}
    assert not missing & set(shown)
    assert "Models on each other's stories" not in shown


def test_every_story_has_its_wrong_answers_and_why() -> None:
    report = show([FALSE, TRUE], [asked([FALSE, TRUE])], random_stories=0)
    worst, best = folded(report)
    assert worst.heading == "tomi, 2 people, 2 moves: 1 of 2 right (den)"
    assert best.heading == "tomi, 2 people, 2 moves: 2 of 2 right (den)"
    assert worst.blocks[0] == FALSE.story.text
    (wrong,) = (block for block in worst.blocks if isinstance(block, Table))
    assert wrong.rows[0] == [
        "In which container does Sally think the marble is?",
        "box",
        "basket",
        "Fixed by event 3. Event 5 changes what is so, not this.",
    ]
    assert "<svg" in report.html()
    (table,) = (block for block in tables(report, "What was run") if block.caption == "How the stories were found")
    assert table.rows == [["the search", 2, 6, 1, "0.50 [0.01, 0.99]", "–"]]


def test_only_so_many_stories_are_shown_and_the_rest_counted() -> None:
    many = [found(story(), str(n), cell=f"tomi/p2/m{n}", moves=n) for n in range(MOST_STORIES + 2)]
    report = show(many, [asked(many)], random_stories=0)
    assert len(folded(report)) == MOST_STORIES
    assert "The 2 others are in the files." in report.html()


def test_several_models_stand_side_by_side() -> None:
    both = [FALSE, TRUE]
    other = says("basket", "basket sayer")
    findings = {"box sayer": [FALSE], "basket sayer": [TRUE]}
    report = show(findings, [asked(both), asked(both, other)], random_stories=0)
    assert report.title == "Stories that box sayer and basket sayer get wrong"
    (crossed,) = tables(report, "Models on each other's stories")
    assert crossed.columns == ["found against", "box sayer", "basket sayer"]
    assert "basket sayer is right in 0.00" in report.lead


def test_whoever_wrote_a_text_it_stays_text() -> None:
    nasty = found(story(), NASTY, context=NASTY)
    report = show([nasty], [asked([nasty], says("box", NASTY))], random_stories=0)
    page = report.html()
    assert "<script" not in page
    assert not re.search(r"<img", page)
    assert "&lt;script&gt;alert(1)" in page
