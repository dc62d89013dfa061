"""One table for one model on any benchmarks: by type, published beside repaired, with the best mindless baseline.

`published` is what the benchmark's own script would say, by its own gold; `repaired` is our reading by the repaired
gold; `letters` the same gold, with the letters weighed. `joint` counts sets of questions that are right to the last
one: the six of a ToMi story, true and false belief of BigToM, a set of FANToM, all orders up to that of a Hi-ToM
question. Mindless baselines are scored on all items of the files, also where a model is asked only some.

Some benchmarks report F1 over labels instead of a share of right answers. OpenToM: macro-F1 by genre, over the answers
that its rules can read; here over all items at once, not the mean of five batches of 50 stories. FANToM: weighted F1 of
yes-or-no questions, where an answer that cannot be read is a third label.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path

from otherminds import stats
from otherminds.bridges import audit
from otherminds.bridges.benchmarks import fantom, opentom
from otherminds.bridges.benchmarks.known import BENCHMARKS, read
from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.items import Item, Suite
from otherminds.items.tags import BENCHMARK, JOINT, KIND, ORDER, PUBLISHED_GOLD
from otherminds.models import Model
from otherminds.runs.runs import Record, Run, run
from otherminds.store.store import Store

Values = Mapping[str, float]
JOINTLY = "joint"
ALL = "all"


@dataclass(frozen=True, slots=True)
class BenchmarkLine:
    """One type of question of one benchmark."""

    benchmark: str
    kind: str
    n: int
    published: stats.Estimate | None
    repaired: stats.Estimate | None
    unparsed: int
    """Answers that our reading could not read; of how many is n."""
    letters: stats.Estimate | None
    reader: tuple[str, float] | None
    """The best of the mindless baselines on these items, by the repaired gold, and what it gets."""


@dataclass(frozen=True, slots=True)
class MarkedAnswers:
    """What one model got, by item."""

    published: Values
    repaired: Values
    unparsed: frozenset[str]
    letters: Values
    own: Mapping[str, float] = field(default_factory=dict)
    """Figures of the benchmark's own, where it reports others than shares."""


NOTHING = MarkedAnswers({}, {}, frozenset(), {})


def find(paths: Sequence[Path]) -> list[Path]:
    """Every benchmark among files and folders; a folder that is none, or holds several, is looked into."""
    found = [file for path in paths for file in _within(path, depth=2)]
    if not found:
        raise UsageError(f"none of {', '.join(map(str, paths))} looks like a benchmark; `otherminds import` says why")
    return found


def _within(path: Path, depth: int) -> list[Path]:
    own, inside = _names(path), sorted(path.iterdir()) if path.is_dir() else []
    if own and {name for each in inside for name in _names(each)} <= own:
        return [path]
    return [file for each in inside for file in _within(each, depth - 1)] if depth else []


def _names(path: Path) -> set[str]:
    """The benchmarks that a file or folder looks like."""
    return {each.name for each in BENCHMARKS.values() if path.exists() and each.fits(path)}


def gathered(paths: Sequence[Path], only: Mapping[str, str]) -> list[Suite]:
    """One suite for each benchmark, the files of one put together."""
    by_name: dict[str, list[Item]] = defaultdict(list)
    for path in paths:
        suite = read(path)
        kept = [item for item in suite if all(str(item.tags.get(tag, value)) == value for tag, value in only.items())]
        by_name[suite.name] += kept
    return [Suite(name, tuple(items)) for name, items in by_name.items() if items]


def stratified(items: Sequence[Item], limit: int | None, seed: int = 0) -> tuple[Item, ...]:
    """At most so many items, in their own order: always of the type drawn least so far, with what counts as one set."""
    if limit is None or limit >= len(items):
        return tuple(items)
    by_kind: dict[str, list[Item]] = defaultdict(list)
    sets: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_kind[str(item.tags[KIND])].append(item)
        sets[_set(item)].append(item)
    queues = {kind: random.Random(f"{seed}:{kind}").sample(some, len(some)) for kind, some in sorted(by_kind.items())}
    number = Counter(dict.fromkeys(queues, 0))
    drawn: set[str] = set()
    while len(drawn) < limit:
        item = queues[min((kind for kind in queues if queues[kind]), key=number.__getitem__)].pop()
        if item.id in drawn:
            continue
        left = [each for each in sets[_set(item)] if each.id not in drawn]
        some = left if len(drawn) + len(left) <= limit else [item]
        drawn.update(each.id for each in some)
        number.update(str(each.tags[KIND]) for each in some)
    return tuple(item for item in items if item.id in drawn)


def _set(item: Item) -> str:
    """What an item counts together with; most stand for themselves."""
    return f"set {item.tags[JOINT]}" if JOINT in item.tags else f"item {item.id}"


def ask(suite: Suite, model: Model, store: Store | None, *, prompt: str, letters: bool, seed: int = 0) -> MarkedAnswers:
    """A model's answers to a benchmark, marked as published, as repaired, and by letters where it can weigh."""

    def asked(some: Suite, score: str) -> Run:
        return run(some.using(prompt=prompt, score=score), model, store=store, seed=seed)

    published, repaired = asked(suite, "published"), asked(suite, "repaired")
    weighed = tuple(item for item in suite if item.choices and len(item.choices) <= 26)
    by_letters: Values = {}
    if letters and weighed and "weigh" not in model.cannot:
        by_letters = asked(replace(suite, items=weighed), "letters").values()
    lost = ("unparsed", "truncated", "refused", "error")
    unparsed = frozenset(record.item.id for record in repaired.records if record.score.verdict in lost)
    return MarkedAnswers(published.values(), repaired.values(), unparsed, by_letters, own_figures(published))


