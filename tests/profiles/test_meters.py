"""What goes through a metered model is counted, and nothing else about the model changes."""

from otherminds.asking.budgets import Price
from otherminds.models import Prompt, Response, Usage, fingerprint
from otherminds.models.scripted import Scripted
from otherminds.profiles.meters import Meter, Metered


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
