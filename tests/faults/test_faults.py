"""A sample of the matrix that meets every kind of fault once; `make faults` runs all of it."""

from collections.abc import Iterator

import pytest

from tests.faults.bench import Bench, Cell, hastened
from tests.faults.command_line import COMMANDS, run_command
from tests.faults.kinds import FORMS, KINDS, Kind
from tests.faults.matrix import row
from tests.faults.server import FaultServer

MODES = (("chance", 30), ("sticky", 30), ("chance", 50), ("sticky", 50), ("chance", 20), ("sticky", 20))


def sampled(place: int, kind: Kind) -> Cell:
    """One cell of a kind; forms, modes and rates take turns."""
    forms = [form.name for form in FORMS.values() if kind.applies(form)]
    mode, rate = MODES[place % len(MODES)]
    if kind.group == "label endpoints":
        rate = 50  # few requests go there, and of a small share none might be struck
    if kind.timeout < 1:
        rate = 20  # every one that is struck takes its time
    return Cell(kind.name, forms[place % len(forms)], mode, rate)


CELLS = [
    *(sampled(place, kind) for place, kind in enumerate(KINDS.values())),
    *(Cell(kind, form, "start", 2) for kind, form in [("500", "letters-raw"), ("404", "text-chat")]),
    Cell("hang-forever", "cloze-raw", "start", 2),
    Cell("429", "letters-chat", "crowd", 8),
    Cell("429", "text-raw", "latency", 128),
]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with hastened(), FaultServer().running() as server:
        yield Bench(server, items=16, limit=30)


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_no_fault_of_a_server_changes_a_score_or_ends_a_run(bench: Bench, cell: Cell) -> None:
    outcome = bench.run(cell)
    assert outcome.struck or cell.mode == "latency"
    assert not outcome.bad, row(outcome)


@pytest.mark.parametrize("cell", COMMANDS[2:4], ids=str)
def test_a_command_with_missing_items_ends_with_a_sentence(cell: Cell) -> None:
    with FaultServer().running() as server:
        ending = run_command(server, cell)
    assert not ending.wrong, ending
