"""Looks at stories that were found, as files tell them, and says what is wrong with them.

    python -m tests.found_stories --stories 500

It knows events and what is written about how a story was found, and asks the second opinion what people believe: no
line of the engine, of its questions or of its goals takes part. Only to make the stories is the package used.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

from tests.second_opinion import Event, Opinion, roles

Matter = tuple[str, ...]
"""("place", thing), ("room", thing), ("topic", topic) or ("state", thing, property, value)."""
OUTDOORS = {"move_to_container", "move_to_room", "change_state"}


class Told:
    """A story as the second opinion has it."""

    def __init__(self, events: Sequence[Event], premises: Mapping[str, Any]) -> None:
        self.events = events
        self.opinion = Opinion({"clear": [], "distrust": [], "fresh": False} | dict(premises))
        self.impossible: list[int] = []
        for number, event in enumerate(events, start=1):
            if not self.opinion.possible(event):
                self.impossible.append(number)
                break
            self.opinion.happen(event)
        named = [pair for event in events for pair in roles(event)]
        self.people = list(dict.fromkeys(name for name, role in named if role == "person"))
        self.things = list(dict.fromkeys(name for name, role in named if role == "thing"))
        self.rooms = {event["room"] for event in events if "room" in event}
        self._known: dict[tuple[str, ...], dict[str, Any]] = {}

    def beliefs(self, minds: tuple[str, ...]) -> dict[str, Any]:
        # Whoever thinks of their own thoughts thinks them.
        minds = tuple(name for name, before in zip(minds, (None, *minds), strict=False) if name != before)
        if minds not in self._known:
            self._known[minds] = self.opinion.beliefs(minds)
        return self._known[minds]

    def value(self, minds: tuple[str, ...], matter: Matter) -> Any:
        """What these minds have on a matter; None for nothing."""
        view = self.beliefs(minds)
        match matter:
            case ("topic", topic):
                return topic if topic in view["topics"] else None
            case ("state", thing, key, _):
                return view["state"].get((thing, key))
            case (part, thing):
                return view[part].get(thing)
        raise AssertionError(matter)

    @property
    def matters(self) -> Iterator[Matter]:
        yield from (("place", thing) for thing in self.things)
        if len(self.rooms) > 1:
            yield from (("room", thing) for thing in self.things)
        yield from sorted({("topic", event["topic"]) for event in self.events if event.get("topic")})
        changes = (event for event in self.events if event["do"] == "change_state")
        yield from sorted({("state", event["object"], event["property"], event["value"]) for event in changes})

    def chains(self, order: int) -> Iterator[tuple[str, ...]]:
        for chain in product(self.people, repeat=order):
            if all(one != two for one, two in pairwise(chain)):
                yield chain

    # ---- goals ------------------------------------------------------------------------------------------------------

    def wrong(self, minds: tuple[str, ...], matter: Matter) -> bool:
        """Whether the first has a belief on the matter that is not so, or not so of the next."""
        has, real = self.value(minds, matter), self.value(minds[1:], matter)
        if matter[0] in ("place", "room") or len(minds) == 1:
            return has is not None and has != real
        # Whether somebody knows something can be wrong either way, for one who knows of it.
        fact = matter[-1]
        aware = self.value(minds[:1], matter) is not None
        return aware and (has == fact) != (real == fact)

    def false_belief(self, order: int) -> bool:
        return any(self.wrong(minds, matter) for minds in self.chains(order) for matter in self.matters)

    def ignorance(self, order: int) -> bool:
        """Whether one chain has nothing on a matter on which another, with one person changed, has something."""
        for minds, matter in product(self.chains(order), self.matters):
            if self.value(minds, matter) is None:
                others = (
                    (*minds[:place], person, *minds[place + 1 :]) for place in range(order) for person in self.people
                )
                if any(self.value(other, matter) is not None for other in others):
                    return True
        return False

    def asymmetric(self) -> bool:
        secret = {name for event in self.events for key in ("peekers", "distracted") for name in event.get(key, ())}
        pairs = [(one, two) for one, two in product(self.people, secret) if one != two]
        return any(self.value(pair, each) != self.value(pair[1:], each) for pair in pairs for each in self.matters)


def faults(found: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a story that was found, given as in stories.jsonl."""
    story = Told(found["events"], found["premises"])
    yield from (f"event {number} cannot happen" for number in story.impossible)
    yield from _size(found, story)
    for word in found["goal"].split(","):
        name, _, order = word.partition(":")
        match name:
            case "false-belief":
                met = story.false_belief(int(order))
            case "ignorance":
                met = story.ignorance(int(order))
            case "asymmetric":
                met = story.asymmetric()
            case "pair":
                met = bool(found["twin"])
            case _:
                met = name == "none"
        if not met:
            yield f"it does not hold {word}"
    if found["twin"]:
        yield from _twin(found, story)


