"""One record as a person would read it: labelled texts, the same on the screen and in a report."""

from __future__ import annotations

from math import exp
from typing import Any

from otherminds.asking.packing import pack
from otherminds.asking.runs import Record
from otherminds.items import Item
from otherminds.models import Response, Weighing


def read_record(record: Record) -> list[tuple[str, str]]:
    """Story, question, choices, why one is right, each exact prompt with what came back, the verdict and why."""
    item = record.item
    parts = [("story", item.context), ("question", item.question)]
    if item.choices:
        parts.append(("choices", "\n".join(f"{'→' if c == item.answer else ' '} {c}" for c in item.choices)))
    else:
        parts.append(("right answer", item.answer))
    parts.append(("why it is right", why_right(item)))
    many = len(record.results) > 1
    for number, result in enumerate(record.results, start=1):
        which = f" {number}" if many else ""
        parts.append((f"prompt{which}, exactly", result.rendered))
        parts.append((f"what came back{which}", read_result(result)))
    parts.append(("verdict", read_verdict(record)))
    return [(label, text) for label, text in parts if text]


def why_right(item: Item) -> str:
    """Why the right answer is right, if whoever made the item says so."""
    return str(item.meta.get("why", ""))


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
