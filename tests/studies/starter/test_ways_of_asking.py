"""The starter suite in every way that a model can be asked, with numbers that are known beforehand."""

from otherminds.heuristics.readers import realist
from otherminds.models.scripted import Scripted
from otherminds.stats import Difference
from otherminds.store.store import MEMORY, Store
from otherminds.studies.starter.study import look
from otherminds.studies.study import Desk, Subject
from tests.studies.test_study_contract import bar


def test_the_realist_by_hand() -> None:
    with Store(MEMORY) as store:
        chapter = look([Subject.baseline("realist", realist)], Desk(store, bar))
    assert chapter is not None
    values = {finding.what: finding.estimate.value for finding in chapter.findings}
    for score in ("letters", "cloze", "text"):
        assert (
            values[f"Accuracy on false-belief questions by {score}"],
            values[f"Accuracy on true-belief questions by {score}"],
        ) == (0.0, 1.0)
    gap = next(finding for finding in chapter.findings if isinstance(finding.estimate, Difference))
    assert (gap.what, gap.estimate.value) == ("Right by letters less as a cloze", 0.0)
    assert {finding.what for finding in chapter.findings if finding.first} == {
        "Accuracy on false-belief questions by cloze",
        "Accuracy on true-belief questions by cloze",
    }
    assert chapter.findings[0].aside == "realist 0.00, last mention 0.50"
    assert chapter.findings[0].chance == 0.5
    assert not chapter.partial


def test_a_model_that_only_chats_has_its_words_on_the_first_screen() -> None:
    model = Scripted(lambda _: "A", name="talker")
    model.cannot = frozenset({"weigh"})
    with Store(MEMORY) as store:
        chapter = look([Subject.of(model)], Desk(store, bar))
    assert chapter is not None
    assert [run.score for run in chapter.runs] == ["sampled", "text"]
    assert {finding.what for finding in chapter.findings if finding.first} == {
        "Accuracy on false-belief questions by text",
        "Accuracy on true-belief questions by text",
    }
    assert list(chapter.left_out) == ["talker by cloze: it has no weigh"]
