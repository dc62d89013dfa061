"""Item and Suite: the waist of the package.

Whatever makes questions ends here, and whatever measures answers starts here. An item knows nothing of where it
came from; a suite is a named list of items with the way to prompt and the way to score them.

On disk a suite is JSON Lines: a header, then one item a line.

    {"otherminds": 1, "suite": "starter", "prompt": "raw", "score": "letters"}
    {"id": "sally-1", "context": "…", "question": "…", "answer": "basket", "choices": ["basket", "box"], …}
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.files import write_parts
from otherminds.items.lines import JsonLines, OnDisk
from otherminds.items.tags import Tag, check_tags
from otherminds.showing.brief import Brief, cut, plain
from otherminds.showing.notebook import Shown

SCHEMA = 1


@dataclass(frozen=True, slots=True, repr=False)
class Item(Brief, Shown):
    """One question to one model, with its true answer."""

    id: str
    question: str
    answer: str
    context: str = ""
    choices: tuple[str, ...] = ()
    """What may be answered; the answer is one of them. Empty: free text."""
    cloze: str = ""
    """The beginning of a sentence that each choice completes: "Sally will look for the marble in the"."""
    tags: Mapping[str, Tag] = field(default_factory=dict)
    """What results are split by. `story` and `twin` name the groups whose items are not independent."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Whatever its maker wants to keep: the events of the story, the reason for the answer."""

    def __hash__(self) -> int:
        return hash((self.id, self.context, self.question, self.answer, self.choices))

    def to_dict(self) -> dict[str, Any]:
        """The item as JSON, without what is empty."""
        full = {name: getattr(self, name) for name in _NAMES}
        full["choices"] = list(self.choices)
        return {name: value for name, value in full.items() if value not in ("", [], {})}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, where: str = "item") -> Item:
        """An item from JSON; `where` begins the sentence if it cannot be one."""
        return _read_item(data, where)


@dataclass(frozen=True, repr=False)
class Suite(Shown):
    """Named items, with how to prompt and how to score them."""

    name: str
    items: Sequence[Item]
    """Those of a file are read from it when they are looked at."""
    prompt: str = "raw"
    score: str = "letters"
    study: str = ""
    """The study whose rules and page are for its items; empty for questions of nobody's."""

    def __post_init__(self) -> None:
        if not self.items:
            raise UsageError(f"suite {self.name!r} has no items, so there is nothing to ask")
        if not isinstance(self.items, OnDisk):  # of which that was seen when they were read
            _check_ids(self.name, (item.id for item in self.items))

    def __repr__(self) -> str:
        return plain(f"<Suite {cut(self.name, 60)!r} of {len(self)} items, {self.prompt}, {self.score}>")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def using(self, *, prompt: str | None = None, score: str | None = None) -> Suite:
        """The same items, prompted or scored another way."""
        return replace(self, prompt=prompt or self.prompt, score=score or self.score)

    def where(self, keep: Callable[[Item], bool] | None = None, **tags: Tag) -> Suite:
        """The items that have these tags and that `keep` keeps."""
        chosen = tuple(
            item
            for item in self.items
            if all(item.tags.get(name) == value for name, value in tags.items()) and (keep is None or keep(item))
        )
        return replace(self, items=chosen)

    def find(self, id: str) -> Item | None:
        """The item of this id, if there is one."""
        hashes, places = self._index
        at = bisect_left(hashes, hash(id))
        while at < len(hashes) and hashes[at] == hash(id):
            if (item := self.items[places[at]]).id == id:
                return item
            at += 1
        return None

    @cached_property
    def _index(self) -> tuple[array[int], array[int]]:
        """The hashes of all ids, in order, and the places of their items: a dict of a million takes 200 MB."""
        hashes = array("q", (hash(item.id) for item in self.items))
        places = array("q", sorted(range(len(hashes)), key=hashes.__getitem__))
        return array("q", (hashes[place] for place in places)), places

    @cached_property
    def digest(self) -> str:
        """Changes when any item changes; the way of asking is not part of it."""
        if isinstance(self.items, OnDisk):
            return self.items.digest
        known = _Digest()
        for item in self.items:
            known.add(item)
        return str(known)

    def save(self, path: str | Path) -> None:
        """Write the suite as JSON Lines; the file is there whole or not at all."""
        header = {"otherminds": SCHEMA, "suite": self.name, "prompt": self.prompt, "score": self.score}
        header |= {"study": self.study} if self.study else {}
        write_lines(path, chain([header], (item.to_dict() for item in self.items)))

    @classmethod
    def load(cls, path: str | Path) -> Suite:
        """Read a suite; a bad line is refused by number and field."""
        source = JsonLines(path)
        lines = source.objects()
        number, _, header = next(lines, (0, 0, None))
        if header is None:
            raise BadFile(f"{path} is empty; the first line should be a header like {_line(_EXAMPLE_HEADER)}")
        version = header.get("otherminds")
        if not isinstance(version, int):
            raise BadFile(f"{path}, line {number}: no header; the first line should be like {_line(_EXAMPLE_HEADER)}")
        if version > SCHEMA:
            raise BadFile(f"{path} has schema version {version}, and this otherminds reads up to {SCHEMA}; update it")
        for name in ("suite", "prompt", "score", "study"):
            value = header.get(name, "raw")
            if not isinstance(value, str) or not value.strip():
                raise BadFile(f"{path}, line 1: {name} should be a word, not {value!r}")
        if "suite" not in header:
            raise BadFile(f"{path}, line 1: suite is missing; it is the name of the suite")
        items, known = OnDisk(source, _read_again), _Digest()

        def ids() -> Iterator[str]:
            for number, start, data in lines:
                item = _read_known(data, f"{path}, line {number}")
                items.append(start, item)
                known.add(item)
                yield item.id

        _check_ids(header["suite"], ids())
        items.digest = str(known)
        made = cls(header["suite"], items, study=header.get("study", ""))
        return made.using(prompt=header.get("prompt"), score=header.get("score"))


