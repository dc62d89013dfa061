"""Leaks: proof, from the prompts that were really sent, that nobody read the other's thoughts.

This shares nothing with the reader of messages, so that a thought which the reader took for speech is found too. What
is private is taken twice: the thoughts as the talk has them, and the beginning of every message as the model wrote
it, up to the first mark at which a thought can end. A run of words from there that turns up in what the other was
given is a leak, unless the same words were also said aloud.

Only what the other *heard* is searched: the user turns. Their own thoughts may hold the same words by a good guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from otherminds.models import Prompt
from otherminds.talks.talk import Talk

RUN = 6
"""So many words in a row are no accident; a shorter thought counts as a whole."""

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """One message as it came about: whose turn it was, what they were given, and what came back, beginning included."""

    side: int
    prompt: Prompt
    message: str


@dataclass(frozen=True, slots=True)
class Leak:
    """Words that one side thought and the other was given: by whom, and in which of the prompts sent."""

    side: int
    prompt: int
    words: str


def check(talk: Talk, sent: Sequence[Sent]) -> list[Leak]:
    """Every prompt that holds a thought of the other side."""
    found: list[Leak] = []
    for side in (0, 1):
        secret = _secrets(talk, [one for one in sent if one.side == side and one.message], side)
        lengths = {len(run) for run in secret}
        for number, one in enumerate(sent):
            if one.side == side:
                continue
            if shared := secret.intersection(_spans(_given(one.prompt, "user"), lengths)):
                found.append(Leak(side, number, " ".join(min(shared))))
    return found


def _secrets(talk: Talk, taken: Sequence[Sent], side: int) -> set[Words]:
    """What one side thought and did not say, in runs of words that nobody had given them."""
    secret: set[Words] = set()
    thoughts = [turn.thought for turn in talk.turns if turn.speaker == side]
    for one, thought in zip_longest(taken, thoughts):
        runs = {run for text in (thought or "", _private(one.message) if one else "") for run in _runs(text)}
        # Whoever repeats the instructions, or what the other has just said, gives nothing away.
        known = _given(one.prompt, "system", "user") if one else ""
        secret |= runs - set(_spans(known, {len(run) for run in runs}))
    lengths = {len(run) for run in secret}
    return secret - {run for one in taken for run in _spans(_aloud(one.message), lengths)}


def _given(prompt: Prompt, *roles: str) -> str:
    """What a prompt holds from others than the one who is asked."""
    return "\n".join(turn.content for turn in prompt.messages if turn.role in roles)


def _private(message: str) -> str:
    """What is surely thought: up to the first bracket, quotation mark or line end that could close it."""
    held = _thought_in_json(message)
    if held is not None:
        return held
    start = message.find("(")
    return "" if start < 0 else re.split(r'[)"“”\n]', message[start + 1 :], maxsplit=1)[0]


def _aloud(message: str) -> str:
    """Everything else, which may have been said."""
    private = _private(message)
    if _thought_in_json(message) is not None:
        return json.dumps(json.loads(message).get("speech", ""), ensure_ascii=False)
    return message.replace(private, " ", 1) if private else message


def _thought_in_json(message: str) -> str | None:
    try:
        found = json.loads(message)
    except (ValueError, RecursionError):
        return None
    thought = found.get("thought") if isinstance(found, dict) else None
    return thought if isinstance(thought, str) else None


def _runs(text: str) -> Iterator[Words]:
    """The runs of words that would give a thought away."""
    length = min(RUN, len(_words(text)))
    return _spans(text, {length} if length else set())


def _spans(text: str, lengths: Iterable[int]) -> Iterator[Words]:
    """Every run of so many words."""
    words = _words(text)
    for length in lengths:
        for start in range(len(words) - length + 1):
            yield words[start : start + length]


def _words(text: str) -> Words:
    return tuple(re.findall(r"[\w']+", text.casefold().replace("’", "'")))
