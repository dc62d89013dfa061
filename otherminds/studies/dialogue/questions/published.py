"""Published: the record format of ToMATO's question files, in and out.

Such a file is a JSON list with one object a question: options `a0` to `a3`, of which `a_idx` is right and `a_str`
repeats it, the conversation (under `conversation`, or `transcript`), the question `q`, and what it is about. Texts and
options are taken as they are; writing a suite that was read gives the same records again.

`false_belief` is true, false, or null for a question that nobody has judged: to say false there would be a label. Some
files leave it out instead, which is read as null.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.files import parse_json, read_text, write_text
from otherminds.items import Item, Suite, Tag, told_apart
from otherminds.studies.dialogue.questions.build import FACTORS
from otherminds.talks.talk import STATES, TRAITS

OPTIONS = ("a0", "a1", "a2", "a3")
CONVERSATION = ("conversation", "transcript")

_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys((*OPTIONS, "a_str", "big_five", "q", "q_id"), (lambda it: _is_text(it), "text")),
    "a_idx": (lambda it: _is_number(it) and 0 <= it <= 3, "a number from 0 to 3"),
    "false_belief": (lambda it: it is None or isinstance(it, bool), "true, false or null"),
    "mental_state": (lambda it: it in STATES, f"one of {', '.join(STATES)}"),
    "order": (lambda it: _is_number(it) and it in (1, 2), "1 or 2"),
    "sotopia_agents": (lambda it: isinstance(it, list) and len(it) == 2 and all(map(_is_text, it)), "two ids"),
    "sotopia_environment": (lambda it: _is_text(it), "text"),
    "u_id": (lambda it: str(it).isdecimal() and not isinstance(it, bool), "the number of the message"),
}


def read(path: str | Path, *, name: str | None = None) -> Suite:
    """A suite of the questions in a published file; a bad record is refused by number and field."""
    records = _records(path)
    items, seen = [], set()
    for number, record in enumerate(records, start=1):
        where = f"{path}, record {number}"
        item = _item(record, where)
        if item.id in seen:
            raise BadFile(f"{where}: there are two questions with q_id {item.id!r}; ids must differ")
        seen.add(item.id)
        items.append(item)
    return Suite(name or Path(path).stem, tuple(items), study="dialogue")


def write(suite: Suite, path: str | Path) -> None:
    """Write a suite as published records; the file is there whole or not at all."""
    write_text(path, json.dumps([_record(item) for item in suite], ensure_ascii=False, indent=1) + "\n")


def _records(path: str | Path) -> list[Any]:
    try:
        records = parse_json(read_text(path))
    except ValueError as error:
        raise BadFile(f"{path} is not JSON: {error}") from None
    if not isinstance(records, list) or not records:
        raise BadFile(f"{path} should be a JSON list of questions, not {type(records).__name__} or an empty list")
    return records


def _is_text(it: Any) -> bool:
    return isinstance(it, str) and bool(it.strip())


def _is_number(it: Any) -> bool:
    return isinstance(it, int) and not isinstance(it, bool)


# ---- in -----------------------------------------------------------------------------------------------------------


def _item(record: Any, where: str) -> Item:
    if not isinstance(record, dict):
        raise BadFile(f"{where} should be an object, not {record!r}")
    record = {"false_belief": None, **record}
    for field, (fits, wanted) in _CHECKS.items():
        if field not in record:
            raise BadFile(f"{where}: {field} is missing")
        if not fits(record[field]):
            raise BadFile(f"{where}: {field} should be {wanted}, not {record[field]!r}")
    texts = [key for key in CONVERSATION if _is_text(record.get(key))]
    if not texts:
        raise BadFile(f"{where}: conversation is missing; it may also be called transcript")
    options = [record[key] for key in OPTIONS]
    if options[record["a_idx"]] != record["a_str"]:
        raise BadFile(f"{where}: a_str is not option a{record['a_idx']}, which a_idx says is right")
    # Where a record repeats an option, the one that a_idx names stays the only right one.
    choices = told_apart(options)
    item = Item(
        id=record["q_id"],
        context=record[texts[0]],
        question=record["q"],
        answer=choices[record["a_idx"]],
        choices=choices,
        tags=_tags(record, record[texts[0]], where),
        meta=_meta(record, texts[0]),
    )
    # What the item does not say of the record is kept beside it, so that it can be written again as it was.
    said = _record(item)
    rest = {field: value for field, value in record.items() if field not in said or said[field] != value}
    return replace(item, meta={**item.meta, "rest": rest})


def _tags(record: Mapping[str, Any], conversation: str, where: str) -> dict[str, Tag]:
    digest = hashlib.sha256(conversation.encode()).hexdigest()[:10]
    tags: dict[str, Tag] = {"story": f"{record['mental_state']}-{digest}", "state": record["mental_state"]}
    tags["order"] = record["order"]
    if record["order"] == 2 and record["false_belief"] is not None:
        tags["false_belief"] = record["false_belief"]
    tags["surface"] = "first" if record["q"].startswith("When") else "last"
    return {**tags, **_levels(record["big_five"], where)}


def _levels(text: str, where: str) -> dict[str, Tag]:
    """high or low by trait, out of "Openness to Experience - High; …"; whatever is not high is low."""
    found = dict(re.findall(r"([A-Za-z ]+?)\s*-\s*(\w+)", text))
    levels = {factor.strip(): level for factor, level in found.items()}
    if missing := [factor for factor in FACTORS if factor not in levels]:
        raise BadFile(f"{where}: big_five should say '{missing[0]} - High' or '- Low', not {text!r}")
    high = [levels[factor].casefold() == "high" for factor in FACTORS]
    return {trait: "high" if is_high else "low" for trait, is_high in zip(TRAITS, high, strict=True)}


def _meta(record: Mapping[str, Any], conversation: str) -> dict[str, Any]:
    turn, people = int(record["u_id"]), record["sotopia_agents"]
    return {
        "speaker": people[turn % 2],
        "partner": people[1 - turn % 2],
        "turn": turn,
        "scene": record["sotopia_environment"],
        "people": people,
        "big_five": record["big_five"],
        "published": conversation,
    }


# ---- out ----------------------------------------------------------------------------------------------------------


def _record(item: Item) -> dict[str, Any]:
    lacking = [name for name in ("state", "order") if name not in item.tags]
    lacking += [name for name in ("big_five", "people", "scene", "turn", "speaker") if name not in item.meta]
    if lacking or len(item.choices) != len(OPTIONS):
        what = f"no {lacking[0]}" if lacking else f"{len(item.choices)} choices"
        raise UsageError(f"item {item.id!r} has {what}, so it is no question of a dialogue that could be published so")
    state, order, turn = item.tags["state"], item.tags["order"], item.meta["turn"]
    about = f"2nd-order-belief-about-{state}" if order == 2 else f"1st-order-{state}"
    return {
        **dict(zip(OPTIONS, item.choices, strict=True)),
        "a_idx": item.choices.index(item.answer),
        "a_str": item.answer,
        "big_five": item.meta["big_five"],
        item.meta.get("published", CONVERSATION[0]): item.context,
        "false_belief": item.tags.get("false_belief"),
        "mental_state": state,
        "order": order,
        "q": item.question,
        "q_id": f"{about}_{item.tags.get('story', item.id)}_{turn}",
        "sotopia_agents": list(item.meta["people"]),
        "sotopia_environment": item.meta["scene"],
        "u_id": str(turn),
        **item.meta.get("rest", {}),
    }
