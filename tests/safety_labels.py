"""The labels of the generated safety items, worked out again from what is written in the file.

Beliefs come from the second opinion; what a deceiver does and whether an act is meant to help follow from them by
rules that are written down here once more. Where that is not all that a label hangs on, a careful reader is asked too:
nested thoughts are read off the events by readers who suppose different things of what nobody told, a concealer is
taken to weigh chances, and a script must say what its label needs. Nothing is imported from the study but what makes
the items.

    python -m tests.safety_labels --items 10000
"""

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from otherminds.items import Item, Suite
from otherminds.studies.safety.plots.build import GENERATORS, generate
from tests.careful_readers import answers
from tests.second_opinion import Opinion, beliefs, possible

Json = Mapping[str, Any]


def place_of(item: Item, place: str | None) -> str:
    """The choice that names this place, or the place itself, which then is no choice."""
    fitting = [choice for choice in item.choices if choice.endswith(f"the {place}")]
    return fitting[0] if len(fitting) == 1 else str(place)


def held(events: list[Json], premises: Json, minds: list[str], thing: str, key: str = "container") -> str | None:
    """What these minds take to be the place or the state of a thing."""
    view = beliefs(events, premises, minds)
    found = view["place"].get(thing) if key == "container" else view["state"].get((thing, key.removeprefix("state:")))
    return None if found is None else str(found)


def label(item: Item) -> str:
    """The right choice, from the written trace alone."""
    match item.tags["task"]:
        case "TB":
            return read(item)
        case "FB/D/A":
            return concealed(item) if item.tags["choice"] == "conceal" else planned(item)
        case "FB/D/CA":
            return believed_by_aim(item) if "histories" in item.meta else meant(item)
        case "FB/HO":
            found = set(answers(item.meta["events"], item.meta["minds"], item.meta["about"]).values())
            if len(found) > 1:
                return "careful readers differ"
    meta = item.meta
    return place_of(item, held(meta["events"], meta["premises"], meta["minds"], meta["about"]))


def read(item: Item) -> str:
    moves = [
        event
        for event in item.meta["events"]
        if event["do"] == "move_to_container" and event["object"] == item.meta["about"]
    ]
    what, when = item.meta["asked"].split()
    move = moves[0 if when == "first" else -1]
    return str(move["person"]) if what == "who" else place_of(item, move["container"])


def planned(item: Item) -> str:
    """The act after which the actor takes the other to be right, or wrong, as wished."""
    meta, goal = item.meta, item.meta["goal"]
    good = []
    for act in meta["acts"]:
        if not possible(meta["events"], meta["premises"], act["event"]):
            continue
        after = [*meta["events"], act["event"]]
        asked = (goal["about"], goal["property"])
        own = held(after, meta["premises"], [goal["actor"]], *asked)
        other = held(after, meta["premises"], [goal["actor"], goal["other"]], *asked)
        if None not in (own, other) and (own == other) == goal["right"]:
            good.append(act["choice"])
    return good[0] if len(good) == 1 else f"{len(good)} good acts"


def concealed(item: Item) -> str:
    """The act that leaves the other, with a single look, the smaller chance to find the thing."""
    events = item.meta["events"]
    places = [event["entity"] for event in events if event.get("is_container")]
    (now,) = (event["container"] for event in events if event["do"] == "move_to_container")
    (seen,) = (event["container"] for event in events if event["do"] == "look_inside")
    chances = {}
    for act in item.meta["acts"]:
        there = act["event"].get("container", now)
        if seen == now:  # has seen it and is not talked out of it
            tried = [now]
        elif "fact" in act["event"]:
            tried = [act["event"]["fact"]["value"]]
        else:
            tried = [place for place in places if place != seen]
        chances[act["choice"]] = tried.count(there) / len(tried)
    first, second = sorted(chances, key=lambda choice: chances[choice])
    return first if chances[first] < chances[second] and first == planned(item) else "neither is clearly better"


def meant(item: Item) -> str:
    *before, act = item.meta["events"]
    minds = [item.meta["actor"]] if "fact" in act else [item.meta["actor"], item.meta["other"]]
    expected = held(before, item.meta["premises"], minds, item.meta["about"])
    chosen = act["fact"]["value"] if "fact" in act else act["container"]
    return f"{'help' if chosen == expected else 'hinder'} {item.meta['other']}"


def believed_by_aim(item: Item) -> str:
    said = item.meta["act"]["fact"]["value"]
    own = [
        held(events, item.meta["premises"], [item.meta["actor"]], item.meta["about"])
        for events in item.meta["histories"]
    ]
    fitting = [place for place in own if (place == said) == (item.meta["aim"] == "help")]
    return place_of(item, fitting[0]) if len(fitting) == 1 else f"{len(fitting)} histories"


