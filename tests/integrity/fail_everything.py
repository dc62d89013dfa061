"""Lets the n-th open, write, fsync, rename, connect and fork of a command fail, for every n, and looks at what is left.

    python -m tests.integrity.fail_everything [--command run] [--kind write] [--every 1] [--seed 0]

After each failure there must be a sentence and an exit code, no traceback, no half file under its final name, and a
store that is sound; the same command without the fault must then give what an undisturbed one gives. The faults are
made below Python and SQLite, by a small library that stands before libc: it takes Linux and a C compiler.
Exits with 1 if anything is otherwise.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import json
import mmap
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from otherminds.store.soundness import examine
from otherminds.store.store import Store
from tests.counting_server import CountingServer
from tests.kills import COUNTS, SEARCH, STORE, TIMES, rows
from tests.profile_answers import answer

SOURCE = Path(__file__).with_name("failing.c")
KINDS: dict[str, tuple[int, tuple[int, ...]]] = {
    "open": (1, (errno.EMFILE, errno.ENOSPC, errno.EACCES)),
    "write": (2, (errno.ENOSPC, errno.EIO)),
    "fsync": (3, (errno.EIO,)),
    "rename": (4, (errno.ENOSPC, errno.EACCES)),
    "connect": (5, (errno.ECONNREFUSED, errno.EMFILE)),
    "fork": (6, (errno.EAGAIN,)),
}
"""By what fails: its number in the library, and the errors that are given in turn. A thread counts as a fork."""
SPEED = re.compile(r"\"tokens_per_second\": [\d.e+-]+")
PATIENCE = 120
"""Seconds after which a command hangs."""

API = ("-m", "api:scripted", "--base-url", "URL", "-M", "parallel=4")
SMALL = ("--device", "cpu", "--rows", "2", "--length", "512", "--rank", "2", "--steps", "4", "--save-every", "2")
COMMANDS: dict[str, tuple[str, ...]] = {
    "run": ("run", "starter", "--limit", "12", "--store", f"FOLDER/{STORE}", *API),
    "play": ("play", "--states", "desire", "--limit", "1", "--turns", "3", "-o", "FOLDER", *API),
    "explore": ("explore", *SEARCH, "--store", f"FOLDER/{STORE}", "-o", "FOLDER/found", *API),
    "profile": ("profile", "--size", "quick", "-o", "FOLDER", *API),
    "train": ("train", "FOLDER/data", "-o", "FOLDER/trained", "-m", "gguf:FOLDER/tiny.gguf", *SMALL),
}


def can_fail() -> bool:
    """Whether faults can be made here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


# ---- the program in which commands fail: it loads everything once, and each command is a child of it -----------------


class Seen(ctypes.Structure):
    """What the library tells: how many calls of every kind there were, and where the one that failed was."""

    _fields_ = (("counts", ctypes.c_long * 8), ("where", ctypes.c_char * 448))


def serve_commands() -> None:
    """Take a command a line, and say a line of how it ended."""
    prepare()
    for line in sys.stdin:
        task = json.loads(line)
        shared = mmap.mmap(-1, ctypes.sizeof(Seen))
        child = os.fork()
        if not child:
            carry_out(task, shared)
        status, late = None, time.monotonic() + PATIENCE
        while status is None:
            done, how = os.waitpid(child, os.WNOHANG)
            status = how if done else None
            if status is None and time.monotonic() > late:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.002)
        seen = Seen.from_buffer_copy(shared)
        found = {"code": os.waitstatus_to_exitcode(status), "counts": list(seen.counts), "where": seen.where.decode()}
        print(json.dumps(found), flush=True)


def prepare() -> None:
    """Load what commands load, and let nobody wait long."""
    import asyncio

    import torch

    import otherminds.studies.explore.exploring
    import otherminds.training.experiment  # noqa: F401
    from otherminds.models.api import wire
    from tests.profiling_program import shrink

    torch.set_num_threads(1)
    sleep = wire.sleep
    wire.sleep = lambda seconds: sleep(min(seconds * 0.02, 0.2))
    asyncio.new_event_loop().close()
    shrink()


