"""Prose: a story told at length by a model, step by step, and checked after each step against its events.

A writer first sets the scene and gives everybody a goal. Then it offers several continuations for every step; the first
that passes the checks is taken, and a story for which none passes is kept apart with the reason. Without a model there
is `paraphrase`. Whatever comes of it, the raw story stays part of the result.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.formats.json_prompts import json_list, json_object
from otherminds.minds.story import Story
from otherminds.minds.telling import told_premises
from otherminds.models import Model
from otherminds.prose.claims import Step, claims, known, mentions, sentence_count, steps, surface_fault
from otherminds.prose.consult import (
    JUDGES,
    SILENT,
    WIDTH,
    Claim,
    Consultation,
    Request,
    consult,
    judged,
    read_json,
    read_texts,
    silence,
)
from otherminds.stories.contexts import Context

_TEXTS: dict[str, dict[str, str]] = read_words("explore/wording")["prose"]
_WISHES, LENGTHS, STYLES = _TEXTS["wishes"], _TEXTS["lengths"], _TEXTS["styles"]
SIZES = {"one": (1, 120), "two": (1, 120), "long": (5, 400)}
"""For every length the sentences that a passage has at least, and the tokens that it may take."""


@dataclass(frozen=True, slots=True)
class Told:
    """One step: its raw words, the passage that was taken (empty if none), and why others were not."""

    raw: str
    text: str
    length: str
    style: str
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retelling:
    """A story in prose; if a step failed, the text up to there, and why."""

    story: Story
    text: str
    steps: tuple[Told, ...]
    failed: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON; the raw story is kept as its words, events and premises."""
        given = self.story.premises
        return {
            "text": self.text,
            "failed": self.failed,
            "steps": [asdict(step) for step in self.steps],
            "raw": self.story.text,
            "events": self.story.to_dicts(),
            "premises": {
                "clear": sorted(given.clear),
                "distrust": sorted(map(list, given.distrust)),
                "fresh": given.fresh,
            },
        }


def retell(
    story: Story,
    model: Model,
    *,
    judge: Model | Sequence[Model] | None = None,
    context: Context | None = None,
    candidates: int = 5,
    long: bool = False,
    seed: int = 0,
) -> Retelling:
    """One story in prose by a model, checked by one judge or two; by default it is its own judge."""
    (told,) = retell_all([(story, context)], model, judge=judge, candidates=candidates, long=long, seed=seed)
    return told


def retell_all(
    stories: Iterable[tuple[Story, Context | None]],
    model: Model,
    *,
    judge: Model | Sequence[Model] | None = None,
    candidates: int = 5,
    long: bool = False,
    seed: int = 0,
    width: int = WIDTH,
) -> Iterator[Retelling]:
    """Many stories in prose, in order; `width` of them go on at once and share their batches of prompts."""
    if candidates < 1:
        raise UsageError(f"{candidates} continuations are wanted for every step; give a number from 1 on")
    if width < 1:
        raise UsageError(f"{width} stories are to go on at once; give a number from 1 on")
    judges = [model] if judge is None else list(judge) if isinstance(judge, Sequence) else [judge]
    if not 1 <= len(judges) <= len(JUDGES):
        raise UsageError(f"{len(judges)} judges are given; prose is checked by one or two")
    works = (
        retelling(story, context=context, candidates=candidates, judges=len(judges), long=long, seed=seed)
        for story, context in stories
    )
    return consult(works, model, judges, width=width)


def paraphrase(story: Story, *, seed: int, context: Context | None = None) -> str:
    """The story in other words, without a model, with the scene of its context before it."""
    told = story.tell(seed=seed)
    return f"{context.scene} {told}" if context is not None else told


def retelling(
    story: Story,
    *,
    context: Context | None = None,
    candidates: int = 5,
    judges: int = 1,
    long: bool = False,
    seed: int = 0,
) -> Consultation[Retelling]:
    """One retelling, as a consultation that knows no model."""
    rng = random.Random(f"{seed}:{story.text}")
    parts = [(step, _manner(step, rng, long)) for step in steps(story)]
    if not parts:
        return Retelling(story, "", (), "nothing happens in this story, so there is nothing to tell")
    scene, goals = yield from _opening(story, context, judges)
    draft = _Draft(context, goals, candidates, judges, " ".join([scene, *told_premises(story)]).strip())
    told: list[Told] = []
    for number, (step, manner) in enumerate(parts, start=1):
        passage, rejected = yield from _continue(draft, step, manner)
        told.append(Told(step.raw, passage, manner.length, manner.style, tuple(rejected)))
        if not passage:
            where = f"step {number} of {len(parts)} ({step.raw})"
            return Retelling(story, draft.text, tuple(told), f"{where}: {_summary(rejected)}")
        draft.text = (draft.text + ("\n\n" if long else " ") + passage).strip()
    return Retelling(story, draft.text, tuple(told))


class _Manner(NamedTuple):
    length: str
    style: str


def _manner(step: Step, rng: random.Random, long: bool) -> _Manner:
    length, style = rng.choice(("one", "two")), rng.choice(tuple(STYLES))
    if long:
        return _Manner("long", "speech")
    # What happens and who secretly sees or misses it do not fit well into one sentence.
    return _Manner("two" if step.secret else length, style)


@dataclass(slots=True)
class _Draft:
    """A retelling under way."""

    context: Context | None
    goals: Mapping[str, str]
    candidates: int
    judges: int
    text: str
    who: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.who = {person.name: person.who for person in self.context.people} if self.context else {}

    def person(self, name: str) -> str:
        """A line on somebody: who they are and what they want."""
        parts = [f"{name}: {self.who.get(name, 'one of the people here')}"]
        if goal := self.goals.get(name):
            parts.append(f"wants {goal.removeprefix('wants ')}")
        return "; ".join(parts)


