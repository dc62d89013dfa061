"""Who is asked, where, and what becomes of those who cannot answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from otherminds.errors import ModelError, Unable, UsageError
from otherminds.formats.question_formats import CLOZE, LETTERS, TEXT
from otherminds.heuristics.readers import realist
from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import Budget, run
from otherminds.store.store import MEMORY, Store
from otherminds.studies import STUDIES, study_of
from otherminds.studies.starter.study import starter
from otherminds.studies.study import Desk, Subject, ask_each, unfinished
from tests.studies.test_study_contract import bar


def subject(name: str, *cannot: str) -> Subject:
    model = Scripted(lambda _: "A", name=name)
    model.cannot = frozenset(cannot)
    return Subject.of(model)


def test_one_that_fails_takes_nobody_with_it() -> None:
    def ask(each: Subject) -> str:
        each.need("chat", because="this is a talk")
        if each.name == "broken":
            raise ModelError("it broke")
        return each.name.upper()

    asked = ask_each([subject("good"), subject("broken"), subject("base", "chat")], ask)
    assert asked.done == {"good": "GOOD"}
    assert asked.cut == ("broken: it broke",)
    assert asked.left_out == ("base has no chat, and this is a talk",)
    with pytest.raises(ModelError, match="broken: it broke"):
        ask_each([subject("broken"), subject("base", "chat")], ask)
    with pytest.raises(Unable, match="base has no chat"):
        ask_each([subject("base", "chat")], ask)


def test_a_run_says_which_study_it_is_of(tmp_path: Path) -> None:
    own = replace(starter().where(false_belief=True), name="own", study="safety")
    own.save(tmp_path / "own.jsonl")
    read = Suite.load(tmp_path / "own.jsonl")
    done = run(read, realist(read), limit=2)
    assert done.manifest["study"] == "safety"
    assert study_of(done) is STUDIES["safety"]()


@pytest.mark.parametrize(
    ("suite", "kept", "study"),
    [("safety", {}, "safety"), ("mine", {}, None), ("safety", {"study": "mine"}, None), ("mine", {"study": 7}, None)],
)
def test_of_runs_that_name_no_study_the_suite_does(suite: str, kept: dict[str, object], study: str | None) -> None:
    done = run(starter(), realist(starter()), limit=2)
    older = {name: value for name, value in done.manifest.items() if name != "study"}
    found = study_of(replace(done, suite=suite, manifest=older | kept))
    assert (found.name if found else None) == study


def test_a_request_that_makes_no_sense_is_nobodys_inability() -> None:
    def ask(each: Subject) -> None:
        raise UsageError("a budget of money needs a price")

    with pytest.raises(UsageError, match="needs a price"):
        ask_each([subject("one")], ask)


def test_a_baseline_is_unable_where_a_suite_lacks_what_it_answers_from() -> None:
    worldly = Subject.baseline("realist", realist)
    assert worldly.make(starter()).name == "realist"
    with pytest.raises(Unable, match=r"needs items with meta\.reality"):
        worldly.make(Suite("bare", (Item("a", "?", "x", choices=("x", "y")),)))


@pytest.mark.parametrize(
    ("cannot", "score"),
    [((), "letters"), (("raw",), "text"), (("weigh",), "text"), (("chat", "continuations"), "letters")],
)
def test_the_first_way_that_it_can(cannot: tuple[str, ...], score: str) -> None:
    assert subject("some", *cannot).asked_in((LETTERS, CLOZE, TEXT)).score == score


def test_a_run_that_was_cut_or_failed_is_unfinished() -> None:
    with Store(MEMORY) as store:
        whole = Desk(store, bar).put(starter(), subject("one"), "t")
        cut = Desk(store, bar, budget=Budget(calls=4)).put(starter(), subject("other"), "t")
    assert unfinished([whole]) == []
    assert unfinished([cut]) == ["other, starter by letters: the budget of 4 calls is spent"]