def _size(found: Mapping[str, Any], story: Told) -> Iterator[str]:
    events = found["events"]
    moves = sum(event["do"] in OUTDOORS or "topic" in event for event in events)
    if moves != found["moves"]:
        yield f"{moves} moves, not {found['moves']}"
    if len(story.people) < found["people"]:
        yield f"{len(story.people)} people, not {found['people']}"
    secrets = sum(bool(event.get("peekers") or event.get("distracted")) for event in events)
    if secrets != found["set"].endswith("+asymmetric"):
        yield f"{secrets} secrets in a story of {found['set']}"
    if len(events) + sum(bool(event.get(key)) for event in events for key in ("peekers", "distracted")) > 15:
        yield "more than 15 sentences"


def _twin(found: Mapping[str, Any], story: Told) -> Iterator[str]:
    twin = found["twin"]
    other = Told(twin["events"], found["premises"])
    yield from (f"event {number} of the twin cannot happen" for number in other.impossible)
    if not _one_apart(found["events"], twin["events"]):
        yield "its twin differs in more than one event"
    minds, about, key = tuple(twin["minds"]), twin["about"], twin["property"]
    if key in ("container", "room"):
        part = "place" if key == "container" else "room"
        for which, answer in ((story, twin["answer"]), (other, twin["other"])):
            right = which.value(minds, (part, about))
            said = {"unknown": None, "in no container": "in the open"}.get(answer, answer)
            if right != said:
                yield f"the answer is {right}, not {answer}"
    else:
        matter = ("topic", about) if key == "topic" else ("state", about, key.removeprefix("state:"), "")
        having = [(which.value(minds[:1], matter), which.value(minds, matter)) for which in (story, other)]
        if having[0] == having[1]:
            yield f"nothing that is asked about differs between the twins: {having[0]}"
    if twin["answer"] == twin["other"]:
        yield "both twins have one answer"


def _one_apart(one: Sequence[Event], two: Sequence[Event]) -> bool:
    """Whether one event is left out, put in or replaced."""
    same = 0
    while same < min(len(one), len(two)) and one[same] == two[same]:
        same += 1
    if len(one) == len(two):
        return same < len(one) and one[same + 1 :] == two[same + 1 :]
    longer, shorter = (one, two) if len(one) > len(two) else (two, one)
    return len(longer) == len(shorter) + 1 and longer[same + 1 :] == shorter[same:]


# ---- stories to look at -------------------------------------------------------------------------------------------


def found_stories(number: int, *, seed: int = 0) -> Iterator[dict[str, Any]]:
    """So many stories as a search finds them, of every set, by every method and for several goals."""
    from dataclasses import replace

    from otherminds.search.hunt import hunt
    from otherminds.search.search import Ways
    from otherminds.stories.contexts import bank
    from otherminds.stories.sets import action_sets, grid
    from tests.studies.explore.reader import Guesser

    made = 0
    while made < number:
        for name, chosen in action_sets().items():
            if made >= number:
                return
            order, method = 1 + made % 2, ("random", "learn", "random", "search")[made % 4]
            if method == "search" and not name.startswith("tomi"):
                method = "random"  # a few endings do not show the way to a goal that is seldom met
            # What every set can have is wanted of all, and more of those that can have it.
            goal = "asymmetric,pair" if name.endswith("+asymmetric") and made % 4 == 0 else ""
            cells = grid([replace(chosen, order=max(order, chosen.order))], people=(3,), moves=(3,))
            ways = Ways(budget=3, endings=8, draws=4, confirm=0)
            examiner: Any = Guesser(seed)
            for found in hunt(
                cells, bank(), examiner, stories=1, ways=ways, method=method, goal=goal, seed=seed + made
            ):
                made += 1
                yield found.to_dict()
        seed += 1


def main() -> None:
    parser = argparse.ArgumentParser(description="An independent look at stories found.")
    parser.add_argument("--stories", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    goals: Counter[str] = Counter()
    bad = 0
    for found in found_stories(options.stories, seed=options.seed):
        goals[found["goal"]] += 1
        for fault in faults(found):
            bad += 1
            print(f"{found['id']}: {fault}\n  {found['text']}", flush=True)
    print(f"{goals.total()} stories, {bad} faults; by goal: {dict(goals.most_common())}")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
