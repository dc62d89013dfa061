"""A run as a DataFrame."""

import sys
from types import ModuleType
from typing import Any

import pytest

from otherminds.errors import UsageError
from otherminds.heuristics.readers import realist
from otherminds.items import Item, Suite
from otherminds.runs import records
from otherminds.runs.runs import Run, run
from otherminds.studies.starter.study import starter

MIXED = [{"id": "a", "order": 1, "kind": None}, {"id": "b", "order": "two", "kind": None}]


@pytest.fixture(scope="module")
def done() -> Run:
    suite = starter()
    return run(suite, realist(suite))


@pytest.mark.parametrize("library", records.LIBRARIES)
def test_a_row_for_every_answer_and_a_column_for_every_tag(done: Run, library: str) -> None:
    pytest.importorskip(library)
    frame = done.frame(library)  # type: ignore[arg-type]
    rows = done.rows()
    assert type(frame).__module__.partition(".")[0] == library
    assert list(frame.columns) == list(rows[0])
    assert list(frame["id"]) == [row["id"] for row in rows]
    assert list(frame["value"]) == [row["value"] for row in rows]
    assert float(frame["value"].mean()) == done.mean()


@pytest.mark.parametrize("library", records.LIBRARIES)
def test_a_tag_may_be_of_several_types_and_a_run_may_be_empty(library: str) -> None:
    pytest.importorskip(library)
    assert [str(value) for value in records.frame(MIXED, library)["order"]] == ["1", "two"]
    assert len(records.frame([], library)) == 0


def test_what_has_no_value_is_missing_and_not_zero() -> None:
    pytest.importorskip("pandas")
    suite = Suite(
        "open",
        (Item("a", "?", "x", choices=("x", "y"), tags={"scored": False}), Item("b", "?", "x", choices=("x", "y"))),
    )
    from otherminds.heuristics.readers import oracle

    frame = run(suite, oracle(suite)).frame("pandas")
    assert list(frame["value"].isna()) == [True, False]


def test_pandas_goes_first_and_polars_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    for installed, used in ((("pandas", "polars"), "pandas"), (("polars",), "polars")):
        for name in records.LIBRARIES:
            module: Any = ModuleType(name)
            module.DataFrame = lambda columns, name=name: (name, columns)
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setattr(records, "find_spec", lambda name, installed=installed: name in installed or None)
        assert records.frame([{"id": "a"}]) == (used, {"id": ["a"]})


def test_without_either_a_sentence_says_what_to_install(done: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"needs pandas or polars, and neither is .* 'otherminds\[frame\]'"):
        done.frame()
    with pytest.raises(UsageError, match="needs polars, and it is not installed"):
        done.frame("polars")
    with pytest.raises(UsageError, match="no frame of 'excel'; there are pandas and polars"):
        done.frame("excel")  # type: ignore[arg-type]
