"""The contract of a model: what every backend must do, tried on one that is really there.

    check_model(get_model("smollm2"))

A new backend is done when this raises nothing. Nothing here asks for knowledge or wit, so a model with random weights
passes as well. What a model cannot do it lists in `cannot` and refuses with a ModelError; that is checked too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import exp

from otherminds.errors import ModelError
from otherminds.models import Message, Model, Prompt, Response, Weighing, fingerprint
from otherminds.models.contract import ABILITIES

STEADY = 2e-3
"""How far the share of a label may move with the batch it is weighed in."""
CHAIN = 0.05
"""How far the parts of a continuation, weighed one after another, may be from the whole."""

STORY = "Sally puts the marble into the basket and goes out. Anne moves the marble to the box. Sally comes back."
QUESTIONS = ("Where is the marble?", "Where will Sally look for the marble?", "Who went out?")
RAW = [Prompt(text=f"{STORY}\nQuestion: {question}\nAnswer:", max_tokens=12) for question in QUESTIONS]
CHAT = [Prompt(messages=(Message("user", f"{STORY}\n{question}"),), max_tokens=12) for question in QUESTIONS]
LABELS = [
    Prompt(text=f"{STORY}\nQuestion: {question}\nA. basket\nB. box\nAnswer:", choices=("A", "B"), labels=True)
    for question in QUESTIONS
]
SCHEMA = {
    "type": "object",
    "properties": {"place": {"type": "string", "enum": ["basket", "box"]}},
    "required": ["place"],
    "additionalProperties": False,
}


class BrokenContract(AssertionError):
    """A model that does not do what every model must."""


def check_model(model: Model, *, long: int = 20_000) -> None:
    """Raise BrokenContract with a sentence at the first thing that the model gets wrong.

    `long` is a number of words that is too many for the model, if anything is.
    """
    _check_attributes(model)
    for needs, check in CHECKS:
        missing = sorted(needs & model.cannot)
        if not missing:
            check(model)
    for ability in sorted(model.cannot):
        _check_refusal(model, ability)
    if "raw" not in model.cannot:
        _check_long(model, long)


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise BrokenContract(sentence)


def _check_attributes(model: Model) -> None:
    _must(bool(model.name), "a model needs a name")
    _must(min(model.batch, model.ask_batch, model.parallel) >= 1, "batch, ask_batch and parallel are at least 1")
    _must(
        model.cannot <= {*ABILITIES},
        f"cannot holds {sorted(model.cannot - {*ABILITIES})}; it knows {sorted(ABILITIES)}",
    )
    _must(model.ask([]) == [] and model.weigh([]) == [], "nothing asked is nothing answered: an empty list")
    identity = json.dumps(model.identity, sort_keys=True)
    _must(fingerprint(model) == fingerprint(model), "the identity changes from one look to the next")
    for name, value in os.environ.items():
        if name.upper().endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")) and len(value) >= 8:
            _must(value not in identity + repr(model), f"the value of {name} is in the identity or the repr")


def _check_raw(model: Model) -> None:
    for prompt, response in zip(RAW, _check_asking(model, RAW), strict=True):
        _must(response.rendered.endswith(prompt.text), f"a raw prompt was changed on its way: {response.rendered!r}")


def _check_chat(model: Model) -> None:
    for prompt, response in zip(CHAT, _check_asking(model, CHAT), strict=True):
        # A server does not say what its template made of the messages.
        said = not response.rendered or prompt.messages[0].content in response.rendered
        _must(said, f"a message was changed on its way: {response.rendered!r}")


def _check_asking(model: Model, prompts: Sequence[Prompt]) -> list[Response]:
    """Answers come in order, and do not depend on what else is asked."""
    together = _answered(model, prompts)
    if model.identity.get("temperature", 0) == 0:
        alone = [_answered(model, [prompt])[0] for prompt in prompts]
        turned = _answered(model, prompts[::-1])[::-1]
        for prompt, *responses in zip(prompts, together, alone, turned, strict=True):
            texts = {response.text for response in responses}
            _must(len(texts) == 1, f"one prompt, several answers: {sorted(texts)} to {prompt}")
    if model.parallel > 1:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda _: _answered(model, prompts), range(2)))
    return together


def _check_limits(model: Model) -> None:
    """An answer ends at a stop string, and at the greatest length."""
    (full,) = model.ask([replace(RAW[0], max_tokens=24)])
    (short,) = model.ask([replace(RAW[0], max_tokens=1)])
    _must(short.finish == "length", f"after one token the finish should be 'length', not {short.finish!r}")
    _must(short.usage.written <= 1, f"one token was allowed and {short.usage.written} were written")
    # Random weights write broken characters, which no stop string can hold.
    later = [letter for letter in full.text[1:] if letter.isascii() and letter.isalnum()]
    if model.identity.get("temperature", 0) == 0 and later:
        stop = later[len(later) // 2]
        (cut,) = model.ask([replace(RAW[0], max_tokens=24, stop=(stop,))])
        _must(cut.finish == "stop", f"at a stop string the finish should be 'stop', not {cut.finish!r}")
        wanted = full.text[: full.text.find(stop)]
        _must(cut.text == wanted, f"with stop {stop!r} the answer should be {wanted!r}, not {cut.text!r}")


def _check_schema(model: Model) -> None:
    prompt = replace(CHAT[0] if "chat" not in model.cannot else RAW[0], schema=json.dumps(SCHEMA), max_tokens=64)
    (response,) = _answered(model, [prompt])
    try:
        place = json.loads(response.text)["place"]
    except (ValueError, KeyError, TypeError):
        raise BrokenContract(f"the answer does not follow the schema: {response.text!r}") from None
    _must(place in ("basket", "box"), f"the schema allows basket and box, not {place!r}")


def _check_labels(model: Model) -> None:
    """Shares of labels, which do not depend on the batch."""
    together = _weighed(model, LABELS)
    alone = [_weighed(model, [prompt])[0] for prompt in LABELS]
    turned = _weighed(model, LABELS[::-1])[::-1]
    for one, *others in zip(together, alone, turned, strict=True):
        for label in ("A", "B"):
            reads = label in one.bounds or {token.strip() for token in one.tokens.get(label, ())} == {label}
            _must(reads, f"the tokens counted as {label!r} are {one.tokens.get(label)}")
        moved = max((abs(_share(one) - _share(other)) for other in others), default=0.0)
        _must(moved <= STEADY, f"the share of a label moves by {moved:.4f} with the batch")
        _must(one.mass <= 1 + 1e-6, f"the labels have a probability of {one.mass} together")


def _check_continuations(model: Model) -> None:
    """Whatever follows in two steps is as likely as in one."""
    whole = Prompt(text=f"{STORY} Sally looks in the", choices=(" red", " red box"))
    rest = Prompt(text=whole.text + " red", choices=(" box",))
    _check_chain(_weighed(model, [whole, rest]), " red", " red box", " box")


def _check_prefill(model: Model) -> None:
    """The model's turn has begun and goes on: the same chain, from one side of the prefill to the other."""
    prompt = replace(CHAT[0], prefill="The marble is in the")
    (response,) = _answered(model, [prompt])
    _must(not response.text.startswith(prompt.prefill), "the answer repeats the prefill; it should go on from it")
    if not {"weigh", "continuations"} & model.cannot:
        whole = replace(CHAT[0], choices=("Sally", "Sally went"))
        rest = replace(CHAT[0], prefill="Sally", choices=(" went",))
        _check_chain(_weighed(model, [whole, rest]), "Sally", "Sally went", " went")


