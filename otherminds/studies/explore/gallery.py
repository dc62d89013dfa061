"""Gallery: the stories found, to look at: what happens, who believes what when, and what the model got wrong."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.minds.beliefs import traces
from otherminds.minds.telling import sentences
from otherminds.pages.report import Block, Cell, Folded, Table
from otherminds.results.reading import why
from otherminds.results.storybook import trace_blocks
from otherminds.studies.explore.search.hunt import Found
from otherminds.studies.explore.sittings import Answer, Sitting

STORIES = 12
"""The most stories shown."""
ANSWERS = 12
"""The most wrong answers shown of one story."""


def gallery(sittings: Sequence[Sitting], method: str) -> list[Block]:
    """The stories that the first sitting answers worst, each folded."""
    asked: dict[Found, list[Answer]] = {}
    for answer in sittings[0].of(method):
        asked.setdefault(answer.found, []).append(answer)
    ranked = sorted(asked, key=lambda found: sum(each.value for each in asked[found]) / len(asked[found]))
    left = f" The {len(ranked) - STORIES} others are in the files." if len(ranked) > STORIES else ""
    blocks: list[Block] = [
        "Opened, each shows the story, who believes what after each event, and the answers that were wrong, with the"
        f" event by which the right answer stood fast. The worst answered come first.{left}"
    ]
    return blocks + [_folded(found, asked[found], sittings) for found in ranked[:STORIES]]


def _folded(found: Found, answers: Sequence[Answer], sittings: Sequence[Sitting]) -> Folded:
    right = sum(each.value for each in answers)
    order = "" if found.order == 1 else f" of order {found.order}"
    size = f"{found.people} people, {found.moves} moves"
    heading = f"{found.set}, {size}: {right:g} of {len(answers)}{order} right ({found.context})"
    blocks: list[Block] = [found.story.text, *_wrong_answers(found, sittings)]
    told = sentences(found.story)
    for trace in traces(found.story, order=2):
        blocks += [f"**{trace.heading}**", *trace_blocks(trace, told, order=2)]
    return Folded(heading, blocks)


def _wrong_answers(found: Found, sittings: Sequence[Sitting]) -> list[Block]:
    wrong = [
        (sitting.label, answer)
        for sitting in sittings
        for answer in sitting.answers
        if answer.found == found and answer.value < 1
    ]
    if not wrong:
        return []
    wrong.sort(key=lambda pair: (not pair[1].searched, pair[1].item.tags["order"]))
    several = len(sittings) > 1
    rows: list[list[Cell]] = [
        [
            *([label] if several else []),
            *(answer.item.question, answer.said or "a tie", answer.item.answer, why(found.story, answer.item)),
        ]
        for label, answer in wrong[:ANSWERS]
    ]
    columns = [*(["who"] if several else []), "question", "said", "right", "why"]
    more = f"{len(wrong) - ANSWERS} more were wrong." if len(wrong) > ANSWERS else ""
    return [Table(columns, rows, "Wrong answers", note=more)]
