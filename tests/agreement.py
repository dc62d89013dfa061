"""Runs the belief engine against the second opinion on generated stories, and tells where they differ.

    python -m tests.agreement --stories 20000 --order 3 --seed 0 --jobs 2

After every event, all views to the given order are compared, fact by fact; before every event, whether each of some
candidates, possible or not, may happen; and at the end, which questions can be asked. Exits with 1 if there is any
difference.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from otherminds.errors import OthermindsError
from otherminds.minds.events import Event
from otherminds.minds.notation import EVENTS, read_events, write_event
from otherminds.minds.questions import matters, questions
from otherminds.minds.setting import KINDS, Setting
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import View
from tests.possible_worlds import OPEN
from tests.second_opinion import Opinion

SHOWN = 3  # differences printed in full
CANDIDATES = 6  # events tried against both programs before each event that happens
DOINGS = [do for do, (kind, shape) in EVENTS.items() if shape in kind.shapes()]
"""Events by the names that the second opinion knows them by."""
OTHER_STATE = "is as good as new"  # a second value for every property, so that states change more than once


@dataclass
class Tally:
    """What was compared, and what differed."""

    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)  # of the events that happened
    differences: list[Difference] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.kinds += other.kinds
        self.differences += other.differences


@dataclass(frozen=True)
class Difference:
    """Two answers to one question about a story."""

    events: list[dict[str, Any]]
    premises: dict[str, Any]
    about: tuple[str, ...] | dict[str, Any]  # a chain of minds, an event that may happen next, or a question
    engine: Any
    second: Any

    def __str__(self) -> str:
        about = f"may happen or be asked: {self.about}" if isinstance(self.about, dict) else f"the view of {self.about}"
        lines = [f"premises {self.premises}", *map(str, self.events), about]
        return "\n  ".join([*lines, f"engine:         {self.engine}", f"second opinion: {self.second}"])


# --------------------------------------------------------------------------------------------------- comparing a story


def chains(people: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    """All chains of minds to this order without adjacent repeats, the empty one (the world) among them."""
    level: list[tuple[str, ...]] = [()]
    for _ in range(order):
        yield from level
        level = [(*chain, person) for chain in level for person in people if chain[-1:] != (person,)]
    yield from level


def engine_facts(view: View, things: Sequence[str]) -> dict[tuple[str, str], Any]:
    """A view of the engine, flat."""
    flat: dict[tuple[str, str], Any] = {(fact.of, fact.property): fact.value for fact in view.facts()}
    flat |= {(thing, "container"): OPEN for thing in things if view.in_the_open(thing)}
    flat |= {(topic, "topic"): True for topic in view.topics}
    return flat


def second_facts(opinion: Opinion, minds: tuple[str, ...]) -> dict[tuple[str, str], Any]:
    """What the second opinion says, flat."""
    found = opinion.beliefs(minds)
    flat: dict[tuple[str, str], Any] = {(name, "room"): room for name, room in found["room"].items()}
    flat |= {(name, "container"): place for name, place in found["place"].items()}
    flat |= {(name, f"state:{key}"): state for (name, key), state in found["state"].items()}
    flat |= {(topic, "topic"): True for topic in found["topics"]}
    return flat


def compare_views(story: Story, opinion: Opinion, minds: Sequence[tuple[str, ...]], tally: Tally) -> None:
    things = [name for name, role in opinion.roles.items() if role == "thing"]
    for chain in minds:
        second = second_facts(opinion, chain)
        try:
            engine = engine_facts(story.view(*chain), things)
        except OthermindsError as error:  # a view that cannot be had is a difference like any other
            engine = {("error", "text"): str(error)}
        tally.counts["views"] += 1
        tally.counts["facts"] += len(second)
        if engine != second:
            keys = sorted(key for key in engine | second if engine.get(key) != second.get(key))
            answers = [{key: flat.get(key, "unknown") for key in keys} for flat in (engine, second)]
            tally.differences.append(Difference(story.to_dicts(), _plain(story.premises), chain, *answers))


def compare_lookups(story: Story, opinion: Opinion, minds: Sequence[tuple[str, ...]], tally: Tally) -> None:
    """The other ways of asking a view, value by value, for all names of the story."""
    keys = ["room", "container", *(f"state:{key}" for key in opinion.visible)]
    for chain in minds:
        view, facts = story.view(*chain), opinion.here.through(chain).facts
        for name, role in opinion.roles.items():
            for key in keys if role == "thing" else ["room"]:
                value = facts.value(name, key)
                engine: list[str | bool | None] = [view.get(name, key)]
                second: list[str | bool | None] = [None if value == OPEN else value]
                if key == "container":
                    engine.append(view.in_the_open(name))
                    second.append(None if value is None else value == OPEN)
                tally.counts["look-ups"] += 1
                if engine != second:
                    story_so_far = (story.to_dicts(), _plain(story.premises), chain)
                    tally.differences.append(Difference(*story_so_far, {(name, key): engine}, {(name, key): second}))


def compare_questions(story: Story, order: int, tally: Tally) -> None:
    """What is answered to the questions about minds that can be asked of a story, by both programs."""
    events, premises = story.to_dicts(), _plain(story.premises)
    opinion = Opinion.of(events, premises)
    engine = {(question.text, question.property): question.answer for question in questions(story, order=order)}
    for matter in matters(story):
        for chain in chains(story.people, order):
            if not chain:
                continue
            value = opinion.answer(chain, matter.about, matter.property, matter.asked)
            second = None if value == "not asked" else _in_words(value, positive=matter.positive)
            tally.counts["questions left out" if second is None else "questions"] += 1
            tally.counts["questions without a view"] += second == "has no view"
            first = engine.get((matter.ask(chain), matter.property))
            if first != second:
                tally.differences.append(Difference(events, premises, {"question": matter.ask(chain)}, first, second))


def _in_words(value: str | bool | None, *, positive: bool) -> str:
    if isinstance(value, bool):
        return "yes" if value is positive else "no"
    return {None: "unknown", OPEN: "in no container", "no view": "has no view"}.get(value, str(value))


def compare_possible(story: Story, opinion: Opinion, event: Event, tally: Tally) -> bool:
    """Whether the engine lets this event happen, once the second opinion was heard."""
    data = write_event(event)
    engine: bool | str
    try:
        engine = story.can(event)
    except OthermindsError as error:
        engine = str(error)
    second = opinion.possible(data)
    tally.counts["candidates"] += 1
    tally.counts["candidates that may happen"] += engine is True
    if engine != second:
        tally.differences.append(Difference(story.to_dicts(), _plain(story.premises), data, engine, second))
    return engine is second is True


def replay(events: Sequence[dict[str, Any]], premises: dict[str, Any], order: int) -> Tally | None:
    """Both programs on these events, or None if they are not a story."""
    story, opinion, tally = Story(premises=_premises(premises)), Opinion(premises), Tally()
    for event in read_events(events):
        if not (story.can(event) and opinion.possible(write_event(event))):
            return None
        story = story.after(event)
        opinion.happen(write_event(event))
        compare_views(story, opinion, list(chains(story.people, order)), tally)
    return tally


def shrink(found: Difference) -> Difference:
    """The same difference, or one like it, in as few events as leaving out one at a time will do."""
    order = 0 if isinstance(found.about, dict) else len(found.about)
    number = 0
    while number < len(found.events):
        fewer = found.events[:number] + found.events[number + 1 :]
        smaller = _differences(fewer, found, order)
        found, number = (smaller[0], 0) if smaller else (found, number + 1)
    return found


def _differences(events: list[dict[str, Any]], like: Difference, order: int) -> list[Difference]:
    tally = replay(events, like.premises, order)
    if tally is None or not isinstance(like.about, dict):
        return tally.differences if tally else []
    story, opinion = Story(premises=_premises(like.premises)), Opinion.of(events, like.premises)
    for event in read_events(events):
        story = story.after(event)
    if "question" in like.about:
        compare_questions(story, like.about["question"].count(" think") + 1, tally)
    else:
        compare_possible(story, opinion, read_events([like.about])[0], tally)
    return [each for each in tally.differences if isinstance(each.about, dict)]


def _plain(premises: Premises) -> dict[str, Any]:
    distrust = sorted(map(list, premises.distrust))
    return {"clear": sorted(premises.clear), "distrust": distrust, "fresh": premises.fresh}


def _premises(plain: dict[str, Any]) -> Premises:
    distrust = frozenset((hearer, speaker) for hearer, speaker in plain["distrust"])
    return Premises(clear=frozenset(plain["clear"]), distrust=distrust, fresh=plain["fresh"])


# -------------------------------------------------------------------------------------------------- generating stories


def random_setting(rng: random.Random, *, fresh: bool) -> Setting:
    numbers: dict[str, Any] = {
        "people": rng.choice((2, 3, 3, 3, 4, 4, 5)),
        "rooms": rng.randint(1, 3),
        "things": rng.choice((1, 1, 2, 3)),
        "containers": rng.choice((1, 2, 2, 3, 4)),
        "topics": rng.randint(0, 2),
        "changes": rng.randint(0, 2),
    }
    kinds = tuple(kind + secret for kind in KINDS for secret in ("", "*") if rng.random() < 0.7) or ("enter",)
    bare = Setting.of(kinds=kinds, **numbers)
    clear = frozenset(name for name in bare.containers if rng.random() < 0.3)
    pairs = [(hearer, speaker) for hearer in bare.people for speaker in bare.people if hearer != speaker]
    share = rng.choice((0.0, 0.1, 0.4))
    distrust = frozenset(pair for pair in pairs if rng.random() < share)
    return replace(bare, premises=Premises(clear=clear, distrust=distrust, fresh=fresh))


def random_event(rng: random.Random, setting: Setting, opinion: Opinion, doings: Sequence[str]) -> Event:
    """Any event at all with names of this setting, rather more often a possible one than chance would have it."""
    rooms, do = opinion.here.facts.rooms, rng.choice(doings)
    person, room = rng.choice(setting.people), rng.choice(setting.rooms)
    here = rooms.get(person, room) if rng.random() < 0.9 else room
    thing, container = (random_name(rng, names, rooms, here) for names in (setting.things, setting.containers))
    names = {"person": person, "speaker": person, "object": thing, "container": container}
    names |= {"room": here if do == "leave_room" else room, "listener": rng.choice(setting.people)}
    entity, role = rng.choice(((thing, "thing"), (container, "is_container"), (person, "is_person")))
    names |= {"entity": entity, "property": "colour", "value": OTHER_STATE}
    if rng.random() < 0.03:  # names in the wrong place
        names["object"], names["container"] = container, thing
    data: dict[str, Any] = {"do": do, **{key: names[key] for key in EVENTS[do][1].fields}}
    if do == "location_declaration" and role != "thing":
        data[role] = True
    if do == "change_state" and setting.changes:
        change = rng.choice(setting.changes)
        visible = change.visible if rng.random() < 0.95 else not change.visible
        value = rng.choice((change.value, OTHER_STATE))
        data |= {"property": change.property, "value": value, "visible": visible}
    if "speaker" in data:
        data |= random_words(rng, setting)
    scene = room if do in ("enter_room", "location_declaration", "move_to_room") else here
    openly = [name for name in setting.people if rooms.get(name) == scene]
    if "listener" in data:
        openly = [person, data["listener"]]
    data |= random_watchers(rng, setting, person, openly)
    return read_events([data])[0]


def random_name(rng: random.Random, names: Sequence[str], rooms: Mapping[str, str], here: str) -> str:
    """One of these names, more often than not of what is here."""
    near = [name for name in names if rooms.get(name) == here]
    return rng.choice(near if near and rng.random() < 0.7 else names)


def random_watchers(rng: random.Random, setting: Setting, person: str, openly: list[str]) -> dict[str, Any]:
    """Some peekers and some distracted; one time in ten without a thought for where people are."""
    inside = [name for name in openly if name != person]
    outside = [name for name in setting.people if name not in (person, *openly)]
    if rng.random() < 0.1:
        inside = outside = list(setting.people)
    peekers, distracted = ([name for name in names if rng.random() < 0.2] for names in (outside, inside))
    return {"peekers": peekers, "distracted": distracted}


def random_words(rng: random.Random, setting: Setting) -> dict[str, Any]:
    """Something to say, true or not: a topic or a fact."""
    if setting.topics and rng.random() < 0.2:
        return {"topic": rng.choice(setting.topics)}
    name = rng.choice(rng.choice((setting.things, setting.things, setting.people, setting.containers)))
    said = [("room", rng.choice(setting.rooms))]
    if name in setting.things or rng.random() < 0.03:
        said += [("container", rng.choice(setting.containers))]
        said += [(f"state:{each.property}", rng.choice((each.value, OTHER_STATE))) for each in setting.changes]
    key, value = rng.choice(said)
    return {"fact": {"entity": name, "property": key, "value": value}}


def run_story(number: int, *, order: int, seed: int) -> Tally:
    """One generated story, told to both programs."""
    rng, tally = random.Random(f"{seed}:{number}"), Tally()
    setting = random_setting(rng, fresh=rng.random() < 0.3)
    # Every story has a mixture of its own, so that some are nearly all talk and others all traffic.
    doings = [*rng.choices(DOINGS, k=5), *rng.choices(("tell_privately", "tell_publicly"), k=rng.randint(0, 5))]
    story, opinion = Story(premises=setting.premises), Opinion(_plain(setting.premises))
    tally.counts["stories"] = 1
    for _ in range(rng.choice((*range(5, 13), *range(5, 13), 20))):
        candidates = [random_event(rng, setting, opinion, doings) for _ in range(CANDIDATES)]
        event = next_event(rng, setting, story, opinion, candidates, tally)
        if event is None:
            break
        story = story.after(event)
        opinion.happen(write_event(event))
        tally.counts["events"] += 1
        tally.kinds[write_event(event)["do"]] += 1
        compare_views(story, opinion, list(chains(story.people, order)), tally)
    if not tally.differences:
        compare_questions(story, order, tally)
    if number % 10 == 0 and not tally.differences:
        compare_lookups(story, opinion, list(chains(story.people, order)), tally)
    return tally


def next_event(
    rng: random.Random, setting: Setting, story: Story, opinion: Opinion, candidates: list[Event], tally: Tally
) -> Event | None:
    """What happens next: some of the time what the setting proposes, otherwise a possible candidate."""
    possible = [event for event in candidates if compare_possible(story, opinion, event, tally)]
    if tally.differences:
        return None
    proposed = setting.step(story, rng)
    if proposed is not None and not compare_possible(story, opinion, proposed, tally):
        return None
    return possible[-1] if possible and rng.random() < 0.7 else proposed


# ------------------------------------------------------------------------------------------------------------- running


def agree(stories: int, *, order: int, seed: int, jobs: int = 1) -> Tally:
    """The engine and the second opinion on so many stories."""
    total, one = Tally(), partial(run_story, order=order, seed=seed)
    if jobs == 1:
        for number in range(stories):
            total.add(one(number))
        return total
    with ProcessPoolExecutor(jobs) as pool:
        for tally in pool.map(one, range(stories), chunksize=50):
            total.add(tally)
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stories", type=int, default=20_000)
    parser.add_argument("--order", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    began = time.perf_counter()
    tally = agree(options.stories, order=options.order, seed=options.seed, jobs=options.jobs)
    for found in tally.differences[:SHOWN]:
        print(shrink(found), end="\n\n")
    print(", ".join(f"{count:,} {what}" for what, count in sorted(tally.counts.items())))
    print("events by kind: " + ", ".join(f"{count:,} {kind}" for kind, count in tally.kinds.most_common()))
    print(f"{len(tally.differences):,} differences, {time.perf_counter() - began:.0f} s")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
