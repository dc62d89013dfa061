"""Stories told in numbered lines, as ToMi and Hi-ToM tell them, as events of ours.

    1 Ada entered the loft.
    2 Ben entered the loft.
    3 The pear is in the tin_box.
    4 Ben exited the loft.
    5 Ada moved the pear to the oak_chest.

Lines that move nobody and nothing ("Ada likes the hat") are noise. Where people talk, who is to be believed is a
convention of the benchmark's own, so such a story is not checked.

ToMi itself tells stories in the style of bAbI, with six questions each, answered by one container. Our belief engine
reproduces every gold label of memory, reality and first order when containers count as open. Of second order it
contradicts some (464 of 1,998 in the published test split): there a third person's entrance, after the story is over,
has reset what the others think. `repaired` is by the engine.

A twin of such a story has somebody come or go at another moment, and the answer turns round. Both are made of the same
sentences, and everything moves to the same places in the same order. So whoever goes by reality, by what is named last
or first, or by the options alone gives the same answer twice, and is right once. Where what is in a container can be
seen, both get a return as well: somebody who left looks in again, before the move or after it. That breaks the rule of
the earliest leaver, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from otherminds.bridges.benchmarks.record import Mark, beginning, declared, keep, text_of, unzipped
from otherminds.errors import BadFile, InvalidEvent, UsageError
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import (
    ABOUT,
    CONSISTENT,
    EVENTS,
    FALSE_BELIEF,
    JOINT,
    KIND,
    MINDS,
    ORDER,
    REALITY,
    STORY,
    TWIN,
)
from otherminds.items.tags import BENCHMARK as BENCHMARK_OF
from otherminds.minds.events import Enter, Event, Leave, Move
from otherminds.minds.story import Premises, Story

NUMBER = re.compile(r"^\s*\d+\s+")
_ENTER = re.compile(r"(?P<who>.+?) entered the (?P<room>[\w ]+)$")
_EXIT = re.compile(r"(?P<who>.+?) exited the (?P<room>[\w ]+)$")
_IS = re.compile(r"The (?P<thing>[\w ]+?) is in the (?P<container>[\w ]+)$")
_MOVE = re.compile(r"(?P<who>\w+) moved the (?P<thing>[\w ]+?) to the (?P<container>[\w ]+)$")
_TALK = re.compile(r"\b(?:claimed|told|said|tells|says)\b")


class WhereQuestion(NamedTuple):
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


def story_of(lines: Sequence[str], *, open_containers: bool) -> Story | None:
    """The same; none where it cannot be told."""
    try:
        return tell(lines, open_containers=open_containers)
    except Untold:
        return None


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


def asked(question: str) -> WhereQuestion | None:
    """What a question of ToMi or Hi-ToM asks; none if it is worded otherwise."""
    for number, pattern in enumerate(_WHERE):
        if hit := pattern.fullmatch(question.strip()):
            minds = re.split(r" (?:really )?thinks? (?:that )?", hit["minds"]) if number > 1 else []
            return WhereQuestion(tuple(minds), hit["thing"], first=number == 0)
    return None


def answer(story: Story, lines: Sequence[str], what: WhereQuestion) -> str | None:
    """Where the thing is in those minds; none where nothing is known of it."""
    if what.first:
        return first_place(lines, what.thing)
    if not set(what.minds) <= set(story.people):
        return None
    return story.view(*what.minds).get(what.thing, "container")


NAME = "tomi"
QUESTIONS = 6
NO_TRACE = "there is no .trace file, so the kind of question is told by its words"
CONTRADICTED = "the gold label contradicts the events of the story; the belief engine's answer stands in for it"


class ToMiRow(NamedTuple):
    """One question with its story."""

    lines: tuple[str, ...]
    question: str
    gold: str
    raw: str


def read(path: Path) -> Iterator[Item]:
    """Every question of a split, or of all splits in an archive or a folder."""
    texts = _texts(path)
    found = sorted(name for name, text in texts.items() if name.endswith(".txt") and "\t" in text)
    if not found:
        raise BadFile(f"{path} has no .txt with questions; ToMi's are called fb_all_test.txt, or test.txt")
    for name in found:
        yield from _split(f"{path}: {name}", Path(name).stem.rpartition("_")[2], texts[name], _trace(texts, name))


def _texts(path: Path) -> dict[str, str]:
    if path.is_dir():
        return {str(file.name): text_of(file) for ending in ("*.txt", "*.trace") for file in sorted(path.glob(ending))}
    if path.suffix == ".zip":
        return unzipped(path)
    beside = path.with_suffix(".trace")
    return {file.name: text_of(file) for file in (path, beside) if file == path or file.exists()}


def _trace(texts: Mapping[str, str], name: str) -> list[list[str]]:
    lines = texts.get(name.removesuffix(".txt") + ".trace", "").split("\n")
    return [line.split(",") for line in lines if line.strip()]


def _split(where: str, split: str, text: str, trace: list[list[str]]) -> Iterator[Item]:
    rows = list(_rows(where, text))
    if trace and len(trace) != len(rows):
        raise BadFile(
            f"{where} has {len(rows)} questions and its .trace {len(trace)} lines; they do not belong together"
        )
    story, told, number, count = None, None, 0, 0
    for place, row in enumerate(rows):
        if row.lines != story or count == QUESTIONS:
            story, told, number, count = row.lines, story_of(row.lines, open_containers=True), number + 1, 0
        count += 1
        yield _item(
            f"{where}, question {place + 1}", f"{split}-{number}-{count}", row, told, trace[place] if trace else []
        )


def _rows(where: str, text: str) -> Iterator[ToMiRow]:
    lines: list[str] = []
    for line in text.split("\n"):
        if re.match(r"\s*1\s", line):
            lines = []
        if "\t" in line:
            question, *rest = NUMBER.sub("", line).split("\t")
            if not rest or not rest[0].strip() or not lines:
                raise BadFile(f"{where}: {line!r} should be a question, a tab and its answer, after a story")
            yield ToMiRow(
                tuple(sentences("\n".join(lines))), question.strip(), rest[0].strip(), "\n".join([*lines, line])
            )
        elif line.strip():
            lines.append(line)


def _item(where: str, id: str, row: ToMiRow, story: Story | None, trace: list[str]) -> Item:
    what = asked(row.question)
    if what is None:
        raise BadFile(f"{where}: {row.question!r} is worded like no question of ToMi")
    engine = answer(story, row.lines, what) if story else None
    gold = engine or row.gold
    places = list(dict.fromkeys([*containers(row.lines), row.gold]))
    reality = story.world.get(what.thing, "container") if story else None
    repairs = [] if trace else [NO_TRACE]
    repairs += [CONTRADICTED] if gold != row.gold else []
    tags: dict[str, Tag] = {
        STORY: id.rpartition("-")[0],
        JOINT: id.rpartition("-")[0],
        KIND: trace[-2] if len(trace) > 1 else _kind(what),
        ORDER: len(what.minds),
    }
    tags |= {FALSE_BELIEF: gold != reality} if what.minds and reality else {}
    tags |= {CONSISTENT: engine == row.gold} if engine else {}
    tags |= {"split": id.partition("-")[0]} | ({"story_type": trace[-1]} if trace else {})
    meta: dict[str, Any] = {ABOUT: what.thing} | ({} if what.first else {MINDS: list(what.minds)})
    meta |= {EVENTS: story.to_dicts()} if story else {}
    meta |= {REALITY: reality} if reality else {}
    item = Item(id, row.question, gold, "\n".join(row.lines), tuple(places) if len(places) > 1 else (), tags=tags)
    raw = {"text": row.raw, "trace": ",".join(trace)}
    return keep(NAME, item, raw, published=row.gold, repairs=repairs, meta=meta)


def _kind(what: WhereQuestion) -> str:
    return "memory" if what.first else ("reality", "first_order", "second_order")[len(what.minds)]


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """Right if the text is the container's word."""
    said = re.sub(r"^(?:the|in the|in) ", "", texts[0].strip().split("\n")[0].strip(" .,!\"'").lower()).replace(
        " ", "_"
    )
    gold = str(item.meta["published_gold"])
    known = said in {choice.lower() for choice in (*item.choices, gold)}
    return Mark(float(said == gold.lower()), said if known else "", known, "" if known else "no container of the story")