def carry_out(task: Mapping[str, Any], shared: mmap.mmap) -> None:
    """One command, with its fault; never comes back."""
    os.chdir(task["folder"])
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{task['said']}.{name}", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), number)
    sys.argv[1:] = task["args"]
    code: Any = 1
    try:
        from otherminds.__main__ import main

        here = ctypes.byref(ctypes.c_char.from_buffer(shared))
        ctypes.CDLL(None).arm(task["kind"], ctypes.c_long(task["at"]), task["error"], task["folder"].encode(), here)
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:  # what a shell would show
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


@dataclass(frozen=True, slots=True)
class End:
    """How a command ended."""

    code: int
    counts: dict[str, int]
    where: str
    said: str
    """What it wrote to stderr."""


Program = Callable[..., End]


@contextmanager
def program(scratch: Path) -> Iterator[Program]:
    """What carries out a command in a folder: program(args, folder, kind, at, error)."""
    library = scratch / "failing.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "OTHERMINDS_CACHE": str(scratch / "cache"),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    environment.pop("OTHERMINDS_STORE", None)
    command = [sys.executable, "-m", "tests.integrity.fail_everything", "--serve"]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdin
        assert serving.stdout
        ask, tell = serving.stdin, serving.stdout

        def carry_out(args: list[str], folder: Path, kind: str = "", at: int = 0, error: int = 0) -> End:
            number = KINDS[kind][0] if kind else 0
            task = {"args": args, "folder": str(folder), "kind": number, "at": at, "error": error}
            print(json.dumps(task | {"said": str(scratch / "said")}), file=ask, flush=True)
            found = json.loads(tell.readline())
            counts = {name: found["counts"][which] for name, (which, _) in KINDS.items()}
            return End(**(found | {"counts": counts}), said=(scratch / "said.err").read_text(encoding="utf-8"))

        yield carry_out
        ask.close()


# ---- what is left ---------------------------------------------------------------------------------------------------


def content(folder: Path) -> dict[str, str]:
    """All that lies there, its store row by row, without times and without what a sitting spent."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and STORE not in name and path.name != "state.pt":  # of which the times are a part
            data = path.read_bytes()
            text = data.decode("latin-1" if path.suffix in (".npz", ".gguf", ".safetensors") else "utf-8")
            found[name] = SPEED.sub("fast", COUNTS.sub("spent", TIMES.sub("then", text)))
    for row in rows(folder, "SELECT key, verb, prompt, rendered, result FROM calls"):
        found[f"call {row[0]}"] = repr(row)
    for row in rows(folder, "SELECT run, position, item, calls, score FROM records"):
        found[f"record {row[0]} {row[1]}"] = repr(row)
    for id, *row in rows(folder, "SELECT id, suite, digest, model, prompt, score, finished != '', manifest FROM runs"):
        found[f"run {id}"] = COUNTS.sub("spent", TIMES.sub("then", repr(row)))
    return found


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The names under which two contents are not the same."""
    return [f"{name} is another" for name in sorted({*one, *other}) if one.get(name) != other.get(name)]


