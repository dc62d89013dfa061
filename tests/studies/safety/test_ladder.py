"""The default model is shown beside a second one; nobody else is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from otherminds.asking.store import MEMORY, Store
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Table
from otherminds.studies.safety import ladder
from otherminds.studies.study import Desk, Subject
from tests.studies.test_study_contract import guess


@contextmanager
def bar(_: str) -> Iterator[Callable[[int, int], None]]:
    yield lambda done, wanted: None


def model(name: str, backend: str) -> Scripted:
    made = Scripted(lambda _: "A", name=name, weigh=guess)
    made.identity = {**made.identity, "backend": backend}
    return made


@pytest.fixture(autouse=True)
def second(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    other = model("smollm2, ablated to 20 layers", "gguf")
    monkeypatch.setattr(ladder, "_second", lambda: (other, "layers left out, an ablation"))
    return other


def test_the_default_model_stands_beside_what_is_left_of_it(second: Scripted) -> None:
    with Store(MEMORY) as store:
        (section,) = ladder.ladder(Subject.of(model("smollm2", "gguf")), Desk(store, bar), 24)
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert [row[:2] for row in table.rows] == [["layers left out, an ablation", task] for task in ("TB", "SA")]
    assert second.history


@pytest.mark.parametrize(("name", "backend"), [("smollm2", "scripted"), ("gguf:other.gguf", "gguf")])
def test_other_models_stand_alone(second: Scripted, name: str, backend: str) -> None:
    with Store(MEMORY) as store:
        assert ladder.ladder(Subject.of(model(name, backend)), Desk(store, bar), 24) == []
    assert not second.history


def test_a_dry_run_opens_no_second_model(second: Scripted) -> None:
    with Store(MEMORY) as store:
        assert ladder.ladder(Subject("smollm2", lambda _: second), Desk(store, bar), 24) == []
    assert not second.history
