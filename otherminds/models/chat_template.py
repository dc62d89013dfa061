"""A chat put into a model's own template, as runs of text and control tokens.

Control tokens come from the template alone. A story that holds the characters "<|im_end|>" stays a story: its
characters are tokenised as the text they are, and cannot close a turn.

The template is used as its makers wrote it. Some add a system turn of their own where none is given (SmolLM2's does);
that is left alone, because servers and transformers do the same and the backends must agree. Whoever wants another
system turn gives one, and `rendered` always shows what was sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NoReturn

from otherminds.errors import ModelError
from otherminds.models import Message
from otherminds.models.local.gguf import Header

Run = str | int
"""Plain text, or the number of a control token."""
MARKER = re.compile("\ue000(\\d+)\ue001")
DAY = date(2026, 1, 1)
"""What a template hears that cannot do without a date."""


def raw_runs(text: str, header: Header) -> list[Run]:
    """A raw prompt: these characters, after the token that the model wants at the beginning."""
    return [*_opening(header), text]


def chat_runs(messages: Sequence[Message], prefill: str, header: Header) -> list[Run]:
    """A chat up to the beginning of the model's turn, and `prefill` as the first words of that turn."""
    messages, rendered = rendering(messages, lambda turns, dated: _render(turns, header, dated))
    if not any(special in turn.content for special in header.specials for turn in messages):
        runs = _split(rendered, header)
    else:
        runs = _guarded(messages, rendered, header)
    opening = _opening(header)
    return joined([*([] if runs[:1] == opening else opening), *runs, prefill])


def joined(runs: Iterable[Run]) -> list[Run]:
    """Neighbouring texts made one, because tokens may reach from one into the next."""
    out: list[Run] = []
    for run in runs:
        if isinstance(run, str) and out and isinstance(out[-1], str):
            out[-1] += run
        elif run != "":
            out.append(run)
    return out


def shown(runs: Iterable[Run], header: Header) -> str:
    """The runs as one text."""
    names = header.metadata["tokenizer.ggml.tokens"]
    return "".join(run if isinstance(run, str) else names[run] for run in runs)


def _opening(header: Header) -> list[Run]:
    # SentencePiece models begin every text with a mark unless the file says otherwise, the others only if it says so.
    usual = header.metadata["tokenizer.ggml.model"] == "llama"
    wanted = header.metadata.get("tokenizer.ggml.add_bos_token", usual)
    mark = header.special("bos")
    return [mark] if wanted and mark is not None else []


def _split(text: str, header: Header) -> list[Run]:
    """Text cut at the names of control tokens."""
    names = sorted(header.specials, key=len, reverse=True)
    if not names:
        return [text]
    cut = re.split("(" + "|".join(map(re.escape, names)) + ")", text)
    return [header.specials[part] if odd % 2 else part for odd, part in enumerate(cut) if part]


def _guarded(messages: Sequence[Message], rendered: str, header: Header) -> list[Run]:
    """The chat where contents hold the names of control tokens: only what the template wrote is cut at them."""
    contents = [turn.content for turn in messages]
    marks = [turn.content for turn in marked(messages)]
    _, frame = rendering(marked(messages), lambda turns, dated: _render(turns, header, dated))
    parts = re.split("(" + "|".join(marks) + ")", frame)
    # Some templates strip what they are given.
    for given in (contents, [content.strip() for content in contents]):
        fill = dict(zip(marks, given, strict=True))
        if "".join(fill.get(part, part) for part in parts) == rendered:
            pieces = ([fill[part]] if part in fill else _split(part, header) for part in parts)
            return [run for piece in pieces for run in piece]
    raise ModelError(
        "this model's chat template rewrites its messages, and one of them holds the name of a control token, so"
        " that the two cannot be told apart; take the name out of the text or use a raw prompt"
    )


def marked(messages: Sequence[Message]) -> list[Message]:
    """The turns with markers for contents, which show where a template puts each: all around them is its own."""
    return [replace(turn, content=f"\ue000{number}\ue001") for number, turn in enumerate(messages)]


def rendering(
    messages: Sequence[Message], render: Callable[[Sequence[Message], bool], str]
) -> tuple[Sequence[Message], str]:
    """The messages as the template takes them, and what it makes of them.

    Told no date, because a prompt that changes from day to day cannot be asked again; a template that cannot do
    without is told always the same. One that refuses a system turn gets its text at the head of the first user's.
    """
    folded = _folded(messages)
    for turns in (messages,) if folded == messages else (messages, folded):
        for dated in (False, True):
            try:
                return turns, render(turns, dated)
            except Exception as error:  # a template is a program of the model's maker, and may raise anything
                refusal = error
    raise refusal


def _folded(messages: Sequence[Message]) -> Sequence[Message]:
    match messages:
        case [Message("system") as system, Message("user") as user, *rest]:
            return (replace(user, content=f"{system.content}\n\n{user.content}"), *rest)
    return messages


def _render(messages: Sequence[Message], header: Header, dated: bool) -> str:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = _refuse
    if dated:
        environment.globals["strftime_now"] = DAY.strftime
    names = header.metadata["tokenizer.ggml.tokens"]
    marks: dict[str, Any] = {}
    for name in ("bos", "eos"):
        number = header.special(name)
        marks[f"{name}_token"] = "" if number is None else names[number]
    turns = [{"role": turn.role, "content": turn.content} for turn in messages]
    try:
        template = environment.from_string(header.template)
        return template.render(messages=turns, add_generation_prompt=True, **marks)
    except Exception as error:  # a program of the model's maker may raise anything
        raise ModelError(f"this model's chat template cannot take these messages: {error}") from None


def _refuse(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)
