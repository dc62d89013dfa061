"""Consult: what a writer and a judge are asked, many consultations side by side, and reading what they say.

A consultation knows no model: it is a generator that yields requests and is sent the responses. So many of them share
one batch of prompts, and a consultation that was broken off is taken up by running it again on stored answers.
Models write what they like; whatever comes back is read as far as it is clear, and nothing here raises on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from otherminds.calling.recorded import as_recorded
from otherminds.formats import written_answers as answers
from otherminds.models import Message, Model, Prompt, Response

Role = Literal["writer", "judge", "second judge"]
JUDGES: tuple[Role, ...] = ("judge", "second judge")
T = TypeVar("T")

SILENT = "no answer"
"""The rule that is broken when a model says nothing at all."""

WIDTH = 64
"""Consultations that go on at once."""


class Request(NamedTuple):
    """What is put to the writer or to a judge; a model that cannot keep to the schema gets the text alone."""

    role: Role
    text: str
    schema: str = ""
    max_tokens: int = 64


Consultation = Generator[Sequence[Request], Sequence[Response], T]
"""Yields requests and is sent the responses, in order; returns what it comes to."""


class Claim(NamedTuple):
    """A yes-or-no question for the judge, the verdict that is hoped for, and the rule that it belongs to."""

    rule: str
    question: str
    hoped: bool = True


def consult(
    consultations: Iterable[Consultation[T]], writer: Model, judges: Sequence[Model] = (), *, width: int = WIDTH
) -> Iterator[T]:
    """What each consultation comes to, in their order; all that are under way share one batch of prompts a round.

    Without a judge the writer is its own.
    """
    models: dict[Role, Model] = {"writer": as_recorded(writer)}
    for role, judge in zip(JUDGES, judges or [writer], strict=False):
        models[role] = models["writer"] if judge is writer else as_recorded(judge)
    waiting = enumerate(consultations)
    under_way: dict[int, Consultation[T]] = {}
    answers: dict[int, Sequence[Response]] = {}
    ended: dict[int, T] = {}
    handed_out = 0
    while True:
        under_way.update(islice(waiting, width - len(under_way)))
        if not under_way:
            return
        asked: dict[int, Sequence[Request]] = {}
        for number, each in list(under_way.items()):
            try:
                asked[number] = each.send(answers.pop(number, None))  # type: ignore[arg-type]
            except StopIteration as end:
                ended[number] = end.value
                del under_way[number]
        while handed_out in ended:
            yield ended.pop(handed_out)
            handed_out += 1
        responses = iter(_answered([request for requests in asked.values() for request in requests], models))
        answers = {number: [next(responses) for _ in requests] for number, requests in asked.items()}


def judged(preface: str, claims: Sequence[Claim], *, judges: int = 1) -> Consultation[tuple[str, str]]:
    """The rule and the details of the first claim that is not borne out; two empty texts if there is none.

    Some verdicts hoped for are "no", so that a judge who says the same to everything passes nothing. Where two judges
    differ, each hears that the other does and reads once more; a claim on which they still differ is not borne out.
    """
    said = yield from _verdicts(preface, claims, judges)
    split = [claim for claim in claims if {verdict(each) for each in said[claim]} == {True, False}]
    if objection := _first_objection({claim: said[claim] for claim in claims if claim not in split}):
        return objection
    if split:
        return _first_objection((yield from _verdicts(preface, split, judges, again=True))) or ("", "")
    return "", ""


def _verdicts(
    preface: str, claims: Sequence[Claim], judges: int, *, again: bool = False
) -> Consultation[dict[Claim, Sequence[Response]]]:
    """What every judge says to every claim."""
    asked = yield [question(role, preface, claim, again=again) for claim in claims for role in JUDGES[:judges]]
    return {claim: asked[at * judges : (at + 1) * judges] for at, claim in enumerate(claims)}


def question(role: Role, preface: str, claim: Claim, *, again: bool = False) -> Request:
    """A claim as it is put to a judge."""
    ending = "Reply with yes or no, and nothing else."
    if again:
        ending = f"Two careful readers did not agree on this. Read the passage once more before you decide. {ending}"
    return Request(role, f"{preface}\n\n{claim.question}\n{ending}")


def _first_objection(said: Mapping[Claim, Sequence[Response]]) -> tuple[str, str] | None:
    for claim, responses in said.items():
        for response in responses:
            if response.error:
                return SILENT, f"the judge: {response.error}"
            if (heard := verdict(response)) is not claim.hoped:
                word = "no clear verdict" if heard is None else "yes" if heard else "no"
                return claim.rule, f"{claim.question} {word}"
    return None


def _answered(requests: Sequence[Request], models: Mapping[Role, Model]) -> list[Response]:
    found: dict[int, Response] = {}
    for model in dict.fromkeys(models.values()):
        own = [number for number, request in enumerate(requests) if models[request.role] is model]
        found.update(zip(own, _ask(model, [requests[number] for number in own]), strict=True))
    return [found[number] for number in range(len(requests))]


def _ask(model: Model, requests: Sequence[Request]) -> list[Response]:
    if not requests:
        return []
    prompts = [_prompt(model, request) for request in requests]
    responses = model.ask(prompts)
    # Many servers refuse schemas without saying so beforehand; the text alone also says what is wanted.
    again = [number for number, prompt in enumerate(prompts) if prompt.schema and responses[number].error]
    plain = model.ask([replace(prompts[number], schema="") for number in again]) if again else []
    for number, response in zip(again, plain, strict=True):
        responses[number] = response
    return responses


def _prompt(model: Model, request: Request) -> Prompt:
    schema = "" if "schema" in model.cannot else request.schema
    if "chat" in model.cannot:
        return Prompt(text=f"{request.text}\nAnswer:", schema=schema, max_tokens=request.max_tokens)
    return Prompt(messages=(Message("user", request.text),), schema=schema, max_tokens=request.max_tokens)


# ---- reading ------------------------------------------------------------------------------------------------------

_LITERAL = re.compile(r'("(?:[^"\\]|\\.)*")\s*([,\]}:])', re.DOTALL)
_POINT = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s+(\S.*)$", re.MULTILINE)
_DECODER = json.JSONDecoder(strict=False)


def verdict(response: Response) -> bool | None:
    """Whether the judge says yes; None if that is not the first thing it says, or if nothing came back."""
    return answers.yes_or_no(spoken(response))


def silence(response: Response) -> str:
    """Why there is no text to read; empty if there is one."""
    if response.error:
        return response.error
    if response.finish == "refused":
        return "it refused"
    return "" if spoken(response) else "it wrote nothing"


def spoken(response: Response) -> str:
    """What a model says when it has thought, without the fences that some put round JSON."""
    if response.error or response.finish == "refused":
        return ""
    return _sound(re.sub(r"```(?:json)?", "", answers.spoken(response.text)))


def read_json(response: Response) -> Any:
    """The first JSON object or list of a text; None if there is no whole one."""
    text = spoken(response)
    for start in islice(re.finditer(r"[{\[]", text), 20):
        try:
            value, _ = _DECODER.raw_decode(text, start.start())
            # There and back, to be rid of half surrogate pairs: legal in JSON, they can be neither stored nor sent on.
            return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
    return None


def read_texts(response: Response) -> list[str]:
    """A list of texts, however it is written: as JSON, as JSON that was cut off, as points, or as a single text."""
    text, value = spoken(response), read_json(response)
    if isinstance(value, dict):
        value = next((part for part in value.values() if isinstance(part, list)), list(value.values()))
    if isinstance(value, list):
        found = [_text_in(each) for each in value]
    elif text.startswith(("{", "[")):
        found = [literal for literal, mark in _LITERAL.findall(text) if mark != ":"]
        found = [_text_in(read_json(Response(f"[{literal}]"))) for literal in found]
    else:
        found = _POINT.findall(text) or [text]
    return [whole for each in found if (whole := _sound(each))]


def _text_in(value: Any) -> str:
    """A text, or the first text of an object or a list; nothing of anything else."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
    return next((part for part in parts if isinstance(part, str)), "")


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").strip()
