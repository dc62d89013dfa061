"""All answers of some runs, for a page in which they can be filtered, searched and opened.

    browser([Part("starter", runs)])                     # a block of a report

What the script in data/items.js gets is plain JSON. Texts that occur often, such as stories and the beginnings of
prompts, are in it once: everything else holds their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from urllib.parse import quote

import numpy as np

from otherminds.errors import OthermindsError
from otherminds.files import package_file
from otherminds.items import Item, Tag
from otherminds.items.tags import ABOUT, CLASS, GOLD, KIND, MINDS, SENTENCES, STATE, TARGET, TASK
from otherminds.minds.beliefs import WORLD, Trace, chain_name, traces
from otherminds.minds.sightings import Minds
from otherminds.minds.story import Story
from otherminds.minds.telling import sentences
from otherminds.pages.drawing import visible
from otherminds.pages.report import Browser
from otherminds.results.answers import OF_RUN, Answers
from otherminds.results.reading import read_result, story_of, why_right
from otherminds.results.sources import AnswerSource
from otherminds.results.storybook import lane_of
from otherminds.runs.columns import Coded
from otherminds.runs.runs import Run

KINDS = (TASK, CLASS, STATE, KIND)
"""The first of these tags that an item has says what kind of item it is."""
NOTE = "Every question that was asked, with all that came back. An underlined number above leads to its items."


Key = tuple[str, ...]
"""All words of an item; two with the same words are shown as one."""


@dataclass(frozen=True)
class Part:
    """Runs that belong together, under a name, and what tells why an answer is right."""

    name: str
    runs: Sequence[Run]
    why: Callable[[Item], str] = why_right

    @cached_property
    def explained(self) -> dict[Key, tuple[str, dict[str, Any] | None]]:
        """Why the right answer to each item is right, and who believes what when: told once, shown in many pages."""
        # Backwards, so that of several items with the same words the first is the one that is told of.
        items = {_key(record.item): record.item for run in reversed(self.runs) for record in reversed(run.records)}
        return {key: (visible(self.why(item)), _timeline(item)) for key, item in items.items()}


def browser(parts: Sequence[Part]) -> Browser:
    """The block that a page shows."""
    return Browser(records(parts), script(), note=NOTE)


def link(part: str, to: Mapping[str, str]) -> str:
    """Where in the page the items with these properties are; without a name of a part, those of all parts."""
    wanted = {"study": part, **to} if part else to
    return "#items?" + "&".join(f"{quote(name)}={quote(value)}" for name, value in wanted.items())


def leads_to(behind: Answers, among: Answers) -> dict[str, str]:
    """Properties that lead to the answers behind a number and to no others among these; none where there are none.

    They are what tells the runs behind it from others and the tags by which it was chosen, if need be with the
    verdicts, or with the ids of the items and of the runs.
    """
    ids_by_run: dict[str, set[str]] = {}
    for run, some in behind.by_run():
        ids_by_run.setdefault(run.id, set()).update(some.item_ids)
    if not ids_by_run:
        return {}
    # The runs behind it may have been renamed for a page.
    to, near, known = {}, among.runs, {run.id: run for run in among.runs}
    meant = [known.get(run.id, run) for run in behind.runs]
    for name in OF_RUN:
        values = dict.fromkeys(_of_run(run, name) for run in meant)
        kept = [run for run in near if _of_run(run, name) in values]
        if len(kept) < len(near) or name == "model":
            near, to[name] = kept, "|".join(values)
    tags = {name: values for name, values in behind.wanted.items() if name not in (*OF_RUN, "run")}
    to |= {name: "|".join(map(tag_text, values)) for name, values in tags.items()}
    ids = dict.fromkeys(visible(id) for run in sorted(ids_by_run) for id in sorted(ids_by_run[run]))
    read, these = {"verdict": "correct|incorrect"}, {"id": "|".join(ids)}
    of_runs = {"run": "|".join(run.id for run in meant)}
    for more in ({}, read, these, {**read, **these}, {**of_runs, **these}, {**of_runs, **read, **these}):
        told = {name: value for name, value in (to | more).items() if name not in OF_RUN}
        found = {run.id: shown for run in near if (shown := shown_ids(told, run))}
        if found == ids_by_run:
            return {**to, **more}
    return {}


@dataclass(frozen=True, slots=True)
class Links:
    """From numbers to their answers, in a page that shows all of a part."""

    part: str
    among: Answers

    def to(self, behind: Answers) -> str:
        """Where exactly these answers are; empty where no link leads to them alone."""
        found = leads_to(behind, self.among)
        return link(self.part, found) if found else ""


def shown_ids(to: Mapping[str, str], run: Run) -> set[str]:
    """Return the items of a run that a link to these properties shows; items.js goes by the same rule."""
    ids, known = run.columns.ids, AnswerSource.of(run).texts
    chosen = np.ones(len(ids), dtype=bool)
    for name, value in to.items():
        if name not in known:
            known[name] = _texts(run, name)
        chosen &= known[name].among(value.split("|"))
    return {ids[place] for place in np.flatnonzero(chosen).tolist()}


def _texts(run: Run, name: str) -> Coded:
    """Return a property of every answer, as a link tells it."""
    columns = run.columns
    of_all = np.zeros(len(columns.ids), dtype=np.int32)
    if name in OF_RUN or name == "run":
        return Coded([run.id if name == "run" else _of_run(run, name)], of_all)
    if name == "verdict":
        return columns.verdicts
    if name == "id":
        return Coded([visible(id) for id in columns.ids], np.arange(len(columns.ids), dtype=np.int32))
    if name == "kind" or (columns.positions is not None and name not in columns.tags):
        tags = (record.item.tags for record in run.records)
        texts = [_kind(each) if name == "kind" else tag_text(each[name]) if name in each else None for each in tags]
        return Coded(texts, np.arange(len(texts), dtype=np.int32))
    tag = columns.tags.get(name, Coded([], of_all - 1))
    return Coded([tag_text(value) for value in tag.values], tag.codes)


def _of_run(run: Run, name: str) -> str:
    return visible(str(getattr(run, name)))


def _key(item: Item) -> Key:
    return (item.id, item.context, item.question, item.cloze, *item.choices)


def _kind(tags: Mapping[str, Tag]) -> str:
    return visible(next((str(tags[name]) for name in KINDS if name in tags), ""))


@cache
def script() -> str:
    """What makes the page answer to filters and clicks."""
    return package_file("items.js")


class _Numbers(dict[Any, int]):
    """The number of each thing, counted from 0 in the order in which they come."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = number = len(self)
        return number


