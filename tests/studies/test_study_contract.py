"""What every study must do; a new one is done when it is in STUDIES and this is green."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from zlib import crc32

import pytest

from otherminds.baselines import oracle, realist
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs import Budget, run
from otherminds.store import MEMORY, Store
from otherminds.studies import STUDIES, Study


def check_study(study: Study) -> None:
    """Build, run on oracle and realist, measure, show; then the same in a small size, which asks nothing twice."""
    assert study.asks.endswith("?")
    given = study.example()
    suite = study.build(given)
    runs = [run(suite, make(suite)) for make in (oracle, realist)]
    assert runs[0].mean() == 1.0, "the oracle knows every answer, so one of them cannot be read back"
    assert study.measure(given, runs) is not None
    page = study.show(given, runs)
    assert page.lead
    for name in ("oracle", "realist"):
        assert name in page.html()
    check_quick(study)


def check_quick(study: Study) -> None:
    """A model that can do everything, knows nothing, and is asked once."""
    model = Scripted(lambda _: "A", name="guesser", weigh=guess)
    with Store(MEMORY) as store:
        first = study.quick(model, store, bar, seed=1)
        asked = len(model.history)
        again = study.quick(model, store, bar, seed=1)
        assert len(model.history) == asked > 0, "what is in the store was asked again"
        assert first is not None
        assert again is not None
        assert first.lead == again.lead
        assert "guesser" in first.html()
    with Store(MEMORY) as store:
        before = len(model.history)
        study.quick(model, store, bar, seed=2, budget=Budget(calls=3))
        assert len(model.history) - before < asked, "the budget was not kept to"


def guess(prompt: Prompt) -> dict[str, float]:
    """One of the choices, by no reason but the same one each time."""
    picked = max(prompt.choices, key=lambda choice: crc32(f"{prompt.text}{choice}".encode()))
    return {choice: 0.9 if choice == picked else 0.05 for choice in prompt.choices}


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
