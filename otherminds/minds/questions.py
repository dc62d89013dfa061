"""Questions: every question that a story can answer, with the answer that its events prove.

A question asks what a chain of minds thinks about one matter: the container or the room of a thing, a state of it, or
whether a topic is known; or, with no minds, what is so and what was so. What a mind cannot know is "unknown".

What one mind thinks of another's knowledge has three values: thinks so, thinks not, and has no view. Only who knows of
something can think that another does not (`Matter.reply`). What the words leave open is not asked (`Undecided`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise, product

from otherminds.errors import UsageError
from otherminds.items import Item, Suite, Tag
from otherminds.minds.sightings import Glance, Minds, chains_of
from otherminds.minds.story import Story
from otherminds.minds.undecided import Undecided
from otherminds.minds.world import OPEN, STATE, View

UNKNOWN = "unknown"
NOWHERE = "in no container"
YES, NO = "yes", "no"
NO_VIEW = "has no view"
MOST_ORDERS = 6
MOST_CHAINS = 50_000


@dataclass(frozen=True, slots=True)
class Question:
    """Words, true answer, and the minds and the matter that it is about."""

    text: str
    answer: str
    choices: tuple[str, ...]
    minds: Minds
    about: str
    property: str
    reality: str
    """The answer if the question were what is so; for questions about the past, the answer now."""
    first_order: str
    """The answer if it were only about the last of the minds."""
    tags: Mapping[str, Tag]
    cloze: str = ""
    """The beginning of a sentence that a place completes; there is none for "unknown"."""


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that can be asked of any chain of minds."""

    kind: str
    about: str
    property: str
    choices: tuple[str, ...]
    ask: Callable[[Minds], str]
    asked: str | None = None
    """For yes-or-no questions: the value that is asked about."""
    positive: bool = True
    """For yes-or-no questions: whether "yes" means that the mind has it."""
    begin: Callable[[Minds], str] | None = None
    """For places: the beginning of a sentence that ends with one."""

    def value(self, view: View) -> str | None:
        """What a view says about it; None if nothing."""
        if self.kind == "container":
            return view._held.get(self.about)
        if self.kind == "room":
            return view._room.get(self.about)
        if self.kind == "topic":
            return self.about if self.about in view._heard else None
        return view._state.get((self.about, self.property.removeprefix(STATE)))

    def answer(self, value: str | None) -> str:
        """The same in the words of the choices."""
        if self.asked is not None:
            return YES if (value == self.asked) is self.positive else NO
        return UNKNOWN if value is None else NOWHERE if value == OPEN else value

    def choices_for(self, order: int) -> tuple[str, ...]:
        """What can be answered: whoever thinks about another's mind may have no view of it."""
        return (*self.choices, NO_VIEW) if self.asked is not None and order > 1 else self.choices

    def reply(self, minds: Minds, values: Mapping[Minds, str | None]) -> str | None:
        """The answer of these minds, given what every chain has; None where the question cannot be put to them.

        The first of several minds may know nothing of the matter, and so have no view of who does. A later one may not:
        whether Anne thinks so then hangs on what it is to think that somebody has no view.
        """
        if self.asked is not None and len(minds) > 1:
            if values[minds[:1]] is None:
                return NO_VIEW
            if any(values[minds[:end]] is None for end in range(2, len(minds))):
                return None
        return self.answer(values[minds])


class AnswerKey:
    """What every chain of minds up to an order has on the matters of a story, and what it answers."""

    __slots__ = ("_story", "_undecided", "_views", "people")

    def __init__(self, story: Story, order: int) -> None:
        self._story = story
        self._undecided = Undecided(story)
        self.people = story.people
        chains = [chain for depth in range(1, order + 1) for chain in chains_of(story.people, depth)]
        self._views = {chain: story.seen_by(chain) for chain in chains}

    def values(self, matter: Matter) -> dict[Minds, str | None]:
        """What each chain has."""
        return {chain: matter.value(view) for chain, view in self._views.items()}

    def replies(self, matter: Matter) -> dict[Minds, str]:
        """What each chain answers, as far as it can be asked."""
        values = self.values(matter)
        left_open = self._undecided.open(matter, values)
        given = {c: reply for c in values if c not in left_open and (reply := matter.reply(c, values)) is not None}
        missed = self._story.event.distracted if self._story.event else frozenset()
        if not missed:
            return given
        soon = self._after_a_look(matter, values)
        return {
            chain: reply
            for chain, reply in given.items()
            if chain[0] not in missed or matter.reply(chain, soon) == reply
        }

    def _after_a_look(self, matter: Matter, values: Mapping[Minds, str | None]) -> dict[Minds, str | None]:
        """What each chain will have once its first mind, which missed the last event, looks round again."""
        story, found = self._story, dict(values)
        for chain, view in self._views.items():
            room = story.world._room.get(chain[0], "")
            present = story.present(room)
            if present.issuperset(chain):
                found[chain] = matter.value(Glance(present, present, room, story).learn(view))
        return found


