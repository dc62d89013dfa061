"""A loopback server with a model whose probabilities are known: by draws, by its likeliest tokens, or by completions.

It knows every item that is put to it, since whoever asks tells it beforehand (`learn`), and gives each right answer the
chance that `chance(item)` says, whatever the order of the choices.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log
from typing import Any, Literal

import pytest

from otherminds.formats import plans
from otherminds.items import Item
from tests.models.scripted_server import Call, Reply, Serving, chat, completion, serving, top

Kind = Literal["chat", "chat top-5", "completions top-20"]
KINDS: tuple[Kind, ...] = ("chat", "chat top-5", "completions top-20")
NOISE = 1e-3
"""What every token that is no letter gets."""
FILLERS = tuple(f" word{number}" for number in range(30))


def usual_chance(item: Item) -> float:
    """Between a half and nearly sure, by what is told and asked."""
    return 0.55 + 0.44 * random.Random(f"{item.context} {item.question}").random()


class Persona:
    """What is known of items, and what is answered to each."""

    def __init__(self, chance: Callable[[Item], float] = usual_chance) -> None:
        self.chance = chance
        self._items: dict[str, dict[str, Item]] = {}

    def learn(self, items: tuple[Item, ...]) -> None:
        for item in items:
            self._items.setdefault(item.question, {})[item.context] = item

    def find(self, text: str) -> Item | None:
        """The item whose story and question a prompt ends with."""
        question = text.rpartition("Question: ")[2].split("\n")[0]
        known = self._items.get(question, {})
        return max((item for context, item in known.items() if context in text), key=_length, default=None)

    def chances(self, text: str) -> dict[str, float]:
        """By letter where choices are shown, else by choice."""
        item = self.find(text)
        shown = re.findall(r"^([A-Z])\. (.+)$", text.rpartition("Question: ")[2], re.MULTILINE)
        if item is None and shown:
            return {letter: 1 / len(shown) for letter, _ in shown}
        if item is None or not item.choices:
            return {}
        names = [choice for _, choice in shown] or list(item.choices)
        right = self.chance(item)
        each = {name: right if name == item.answer else (1 - right) / (len(names) - 1) for name in names}
        return {letter: each[name] for letter, name in shown} if shown else each


def _length(item: Item) -> int:
    return len(item.context)


def as_json(said: str, item: Item, text: str) -> str:
    """The same as JSON, with a state for every sentence where the text asks for them."""
    states = [{"sentence": number, "belief": said} for number, _ in enumerate(item.meta["sentences"], start=1)]
    return json.dumps(({"states": states} if '"states"' in text else {}) | {"answer": said})


def draw(chances: dict[str, float], seed: str) -> str:
    dice = random.Random(seed).random()
    for name, share in chances.items():
        dice -= share
        if dice < 0:
            return name
    return next(iter(chances), "Good morning to you")


def tokens(chances: dict[str, float], number: int) -> dict[str, float]:
    """The likeliest next tokens."""
    rest = {token: log(NOISE) for token in FILLERS}
    known = {f" {name}": log(max(share * (1 - NOISE * len(FILLERS)), 1e-12)) for name, share in chances.items()}
    every = rest | known
    best = sorted(every, key=every.__getitem__, reverse=True)[:number]
    return {token: every[token] for token in best}


def answerer(persona: Persona, kind: Kind) -> Callable[[Call], Reply]:
    counter = [0]

    def answer(call: Call) -> Reply:
        body = call.body
        in_chat = call.path.endswith("/chat/completions")
        if in_chat != kind.startswith("chat") or not call.path.endswith("completions"):
            return Reply({"error": {"message": "no such path"}}, status=404)
        text = body["messages"][-1]["content"] if in_chat else body["prompt"]
        chances = persona.chances(text)
        if body.get("echo"):
            return completion("no echo here")
        if body.get("logprobs") and kind != "chat":
            asked = body.get("top_logprobs") if in_chat else body["logprobs"]
            most = 5 if in_chat else 20
            if asked > most:
                return Reply({"error": {"message": "too many", "param": "top_logprobs"}}, status=400)
            more: dict[str, Any] = top(tokens(chances, asked), in_chat=in_chat)
            return chat(" A", **more) if in_chat else completion(" A", **more)
        counter[0] += 1
        hot = float(body.get("temperature") or 0) > 0
        # With a seed, the same draw of the same prompt is the same.
        die = f"{text}:{body['seed']}" if "seed" in body else f"{counter[0]}"
        said = draw(chances, die) if hot else max(chances, key=chances.__getitem__, default="hm")
        wanted = text.rpartition("Question: ")[2]
        if "Reply with JSON" in wanted and (item := persona.find(text)):
            said = as_json(said, item, wanted)
        return chat(said) if in_chat else completion(f" {said}")

    return answer


@contextmanager
def persona_server(
    kind: Kind, persona: Persona, monkeypatch: pytest.MonkeyPatch, *, most: int | None = None
) -> Iterator[Serving]:
    """A server with this persona, which learns whatever is put to anybody; with `most`, so many items of each suite."""
    plain = plans.limited

    def learning(items: Any, **options: Any) -> Any:
        persona.learn(tuple(items))
        return plain(items, **(options | ({"limit": most} if most else {})))

    monkeypatch.setattr(plans, "limited", learning)
    with serving(answerer(persona, kind)) as server:
        yield server
