"""What every study must do; a new one is done when it is in STUDIES and this is green."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from zlib import crc32

import pytest

from otherminds.heuristics.readers import oracle, random, realist
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.results.itembrowser import shown_ids
from otherminds.runs.runs import Budget, Run, run
from otherminds.store.store import MEMORY, Store
from otherminds.studies import STUDIES
from otherminds.studies.study import Chapter, Desk, Finding, Study, Subject


def check_study(study: Study) -> None:
    """An example is run on oracle and realist and has a page; then look at models in a small size."""
    assert study.asks.endswith("?")
    suite = study.example()
    runs = [run(suite, make(suite)) for make in (oracle, realist)]
    assert runs[0].mean() == 1.0, "the oracle knows every answer, so one of them cannot be read back"
    if study.page:
        page = study.page(runs)
        assert page.lead
        for name in ("oracle", "realist"):
            assert name in page.html()
    check_look(study)


def check_look(study: Study) -> None:
    """Models that can do everything and know nothing, side by side with a baseline; nobody is asked twice."""
    model = Scripted(lambda _: "A", name="guesser", weigh=guess)
    subjects = [Subject.of(model), Subject.baseline("random", random)]
    with Store(MEMORY) as store:
        desk = Desk(store, bar, seed=1)
        first = study.look(subjects, desk)
        asked = len(model.history)
        again = study.look(subjects, desk)
        assert len(model.history) == asked > 0, "what is in the store was asked again"
        assert first is not None
        assert again is not None
        assert first.report.lead == again.report.lead
        check_chapter(first)
    with Store(MEMORY) as store:
        before = len(model.history)
        cut = study.look([Subject.of(model)], Desk(store, bar, seed=2, budget=Budget(calls=3)))
        assert len(model.history) - before < asked, "the budget was not kept to"
        assert cut is None or cut.partial, "a chapter that a budget cut short says so"


def check_chapter(chapter: Chapter) -> None:
    """Both models are in it, every run is whole, and every number leads to items that there are."""
    assert not chapter.partial, chapter.cut
    page = chapter.report.html()
    for name in ("guesser", "random"):
        assert name in page
        assert any(finding.first for finding in chapter.findings if finding.model == name)
        assert any(run.model == name for run in chapter.runs)
    for finding in chapter.findings:
        assert any(leads_to(finding, run) for run in chapter.runs), f"{finding.what} leads to no item"


def leads_to(finding: Finding, run: Run) -> bool:
    """Whether a run has an item that a finding points at; one that leads nowhere is no dead end."""
    return bool(shown_ids(finding.leads_to, run))


def guess(prompt: Prompt) -> dict[str, float]:
    """One of the choices, more or less, by no reason but the same one each time."""
    asked = prompt.text + "".join(f"{turn.role}: {turn.content}" for turn in prompt.messages)
    picked = max(prompt.choices, key=lambda choice: crc32(f"{asked}{choice}".encode()))
    liked = 0.5 + crc32(asked.encode()) % 5 / 10
    return {choice: liked if choice == picked else 0.02 for choice in prompt.choices}


@contextmanager
def bar(title: str) -> Iterator[Callable[[int, int], None]]:
    assert title

    def show(done: int, wanted: int) -> None:
        assert 0 <= done <= wanted

    yield show


@pytest.mark.parametrize("name", STUDIES)
def test_study_keeps_the_contract(name: str) -> None:
    study = STUDIES[name]()
    assert study.name == name
    check_study(study)