def _looks(path: Path) -> bool:
    if path.is_dir():
        return any("tom" not in file.name and _looks(file) for file in path.glob("*.txt"))
    if path.suffix == ".zip":
        return "tomi" in path.name.lower()
    return path.suffix == ".txt" and bool(re.search(r"^\d+ Where .*\?\t\w+\t", beginning(path, 1 << 16), re.MULTILINE))


BENCHMARK = declared(NAME, read=read, looks=_looks, mark=mark)


# ---- twins -----------------------------------------------------------------------------------------------------------

OPEN = {NAME: True, "hitom": False}
"""The benchmarks whose stories can be told as events, and whether what is in a container can be seen."""


def twins(suite: Suite) -> Suite:
    """The items that have a twin, each with it; the answers of both are the engine's."""
    pairs = [pair for item in suite if item.meta.get(BENCHMARK_OF) in OPEN and (pair := _pair(item))]
    if not pairs:
        raise UsageError(
            f"no item of suite {suite.name!r} has a twin that the belief engine can make; "
            "it makes them of the stories of ToMi and Hi-ToM"
        )
    return replace(suite, name=f"{suite.name}-twins", items=tuple(item for pair in pairs for item in pair))


def _pair(item: Item) -> tuple[Item, Item] | None:
    """The first pair of tellings with different answers in the same world."""
    what, lines = asked(item.question), _lines(item)
    if what is None or not what.minds:
        return None
    open_containers = OPEN[str(item.meta[BENCHMARK_OF])]
    for one, other in _ways(lines, what, open_containers):
        first, second = (_retold(item, told, what, open_containers) for told in (one, other))
        if first and second and first.answer != second.answer and first.meta[REALITY] == second.meta[REALITY]:
            return first, replace(second, id=f"{item.id}-twin")
    return None


