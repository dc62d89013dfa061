"""Stories told in numbered lines, as ToMi and Hi-ToM tell them, as events of ours.

    1 Ada entered the loft.
    2 Ben entered the loft.
    3 The pear is in the tin_box.
    4 Ben exited the loft.
    5 Ada moved the pear to the oak_chest.

Lines that move nobody and nothing ("Ada likes the hat") are noise. Where people talk, who is to be believed is a
convention of the benchmark's own, so such a story is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from otherminds.errors import InvalidEvent
from otherminds.minds.events import Enter, Event, Leave, Move
from otherminds.minds.story import Premises, Story

NUMBER = re.compile(r"^\s*\d+\s+")
_ENTER = re.compile(r"(?P<who>.+?) entered the (?P<room>[\w ]+)$")
_EXIT = re.compile(r"(?P<who>.+?) exited the (?P<room>[\w ]+)$")
_IS = re.compile(r"The (?P<thing>[\w ]+?) is in the (?P<container>[\w ]+)$")
_MOVE = re.compile(r"(?P<who>\w+) moved the (?P<thing>[\w ]+?) to the (?P<container>[\w ]+)$")
_TALK = re.compile(r"\b(?:claimed|told|said|tells|says)\b")


class Asked(NamedTuple):
    """What a question asks: the minds it goes through, the thing, and whether it is about the beginning."""

    minds: tuple[str, ...]
    thing: str
    first: bool = False


class Untold(Exception):
    """Why a story cannot be told as events."""


def sentences(text: str) -> list[str]:
    """The lines of a story without their numbers."""
    return [NUMBER.sub("", line).strip() for line in text.split("\n") if line.strip()]


def containers(lines: Sequence[str]) -> list[str]:
    """Every place that a thing is said to be in or moved to, in the order in which they are named."""
    hits = (_IS.match(line.rstrip(".")) or _MOVE.match(line.rstrip(".")) for line in lines)
    return list(dict.fromkeys(hit["container"] for hit in hits if hit))


def first_place(lines: Sequence[str], thing: str) -> str | None:
    """Where a thing is when it is first spoken of."""
    hits = (_IS.match(line.rstrip(".")) or _MOVE.match(line.rstrip(".")) for line in lines)
    return next((hit["container"] for hit in hits if hit and hit["thing"] == thing), None)


def tell(lines: Sequence[str], *, open_containers: bool) -> Story:
    """The story; with open containers, whoever comes in sees what is in them. Untold where it cannot be told."""
    clear = frozenset(containers(lines)) if open_containers else frozenset()
    story = Story(premises=Premises(clear=clear))
    for number, line in enumerate(lines):
        try:
            for event in _events(line.rstrip("."), lines[number:], story):
                story = story.then(event)
        except InvalidEvent as error:
            raise Untold(f"line {number + 1} cannot happen: {error}") from None
    return story


def _events(line: str, rest: Sequence[str], story: Story) -> Iterator[Event]:
    if hit := _ENTER.match(line):
        yield from (Enter(who, hit["room"]) for who in _people(hit["who"]))
    elif hit := _EXIT.match(line):
        yield from (Leave(who, hit["room"]) for who in _people(hit["who"]))
    elif hit := _MOVE.match(line):
        if story.world.get(hit["thing"], "container") != hit["container"]:
            yield Move(hit["who"], hit["thing"], hit["container"])
    elif hit := _IS.match(line):
        yield Move(_finder(hit["thing"], rest, story), hit["thing"], hit["container"])
    elif _TALK.search(line):
        raise Untold("people talk in it, and whom to believe is the benchmark's own convention")


def seen(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Who comes, goes and moves what, without what is said, and whether or not it can happen in our sense."""
    inside: dict[str, None] = {}
    for line in (line.rstrip(".") for line in lines if not _TALK.search(line)):
        if hit := _ENTER.match(line) or _EXIT.match(line):
            for who in _people(hit["who"]):
                inside.pop(who, None)
                if enters := " entered the " in line:
                    inside[who] = None
                yield {"do": "enter_room" if enters else "leave_room", "person": who, "room": hit["room"]}
        elif (hit := _MOVE.match(line) or _IS.match(line)) and inside:
            who = hit.groupdict().get("who", next(reversed(inside)))
            if who in inside:
                yield {"do": "move_to_container", "person": who, "object": hit["thing"], "container": hit["container"]}


def _people(words: str) -> list[str]:
    return [name for name in re.split(r",\s*|\s+and\s+", words) if name]


def _finder(thing: str, rest: Sequence[str], story: Story) -> str:
    """Somebody who is where the thing is said to be: all who are there see it in common, so it matters not who."""
    movers = (_MOVE.match(line.rstrip(".")) for line in rest)
    mover = next((hit["who"] for hit in movers if hit and hit["thing"] == thing), None)
    room = story.world.get(mover, "room") if mover else None
    there = sorted(story.present(room)) if room else [who for who in story.people if story.world.get(who, "room")]
    if not there:
        raise Untold(f"the {thing} is found where nobody is")
    return there[0] if room else there[-1]


_WHERE = (
    re.compile(r"Where was the (?P<thing>[\w ]+?) at the beginning\?"),
    re.compile(r"Where is the (?P<thing>[\w ]+?) really\?"),
    re.compile(r"Where will (?P<minds>\w+) look for the (?P<thing>[\w ]+?)\?"),
    re.compile(r"Where does (?P<minds>\w+ think that \w+) search(?:es)? for the (?P<thing>[\w ]+?)\?"),
    re.compile(r"Where does (?P<minds>\w+(?: (?:really )?thinks? (?:that )?\w+)*) (?:really )?thinks? (?:that )?the "
               r"(?P<thing>[\w ]+?) is\?"),
)  # fmt: skip


def asked(question: str) -> Asked | None:
    """What a question of ToMi or Hi-ToM asks; none if it is worded otherwise."""
    for number, pattern in enumerate(_WHERE):
        if hit := pattern.fullmatch(question.strip()):
            minds = re.split(r" (?:really )?thinks? (?:that )?", hit["minds"]) if number > 1 else []
            return Asked(tuple(minds), hit["thing"], first=number == 0)
    return None


def answer(story: Story, lines: Sequence[str], what: Asked) -> str | None:
    """Where the thing is in those minds; none where nothing is known of it."""
    if what.first:
        return first_place(lines, what.thing)
    if not set(what.minds) <= set(story.people):
        return None
    return story.view(*what.minds).get(what.thing, "container")
