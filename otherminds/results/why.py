"""Why: what makes the right answer right, as the maker of an item says, else by the events of its story."""

from __future__ import annotations

import json
from functools import cache

from otherminds.errors import OthermindsError
from otherminds.items import Item
from otherminds.items.tags import EVENTS, MINDS, PREMISES, WHY
from otherminds.minds.beliefs import view
from otherminds.minds.questions import matters
from otherminds.minds.story import Premises, Story
from otherminds.minds.telling import listing


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
    return f"{ends} {_out_of_reach(later)}".strip()


def _out_of_reach(later: list[int]) -> str:
    """What happened to the matter itself after the answer stood fast."""
    if not later:
        return ""
    events, change = ("Event", "changes") if len(later) == 1 else ("Events", "change")
    return f"{events} {listing(map(str, later))} {change} what is so, not this."
