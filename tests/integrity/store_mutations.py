"""Damages real stores in many small ways, and sees whether any number changes without a message.

    python -m tests.integrity.store_mutations --number 10000 --seed 0

A store is written by runs that were finished and one that was stopped; bits, bytes and pages of its file are changed,
put in the place of others, or taken from an older copy or from another store with the same runs; rows of every table
are deleted, repeated, edited, or taken from the other store. Then everything that reads runs is called. What it prints
is the same as before (unharmed), or there is an error, an exit code or a remark (message), or neither (silent);
anything but a sentence is a traceback. How many rows `store verify` counts is not compared: a call more than runs need
is no damage.
Exits with 1 if anything is silent or a traceback.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import OthermindsError
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs import records, runs
from otherminds.runs.records import Run
from otherminds.runs.runs import Budget, load, run
from otherminds.store.packing import pack
from otherminds.store.store import Store
from otherminds.terminal import screen

ITEMS, FEW = 24, 10
STORE = "store.db"
SELDOM = 6
"""One damaged store of so many is also reported on, and another is asked again, which takes as long as all the rest."""
TABLES = ("calls", "records", "runs", "models", "sittings", "annotations", "columns", "seals")
Outcome = dict[str, tuple[int, str, str]]
"""By view: its exit code, what it printed, and its remarks."""
Do = Callable[[Path, "Bench", random.Random], str]
"""Damages a file, and says how."""


# ---- the stores -----------------------------------------------------------------------------------------------------


def suite(score: str, size: int = ITEMS) -> Suite:
    """Pairs of items with a story that takes some room."""
    story = "Nora puts the letter into the drawer and leaves the room. Paul moves it to the box. " * 5
    items = tuple(
        Item(
            id=f"i{n}",
            context=f"{story}This is story {n}.",
            question="Where will Nora look for the letter first?",
            answer="box" if n % 2 else "drawer",
            choices=("drawer", "box"),
            tags={"story": f"s{n // 2}", "twin": f"s{n // 2}", "false_belief": n % 2 == 0, "order": 1 + n % 3},
            meta={"reality": "box"},
        )
        for n in range(size)
    )
    return Suite("pairs", items, prompt="direct", score=score)


def model(salt: str) -> Scripted:
    """One of several models that call themselves the same, so that their calls have the same keys."""

    def chance(prompt: Prompt) -> float:
        return random.Random(f"{salt} {prompt}").uniform(0.05, 0.95)

    def weigh(prompt: Prompt) -> dict[str, float]:
        first = chance(prompt)
        rest = (1 - first) / max(1, len(prompt.choices) - 1)
        return {choice: rest if place else first for place, choice in enumerate(prompt.choices)}

    return Scripted(lambda prompt: "A" if chance(prompt) < 0.5 else "B", name="m", weigh=weigh)


def ask(path: Path, salt: str, *, budget: int | None = None) -> None:
    """All that a store is asked for; with a budget, what had been asked of it some time before."""
    with Store(path) as store:
        run(suite("letters"), model(salt), store=store, budget=Budget(calls=budget) if budget else None)
        if not budget:
            run(suite("text"), model(salt), store=store, seed=1, budget=Budget(calls=10))
            run(suite("text"), model(salt), store=store)


class Bench(NamedTuple):
    """The undisturbed store, older copies of it, and another store with the same runs."""

    whole: bytes
    older: Sequence[bytes]
    other: bytes
    page: int
    large: bool
    """Whether its runs are read as large ones are."""


@contextmanager
def counted_as_large(large: bool) -> Iterator[None]:
    """While this is open, runs of few answers are kept and read as those of very many."""
    modules = (runs, records)
    before = [module.CHECKED for module in modules]
    try:
        for module in modules:
            if large:
                module.CHECKED = FEW  # type: ignore[attr-defined]
        yield
    finally:
        for module, number in zip(modules, before, strict=True):
            module.CHECKED = number  # type: ignore[attr-defined]


def make(folder: Path, *, large: bool) -> Bench:
    """The stores that are to be damaged."""
    with counted_as_large(large):
        for left in folder.iterdir():
            left.unlink()
        path, other = folder / STORE, folder / "other.db"
        ask(path, "a", budget=20)
        older = [path.read_bytes()]
        for _ in range(2):
            ask(path, "a")
            older.append(path.read_bytes())
        ask(other, "b")
        found = Bench(older.pop(), older, other.read_bytes(), int.from_bytes(older[0][16:18]), large)
    other.unlink()
    return found


# ---- damage ---------------------------------------------------------------------------------------------------------


class Damage(NamedTuple):
    """A way to damage a store."""

    name: str
    do: Do


def _bytes(change: Callable[[bytearray, Bench, random.Random], str]) -> Do:
    def do(path: Path, bench: Bench, rng: random.Random) -> str:
        data = bytearray(bench.whole)
        said = change(data, bench, rng)
        path.write_bytes(bytes(data))
        return said

    return do


def _bit(data: bytearray, bench: Bench, rng: random.Random) -> str:
    # Half of them where the tables begin and in the inner pages, which are few.
    place = rng.randrange(len(data) if rng.random() < 0.5 else 12 * bench.page)
    data[place] ^= 1 << rng.randrange(8)
    return f"bit of byte {place}"


def _range(data: bytearray, _: Bench, rng: random.Random) -> str:
    start, size = rng.randrange(len(data)), rng.choice([1, 2, 4, 8, 16, 64, 300])
    data[start : start + size] = rng.randbytes(len(data[start : start + size]))
    return f"{size} bytes from {start}"


def _place(data: bytes, bench: Bench, rng: random.Random) -> slice:
    number = rng.randrange(len(data) // bench.page)
    return slice(number * bench.page, (number + 1) * bench.page)


def _zeroed(data: bytearray, bench: Bench, rng: random.Random) -> str:
    place = _place(data, bench, rng)
    data[place] = bytes(bench.page)
    return f"page {place.start // bench.page}"


def _swapped(data: bytearray, bench: Bench, rng: random.Random) -> str:
    one, two = _place(data, bench, rng), _place(data, bench, rng)
    data[one], data[two] = data[two], data[one]
    return f"pages {one.start // bench.page} and {two.start // bench.page}"


def _doubled(data: bytearray, bench: Bench, rng: random.Random) -> str:
    one, two = _place(data, bench, rng), _place(data, bench, rng)
    data[one] = data[two]
    return f"page {two.start // bench.page} in place of {one.start // bench.page}"


def _aged(data: bytearray, bench: Bench, rng: random.Random) -> str:
    older = rng.choice(bench.older)
    place = _place(older, bench, rng)
    data[place] = older[place]
    return f"page {place.start // bench.page} of an older copy"


def _foreign(data: bytearray, bench: Bench, rng: random.Random) -> str:
    place = _place(min(data, bench.other, key=len), bench, rng)
    data[place] = bench.other[place]
    return f"page {place.start // bench.page} of the other store"


def _tables(db: sqlite3.Connection) -> list[str]:
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return [table for table in TABLES if table in there]


def _sql(change: Callable[[sqlite3.Connection, str, random.Random], str]) -> Do:
    def do(path: Path, bench: Bench, rng: random.Random) -> str:
        path.write_bytes(bench.whole)
        path.with_name("other.db").write_bytes(bench.other)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA journal_mode = MEMORY")
            # Most of a run lies in three of the tables.
            tables = [*_tables(db), "records", "records", "runs", "runs", "calls"]
            table = rng.choice(tables)
            said = f"{table}: {change(db, table, rng)}"
            db.execute("PRAGMA journal_mode = WAL")
        return said

    return do


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def _rows(db: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    return db.execute(f"SELECT * FROM {table}").fetchall()


def _only(columns: Sequence[str]) -> str:
    return " AND ".join(f"{name} IS ?" for name in columns)


def _deleted(db: sqlite3.Connection, table: str, rng: random.Random) -> str:
    if table == "records" and rng.random() < 0.3:
        least = rng.randrange(ITEMS)
        return f"deleted {db.execute('DELETE FROM records WHERE position >= ?', (least,)).rowcount} from {least}"
    rows, names = _rows(db, table), _columns(db, table)
    chosen = rng.sample(rows, min(len(rows), rng.choice([1, 1, 2, 5, len(rows)])))
    db.executemany(f"DELETE FROM {table} WHERE {_only(names)}", chosen)
    return f"deleted {len(chosen)} of {len(rows)}"


def _repeated(db: sqlite3.Connection, table: str, rng: random.Random) -> str:
    rows, names = _rows(db, table), _columns(db, table)
    if not rows:
        return "nothing to repeat"
    row = list(rng.choice(rows))
    key = rng.choice([0, 0, 1, 2])
    donor = rng.choice(rows)[key]
    row[key] = rng.choice([donor, row[key] + 100 if isinstance(row[key], int) else f"{row[key]}x", f"{row[key]}x"])
    try:
        db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    except sqlite3.Error as error:
        return f"not repeated: {error}"
    return f"repeated with another {names[key]}"


def _edited(db: sqlite3.Connection, table: str, rng: random.Random) -> str:
    rows, names = _rows(db, table), _columns(db, table)
    if not rows:
        return "nothing to edit"
    row, place = rng.choice(rows), rng.randrange(len(names))
    was = row[place]
    new = rng.choice(
        [
            rng.choice(rows)[place],
            *([was + 1, was - 1, was * 2, 0, -1] if isinstance(was, int | float) else []),
            *([was.replace(*rng.choice(EDITS)), was[: len(was) // 2], was[::-1]] if isinstance(was, str) else []),
            rng.choice(["", "{}", "[]", "null", "x", b"\xff\xfe", 17, 9e999]),
        ]
    )
    try:
        db.execute(f"UPDATE {table} SET {names[place]} = ? WHERE {_only(names)}", (new, *row))
    except sqlite3.Error as error:
        return f"not edited: {error}"
    return f"{names[place]} of {row[0]!s:.10} is {new!r:.60}"


EDITS = (
    ("correct", "incorrect"),
    ("incorrect", "correct"),
    ("1.0", "0.0"),
    ("A", "B"),
    ("box", "drawer"),
    ("0.", "0.1"),
    ('"made": ', '"made": 1'),
    ('"position"', '"place"'),
    ('"value"', '"worth"'),
    ('"stopped"', '"ended"'),
    ("2026", "2025"),
)


def _taken(db: sqlite3.Connection, table: str, rng: random.Random) -> str:
    """Rows of the other store, in the place of those with the same key or beside the others."""
    db.execute("ATTACH 'other.db' AS other")
    try:
        rows = _rows(db, f"other.{table}")
        chosen = rng.sample(rows, min(len(rows), rng.choice([1, 1, 3, len(rows)])))
        marks = ", ".join("?" * len(_columns(db, table)))
        db.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", chosen)
    except sqlite3.Error as error:
        return f"not taken: {error}"
    finally:
        db.execute("DETACH other")
    return f"{len(chosen)} rows of the other store"


DAMAGE = (
    Damage("a bit", _bytes(_bit)),
    Damage("some bytes", _bytes(_range)),
    Damage("a page zeroed", _bytes(_zeroed)),
    Damage("two pages swapped", _bytes(_swapped)),
    Damage("a page doubled", _bytes(_doubled)),
    Damage("an older page", _bytes(_aged)),
    Damage("a page of another store", _bytes(_foreign)),
    Damage("rows deleted", _sql(_deleted)),
    Damage("a row repeated", _sql(_repeated)),
    Damage("a row edited", _sql(_edited)),
    Damage("rows of another store", _sql(_taken)),
)


# ---- what is read ---------------------------------------------------------------------------------------------------


COMMANDS: dict[str, tuple[str, ...]] = {
    "show": ("show", "last"),
    "runs": ("runs", "--json"),
    "report": ("report", "last", "--json", "-o", "page.html"),
    "check": ("check", "last", "--min", "all>=0.1", "--json"),
    "verify": ("store", "verify", "--json"),
}


def look(path: Path, ids: Sequence[str], *, pages: bool = True) -> Outcome:
    """What everything prints that reads runs."""
    found: Outcome = {}
    page = path.with_name("page.html")
    for name, command in COMMANDS.items():
        if name == "report" and not pages:
            continue
        page.unlink(missing_ok=True)
        done = CliRunner().invoke(cli, [*command, "--store", path.name], prog_name="otherminds")
        said = done.stdout
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        if "a fault of ours" in done.output or "Traceback" in done.output:
            raise AssertionError(done.output)
        if page.exists():
            said += page.read_text(encoding="utf-8")
        if name == "verify" and done.exit_code == 0:
            said = str({name: told for name, told in json.loads(said).items() if name != "rows"})
        found[name] = (done.exit_code, said, done.stderr)
    for id in ids:
        found[f"load {id}"] = _loaded(path, id, texts=True)
    for id in ids[:1]:
        found[f"load {id} without texts"] = _loaded(path, id, texts=False)
    return found


def _loaded(path: Path, id: str, *, texts: bool) -> tuple[int, str, str]:
    try:
        with Store(path, create=False, read_only=True) as store:
            return 0, printed(load(store, id, texts=texts)), ""
    except OthermindsError as error:
        return 1, "", str(error)


def printed(found: Run) -> str:
    """All that a run holds."""
    records = [
        (
            *(each.item.to_dict(), each.calls, each.score.to_dict()),
            *([prompt.to_dict() for prompt in each.prompts], [(pack(one), one.rendered) for one in each.results]),
        )
        for each in found.records
    ]
    head = (found.id, found.suite, found.digest, found.model, found.fingerprint, found.prompt, found.score)
    return repr((head, found.partial, json.dumps(dict(found.manifest), sort_keys=True), records))


def ask_again(path: Path) -> str:
    """What the same command makes of a damaged store: the same values, or a sentence."""
    try:
        with Store(path) as store:
            found = run(suite("text"), model("a"), store=store)
            kept = load(store, found.id)
    except OthermindsError as error:
        return f"error: {error}"
    return f"{found.values()} {kept.values()} {found.verdicts()} {found.partial}"


class Tally:
    """What came of all kinds of damage."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.wrong: list[str] = []

    def note(self, name: str, outcome: str, said: str = "") -> None:
        """One more."""
        self.counts.setdefault(name, Counter())[outcome] += 1
        if outcome in ("silent", "traceback"):
            self.wrong.append(f"{outcome}: {said}")

    def __str__(self) -> str:
        heads = ("unharmed", "message", "silent", "traceback")
        lines = [f"{'':26}" + "".join(f"{head:>11}" for head in heads)]
        for name, counts in [*self.counts.items(), ("all", sum(self.counts.values(), Counter[str]()))]:
            lines.append(f"{name:26}" + "".join(f"{counts[head]:11,}" for head in heads))
        return "\n".join(lines)


