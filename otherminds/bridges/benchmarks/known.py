"""The benchmarks that can be read, which of them a file is, and a suite out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from otherminds.bridges.benchmarks import bigtom, exploretom, fantom, hitom, opentom, simpletom, tomato, tombench, tomi
from otherminds.bridges.benchmarks.record import Benchmark
from otherminds.errors import MissingFile, UsageError
from otherminds.items import Item, Suite
from otherminds.items.tags import BENCHMARK, PUBLISHED_GOLD, REPAIRS, check_tags

BENCHMARKS: dict[str, Benchmark] = {
    each.BENCHMARK.name: each.BENCHMARK
    for each in (tomi, hitom, bigtom, opentom, tombench, fantom, simpletom, tomato, exploretom)
}
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
