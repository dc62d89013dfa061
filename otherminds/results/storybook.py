"""A story as a page to look at, and `om.timeline`: for every matter, who believes what after each event.

story_report("Sally and Anne", load_story("sally-anne"), order=2).save("sally-anne.html")
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.files import write_text
from otherminds.minds.beliefs import WORLD, Trace, agreement, chain_name, summary, through, traces
from otherminds.minds.questions import questions
from otherminds.minds.sightings import Minds
from otherminds.minds.stories import load_story
from otherminds.minds.story import Story
from otherminds.minds.telling import listing, sentences
from otherminds.pages.report import Block, Figure, Folded, Report, Section, Table
from otherminds.pages.timeline import timeline as drawn
from otherminds.showing.brief import plain
from otherminds.showing.notebook import Shown


def story_report(
    title: str, story: Story, *, order: int = 2, seed: int | None = None, with_questions: bool = False
) -> Report:
    """The page of one story: who is wrong in the end, the story, a timeline for every matter, the quiz if wanted."""
    found = traces(story, order=order)
    told = sentences(story, seed=seed)
    sections = [Section("The story", [story.tell(seed=seed)])]
    sections += [Section(trace.heading, trace_blocks(trace, told, order=order)) for trace in found]
    if with_questions:
        asked = [(each.tags, each.text, each.answer) for each in questions(story, order=order)]
        rows = [(tags["order"], text, answer, tags.get("false_belief") is True) for tags, text, answer in asked]
        columns = ["order", "question", "answer", "false belief"]
        sections.append(Section("Questions", [Table(columns, rows, "All that can be asked, with the true answers")]))
    lead = f"In the end: {' '.join(summary(found, order=order, limit=2))}"
    people = f"{len(story.people)} {'person' if len(story.people) == 1 else 'people'}"
    events = f"{len(story)} {'event' if len(story) == 1 else 'events'}"
    return Report(title, lead, sections, subtitle=f"A story with {people} and {events}, up to order {order}")


def trace_blocks(trace: Trace, told: list[str], *, order: int) -> list[Block]:
    """The timeline of one matter, and under it what minds think of minds, folded."""
    caption = "What is so, and what each of them takes to be so, after each event."
    blocks: list[Block] = [_drawn(trace, WORLD, trace.of_order(1), told, caption)]
    for depth in range(2, order + 1):
        chains = trace.telling(depth)
        for inner in dict.fromkeys(minds[1:] for minds in chains):
            outer = [minds for minds in chains if minds[1:] == inner]
            verb = "thinks" if len(outer) == 1 else "think"
            heading = f"What {listing([minds[0] for minds in outer])} {verb} that {through(inner)}"
            caption = f"What {through(inner)}, and how that is seen from outside."
            blocks.append(Folded(heading, [_drawn(trace, inner, outer, told, caption)]))
    return [*blocks, *filter(None, [agreement(trace)])]


def _drawn(trace: Trace, top: Minds, below: list[Minds], told: list[str], caption: str) -> Figure:
    # The same value has the same colour in all pictures of a matter.
    values = dict.fromkeys(value for row in trace.values.values() for value in row if value is not None)
    lanes = [(chain_name(top), lane_of(trace, top))]
    for group in trace.alike(below):
        lanes.append((" › ".join([listing([minds[0] for minds in group]), *top]), lane_of(trace, group[0])))
    title = f"{trace.heading} Top lane: {chain_name(top)}"
    return Figure(drawn(lanes, told, title=title, values=list(values), unknown=trace.unknown), caption)


def lane_of(trace: Trace, minds: Minds) -> list[str | None]:
    """What these minds hold; nothing is unknown to them that is not there yet."""
    pairs = zip(trace.values[minds], trace.values[WORLD], strict=True)
    return ["" if value is None and so is None else value for value, so in pairs]


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
    found = [trace for trace in traces(told, order=order) if not about or about.casefold() in trace.heading.casefold()]
    if not found:
        what = f"about {about!r}" if about else "about anything that can change"
        raise UsageError(f"nobody in this story has a belief {what}, so there is nothing to draw")
    return Timeline({trace.heading: _picture(trace, told, order) for trace in found})


def _picture(trace: Trace, story: Story, order: int) -> str:
    deeper = [minds for depth in range(2, order + 1) for minds in trace.telling(depth)]
    alike = trace.alike(trace.of_order(1))
    lanes = [(chain_name(WORLD), lane_of(trace, WORLD))]
    lanes += [(listing([chain_name(minds) for minds in group]), lane_of(trace, group[0])) for group in alike]
    lanes += [(chain_name(minds), lane_of(trace, minds)) for minds in deeper]
    return drawn(lanes, sentences(story), title=trace.heading, unknown=trace.unknown)