# ---- the opening --------------------------------------------------------------------------------------------------

_TEXT = {"type": "string"}
_GOALS = json_list(json_object({"name": _TEXT, "goal": _TEXT}), 0, 12)
_OPENING = json.dumps(json_object({"scene": _TEXT, "goals": _GOALS}))


def _opening(story: Story, context: Context | None, judges: int) -> Consultation[tuple[str, dict[str, str]]]:
    """A scene and the goals of the people; where the writer gives nothing usable, the context's scene and no goals."""
    wish = _WISHES["opening"].format(story=_bare(story, context))
    (response,) = yield [Request("writer", wish, _OPENING, 600)]
    data = read_json(response)
    data = data if isinstance(data, dict) else {}
    scene, given = data.get("scene"), data.get("goals")
    goals = {
        each["name"]: " ".join(each["goal"].split()).rstrip(".")
        for each in (given if isinstance(given, list) else [])
        if isinstance(each, dict) and each.get("name") in story.people and isinstance(each.get("goal"), str)
    }
    if isinstance(scene, str) and _is_scene(scene := " ".join(scene.split()), story):
        preface = f"{_bare(story, context)}\nThe opening: {scene}"
        objection, _ = yield from judged(preface, _OPENING_CLAIMS, judges=judges)
        if not objection:
            return scene, goals
    return (context.scene if context is not None else ""), goals


_OPENING_CLAIMS = (
    Claim("opening", "Is the opening coherent English that describes a place?"),
    Claim("opening", "Does the opening name a person?", False),
    Claim("opening", "Does the opening hint at anything that happens in the story?", False),
)


def _bare(story: Story, context: Context | None) -> str:
    """The story as it is, with its place and its people."""
    rooms = [f"a {name}" for name, role in story.cast.roles.items() if role == "room"]
    place = f"{context.place}. {context.scene}" if context is not None else f"{' and '.join(rooms) or 'not told'}."
    who = {person.name: person.who for person in context.people} if context is not None else {}
    people = "; ".join(f"{name}, {who[name]}" if name in who else name for name in story.people)
    return f"The place: {place}\nThe people: {people}.\nThe story: {story.text}"


def _is_scene(scene: str, story: Story) -> bool:
    """Two sentences that name nobody and nothing of the story but its rooms."""
    names = [name for name, role in story.cast.roles.items() if role != "room"]
    return sentence_count(scene) == 2 and not any(mentions(scene, name) for name in (*names, *story.world.topics))


# ---- one step -----------------------------------------------------------------------------------------------------


def _continue(draft: _Draft, step: Step, manner: _Manner) -> Consultation[tuple[str, list[str]]]:
    """The first continuation that passes all checks, and why those before it did not."""
    least, tokens = SIZES[manner.length]
    schema = json.dumps(json_object({"continuations": json_list(_TEXT, draft.candidates, draft.candidates)}))
    (response,) = yield [Request("writer", _wish(draft, step, manner), schema, 200 + tokens * draft.candidates)]
    if why := silence(response):
        return "", [f"{SILENT}: {why}"]
    rejected: list[str] = []
    for passage in read_texts(response)[: draft.candidates]:
        if fault := surface_fault(passage, step, least=least, names=_capitals(draft, step)):
            rejected.append(f"surface: {fault}")
            continue
        passage = " ".join(passage.split())
        about = preface(draft.text, step, passage)
        rule, detail = yield from judged(about, claims(step), judges=draft.judges)
        if not rule:
            return passage, rejected
        rejected.append(f"{rule}: {detail}")
        if rule == SILENT:
            break
    return "", rejected or [f"{SILENT}: it wrote no continuation"]


def _wish(draft: _Draft, step: Step, manner: _Manner) -> str:
    named = [name for name in step.named if name in step.after.people]
    rules = [
        f"Use these names as they are: {', '.join(step.named)}.",
        "Tell just what happens next: nobody else comes, goes, moves, changes, says or learns anything.",
        "Bring in no further people, and no second thing or container of a kind that is there already.",
        "No notes, no headings, no numbering.",
    ]
    if step.private:
        rules.append("Private words may pass between people anywhere, as by telephone; nobody else hears them.")
    if step.secret:
        rules.append("Keep who secretly sees, hears or misses it. Nobody notices, and it goes for this event alone.")
    place = f"The place: {draft.context.place}.\n" if draft.context is not None else ""
    so_far, people = draft.text or "(it begins here)", _points(draft.person(name) for name in named)
    asked = {"count": draft.candidates, "length": LENGTHS[manner.length], "style": STYLES[manner.style]}
    return _WISHES["step"].format(place=place, people=people, so_far=so_far, step=step, rules=_points(rules), **asked)


def preface(so_far: str, step: Step, passage: str) -> str:
    """What a judge reads of a story before the question about its new passage."""
    points = _points(known(step)) or "- Nothing is known yet."
    return _WISHES["passage"].format(so_far=so_far or "(it begins here)", known=points, passage=passage)


def _points(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _summary(rejected: list[str]) -> str:
    if rejected[-1].startswith(SILENT):
        return rejected[-1]
    rules = Counter(each.partition(":")[0] for each in rejected)
    return f"no continuation passed ({', '.join(f'{rule} {times}' for rule, times in rules.items())})"


def _capitals(draft: _Draft, step: Step) -> frozenset[str]:
    """Words that may stand in capitals: names of those who have come in, and what was said of place and story."""
    context = draft.context
    place = [context.place, context.scene, *draft.who.values()] if context is not None else []
    words = re.findall(r"[^\W\d_]+", " ".join([draft.text, step.raw, *place]))
    return frozenset(words).union(step.after.people) - (set(draft.who) - set(step.after.people))
