"""A small model that can do without its last layers is shown beside a second one; nobody else is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from otherminds.calling.costs import Meter, Metered
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Section, Table
from otherminds.store.store import MEMORY, Store
from otherminds.studies.safety import chapter
from otherminds.studies.study import Desk, Subject
from tests.studies.test_study_contract import guess


@contextmanager
def bar(_: str) -> Iterator[Callable[[int, int], None]]:
    yield lambda done, wanted: None


def model(name: str, *, size: int = 10**8) -> Scripted:
    made = Scripted(lambda _: "A", name=name, weigh=guess)
    made.identity = {**made.identity, "size": size}
    return made


@pytest.fixture(autouse=True)
def fetched(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The weights that are there, and open as models that guess."""
    names: set[str] = set()
    monkeypatch.setattr(chapter, "present", names.__contains__)
    monkeypatch.setattr(chapter, "get_model", lambda name, **settings: model(name))
    return names


class Shallow(Scripted):
    """A model that can do without its last layers."""

    def __init__(self, name: str, *, size: int = 10**8) -> None:
        super().__init__(lambda _: "A", name=name, weigh=guess)
        self.identity = {**self.identity, "size": size}
        self.less = model(f"{name}, ablated")

    def shallower(self) -> Scripted:
        return self.less


def sections(subject: Subject) -> list[Section]:
    with Store(MEMORY) as store:
        return chapter.ladder(subject, Desk(store, bar))


def series(found: list[Section]) -> list[str]:
    ((table, *_),) = ([block for block in section.blocks if isinstance(block, Table)] for section in found)
    return [str(row[0]) for row in table.rows]


def test_a_small_model_stands_beside_what_is_left_of_it(fetched: set[str]) -> None:
    fetched.add("smollm2")  # Nobody had to accept any terms for it.
    small = Shallow("gguf:any.gguf")
    assert series(sections(Subject.of(small))) == ["layers left out, an ablation"] * 2
    assert small.less.history


def test_another_small_model_comes_first_where_its_terms_were_accepted(fetched: set[str]) -> None:
    fetched.add("gemma-270m")
    small = Shallow("smollm2")
    assert series(sections(Subject.of(small))) == ["two small models"] * 2
    assert not small.less.history


def test_a_model_on_a_meter_is_the_same_model() -> None:
    assert sections(Subject.of(Metered(Shallow("small"), Meter({}))))
    assert not sections(Subject.of(Metered(model("smollm2"), Meter({}))))


def test_other_models_stand_alone() -> None:
    large = Shallow("smollm2", size=10**9)
    for one in (model("smollm2"), large):
        assert sections(Subject.of(one)) == []
        assert not one.history
    assert not large.less.history


def test_a_dry_run_opens_no_second_model() -> None:
    small = Shallow("smollm2")
    assert sections(Subject("smollm2", lambda _: small)) == []
    assert not small.history
    assert not small.less.history
