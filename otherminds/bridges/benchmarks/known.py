"""The benchmarks that can be read, which of them a file is, a suite out of it, and the gold labels that are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from otherminds import stats
from otherminds.bridges.benchmarks import bigtom, fantom, hitom, opentom, rows, tomi
from otherminds.bridges.benchmarks.record import Benchmark
from otherminds.errors import MissingFile, UsageError
from otherminds.formats.plans import groups
from otherminds.items import Item, Suite, write_lines
from otherminds.items.tags import BENCHMARK, CONSISTENT, PUBLISHED_GOLD, REPAIRS, STORY, check_tags

_ALL: tuple[Benchmark, ...] = (
    *(each.BENCHMARK for each in (tomi, hitom, bigtom, opentom)),
    *(rows.TOMBENCH, fantom.BENCHMARK, rows.SIMPLETOM, rows.TOMATO, rows.EXPLORETOM),
)
BENCHMARKS = {each.name: each for each in _ALL}
Gold = Literal["repaired", "published"]


def known(name: str) -> Benchmark:
    """The benchmark of that name."""
    if name not in BENCHMARKS:
        raise UsageError(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def guess(path: Path) -> Benchmark:
    """Which benchmark a file or folder is; a sentence where it could be several or none."""
    if not path.exists():
        raise MissingFile(f"there is no file or folder {path}")
    fitting = [each for each in BENCHMARKS.values() if each.fits(path)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = " or ".join(each.name for each in fitting)
        raise UsageError(f"{path} could be {names}; say which with --from")
    raise UsageError(f"{path} looks like none of {', '.join(BENCHMARKS)}; if it is one, say which with --from")


def read(path: str | Path, benchmark: str = "", *, gold: Gold = "repaired", name: str = "", **tags: str) -> Suite:
    """A suite of a benchmark's file, by its repaired or its published gold; only the items with these tags."""
    path = Path(path)
    kind = known(benchmark) if benchmark else guess(path)
    if not path.exists():
        raise MissingFile(f"there is no file or folder {path}")
    items = [item for item in kind.read(path) if all(str(item.tags.get(tag)) == value for tag, value in tags.items())]
    if not items:
        wanted = ", ".join(f"{tag}={value}" for tag, value in tags.items())
        raise UsageError(f"{path} has no item with {wanted}" if wanted else f"{path} has no questions")
    if gold == "published":
        items = [_as_published(item) for item in items]
    for item in items:
        # What is written here can be read again: the same rules as for any suite, with the same sentences.
        check_tags(Item.from_dict(item.to_dict(), where=f"{path}, {item.id}").tags, f"{path}, {item.id}")
    weighed = all(item.choices for item in items)
    suffix = "-published" if gold == "published" else ""
    return Suite(name or kind.name + suffix, tuple(items), "raw", "letters" if weighed else "text")


def _as_published(item: Item) -> Item:
    """The item with the file's own gold, where that is an answer that can be given."""
    gold = item.meta[PUBLISHED_GOLD]
    fits = isinstance(gold, str) and (gold in item.choices or not item.choices)
    return replace(item, answer=gold) if fits and gold.strip() else item


def benchmark_of(item: Item) -> Benchmark:
    """The benchmark that an item is from."""
    name = item.meta.get(BENCHMARK)
    if name not in BENCHMARKS:
        raise UsageError(
            f"item {item.id!r} is from no benchmark, so nothing is published about how to score it; "
            "`otherminds import` reads benchmarks"
        )
    return BENCHMARKS[str(name)]


def repairs(items: Iterable[Item]) -> dict[str, int]:
    """In sentences what was repaired, and in how many items, most often first."""
    return dict(Counter(words for item in items for words in item.meta.get(REPAIRS, ())).most_common())


ENGINE = "the belief engine contradicts this label, and nothing better is published, so it stays"


@dataclass(frozen=True, slots=True)
class GoldCheck:
    """How many gold labels the belief engine could check, and the share that it contradicts."""

    items: int
    contradicted: tuple[str, ...]
    share: stats.Estimate | None


def checked(items: Iterable[Item]) -> GoldCheck:
    """The check of all items that the engine could tell as events; labels as they are in the file."""
    known = [item for item in items if CONSISTENT in item.tags]
    wrong = [float(item.tags[CONSISTENT] is False) for item in known]
    share = stats.mean(wrong, groups=groups(known)) if known else None
    return GoldCheck(len(known), tuple(item.id for item, is_so in zip(known, wrong, strict=True) if is_so), share)


def patch(items: Iterable[Item]) -> list[dict[str, Any]]:
    """One row for every item whose label was changed, or is contradicted and could not be."""
    rows = []
    for item in items:
        published, contradicted = item.meta.get(PUBLISHED_GOLD), item.tags.get(CONSISTENT) is False
        changed = isinstance(published, str) and published != item.answer
        if changed or contradicted:
            why = "; ".join(item.meta.get(REPAIRS, ())) if changed else ENGINE
            row = {"id": item.id, "story": item.tags.get(STORY), "question": item.question}
            rows.append({**row, "published": published, "repaired": item.answer, "why": why})
    return rows


def write_patch(items: Iterable[Item], path: Path) -> int:
    """Write the patch as JSON Lines, and say how many rows it has."""
    rows = patch(items)
    write_lines(path, rows)
    return len(rows)