def quiz(story: Story, *, order: int = 1, seed: int | None = None, name: str = "quiz") -> Suite:
    """All questions about a story up to an order, as a suite; with a seed, the story is reworded."""
    text = story.tell(seed=seed)
    key = hashlib.sha256(text.encode()).hexdigest()[:12]
    events = story.to_dicts()
    items = []
    for number, question in enumerate(_questions(story, order)):
        if question is None:
            continue
        meta = {
            "minds": list(question.minds),
            "about": question.about,
            "property": question.property,
            "reality": question.reality,
            "first_order": question.first_order,
            "events": events,
        }
        items.append(
            Item(
                id=f"{key}-{number}",
                context=text,
                question=question.text,
                answer=question.answer,
                choices=question.choices,
                cloze=question.cloze,
                tags={**question.tags, "story": key},
                meta=meta,
            )
        )
    if not items:
        raise UsageError("this story answers no question yet: nothing was moved, changed or talked about")
    return Suite(name, tuple(items), prompt="direct", score="text")


def questions(story: Story, *, order: int = 1) -> list[Question]:
    """What is so and what was so, then what every chain of minds up to this order thinks, as far as it can be asked."""
    return [question for question in _questions(story, order) if question is not None]


def _questions(story: Story, order: int) -> list[Question | None]:
    """The same with None for each that is not asked, so that those that are keep their numbers."""
    if not 0 <= order <= MOST_ORDERS:
        raise UsageError(f"questions go from order 0 (what is so) to order {MOST_ORDERS}, so there is no order {order}")
    asked = matters(story)
    count = sum(len(story.people) * (len(story.people) - 1) ** (depth - 1) for depth in range(1, order + 1))
    if count > MOST_CHAINS:
        raise UsageError(
            f"{len(story.people)} people make {count:,} chains of minds up to order {order}; ask a lower order"
        )
    answers = AnswerKey(story, order)
    found: list[Question | None] = [*_memories(story)]
    for matter in asked:
        real = matter.value(story.world)
        values, replies = answers.values(matter), answers.replies(matter)
        if matter.kind in ("container", "room"):
            found.append(_question(matter, (), real, {}, {}, ()))
        interesting = _interesting(replies)
        found += [
            _question(matter, chain, real, values, replies, interesting) if chain in replies else None
            for chain in values
        ]
    return found


def _question(
    matter: Matter,
    minds: Minds,
    real: str | None,
    values: Mapping[Minds, str | None],
    replies: Mapping[Minds, str],
    interesting: Collection[Minds],
) -> Question:
    value = values[minds] if minds else real
    reality = matter.answer(real)
    answer = replies[minds] if minds else reality
    tags: dict[str, Tag] = {"order": len(minds), "kind": matter.kind}
    last = value
    if minds:
        last = values[minds[-1:]]
        tags["false_belief"] = value is not None and value != real
        tags["ignorance"] = value is None
        tags["interesting"] = minds in interesting
        tags["like_reality"] = answer == reality
    if len(minds) > 1:
        tags["like_last"] = answer == matter.reply(minds[1:], values)
        tags["like_first"] = answer == matter.reply(minds[:-1], values)
    if matter.asked is not None:
        tags["polarity"] = "positive" if matter.positive else "negative"
    return Question(
        matter.ask(minds),
        answer,
        matter.choices_for(len(minds)),
        minds,
        matter.about,
        matter.property,
        reality,
        matter.answer(last),
        tags,
        matter.begin(minds) if matter.begin else "",
    )


def _interesting(replies: Mapping[Minds, str]) -> set[Minds]:
    """The chains in which another person, put in the place of one of the minds, would make the answer another one."""
    alike: dict[tuple[Minds, Minds], list[Minds]] = {}
    for minds in replies:
        for place in range(len(minds)):
            alike.setdefault((minds[:place], minds[place + 1 :]), []).append(minds)
    differing = (chains for chains in alike.values() if len({replies[minds] for minds in chains}) > 1)
    return {minds for chains in differing for minds in chains}


