"""What a run would cost, said before it is made."""

from collections.abc import Iterator

import pytest

from otherminds.asking.budgets import Price
from otherminds.asking.plans import plan
from otherminds.asking.runs import estimate, run
from otherminds.asking.store import MEMORY, Store
from otherminds.errors import UsageError
from otherminds.models import Prompt, Response, Usage
from otherminds.models.scripted import Scripted
from otherminds.studies.starter.build import starter


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