def differ(before: Outcome, now: Outcome) -> str:
    """Which view prints another value without a word about it."""
    for name, (code, printed, remarks) in now.items():
        was_code, was_printed, was_remarks = before[name]
        if printed != was_printed and (code, remarks) == (was_code, was_remarks):
            return name
    return ""


def try_out(number: int, seed: int, tally: Tally) -> None:
    """Damage a store so often, in all ways in turn."""
    with TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            for large in (False, True):
                _try_out(Path(folder), number // 2 + number % 2 * large, seed, tally, large=large)
        finally:
            os.chdir(before)


def _try_out(folder: Path, number: int, seed: int, tally: Tally, *, large: bool) -> None:
    bench, path = make(folder, large=large), folder / STORE
    with Store(path, read_only=True) as store:
        ids = [row.id for row in store.runs()]
    with counted_as_large(large):
        whole = look(path, ids)
        again = ask_again(path)
        for place in range(number):
            rng = random.Random(f"{seed} {large} {place}")
            damage = DAMAGE[place % len(DAMAGE)]
            for side in ("", "-wal", "-shm"):
                path.with_name(f"{STORE}{side}").unlink(missing_ok=True)
            said = f"{damage.name}, {damage.do(path, bench, rng)} (seed {seed}, large {large}, {place})"
            try:
                found = look(path, ids, pages=place // len(DAMAGE) % SELDOM == 0)
                wrong = differ(whole, found)
                if place // len(DAMAGE) % SELDOM == 1:
                    made = ask_again(path)
                    wrong = wrong or ("asking again" if made != again and not made.startswith("error: ") else "")
            except Exception:
                tally.note(damage.name, "traceback", f"{said}\n{traceback.format_exc()[-1500:]}")
                continue
            harmed = any(told != whole[name] for name, told in found.items())
            tally.note(damage.name, "silent" if wrong else "message" if harmed else "unharmed", f"{wrong} after {said}")


def main() -> int:
    """Print what came of it."""
    options = argparse.ArgumentParser(description="Whether any damage to a store changes a number in silence.")
    options.add_argument("--number", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    tally = Tally()
    screen.MANY = 0  # rich takes its time
    try_out(given.number, given.seed, tally)
    print(tally)
    for said in tally.wrong[:20]:
        print(said)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
