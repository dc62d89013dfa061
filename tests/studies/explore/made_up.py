"""Two tiny stories as if they had been found, and models whose answers to them are known by heart."""

from collections.abc import Callable
from dataclasses import replace

from otherminds.minds.events import Enter, Event, Leave, Move
from otherminds.minds.story import Story
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.search.hunt import Found


def story(*later: Event, away: bool = True) -> Story:
    """The marble goes from the basket to the box, with Sally away or before her eyes."""
    gone = [Leave("Sally", "den")] if away else []
    begin = [Enter("Sally", "den"), Enter("Anne", "den"), Move("Sally", "marble", "basket")]
    return Story.of(*begin, *gone, Move("Anne", "marble", "box"), *later)


def found(told: Story, name: str = "one", **changes: object) -> Found:
    """A story as if a search had found it in the smallest setting."""
    plain = Found(
        id=name,
        story=told,
        accuracy=0.5,
        cell="tomi/p2/m2",
        set="tomi",
        people=2,
        moves=2,
        order=1,
        context="den",
        method="search",
        seed=0,
        evaluated=3,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


FALSE, TRUE = found(story()), found(story(away=False), "two")


def says(answer: str | Callable[[str], str], name: str = "box sayer") -> Scripted:
    """A model that answers with a word, or with a function of the whole text it is sent."""

    def respond(prompt: Prompt) -> str:
        return answer if isinstance(answer, str) else answer(prompt.messages[0].content)

    return Scripted(respond, name=name)