def _check_chain(weighings: Sequence[Weighing], first: str, both: str, second: str) -> None:
    whole, rest = weighings
    _must("".join(whole.tokens[both]).endswith(both), f"the tokens of {both!r} are {whole.tokens[both]}")
    gap = abs(whole.logprobs[first] + rest.logprobs[second] - whole.logprobs[both])
    _must(gap <= CHAIN, f"{first!r} and then {second!r} differ from {both!r} by {gap:.3f} in log-probability")


def _check_long(model: Model, words: int) -> None:
    """A prompt that is too long gets a sentence, and its neighbours get their answers."""
    endless = "so on and " * (words // 3)
    before, long, after = model.ask([RAW[0], replace(RAW[0], text=endless), RAW[1]])
    _must(not before.error and not after.error, f"a long prompt spoils its neighbours: {before.error or after.error}")
    _must(bool(long.error) or bool(long.text) or long.finish == "stop", "a long prompt got neither answer nor reason")
    if "weigh" not in model.cannot:
        first, last, second = model.weigh([LABELS[0], replace(LABELS[0], text=endless), LABELS[1]])
        _must(not first.error and not second.error, "a long prompt spoils the weighing of its neighbours")
        _must(bool(last.error) or bool(last.logprobs or last.bounds), "a long prompt got neither weights nor reason")


def _check_refusal(model: Model, ability: str) -> None:
    attempts: dict[str, Callable[[], list[Response] | list[Weighing]]] = {
        "raw": lambda: model.ask(RAW[:1]),
        "chat": lambda: model.ask(CHAT[:1]),
        "prefill": lambda: model.ask([replace(CHAT[0], prefill="The")]),
        "schema": lambda: model.ask([replace(CHAT[0], schema=json.dumps(SCHEMA))]),
        "weigh": lambda: model.weigh(LABELS[:1]),
        "continuations": lambda: model.weigh([replace(LABELS[0], labels=False, choices=(" a red box", " it"))]),
    }
    try:
        attempts[ability]()
    except ModelError as error:
        _must(bool(str(error)), f"the refusal of {ability} says nothing")
    else:
        raise BrokenContract(f"cannot holds {ability!r}, but trying it raises no ModelError")


def _answered(model: Model, prompts: Sequence[Prompt]) -> list[Response]:
    responses = model.ask(prompts)
    _must(len(responses) == len(prompts), f"{len(prompts)} prompts got {len(responses)} responses")
    for response in responses:
        _must(not response.error, f"an ordinary prompt was refused: {response.error}")
    return responses


def _weighed(model: Model, prompts: Sequence[Prompt]) -> list[Weighing]:
    weighings = model.weigh(prompts)
    _must(len(weighings) == len(prompts), f"{len(prompts)} prompts got {len(weighings)} weighings")
    for prompt, weighing in zip(prompts, weighings, strict=True):
        _must(not weighing.error, f"an ordinary prompt was not weighed: {weighing.error}")
        found = {*weighing.logprobs, *weighing.bounds}
        _must(found == set(prompt.choices), f"the choices are {prompt.choices}, and {sorted(found)} were weighed")
        _must(all(value <= 1e-6 for value in weighing.logprobs.values()), f"above certainty: {weighing.logprobs}")
    return weighings


def _share(weighing: Weighing) -> float:
    """The share of A among A and B; a half where the server reported neither."""
    if len(weighing.logprobs) < 2:
        return float("A" in weighing.logprobs) if weighing.logprobs else 0.5
    return 1 / (1 + exp(weighing.logprobs["B"] - weighing.logprobs["A"]))


CHECKS: tuple[tuple[frozenset[str], Callable[[Model], None]], ...] = (
    (frozenset({"raw"}), _check_raw),
    (frozenset({"raw"}), _check_limits),
    (frozenset({"chat"}), _check_chat),
    (frozenset({"chat", "prefill"}), _check_prefill),
    (frozenset({"schema"}), _check_schema),
    (frozenset({"raw", "weigh"}), _check_labels),
    (frozenset({"raw", "weigh", "continuations"}), _check_continuations),
)
