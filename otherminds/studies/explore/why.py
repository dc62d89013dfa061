"""Why: the events that decide what is right to answer."""

from __future__ import annotations

from otherminds.items import Item
from otherminds.minds.beliefs import view
from otherminds.minds.questions import matters
from otherminds.minds.story import Story
from otherminds.minds.telling import listing


def why(story: Story, item: Item) -> str:
    """After which event a mind's answer stood fast, and what happened later without changing it."""
    minds = tuple(item.meta.get("minds", ()))
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
    return f"{ends} {_out_of_reach(later)}".strip()


def _out_of_reach(later: list[int]) -> str:
    """What happened to the matter itself after the answer stood fast."""
    if not later:
        return ""
    events, change = ("Event", "changes") if len(later) == 1 else ("Events", "change")
    return f"{events} {listing(map(str, later))} {change} what is so, not this."
