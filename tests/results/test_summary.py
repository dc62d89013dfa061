"""The plain report says what the runs say, and nothing in it can act."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from otherminds.errors import UsageError
from otherminds.heuristics.readers import oracle, random, realist
from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Cards, Example, Figure, Report, Table
from otherminds.results.summary import EXAMPLES, summarise
from otherminds.runs.runs import Budget, run
from otherminds.studies.starter.study import starter

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
    assert right["false belief"] == ["0.00 [0.00, 0.10], n = 24"] * 2
    assert right["all twins right"] == ["0.00 [0.00, 0.10], n = 24"] * 2
    assert "Right for false belief and true belief: 0.00 and 1.00 by letters; 0.00 and 1.00 by cloze." in report.lead
    assert "The interval lies above that: true belief by letters, true belief by cloze." in report.lead
    assert "The interval lies below that: false belief by letters, false belief by cloze." in report.lead
    assert "One in twenty such intervals misses by chance." in report.lead


def test_items_without_a_right_answer_are_said_to_be_so() -> None:
    open_ended = [replace(item, tags={**item.tags, "scored": False}) for item in SUITE.items[:6]]
    some = Suite("some", (*open_ended, *SUITE.items[6:]))
    report = summarise([run(some, realist(some))])
    assert table(report, "Verdicts")["columns"][-1] == "unscored"
    assert table(report, "Verdicts")["letters"][-1] == "6"
    # Sure by 0.95, and of the 42 others half of the time of the wrong choice.
    assert table(report, "What the weighing")["letters"][0].startswith("0.500")
    assert "Without a clear answer" not in report.lead
    assert "6 items without a right answer: not counted." in report.html()


def test_stories_of_one_stage_are_still_so_many_stories() -> None:
    staged = Suite("some", tuple(replace(item, tags={**item.tags, "stage": "one"}) for item in SUITE.items))
    assert "48 questions on 24 stories." in summarise([run(staged, realist(staged))]).lead


def test_ties_alone_are_no_score() -> None:
    stubborn = Scripted(lambda _: "A", name="stubborn", weigh=lambda _: {"A": 0.6, "B": 0.2})
    report = summarise([run(SUITE, stubborn)])
    assert "No answer by letters could be scored (48 of 48 tied)." in report.lead
    weighing = table(report, "What the weighing")
    assert weighing["columns"] == ["S", "S per token", "same in all orders", "bias to A", "mass", "items"]
    assert weighing["letters"][0].startswith("0.500")
    assert weighing["letters"][2:4] == ["0.00 [0.00, 0.07], n = 48 in 24 groups", "+1.10 [–]"]
    assert float(weighing["letters"][4]) == pytest.approx(0.8)
    assert weighing["letters"][5] == "48"


def test_what_cannot_be_told_from_guessing_is_called_so() -> None:
    report = summarise([run(SUITE, random(SUITE, seed=1))])
    assert "Guessing would give 0.50. None of these can be told from guessing." in report.lead


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
    asked = dict(examples[0].fields)["prompt, exactly as sent"]
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
    assert columns == table(summarise(runs), "The runs")["columns"]
    assert table(report, "The runs")["columns"][0] == "oracle, letters on starter"
    assert [section.title for section in report.sections if section.title.startswith("Right")] == [
        "Right answers: starter",
        "Right answers: half",
    ]


def test_suites_are_guessed_at_and_counted_each_by_itself() -> None:
    # Both suites have stories of the same names, and three choices are guessed less often than two.
    three = [replace(item, choices=(*item.choices, "nowhere")) for item in SUITE.items[:8]]
    harder = Suite("harder", tuple(three))
    report = summarise([run(SUITE, realist(SUITE)), run(harder, realist(harder))])
    assert report.title == "realist on the starter and harder suites"
    first, second = report.lead.split("\n\n")
    assert first.startswith("**starter**: realist: 48 questions on 24 stories.")
    assert second.startswith("**harder**: realist: 8 questions on 4 stories.")
    assert "Guessing would give 0.50." in first
    assert "Guessing would give 0.33." in second
    assert second.endswith("by letters.")
    assert "letters on harder" in table(report, "The runs")["columns"]
    (cards,) = (block for section in report.sections for block in section.blocks if isinstance(block, Cards))
    assert [card[:2] for card in cards.cards if "Chance" in card[0]] == [
        ("Chance, starter", "0.50"),
        ("Chance, harder", "0.33"),
    ]


def test_a_run_that_was_asked_less_is_named_wherever_it_stands_beside_others() -> None:
    report = summarise([run(SUITE, oracle(SUITE)), run(SUITE, realist(SUITE), limit=12)])
    assert "oracle and realist: 48 questions on 24 stories; asked fewer: realist, letters (12)." in report.lead
    (beside,) = (
        block
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Table) and block.caption == "The model and the baselines on all items that were asked"
    )
    assert "mind the difference: realist, letters (12 of 48), longest option (38 of 48)." in beside.note
    # Where two choices are as long, the longest one is not known.
    assert "the difference: longest option (38 of 48)." in summarise([run(SUITE, oracle(SUITE))]).html()


def test_a_dozen_models_are_counted_and_not_listed() -> None:
    models = [realist(SUITE, seed=seed) for seed in range(11)]
    for number, model in enumerate(models):
        model.name = f"model {number}"
    report = summarise([run(SUITE, model) for model in (*models, oracle(SUITE))])
    assert report.title == "12 models on the starter suite"
    assert report.lead.startswith(
        "12 models: 48 questions on 24 stories. Guessing would give 0.50. Right for false bel"
    )
    assert (
        "Right for false belief: from 0.00 by model 0, letters to 1.00 by oracle, letters; of 12 intervals, above"
        " guessing: 1, below: 11. Right for true belief: 1.00 by all; of 12 intervals, above guessing: 12, below: 0."
    ) in report.lead


def test_where_nothing_could_be_scored_nothing_is_said_of_guessing() -> None:
    mute = Scripted(lambda _: "perhaps", name="mute")
    text = SUITE.using(score="text", prompt="direct")
    report = summarise([run(text, mute, limit=6)])
    assert "No answer by text could be scored (6 of 6 unparsed)." in report.lead
    assert "uessing" not in report.lead
    assert "Without a clear answer" not in report.lead
    (right,) = (section for section in report.sections if section.title == "Right answers")
    assert not any(isinstance(block, Figure) for block in right.blocks)
    both = summarise([run(text, mute, limit=6), run(SUITE, realist(SUITE), limit=6)])
    assert "No answer by mute, text could be scored (6 of 6 unparsed). Right for false belief" in both.lead


def test_a_card_says_how_many_answers_it_leaves_out() -> None:
    answers = iter(["A", "perhaps", "B"] * len(SUITE))
    report = summarise([run(SUITE.using(score="text", prompt="direct"), Scripted(lambda _: next(answers), name="m"))])
    (cards,) = (block for section in report.sections for block in section.blocks if isinstance(block, Cards))
    assert cards.cards[0][2].endswith("n = 32; 16 of 48 without a value")


def test_of_anybodys_own_suite_only_what_is_so_is_said() -> None:
    def limits(suite: Suite) -> str:
        (section,) = (one for one in summarise([run(suite, oracle(suite))]).sections if one.title == "How to read this")
        return str(section.blocks[0])

    alone = Suite("own", tuple(item for item in SUITE.items if item.tags["false_belief"]))
    assert "small suite of short stories" in limits(SUITE)
    assert "has a twin whose answer is the other one" in limits(SUITE)
    assert "has a twin whose answer is the other one" in limits(Suite("own", SUITE.items))
    assert "small suite" not in limits(Suite("own", SUITE.items))
    assert "twin whose" not in limits(alone)
    assert "That is why simple baselines stand beside the model" in limits(alone)


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
