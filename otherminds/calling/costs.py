"""What asking costs: prices, a budget that stops it cleanly, a forecast before it and a meter while it lasts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any

from otherminds.calling.provenance import ROUNDS, find_share
from otherminds.errors import BadFile, UsageError
from otherminds.files import BY_HAND, parse_json, read_text
from otherminds.formats.plans import plan, repeated, with_examples
from otherminds.heuristics.readers import random
from otherminds.items import Item, Suite
from otherminds.models import Model, Prompt, Response, Usage, Verb, Weighing, fingerprint
from otherminds.models.api.provenance import canaries
from otherminds.models.gate import is_usage
from otherminds.showing.brief import Brief
from otherminds.store.packing import call_key, recall
from otherminds.store.store import Call, Store

MILLION = 1_000_000
CHARACTERS = 4
"""In one token of English, roughly; used as long as nothing is known of the model."""
AT_ONCE = 2_000
"""Items of a suite that are looked up together."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, sent and written."""

    prompt: float
    written: float

    def of(self, usage: Usage) -> float:
        """The price of this many tokens; those taken from a shared past are paid like the others."""
        return (usage.prompt * self.prompt + usage.written * self.written) / MILLION


def read_prices(path: str | Path) -> dict[str, Price]:
    """A price table: {"model": {"prompt": 0.15, "written": 0.6}}, for a million tokens."""
    try:
        table = parse_json(read_text(path, most=BY_HAND, kind="price table"))
    except ValueError as error:
        raise BadFile(f"{path} is no price table: {error}") from None
    if not isinstance(table, dict):
        raise BadFile(f'{path} should be like {{"model": {{"prompt": 0.15, "written": 0.6}}}}')
    return {name: _price(row, f"{path}, {name!r}") for name, row in table.items()}


def _price(row: object, where: str) -> Price:
    if not isinstance(row, dict) or set(row) != {"prompt", "written"}:
        raise BadFile(f"{where}: should have 'prompt' and 'written', the prices of a million tokens, not {row!r}")
    for name, value in row.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
            raise BadFile(f"{where}: {name} should be a number from 0 on, not {value!r}")
    return Price(**row)


@dataclass(frozen=True, slots=True, repr=False)
class Budget(Brief):
    """The most that may be spent; calls already under way when tokens, time or money run out are let finish."""

    calls: float | None = None
    tokens: float | None = None
    seconds: float | None = None
    money: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in fields(self)[:4]:
            value = getattr(self, part.name)
            if value is not None and not 0 <= value < inf:
                raise UsageError(
                    f"a budget of {value} {part.name} makes no sense; give a number from 0 on, or none at all"
                )

    def price(self, model: str) -> Price:
        """The price of a model, which a budget of money needs."""
        if model not in self.prices:
            raise UsageError(f"a budget of money needs a price for {model!r}; give a price table that has it")
        return self.prices[model]

    def spent(self, model: str, *, calls: int, usage: Usage, seconds: float) -> str:
        """Why nothing more may be asked, or nothing."""
        tokens = usage.prompt + usage.written
        money = self.price(model).of(usage) if self.money is not None else 0.0
        for limit, used, what in (
            (self.calls, calls, "calls is spent"),
            (self.tokens, tokens, f"tokens is spent ({tokens} used)"),
            (self.seconds, seconds, "seconds is spent"),
            (self.money, money, "in money is spent"),
        ):
            if limit is not None and used >= limit:
                return f"the budget of {limit:g} {what}"
        return ""


