"""Price tables and budgets."""

import json
from pathlib import Path

import pytest

from otherminds.asking.budgets import Budget, Price, read_prices
from otherminds.errors import BadFile, UsageError
from otherminds.models import Usage


def test_a_price_is_for_a_million() -> None:
    assert Price(prompt=2.0, written=10.0).of(Usage(prompt=500_000, written=100_000)) == pytest.approx(2.0)


def test_a_price_table(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"m": {"prompt": 0.15, "written": 0.6}}', encoding="utf-8")
    assert read_prices(path) == {"m": Price(0.15, 0.6)}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("{cut", "no price table"),
        ([], "should be like"),
        ({"m": 3}, "'m': should have 'prompt' and 'written'"),
        ({"m": {"prompt": 1}}, "'m': should have"),
        ({"m": {"prompt": 1, "written": -1}}, "'m': written should be a number"),
        ({"m": {"prompt": True, "written": 1}}, "'m': prompt should be a number"),
        ({"m": {"prompt": "1", "written": 1}}, "'m': prompt should be a number"),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, table: object, words: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(table if isinstance(table, str) else json.dumps(table), encoding="utf-8")
    with pytest.raises(BadFile, match=words):
        read_prices(path)


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no price table"):
        read_prices(tmp_path / "none.json")


@pytest.mark.parametrize("part", ["calls", "tokens", "seconds", "money"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_a_budget_that_is_no_amount_makes_no_sense(part: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"{part} makes no sense"):
        Budget(**{part: value})  # type: ignore[arg-type]
