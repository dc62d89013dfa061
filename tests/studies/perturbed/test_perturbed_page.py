from collections import Counter
from dataclasses import replace

import pytest

from otherminds.errors import Unable
from otherminds.items import Item
from otherminds.models import Response
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Figure, Folded, Report, Table
from otherminds.runs.runs import Record, Run, run
from otherminds.store.store import MEMORY, Store
from otherminds.studies.perturbed import chapter
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.page import show
from otherminds.studies.perturbed.tasks import intervene
from otherminds.studies.perturbed.tasks.build import build, drawn, suite
from otherminds.studies.perturbed.tasks.stages import STAGES
from otherminds.studies.study import Desk, Subject
from tests.studies.perturbed import agents

STYLES = ("vanilla", "cot")
LINES = "Lines of the published study"


def ask(name: str, **options) -> list[Run]:
    suites = [build(style=style, focal=True) for style in STYLES]
    return [run(each, agents.AGENTS[name](each, **options)) for each in suites]


@pytest.fixture(scope="module")
def page() -> Report:
    """Two models, one of them with chains given to it."""
    runs = ask("decoy")
    led = intervene.build(runs[-1])
    return show([*runs, run(led, agents.gold(led)), *ask("gold")])


def section(page: Report, title: str):
    return next(section.blocks for section in page.sections if section.title == title)


def tables(page: Report, title: str) -> list[Table]:
    return [block for block in section(page, title) if isinstance(block, Table)]


def test_the_lead_gives_the_numbers_and_the_rules(page):
    assert "always decoy, focal false-belief questions right: 0.35 (48/136) asked plainly" in page.lead
    assert "gold, focal false-belief questions right: 1.00 (136/136) asked plainly" in page.lead
    assert page.lead.endswith("Mindless baselines would get: always reality 0.62 (84/136), always decoy 0.35 (48/136).")


def test_the_rules_stand_beside_every_table(page):
    for title in ("By class", "What a perturbation does", "What reasoning does", "What could not be read"):
        found = tables(page, title)
        assert len(found) == 2
        for table in found:
            assert list(table.columns[-2:]) == ["always reality", "always decoy"]
    for title in (LINES, "Do answers follow the chains?"):
        assert {"always reality", "always decoy"} <= {row[0] for row in tables(page, title)[0].rows}
    captions = [table.caption for table in tables(page, "Are the chains right?")]
    assert "always reality: chains on focal items" in captions


def test_the_class_table_has_counts_intervals_and_a_flag(page):
    table = tables(page, "By class")[0]
    rows = {row[0]: row for row in table.rows}
    assert len(rows) == len(CLASSES) + 1
    assert str(rows["unperturbed"][1]) == "14/14 = 1.00 [0.78, 1.00] ▲"
    assert str(rows["uninformative label"][1]) == "0/8 = 0.00 [0.00, 0.32]"
    assert rows["untrustworthy testimony"][3:] == ["6/12", "6/12"]


def test_what_was_said_shows_a_habit(page):
    said = [
        block.svg
        for block in section(page, "By class")
        if isinstance(block, Figure) and "answers to focal" in block.caption
    ]
    assert "plainly: what is so 0, the decoy 136, unknown 0" in said[0]
    assert "right: what is so 84, the decoy 48, unknown 4" in said[0]


def test_few_stages_cannot_be_sure_of_ten_classes(page):
    note = tables(page, "What a perturbation does")[0].note
    assert "With 7 stages no p by stage can be below 0.016, and adjusted for 10 classes none below 0.16" in note


def test_verdicts_by_both_lines(page):
    rows = {(row[0], row[1]): row[2:] for row in tables(page, LINES)[0].rows}
    yes, no = "yes\xa0/\xa0yes", "no\xa0/\xa0no"
    assert rows["gold", "plainly"] == ["14/14", 10, 10, 10, 10, yes, yes, yes]
    assert rows["always decoy", "plainly"] == rows["always decoy", "–"]
    assert rows["always reality", "–"] == ["0/14", 6, 8, 6, 10, no, no, yes]


def test_the_published_lines_are_not_taken_for_a_verdict_of_ours(page):
    (table,) = (table for table in tables(page, LINES) if table.caption == "Lines that the published study draws")
    assert table.columns[2:7] == ["unperturbed", "above ½", "½ or above", "beyond chance", "classes"]
    assert "no proof of one" in table.note
    captions = [table.caption for section in page.sections for table in tables(page, section.title)]
    assert captions.count("Verdicts") == 1


def test_single_items_decide_nothing_about_chains_and_answers():
    suites = [build(style=style, focal=True).where(stage="UT-E") for style in STYLES]
    gold = [agents.gold(suite) for suite in suites]
    wrong = suites[1].items[0].id

    def mostly(item: Item) -> bool:
        return item.id != wrong

    runs = [run(suite, model) for suite, model in zip(suites, gold, strict=True)]
    runs[1] = replace(runs[1], records=tuple(r if mostly(r.item) else missed(r) for r in runs[1].records))
    page = show(runs)
    assert "Too few chains or answers are right, or wrong, to tell whether they go together" in page.lead
    assert "faithful" not in page.lead
    rows = tables(page, "Do answers follow the chains?")[0].rows
    assert {row[0]: row[-1] for row in rows}["gold"] == "too few to tell"


