"""What a look makes of models at either end, and of several."""

import pytest

from otherminds.errors import Unable
from otherminds.formats.question_formats import QuestionFormat
from otherminds.heuristics.readers import first_order, realist
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Table
from otherminds.search.versus import Outcome
from otherminds.store.store import MEMORY, Store
from otherminds.studies.explore import chapter as chapters
from otherminds.studies.explore.chapter import WAYS, look
from otherminds.studies.study import Desk, Subject
from tests.studies.test_study_contract import bar, guess

SAGE = Subject.of(Scripted(lambda _: "A", name="sage"))


def test_a_model_without_a_weakness_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [Outcome("search", (), 40, {}), Outcome("x", (), 40, {})]
    monkeypatch.setattr(chapters, "versus", lambda *_, **__: outcomes)
    with Store(MEMORY) as store:
        chapter = look([SAGE], Desk(store, bar))
    assert chapter is not None
    assert chapter.report.lead.startswith("sage was asked about 80 stories")
    assert not chapter.partial
    assert "sage" in chapter.report.html()


def test_a_budget_that_was_spent_leaves_nothing_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chapters, "versus", lambda *_, **__: [Outcome("search", (), 3, {}, stopped="spent")])
    with Store(MEMORY) as store:
        assert look([SAGE], Desk(store, bar)) is None


def test_a_search_with_calls_that_failed_is_not_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [Outcome("search", (), 40, {"correct": 38, "error": 2})]
    monkeypatch.setattr(chapters, "versus", lambda *_, **__: outcomes)
    with Store(MEMORY) as store:
        chapter = look([SAGE], Desk(store, bar))
    assert chapter is not None
    assert chapter.partial
    assert chapter.cut == ["sage, its search: 2 of 40 questions got no answer"]


@pytest.mark.parametrize(
    ("cannot", "way"),
    [
        (set(), ("cloze", "raw")),
        ({"continuations"}, ("letters", "raw")),
        ({"weigh", "continuations"}, ("text", "direct")),
        ({"raw"}, ("text", "direct")),
    ],
)
def test_a_model_is_asked_in_the_best_way_it_can(cannot: set[str], way: tuple[str, str]) -> None:
    model = Scripted(lambda _: "A", name="odd")
    model.cannot = frozenset(cannot)
    assert Subject.of(model).asked_in(WAYS) == QuestionFormat(*way)


def test_a_model_that_can_do_nothing_is_refused() -> None:
    model = Scripted(lambda _: "A", name="wall")
    model.cannot = frozenset({"weigh", "chat"})
    with Store(MEMORY) as store, pytest.raises(Unable, match="neither weigh raw prompts nor chat"):
        look([Subject.of(model)], Desk(store, bar))


def test_models_answer_about_each_others_stories() -> None:
    guesser = Scripted(lambda _: "A", name="guesser", weigh=guess)
    subjects = [Subject.of(guesser), Subject.baseline("realist", realist), Subject.baseline("first_order", first_order)]
    with Store(MEMORY) as store:
        chapter = look(subjects, Desk(store, bar))
    assert chapter is not None
    suites = {(run.model, run.suite) for run in chapter.runs}
    assert {("guesser", "explore"), ("realist", "stories of guesser"), ("guesser", "stories of realist")} <= suites
    section = next(each for each in chapter.report.sections if each.title == "Models on each other's stories")
    assert any(isinstance(block, Table) and {"guesser", "realist"} <= set(block.columns) for block in section.blocks)
    # Searched questions are of the first order, and a reader of first-order beliefs is right in all of them.
    assert "first_order was asked about" in chapter.report.lead
    hardest = [finding for finding in chapter.findings if finding.what == "Right about its hardest stories"]
    assert [finding.model for finding in hardest] == ["guesser", "realist"]
    assert hardest[0].beside.endswith("; of first_order none found that it gets wrong")