def records(parts: Sequence[Part]) -> dict[str, Any]:
    """The answers of these runs as JSON; texts, items and who believes what are told once, and then by number."""
    texts, keys, told = _Numbers(), _Numbers(), _Numbers()
    runs, items, beliefs, answers = [], [], [], []
    for part in parts:
        for run in part.runs:
            runs.append({"study": visible(part.name), "run": run.id, **{name: _of_run(run, name) for name in OF_RUN}})
            for record in run.records:
                key, context = _key(record.item), record.item.context
                if key not in keys:
                    why, timeline = part.explained[key]
                    told_before = len(told)
                    told_by = None if timeline is None else told[repr(timeline)]
                    beliefs += [timeline] if len(told) > told_before else []
                    items.append(_item_data(record.item) | {"context": texts[context], "why": why, "beliefs": told_by})
                answer = {
                    "run": len(runs) - 1,
                    "item": keys[key],
                    "verdict": record.verdict,
                    "said": visible(record.score.answer),
                    "why": visible(record.score.why),
                    # The story in the middle of a prompt is shared by many.
                    "calls": [
                        [
                            [texts[piece] for piece in _pieces(result.rendered, context) if piece],
                            texts[read_result(result)],
                        ]
                        for result in record.results
                    ],
                }
                states = record.score.detail.get("states")
                answers.append(answer | ({"states": [visible(str(state)) for state in states]} if states else {}))
    listed = [visible(text) for text in texts]
    return {"texts": listed, "runs": runs, "items": items, "beliefs": beliefs, "records": answers}


def _item_data(item: Item) -> dict[str, Any]:
    return {
        "id": visible(item.id),
        "context": 0,
        "question": visible(item.question),
        "answer": visible(item.answer),
        "choices": [visible(choice) for choice in item.choices],
        "kind": _kind(item.tags),
        "tags": {visible(name): tag_text(value) for name, value in item.tags.items()},
    }


def _pieces(prompt: str, context: str) -> tuple[str, str, str]:
    return prompt.rpartition(context) if context else ("", "", prompt)


def tag_text(value: object) -> str:
    """As it stands in a link."""
    return str(value).lower() if isinstance(value, bool) else visible(str(value))


# ---- who believes what when ---------------------------------------------------------------------------------------


def traced(item: Item) -> tuple[Story, Minds, list[Trace]] | None:
    """The story of an item, the minds and the matters that its question is about; None where no events tell."""
    try:
        story = story_of(item)
        if story is None:
            return None
        minds = tuple(item.meta.get(MINDS, ()))
        found = traces(story, order=max(1, len(minds)))
    except (OthermindsError, KeyError, TypeError, ValueError, AttributeError):  # anybody's meta can hold anything
        return None
    about = str(item.meta.get(ABOUT, ""))
    return story, minds, [trace for trace in found if about and about in trace.heading] or found


def _timeline(item: Item) -> dict[str, Any] | None:
    """What is so and what is believed after each event, as a table; none where nothing tells."""
    gold, told = item.meta.get(GOLD), item.meta.get(SENTENCES)
    if isinstance(gold, list) and isinstance(told, list) and all(isinstance(states, list) for states in gold):
        # The states that are right after each sentence; what the model wrote is in its record.
        heading = f"What {item.meta.get(TARGET, 'the person asked about')} believes"
        lane = [" or ".join(map(str, states)) for states in gold]
        return {**_as_table(map(str, told), [(heading, [("right", lane)], "unknown")]), "chain": True}
    found = traced(item)
    if found is None:
        return None
    story, minds, matters = found
    lanes = [[(chain_name(chain), lane_of(each, chain)) for chain in asked_about(each, minds)] for each in matters[:3]]
    named = [(each.heading, some, each.unknown) for each, some in zip(matters, lanes, strict=False)]
    return _as_table(sentences(story), named)


def _as_table(told: Iterable[str], matters: Sequence[tuple[str, Sequence[Any], str]]) -> dict[str, Any]:
    """What is told, and under the heading of each matter its lanes by name."""
    return {
        "told": [visible(text) for text in told],
        "matters": [
            {
                "heading": visible(heading),
                "lanes": [[visible(name), [value and visible(value) for value in lane]] for name, lane in lanes],
                "unknown": unknown,
            }
            for heading, lanes, unknown in matters
        ],
    }


def asked_about(trace: Trace, minds: Minds) -> list[Minds]:
    """The world, everybody, and the minds that are asked about, from the inside out."""
    chains = [WORLD, *trace.of_order(1), *(minds[start:] for start in range(len(minds) - 2, -1, -1))]
    return [chain for chain in dict.fromkeys(chains) if chain in trace.values]