def _memories(story: Story) -> list[Question]:
    """Where things were first and just before each move; a move whose wording fits two events is not asked of."""
    parts = list(story.prefixes())
    told = [part.event.moved() if part.event else None for part in parts]
    found = []
    for matter in matters(story):
        if matter.kind not in ("container", "room"):
            continue
        values = [matter.value(part.world) for part in parts]
        known = list(dict.fromkeys(value for value in values if value is not None))
        if len(known) < 2:
            continue
        now = matter.answer(values[-1])
        if matter.kind == "container":
            put = next(value for value in known if value != OPEN)
            asked = [(f"In which container was the {matter.about} put first?", put, "beginning")]
        else:
            asked = [(f"In which room was the {matter.about} at the beginning?", known[0], "beginning")]
        for number, (before, after) in enumerate(pairwise(values), start=1):
            clause = told[number]
            if before is not None and before != after and clause is not None and told.count(clause) == 1:
                when = clause.replace(f"the {matter.about}", "it", 1)
                asked.append((f"In which {matter.kind} was the {matter.about} just before {when}?", before, "before"))
        for text, value, when in asked:
            tags: dict[str, Tag] = {"order": 0, "kind": "memory", "when": when}
            answer = matter.answer(value)
            found.append(Question(text, answer, matter.choices, (), matter.about, matter.property, now, answer, tags))
    return found


# ---- what can be asked, and how it is asked -------------------------------------------------------------------


def matters(story: Story) -> list[Matter]:
    """Everything that can be asked about a story, of whatever minds."""
    worlds = [part.world for part in story.prefixes()]
    roles = story.cast.roles
    containers = tuple(name for name, role in roles.items() if role == "container")
    rooms = tuple(name for name, role in roles.items() if role == "room")
    things = sorted(story.things)
    found = []
    lay_open = (NOWHERE,) if any(world._held.get(thing) == OPEN for world in worlds for thing in things) else ()
    places = {
        "container": (*containers, *lay_open, UNKNOWN) if containers else (),
        "room": (*rooms, UNKNOWN) if len(rooms) > 1 else (),
    }
    for thing, (place, choices) in product(things, places.items()):
        if choices:
            found.append(Matter(place, thing, place, choices, _where(thing, place), begin=_is_in(thing, place)))
    for topic in sorted(story.world.topics):
        for positive, ask in ((True, _has_heard(topic)), (False, _is_news(f"to hear about {topic}"))):
            found.append(Matter("topic", topic, "topic", (YES, NO), ask, topic, positive))
    for thing, kind, value in sorted({(*key, value) for world in worlds for key, value in world._state.items()}):
        state = f"that the {thing} {value}"
        holds = story.world._state.get((thing, kind)) == value
        for positive, ask in ((True, _believes(state, holds=holds)), (False, _is_news(state))):
            found.append(Matter("state", thing, STATE + kind, (YES, NO), ask, value, positive))
    return found


def _where(thing: str, place: str) -> Callable[[Minds], str]:
    def ask(minds: Minds) -> str:
        if not minds:
            return f"In which {place} is the {thing} really?"
        return f"In which {place} does {minds[0]} think {_through(minds[1:])}the {thing} is?"

    return ask


def _is_in(thing: str, place: str) -> Callable[[Minds], str]:
    # Other words for a room than for a container, so that no two questions about a story begin alike.
    where = "is in the" if place == "container" else "is somewhere in the"

    def begin(minds: Minds) -> str:
        if not minds:
            return f"Really, the {thing} {where}"
        return f"{minds[0]} thinks that {_through(minds[1:]).removeprefix('that ')}the {thing} {where}"

    return begin


def _has_heard(topic: str) -> Callable[[Minds], str]:
    def ask(minds: Minds) -> str:
        if len(minds) == 1:
            return f"Has {minds[0]} heard about {topic}?"
        return f"Does {minds[0]} think {_through(minds[1:-1])}that {minds[-1]} has heard about {topic}?"

    return ask


def _believes(that: str, *, holds: bool) -> Callable[[Minds], str]:
    verb = "know" if holds else "believe"  # only what is so can be known

    def ask(minds: Minds) -> str:
        if len(minds) == 1:
            return f"Does {minds[0]} {verb} {that}?"
        return f"Does {minds[0]} think {_through(minds[1:-1])}that {minds[-1]} {verb}s {that}?"

    return ask


def _is_news(what: str) -> Callable[[Minds], str]:
    """The negative of the two above: would the last of these minds learn anything from it?"""

    def ask(minds: Minds) -> str:
        if len(minds) == 1:
            return f"Would it be news to {minds[0]} {what}?"
        return f"Does {minds[0]} think {_through(minds[1:-1])}that it would be news to {minds[-1]} {what}?"

    return ask


def _through(minds: Minds) -> str:
    return "".join(f"that {name} thinks " for name in minds)
