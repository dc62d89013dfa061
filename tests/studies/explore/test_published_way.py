"""Open questions: what they show and hide, and two marks for one answer."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.minds.questions import UNKNOWN
from otherminds.runs.runs import run
from otherminds.studies.explore.material.build import open_suite, suite
from otherminds.studies.explore.material.folders import save
from otherminds.studies.explore.material.measure import measure
from otherminds.studies.explore.page import OPEN, show
from tests.studies.explore.made_up import FALSE, TRUE, found, says, story

BOTH = [FALSE, TRUE]
DRAWN = replace(FALSE, method="random", id="drawn")


def test_options_are_neither_shown_nor_lost() -> None:
    made = open_suite(BOTH)
    shown = {item.question: item for item in suite(BOTH, order=1) if item.context == FALSE.story.text}
    for item in made:
        assert item.tags["order"] == 1
        assert not item.choices
        if item.context == FALSE.story.text:
            assert item.meta["possible"] == list(shown[item.question].choices)
    posed: list[str] = []
    run(made, says(lambda text: posed.append(text) or "box"))  # type: ignore[func-returns-value]
    assert len(posed) == len(made)
    assert not any("A)" in text or "A." in text or UNKNOWN in text for text in posed)


def test_whoever_does_not_know_has_no_question() -> None:
    away = found(story(away=True), set="tomi")
    assert all(item.answer != UNKNOWN for item in open_suite([away]))
    with pytest.raises(UsageError, match="nothing to ask"):
        open_suite([])


@pytest.mark.parametrize(
    ("said", "named", "contained"),
    [
        ("The box.", 0.5, 0.5),  # right about Anne, wrong about Sally
        ("A box", 0.5, 0.5),
        ("Not the box, and not the basket", None, 1.0),
        ("The basket and then the box", None, 1.0),
        ("In the cupboard", None, 0.0),
    ],
)
def test_two_marks_for_one_answer(said: str, named: float | None, contained: float) -> None:
    model = says(said)
    rows = measure([FALSE], [run(suite([FALSE]), says("box")), run(open_suite([FALSE]), says(said))]).own
    both = rows.where(lambda row: "published" in row.detail)
    assert set(both.get("model")) == {model.name} == {"box sayer"}
    assert (len(both), [row.detail["named"] is None for row in both]) == (2, [named is None] * 2)
    options, read, published = (column.measure(both) for column in OPEN)
    assert options.value == 0.5
    assert (None if read is None else read.value, published.value) == (named, contained)


def test_open_answers_are_in_no_other_number_and_drawn_stories_not_in_the_table() -> None:
    closed = run(suite([FALSE, DRAWN]), says("box"))
    openly = run(open_suite([FALSE, DRAWN]), says("box"))
    alone, beside = (measure([FALSE, DRAWN], some).own for some in ([closed], [closed, openly]))
    assert [(row.item, row.value) for row in alone] == [(row.item, row.value) for row in beside]
    page = show([FALSE, DRAWN], [closed, openly], random_stories=0).html()
    assert "Of 2 open answers" in page  # Sally and Anne in the story of the search; the drawn one is the same text
    assert "Without options" in page
    others = show([FALSE], [closed, run(open_suite([FALSE]), says("box", "another"))], random_stories=0)
    assert "Without options" not in others.html()


def test_from_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save("out", BOTH, searched={})
    build = ("build", "explore", "out", "--open", "-o", "open.jsonl")
    done = CliRunner().invoke(cli, build, prog_name="otherminds")
    assert done.exit_code == 0, done.output
    assert [item.question for item in Suite.load("open.jsonl")] == [item.question for item in open_suite(BOTH)]
    refused = CliRunner().invoke(cli, [*build, "--balance", "answer"], prog_name="otherminds")
    assert (refused.exit_code, "leave out --prose" in refused.output) == (2, True)
