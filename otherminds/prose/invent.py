"""Invent: new contexts by a writer, one call each, and a judge who checks that their parts go together.

Each context starts from a place and six names that are drawn beforehand, so that contexts differ; the n-th context of a
seed is the same however many are asked for. What a judge or the form does not let pass is kept apart with the reason.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.files import read_words
from otherminds.formats.json_prompts import json_list, json_object
from otherminds.minds.setting import StateChange
from otherminds.models import Model, Response
from otherminds.prose.consult import (
    SILENT,
    Claim,
    Consultation,
    Request,
    consult,
    judged,
    read_json,
    silence,
)
from otherminds.stories.contexts import Context, bank, read_context

_TEXTS = read_words("explore/wording")["invent"]
SITES, SURROUNDINGS = tuple[str, ...](_TEXTS["sites"]), tuple[str, ...](_TEXTS["surroundings"])
_WISH: str = _TEXTS["wish"]
LISTS = {"rooms": (2, 2), "things": (1, 3), "containers": (6, 6), "topics": (6, 6)}
TOKENS = 2000


@dataclass(frozen=True, slots=True)
class Rejected:
    """A context that was not taken, by which rule, and what the writer had written."""

    id: str
    place: str
    reason: str
    detail: str
    reply: str


@dataclass(frozen=True, slots=True)
class Invention:
    """New contexts, and those that were rejected."""

    contexts: tuple[Context, ...]
    apart: tuple[Rejected, ...]

    @property
    def rejected(self) -> Counter[str]:
        """How many were rejected, by reason."""
        return Counter(each.reason for each in self.apart)


def invent(model: Model, *, number: int, judge: Model | None = None, seed: int = 0) -> Invention:
    """Ask a model for so many new contexts; the judge (by default the same model) passes some, perhaps none."""
    if number < 1:
        raise UsageError(f"{number} contexts are wanted; give a number from 1 on")
    results = list(consult(_drafts(number, seed), model, [] if judge is None else [judge]))
    contexts = tuple(each for each in results if isinstance(each, Context))
    return Invention(contexts, tuple(each for each in results if isinstance(each, Rejected)))


def write_context(context: Context) -> dict[str, Any]:
    """A context as JSON, as `read_context` reads it."""
    data = asdict(context)
    for change in data["changes"]:
        change["sentence"] = change.pop("words")
    return data


def _drafts(number: int, seed: int) -> Iterator[Consultation[Context | Rejected]]:
    names = sorted({person.name for context in bank() for person in context.people})
    places = [f"{site} {where}" for site in SITES for where in SURROUNDINGS]
    random.Random(f"places:{seed}").shuffle(places)
    for count in range(number):
        cast = random.Random(f"names:{seed}:{count}").sample(names, 6)
        yield _draft(f"invented-{seed}-{count}", places[count % len(places)], cast)


def _draft(id: str, place: str, names: Sequence[str]) -> Consultation[Context | Rejected]:
    (response,) = yield [Request("writer", _wish(place, names), _schema(names), TOKENS)]
    if why := silence(response):
        return Rejected(id, place, SILENT, why, response.text)
    try:
        context = _read(response, id, place, names)
    except BadFile as error:
        return Rejected(id, place, "form", str(error)[:300], response.text)
    reason, detail = yield from judged(f"The place: {place}. {context.scene}", list(_claims(context)))
    return Rejected(id, place, reason, detail, response.text) if reason else context


def _wish(place: str, names: Sequence[str]) -> str:
    return _WISH.format(place=place, names=", ".join(names))


def _schema(names: Sequence[str]) -> str:
    text = {"type": "string"}
    person = json_object({"name": {"type": "string", "enum": list(names)}, "who": text})
    change = json_object({"property": text, "value": text, "sentence": text})
    lists = {name: json_list(text, *size) for name, size in LISTS.items()}
    changes = {"visible_changes": json_list(change, 4, 4), "invisible_changes": json_list(change, 4, 4)}
    return json.dumps(json_object({"scene": text, "people": json_list(person, 6, 6), **lists, **changes}))


def _read(response: Response, id: str, place: str, names: Sequence[str]) -> Context:
    """The context that was written, in the form of the bank; a BadFile says what is wrong with it."""
    data = read_json(response)
    if not isinstance(data, dict):
        raise BadFile(f"{id}: there is no whole JSON object")
    given = {name: data.get(name) for name in ("scene", "people", *LISTS)} | {"id": id, "place": place}
    for name in ("rooms", "things", "containers"):
        if isinstance(words := given[name], list):
            given[name] = [_bare(each) for each in words]
    given["changes"] = [
        {**change, "visible": kind == "visible"} if isinstance(change, dict) else change
        for kind in ("visible", "invisible")
        for change in _as_list(data.get(f"{kind}_changes"))
    ]
    context = read_context(given, id)
    if fault := _fault(context, names):
        raise BadFile(f"{id}: {fault}")
    return context


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _bare(word: Any) -> Any:
    """A name as stories use it: in lower case, without an article."""
    return re.sub(r"^(?:the|an?|some)\s+", "", word.strip().lower()) if isinstance(word, str) else word


def _fault(context: Context, names: Sequence[str]) -> str:
    """What would spoil stories although every part is there; empty if nothing."""
    if {person.name for person in context.people} != set(names):
        return f"people should be {', '.join(names)}"
    if any(re.search(rf"\b{name}\b", context.scene) for name in names):
        return "the scene names somebody"
    for name in (*context.rooms, *context.things, *context.containers):
        if not re.fullmatch(r"[^\W\d_]+(?:[ '’-][^\W\d_]+){0,3}", name):
            return f"{name!r} is not a plain name"
    texts = [context.scene, *context.topics, *(person.who for person in context.people)]
    texts += [text for change in context.changes for text in (change.property, change.value, change.words)]
    if broken := next((text for text in texts if not text.isprintable()), None):
        return f"{broken!r} has line breaks or other marks"
    if len(set(context.topics)) < len(context.topics):
        return "a topic is there twice"
    seen, unseen = ({change.property for change in context.changes if change.visible is kind} for kind in (True, False))
    if both := sorted(seen & unseen):
        return f"{both[0]!r} is a property of a visible and of an invisible change"
    for change in context.changes:
        if change.words.count("}") != 2 or "{" in change.value or "}" in change.value:
            return f"a change has stray braces: {change.words!r}, {change.value!r}"
    return ""


def _claims(context: Context) -> Iterator[Claim]:
    """The rules of plausibility, as questions to the judge."""
    for container in context.containers:
        for thing in context.things:
            question = f"Can one put the {thing} into the {container}, so that it is wholly inside?"
            yield Claim("a thing does not fit into a container", question)
        question = f"When the {container} is shut, can one see from outside what is in it?"
        yield Claim("a container can be seen into", question, False)
    for thing in context.things:
        for room in context.rooms:
            yield Claim("a thing is out of place", f"Might one well find the {thing} in the {room} here?")
    for topic in context.topics:
        yield Claim("a topic is out of place", f"Might people here talk with one another about {topic}?")
    for change in context.changes:
        yield from _change_claims(change, context.things[0])


def _change_claims(change: StateChange, thing: str) -> Iterator[Claim]:
    done = change.words.format(person="Somebody", thing=thing)
    result = f"the {thing} {change.value}"
    yield Claim(
        "a change is lost on those who see it done",
        f'This is done: "{done}" Does whoever watches it from beginning to end then know that {result}?',
    )
    rule = "a visible change can be overlooked" if change.visible else "an invisible change can be seen"
    yield Claim(
        rule,
        f'Somebody knows the {thing} well. While they are away, this is done: "{done}" So now {result}. When they come '
        f"back and look at the {thing}, without touching it or asking, do they notice at first glance?",
        change.visible,
    )
