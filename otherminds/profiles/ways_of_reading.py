"""What each model does: which known readers its answers are like, and where, for the first screen of a profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from otherminds.diagnosis.cells import Key, MapCell, key_of
from otherminds.diagnosis.confusion import GUESS
from otherminds.diagnosis.diagnosis import Diagnosis
from otherminds.diagnosis.picture import by_model, by_order, place_name
from otherminds.files import read_words
from otherminds.pages.heatmap import Heatmap, Tile, term
from otherminds.pages.report import Block, Cell, Figure, Folded, Linked, Table
from otherminds.results.answers import Answer, Answers
from otherminds.results.itembrowser import leads_to, link
from otherminds.stats import percent

_TEXTS = read_words("pages")["map"]
_BELIEF = {True: "false", False: "true", None: "–"}
_TERMS = {"accuracy": term("Accuracy", "accuracy"), "guesses": term("guesses", "guess")}
_TERMS |= {name: term(name) for name in ("order", "reader")}
_MAP_NOTE, _PICTURE_NOTE = _TEXTS["note"].format(**_TERMS), _TEXTS["pictures"].format(**_TERMS)


@dataclass(frozen=True)
class DiagnosedModel:
    """A model's diagnosis beside all its answers."""

    found: Diagnosis
    answers: Answers

    def tiles(self) -> dict[Key, Tile]:
        """The map: every place with the way to exactly its items."""
        behind: dict[Key, list[Answer]] = {}
        for row in self.answers:
            if row.verdict in ("correct", "incorrect") and len(row.item.choices) > 1:
                behind.setdefault(key_of(row.item), []).append(row)
        return {each.key: self._tile(each, behind.get(each.key, [])) for each in self.found.map}

    def _tile(self, place: MapCell, rows: Sequence[Answer]) -> Tile:
        same = Counter(row.item.id for row in rows) == Counter(place.ids)
        to = leads_to(Answers(rows), self.answers) if same else {}
        return Tile(place.right, place.chance, place.reader, link("", to) if to else "")


def in_words(found: Diagnosis) -> str:
    """What a model does, in up to three sentences."""
    said = [f"{each[0].lower()}{each[1:].removesuffix('.')}" for each in found.sentences[:3]]
    return f"**{found.model}** {'; '.join(said) if said else _TEXTS['silent']}."


# ---- the map ------------------------------------------------------------------------------------------------------


def maps(read: Sequence[DiagnosedModel]) -> list[Block]:
    """The map of one or two models; below it the same as a table, with intervals."""
    tiles = {each.found.model: each.tiles() for each in read}
    keys = {key for each in tiles.values() for key in each}
    if not keys:
        return []
    return [_heatmap(tiles, keys), Folded("The same as a table, with intervals", [_table(tiles, keys)])]


def _heatmap(tiles: Mapping[str, Mapping[Key, Tile]], keys: set[Key]) -> Heatmap:
    # What is so is believed by nobody: one column, if no row needs two.
    both = {what for order, what, belief in keys if order == 0 and (0, what, None) in keys and belief is not None}
    tiles = tiles if both else {name: {_flat(key): tile for key, tile in own.items()} for name, own in tiles.items()}
    keys = keys if both else set(map(_flat, keys))
    places = sorted({(order, belief) for order, _, belief in keys}, key=_by_depth)
    orders = dict.fromkeys(order for order, _ in places)
    columns = [(_named(one), _beliefs([b for o, b in places if o == one])) for one in orders]
    depth = {what: min(_by_depth((o, b)) for o, w, b in keys if w == what) for _, what, _ in keys}
    rows = []
    for what in sorted(depth, key=lambda each: (depth[each], each)):
        for number, (name, own) in enumerate(tiles.items()):
            of = name if len(tiles) > 1 else ""
            rows.append((what if number == 0 else "", of, [own.get((o, what, b)) for o, b in places]))
    return Heatmap(columns, rows, _TEXTS["caption"], _MAP_NOTE)


def _named(order: int | None) -> str:
    return _TEXTS["no_order"] if order is None else place_name(order)


def _beliefs(some: Sequence[bool | None]) -> list[str]:
    return [""] if list(some) == [None] else [_BELIEF[each] for each in some]


def _flat(key: Key) -> Key:
    return (0, key[1], None) if key[0] == 0 else key


def _by_depth(place: tuple[int | None, bool | None]) -> tuple[bool, int, int]:
    order, belief = place
    return order is None, order or 0, (True, False, None).index(belief)


def _table(tiles: Mapping[str, Mapping[Key, Tile]], keys: set[Key]) -> Table:
    several = len(tiles) > 1
    rows: list[list[Cell]] = [
        [key[0], key[1], _BELIEF[key[2]], *([name] * several), *_numbers(own[key])]
        for key in sorted(keys, key=lambda each: (*_by_depth((each[0], each[2])), each[1]))
        for name, own in tiles.items()
        if key in own
    ]
    columns = ["order", "what happens", "belief", *(["model"] * several), "accuracy", "chance", "most like"]
    return Table(columns, rows, _TEXTS["caption"], sortable=True)


def _numbers(tile: Tile) -> list[Cell]:
    return [Linked(tile.score, tile.to) if tile.to else tile.score, tile.chance, tile.words or "–"]


# ---- the pictures -------------------------------------------------------------------------------------------------


def pictures(found: Sequence[Diagnosis]) -> list[Block]:
    """A picture a model: the shares of readers in all, and order by order."""
    made: list[Block] = []
    for each in found:
        if each.disagree:
            caption = f"What the answers of **{each.model}** are like." + ("" if made else f" {_PICTURE_NOTE}")
            made.append(Figure(by_order(each), caption))
    return made


def together(found: Sequence[Diagnosis]) -> list[Block]:
    """Of many models, one picture with a bar for each."""
    drawn = [each for each in found if each.disagree]
    return [Figure(by_model(drawn), f"What the answers of each model are like. {_PICTURE_NOTE}")] if drawn else []


def shares(found: Sequence[Diagnosis]) -> Table:
    """The shares of readers with their intervals."""
    names = dict.fromkeys(name for each in found for name in each.shares if name in each.needed or name == GUESS)
    rows: list[list[Cell]] = [
        [each.model, *(percent(each.shares[name]) if name in each.needed else None for name in names), each.disagree]
        for each in found
    ]
    columns = ["model", *names, "items where readers disagree"]
    return Table(columns, rows, "Which readers its answers are like", sortable=len(found) > 2)