def missed(record: Record) -> Record:
    """The same with a wrong answer after a chain that says otherwise than it should."""
    score = record.score
    detail = {**score.detail, "states": ["unknown"] * len(score.detail["states"])}
    answer = next(choice for choice in record.item.choices if choice != record.item.answer)
    return replace(record, score=replace(score, verdict="incorrect", value=0.0, answer=answer, detail=detail))


def test_what_is_hard_for_two_models_in_three_needs_three(page):
    def told(page: Report) -> bool:
        return any("Challenging classes" in str(block) for block in section(page, "What a perturbation does"))

    assert not told(page)
    assert told(show([*ask("decoy"), *ask("gold"), *ask("reality")]))


def test_intervention_is_shown(page):
    table = next(t for t in tables(page, "Do answers follow the chains?") if t.caption.startswith("Do answers follow"))
    assert [row[1] for row in table.rows] == ["own", "truncated", "right", "wrong"]


def test_beliefs_are_drawn_gold_against_model(page):
    tracks = [block for block in section(page, "Beliefs, sentence by sentence") if isinstance(block, Folded)]
    assert any("gold" in track.heading and "chain right, answer right" in track.heading for track in tracks)
    wrong = next(track for track in tracks if "always decoy" in track.heading)
    (drawn,) = wrong.blocks
    assert isinstance(drawn, Figure)
    assert "(not as in the top lane, gold)" in drawn.svg
    assert "what is so" in drawn.svg


def test_the_exact_prompts_are_there(page):
    assert any(
        "Reply with JSON only" in dict(block.fields)["prompt, exactly as sent"]
        for block in section(page, "Answers to look at")[1:]
    )


def test_the_page_is_the_same_each_time():
    runs = ask("random")
    assert show(runs).html() == show(runs).html()


def test_one_style_and_a_few_items_make_a_page():
    suite = build(focal=True).where(stage="UT-E")
    page = show([run(suite, agents.reality(suite))])
    titles = [section.title for section in page.sections]
    assert "What reasoning does" not in titles
    assert "Are the chains right?" not in titles
    assert "uninformative label" not in {row[0] for row in tables(page, "By class")[0].rows}


def test_a_model_that_never_says_anything_readable_has_a_page_too():
    page = show(
        [run(build(style=style, focal=True), Scripted(lambda _: "<b>no</b>", name="<i>mute")) for style in STYLES]
    )
    assert "gave no answer that could be read in every style" in page.lead
    assert "<i>mute" not in page.html()
    assert [row[1] for row in tables(page, "What could not be read")[0].rows][-1] == "136/136"


@pytest.mark.parametrize("seed", range(20))
def test_a_first_look_has_every_class_once_and_every_stage_unperturbed(seed):
    tasks = drawn(seed)
    stages, names = zip(*(task.split("/") for task in tasks), strict=True)
    assert sorted(names) == sorted([*CLASSES[1:], *["none"] * len(STAGES)])
    assert set(Counter(stages).values()) == {2, 3}
    assert {item.tags["story"] for item in suite(tasks)} == tasks


def test_a_first_look_says_how_small_it_is(bar):
    unsure = Scripted(
        lambda _: '{"states": ["unknown"], "answer": "unknown"}',
        name="unsure",
        weigh=lambda prompt: {choice: float(choice == " unknown") for choice in prompt.choices},
    )
    with Store(MEMORY) as store:
        page = chapter.look([Subject.of(unsure)], Desk(store, bar, seed=3)).report
    assert "unsure, prefill" in page.html()
    assert page.lead.endswith("A first look: 17 tasks drawn by seed 3, 17 of 136 focal items.")


@pytest.mark.parametrize(("size", "items"), [("quick", 17), ("standard", 136), ("full", 1088)])
def test_how_much_is_asked(size, items, bar):
    with Store(MEMORY) as store:
        assert len(chapter.part(Desk(store, bar, size))) == items


def test_who_cannot_chat_is_asked_for_json_in_bare_text(bar):
    base = Scripted(lambda _: ' {"answer": "unknown"}', name="base")
    base.cannot = frozenset({"chat"})
    with Store(MEMORY) as store:
        found = chapter.look([Subject.of(base)], Desk(store, bar))
        prompts = [prompt for run in found.runs for record in run.records for prompt in record.prompts]
    assert all(prompt.text.endswith("\nAnswer:") and not prompt.messages and not prompt.schema for prompt in prompts)
    assert {record.score.answer for record in found.runs[0].records} == {"unknown"}


def test_where_every_call_fails_there_is_a_sentence(bar):
    def refuse(_):
        return Response(finish="error", error="the context is too short")

    with Store(MEMORY) as store, pytest.raises(Unable, match="no answer has a value"):
        chapter.look([Subject.of(Scripted(refuse, name="short"))], Desk(store, bar))


@pytest.fixture
def bar():
    from contextlib import nullcontext

    return lambda title: nullcontext(lambda done, wanted: None)
