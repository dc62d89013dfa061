"""Why: the events that decide what is right to answer."""

from __future__ import annotations

from otherminds.beliefs import view
from otherminds.items import Item
from otherminds.questions import matters
from otherminds.story import Story


def why(story: Story, item: Item) -> str:
    """After which event the answer stood fast, and what happened later without changing it."""
    minds = tuple(item.meta.get("minds", ()))
    matter = next((each for each in matters(story) if each.ask(minds) == item.question), None)
    if matter is None or not minds:
        return ""
    parts = list(story.prefixes())
    thought = [matter.answer(matter.value(view(part, minds))) for part in parts]
    real = [matter.answer(matter.value(part.world)) for part in parts]
    fixed = next((n for n in range(len(parts) - 1, 0, -1) if thought[n] != thought[n - 1]), None)
    later = [n + 1 for n in range((fixed or 0) + 1, len(parts)) if real[n] != real[n - 1]]
    ends = f"No event decides it: it is “{thought[-1]}” all along." if fixed is None else f"Fixed by event {fixed + 1}."
    return f"{ends} {_out_of_reach(later)}".strip()


def _out_of_reach(later: list[int]) -> str:
    """What happened to the matter itself after the answer stood fast."""
    if not later:
        return ""
    numbers = " and ".join(map(str, later))
    does = f"Event {numbers} changes" if len(later) == 1 else f"Events {numbers} change"
    return f"{does} what is so, not this."
