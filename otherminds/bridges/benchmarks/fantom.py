"""FANToM: conversations that somebody misses a part of, and sets of questions that only count together.

The original file (fantom_v1.json) has five kinds of question a set; tables of belief questions that others made of it,
with the columns context, question, answer_choices and gt_answer, are read as well. Belief questions answered in free
words are compared by embeddings in the published evaluation; they are not asked here, so ALL* is not computed, and
ALL is.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from otherminds.bridges.benchmarks.record import (
    Mark,
    beginning,
    csv_rows,
    declared,
    filled,
    json_of,
    keep,
    need,
    objects,
)
from otherminds.errors import BadFile
from otherminds.items import Item, Tag, told_apart
from otherminds.items.tags import JOINT, KIND, ORDER, STORY

NAME = "fantom"
LISTS = {"answerabilityQA_list": "answerability list", "infoAccessibilityQA_list": "information access list"}
BINARY = {
    "answerabilityQAs_binary": "answerability yes or no",
    "infoAccessibilityQAs_binary": "information access yes or no",
}
TABLE = ("context", "question", "answer_choices", "gt_answer")
ONE_OPTION = "both options are the same, so no choice is right"
SHUFFLED = "the options of the table are shuffled: in published ones the right answer always stands first"


def read(path: Path) -> Iterator[Item]:
    """Every question, about the short context."""
    if ".csv" in path.suffixes:
        return _table(path)
    return _sets(path)


def _sets(path: Path) -> Iterator[Item]:
    should = "a list with an object for every set of questions, as fantom_v1.json is"
    drawn = random.Random(99)
    for where, record in objects(json_of(path), path, "set", should):
        need(record, where, set_id=str, short_context=str, factQA=dict, beliefQAs=list)
        yield _fact(where, record)
        for place, belief in enumerate(record["beliefQAs"], start=1):
            told = f"{where}, belief question {place}"
            yield _belief(told, place, record, _object(belief, told), drawn)
        for field, kind in LISTS.items():
            if field in record:
                yield _list(f"{where}, {field}", kind, record, _object(record[field], f"{where}, {field}"))
        for field, kind in BINARY.items():
            yield from _binaries(f"{where}, {field}", kind, record, record.get(field, []))


def _object(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise BadFile(f"{where} should be an object, not {str(row)[:80]}")
    return row


def _binaries(where: str, kind: str, record: Mapping[str, Any], rows: Any) -> Iterator[Item]:
    if not isinstance(rows, list):
        raise BadFile(f"{where} should be a list of questions, not {str(rows)[:80]}")
    for place, row in enumerate(rows, start=1):
        # Of the short context nobody can tell what was missed before it.
        if _object(row, f"{where} {place}").get("correct_answer") != "no:long":
            yield _binary(f"{where} {place}", kind, place, record, row)


def _tags(record: Mapping[str, Any], kind: str, access: str) -> dict[str, Tag]:
    """Only questions about what somebody missed belong to the set that has to be right as a whole."""
    tags: dict[str, Tag] = {STORY: str(record["set_id"]).split("-")[0], KIND: kind, "access": access}
    return {**tags, JOINT: str(record["set_id"])} if access == "inaccessible" else tags


def _fact(where: str, record: Mapping[str, Any]) -> Item:
    row = record["factQA"]
    gold = filled(row.get("correct_answer"), where, "factQA.correct_answer")
    tags = {**_tags(record, "fact", "fact"), ORDER: 0}
    return _made(record, "fact", row, gold, (), tags, where)


def _belief(where: str, place: int, record: Mapping[str, Any], row: Any, drawn: random.Random) -> Item:
    need(row, where, question=str, correct_answer=str, wrong_answer=str)
    options = [row["correct_answer"], row["wrong_answer"]]
    drawn.shuffle(options)
    order = str(row.get("tom_type", "first-order"))
    access = str(row.get("missed_info_accessibility") or str(row.get("question_type", "")).rpartition(":")[2])
    access = access or "inaccessible"
    tags = {**_tags(record, f"belief, {order}", access), ORDER: 2 if order.startswith("second") else 1}
    return _made(record, f"belief-{place}", row, row["correct_answer"], options, tags, where)


def _list(where: str, kind: str, record: Mapping[str, Any], row: Any) -> Item:
    need(row, where, question=str, correct_answer=list, wrong_answer=list)
    names = [filled(name, where, "correct_answer") for name in row["correct_answer"]]
    access = str(row.get("missed_info_accessibility") or ("inaccessible" if row["wrong_answer"] else "accessible"))
    tags = {**_tags(record, kind, access), ORDER: 1}
    gold = ", ".join(names) or "nobody"
    return _made(record, kind.replace(" ", "-"), row, gold, (), tags, where, names=names)


def _binary(where: str, kind: str, place: int, record: Mapping[str, Any], row: Any) -> Item:
    need(row, where, question=str, correct_answer=str)
    gold = row["correct_answer"].partition(":")[0]
    if gold not in ("yes", "no"):
        raise BadFile(f"{where}: correct_answer should be yes, no or no:long, not {row['correct_answer']!r}")
    lists = [record[field] for field in LISTS if isinstance(record.get(field), dict)]
    missed = any(each.get("wrong_answer") for each in lists)
    access = str(row.get("missed_info_accessibility") or ("inaccessible" if missed else "accessible"))
    tags = {**_tags(record, kind, access), ORDER: 1}
    return _made(record, f"{kind.replace(' ', '-')}-{place}", row, gold, ("yes", "no"), tags, where)


def _made(
    record: Mapping[str, Any],
    id: str,
    row: Mapping[str, Any],
    gold: str,
    choices: Sequence[str],
    tags: Mapping[str, Tag],
    where: str,
    *,
    names: Sequence[str] | None = None,
) -> Item:
    question = filled(row.get("question"), where, "question")
    item = Item(f"{record['set_id']}-{id}", question, gold, record["short_context"], tuple(choices), tags=tags)
    lists = {} if names is None else {"names": names, "others": row["wrong_answer"]}
    return keep(NAME, item, row, published=names, meta=lists)


def _table(path: Path) -> Iterator[Item]:
    """Belief questions as a table; their order is in the name of the file, if anywhere."""
    order = 2 if "second" in path.name else 1
    stories: dict[str, str] = {}
    drawn = random.Random(99)
    for number, (where, row) in enumerate(csv_rows(path), start=1):
        if missing := [name for name in TABLE if name not in row]:
            raise BadFile(f"{where}: there is no column {missing[0]}; a table of FANToM has {', '.join(TABLE)}")
        try:
            options = ast.literal_eval(row["answer_choices"])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            options = None
        if not isinstance(options, list) or len(options) < 2 or not all(isinstance(o, str) and o for o in options):
            raise BadFile(f"{where}: answer_choices should be a list of texts, not {row['answer_choices'][:80]!r}")
        if row["gt_answer"] not in options:
            raise BadFile(f"{where}: gt_answer is none of the answer_choices")
        story = stories.setdefault(row["context"], f"conversation-{len(stories) + 1}")
        tags: dict[str, Tag] = {
            STORY: story,
            ORDER: order,
            KIND: f"belief, {'second' if order == 2 else 'first'}-order",
        }
        drawn.shuffle(options)
        same = len(set(options)) < len(options)
        if same:
            tags["scored"] = False
        id, repairs = f"belief-{order}-{number}", [SHUFFLED, *([ONE_OPTION] if same else [])]
        item = Item(id, row["question"], row["gt_answer"], row["context"], tuple(told_apart(options)), tags=tags)
        yield keep(NAME, item, row, repairs=repairs)


# ---- what the published evaluation makes of a text -----------------------------------------------------------------


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """By the kind of question; what follows the last "Answer:" counts."""
    text = texts[0].rpartition("Answer:")[2].rpartition("Choose an answer from above:")[2].strip()
    if "names" in item.meta:
        return _names(item, text)
    if item.choices == ("yes", "no"):
        said = _yes_or_no(text)
        return Mark(float(said == item.meta["published_gold"]), said, bool(said), "" if said else "neither yes nor no")
    if not item.choices:
        return Mark(_word_f1(text, str(item.meta["published_gold"])), text)
    return _option(item, text, shown[0])


def _option(item: Item, text: str, options: Sequence[str]) -> Mark:
    gold = options.index(item.meta["published_gold"])
    if _picks(text, "ab"[gold]):
        return Mark(1.0, options[gold])
    other = next((place for place in range(len(options)) if place != gold and _picks(text, "abcd"[place])), None)
    if other is not None:
        return Mark(0.0, options[other])
    return Mark(0.0, "", False, "no letter of an option, which counts as wrong")


def _picks(text: str, letter: str) -> bool:
    text = text.lower()
    begun = tuple(form.format(letter) for form in ("({})", "{})", "{}.", "{}:", "{},"))
    return text.startswith(begun) or f"({letter})" in text or text == letter


def _names(item: Item, text: str) -> Mark:
    said = text.lower()
    every = all(name.lower() in said for name in item.meta["names"])
    wrong = any(name.lower() in said for name in item.meta["others"])
    return Mark(float(every and not wrong), text, bool(text))


def _yes_or_no(text: str) -> str:
    said = text.lower()
    for word, begun, phrases in (
        ("yes", ("yes", "true"), (" knows ",)),
        ("no", ("no", "false"), (" does not know ", " doesn't know ")),
    ):
        if said.startswith(begun) or any(part in said for part in (f" {word},", f" {word} ", f" {word}.", *phrases)):
            return word
    return ""


def _word_f1(text: str, gold: str) -> float:
    said, right = Counter(text.lower().split()), Counter(gold.lower().split())
    common = sum((said & right).values())
    return 2 * common / (sum(said.values()) + sum(right.values())) if common else 0.0


def ask(item: Item) -> str:
    """What kind of answer is wanted."""
    if "names" in item.meta:
        return "Answer with the names alone, separated by commas."
    if item.choices == ("yes", "no"):
        return "Answer with yes or no."
    return "Choose an answer from above: (a) or (b)." if item.choices else "Answer in one short sentence."


def _looks(path: Path) -> bool:
    head = beginning(path)
    if ".csv" in path.suffixes:
        return head.split("\n")[0].strip() == ",".join(TABLE)
    return path.suffix == ".json" and ('"factQA"' in head or '"set_id"' in head or "fantom" in path.name)


BENCHMARK = declared(NAME, read=read, looks=_looks, mark=mark, ask=ask)
