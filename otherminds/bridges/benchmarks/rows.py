"""SimpleToM, ExploreToM, ToMATO and ToMBench: files of one question a row, or an object.

SimpleToM asks three questions on a story: what somebody is aware of, what they will do, whether that is reasonable. The
kind of a question is the ending of its id. Options are never shuffled in the published evaluation, and the first of
(A), (B), (C), (D) by letter wins, wherever it stands: "(B) rather than (A)" counts as A.

ExploreToM's released rows are story structures found by search, the same infilled with prose, and one answer each. An
answer counts there when the expected words are anywhere in the text, so that "no" is found in "I know" and "tin" in
"not the tin". `repaired` reads the answer as a whole.

ToMATO asks what people thought while they talked, one question a message, four options. `otherminds build dialogue
--published` reads the same files as questions of our own study. Their own evaluation takes the first letter in square
brackets, also out of reasoning, and counts a text without one as wrong.

ToMBench has 20 tasks, in Chinese and English, with two or four options, asked five times in shuffled order. Missing
options are NaN in the published files, which is no JSON; their script takes it for an option and breaks. One gold label
is "A. ", which matches nothing. Both are counted. The published script shuffles with one seed over files in the order
of the disk, which differs between machines; here every item and try has a seed of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.bridges.benchmarks.record import (
    WORDS,
    Mark,
    csv_rows,
    declared,
    filled,
    json_of,
    json_rows,
    keep,
    need,
    objects,
)
from otherminds.errors import BadFile
from otherminds.items import Item, Tag, told_apart
from otherminds.items.tags import FALSE_BELIEF, INTERESTING, JOINT, KIND, ORDER, PUBLISHED_GOLD, STATE, STORY

# ---- SimpleToM -------------------------------------------------------------------------------------------------------

KINDS = {"aware": "awareness", "action": "behaviour", "judge": "judgment"}


def read_simpletom(path: Path) -> Iterator[Item]:
    """Every question of a file, or of all question sets in a folder."""
    files = (
        sorted(file for file in path.rglob("*.jsonl") if "story-data" not in file.parts) if path.is_dir() else [path]
    )
    if not files:
        raise BadFile(f"{path} has no .jsonl, and SimpleToM has mental-state-qa/test.jsonl and two others")
    for file in files:
        for where, row, _ in json_rows(file):
            yield _simpletom_item(where, row)


def _simpletom_item(where: str, row: Mapping[str, Any]) -> Item:
    need(row, where, id=str, story=str, question=str, choices=dict, answerKey=str)
    options, labels = row["choices"].get("text"), row["choices"].get("label")
    if not isinstance(options, list) or not isinstance(labels, list) or len(options) != len(labels) or len(options) < 2:
        raise BadFile(f"{where}: choices should have as many texts as labels, two or more, not {row['choices']!r}")
    if row["answerKey"] not in labels:
        raise BadFile(f"{where}: answerKey {row['answerKey']!r} is none of the labels {labels!r}")
    stem, _, ending = row["id"].rpartition("_")
    if ending not in KINDS:
        raise BadFile(f"{where}: id {row['id']!r} should end in _aware, _action or _judge, which tells its kind")
    gold = options[labels.index(row["answerKey"])]
    tags: dict[str, Tag] = {STORY: stem, JOINT: stem, KIND: KINDS[ending], ORDER: 1}
    item = Item(row["id"], row["question"], gold, row["story"], tuple(options), tags=tags)
    return keep("simpletom", item, row)


def mark_simpletom(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """The first letter in brackets by the alphabet; else with one bracket, else bare, if there is only one."""
    text = re.sub(r"answer:?", "", texts[0].rpartition("the answer is")[2], flags=re.IGNORECASE)
    said = next((letter for letter in "ABCD" if f"({letter})" in text), "")
    for form in ("({}", "{}"):
        named = [letter for letter in "ABCD" if form.format(letter) in text]
        said = said or (named[0] if len(named) == 1 else "")
        if named:
            break
    place = LETTERS.find(said) if said else -1
    if not 0 <= place < len(shown[0]):
        return Mark(0.0, "", False, "no letter of an option by their rules, which counts as wrong")
    option = shown[0][place]
    return Mark(float(option == item.meta["published_gold"]), option)


SIMPLETOM = declared("simpletom", read=read_simpletom, mark=mark_simpletom)


# ---- ExploreToM ------------------------------------------------------------------------------------------------------

STRUCTURE, INFILLED, EXPECTED = "story_structure", "infilled_story", "expected_answer"
PAIRS = (("yes", "no"), ("knows about it", "does not know about it"))
NOT_INFILLED = "there is no infilled story, so the structure is asked about"


def read_exploretom(path: Path) -> Iterator[Item]:
    """Every row, about the infilled story where there is one."""
    for number, (where, row) in enumerate(csv_rows(path), start=1):
        yield _exploretom_item(where, number, row)


def _exploretom_item(where: str, number: int, row: Mapping[str, str]) -> Item:
    for field in (STRUCTURE, "question", EXPECTED):
        filled(row.get(field), where, field)
    gold, infilled = row[EXPECTED].strip(), row.get(INFILLED, "").strip()
    choices = next((pair for pair in PAIRS if gold.lower() in pair), ())
    order = row.get("qprop=nth_order", "").strip()
    if order and not re.fullmatch(r"-?\d+(?:\.0)?", order):
        raise BadFile(f"{where}: qprop=nth_order should be a number, not {order!r}")
    depth = max(0, int(float(order))) if order else None
    tags: dict[str, Tag] = {STORY: row.get("sprop=global_idx", "").strip() or row[STRUCTURE][:60]}
    tags[KIND] = f"{row.get('param=story_type', '').strip() or 'any set'}, order {order or 'unknown'}"
    tags |= {ORDER: depth} if depth is not None else {}
    if (unique := row.get("qprop=non_unique_mental_state", "").strip().lower()) in ("true", "false"):
        tags[INTERESTING] = unique == "true"
    item = Item(
        f"row-{number}",
        row["question"],
        gold.lower() if choices else gold,
        infilled or row[STRUCTURE],
        choices,
        tags=tags,
    )
    return keep("exploretom", item, row, published=gold, repairs=[] if infilled else [NOT_INFILLED])


def mark_exploretom(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """Right if the expected words are anywhere in the text, whatever the case."""
    gold, text = str(item.meta["published_gold"]), texts[0].lower()
    return Mark(float(gold.lower() in text), text.strip().split("\n")[0], bool(text.strip()))


EXPLORETOM = declared(
    "exploretom",
    read=read_exploretom,
    mark=mark_exploretom,
    ask=lambda item: f"Answer with {' or '.join(item.choices) or 'one or two words'}, and nothing else.",
)


# ---- ToMATO ----------------------------------------------------------------------------------------------------------

OPTIONS = ("a0", "a1", "a2", "a3")


def read_tomato(path: Path) -> Iterator[Item]:
    """Every question."""
    should = "a JSON list of questions, as tomato_fb.json is"
    yield from (_tomato_item(*record) for record in objects(json_of(path), path, "record", should))


def _tomato_item(where: str, record: Mapping[str, Any]) -> Item:
    need(record, where, a_idx=int, a_str=str, mental_state=str, order=int, q=str, q_id=str)
    options, right = [filled(record.get(name), where, name) for name in OPTIONS], record["a_idx"]
    if not 0 <= right < len(OPTIONS) or options[right] != record["a_str"]:
        raise BadFile(f"{where}: a_str is not option a{right}, which a_idx says is right")
    # The files call it conversation, and the released evaluation reads transcript.
    talk = filled(record.get("conversation") or record.get("transcript"), where, "conversation (or transcript)")
    state, order, false = record["mental_state"], record["order"], record.get("false_belief")
    kind = "false belief" if false is True else f"order {order}"
    tags: dict[str, Tag] = {STORY: f"{state}-{hashlib.sha256(talk.encode()).hexdigest()[:10]}"}
    tags |= {KIND: f"{state}, {kind}", STATE: state, ORDER: order}
    tags |= {FALSE_BELIEF: false} if isinstance(false, bool) and order == 2 else {}
    choices = told_apart(options)
    item = Item(record["q_id"], record["q"], choices[right], talk, tuple(choices), tags=tags)
    return keep("tomato", item, record)


def mark_tomato(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """The first [A] to [D]."""
    hit = re.search(r"\[([A-D,])\]", texts[0])
    if not hit or hit[1] == ",":
        return Mark(0.0, "", False, "no letter in square brackets, which counts as wrong")
    said = shown[0]["ABCD".index(hit[1])]
    return Mark(float(said == item.meta[PUBLISHED_GOLD]), said)


TOMATO = declared("tomato", read=read_tomato, mark=mark_tomato)


# ---- ToMBench --------------------------------------------------------------------------------------------------------

ABILITY, ANSWER = "能力\nABILITY", "答案\nANSWER"
FIELDS = {"en": ("STORY", "QUESTION", "OPTION-"), "zh": ("故事", "问题", "选项")}


def read_tombench(path: Path) -> Iterator[Item]:
    """Every row of a file, or of all files in a folder, in English and in Chinese."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise BadFile(f"{path} has no .jsonl, and ToMBench has one for every task")
    for file in files:
        for number, (where, row, _) in enumerate(json_rows(file), start=1):
            for language in FIELDS:
                yield _tombench_item(where, file.stem, number, row, language)


def _tombench_item(where: str, task: str, number: int, row: Mapping[str, Any], language: str) -> Item:
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
    repairs = [WORDS["tombench"]["repairs"][fault] for fault, so in found.items() if so]
    return keep("tombench", item, row, published=str(row[ANSWER]), repairs=repairs, meta={"breaks": None in shown})


def _ability(words: str) -> tuple[str, bool]:
    """One name in one case, and whether more than its case was wrong."""
    first = re.sub(r"(?<=\w) [A-Z][\w-]+: .*", "", words.partition(":")[2]).strip()
    kind = words.partition(":")[0].strip()
    return f"{kind.capitalize()}: {first}", words != f"{kind}: {first}"


def mark_tombench(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """The majority of the tries, each read by its last rule at worst as A."""
    if item.meta.get("breaks"):
        return Mark(None, "", True, "their script breaks on a missing option")
    letters = [_letter(text) for text in texts]
    picked = [
        order[place]
        for (letter, _), order in zip(letters, shown, strict=True)
        if (place := LETTERS.index(letter)) < len(order)
    ]
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


TOMBENCH = declared("tombench", read=read_tombench, mark=mark_tombench)
