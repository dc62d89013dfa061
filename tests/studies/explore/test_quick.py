"""What the small size of the study makes of models at either end."""

import pytest

from otherminds.errors import ModelError
from otherminds.models.scripted import Scripted
from otherminds.store import MEMORY, Store
from otherminds.studies.explore import quick as small
from otherminds.studies.explore.quick import quick
from otherminds.studies.explore.versus import Outcome
from tests.studies.test_study_contract import bar


def test_a_model_without_a_weakness_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "versus", lambda *_, **__: [Outcome("search", (), 40, {}), Outcome("x", (), 40, {})])
    with Store(MEMORY) as store:
        page = quick(Scripted(lambda _: "A", name="sage"), store, bar)
    assert page is not None
    assert page.lead.startswith("sage was asked about 80 stories")
    assert "sage" in page.html()


def test_a_budget_that_was_spent_leaves_nothing_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "versus", lambda *_, **__: [Outcome("search", (), 3, {}, stopped="spent")])
    with Store(MEMORY) as store:
        assert quick(Scripted(lambda _: "A", name="sage"), store, bar) is None


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
    assert small._way(model) == way


def test_a_model_that_can_do_nothing_is_refused() -> None:
    model = Scripted(lambda _: "A", name="wall")
    model.cannot = frozenset({"weigh", "chat"})
    with Store(MEMORY) as store, pytest.raises(ModelError, match="neither weigh raw prompts nor chat"):
        quick(model, store, bar)
