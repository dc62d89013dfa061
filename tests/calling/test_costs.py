"""What asking costs: prices and budgets, forecasts, meters."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from otherminds.calling.costs import Budget, Meter, Metered, Price, read_prices
from otherminds.errors import BadFile, UsageError
from otherminds.formats.plans import plan
from otherminds.models import Prompt, Response, Usage, fingerprint
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import estimate, run
from otherminds.store.store import MEMORY, Store
from otherminds.studies.starter.study import starter


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


# ---- before ---------------------------------------------------------------------------------------------------------


def answer(prompt: Prompt) -> Response:
    return Response(
        "A", usage=Usage(prompt=len(prompt.messages[0].content) // 2, written=3), rendered=prompt.messages[0].content
    )


MODEL = Scripted(answer, name="model")
SUITE = starter().using(prompt="direct", score="text")


def test_without_a_past_tokens_are_guessed_from_characters() -> None:
    forecast = estimate(SUITE, MODEL)
    characters = sum(len(prompt.messages[0].content) for prompt in plan(SUITE).prompts)
    assert (forecast.items, forecast.calls, forecast.known) == (48, 48, 0)
    assert forecast.prompt_tokens == pytest.approx(characters / 4, abs=1)
    assert forecast.written_tokens == 48 * 64
    assert forecast.seconds is None
    assert forecast.money is None
    assert MODEL.history == []


def test_letters_are_two_calls_an_item_and_write_nothing() -> None:
    forecast = estimate(starter(), MODEL, limit=10)
    assert (forecast.items, forecast.calls, forecast.written_tokens) == (10, 20, 0)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(MEMORY) as kept:
        yield kept


def test_the_past_tells_better(store: Store) -> None:
    model = Scripted(answer, name="model")
    run(SUITE, model, store=store, limit=8)
    forecast = estimate(SUITE, model, store=store)
    assert (forecast.calls, forecast.known) == (40, 8)
    assert forecast.written_tokens == 40 * 3
    assert forecast.seconds is not None
    assert forecast.seconds >= 0
    characters = sum(len(prompt.messages[0].content) for prompt in plan(SUITE).prompts)
    assert forecast.prompt_tokens == pytest.approx(characters * 40 / 48 / 2, rel=0.05)


def test_nothing_is_left_of_a_run_that_was_made(store: Store) -> None:
    model = Scripted(answer, name="model")
    run(SUITE, model, store=store)
    forecast = estimate(SUITE, model, store=store)
    assert (forecast.calls, forecast.known, forecast.prompt_tokens) == (0, 48, 0)


def test_rate_and_money() -> None:
    forecast = estimate(SUITE, MODEL, rate=4.0, prices={"model": Price(prompt=1.0, written=2.0)})
    assert forecast.seconds == 12
    assert forecast.money == pytest.approx((forecast.prompt_tokens + 2 * forecast.written_tokens) / 1e6)
    assert estimate(SUITE, MODEL, prices={"other": Price(1.0, 1.0)}).money is None
    with pytest.raises(UsageError, match="rate of 0"):
        estimate(SUITE, MODEL, rate=0)


# ---- meanwhile ------------------------------------------------------------------------------------------------------


def test_calls_tokens_and_money() -> None:
    model = Scripted(lambda _: Response("yes", usage=Usage(1000, 0, 100)), name="paid")
    meter = Meter({"paid": Price(prompt=2.0, written=10.0)})
    metered = Metered(model, meter)
    metered.ask([Prompt("one"), Prompt("two")])
    metered.weigh([Prompt("one", choices=("a", "b"))])
    assert (meter.calls, meter.usage) == (3, Usage(2000, 0, 200))
    assert str(meter) == "3 calls, 2,200 tokens, 0.01 in money"
    assert round(meter.money, 6) == 0.006


def test_without_prices_nothing_is_said_of_money() -> None:
    assert str(Meter()) == "0 calls, 0 tokens"


def test_the_model_stays_who_it_is() -> None:
    model = Scripted(lambda _: "A", name="same", batch=7, parallel=3)
    model.cannot = frozenset({"chat"})
    metered = Metered(model, Meter())
    assert fingerprint(metered) == fingerprint(model)
    assert (metered.name, metered.batch, metered.parallel, metered.cannot) == ("same", 7, 3, frozenset({"chat"}))