def lines(items: Sequence[Item], answers: MarkedAnswers = NOTHING, *, whole: Suite) -> list[BenchmarkLine]:
    """The lines of one benchmark: every type, all together, and sets that are right as a whole."""
    known = [item for item in whole if item.choices and item.tags.get("scored") is not False]
    gains = audit.gains(known) if known else {}
    kinds = list(dict.fromkeys(str(item.tags[KIND]) for item in items))
    rows = []
    for kind in [*kinds, ALL]:
        some, every = ([i for i in several if kind in (i.tags[KIND], ALL)] for several in (items, whole))
        rows.append(_line(whole.name, kind, some, answers, audit.best(gains, [item.id for item in every])))
    joint = _joint(whole, items, answers, gains)
    return [*rows, joint] if joint else rows


def _line(
    name: str, kind: str, items: Sequence[Item], answers: MarkedAnswers, reader: tuple[str, float] | None
) -> BenchmarkLine:
    unparsed = len(answers.unparsed.intersection(item.id for item in items))
    published, repaired, letters = (
        _mean(items, values) for values in (answers.published, answers.repaired, answers.letters)
    )
    return BenchmarkLine(name, kind, len(items), published, repaired, unparsed, letters, reader)


def _mean(items: Sequence[Item], values: Values) -> stats.Estimate | None:
    some = [item for item in items if item.id in values]
    return stats.mean([values[item.id] for item in some], groups=groups(some)) if some else None


def _joint(
    whole: Suite, items: Sequence[Item], answers: MarkedAnswers, gains: Mapping[str, Values]
) -> BenchmarkLine | None:
    every, asked = joint_sets(whole), {item.id for item in items}
    sets = {name: ids for name, ids in every.items() if asked.issuperset(ids)}
    if not sets:
        return None

    def share(values: Values) -> stats.Estimate | None:
        whole = joint_values(sets, values)
        return stats.mean(list(whole.values())) if whole else None

    best = audit.best({reader: joint_values(every, values) for reader, values in gains.items()}, list(every))
    unparsed = len(answers.unparsed.intersection(id for ids in sets.values() for id in ids))
    published, repaired, letters = map(share, (answers.published, answers.repaired, answers.letters))
    return BenchmarkLine(whole.name, JOINTLY, len(sets), published, repaired, unparsed, letters, best)


def joint_sets(items: Iterable[Item]) -> dict[str, list[str]]:
    """By name the ids that count only together; of Hi-ToM, each question with all of a lower order."""
    by_name: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if JOINT in item.tags:
            by_name[str(item.tags[JOINT])].append(item)
    sets: dict[str, list[str]] = {}
    for name, several in by_name.items():
        if several[0].meta.get("benchmark") == "hitom":
            for item in several:
                depth = _depth(item)
                sets[f"{name}, order {depth}"] = [each.id for each in several if _depth(each) <= depth]
        elif len(several) > 1:
            sets[name] = [item.id for item in several]
    return sets


def _depth(item: Item) -> int:
    order = item.tags.get(ORDER, 0)
    return order if isinstance(order, int) else 0


def joint_values(sets: Mapping[str, Sequence[str]], values: Values) -> dict[str, float]:
    """1 for a set that is right to the last one, 0 where one is wrong, the product of guesses; none if one lacks."""
    found = {}
    for name, ids in sets.items():
        known = [values[id] for id in ids if id in values]
        if len(known) == len(ids) or 0.0 in known:
            found[name] = prod(known)
    return found


# ---- the figures that some benchmarks report instead ----------------------------------------------------------------

Pair = tuple[str, str]
"""The gold label and the one that was answered."""
NONE = "(none)"


def macro_f1(pairs: Sequence[Pair]) -> float:
    """The mean over all labels, of gold or answered, of F1."""
    labels = sorted({label for pair in pairs for label in pair})
    return sum(_f1(pairs, label) for label in labels) / len(labels)


def weighted_f1(pairs: Sequence[Pair]) -> float:
    """The mean of F1 over labels, each as often as it is gold."""
    return sum(_f1(pairs, gold) for gold, _ in pairs) / len(pairs)


def _f1(pairs: Sequence[Pair], label: str) -> float:
    both = sum(gold == said == label for gold, said in pairs)
    either = sum((gold == label) + (said == label) for gold, said in pairs)
    return 2 * both / either if either else 0.0


def own_figures(run: Run) -> dict[str, float]:
    """By name, the figures of a run that was scored as published; none for benchmarks that report shares."""
    by_kind: dict[str, list[Record]] = defaultdict(list)
    for record in run.records:
        by_kind[str(record.item.tags.get(KIND))].append(record)
    found: dict[str, float] = {}
    for kind, records in by_kind.items():
        name = records[0].item.meta.get(BENCHMARK)
        if name == opentom.NAME and (pairs := _pairs(records)):
            found[f"macro-F1, {kind}"] = macro_f1(pairs)
        elif name == fantom.NAME and records[0].item.choices == ("yes", "no") and (pairs := _pairs(records)):
            found[f"weighted F1, {kind}"] = weighted_f1(pairs)
    return found


def _pairs(records: Sequence[Record]) -> list[Pair]:
    """Of the answers that count, the gold label and what was read, both as the rules write them."""
    scored = [record for record in records if record.score.value is not None]
    return [(_gold(record), record.score.answer or NONE) for record in scored]


def _gold(record: Record) -> str:
    gold = str(record.item.meta[PUBLISHED_GOLD])
    return opentom.label(record.item, gold) if record.item.meta[BENCHMARK] == opentom.NAME else gold
