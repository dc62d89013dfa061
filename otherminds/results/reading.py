"""One record as a person would read it: labelled texts, the same on the screen, in a report and in a browser."""

from __future__ import annotations

import json
from functools import cache
from math import exp
from typing import Any

from otherminds.errors import OthermindsError
from otherminds.items import Item
from otherminds.items.tags import EVENTS, MINDS, PREMISES, WHY
from otherminds.minds.beliefs import view
from otherminds.minds.questions import matters
from otherminds.minds.story import Premises, Story
from otherminds.minds.telling import listing
from otherminds.models import Response, Weighing
from otherminds.runs.runs import Record
from otherminds.store.packing import pack

Lines = list[tuple[str, str]]
"""Texts, each under what it is."""


def read_record(record: Record) -> Lines:
    """Story and question, each exact prompt with what came back, the answer and the verdict."""
    calls = [line for call in read_calls(record) for line in call]
    parts = [("story", record.item.context), *read_question(record), *calls, *read_answer(record)]
    return [(label, text) for label, text in parts if text]


def read_question(record: Record) -> Lines:
    """What was asked, what is right, and why."""
    item = record.item
    parts = [
        ("question", item.question),
        *((f"choice {number}", _choice(record, choice)) for number, choice in enumerate(item.choices, start=1)),
        ("right answer", item.answer),
        ("why it is right", why_right(item)),
    ]
    return [(label, text) for label, text in parts if text]


def read_calls(record: Record) -> list[Lines]:
    """Of every call, the exact prompt and what came back."""
    many = len(record.results) > 1
    return [
        [
            (f"prompt{which}, exactly as sent", result.rendered),
            (f"what came back{which}", read_result(result)),
        ]
        for number, result in enumerate(record.results, start=1)
        for which in [f" {number}" if many else ""]
    ]


def read_answer(record: Record) -> Lines:
    """What was read out of that, and what it is worth."""
    score = record.score
    return [
        ("the model's answer", score.answer or "none"),
        ("verdict", f"{record.verdict}: {score.why}" if score.why else record.verdict),
    ]


def _choice(record: Record, choice: str) -> str:
    notes = [word for word, which in (("right", record.item.answer), ("said", record.score.answer)) if which == choice]
    return f"{choice} ({', '.join(notes)})" if notes else choice


def record_data(record: Record) -> dict[str, Any]:
    """All of a record as JSON."""
    return {
        "item": record.item.to_dict(),
        "calls": [
            {"key": key, "prompt": prompt.to_dict(), "rendered": result.rendered, "result": pack(result)}
            for key, prompt, result in zip(record.calls, record.prompts, record.results, strict=False)
        ],
        "score": record.score.to_dict(),
    }


def read_result(result: Response | Weighing) -> str:
    """What a model gave back, in words and numbers."""
    if result.error:
        return f"[failed: {result.error}]"
    if isinstance(result, Response):
        ending = "" if result.finish == "stop" else f"\n[ended: {result.finish}]"
        return result.text + ending
    width = max((len(repr(choice)) for choice in (*result.logprobs, *result.bounds)), default=0)
    lines = [
        f"{choice!r:<{width}}  p = {exp(value):.4f}  log p = {value:.3f}  {_tokens(result, choice)}".rstrip()
        for choice, value in result.logprobs.items()
    ]
    lines += [
        f"{choice!r:<{width}}  not reported: log p between {low:.3f} and {high:.3f}"
        for choice, (low, high) in result.bounds.items()
    ]
    return "\n".join([*lines, f"together {result.mass:.4f}"])


def read_verdict(record: Record) -> str:
    """The verdict, the answer that was read, and why."""
    score = record.score
    read = f": {score.answer!r}" if score.answer else ""
    right = "" if record.verdict in ("correct", "unscored") else f"; right would be {record.item.answer!r}"
    return f"{record.verdict}{read} ({score.why}){right}"


def _tokens(result: Weighing, choice: str) -> str:
    tokens = result.tokens.get(choice, ())
    return f"tokens {' '.join(map(repr, tokens))}" if tokens else ""


# ---- why the right answer is right: as the maker of an item says, else by the events of its story --------------------


def why_right(item: Item) -> str:
    """Why the right answer is right, where anything tells."""
    if said := str(item.meta.get(WHY, "")):
        return said
    try:
        story = story_of(item)
        return why(story, item) if story else ""
    except (OthermindsError, KeyError, TypeError, ValueError, AttributeError, StopIteration):  # meta can hold anything
        return ""


@cache
def _known_story(key: str) -> Story:
    data = json.loads(key)
    given = data["premises"]
    clear, distrust = frozenset(given.get("clear", ())), frozenset((a, b) for a, b in given.get("distrust", ()))
    return Story.from_dicts(data["events"], premises=Premises(clear, distrust, bool(given.get("fresh", False))))


def story_of(item: Item) -> Story | None:
    """The story that an item's events tell, if it has any; events that cannot be read raise."""
    events = item.meta.get(EVENTS)
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        return None
    return _known_story(json.dumps({"events": events, "premises": item.meta.get(PREMISES, {})}))


def why(story: Story, item: Item) -> str:
    """After which event a mind's answer stood fast, and what happened later without changing it."""
    minds = tuple(item.meta.get(MINDS, ()))
    if not minds:
        return ""
    matter = next(each for each in matters(story) if each.ask(minds) == item.question)
    parts = list(story.prefixes())
    nothing = matter.answer(None)  # before the first event
    thought = [nothing, *(matter.answer(matter.value(view(part, minds))) for part in parts)]
    real = [nothing, *(matter.answer(matter.value(part.world)) for part in parts)]
    fixed = max((event for event in range(1, len(thought)) if thought[event] != thought[event - 1]), default=0)
    later = [event for event in range(fixed + 1, len(real)) if real[event] != real[event - 1]]
    ends = f"Fixed by event {fixed}." if fixed else f"No event decides it: it is “{nothing}” all along."
    if not later:
        return ends
    events, change = ("Event", "changes") if len(later) == 1 else ("Events", "change")
    return f"{ends} {events} {listing(map(str, later))} {change} what is so, not this."
