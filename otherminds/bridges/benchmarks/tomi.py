"""ToMi: stories in the style of bAbI, six questions each, answered by one container.

Our belief engine reproduces every gold label of memory, reality and first order when containers count as open. Of
second order it contradicts some (464 of 1,998 in the published test split): there a third person's entrance, after the
story is over, has reset what the others think. `repaired` is by the engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from otherminds.bridges.benchmarks.numbered import NUMBER, Asked, Untold, answer, asked, containers, sentences, tell
from otherminds.bridges.benchmarks.record import Benchmark, Mark, beginning, make, text_of, unzipped
from otherminds.errors import BadFile
from otherminds.items import Item, Tag
from otherminds.items.tags import ABOUT, CONSISTENT, EVENTS, FALSE_BELIEF, JOINT, KIND, MINDS, ORDER, REALITY, STORY
from otherminds.minds.story import Story

NAME = "tomi"
QUESTIONS = 6
NO_TRACE = "there is no .trace file, so the kind of question is told by its words"
CONTRADICTED = "the gold label contradicts the events of the story; the belief engine's answer stands in for it"


class Row(NamedTuple):
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
            story, told, number, count = row.lines, _told(row.lines), number + 1, 0
        count += 1
        yield _item(
            f"{where}, question {place + 1}", f"{split}-{number}-{count}", row, told, trace[place] if trace else []
        )


def _rows(where: str, text: str) -> Iterator[Row]:
    lines: list[str] = []
    for line in text.split("\n"):
        if re.match(r"\s*1\s", line):
            lines = []
        if "\t" in line:
            question, *rest = NUMBER.sub("", line).split("\t")
            if not rest or not rest[0].strip() or not lines:
                raise BadFile(f"{where}: {line!r} should be a question, a tab and its answer, after a story")
            yield Row(tuple(sentences("\n".join(lines))), question.strip(), rest[0].strip(), "\n".join([*lines, line]))
        elif line.strip():
            lines.append(line)


def _told(lines: Sequence[str]) -> Story | None:
    try:
        return tell(lines, open_containers=True)
    except Untold:
        return None


def _item(where: str, id: str, row: Row, story: Story | None, trace: list[str]) -> Item:
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
    return make(
        NAME,
        id,
        context="\n".join(row.lines),
        question=row.question,
        gold=gold,
        published=row.gold,
        choices=places if len(places) > 1 else (),
        raw={"text": row.raw, "trace": ",".join(trace)},
        tags=tags,
        repairs=repairs,
        meta=meta,
    )


def _kind(what: Asked) -> str:
    return "memory" if what.first else ("reality", "first_order", "second_order")[len(what.minds)]


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """Right if the text is the container's word."""
    said = re.sub(r"^(?:the|in the|in) ", "", texts[0].strip().split("\n")[0].strip(" .,!\"'").lower()).replace(
        " ", "_"
    )
    gold = str(item.meta["published_gold"])
    known = said in {choice.lower() for choice in (*item.choices, gold)}
    return Mark(float(said == gold.lower()), said if known else "", known, "" if known else "no container of the story")


BENCHMARK = Benchmark(
    name=NAME,
    title="ToMi",
    paper="Le, Boureau and Nickel (2019). "
    "Revisiting the Evaluation of Theory of Mind through Question Answering. EMNLP.",
    licence="CC BY-NC 4.0, evaluation only",
    read=read,
    fits=lambda path: _fits(path),
    mark=mark,
    scoring="No script is shipped: the answer has to be the container's word and nothing else, by the file's own gold.",
    ask=lambda item: "Answer with the name of the place, written as in the story, and nothing else.",
)


def _fits(path: Path) -> bool:
    if path.is_dir():
        return any("tom" not in file.name and _fits(file) for file in path.glob("*.txt"))
    if path.suffix == ".zip":
        return "tomi" in path.name.lower()
    return path.suffix == ".txt" and bool(re.search(r"^\d+ Where .*\?\t\w+\t", beginning(path, 1 << 16), re.MULTILINE))
