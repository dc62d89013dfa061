"""Trying out whether a model does what it seems to: one small prompt for everything that it may be able to do.

A text that comes back is not enough: it must keep to a schema that nobody keeps to by chance, go on from a beginning
instead of beginning anew, and weigh letters that are among what is reported. What a server was found to lack is stored
with all other calls, so that it is not tried again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from dataclasses import dataclass

from otherminds.calling.recorded import Recorded
from otherminds.errors import ModelError
from otherminds.files import read_words
from otherminds.formats.question_formats import LETTERS_IN_CHAT
from otherminds.formats.written_answers import spoken
from otherminds.models import Message, Model, Prompt, Response
from otherminds.store.store import Store

ODD = "Quarvelstrom"
"""Nobody who is asked for the capital of France says so of their own accord."""
SCHEMA = "JSON schema"
IN_CHAT = "weigh letters, in chat"
GREETING = Prompt(messages=(Message("user", "Good morning"),), max_tokens=16)
"""Whoever thinks before greeting back thinks before everything."""
THINKING = 4096
"""Tokens of room for a model that thinks before it answers, unless somebody says how many."""
TESTS = {LETTERS_IN_CHAT: IN_CHAT, "schema": SCHEMA}
"""By what may be lacking, the trial that shows it."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Whether something works (None: it could not be told), how long it took, and what came back or why nothing did."""

    ok: bool | None
    said: str
    ms: float = 0.0


def trials() -> dict[str, Prompt]:
    """One small prompt for everything a model may be able to do, in either way of asking."""
    made = {}
    for name, parts in read_words("prompts")["probes"].items():
        turns = tuple(Message("user", text) for text in parts.get("messages", ()))
        made[name] = Prompt(**{**parts, "messages": turns, "choices": tuple(parts.get("choices", ()))})
    return made


def try_out(model: Model, prompt: Prompt) -> ProbeResult:
    """What comes of one trial."""
    start = time.perf_counter()
    try:
        ok, said = _weighed(model, prompt) if prompt.choices else _asked(model, prompt)
    except ModelError as refusal:
        ok, said = False, str(refusal)
    return ProbeResult(ok, said, (time.perf_counter() - start) * 1e3)


def lacking(model: Model, wanted: Collection[str], store: Store | None = None) -> frozenset[str]:
    """Which of these a server turns out to lack, whatever it says; other models are what they say."""
    if model.identity.get("backend") != "api":
        return frozenset()
    asked: Model = Recorded(model, store) if store else model
    _, listed = model.identity.get("form", {}).get("chat", ("", 1))
    known = frozenset({LETTERS_IN_CHAT} if not listed else ()) & frozenset(wanted)
    able = [name for name in wanted if name in TESTS and name not in model.cannot | known and _applies(name, model)]
    return known | frozenset(name for name in able if try_out(asked, trials()[TESTS[name]]).ok is False)


def thinks(model: Model) -> bool:
    """Whether a model thinks before it answers: it says so, shows it, or has no room left for words."""
    if model.identity.get("backend") != "api" or "chat" in model.cannot:
        return False
    (found,) = model.ask([GREETING])
    return not found.error and _thought(found)


def _applies(name: str, model: Model) -> bool:
    return "chat" not in model.cannot and not (name == LETTERS_IN_CHAT and "weigh" in model.cannot)


def _thought(found: Response) -> bool:
    said = spoken(found.text)
    return found.thought > 0 or said != found.text or (found.finish == "length" and not said.strip())


def _weighed(model: Model, prompt: Prompt) -> tuple[bool, str]:
    (found,) = model.weigh([prompt])
    if found.error:
        return False, found.error
    said = [f"{choice.strip()} {value:.2f}" for choice, value in found.logprobs.items()]
    rest = {choice: high for choice, (_, high) in found.bounds.items() if choice not in found.logprobs}
    said += [f"{choice.strip()} not reported, at most {high:.2f}" for choice, high in rest.items()]
    return bool(found.logprobs), ", ".join(said)


def _asked(model: Model, prompt: Prompt) -> tuple[bool | None, str]:
    """A text that came back is not enough where it should have a form, or go on from a beginning."""
    (found,) = model.ask([prompt])
    said = repr(found.text)
    if found.error:
        return False, found.error
    if _thought(found) and not spoken(found.text).strip():
        return None, f"thinks first, and had no room left for words; -M thinking={THINKING} gives it more"
    if prompt.prefill and found.text.lstrip().startswith(prompt.prefill):
        return False, f"began anew: {said}"
    if prompt.schema and not _follows(spoken(found.text)):
        cut = found.finish == "length"
        return (None, f"cut off too early: {said}") if cut else (False, f"not held to the schema: {said}")
    return True, said


def _follows(text: str) -> bool:
    """Whether a text is the one object that the odd schema allows."""
    try:
        return bool(json.loads(text) == {"town": ODD})
    except ValueError:
        return False
