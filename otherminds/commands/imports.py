"""`otherminds import`: other people's benchmarks as suites, and logs of other programs as runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from otherminds.errors import UsageError
from otherminds.terminal.derived import File, command
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.items import Suite

Benchmark = Literal["tomi", "hitom", "bigtom", "opentom", "tombench", "fantom", "simpletom", "tomato", "exploretom"]
"""Written out, since `--help` should not read them all; a test compares."""


@command(name="import", output={"metavar": "SUITE.jsonl"})
def import_(
    as_json: bool,
    path: Path,
    *,
    kind: Benchmark | None = None,
    output: File | None = None,
    gold: Literal["repaired", "published"] = "repaired",
    only: tuple[str, ...] = (),
    patch: File | None = None,
    store: File = STORE,
) -> None:
    """Read other people's benchmarks and logs.

    A benchmark is a file or a folder as its authors publish it; see docs/benchmarks.md. The record is kept with every
    item, and what was repaired is counted. A log of Inspect (.eval) or of lm-evaluation-harness (samples_….jsonl)
    becomes a run in the store.

    path (FILE): What is read.
    kind (--from): Which benchmark it is.  [default: guessed]
    gold: Whose labels are the answers.
    only (TAG=VALUE): Only items with this tag, such as split=test.
    patch: Write the changed labels as JSON Lines.
    """
    if kind is None and (log := _log(path)):
        _import_log(path, log, store, as_json)
        return
    if output is None:
        raise UsageError("say with -o where the suite is to be written, such as -o suite.jsonl")
    from otherminds.bridges.benchmarks.known import guess, read, write_patch

    name = kind or guess(path).name
    suite = tagged(read(path, name, gold=gold, name=Path(output).stem), only)
    suite.save(output)
    patched = write_patch(suite, Path(patch)) if patch else None
    _told(suite, name, gold, output, patched, as_json)


def _log(path: Path) -> str:
    """Whose log a file is, if it is one."""
    from otherminds.bridges.replay import is_log

    return "inspect" if path.suffix == ".eval" else "lm-eval" if is_log(path) else ""


def _import_log(path: Path, whose: str, store: File, as_json: bool) -> None:
    from otherminds.bridges.inspect.logs import read as read_log
    from otherminds.bridges.replay import read as read_samples
    from otherminds.results.measures import mean_of
    from otherminds.store.store import Store

    with Store(store) as kept:
        run = read_log(path, kept) if whose == "inspect" else read_samples(path, kept)
    if as_json:
        print_json({"run": run.id, "suite": run.suite, "model": run.model, "verdicts": run.verdicts()})
        return
    say(f"run {run.id}: {run.suite}, answered by {run.model}; right: {mean_of(run) or 'nothing measured'}")
    note(f"otherminds report {run.id} -o {run.suite}.html")


def opened(name: str) -> Suite:
    """A suite by its name or file, or else a benchmark's file or folder."""
    from otherminds.bridges.benchmarks.known import BENCHMARKS, read
    from otherminds.errors import BadFile
    from otherminds.studies.suites import get_suite

    path = Path(name)
    foreign = path.exists() and any(each.fits(path) for each in BENCHMARKS.values())
    if not foreign:
        return get_suite(name)
    try:
        return get_suite(name) if path.suffix == ".jsonl" else read(path)
    except BadFile:
        return read(path)


def tagged(suite: Suite, only: tuple[str, ...]) -> Suite:
    """The items of a suite that have all tags that --only names."""
    wanted = dict(map(tag_of, only))
    kept = tuple(i for i in suite if all(str(i.tags.get(tag)) == value for tag, value in wanted.items()))
    if not kept:
        raise UsageError(f"{suite.name} has no item with {', '.join(only)}")
    return replace(suite, items=kept)


def tag_of(pair: str) -> tuple[str, str]:
    """One --only TAG=VALUE."""
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise UsageError(f"--only {pair!r} should be TAG=VALUE, such as split=test")
    return name, value


def _told(suite: Suite, kind: str, gold: str, output: File, patched: int | None, as_json: bool) -> None:
    from otherminds.bridges.benchmarks.known import checked, known, repairs
    from otherminds.items.tags import JOINT, STORY

    found, check = repairs(suite), checked(suite)
    stories = len({item.tags.get(STORY, item.id) for item in suite})
    joint = len({item.tags[JOINT] for item in suite if JOINT in item.tags})
    if as_json:
        told = {"benchmark": kind, "gold": gold, "items": len(suite), "stories": stories, "joint": joint}
        told |= {"repairs": found, "checked": check.items, "contradicted": list(check.contradicted)}
        print_json(told | {"suite": str(output)})
        return
    say(str(output))
    print_table(["repair", "items"], [[words, str(number)] for words, number in found.items()], right=["items"])
    if check.share:
        share = f"{100 * check.share.value:.1f} % [{100 * check.share.low:.1f}, {100 * check.share.high:.1f}]"
        say(f"The belief engine checked {check.items} labels and contradicts {len(check.contradicted)}: {share}")
    more = f"; {patched} changed or contradicted labels in the patch" if patched is not None else ""
    which = known(kind)
    note(f"{which.title}: {len(suite)} questions about {stories} stories, by its {gold} gold{more}")
    note(f"Licence of the data: {which.licence}")
