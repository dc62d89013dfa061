"""All answers of some runs, for a page in which they can be filtered, searched and opened.

    browser([Part("starter", runs)])                     # a block of a report

What the script in data/items.js gets is plain JSON. Texts that occur often, such as stories and the beginnings of
prompts, are in it once: everything else holds their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from otherminds.errors import OthermindsError
from otherminds.items import Item
from otherminds.items.tags import ABOUT, CLASS, GOLD, KIND, MINDS, SENTENCES, STATE, TARGET, TASK
from otherminds.minds.beliefs import WORLD, Trace, chain_name, traces
from otherminds.minds.sightings import Minds
from otherminds.minds.story import Story
from otherminds.minds.telling import sentences
from otherminds.pages.drawing import visible
from otherminds.pages.report import Browser
from otherminds.results.answers import OF_RUN, Answers
from otherminds.results.reading import read_result, story_of, why_right
from otherminds.results.storybook import lane_of
from otherminds.runs.runs import Record, Run

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
    wanted = {(row.run.id, row.item.id) for row in behind if row.run}
    if not wanted:
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
    ids = dict.fromkeys(visible(id) for _, id in sorted(wanted))
    read, these = {"verdict": "correct|incorrect"}, {"id": "|".join(ids)}
    of_runs = {"run": "|".join(run.id for run in meant)}
    for more in ({}, read, these, {**read, **these}, {**of_runs, **these}, {**of_runs, **read, **these}):
        told = {name: value for name, value in (to | more).items() if name not in OF_RUN}
        found = {(run.id, record.item.id) for run in near for record in run.records if shows(told, run, record)}
        if found == wanted:
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


def shows(to: Mapping[str, str], run: Run, record: Record) -> bool:
    """Whether a link to these properties shows this answer; items.js goes by the same rule."""
    return all(_property(run, record, name) in value.split("|") for name, value in to.items())


def _property(run: Run, record: Record, name: str) -> str | None:
    if name in OF_RUN:
        return _of_run(run, name)
    match name:
        case "verdict":
            return record.verdict
        case "id":
            return visible(record.item.id)
        case "run":
            return run.id
        case "kind":
            return _kind(record.item)
    return tag_text(record.item.tags[name]) if name in record.item.tags else None


def _of_run(run: Run, name: str) -> str:
    return visible(str(getattr(run, name)))


def _key(item: Item) -> Key:
    return (item.id, item.context, item.question, item.cloze, *item.choices)


def _kind(item: Item) -> str:
    return visible(next((str(item.tags[name]) for name in KINDS if name in item.tags), ""))


@cache
def script() -> str:
    """What makes the page answer to filters and clicks."""
    return files("otherminds").joinpath("data/items.js").read_text(encoding="utf-8")


def records(parts: Sequence[Part]) -> dict[str, Any]:
    """The answers of these runs as JSON."""
    gathered = _Gathered()
    for part in parts:
        for run in part.runs:
            number = gathered.run(part.name, run)
            for record in run.records:
                gathered.record(number, record, part)
    return gathered.data()


class _Gathered:
    """Texts, items, stories and records, each of the first three once."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._runs: list[dict[str, str]] = []
        self._items: dict[Key, int] = {}
        self._shown: list[dict[str, Any]] = []
        self._beliefs: dict[str, int] = {}
        self._timelines: list[dict[str, Any]] = []
        self._records: list[dict[str, Any]] = []

    def data(self) -> dict[str, Any]:
        return {
            "texts": [visible(text) for text in self._texts],
            "runs": self._runs,
            "items": self._shown,
            "beliefs": self._timelines,
            "records": self._records,
        }

    def run(self, part: str, run: Run) -> int:
        self._runs.append({"study": visible(part), "run": run.id, **{name: _of_run(run, name) for name in OF_RUN}})
        return len(self._runs) - 1

    def record(self, run: int, record: Record, part: Part) -> None:
        score = record.score
        found = {
            "run": run,
            "item": self._item(record.item, part),
            "verdict": record.verdict,
            "said": visible(score.answer),
            "why": visible(score.why),
            "calls": [
                [self._pieces(r.rendered, record.item.context), self._text(read_result(r))] for r in record.results
            ],
        }
        states = score.detail.get("states")
        self._records.append(found | ({"states": [visible(str(state)) for state in states]} if states else {}))

    def _item(self, item: Item, part: Part) -> int:
        key = _key(item)
        if key not in self._items:
            why, timeline = part.explained[key]
            self._items[key] = len(self._shown)
            self._shown.append(
                {
                    "id": visible(item.id),
                    "context": self._text(item.context),
                    "question": visible(item.question),
                    "answer": visible(item.answer),
                    "choices": [visible(choice) for choice in item.choices],
                    "kind": _kind(item),
                    "tags": {visible(name): tag_text(value) for name, value in item.tags.items()},
                    "why": why,
                    "beliefs": self._timeline(timeline),
                }
            )
        return self._items[key]

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _pieces(self, prompt: str, context: str) -> list[int]:
        """A prompt as numbers of texts; the story in the middle is shared by many."""
        before, story, after = prompt.rpartition(context) if context else ("", "", prompt)
        return [self._text(part) for part in (before, story, after) if part]

    def _timeline(self, timeline: dict[str, Any] | None) -> int | None:
        if timeline is None:
            return None
        key = repr(timeline)
        if key not in self._beliefs:
            self._beliefs[key] = len(self._timelines)
            self._timelines.append(timeline)
        return self._beliefs[key]


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
        return _gold(str(item.meta.get(TARGET, "the person asked about")), told, gold)
    found = traced(item)
    if found is None:
        return None
    story, minds, matters = found
    return {
        "told": [visible(text) for text in sentences(story)],
        "matters": [
            {"heading": visible(each.heading), "lanes": _lanes(each, minds), "unknown": each.unknown}
            for each in matters[:3]
        ],
    }


def asked_about(trace: Trace, minds: Minds) -> list[Minds]:
    """The world, everybody, and the minds that are asked about, from the inside out."""
    chains = [WORLD, *trace.of_order(1), *(minds[start:] for start in range(len(minds) - 2, -1, -1))]
    return [chain for chain in dict.fromkeys(chains) if chain in trace.values]


def _lanes(trace: Trace, minds: Minds) -> list[list[Any]]:
    return [
        [visible(chain_name(chain)), [value and visible(value) for value in lane_of(trace, chain)]]
        for chain in asked_about(trace, minds)
    ]


def _gold(who: str, told: Sequence[object], gold: Sequence[Sequence[object]]) -> dict[str, Any]:
    """The states that are right after each sentence; what the model wrote is in its record."""
    lane = [visible(" or ".join(map(str, states))) for states in gold]
    return {
        "told": [visible(str(text)) for text in told],
        "matters": [{"heading": visible(f"What {who} believes"), "lanes": [["right", lane]], "unknown": "unknown"}],
        "chain": True,
    }