_EXAMPLE_HEADER = {"otherminds": SCHEMA, "suite": "name"}


def told_apart(options: Iterable[str]) -> tuple[str, ...]:
    """Options that all differ, as choices must: spaces that no reader sees number the copies of one."""
    apart: list[str] = []
    for option in options:
        while option in apart:
            option += " "
        apart.append(option)
    return tuple(apart)


def read_lines(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers; blank lines are passed over."""
    for number, _, data in JsonLines(path).objects():
        yield number, data


def write_lines(path: str | Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines; the file is there whole or not at all."""
    write_parts(path, (_line(data) + "\n" for data in objects))


def _line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def _check_ids(suite: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            raise UsageError(f"suite {suite!r} has two items called {id!r}; ids must differ")
        seen.add(id)


class _Digest:
    """Of items, one after another."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._between = ""

    def add(self, item: Item) -> None:
        self._hash.update(f"{self._between}{_line(item.to_dict())}".encode())
        self._between = "\n"

    def __str__(self) -> str:
        return self._hash.hexdigest()[:16]


def _read_again(line: bytes) -> Item:
    """An item of a file whose lines were all checked when it was loaded."""
    data = json.loads(line)
    return Item(**{**data, "choices": tuple(data.get("choices", ()))})


def _read_known(data: Mapping[str, Any], where: str) -> Item:
    """One item of a suite, whose known tags have values that they can have."""
    # Not for every item: what a store recorded once can be read for good.
    item = _read_item(data, where)
    check_tags(item.tags, where)
    return item


_NAMES = {part.name: part for part in fields(Item)}
_TEXTS = ("id", "question", "answer", "context", "cloze")


def _read_item(data: Mapping[str, Any], where: str) -> Item:
    """One item from JSON, or a sentence that names the field at fault."""
    if unknown := data.keys() - _NAMES.keys():
        raise BadFile(f"{where}: unknown field {min(unknown)!r}; extra data belongs under 'meta'")
    for name in _TEXTS:
        value = data.get(name, "")
        if not isinstance(value, str):
            raise BadFile(f"{where}: {name} should be text, not {value!r}")
        if name in ("id", "question", "answer") and not value.strip():
            raise BadFile(f"{where}: {name} is missing")
    choices = data.get("choices", [])
    if not isinstance(choices, list) or not all(isinstance(choice, str) and choice.strip() for choice in choices):
        raise BadFile(f"{where}: choices should be a list of texts, not {choices!r}")
    if choices and (len(choices) < 2 or len(set(choices)) < len(choices)):
        raise BadFile(f"{where}: choices should be two or more different texts, not {choices!r}")
    if choices and data["answer"] not in choices:
        raise BadFile(f"{where}: answer {data['answer']!r} is not one of the choices {choices!r}")
    tags = data.get("tags", {})
    if not isinstance(tags, dict) or not all(isinstance(value, str | int | float | bool) for value in tags.values()):
        raise BadFile(f"{where}: tags should map names to texts, numbers or true/false, not {tags!r}")
    meta = data.get("meta", {})
    if not isinstance(meta, dict):
        raise BadFile(f"{where}: meta should be an object, not {meta!r}")
    texts = {name: data.get(name, "") for name in _TEXTS}
    return Item(**texts, choices=tuple(choices), tags=tags, meta=meta)
