"""ToMBench: 20 tasks, in Chinese and English, with two or four options, asked five times in shuffled order.

Missing options are NaN in the published files, which is no JSON; their script takes it for an option and breaks. One
gold label is "A. ", which matches nothing. Both are counted. The published script shuffles with one seed over files in
the order of the disk, which differs between machines; here every item and try has a seed of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.bridges.benchmarks.record import WORDS, Mark, declared, filled, json_rows, keep
from otherminds.errors import BadFile
from otherminds.items import Item, Tag, told_apart
from otherminds.items.tags import KIND, STORY

NAME = "tombench"
ABILITY, ANSWER = "能力\nABILITY", "答案\nANSWER"
FIELDS = {"en": ("STORY", "QUESTION", "OPTION-"), "zh": ("故事", "问题", "选项")}


def read(path: Path) -> Iterator[Item]:
    """Every row of a file, or of all files in a folder, in English and in Chinese."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise BadFile(f"{path} has no .jsonl, and ToMBench has one for every task")
    for file in files:
        for number, (where, row, _) in enumerate(json_rows(file), start=1):
            for language in FIELDS:
                yield _item(where, file.stem, number, row, language)


def _item(where: str, task: str, number: int, row: Mapping[str, Any], language: str) -> Item:
    if ANSWER not in row or ABILITY not in row:
        raise BadFile(f"{where}: {ANSWER!r} or {ABILITY!r} is missing; the names of ToMBench's fields have a line end")
    story, question, option = FIELDS[language]
    shown = [row.get(option + letter) for letter in "ABCD"]
    texts = [filled(text, where, f"{option}…") for text in shown if text is not None]
    options = [re.sub(r"^[A-D]\.\s*", "", text) for text in texts]
    gold = re.match(r"\s*([A-D])", str(row[ANSWER]))
    if not gold or LETTERS.index(gold[1]) >= len(options):
        raise BadFile(f"{where}: ANSWER {row[ANSWER]!r} is not the letter of an option")
    choices = told_apart(options)
    ability, told = _ability(str(row[ABILITY]))
    uneven = len({sum(row.get(o + x) is not None for x in "ABCD") for _, _, o in FIELDS.values()}) > 1
    found = {
        "missing": None in shown,
        "spaced": row[ANSWER] != gold[1],
        "labelled": options != texts,
        "abilities": told,
        "uneven": uneven,
        "repeated": list(choices) != options,
    }
    tags: dict[str, Tag] = {STORY: f"{task}: {filled(row.get(story), where, story)[:80]}", KIND: task}
    tags |= {"ability": ability, "language": language, "options": len(options)}
    if uneven and len(options) == 4:
        tags["scored"] = False
    asked, right = filled(row.get(question), where, question), choices[LETTERS.index(gold[1])]
    item = Item(f"{task}-{number}-{language}", asked, right, str(row[story]), tuple(choices), tags=tags)
    repairs = [WORDS[NAME]["repairs"][fault] for fault, so in found.items() if so]
    return keep(NAME, item, row, published=str(row[ANSWER]), repairs=repairs, meta={"breaks": None in shown})


def _ability(words: str) -> tuple[str, bool]:
    """One name in one case, and whether more than its case was wrong."""
    first = re.sub(r"(?<=\w) [A-Z][\w-]+: .*", "", words.partition(":")[2]).strip()
    kind = words.partition(":")[0].strip()
    return f"{kind.capitalize()}: {first}", words != f"{kind}: {first}"


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """The majority of the tries, each read by its last rule at worst as A."""
    if item.meta.get("breaks"):
        return Mark(None, "", True, "their script breaks on a missing option")
    letters = [_letter(text) for text in texts]
    picked = [order[place] for (letter, _), order in zip(letters, shown, strict=True)
              if (place := LETTERS.index(letter)) < len(order)]  # fmt: skip
    if not picked:
        return Mark(0.0, "", False, "no try names an option")
    said = Counter(picked).most_common(1)[0][0]
    letter = LETTERS[item.choices.index(said)]
    return Mark(float(letter == item.meta["published_gold"]), said, any(found for _, found in letters))


def _letter(text: str) -> tuple[str, bool]:
    """The letter their rules find, and whether there is one at all; A stands in for none."""
    for pattern in ("[[{}]]", "[{}]"):
        # By the order of the letters, not of the text: of [[B]] and [[A]] it is A.
        for letter in "ABCD":
            if pattern.format(letter) in text:
                return letter, True
    capitals = re.findall("[ABCD]", text)
    return (capitals[-1], True) if capitals else ("A", False)


BENCHMARK = declared(NAME, read=read, mark=mark)