# ---- before ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would ask and cost; time and money are None where nothing tells them."""

    items: int
    calls: int
    """Still to be made."""
    known: int
    """Answered before, so free."""
    prompt_tokens: int
    written_tokens: int
    """The most that can be written, unless earlier calls tell what usually is."""
    seconds: float | None
    money: float | None

    def __add__(self, other: Forecast) -> Forecast:
        pairs = [(getattr(self, part.name), getattr(other, part.name)) for part in fields(self)]
        sums: list[Any] = [None if None in pair else sum(pair) for pair in pairs]
        return Forecast(*sums)


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second that a model reads and writes, all its replicas together."""

    read: float
    written: float

    def seconds(self, forecast: Forecast) -> float:
        """How long this takes; beginnings that prompts share are read again every time."""
        return forecast.prompt_tokens / self.read + forecast.written_tokens / self.written


def read_speed(text: str) -> Speed:
    """40000,2000 as tokens a second, read and written."""
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        read = written = 0.0
    if not (0 < read < inf and 0 < written < inf):
        raise UsageError(f"--speed {text!r} should be tokens a second, read and written, such as 40000,2000")
    return Speed(read, written)


def estimate(
    suite: Suite,
    model: Model,
    *,
    store: Store | None = None,
    limit: int | None = None,
    seed: int = 0,
    prices: Mapping[str, Price] | None = None,
    rate: float | None = None,
    epochs: int = 1,
    shots: Sequence[Item] = (),
    recheck: float | None = None,
) -> Forecast:
    """What `run` with the same arguments would cost, by the calls in the store or by `rate` calls a second."""
    if rate is not None and not rate > 0:
        raise UsageError(f"a rate of {rate} calls a second makes no sense; give a number above 0")
    work = plan(suite, limit=limit, seed=seed, cannot=model.cannot)
    work = repeated(with_examples(work, suite, shots, seed=seed), epochs)
    mark, verb = fingerprint(model), work.scoring.verb
    seen: set[bytes] = set()
    known = 0

    def missing() -> Iterator[Prompt]:
        nonlocal known
        items = iter(work.items)
        while some := list(islice(items, AT_ONCE)):
            asked = [one.prompt for item in some for one in work.pose(item)]
            keys = {call_key(mark, verb, prompt): prompt for prompt in asked}
            new = {key: prompt for key, prompt in keys.items() if bytes.fromhex(key) not in seen}
            seen.update(map(bytes.fromhex, new))
            found = recall(store, new)[0] if store else {}
            known += len(found)
            yield from (prompt for key, prompt in new.items() if key not in found)

    past = store.recent_calls(mark, verb) if store else []
    price = (prices or {}).get(model.name)
    found = foresee(verb, missing(), past, price=price, rate=rate, parallel=model.parallel)
    like = next((one.prompt for item in work.items[:1] for one in work.pose(item)), None)
    if found.calls and like and model.servers:
        again = [like] * round(find_share(model, recheck, found.calls) * found.calls)
        asked = [*canaries(verb, like) * ROUNDS, *again]
        found += foresee(verb, asked, past, price=price, rate=rate, parallel=model.parallel)
    return replace(found, items=len(work.items), known=known)


def foresee(
    verb: Verb,
    missing: Iterable[Prompt],
    past: Sequence[Call],
    *,
    price: Price | None = None,
    rate: float | None = None,
    parallel: int = 1,
) -> Forecast:
    """What these prompts would cost, by earlier calls of the same kind to the same model."""
    calls = characters = room = 0
    for prompt in missing:
        length = len(prompt.text) + len(prompt.prefill) + sum(len(turn.content) for turn in prompt.messages)
        calls, characters, room = calls + 1, characters + length, room + prompt.max_tokens
    sent = sum(len(call.rendered) for call in past)
    tokens = sum(call.result["usage"]["prompt"] for call in past)
    written = room if verb == "ask" else 0
    seconds = 0.0 if not calls else None
    if past:
        written = calls * sum(call.result["usage"]["written"] for call in past) / len(past)
        seconds = calls * sum(call.seconds for call in past) / len(past) / parallel
    if rate is not None:
        seconds = calls / rate
    usage = Usage(
        prompt=round(characters * (tokens / sent if sent and tokens else 1 / CHARACTERS)), written=round(written)
    )
    return Forecast(0, calls, 0, usage.prompt, usage.written, seconds, price.of(usage) if price else None)


# ---- meanwhile ------------------------------------------------------------------------------------------------------


class Meter:
    """Counts what metered models are asked, and says it in a few words."""

    def __init__(self, prices: Mapping[str, Price] | None = None) -> None:
        self._prices = prices or {}
        self._lock = Lock()
        self.calls = 0
        self.money = 0.0
        self.usage = Usage()

    def note(self, model: str, verb: Verb, prompts: Sequence[Prompt], results: Sequence[Response | Weighing]) -> None:
        """These results came back."""
        with self._lock:
            self.calls += len(results)
            for result in results:
                # Results come here before they pass the gate.
                if not is_usage(getattr(result, "usage", None)):
                    continue
                self.usage += result.usage
                if model in self._prices:
                    self.money += self._prices[model].of(result.usage)

    def __str__(self) -> str:
        cost = f", {self.money:.2f} in money" if self._prices else ""
        return f"{self.calls:,} calls, {self.usage.prompt + self.usage.written:,} tokens{cost}"


class Metered:
    """A model whose calls are noted by a meter or a dry run; all else is as the model itself has it."""

    identity: Mapping[str, Any]
    cannot: frozenset[str]

    def __init__(self, model: Model, meter: Meter | DryRun) -> None:
        self._model, self._meter = model, meter
        self.name, self.batch, self.ask_batch, self.parallel = model.name, model.batch, model.ask_batch, model.parallel

    def __getattr__(self, name: str) -> Any:
        if name not in ("identity", "cannot", "retried", "waited", "servers", "settings", "scales", "shallower"):
            raise AttributeError(name)
        return getattr(self._model, name)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        results = self._model.ask(prompts)
        self._meter.note(self.name, "ask", prompts, results)
        return results

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        results = self._model.weigh(prompts)
        self._meter.note(self.name, "weigh", prompts, results)
        return results


@dataclass(slots=True)
class DryRun:
    """What some work would ask: a stand-in answers by drawing one of the choices, and every prompt is noted once."""

    prompts: dict[str, tuple[Verb, Prompt]] = field(default_factory=dict)

    def stand_in(self, suite: Suite) -> Model:
        """Somebody who answers the questions of a suite at random, and is counted."""
        return Metered(random(suite), self)

    def note(self, model: str, verb: Verb, prompts: Sequence[Prompt], results: object = ()) -> None:
        """These were asked."""
        for prompt in prompts:
            # Only what a store would look at: whoever asked the same twice pays once.
            self.prompts.setdefault(call_key("", verb, prompt), (verb, replace(prompt, about=None)))

    def forecast(self, *, price: Price | None = None, speed: Speed | None = None) -> Forecast:
        """What the same would cost a real model."""
        verbs: tuple[Verb, Verb] = ("ask", "weigh")
        ask, weigh = (
            foresee(verb, [prompt for how, prompt in self.prompts.values() if how == verb], [], price=price)
            for verb in verbs
        )
        both = ask + weigh
        return replace(both, seconds=speed.seconds(both) if speed else None)
