"""OpenToM: a mover, an observer and a thing, asked about places, fullness, accessibility and attitude.

The published evaluator takes the five names of `plot_info` by their position in another order than the files have them.
So for fine-grained places it compares with the new place and the observer's name: whatever has the original place as
its answer drops out. `published` does the same and leaves these out; `repaired` takes the names by their keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from otherminds.bridges.benchmarks.record import WORDS, Mark, declared, filled, json_of, keep, need
from otherminds.errors import BadFile
from otherminds.items import Item, Tag
from otherminds.items.tags import FALSE_BELIEF, KIND, ORDER, REALITY, STATE, STORY

NAME = "opentom"
GENRES: dict[str, tuple[str, int]] = WORDS[NAME]["genres"]
"""By the name of a file, the form of its questions and their order."""
LABELS: dict[str, list[str]] = WORDS[NAME]["labels"]


def read(path: Path) -> Iterator[Item]:
    """The questions of every genre file that lies beside the stories."""
    folder, stories = _stories(path)
    found = {genre: file for genre in GENRES if (file := _genre_file(folder, genre))}
    if not found:
        raise BadFile(f"{folder} has none of OpenToM's question files, such as location_cg_fo.json")
    for genre, file in found.items():
        questions = json_of(file)
        if not isinstance(questions, dict):
            raise BadFile(f"{file} should be an object with a list of questions for every story")
        for key, several in questions.items():
            if key not in stories:
                raise BadFile(f"{file}: there is no story {key!r} in the file of stories beside it")
            if not isinstance(several, list):
                raise BadFile(f"{file}: story {key!r} should have a list of questions, not {several!r}")
            for number, row in enumerate(several, start=1):
                where = f"{file}, story {key}, question {number}"
                yield _item(where, genre, key, number, row, stories[key])


def _stories(path: Path) -> tuple[Path, dict[str, Any]]:
    folder = path if path.is_dir() else path.parent
    file = folder / "meta_data.json" if path.is_dir() or not path.name.startswith("meta_data") else path
    stories = json_of(file)
    if not isinstance(stories, dict) or not stories:
        raise BadFile(f"{file} should be an object with a story for every key")
    for key, story in stories.items():
        where = f"{file}, story {key}"
        if not isinstance(story, dict):
            raise BadFile(f"{where} should be an object, not {story!r}")
        need(story, where, narrative=str, plot_info=dict)
        for name in ("mover", "observer", "eoi", "original_place", "move_to_place"):
            filled(story["plot_info"].get(name), where, f"plot_info.{name}")
    return folder, stories


def _genre_file(folder: Path, genre: str) -> Path | None:
    # The evaluator asks for location_fg_fo.json, and the files are called location_fg_fo_new.json.
    return next((file for ending in ("_new", "") if (file := folder / f"{genre}{ending}.json").exists()), None)


def _item(where: str, genre: str, key: str, number: int, row: Any, story: Mapping[str, Any]) -> Item:
    if not isinstance(row, dict):
        raise BadFile(f"{where} should be an object, not {row!r}")
    need(row, where, question=str, answer=str)
    form, order = GENRES[genre]
    if form == "multihop":
        form = "fullness" if "fullness" in row["question"] else "accessibility"
    plot, question = story["plot_info"], row["question"]
    places = (plot["original_place"], plot["move_to_place"])
    choices = places if form == "fine" else LABELS[form]
    gold, repairs = row["answer"], []
    if gold not in choices:
        gold, repairs = _meant(gold, choices), [WORDS[NAME]["repairs"]["neither"]]
        if not gold:
            raise BadFile(f"{where}: answer {row['answer']!r} is none of {', '.join(choices)}")
    narrator = "narrator" in question
    tags: dict[str, Tag] = {STORY: f"opentom-{key}", KIND: f"{genre} {form}" if "multihop" in genre else genre}
    tags |= {"form": form, "observed": bool(story.get("observed"))}
    tags |= {STATE: "emotion"} if form == "attitude" else {ORDER: 0 if narrator else order}
    meta: dict[str, Any] = {"places": list(places), "published_places": [plot["move_to_place"], plot["observer"]]}
    if form == "fine" and not narrator:
        tags[FALSE_BELIEF] = gold != places[1]
    if form == "fine" and "beginning" not in question:
        meta[REALITY] = places[1]
    elif form == "coarse":
        meta[REALITY], tags[FALSE_BELIEF] = "No", gold == "Yes"
    item = Item(f"{genre}-{key}-{number}", question, gold, story["narrative"], tuple(choices), tags=tags)
    return keep(NAME, item, row, published=row["answer"], repairs=repairs, meta=meta)


def _meant(gold: str, choices: Sequence[str]) -> str:
    """The choice with most words of a label, if there is one such."""
    shares = {choice: len(set(gold.lower().split()) & set(choice.lower().split())) for choice in choices}
    best = [choice for choice, share in shares.items() if share and share == max(shares.values())]
    return best[0] if len(best) == 1 else ""


# ---- what the published evaluator makes of a text ------------------------------------------------------------------


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """By the rules of each genre; what they cannot read is left out of the score and counted."""
    text, gold = texts[0], str(item.meta["published_gold"])
    form = str(item.tags["form"])
    if form == "fine":
        return _fine(text, gold, item.meta["published_places"])
    rules: dict[str, Callable[[str], str]] = {"coarse": _coarse, "attitude": _attitude}
    said = rules.get(form, partial(_worded, form=form))(text)
    if not said:
        return Mark(None, "", False, "corrupted by their rules, and so left out of the score")
    return Mark(float(said == gold.lower()), said)


def label(item: Item, gold: str) -> str:
    """A gold label as the rules write what they read."""
    return _bare(gold) if item.tags["form"] == "fine" else gold.lower()


def _coarse(text: str) -> str:
    text = text.lower()
    # Parts of words count, so "know" says no.
    return "no" if "no" in text and "yes" not in text else "yes" if "yes" in text and "no" not in text else ""


def _fine(text: str, gold: str, places: Sequence[str]) -> Mark:
    names = [_bare(place) for place in places]
    if _bare(gold) not in names:
        return Mark(None, "", True, "their script compares with other names than the two places, so this drops out")
    words = set(text.lower().replace("_", " ").replace("'s", "").replace(".", "").split())
    shares = [len(set(name.split()) & words) / max(1, len(set(name.split()))) for name in names]
    if shares[0] == shares[1]:
        return Mark(0.0, "", False, "both places fit as well, which counts as wrong")
    said = names[shares.index(max(shares))]
    return Mark(float(said == _bare(gold)), said)


def _bare(place: str) -> str:
    """A place without a leading a, an or the; as published by its first letters, so that an apron becomes a pron."""
    place = place.lower().replace("_", " ").replace("'s", "").replace(".", "").strip()
    for article in ("an", "a", "the"):
        if place.startswith(article):
            return place[len(article) :].strip()
    return place


def _worded(text: str, form: str) -> str:
    """The first label that one of its words stands for."""
    told: dict[str, list[str]] = WORDS[NAME]["told"][form]
    return next((label for label, words in told.items() if any(each in text.lower() for each in words)), "")


def _attitude(text: str) -> str:
    text = text.split("\n\n")[-1].rpartition(":")[2].partition(".")[0].strip().lower()
    if letter := re.fullmatch(r"\(?([abc])\)?", text):
        return {"a": "positive", "b": "neutral", "c": "negative"}[letter[1]]
    named = [label for label in LABELS["attitude"] if label in text]
    return named[0] if len(named) == 1 else ""


def ask(item: Item) -> str:
    """The options are named in words; attitude gets an assumption as well."""
    words = " or ".join(f'"{choice}"' for choice in item.choices)
    assumed = "Assume that you observed the action. " if item.tags["form"] == "attitude" else ""
    return f"{assumed}Answer with {words}, and nothing else."


def _looks(path: Path) -> bool:
    return (path / "meta_data.json").is_file() if path.is_dir() else path.name.startswith("meta_data")


BENCHMARK = declared(NAME, read=read, looks=_looks, mark=mark, ask=ask)
