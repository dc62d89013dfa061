"""The nine tasks as one suite: items that were written for it, and items that are generated.

Written items lie in data/safety, one JSON object a line after a header that holds the canary:

    {"id": "ma-ir-001-a", "task": "MA/IR", "family": "weather", "group": "ma-ir-001", "twin": "ironic",
     "script": "…", "question": "…", "right": "…", "wrong": "…", "domain": "public"}

Endings of a faux pas scene that tell nothing have neither a right nor a wrong answer. They become items of a task of
their own, tagged `scored: false`, with "did not know" in the place of the answer: S says how far a model leans to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import as_file, files
from itertools import count
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.formats.plans import limited
from otherminds.items import Item, Suite, Tag, read_lines
from otherminds.studies.safety.plots.aims import aim
from otherminds.studies.safety.plots.deceived import deceived
from otherminds.studies.safety.plots.deceivers import deceiver
from otherminds.studies.safety.plots.nested import thought
from otherminds.studies.safety.plots.scripts import CANARY, PERSPECTIVES
from otherminds.studies.safety.plots.transfer import believed, read

FILES = ("intention", "irony", "faux_pas", "everyday_sa", "everyday_dv")
NEUTRAL = "MA/FP-neutral"
TASKS = (
    "TB",
    *("MA/INT", "MA/IR", "MA/FP", "MA/FP-hurt", NEUTRAL),
    *("FB/SA", "FB/HO", "FB/D/V", "FB/D/A", "FB/D/CA"),
)
"""From reading to deception, in the order in which results are shown."""

GENERATED = {
    "standard": {"TB": 100, "FB/SA": 60, "FB/HO": 150, "FB/D/V": 60, "FB/D/A": 150, "FB/D/CA": 160},
    "small": {"TB": 24, "FB/SA": 12, "FB/HO": 24, "FB/D/V": 12, "FB/D/A": 24, "FB/D/CA": 24},
}
WRITTEN = {"standard": None, "small": 12}
"""How many written items of a file and task; None: all of them."""

GENERATORS: dict[str, Callable[[int, int], list[Item]]] = {
    "TB": read,
    "FB/SA": believed,
    "FB/HO": thought,
    "FB/D/V": deceived,
    "FB/D/A": deceiver,
    "FB/D/CA": aim,
}
"""For each task, the group of twins with a given number and seed."""

FIELDS = ("id", "task", "family", "group", "twin", "script", "question", "domain")


def build(*, tasks: Sequence[str] | None = None, size: str | int = "standard", seed: int = 0) -> Suite:
    """The suite; `size` is "standard", "small", or so many items for every task and source."""
    wanted = [_task(name) for name in tasks] if tasks is not None else list(TASKS)
    if isinstance(size, str) and size not in GENERATED:
        raise UsageError(f"there is no size {size!r}; there are {', '.join(GENERATED)}, or give a number")
    items: list[Item] = []
    for task in TASKS:
        if task not in wanted:
            continue
        if task in GENERATORS:
            number = size if isinstance(size, int) else GENERATED[size][task]
            items += generate(task, number=number, seed=seed)
        most = size if isinstance(size, int) else WRITTEN[size]
        items += limited([item for item in written() if item.tags["task"] == task], limit=most, seed=seed)
    return Suite("safety", tuple(items), prompt="raw", score="letters", study="safety")


def _task(name: str) -> str:
    if name not in TASKS:
        near = get_close_matches(name.upper(), TASKS, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"there is no task {name!r}{hint}; there are {', '.join(TASKS)}")
    return name


def generate(task: str, *, number: int, seed: int = 0) -> list[Item]:
    """As many items as there are whole groups for; the first groups stay the same when more are wanted."""
    if task not in GENERATORS:
        raise UsageError(f"no items are generated for {task!r}; they are for {', '.join(GENERATORS)}")
    found: list[Item] = []
    index = 0
    while len(found) + len(group := GENERATORS[task](index, seed)) <= number:
        found += group
        index += 1
    if not found:
        raise UsageError(f"{number} items of {task} are too few: a group of twins has {len(group)}")
    return found


# ---- written items ------------------------------------------------------------------------------------------------


@cache
def written() -> tuple[Item, ...]:
    """All items that were written for the package."""
    found: list[Item] = []
    for name in FILES:
        with as_file(files("otherminds") / "data" / "safety" / f"{name}.jsonl") as path:
            found += read_written(path)
    return tuple(found)


def read_written(path: str | Path) -> list[Item]:
    """The items of one file; a line with a missing or odd field is refused by number and field."""
    lines = read_lines(path)
    _, header = next(lines, (0, {}))
    if header.get("canary") != CANARY:
        raise BadFile(f"{path}: the first line should be a header with the canary {CANARY!r}")
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, data in lines:
        _check(data, f"{path}, line {number}")
        groups[data["group"] + data["question"]].append(data)
    # Counted for each task: in a file that holds two of them in turn, each would always be on the same side.
    turns = {task: count() for task in TASKS}
    return [item for group in groups.values() for item in _items(group, next(turns[group[0]["task"]]), path)]


def _check(data: Mapping[str, Any], where: str) -> None:
    for name in FIELDS:
        if not isinstance(data.get(name), str) or not data[name].strip():
            raise BadFile(f"{where}: {name} should be text, not {data.get(name)!r}")
    for name in ("right", "wrong"):
        if not isinstance(data.get(name), str) or (not data[name] and data["twin"] != "neutral"):
            raise BadFile(f"{where}: {name} should be text, not {data.get(name)!r}; only neutral twins have none")
    if data["right"] == data["wrong"] and data["right"]:
        raise BadFile(f"{where}: right and wrong are the same text {data['right']!r}")
    if data["task"] not in TASKS:
        raise BadFile(f"{where}: there is no task {data['task']!r}; there are {', '.join(TASKS)}")
    if "severity" in data and data["severity"] not in (1, 2, 3):
        raise BadFile(f"{where}: severity should be 1, 2 or 3, not {data['severity']!r}")


def _items(group: Sequence[Mapping[str, Any]], turn: int, path: str | Path) -> list[Item]:
    """Twins with the same question: their choices in one order, which alternates from group to group."""
    scored = [data for data in group if data["right"]]
    if not scored:
        raise BadFile(f"{path}: group {group[0]['group']!r} has a neutral twin and no other, so it has no choices")
    first = scored[0]
    pair = (first["right"], first["wrong"]) if turn % 2 else (first["wrong"], first["right"])
    informed = next((data["right"] for data in scored if data["twin"] == "informed"), None)
    found = []
    for data in group:
        choices = pair if {data["right"], data["wrong"]} <= {*pair, ""} else (data["right"], data["wrong"])
        task = data["task"] if data["right"] else NEUTRAL
        tags: dict[str, Tag] = {
            "task": task,
            "perspective": PERSPECTIVES[task.partition("/")[0]],
            "family": data["family"],
            "story": data["group"],
            "twin_kind": data["twin"],
            "domain": data["domain"],
        }
        tags |= {"severity": data["severity"]} if "severity" in data else {}
        # What is not scored is nobody's twin: a group is right when all of its twins are.
        twin = data["group"] if task != "MA/FP-hurt" else f"{data['group']}-hurt"
        tags |= {"twin": twin} if data["right"] else {"scored": False}
        meta: dict[str, Any] = {"canary": CANARY}
        if informed is not None:
            # Whoever cannot help knowing the fact lets the protagonist act on it, informed or not.
            tags |= {"order": 1, "false_belief": data["twin"] != "informed"}
            meta["reality"] = informed
        answer = data["right"] or next(choice for choice in choices if "not know" in choice)
        found.append(Item(data["id"], data["question"], answer, data["script"], tuple(choices), "", tags, meta))
    return found
