"""Hi-ToM: chapters of moves, asked about up to the fourth order, with and without people who mislead.

Every question is there twice, once for each style of prompting, and in 138 of the 600 published pairs the gold differs
although story and question are the same. Where nobody misleads, the belief engine sides with the style CoTP, so
`repaired` takes its label for both. Stories in which people talk are not checked: whom to believe there is a convention
that the note states and the engine does not share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.bridges.benchmarks.record import WORDS, Mark, declared, json_of, keep, need, objects
from otherminds.bridges.benchmarks.tomi import answer, asked, seen, sentences, story_of
from otherminds.errors import BadFile
from otherminds.formats.written_answers import normal
from otherminds.items import Item, Tag
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
    SEEN_EVENTS,
    STORY,
)

NAME = "hitom"
STORIES = 20
NOTE: str = WORDS[NAME]["note"]
REPAIRS: dict[str, str] = WORDS[NAME]["repairs"]


def read(path: Path) -> Iterator[Item]:
    """Every row."""
    rows = _rows(path)
    pairs = {_pair(row): row["answer"] for row in rows if row["prompting_type"] == "CoTP"}
    for number, row in enumerate(rows, start=1):
        yield _item(f"{path}, row {number}", number, row, pairs.get(_pair(row)))


def _rows(path: Path) -> list[dict[str, Any]]:
    data = json_of(path)
    found = data.get("data") if isinstance(data, dict) else None
    rows = []
    for where, row in objects(found, path, "row", '{"data": [rows]}, as Hi-ToM_data.json is'):
        need(row, where, prompting_type=str, deception=bool, story_length=int, question_order=int, sample_id=int)
        need(row, where, story=str, question=str, choices=str, answer=str)
        rows.append(row)
    return rows


def _body(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The story alone, and what had to be cut off."""
    start = re.search(r"^\s*1 ", row["story"], re.MULTILINE)
    cut = [REPAIRS["instruction"]] if start and row["story"][: start.start()].strip() else []
    story = row["story"][start.start() if start else 0 :].strip()
    bare = story.rstrip("* \n")
    return bare, cut + ([REPAIRS["stars"]] if bare != story else [])


def _pair(row: Mapping[str, Any]) -> tuple[str, str]:
    return "\n".join(sentences(_body(row)[0])), row["question"].strip()


def _options(choices: str, where: str) -> list[str]:
    found = re.findall(r"([A-Z])\. (.*?)(?=,\s*[A-Z]\. |\s*$)", choices.replace("\n", " "))
    if [letter for letter, _ in found] != list(LETTERS[: len(found)]) or len(found) < 2:
        raise BadFile(f"{where}: choices should be like 'A. the_box, B. the_tin', not {choices!r}")
    return [option.strip() for _, option in found]


def _item(where: str, number: int, row: Mapping[str, Any], twin: str | None) -> Item:
    text, repairs = _body(row)
    lines, options = sentences(text), _options(row["choices"], where)
    gold = twin if twin is not None else row["answer"]
    for label in (gold, row["answer"]):
        if label not in options:
            raise BadFile(f"{where}: answer {label!r} is not one of the choices")
    style = row["prompting_type"]
    group = f"{'tell' if row['deception'] else 'no-tell'}-{row['story_length']}-{row['sample_id'] % STORIES}"
    what, story = asked(row["question"]), story_of(lines, open_containers=False)
    tags: dict[str, Tag] = {
        STORY: group,
        JOINT: f"{group}-{style}",
        KIND: f"order {row['question_order']}",
        ORDER: row["question_order"],
        "style": style,
        "deception": row["deception"],
        "chapters": row["story_length"],
    }
    meta: dict[str, Any] = {}
    if what and story:
        engine, reality = answer(story, lines, what), answer(story, lines, what._replace(minds=()))
        meta |= {EVENTS: story.to_dicts(), MINDS: list(what.minds), ABOUT: what.thing}
        meta |= {REALITY: reality} if reality in options else {}
        tags |= {CONSISTENT: engine == row["answer"]} if engine in options else {}
        tags |= {FALSE_BELIEF: gold != reality} if what.minds and reality else {}
    elif what:
        meta |= {SEEN_EVENTS: list(seen(lines)), MINDS: list(what.minds), ABOUT: what.thing}
    id = f"{group}-{row['question_order']}-{style}-{number}"
    item = Item(id, row["question"], gold, f"{text}\n{NOTE}", tuple(options), tags=tags)
    repairs += [REPAIRS["noted"], *([REPAIRS["stale"]] if gold != row["answer"] else [])]
    return keep(NAME, item, row, published=row["answer"], repairs=repairs, meta=meta)


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """The option whose letter the text begins with, or else whose words it is."""
    text, options = texts[0].strip(), shown[0]
    letter = re.match(r"\W*(?:answer\W+)?([A-Z])\b", text, re.IGNORECASE)
    place = LETTERS.find(letter[1].upper()) if letter and (len(letter[1]) == 1) else -1
    said = options[place] if 0 <= place < len(options) else ""
    said = said or next((option for option in options if normal(option) == normal(text)), "")
    return Mark(
        float(said == item.meta["published_gold"]), said, bool(said), "" if said else "neither letter nor option"
    )


BENCHMARK = declared(NAME, read=read, mark=mark)
