"""What a run would cost, before it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from otherminds.asking.budgets import Price
from otherminds.asking.packing import Verb, call_key, recall
from otherminds.asking.plans import plan
from otherminds.asking.store import Call, Store
from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.models import Model, Prompt, Usage, fingerprint

CHARACTERS = 4
"""In one token of English, roughly; used as long as nothing is known of the model."""


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


def estimate(
    suite: Suite,
    model: Model,
    *,
    store: Store | None = None,
    limit: int | None = None,
    seed: int = 0,
    prices: Mapping[str, Price] | None = None,
    rate: float | None = None,
) -> Forecast:
    """What `run` with the same arguments would cost, by the calls in the store or by `rate` calls a second."""
    if rate is not None and not rate > 0:
        raise UsageError(f"a rate of {rate} calls a second makes no sense; give a number above 0")
    work = plan(suite, limit=limit, seed=seed, cannot=getattr(model, "cannot", ()))
    mark, verb = fingerprint(model), work.way.verb
    prompts = {call_key(mark, verb, prompt): prompt for prompt in work.prompts}
    known = recall(store, prompts)[0] if store else {}
    missing = [prompt for key, prompt in prompts.items() if key not in known]
    past = store.recent_calls(mark, verb) if store else []
    price = (prices or {}).get(model.name)
    found = foresee(verb, missing, past, price=price, rate=rate, parallel=model.parallel)
    return replace(found, items=len(work.items), known=len(known))


def foresee(
    verb: Verb,
    missing: Sequence[Prompt],
    past: Sequence[Call],
    *,
    price: Price | None = None,
    rate: float | None = None,
    parallel: int = 1,
) -> Forecast:
    """What these prompts would cost, by earlier calls of the same kind to the same model."""
    usage = Usage(
        prompt=round(sum(_length(prompt) for prompt in missing) * _tokens_per_character(past)),
        written=round(_written(missing, verb, past)),
    )
    return Forecast(
        items=0,
        calls=len(missing),
        known=0,
        prompt_tokens=usage.prompt,
        written_tokens=usage.written,
        seconds=_seconds(len(missing), parallel, past, rate),
        money=price.of(usage) if price else None,
    )


def _length(prompt: Prompt) -> int:
    return len(prompt.text) + len(prompt.prefill) + sum(len(turn.content) for turn in prompt.messages)


def _tokens_per_character(past: Sequence[Call]) -> float:
    characters = sum(len(call.rendered) for call in past)
    tokens: int = sum(call.result["usage"]["prompt"] for call in past)
    return tokens / characters if characters and tokens else 1 / CHARACTERS


def _written(missing: Sequence[Prompt], verb: str, past: Sequence[Call]) -> float:
    if past:
        mean: float = sum(call.result["usage"]["written"] for call in past) / len(past)
        return mean * len(missing)
    return sum(prompt.max_tokens for prompt in missing) if verb == "ask" else 0


def _seconds(calls: int, parallel: int, past: Sequence[Call], rate: float | None) -> float | None:
    if rate is not None:
        return calls / rate
    if not past:
        return None if calls else 0.0
    return calls * sum(call.seconds for call in past) / len(past) / parallel
