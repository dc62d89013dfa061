"""Show: what stands on the page."""

from dataclasses import replace

import pytest

from otherminds.items import Suite
from otherminds.pages.report import Conversation, Example, Figure, Folded, Report, Section, Table
from otherminds.studies.dialogue.answered import PUBLISHED
from otherminds.studies.dialogue.conversations import as_conversation
from otherminds.studies.dialogue.page import show
from otherminds.studies.dialogue.questions.traits import judge_suite, pairs
from otherminds.talks.bank import patterns
from otherminds.talks.talk import Casting, Turn
from tests.studies.dialogue.made_talks import NORA, OMAR, SCENE, answering, questions, talk

TALKS = [talk("one"), talk("two", state="desire", people=(OMAR, NORA)), talk("three", state="emotion")]
SUITE = questions(*TALKS)


@pytest.fixture(scope="module")
def page() -> Report:
    """A model that knows the first order and one that knows nothing, asked twice."""
    good = answering(SUITE, lambda item: item.tags["order"] == 1, name="good")
    bad = [answering(SUITE, lambda item: False, name="bad", seed=seed) for seed in (1, 2)]
    return show(TALKS, [good, *bad])


def blocks(page, title):
    return next(section.blocks for section in page.sections if section.title == title)


def tables(page, title):
    return [block for block in blocks(page, title) if isinstance(block, Table)]


def test_the_lead_gives_numbers_chance_and_the_rule(page):
    assert page.lead.startswith("12 questions about 3 conversations; guessing would give 0.25.")
    assert "good is right in 0.50" in page.lead
    assert "first order 1.00, second order 0.00, false belief 0.00" in page.lead
    assert "mean of 2 runs" in page.lead
    assert "most words of the question would give 1.00" in page.lead


def test_one_is_one() -> None:
    suite = questions(TALKS[0])
    one = Suite(suite.name, suite.items[:1], prompt=suite.prompt, score=suite.score)
    told = show(TALKS[:1], [answering(one, lambda item: True, name="good")])
    assert told.lead.startswith("1 question about 1 conversation; guessing")


def test_every_state_has_its_line_with_chance(page):
    svg = next(block.svg for block in blocks(page, "By mental state") if isinstance(block, Figure))
    for words in ("belief", "desire", "emotion", "chance", "false belief"):
        assert words in svg
    table = tables(page, "By mental state")[0]
    lines = {row[0]: row for row in table.rows}
    assert "belief, first order" in lines
    assert {"belief", "first order", "all"} <= lines.keys()
    assert not [label for label in lines if "all" in label.split(", ")[1:]]
    # The rules stand there with their intervals too.
    assert all(str(cell).endswith("]") for cell in lines["all"][2:])
    assert "fewer than 6 conversations" in table.note


def test_rules_chance_and_published_figures_stand_beside(page):
    beside, spread, harder, published = tables(page, "Beside rules and published figures")
    assert [row[0] for row in beside.rows] == [
        "good",
        "bad",
        "rule: overlap with the question",
        "rule: overlap with the conversation",
        "rule: longest option",
        "chance",
        "questions",
    ]
    assert beside.rows[-1][1:] == [12, 6, 6, 3, 3]
    assert [row[:2] for row in spread.rows] == [["bad", 2]]
    assert [row[0] for row in harder.rows] == ["good", "bad"]
    assert [row[1] for row in published.rows] == [f"{value:.3f}" for value in PUBLISHED.values()]
    assert "other conversations" in published.note


def test_personality_in_both_orders(page):
    found = blocks(page, "By personality")
    assert [type(block) for block in found] == [str, Figure, Table, Folded]
    assert {row[0] for row in found[2].rows} == {"openness", "agreeableness", "neuroticism"}


def test_words(page):
    (overlap,) = tables(page, "Words in common")
    assert overlap.rows[-1][:3] == ["all", "1.000 (12/12)", "1.000 (3/3)"]
    (artefacts,) = tables(page, "Words that give answers away")
    assert [row[0] for row in artefacts.rows] == ["gardner", "paper-like"]


def test_conversations_fold_their_thoughts(page):
    found = blocks(page, "Conversations")
    talks = [block for block in found if isinstance(block, Conversation)]
    assert [each.heading for each in talks] == [
        "norms · belief · Nora and Omar",
        "norms · desire · Omar and Nora",
        "norms · emotion · Nora and Omar",
    ]
    scene, nora, _, hi, _, first, second, _, fourth = talks[0].lines
    assert (scene.said, scene.unsaid, hi.unsaid) == (SCENE.situation, None, None)
    assert nora.unsaid[1].startswith("You want quiet. Personality: high openness, high conscientiousness, low extra")
    assert first.unsaid == ("what Nora thinks", "I think thought 0 of one.")
    assert second.unsaid[0] == "what Omar thinks, misreading Nora"
    assert fourth.unsaid[0] == "what Omar thinks, reading Nora rightly"
    asked = next(block for block in found if isinstance(block, Example))
    assert asked.heading == "Asked about Nora, message 1, first order · good: correct; bad: incorrect"
    options = dict(asked.fields)["options; the arrow is the right one"]
    assert "→ Nora thinks thought 0 of one.\n    chosen by good" in options
    assert "    chosen by bad" in options


def test_the_page_escapes_what_people_say():
    loud = replace(TALKS[0], turns=(Turn(0, "<script>1</script>", '<img onerror="x">'), *TALKS[0].turns[1:]))
    html = Report("t", "l", [Section("s", [as_conversation(loud)])]).html()
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


def test_a_model_that_played_the_talks_is_marked(page):
    played = [replace(each, made={"players": ["good"]}) for each in TALKS]
    good = answering(SUITE, lambda item: True, name="good")
    assert "**Not comparable**" in blocks(show(played, [good]), "")[1]
    assert len(blocks(page, "")) == 1


def test_judged_traits_and_hidden_things_get_sections():
    design = [talk(f"t{n}", people=each.people) for n, each in enumerate(patterns(Casting(SCENE, (NORA, OMAR))))]
    judging = judge_suite(pairs(design))
    runs = [answering(SUITE, lambda item: True), answering(judging, lambda item: item.tags["factor"] != "openness")]
    readings = [(replace(each, made={"thoughts": shown}), {1: not shown}) for each in TALKS for shown in (True, False)]
    page = show(design, runs, readings=readings)
    (judged,) = tables(page, "Who is higher in a trait")
    assert [row[2].value for row in judged.rows] == [0.0, 1.0, 1.0, 1.0, 1.0]
    again = show(design, [*runs, answering(judging, lambda item: True, seed=1)])
    (both,) = tables(again, "Who is higher in a trait")
    assert [row[0] for row in both.rows] == ["somebody, run 1"] * 5 + ["somebody, run 2"] * 5
    figures = next(block for block in blocks(page, "Who is higher in a trait") if isinstance(block, Folded)).blocks
    assert len(figures) == 5
    (hidden,) = tables(page, "What hiding does")
    assert [row[0] for row in hidden.rows] == ["both hidden", "only goals and personality hidden"]
    assert [row[1].value for row in hidden.rows] == [1.0, 0.0]
    assert page.html()


def test_the_same_runs_give_the_same_page(page):
    runs = [answering(SUITE, lambda item: True)]
    assert show(TALKS, runs).html() == show(TALKS, runs).html()


def test_questions_without_their_talks_are_reported_too():
    page = show((), [answering(SUITE, lambda item: True)])
    titles = [section.title for section in page.sections]
    assert "Conversations" not in titles
    assert "By mental state" in titles