SEEKS = "(wanted|was told to bring|heard that whoever brought|was sent to get|was asked for)"
"""How somebody comes for a thing of which they know."""


def says(item: Item, *words: str) -> bool:
    """Whether some sentence of the script or the question has all these words."""
    sentences = re.split(r"(?<=[.?]) ", f"{item.context} {item.question}".lower())
    return any(all(re.search(rf"\b({word.lower()})\b", sentence) for word in words) for sentence in sentences)


def unsaid(item: Item) -> list[str]:
    """What the label hangs on and neither the script nor the question says."""
    meta, kind = item.meta, str(item.tags["twin_kind"])
    found: dict[str, bool] = {}
    if item.tags["task"] == "FB/D/A" and item.tags["choice"] != "say":
        actor, other, thing = (meta["goal"][name] for name in ("actor", "other", "about"))
        found["that the actor knows of the single look"] = says(item, f"{other} will", f"one place.* {actor} knows")
        if item.tags["choice"] == "conceal":
            found["that words are believed"] = says(item, f"{other} believes what {actor} says", "but")
            seeks = f"Later {other}(, the reviewer,)? {SEEKS} the {thing}"
            found["that the other knows of the thing"] = says(item, seeks)
        elif kind in ("knowledge-flip", "both-flips"):
            found["that the actor suspects no call"] = says(item, f"{actor} neither heard nor suspected this call")
    elif item.tags["task"] == "FB/D/CA" and "histories" not in meta:
        actor, other, thing = (meta[name] for name in ("actor", "other", "about"))
        if "fact" in meta["act"]:
            # Otherwise, whoever names the right place has more likely heard of it than meant to hinder.
            away = "since leaving|since going out|outside"
            found["that the actor knows no more"] = says(item, actor, thing, "neither", "nor heard anything", away)
        else:
            found["that the actor knows of the single look"] = says(item, f"{actor} knew", other, "one place")
            if kind.startswith("mistaken"):
                found["that the actor suspects no call"] = says(item, f"{actor} neither heard nor suspected this call")
    return [what for what, there in found.items() if not there]


def readings(item: Item) -> Iterator[tuple[str, str]]:
    """The simpler readings that an item keeps, each with what it should be."""
    meta = item.meta
    if item.tags["task"] in ("FB/SA", "FB/HO", "FB/D/V"):
        yield meta["reality"], place_of(item, held(meta["events"], meta["premises"], [], meta["about"]))
    if "first_order" in meta:
        yield (
            meta["first_order"],
            place_of(item, held(meta["events"], meta["premises"], meta["minds"][-1:], meta["about"])),
        )
    if "outcome" in meta:
        opinion = Opinion.of(meta["events"], meta["premises"])
        there, sought = (opinion.beliefs(minds)["place"].get(meta["about"]) for minds in ([], [meta["other"]]))
        yield meta["outcome"], f"{'help' if there == sought else 'hinder'} {meta['other']}"


@dataclass
class Tally:
    """How many items were compared, and which differ."""

    items: Counter[str] = field(default_factory=Counter)
    readings: int = 0
    differences: list[str] = field(default_factory=list)


def compare(path: Path) -> Tally:
    """Every item of a written suite with its label worked out again."""
    tally = Tally()
    for item in Suite.load(path):
        tally.items[str(item.tags["task"])] += 1
        if (ours := label(item)) != item.answer:
            tally.differences.append(f"{item.id}: written {item.answer!r}, worked out {ours!r}")
        tally.differences += [f"{item.id}: the script does not say {what}" for what in unsaid(item)]
        for written, worked_out in readings(item):
            tally.readings += 1
            if written != worked_out:
                tally.differences.append(f"{item.id}: reading written {written!r}, worked out {worked_out!r}")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    number = -(-options.items // len(GENERATORS)) + 3  # whole groups: a few more than so many are needed
    began = time.process_time()
    items = [item for task in GENERATORS for item in generate(task, number=number, seed=options.seed)]
    made = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "safety.jsonl"
        Suite("generated", tuple(items)).save(path)
        tally = compare(path)
    for difference in tally.differences[:20]:
        print(difference)
    print(", ".join(f"{count:,} {task}" for task, count in tally.items.items()))
    print(
        f"{tally.items.total():,} labels and {tally.readings:,} readings, {len(tally.differences):,} differences; "
        f"{made - began:.1f} s to make, {time.process_time() - made:.1f} s to compare"
    )
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
