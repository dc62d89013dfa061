"""Wordings that ask for JSON.

    json          the answer alone
    json-chain    what somebody believes after every sentence, then the answer
    json-states   what somebody believes after every sentence, and no answer: the last state is taken for it
    json-seen     which sentences somebody perceives, then the answer from these alone

All but the first need items that say whose belief it is (`meta.target`), which question asks for it
(`meta.belief_question`) and how the story falls into sentences (`meta.sentences`). An item in `meta.demonstration`, if
there is one, is shown first, with its answer in the right form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.items import Item
from otherminds.items.tags import DEMONSTRATION, GOLD, SENTENCES, TARGET
from otherminds.models import Message, Prompt

WANTS: dict[str, tuple[str, ...]] = {
    "json": ("answer",),
    "json-chain": ("states", "answer"),
    "json-states": ("states",),
    "json-seen": ("perceived", "answer"),
}
"""The parts that each wording asks for, in this order."""

_TEXTS = read_words("prompts")["json"]
SHAPES: dict[str, str] = _TEXTS["shapes"]
SHORT, PER_SENTENCE = 96, 40
"""How many tokens a model may write: for an answer with some white space and prose around it, and for every state."""


def ask(item: Item, choices: Sequence[str], *, name: str) -> Prompt:
    """The prompt of that name, the demonstration first."""
    wants = WANTS[name]
    if not choices:
        raise UsageError(f"item {item.id!r} has no choices, so it cannot be asked for JSON; use score 'text'")
    missing = [key for key in ("target", "belief_question", "sentences") if key not in item.meta]
    if name != "json" and missing:
        raise UsageError(f"prompt {name!r} needs items with meta.{missing[0]}, and {item.id!r} has none")
    if name in ("json-states", "json-seen") and item.question != item.meta["belief_question"]:
        raise UsageError(f"prompt {name!r} asks for beliefs only, and {item.id!r} asks {item.question!r}")
    turns = []
    if DEMONSTRATION in item.meta:
        shown = Item.from_dict(item.meta[DEMONSTRATION], where=f"the demonstration of {item.id}")
        turns = [Message("user", _text(shown, shown.choices, wants)), Message("assistant", write(shown, wants))]
    length = SHORT + (PER_SENTENCE * len(item.meta[SENTENCES]) if "states" in wants else 0)
    return Prompt(
        messages=(*turns, Message("user", _text(item, choices, wants))),
        schema=json.dumps(schema(choices, wants, sentences=len(item.meta.get(SENTENCES, ())))),
        max_tokens=length,
    )


JSON_PROMPTS = {name: partial(ask, name=name) for name in WANTS}


def write(item: Item, wants: Sequence[str], *, answer: str = "", states: Sequence[str] = ()) -> str:
    """An answer in the form that is asked for; without states, those that the item has as gold."""
    chain = states or [choices[0] for choices in item.meta.get(GOLD, ())]
    parts: dict[str, Any] = {
        "states": [{"sentence": number, "belief": state} for number, state in enumerate(chain, start=1)],
        "perceived": item.meta.get("perceived", []),
        "answer": answer or item.answer,
    }
    return json.dumps({part: parts[part] for part in wants}, ensure_ascii=False)


def schema(choices: Sequence[str], wants: Sequence[str], *, sentences: int) -> dict[str, Any]:
    """The JSON schema of an answer: a state for every sentence, in words that may be answered."""
    word = {"type": "string", "enum": list(choices)}
    state = json_object({"sentence": {"type": "integer"}, "belief": word})
    parts = {
        "states": json_list(state, sentences, sentences),
        "perceived": {"type": "array", "items": {"type": "integer"}, "maxItems": sentences},
        "answer": word,
    }
    return json_object({part: parts[part] for part in wants})


def json_object(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with these parts and no others."""
    return {"type": "object", "properties": dict(parts), "required": list(parts), "additionalProperties": False}


def json_list(of: Mapping[str, Any], least: int, most: int) -> dict[str, Any]:
    """The JSON schema of a list of so many."""
    return {"type": "array", "items": dict(of), "minItems": least, "maxItems": most}


def _text(item: Item, choices: Sequence[str], wants: Sequence[str]) -> str:
    story = [item.context, ""] if item.context else []
    options = [f"Options: {', '.join(choices)}"]
    # In every wording alike, or a style that explains the word would gain on the items that need it.
    explained = ["Say unknown where there is no definite answer."] if "unknown" in choices else []
    return "\n".join(
        [*story, f"Question: {item.question}", *options, *explained, "", *_steps(item, wants), _form(wants)]
    )


def _steps(item: Item, wants: Sequence[str]) -> list[str]:
    """What to do before the answer."""
    target = item.meta.get(TARGET)
    if "states" in wants:
        return [_TEXTS["states"].format(target=target, asked=item.meta["belief_question"])]
    if "perceived" in wants:
        return [_TEXTS["perceived"].format(target=target)]
    return []


def _form(wants: Sequence[str]) -> str:
    shape = ", ".join(SHAPES[part] for part in wants)
    return f"Reply with JSON only, in this form: {{{shape}}}"
