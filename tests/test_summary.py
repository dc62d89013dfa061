"""The plain report says what the runs say, and nothing in it can act."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from otherminds.baselines import oracle, realist
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.report import Example, Figure, Report, Table
from otherminds.runs import Budget, run
from otherminds.starter import starter
from otherminds.summary import EXAMPLES, summarise

SUITE = starter()
NASTY = "<script>alert(1)</script><img src=x onerror=alert(2)> [go](javascript:alert(3))"


def table(report: Report, caption: str) -> dict[str, list[str]]:
    """The rows of a table by their first cell, as they are printed."""
    (found,) = (
        block
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Table) and block.caption.startswith(caption)
    )
    return {"columns": list(found.columns[1:])} | {str(row[0]): [str(cell) for cell in row[1:]] for row in found.rows}


def test_letters_and_cloze_stand_side_by_side() -> None:
    model = realist(SUITE)
    report = summarise([run(SUITE, model), run(SUITE.using(score="cloze"), model)])
    right = table(report, "Share of right answers")
    assert right["columns"] == ["letters", "cloze"]
    assert right["false belief"] == ["0.00 [0.00, 0.14], n = 24"] * 2
    assert right["all twins right"] == ["0.00 [0.00, 0.14], n = 24"] * 2
    assert "Right for false belief and true belief: 0.00 and 1.00 by letters; 0.00 and 1.00 by cloze." in report.lead
    assert "Clearly above that: true belief by letters, true belief by cloze." in report.lead
    assert "Clearly below that: false belief by letters, false belief by cloze." in report.lead


def test_what_cannot_be_told_from_guessing_is_called_so() -> None:
    stubborn = Scripted(lambda _: "A", name="stubborn", weigh=lambda _: {"A": 0.6, "B": 0.2})
    report = summarise([run(SUITE, stubborn)])
    assert "Guessing would give 0.50. None of these can be told from guessing." in report.lead
    weighing = table(report, "What the weighing")
    assert weighing["columns"] == ["S", "S per token", "mass", "same in all orders", "bias to A"]
    assert weighing["letters"][0].startswith("0.500")
    assert float(weighing["letters"][2]) == pytest.approx(0.8)
    assert weighing["letters"][3:] == ["0.0", "+1.10"]


def test_baselines_stand_beside_the_model_without_doubles() -> None:
    beside = table(summarise([run(SUITE, realist(SUITE))]), "The model and the baselines")
    assert list(beside)[1:] == [
        "letters",
        "oracle",
        "realist",
        "decoy",
        "last mention",
        "longest option",
        "option only",
    ]
    assert beside["letters"] == beside["realist"]


def test_right_wrong_and_unclear_answers_can_be_looked_at() -> None:
    answers = iter(["A", "perhaps", "B"] * len(SUITE))
    model = Scripted(lambda _: next(answers), name="fickle")
    report = summarise([run(SUITE.using(score="text", prompt="direct"), model)])
    (section,) = (section for section in report.sections if section.title == "Answers to look at")
    examples = [block for block in section.blocks if isinstance(block, Example)]
    assert len(examples) == 3 * EXAMPLES
    asked = dict(examples[0].fields)["prompt, exactly"]
    assert "Reply with the letter of the right answer, and nothing else." in asked
    assert "Without a clear answer, and so not counted: 16 of 48 answers by text." in report.lead


def test_a_suite_without_choices() -> None:
    suite = Suite("free", (Item("a", "What is it?", "tea"), Item("b", "And that?", "salt")), score="text")
    report = summarise([run(suite, Scripted(lambda _: "tea", name="brewer"))])
    assert table(report, "Share of right answers")["all items"][0].startswith("0.50")
    assert "chance" not in report.html().lower().partition("how to read this")[0]


def test_several_models_suites_and_settings_are_told_apart() -> None:
    half = Suite("half", SUITE.items[:8])
    runs = [run(SUITE, oracle(SUITE)), run(SUITE, realist(SUITE)), run(SUITE, realist(SUITE, seed=1))]
    report = summarise([*runs, run(half, oracle(half))])
    columns = table(summarise(runs), "Share of right answers")["columns"]
    assert columns == ["oracle, letters", f"realist, letters, {runs[1].id}", f"realist, letters, {runs[2].id}"]
    assert [section.title for section in report.sections if section.title.startswith("Right")] == [
        "Right answers: starter",
        "Right answers: half",
    ]


def test_many_runs_are_spread_over_plots() -> None:
    runs = [run(SUITE, realist(SUITE, seed=seed)) for seed in range(5)]
    (right,) = (section for section in summarise(runs).sections if section.title == "Right answers")
    assert sum(isinstance(block, Figure) for block in right.blocks) == 2


def test_the_same_run_twice_is_shown_once() -> None:
    found = run(SUITE, oracle(SUITE))
    assert summarise([found, found]) == summarise([found])


def test_a_part_is_called_a_part() -> None:
    part = run(SUITE, oracle(SUITE), budget=Budget(calls=10))
    assert part.partial
    assert "Not every run is finished." in summarise([part]).lead


def test_nothing_to_report() -> None:
    with pytest.raises(UsageError, match="nothing to report"):
        summarise([replace(run(SUITE, oracle(SUITE)), records=())])


class Acting(HTMLParser):
    """Whatever in a page could run or lead away."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "iframe", "object", "link"):
            self.found.append(tag)
        self.found += [f"{tag} {name}" for name, value in attrs if name.startswith("on")]
        self.found += [str(value) for name, value in attrs if name == "href" and not str(value).startswith("#")]


def test_model_text_names_and_tags_are_data() -> None:
    item = Item("x", NASTY, "tin", NASTY, ("tin", "jar"), tags={"kind": NASTY})
    other = Item(NASTY, "Where?", "tin", "It is.", ("tin", "jar"), tags={"kind": "plain"})
    model = Scripted(lambda _: NASTY, name=NASTY)
    report = summarise([run(Suite(NASTY, (item, other), prompt="direct", score="text"), model)], title=NASTY)
    page = report.html()
    acting = Acting()
    acting.feed(page)
    assert acting.found == []
    assert "&lt;script&gt;" in page
