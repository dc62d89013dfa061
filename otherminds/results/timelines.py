"""`om.timeline`: who believes what after each event of a story, as pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.files import write_text
from otherminds.minds.beliefs import WORLD, Trace, chain_name, traces
from otherminds.minds.stories import load_story
from otherminds.minds.story import Story
from otherminds.minds.telling import listing, sentences
from otherminds.pages.timeline import timeline as drawn
from otherminds.results.storybook import lane_of
from otherminds.showing.brief import plain
from otherminds.showing.notebook import Shown


@dataclass(frozen=True, repr=False)
class Timeline(Shown):
    """A picture for every matter of a story: a lane for the world and one for each mind."""

    pictures: dict[str, str]
    """By what is asked, such as "Where is the marble?", the picture as SVG."""

    def __repr__(self) -> str:
        return plain(f"<Timeline: {'; '.join(self.pictures)[:200]}>")

    @property
    def svg(self) -> str:
        """The first picture."""
        return next(iter(self.pictures.values()))

    def save(self, path: str | Path) -> None:
        """Write the first picture as an .svg file."""
        write_text(path, self.svg)


def timeline(story: Story | str | Path, *, about: str = "", order: int = 1) -> Timeline:
    """Who believes what after each event of a story, given itself or by name: all matters, or those `about` a thing.

    With `order` 2 there is also a lane for what Anne thinks that Sally thinks, where that is not what Sally thinks.
    """
    told = story if isinstance(story, Story) else load_story(story)
    if not len(told):
        raise UsageError("nothing happens in this story yet, so there is nothing to draw")
    found = [trace for trace in traces(told, order=order) if not about or _is_about(trace, about)]
    if not found:
        what = f"about {about!r}" if about else "about anything that can change"
        raise UsageError(f"nobody in this story has a belief {what}, so there is nothing to draw")
    return Timeline({trace.heading: _picture(trace, told, order) for trace in found})


def _is_about(trace: Trace, thing: str) -> bool:
    return thing.casefold() in trace.heading.casefold()


def _picture(trace: Trace, story: Story, order: int) -> str:
    deeper = [minds for depth in range(2, order + 1) for minds in trace.telling(depth)]
    alike = trace.alike(trace.of_order(1))
    lanes = [(chain_name(WORLD), lane_of(trace, WORLD))]
    lanes += [(listing([chain_name(minds) for minds in group]), lane_of(trace, group[0])) for group in alike]
    lanes += [(chain_name(minds), lane_of(trace, minds)) for minds in deeper]
    return drawn(lanes, sentences(story), title=trace.heading, unknown=trace.unknown)