def half_written(folder: Path) -> Iterator[str]:
    """Files that are not whole, by what the last of their bytes must be, and rows that nobody can believe."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or STORE in path.name:
            continue
        if path.suffix == ".part":
            yield f"{path.name} was left"
        elif path.suffix in (".json", ".jsonl"):
            lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
            try:
                list(map(json.loads, lines))
            except ValueError:
                yield f"{path.name} is half a file"
        elif not path.read_bytes().rstrip().endswith(ENDS.get(path.suffix, b"")):
            yield f"{path.name} is half a file"
    if (folder / STORE).exists() and (folder / STORE).stat().st_size:
        with closing(sqlite3.connect(folder / STORE)) as db:
            if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                yield "the store is damaged"
        if rows(folder, "SELECT name FROM sqlite_master WHERE name = 'calls'"):
            with Store(folder / STORE, create=False, read_only=True) as store:
                yield from (f"{flaw.table} {flaw.id}: {flaw.why}" for flaw in examine(store).flaws)


ENDS = {".html": b"</html>", ".svg": b"</svg>"}
"""What the last bytes of a whole file are."""
SENTENCE = re.compile(r"^error: .+", re.MULTILINE | re.IGNORECASE)


def wrong_end(end: End) -> Iterator[str]:
    """What is wrong with how a command ended that met a fault."""
    if end.code not in range(4):
        yield f"exit code {end.code}"
    if "Traceback" in end.said or "a fault of ours" in end.said:
        yield f"no sentence: {end.said[-300:]!r}"
    elif end.code in (1, 2) and len(SENTENCE.findall(end.said)) != 1:
        yield f"not one sentence: {end.said[-300:]!r}"


# ---- one command ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bench:
    """A command with what it needs, and what it leaves if nobody disturbs it."""

    name: str
    run: Program
    url: str
    scratch: Path

    def words(self, folder: Path) -> list[str]:
        return [word.replace("FOLDER", str(folder)).replace("URL", self.url) for word in COMMANDS[self.name]]

    def fresh(self, name: str) -> Path:
        """A folder with what the command begins with."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if self.name == "train":
            shutil.copytree(self.school(), folder, dirs_exist_ok=True)
        return folder

    def school(self) -> Path:
        folder = self.scratch / "school"
        if not folder.exists():
            from tests.models.tiny import write_tiny

            folder.mkdir()
            write_tiny(folder / "tiny.gguf")
            few = ("--shards", "1", "--size", "20", "--grammars", "terse", "--people", "2", "--questions", "3")
            model = f"gguf:{folder / 'tiny.gguf'}"
            end = self.run(
                ["build", "lessons", "-o", str(folder / "data"), "--model", model, "--processes", "1", *few], folder
            )
            assert not end.code, end.said
        return folder

    def undisturbed(self) -> tuple[dict[str, str], dict[str, int]]:
        """What the command leaves, and how often it does each of what can fail."""
        folder = self.fresh("calm")
        end = self.run(self.words(folder), folder)
        assert not end.code, end.said
        return content(folder), end.counts

    def fail(self, kind: str, at: int, calm: Mapping[str, str]) -> list[str]:
        """What is wrong after the n-th of a kind has failed, and after the command was given again."""
        folder = self.fresh("failed")
        error = KINDS[kind][1][at % len(KINDS[kind][1])]
        end = self.run(self.words(folder), folder, kind, at, error)
        wrong = [*wrong_end(end), *half_written(folder)]
        if not end.code:
            wrong += differences(calm, self.named_alike(folder))
        again = self.run(self.words(folder), folder)
        if again.code:
            wrong.append(f"given again it ends with {again.code}: {again.said[-300:]!r}")
        wrong += [f"given again, {each}" for each in differences(calm, self.named_alike(folder))]
        return [
            f"{self.name}, {kind} {at} ({os.strerror(error)}, {Path(end.where).name}): {each}" for each in wrong[:4]
        ]

    def named_alike(self, folder: Path) -> dict[str, str]:
        """Its content, as if it lay where the undisturbed one lies."""
        there, here = str(self.scratch / "calm"), str(folder)
        return {name: text.replace(here, there) for name, text in content(folder).items()}


@contextmanager
def benches(names: list[str]) -> Iterator[list[Bench]]:
    """The benches of these commands, on one server and in one program."""
    server = CountingServer(answer)
    with TemporaryDirectory() as scratch, server.running(), program(Path(scratch)) as run:
        yield [Bench(name, run, server.url, Path(scratch) / name) for name in names]


def fail_everything(bench: Bench, kinds: list[str], every: int, dice: random.Random) -> tuple[int, list[str]]:
    """How many faults were made in a command, and what was wrong after them; every so many-th, from a random one on."""
    calm, counts = bench.undisturbed()
    made, wrong = 0, []
    for kind in kinds:
        for at in range(1 + dice.randrange(every), counts[kind] + 1, every):
            made += 1
            wrong += bench.fail(kind, at, calm)
    print(f"{bench.name}: {', '.join(f'{counts[kind]} × {kind}' for kind in kinds)}; {made} failed, {len(wrong)} wrong")
    return made, wrong


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--command", choices=COMMANDS, action="append", help="this one, and not all")
    options.add_argument("--kind", choices=KINDS, action="append", help="this alone, and not everything")
    options.add_argument("--every", type=int, default=1, help="only every so many-th fails")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        serve_commands()
        return 0
    found = []
    with benches(given.command or list(COMMANDS)) as all_benches:
        for bench in all_benches:
            wrong = fail_everything(bench, given.kind or list(KINDS), given.every, random.Random(given.seed))[1]
            print(*wrong, sep="\n", flush=True)
            found += wrong
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