def _ways(lines: list[str], what: WhereQuestion, open_containers: bool) -> Iterator[tuple[list[str], list[str]]]:
    """Pairs of tellings to try, those that break most rules first."""
    if open_containers:
        for base in (lines, *_moved(lines, what)):
            yield from _returned(base, what)
    yield from ((lines, other) for other in _moved(lines, what))


def _lines(item: Item) -> list[str]:
    return sentences(item.context.split("\nNote: ")[0])


def _returned(lines: Sequence[str], what: WhereQuestion) -> Iterator[tuple[list[str], list[str]]]:
    """One of the minds who left looks in again, at once in the one story and at the end in the other."""
    for place, line in enumerate(lines):
        hit = re.fullmatch(r"(\w+) exited the (\w+)\.", line)
        if hit and hit[1] in what.minds:
            again = [f"{hit[1]} entered the {hit[2]}.", line]
            yield [*lines[: place + 1], *again, *lines[place + 1 :]], [*lines, *again]


def _moved(lines: Sequence[str], what: WhereQuestion) -> Iterator[list[str]]:
    """Every way to put one coming or going of theirs at another place in the story, the nearest first."""
    comings = [place for place, line in enumerate(lines) if _goes(line, what.minds)]
    ways = [(abs(to - place), place, to) for place in comings for to in range(len(lines)) if to != place]
    for _, place, to in sorted(ways):
        rest = [*lines[:place], *lines[place + 1 :]]
        yield [*rest[:to], lines[place], *rest[to:]]


def _goes(line: str, minds: Sequence[str]) -> bool:
    hit = re.fullmatch(r"(.+?) (?:entered|exited) the [\w ]+\.", line)
    return bool(hit and set(re.split(r",\s*|\s+and\s+", hit[1])) & set(minds))


def _retold(item: Item, lines: Sequence[str], what: WhereQuestion, open_containers: bool) -> Item | None:
    """The item with these lines as its story; none where they cannot happen, or nothing is known in the end."""
    story = story_of(lines, open_containers=open_containers)
    if story is None:
        return None
    gold, reality = answer(story, lines, what), story.world.get(what.thing, "container")
    if gold not in item.choices or reality not in item.choices:
        return None
    numbered = item.context.lstrip()[:1].isdigit()
    told = [f"{number} {line}" for number, line in enumerate(lines, start=1)] if numbered else list(lines)
    note = item.context.partition("\nNote: ")[1:]
    tags = {**item.tags, TWIN: item.id, STORY: item.id, FALSE_BELIEF: gold != reality}
    tags.pop(CONSISTENT, None)
    meta = {**item.meta, EVENTS: story.to_dicts(), MINDS: list(what.minds), REALITY: reality, "published_gold": gold}
    return replace(item, context="\n".join(told) + "".join(note), answer=str(gold), tags=tags, meta=meta)
